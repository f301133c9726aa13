//! Claude Code is held back: a task that names an unfinished ticket stays open, and a doer does not stop before its
//! ticket is in order, though not for ever.

use serde_json::{Value, json};
use signalbox_testkit::clis::skip_without;
use signalbox_testkit::model::Turn;

use crate::support::{BYPASS, FIRST, Outcome, Scene, bash};

/// The status of a task in Claude Code's own list.
fn task(scene: &Scene, id: &str) -> String {
    let path = scene.env.root().join(".claude/tasks").join(FIRST).join(format!("{id}.json"));
    let task: Value = serde_json::from_str(&scene.env.read(path)).expect("a task");
    task["status"].as_str().expect("a status").to_owned()
}

#[test]
fn a_task_stays_open_until_its_ticket_is_handed_in() {
    if skip_without("claude") {
        return;
    }
    let scene = Scene::claude("");
    let run = scene.env.sb(["new", "Limit logins", "--accept", "The fourth is refused"]).success();
    let ticket = run.stdout.trim();
    let arguments = [&BYPASS[..], &["--session-id", FIRST]].concat();
    let complete = || ("TaskUpdate", json!({ "taskId": "1", "status": "completed" }));
    let create = json!({ "subject": format!("Do {ticket}"), "description": "All of it" });
    let results =
        scene.calls(&[bash(&format!("sb pick {ticket}")), ("TaskCreate", create), complete()], &arguments);
    let veto = &results[2].text;
    for words in ["The fourth is refused", "sb check 1", "sb submit"] {
        assert!(veto.contains(words), "{words}: {veto}");
    }
    assert_eq!(task(&scene, "1"), "pending");
    scene.found("Completing a task whose ticket is not finished", Outcome::Warned);

    let arguments = [&BYPASS[..], &["--resume", FIRST]].concat();
    let line = format!("sb check 1 {ticket} && sb submit {ticket} -m done");
    let talk = scene.talk(
        [bash(&line), complete()].map(|(tool, input)| Turn::call(tool, input)),
        "PROMPT",
        &arguments,
    );
    let results = talk.model.tool_results();
    talk.run.success();
    assert_eq!(results.len(), 5, "{results:#?}");
    assert!(!results[3].is_error && !results[4].is_error, "{results:#?}");
    assert_eq!(task(&scene, "1"), "completed");
    assert_eq!(scene.events("session.held-back").len(), 1);
}

#[test]
fn a_doer_is_held_back_twice_and_then_let_go() {
    if skip_without("claude") {
        return;
    }
    let mut scene = Scene::claude("");
    let ticket = scene.env.new_ticket("Limit logins");
    scene.prepare_doer(FIRST, &ticket);
    let arguments = [&BYPASS[..], &["--session-id", FIRST]].concat();
    let pick = Turn::call("Bash", bash(&format!("sb pick {ticket}")).1);
    let turns = [pick, Turn::say("first"), Turn::say("second"), Turn::say("third"), Turn::say("the fourth")];
    let talk = scene.talk(turns, "PROMPT of the test", &arguments);
    talk.run.success().says("third").never_says("the fourth");
    assert!(talk.model.saw("is not finished yet. What is missing:"));
    assert!(talk.model.saw(&format!("{ticket} has no note of what was done")));
    assert_eq!(talk.model.conversation().len(), 4);
    assert_eq!(scene.events("session.held-back").len(), 2);
    assert_eq!(scene.events("session.let-go").len(), 1);
    scene.found("Stopping with an unfinished ticket: held back twice", Outcome::Warned);

    // Once it is handed in, nothing holds it.
    let arguments = [&BYPASS[..], &["--resume", FIRST]].concat();
    let submit = Turn::call("Bash", bash("sb submit -m done").1);
    let talk =
        scene.talk([submit, Turn::say("handed in"), Turn::say("the fourth")], "PROMPT two", &arguments);
    talk.run.success().says("handed in");
    assert_eq!(scene.events("session.held-back").len(), 2);
}
