//! Copilot CLI.

use serde_json::json;
use signalbox_testkit::clis::skip_without;
use signalbox_testkit::model::{Part, Script, Turn};

use crate::NOTHING;
use crate::core_set::Dialect;
use crate::support::{DISCUSSION, Outcome, Scene, knows_itself};

const COPILOT: Dialect = Dialect {
    scene: Scene::copilot,
    shell: |line| ("bash", json!({ "command": line, "description": "d" })),
    write: |path, text| ("create", json!({ "path": path, "file_text": text })),
    read: Some(|path| ("view", json!({ "path": path }))),
    arguments: &[],
};

#[test]
fn a_session_is_told_its_work_and_its_end_is_recorded() {
    if !skip_without("copilot") {
        COPILOT.is_told_at_the_start();
    }
}

#[test]
fn a_discussing_session_reads_and_writes_nothing() {
    if !skip_without("copilot") {
        COPILOT.discusses_and_writes_nothing();
    }
}

#[test]
fn the_phrase_opens_implementation_mode_and_an_agent_cannot() {
    if !skip_without("copilot") {
        COPILOT.is_opened_by_the_phrase();
    }
}

#[test]
fn a_doer_stays_in_its_worktree_on_its_branch_and_off_the_tests() {
    if !skip_without("copilot") {
        COPILOT.keeps_a_doer_in_its_bounds();
    }
}

#[test]
fn a_doer_is_held_back_twice_and_then_let_go() {
    if !skip_without("copilot") {
        COPILOT.is_held_back_twice_at_the_stop();
    }
}

#[test]
fn nobody_approves_their_own_work() {
    if !skip_without("copilot") {
        COPILOT.cannot_approve_its_own_work();
    }
}

#[test]
fn a_subagent_gets_its_ticket_and_may_no_more_than_its_parent() {
    if skip_without("copilot") {
        return;
    }
    let scene = Scene::copilot(DISCUSSION);
    let run =
        scene.env.sb(["new", "Limit logins", "--body", "No more than three attempts a minute"]).success();
    let ticket = run.stdout.trim();
    let agent = json!({
        "agent_type": "general-purpose", "name": "n", "description": "d",
        "prompt": format!("SUBAGENT, work on {ticket}"),
    });
    let shell = |line: &str| Turn::call("bash", json!({ "command": line, "description": "d" }));
    let script = Script::new([Turn::call("task", agent), Turn::say("the last word")])
        .beside("SUBAGENT", [shell("sb context --json"), shell("echo x > new.txt"), Turn::say("it is done")]);
    let talk = scene.talk(script, "PROMPT of the test", &NOTHING);
    talk.run.success();
    let beside: Vec<String> = talk
        .model
        .requests()
        .into_iter()
        .filter(|request| matches!(request.part, Part::Beside(_)))
        .map(|request| request.body.to_string())
        .collect();
    for words in ["No more than three attempts a minute", &format!("sb pick {ticket}"), "(rule: mode)"] {
        assert!(beside.iter().any(|body| body.contains(words)), "{words}: {beside:#?}");
    }
    assert_eq!(scene.read("new.txt"), None);
    let calls = scene.events("hook.pre-tool");
    let main = calls[0]["session"].clone();
    let own = calls.last().expect("a call")["session"].as_str().expect("a session").to_owned();
    assert_eq!(calls.last().expect("a call")["lineage"], json!([main]));
    assert!(knows_itself(&beside, &own), "{beside:#?}");
    scene.found("A subagent's `sb` knows that it is the subagent", Outcome::Works);
    scene.found("What a subagent does, under its own name and its parent's", Outcome::Recorded);
    scene.found("A subagent is told its ticket and commands", Outcome::Works);
    scene.found("A subagent of a discussing session", Outcome::Warned);
}

#[test]
fn whatever_happens_to_the_hook_nothing_refused_is_executed() {
    if !skip_without("copilot") {
        COPILOT.refuses_when_the_hook_is_gone();
    }
}
