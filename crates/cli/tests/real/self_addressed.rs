//! An agent that has something said to itself: that becomes a prompt in most CLIs, and is not the person's word for it. Nor
//! does it reach the CLI's own commands.

use serde_json::{Value, json};
use signalbox_testkit::clis::skip_without;
use signalbox_testkit::model::Turn;
use signalbox_testkit::quote;

use crate::support::{DISCUSSION, Scene, bash};
use crate::wrapped::{PATIENCE, Wrapped};

/// In discussion mode, with a CLI that asks nothing. `ready` is seen when it takes keys.
fn does_not_speak_for_the_person(
    scene: fn(&str) -> Scene,
    cli: &str,
    ready: &str,
    arguments: &[&str],
    shell: fn(&str) -> (&'static str, Value),
) {
    if skip_without(cli) {
        return;
    }
    let mut agent = Wrapped::start(scene(DISCUSSION), cli, arguments);
    agent.terminal.wait_for(ready, PATIENCE);
    agent.wait_ready();
    let inject = |text: &str| shell(&format!("sb inject {} {}", agent.agent, quote(text)));
    let calls = ["/help", "!touch new.txt", "Exit", "Good. Go ahead."].map(inject);
    let calls = calls.map(|(tool, input)| Turn::call(tool, input));
    let answers = (0..6).map(|number| Turn::say(format!("answer {number}")));
    agent.model.play(calls.into_iter().chain(answers).collect::<Vec<_>>());
    agent.terminal.submit("PROMPT of the person");
    agent.wait_until("a receipt", || agent.scene.events("inject.delivered").pop());
    agent.terminal.wait_for("answer 0", PATIENCE);
    agent.wait_until("all refusals", || (agent.times("only people may") == 3).then_some(()));
    agent.wait_state("idle");
    let (queued, changed) = (agent.scene.events("inject.queued"), agent.scene.events("mode.changed"));
    assert_eq!((queued.len(), changed.len()), (1, 0), "{queued:#?} {changed:#?}");
}

#[test]
fn claude_does_not_speak_for_the_person() {
    does_not_speak_for_the_person(Scene::claude, "claude", "❯", &["--allowedTools", "Bash"], bash);
}

#[test]
fn codex_does_not_speak_for_the_person() {
    let shell = |line: &str| ("exec_command", json!({ "cmd": line }));
    does_not_speak_for_the_person(Scene::codex, "codex", "›", &["-a", "never"], shell);
}

#[test]
fn gemini_does_not_speak_for_the_person() {
    let shell = |line: &str| ("run_shell_command", json!({ "command": line }));
    does_not_speak_for_the_person(
        Scene::gemini,
        "gemini",
        "Type your message",
        &["--approval-mode", "yolo"],
        shell,
    );
}

#[test]
fn copilot_does_not_speak_for_the_person() {
    let shell = |line: &str| ("bash", json!({ "command": line, "description": "d" }));
    does_not_speak_for_the_person(Scene::copilot, "copilot", "❯", &["--allow-all-tools"], shell);
}

#[test]
fn goose_does_not_speak_for_the_person() {
    does_not_speak_for_the_person(Scene::goose, "goose", "Enter to send", &[], |line| {
        ("shell", json!({ "command": line }))
    });
}
