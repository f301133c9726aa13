//! What an agent is doing, how sure that is, and what shows it.

use serde_json::{Value, json};
use signalbox_testkit::TestEnv;

use crate::kit::{Agent, env, events, json_of, new_session, puppet_command, sb};
use crate::window::{Window, eventually};

fn script() -> Value {
    json!({
        "prompts": [
            { "match": "think", "steps": [{ "think": 600_000 }] },
            { "match": "delete", "steps": [
                { "tool": { "name": "Bash", "input": { "command": "rm -r build" }, "ask": true } },
                { "say": "Deleted." },
            ] },
            { "match": "choose", "steps": [{ "question": { "text": "Which?", "choices": ["left", "right"] } }] },
            { "match": "crash", "steps": [{ "crash": 3 }] },
        ],
        "otherwise": [{ "think": 300 }, { "say": "Done." }],
    })
}

fn explained(env: &TestEnv, id: &str) -> String {
    env.sb(["agent", "explain", id]).success().stdout
}

#[test]
fn every_state_is_seen_and_explained() {
    let env = env();
    let mut agent = Agent::puppet(&env, &script());
    let idle = agent.becomes("idle");
    assert_eq!(idle["certainty"], "known");
    assert_eq!((&idle["driver"], &idle["running"]), (&json!("puppet"), &json!(true)));
    assert!(explained(&env, &agent.id).contains("It has been idle for"), "{}", explained(&env, &agent.id));

    agent.window.press("delete it\r");
    let asks = agent.becomes("waiting-permission");
    assert_eq!(asks["certainty"], "known");
    eventually("the screen to be named", || explained(&env, &agent.id).contains("it asks whether it may"));
    agent.window.press("2");
    agent.becomes("idle");

    agent.window.press("choose\r");
    eventually("the question", || {
        let state = agent.row()["state"].clone();
        state == "waiting-answer" || state == "waiting-permission"
    });
    agent.window.press("\r");
    agent.becomes("idle");

    agent.window.press("/help\r");
    agent.becomes("waiting-answer");
    agent.window.press("\x1b");
    agent.becomes("idle");

    agent.window.press("think\r");
    agent.becomes("working");
    let words = explained(&env, &agent.id);
    assert!(
        words.contains("It has been working for") && words.contains("its state file says busy"),
        "{words}"
    );
    let told = json_of(&env.sb(["agent", "explain", &agent.id, "--json"]).success());
    assert_eq!((&told["state"], &told["certainty"]), (&json!("working"), &json!("known")));
    agent.window.press("\x1b");
    agent.becomes("idle");

    agent.window.press("\x15crash\r");
    assert_eq!(agent.window.finish(), 3);
    let gone = agent.becomes("exited");
    assert_eq!((&gone["running"], &gone["ended"]["code"]), (&json!(false), &json!(3)));
    assert!(explained(&env, &agent.id).contains("exit code 3"));
    env.sb(["agents"]).success().says("No agent runs.");
    env.sb(["agents", "--all"]).success().says("exited");
    // Every change is in the log.
    let states: Vec<Value> = events(&env)
        .into_iter()
        .filter(|(name, _)| name == "agent.state")
        .map(|(_, data)| data["state"].clone())
        .collect();
    for state in ["idle", "working", "waiting-permission", "waiting-answer"] {
        assert!(states.contains(&json!(state)), "{state} in {states:?}");
    }
    assert!(events(&env).iter().any(|(name, data)| name == "agent.exited" && data["code"] == 3));
}

/// Without the file that tells, the screen does, and it is only likely.
#[test]
fn the_screen_alone_tells_too() {
    let env = env();
    let mut command = puppet_command(&env, &script(), &new_session(), &["--name", "mute"]);
    command.arg("--no-state-file");
    let window = Window::open(&command);
    window.wait_for("/help for help");
    let row = || json_of(&env.sb(["agents", "--json"]).success())[0].clone();
    eventually("idle", || row()["state"] == "idle" && row()["certainty"] == "likely");
    window.press("delete it\r");
    eventually("the dialog", || row()["state"] == "waiting-permission");
    env.sb(["agent", "explain", "mute"]).success().says("(likely)").says("it asks whether it may");
    window.press("2");
    eventually("idle", || row()["state"] == "idle");
}

/// Of any other program only the flow of its output is known, and what follows from it is a guess.
#[test]
fn a_guess_is_called_a_guess() {
    let env = env();
    let agent = Agent::program(&env, &["sh", "-c", "echo hello; read x"]);
    eventually("silence", || agent.row()["state"] == "idle");
    assert_eq!(agent.row()["certainty"], "guess");
    let words = explained(&env, &agent.id);
    assert!(words.contains("(a guess)") && words.contains("nothing has been printed"), "{words}");
    let listed = env.sb(["agents"]).success();
    assert!(listed.stdout.contains("idle?"), "{listed}");
    // So nothing is typed into it.
    let message = agent.inject(&["echo typed"]);
    agent.waits_for(&message, "unknown-state");
    assert!(!agent.window.shows("typed"));
}

#[test]
fn names_and_tickets_are_shown() {
    let env = env();
    let ticket = env.new_ticket("Repair it");
    let words = ["agent", "--name", "anna", "--ticket", &ticket, "--", "sh", "-c", "echo ready; read x"];
    let window = Window::open(&sb(&env, words));
    window.wait_for("ready");
    eventually("the row", || {
        let listed = env.sb(["agents"]).success().stdout;
        listed.contains("anna") && listed.contains(&ticket)
    });
    // Nobody else can have the name while it runs.
    let named = |name: &str| env.sb(["agent", "--headless", "--name", name, "--", "true"]);
    named("Anna").code(4).says("still runs").says("hint: Choose another name");
    named("two words").code(2).says("cannot be the name of an agent");
    window.press("\r");
    eventually("its end", || env.sb(["agents"]).success().stdout.is_empty());
    named("Anna").success();
}
