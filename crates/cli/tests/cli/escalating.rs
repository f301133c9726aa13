//! `sb escalate`: questions for a human, as files and in the log.

use std::thread;

use serde_json::{Value, json};
use signalbox_store::files;

use crate::env;
use crate::mcp::{as_agent, call, told};
use crate::support::{json as value, story, ticket};

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
        .says("The kinds are: decision, blocker, question, approval, suggestion.");
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

#[test]
fn from_draft_to_answer() {
    let env = story();
    let id = env.new_ticket("Limit logins");
    let mut ada = env.agent("ada");
    ada.sb(["pick", &id]).success();
    let asked =
        ["escalate", "Keep the old endpoint?", "-o", "yes", "-o", "no, drop it", "-c", "Two clients use it."];
    ada.sb(asked).success();
    ada.sb(["esc", "draft", "Also clean up?", "--kind", "suggestion"]).success().says("Drafted esc-0002.");
    insta::assert_snapshot!(env.sb(["esc", "show", "1"]).success().to_string().replace(&id, "ID"), @"
    esc-0001  Keep the old endpoint?

    state      draft
    kind       question
    asked by   ada at 2026-11-15T10:00:05Z
    project    shop
    ticket     ID  Limit logins
    blocks     ID

    Two clients use it.

    answers
      1  yes
      2  no, drop it
    --- stderr
    hint: `sb esc answer esc-0001 ANSWER` answers it, `sb esc promote esc-0001` lets it wait for an answer.
    ");
    env.sb(["esc", "promote", "1"])
        .success()
        .says("esc-0001 is pending.")
        .says(&format!("{id} waits for the answer"));
    env.sb(["esc", "promote", "esc-1"]).success().says("is pending already");
    assert_eq!(ticket(&env, &id)["escalated"], true);
    env.sb(["esc", "list"])
        .success()
        .says("esc-0001  pending  question  ada")
        .says("esc-0002  draft  suggestion");
    env.sb(["esc", "answer", "esc-0001", "3"])
        .code(2)
        .says("esc-0001 has 2 suggested answers, and no number 3");
    env.sb(["esc", "answer", "esc-0001", "2"])
        .success()
        .says("esc-0001 is answered: no, drop it")
        .says(&format!("{id} waits for it no longer"));
    assert_eq!(ticket(&env, &id)["escalated"], false);
    env.sb(["esc", "answer", "1", "yes"]).code(4).says("esc-0001 was answered: no, drop it");
    env.sb(["esc", "show", "1"]).success().says("answer     no, drop it");
    env.sb(["esc", "withdraw", "2", "not", "now"]).success().says("esc-0002 is withdrawn.");
    env.sb(["esc", "list"]).success().says("Nobody asks anything.");
    let all = value(&env.sb(["esc", "list", "--all", "--json"]).success());
    assert_eq!((&all[0]["state"], &all[0]["answer"]["option"]), (&json!("resolved"), &json!(2)));
    assert_eq!(all[1]["withdrawn"]["reason"], "not now");
    let names: Vec<String> = env
        .files_below(env.home().join("escalations"))
        .into_iter()
        .map(|(path, _)| path.strip_prefix(env.home()).expect("below").to_string_lossy().into_owned())
        .collect();
    assert_eq!(names, ["escalations/resolved/esc-0001.json", "escalations/resolved/esc-0002.json"]);
    env.sb(["doctor"]).success();
}

#[test]
fn a_number_can_be_words() {
    let env = env();
    env.sb(["escalate", "How many?", "-o", "3", "-o", "5"]).success();
    env.sb(["escalate", "How many more?"]).success();
    env.sb(["esc", "answer", "1", "10", "--text"]).success().says("esc-0001 is answered: 10");
    env.sb(["esc", "answer", "2", "7"]).success().says("esc-0002 is answered: 7");
    env.sb(["escalate", "What else?"]).success();
    env.sb_with_input(["esc", "answer", "3", "-"], "A long\nanswer.\n").success();
    let shown = value(&env.sb(["esc", "show", "3", "--json"]).success());
    assert_eq!(shown["answer"]["answer"], "A long\nanswer.");
}

#[test]
fn agents_ask_and_look_and_decide_nothing() {
    let env = env();
    let id = env.new_ticket("Limit logins");
    let mut ada = env.agent("ada");
    ada.sb(["esc", "draft", "Keep it?", "--ticket", &id, "--blocks", &id, "--hypothesis", "hard"]).success();
    ada.sb(["esc", "list", "--ticket", &id]).success().says("esc-0001");
    ada.sb(["esc", "show", "1"]).success().says("hard (a guess)");
    for words in [&["esc", "answer", "1", "yes"][..], &["esc", "promote", "1"], &["esc", "withdraw", "1"]] {
        ada.sb(words).code(4).says("only a human may");
    }
    assert_eq!(ticket(&env, &id)["escalated"], false);
    ada.sb(["esc", "draft", "x", "--kind", "trust"]).code(2).says("there is no kind of escalation `trust`");
    ada.sb(["esc", "draft", "x", "--hypothesis", "bad"]).code(2).says("missing-context");
}

#[test]
fn ids_and_states_that_are_none() {
    let env = env();
    for id in ["0", "x", "esc-", "sb_123456", "-1", "1.5", "99999999999999999999"] {
        env.sb(["esc", "show", "--", id]).code(2).says("is no id of an escalation");
    }
    env.sb(["esc", "show", "7"]).code(3).says("there is no escalation `esc-0007`");
    env.sb(["esc", "answer", "7", "yes"]).code(3);
    env.sb(["esc", "list", "--state", "lost"]).code(2).says("draft, pending and resolved");
    env.sb(["esc"]).code(2);
}

#[test]
fn the_doctor_restores_a_file() {
    let env = env();
    env.sb(["escalate", "One?"]).success();
    env.sb(["escalate", "Two?"]).success();
    let file = env.home().join("escalations/draft/esc-0001.json");
    let before = env.read(&file);
    env.edit(&file, "One?", "Another?");
    env.sb(["doctor"]).code(1).says("the file of esc-0001");
    env.sb(["doctor", "--fix"]).success();
    assert_eq!(env.read(&file), before);
    env.sb(["doctor"]).success();
}
