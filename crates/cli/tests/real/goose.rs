//! Goose.

use serde_json::json;
use signalbox_testkit::clis::skip_without;
use signalbox_testkit::model::{Script, Turn};

use crate::NOTHING;
use crate::core_set::Dialect;
use crate::support::{DISCUSSION, Outcome, Scene, refused};

const GOOSE: Dialect = Dialect {
    scene: Scene::goose,
    shell: |line| ("shell", json!({ "command": line })),
    write: |path, text| ("write", json!({ "path": path, "content": text })),
    read: None,
    arguments: &[],
};

/// It takes nothing from its hooks that it could tell the model.
#[test]
fn the_start_and_the_end_of_a_session_are_recorded() {
    if skip_without("goose") {
        return;
    }
    let scene = Scene::goose(DISCUSSION);
    let ticket = scene.env.new_ticket("Limit logins");
    let talk = scene.talk([Turn::say("the last word")], "PROMPT of the test", &NOTHING);
    talk.run.success();
    assert!(!talk.model.saw(&ticket), "it tells the model what hooks say by now");
    let (started, ended) = (scene.events("session.started"), scene.events("session.ended"));
    assert_eq!((started.len(), ended.len()), (1, 1), "{started:#?} {ended:#?}");
    assert_eq!((&started[0]["data"]["cli"], &started[0]["project"]), (&"goose".into(), &"shop".into()));
    assert_eq!(ended[0]["session"], started[0]["session"]);
    scene.found("A session is told its work, mode and role when it starts", Outcome::NotPossible);
    scene.found("The end of a session", Outcome::Recorded);
}

#[test]
fn a_discussing_session_reads_and_writes_nothing() {
    if !skip_without("goose") {
        GOOSE.discusses_and_writes_nothing();
    }
}

#[test]
fn the_phrase_opens_implementation_mode_and_an_agent_cannot() {
    if !skip_without("goose") {
        GOOSE.is_opened_by_the_phrase();
    }
}

#[test]
fn a_doer_stays_in_its_worktree_on_its_branch_and_off_the_tests() {
    if !skip_without("goose") {
        GOOSE.keeps_a_doer_in_its_bounds();
    }
}

#[test]
fn a_doer_is_held_back_twice_and_then_let_go() {
    if !skip_without("goose") {
        GOOSE.is_held_back_twice_at_the_stop();
    }
}

#[test]
fn nobody_approves_their_own_work() {
    if !skip_without("goose") {
        GOOSE.cannot_approve_its_own_work();
    }
}

/// What a subagent of its does runs no hooks, so none is set to work where that could matter.
#[test]
fn nobody_who_is_bound_sets_a_subagent_to_work() {
    if skip_without("goose") {
        return;
    }
    let delegate = || Turn::call("delegate", json!({ "instructions": "SUBAGENT, go" }));
    let scene = Scene::goose(DISCUSSION);
    let script = Script::new([delegate(), Turn::say("the last word")])
        .beside("SUBAGENT", [Turn::call("shell", json!({ "command": "touch new.txt" })), Turn::say("done")]);
    let talk = scene.talk(script, "PROMPT of the test", &NOTHING);
    talk.run.success();
    let results = talk.model.tool_results();
    refused(&results[0], "mode");
    assert_eq!((results.len(), scene.read("new.txt")), (1, None), "{results:#?}");

    // Where nobody is bound, it is set to work, and nothing is heard of what it does.
    let scene = Scene::goose("");
    let touch = Turn::call("shell", json!({ "command": "touch new.txt" }));
    let script =
        Script::new([delegate(), Turn::say("the last word")]).beside("SUBAGENT", [touch, Turn::say("done")]);
    scene.talk(script, "PROMPT of the test", &NOTHING).run.success();
    assert!(scene.read("new.txt").is_some());
    let heard = scene.events("hook.pre-tool");
    assert!(
        heard.iter().all(|event| event["data"]["tool"] == "delegate"),
        "its subagents run hooks by now: {heard:#?}"
    );

    let mut scene = Scene::goose("");
    let ticket = scene.env.new_ticket("Limit logins");
    let talk = GOOSE.as_doer(&mut scene, &ticket, vec![delegate(), Turn::say("the last word")]);
    talk.run.success();
    refused(&talk.model.tool_results()[0], "hidden");
    scene.found("A subagent of a discussing session", Outcome::Warned);
    for what in [
        "What a subagent does, under its own name and its parent's",
        "A subagent's `sb` knows that it is the subagent",
        "A subagent is told its ticket and commands",
    ] {
        scene.found(what, Outcome::NotPossible);
    }
}

#[test]
fn whatever_happens_to_the_hook_nothing_refused_is_executed() {
    if !skip_without("goose") {
        GOOSE.refuses_when_the_hook_is_gone();
    }
}
