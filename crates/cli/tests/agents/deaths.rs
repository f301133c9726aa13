//! Whoever dies: the terminal is usable, nobody is left behind, what was recorded can be read, no message is lost.
//!
//! `SIGNALBOX_DEATHS` says how often each death is died.

use std::time::Duration;

use serde_json::{Value, json};
use signalbox_pty::Signal;
use signalbox_pty::record::{Cast, Kind};
use signalbox_testkit::TestEnv;

use crate::kit::{Agent, env, json_of, recording};
use crate::window::{eventually, is_alive, pid, within};

/// How long anybody may be left behind.
const ORPHAN: Duration = Duration::from_secs(5);

fn cycles(usual: usize) -> usize {
    std::env::var("SIGNALBOX_DEATHS").ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// A puppet that never ends its turn.
fn endless() -> Value {
    json!({ "otherwise": [{ "say": "I begin." }, { "think": 3_600_000 }] })
}

/// It is in the middle of a turn, and a message waits for it.
fn busy(env: &TestEnv) -> (Agent<'_>, u32, String) {
    let agent = Agent::puppet(env, &endless());
    agent.window.press("begin\r");
    agent.window.wait_for("● I begin.");
    let message = agent.inject(&["A message that waits"]);
    // Whoever knows this has seen all that was printed.
    agent.waits_for(&message, "busy");
    let child = agent.child();
    (agent, child, message)
}

/// The whole recording, which must be readable to its end.
#[track_caller]
fn printed(env: &TestEnv, id: &str) -> String {
    let cast = Cast::open(&recording(env, id)).expect("a recording");
    let mut printed = String::new();
    for event in cast {
        let event = event.expect("every line is whole");
        if event.kind == Kind::Output {
            printed.push_str(&event.data);
        }
    }
    printed
}

#[track_caller]
fn is_over(agent: &Agent<'_>, child: u32, message: &str) {
    let wrapper = agent.window.pid();
    within(ORPHAN, "the program to be gone", || !is_alive(child));
    within(ORPHAN, "the wrapper to be gone", || !is_alive(wrapper));
    let row = agent.row();
    assert_eq!((&row["state"], &row["running"]), (&json!("exited"), &json!(false)), "{row}");
    let printed = printed(agent.env, &agent.id);
    assert!(printed.contains("I begin."), "the recording ends too early: {printed:?}");
    agent.env.sb(["agent", "explain", &agent.id]).success().says("exited");
    // The message waits still, or it is said what became of it.
    let waiting = json_of(&agent.env.sb(["outbox", &agent.id, "--json"]).success());
    let waits = waiting[0]["waiting"].as_array().expect("a list").iter().any(|one| one["id"] == message);
    let last = agent.receipts(message).pop().map(|(name, _)| name).unwrap_or_default();
    assert!(waits || last == "inject.failed", "{waiting} {last}");
    assert_eq!(agent.prompts(), ["begin"], "it never arrived");
}

#[test]
fn the_program_is_killed() {
    let env = env();
    for _ in 0..cycles(7) {
        let (mut agent, child, message) = busy(&env);
        let before = new_settings(&env);
        rustix::process::kill_process(pid(child), Signal::KILL).expect("kill");
        assert_eq!(agent.window.ends(), 128 + 9);
        assert_eq!(agent.window.settings(), before, "the terminal is as it was");
        agent.window.finish();
        assert!(agent.window.view().cursor_visible && !agent.window.view().bracketed_paste);
        is_over(&agent, child, &message);
        assert_eq!(agent.fate(&message), "inject.failed");
        assert_eq!(agent.row()["ended"]["signal"], 9);
    }
}

#[test]
fn the_wrapper_is_killed() {
    let env = env();
    for _ in 0..cycles(7) {
        let (mut agent, child, message) = busy(&env);
        agent.window.signal(Signal::KILL);
        assert_eq!(agent.window.ends(), 128 + 9);
        is_over(&agent, child, &message);
        env.sb(["attach", &agent.id]).code(4).says("sb replay");
        env.sb(["inject", &agent.id, "Anybody?"]).code(4);
        env.sb(["agent", "stop", &agent.id]).code(4);
    }
    // Whoever comes next is not disturbed by those who vanished.
    let next = Agent::puppet(&env, &endless());
    assert_eq!(next.becomes("idle")["running"], true);
}

#[test]
fn the_window_is_closed() {
    let env = env();
    for _ in 0..cycles(6) {
        let (mut agent, child, message) = busy(&env);
        agent.window.close();
        is_over(&agent, child, &message);
        assert!(!agent.row()["ended"].is_null(), "its end was written down: {}", agent.row());
        assert_eq!(agent.fate(&message), "inject.failed");
    }
}

/// Killed in the middle of a delivery: whatever became of the message, it is not delivered twice, and it is told.
#[test]
fn the_wrapper_is_killed_while_it_delivers() {
    let env = env();
    let script = json!({ "otherwise": [{ "think": 100 }, { "say": "ok" }] });
    for cycle in 0..cycles(5) {
        let agent = Agent::puppet(&env, &script);
        agent.becomes("idle");
        let text = format!("message {cycle} in the middle");
        let message = agent.inject(&[&text]);
        let taken = format!("{message}.taken.");
        let outbox = env.home().join("outbox").join(&agent.id);
        eventually("the delivery", || {
            let names = std::fs::read_dir(&outbox).expect("the outbox");
            let mut names = names.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
            names.any(|name| name.starts_with(&taken)) || !agent.prompts().is_empty()
        });
        // A little later in every cycle.
        agent.window.rest(Duration::from_millis(30 * cycle as u64 % 300));
        agent.window.signal(Signal::KILL);
        let child = agent.child();
        within(ORPHAN, "the program to be gone", || !is_alive(child));
        let arrived = agent.prompts();
        assert!(arrived.is_empty() || arrived == [text], "{arrived:?}");
        let shown = env.sb(["outbox", &agent.id]).success();
        assert!(shown.stdout.contains(&message), "{shown}");
    }
}

/// How a new terminal is set.
fn new_settings(env: &TestEnv) -> String {
    let mut command = std::process::Command::new("true");
    env.prepare(&mut command);
    crate::window::Window::open(&command).settings()
}
