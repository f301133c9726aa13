//! Gemini CLI.

use serde_json::json;
use signalbox_testkit::clis::skip_without;
use signalbox_testkit::model::{Script, Turn};

use crate::NOTHING;
use crate::core_set::Dialect;
use crate::support::{DISCUSSION, Outcome, Scene};

const GEMINI: Dialect = Dialect {
    scene: Scene::gemini,
    shell: |line| ("run_shell_command", json!({ "command": line })),
    write: |path, text| ("write_file", json!({ "file_path": path, "content": text })),
    read: Some(|path| ("read_file", json!({ "file_path": path }))),
    arguments: &[],
};

#[test]
fn a_session_is_told_its_work_and_its_end_is_recorded() {
    if !skip_without("gemini") {
        GEMINI.is_told_at_the_start();
    }
}

#[test]
fn a_discussing_session_reads_and_writes_nothing() {
    if !skip_without("gemini") {
        GEMINI.discusses_and_writes_nothing();
    }
}

#[test]
fn the_phrase_opens_implementation_mode_and_an_agent_cannot() {
    if !skip_without("gemini") {
        GEMINI.is_opened_by_the_phrase();
    }
}

#[test]
fn a_doer_stays_in_its_worktree_on_its_branch_and_off_the_tests() {
    if !skip_without("gemini") {
        GEMINI.keeps_a_doer_in_its_bounds();
    }
}

#[test]
fn a_doer_is_held_back_twice_and_then_let_go() {
    if !skip_without("gemini") {
        GEMINI.is_held_back_twice_at_the_stop();
    }
}

#[test]
fn nobody_approves_their_own_work() {
    if !skip_without("gemini") {
        GEMINI.cannot_approve_its_own_work();
    }
}

/// It has no hook for subagents, but theirs run, as if they were the main agent's.
#[test]
fn a_subagent_may_no_more_than_its_parent() {
    if skip_without("gemini") {
        return;
    }
    let scene = Scene::gemini(DISCUSSION);
    let agent = json!({ "agent_name": "generalist", "prompt": "SUBAGENT, go" });
    let done = Turn::call("complete_task", json!({ "result": { "response": "it is done" } }));
    let write = ("write_file", json!({ "file_path": scene.at("new.txt"), "content": "x" }));
    let calls = [write, (GEMINI.shell)("echo x > new.txt")].map(|(tool, input)| Turn::call(tool, input));
    let script = Script::new([Turn::call("invoke_agent", agent), Turn::say("the last word")])
        .beside("SUBAGENT", calls.into_iter().chain([done]));
    let talk = scene.talk(script, "PROMPT of the test", &NOTHING);
    talk.run.success();
    let results = talk.model.tool_results();
    let refusals = results.iter().filter(|result| result.text.contains("(rule: mode)")).count();
    assert!(refusals >= 2, "{results:#?}");
    assert_eq!(scene.read("new.txt"), None);
    let sessions = scene.sessions();
    assert_eq!(sessions.len(), 1, "it tells subagents apart by now: {sessions:#?}");
    scene.found("A subagent of a discussing session", Outcome::Warned);
    scene.found("What a subagent does, under its own name and its parent's", Outcome::NotPossible);
    scene.found("A subagent's `sb` knows that it is the subagent", Outcome::NotPossible);
    scene.found("A subagent is told its ticket and commands", Outcome::NotPossible);
}

#[test]
fn whatever_happens_to_the_hook_nothing_refused_is_executed() {
    if !skip_without("gemini") {
        GEMINI.refuses_when_the_hook_is_gone();
    }
}
