//! `sb escalate`: questions for a human, as files and in the log.

use std::thread;

use serde_json::{Value, json};
use signalbox_store::files;

use crate::env;
use crate::mcp::{as_agent, call, told};
use crate::support::json as value;

#[test]
fn a_question_is_a_file_and_an_event() {
    let env = env();
    let id = env.new_ticket("Limit logins");
    let mut ada = env.agent("ada");
    ada.sb(["pick", &id]).success();
    ada.sb([
        "escalate",
        "Keep",
        "the",
        "old",
        "endpoint?",
        "--kind",
        "decision",
        "-o",
        "yes",
        "-o",
        "no",
        "-c",
        "Two clients use it.",
    ])
    .success()
    .says("Drafted esc-0001.");
    let file = env.home().join("escalations/draft/esc-0001.json");
    let kept: Value = serde_json::from_str(&env.read(&file)).expect("JSON");
    let want = json!({
        "v": 1, "id": "esc-0001", "kind": "decision", "question": "Keep the old endpoint?",
        "context": "Two clients use it.", "options": ["yes", "no"], "ticket": id, "project": "shop", "actor": "ada",
        "session": "ada", "drafted": kept["drafted"], "event": kept["event"],
    });
    assert_eq!(kept, want);
    let log = env.sb(["log", "--event", "escalation.*", "--json"]).success().stdout;
    let event: Value = serde_json::from_str(&log).expect("one event");
    assert_eq!((&event["event"], &event["id"]), (&json!("escalation.drafted"), &kept["event"]));
    assert_eq!((&event["data"]["escalation"], &event["data"]["ticket"]), (&json!("esc-0001"), &json!(id)));
    env.sb(["escalate", "--list"]).success().says("esc-0001  draft  decision  ada");
    let listed = value(&env.sb(["escalate", "--list", "--json"]).success());
    assert_eq!((&listed[0]["id"], &listed[0]["state"]), (&json!("esc-0001"), &json!("draft")));
    env.sb(["doctor"]).success();
}

/// What died between the log and the file is put right by the next, and no number is used twice.
#[test]
fn a_lost_file_comes_back_and_numbers_are_never_reused() {
    let env = env();
    let file = |folder: &str, id: &str| env.home().join(format!("escalations/{folder}/{id}.json"));
    env.sb(["escalate", "One?"]).success();
    let before = env.read(file("draft", "esc-0001"));
    std::fs::remove_file(file("draft", "esc-0001")).expect("remove it");
    env.sb(["escalate", "Two?"]).success().says("Drafted esc-0002.");
    assert_eq!(env.read(file("draft", "esc-0001")), before);
    // One that went on to another folder stays there.
    std::fs::create_dir_all(env.home().join("escalations/resolved")).expect("a folder");
    files::rename(&file("draft", "esc-0002"), &file("resolved", "esc-0007")).expect("move it");
    env.sb(["escalate", "Three?"]).success().says("Drafted esc-0008.");
}

#[test]
fn many_at_once_get_a_number_each() {
    let env = env();
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| env.sb(["escalate", "Which?"]).success());
        }
    });
    let listed = value(&env.sb(["escalate", "--list", "--json"]).success());
    let ids: Vec<&str> =
        listed.as_array().expect("a list").iter().filter_map(|one| one["id"].as_str()).collect();
    let want: Vec<String> = (1..=8).map(|number| format!("esc-{number:04}")).collect();
    assert_eq!(ids, want);
}

#[test]
fn what_nobody_could_answer_is_refused() {
    let env = env();
    env.sb(["escalate"]).code(2);
    env.sb(["escalate", " "]).code(2).says("there is no question");
    env.sb(["escalate", "Why?", "--kind", "whim"])
        .code(2)
        .says("The kinds are: decision, blocker, question, approval.");
    env.sb(["escalate", "Why?", "--ticket", "sb_zzzzzz"]).code(3);
    env.sb(["escalate", &"x".repeat(3000)]).code(2).says("the question is longer");
    env.sb(["escalate", "Why?", "--option", ""]).code(2).says("suggested answers");
    env.sb(["escalate", "--list"]).success().says("Nobody asks anything.");
}

#[test]
fn an_agent_asks_by_the_tool() {
    let env = env();
    let mut ada = env.agent("ada");
    let asked = json!({ "question": "--as human?", "options": ["--yes"], "context": "-" });
    let answers = as_agent(&mut ada, &[call(1, "draft_escalation", &asked)]);
    let (text, is_error) = told(&answers[0]);
    assert_eq!(
        (text.as_str(), is_error),
        (r#"{"id":"esc-0001","kind":"question","question":"--as human?"}"#, false)
    );
    let listed = value(&env.sb(["escalate", "--list", "--json"]).success());
    assert_eq!((&listed[0]["actor"], &listed[0]["options"]), (&json!("ada"), &json!(["--yes"])));
}
