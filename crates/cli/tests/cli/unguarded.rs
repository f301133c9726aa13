//! A tool that ran although no gate had seen it.

use serde_json::json;
use signalbox_testkit::{Agent, Run, quote};

use crate::support::env;

fn call(shell: &mut Agent, hook: &str, event: &str, id: &str) -> Run {
    let payload = json!({
        "session_id": "ada",
        "hook_event_name": event,
        "tool_name": "Bash",
        "tool_input": { "command": "ls" },
        "tool_use_id": id,
        "tool_response": {},
    });
    shell.run(&format!("printf %s {} | sb hook {hook} --cli claude", quote(&payload.to_string())))
}

fn used(shell: &mut Agent, id: &str) -> Run {
    call(shell, "post-tool", "PostToolUse", id)
}

#[test]
fn a_call_without_its_gate_is_told_of_once_and_recorded_always() {
    let env = env();
    let mut shell = Agent::shell(&env, "ada");
    let told = used(&mut shell, "toolu_1").success();
    told.says("\"additionalContext\":\"Signalbox did not see this call of Bash before it ran");
    used(&mut shell, "toolu_2").success().never_says("did not see");
    let events = env.sb(["log", "--event", "hook.unguarded", "--json"]).success();
    assert_eq!(events.stdout.lines().count(), 2, "{events}");
    env.sb(["doctor"])
        .code(1)
        .says("tools ran without Signalbox's gate before them, 2 in all; the last was Bash");
    env.sb(["doctor", "--fix"]).success();
    env.sb(["doctor"]).success().never_says("without Signalbox's gate");
}

#[test]
fn a_call_that_went_past_the_gate_is_not() {
    let env = env();
    let mut shell = Agent::shell(&env, "ada");
    call(&mut shell, "pre-tool", "PreToolUse", "toolu_1").success();
    used(&mut shell, "toolu_1").success().never_says("did not see");
    // The gate of another call is none.
    used(&mut shell, "toolu_11").success().says("did not see");
    let failed = call(&mut shell, "post-tool-failure", "PostToolUseFailure", "toolu_1").success();
    failed.never_says("did not see");
}

/// Between the gate and the end of a long call the log grows by whatever the others do.
#[test]
fn a_gate_is_found_behind_megabytes_and_in_yesterdays_file() {
    let env = env();
    let mut shell = Agent::shell(&env, "ada");
    call(&mut shell, "pre-tool", "PreToolUse", "toolu_1").success();
    let events = env.home().join("events");
    let today = std::fs::read_link(events.join("current")).expect("a link");
    let gate = std::fs::read(events.join(&today)).expect("the log");
    let busy = "\n{\"v\":1,\"event\":\"hook.other\",\"session\":\"bob\"}\n".repeat(60_000);
    env.write(events.join(&today), [gate.as_slice(), busy.as_bytes()].concat());
    used(&mut shell, "toolu_1").success().never_says("did not see");
    env.write(events.join("2020-01-01.jsonl"), &gate);
    env.write(events.join(&today), b"");
    used(&mut shell, "toolu_1").success().never_says("did not see");
}
