//! Each CLI in a terminal, with a person before it who is asked before a tool runs, and says yes.

use std::time::Duration;

use serde_json::{Value, json};
use signalbox_testkit::clis::{Cli, Place, skip_without};
use signalbox_testkit::model::{Gate, Model, Turn};

use crate::{NOTHING, Scene};

const PATIENCE: Duration = Duration::from_secs(60);

/// How a CLI looks to the person.
struct Looks {
    ready: &'static str,
    question: &'static str,
    yes: &'static str,
}

fn consent(cli: impl FnOnce(&Place, &Model) -> Cli, arguments: &[&str], looks: &Looks, call: (&str, Value)) {
    let scene = Scene::new();
    let model = Model::start([Turn::calls([call]), Turn::say("the last word")]);
    let mut terminal = cli(&scene.place(), &model).open(arguments);
    terminal.wait_for(looks.ready, PATIENCE);
    terminal.submit("PROMPT of the test");
    terminal.wait_for(looks.question, PATIENCE);
    assert_eq!(scene.read("out.txt"), None, "it ran before the answer");
    assert_eq!(model.tool_results(), []);
    terminal.answer(looks.question, looks.yes, PATIENCE);
    terminal.wait_for("the last word", PATIENCE);
    assert!(!terminal.shows(looks.question), "{}", terminal.screen());
    assert_eq!(scene.read("out.txt").as_deref(), Some("hi\n"));
    assert_eq!(model.tool_results().len(), 1);
}

const LINE: &str = "echo hi > out.txt";

#[test]
fn claude() {
    if skip_without("claude") {
        return;
    }
    let looks = Looks { ready: "❯", question: "Do you want to proceed?", yes: "\r" };
    consent(Cli::claude, &[], &looks, ("Bash", json!({ "command": LINE, "description": "d" })));
}

#[test]
fn codex() {
    if skip_without("codex") {
        return;
    }
    let looks = Looks {
        ready: "Ask Codex to do anything",
        question: "Would you like to run the following",
        yes: "y",
    };
    let input = json!({ "cmd": LINE, "sandbox_permissions": "require_escalated", "justification": "j" });
    consent(Cli::codex, &["-s", "workspace-write", "-a", "on-request"], &looks, ("exec_command", input));
}

#[test]
fn gemini() {
    if skip_without("gemini") {
        return;
    }
    let looks = Looks { ready: "Type your message", question: "Allow execution of", yes: "\r" };
    consent(Cli::gemini, &[], &looks, ("run_shell_command", json!({ "command": LINE })));
}

#[test]
fn copilot() {
    if skip_without("copilot") {
        return;
    }
    let looks = Looks { ready: "/ commands", question: "Do you want to run this command?", yes: "\r" };
    consent(Cli::copilot, &[], &looks, ("bash", json!({ "command": LINE, "description": "d" })));
}

#[test]
fn claude_is_interrupted_and_left() {
    if skip_without("claude") {
        return;
    }
    let (scene, gate) = (Scene::new(), Gate::default());
    let model = Model::start([Turn::until(&gate), Turn::say("too late")]);
    let mut terminal = Cli::claude(&scene.place(), &model).open(NOTHING);
    terminal.wait_for("❯", PATIENCE);
    terminal.submit("PROMPT of the test");
    assert!(gate.is_reached(PATIENCE), "{}", terminal.screen());
    terminal.wait_for("esc to interrupt", PATIENCE);
    terminal.press("\x1b");
    terminal.wait_gone("esc to interrupt", PATIENCE);
    terminal.press("\x03");
    terminal.wait_for("Press Ctrl-C again to exit", PATIENCE);
    terminal.press("\x03");
    let code = terminal.ends_within(PATIENCE);
    assert!(code.is_some(), "{}", terminal.screen());
    assert!(!terminal.showed("too late"));
}
