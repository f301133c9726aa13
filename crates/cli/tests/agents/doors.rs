//! Where a CLI has a better way in than its keyboard, that is taken: a draft stays where it is, and a message comes all
//! the same.

use serde_json::json;
use signalbox_pty::Signal;

use crate::kit::{Agent, env, events, json_of, quick};
use crate::window::{eventually, is_alive, pid, within};

/// The processes that wait for messages to this agent.
fn waiters(agent: &Agent<'_>) -> Vec<u32> {
    let path = agent.env.home().join("run/waiters").join(format!("{}.json", agent.id));
    let Ok(text) = std::fs::read_to_string(path) else { return Vec::new() };
    let post: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
    let number = post["pid"].as_u64().and_then(|number| u32::try_from(number).ok());
    number.into_iter().filter(|number| is_alive(*number)).collect()
}

#[test]
fn a_waiter_wakes_an_agent_whose_person_is_typing() {
    let env = env();
    env.sb(["hooks", "install", "--cli", "puppet", "--yes"]).success();
    let agent = Agent::puppet(&env, &quick());
    eventually("the waiter", || !waiters(&agent).is_empty());
    agent.window.press("half a line");
    agent.window.wait_for("> half a line");
    let message = agent.inject(&["Over here"]);
    assert_eq!(agent.fate(&message), "inject.delivered");
    let (_, receipt) = agent.receipts(&message).pop().expect("a receipt");
    assert_eq!(receipt["door"], "waiter");
    eventually("the prompt", || agent.prompts() == ["Over here"]);
    assert!(agent.window.shows("> half a line"), "{}", agent.window.text());
    agent.window.press(", ended\r");
    eventually("the prompt", || agent.prompts() == ["Over here", "half a line, ended"]);
    // There is another waiter after every turn, and never two.
    for round in 0..3 {
        eventually("the next waiter", || waiters(&agent).len() == 1);
        let text = format!("round {round}");
        let message = agent.inject(&[&text]);
        assert_eq!(agent.fate(&message), "inject.delivered");
        eventually("the prompt", || agent.prompts().last() == Some(&text));
    }
    assert_eq!(agent.prompts().len(), 5);
    // What it used is counted, and its conversation known.
    assert_eq!(agent.record()["sessions"].as_array().map(Vec::len), Some(1));
    let used = json_of(&env.sb(["agent", "usage", &agent.id, "--json"]).success());
    assert!(used["input_tokens"].as_u64() > Some(0) && used["output_tokens"].as_u64() > Some(0), "{used}");
    assert!(events(&env).iter().any(|(name, _)| name == "session.started"));
}

#[test]
fn a_waiter_does_not_outlive_its_agent() {
    let env = env();
    env.sb(["hooks", "install", "--cli", "puppet", "--yes"]).success();
    for victim in ["program", "wrapper", "stopped"] {
        let mut agent = Agent::puppet(&env, &quick());
        eventually("the waiter", || !waiters(&agent).is_empty());
        let waiter = waiters(&agent);
        match victim {
            "program" => rustix::process::kill_process(pid(agent.child()), Signal::KILL).expect("kill"),
            "wrapper" => agent.window.signal(Signal::KILL),
            _ => env.sb(["agent", "stop", &agent.id]).success().never_says("error").code.map_or((), |_| ()),
        }
        agent.window.ends();
        within(std::time::Duration::from_secs(5), "the waiter to go", || {
            waiter.iter().all(|one| !is_alive(*one))
        });
    }
}

/// Hooks and screen together: what a hook says is in the explanation.
#[test]
fn hooks_are_evidence() {
    let env = env();
    env.sb(["hooks", "install", "--cli", "puppet", "--yes"]).success();
    let script = json!({ "otherwise": [{ "tool": { "name": "Bash", "input": { "command": "make" }, "ms": 600_000 } }] });
    let agent = Agent::puppet(&env, &script);
    agent.window.press("build\r");
    agent.becomes("working");
    eventually("the hook", || {
        env.sb(["agent", "explain", &agent.id]).success().stdout.contains("before Bash")
    });
}
