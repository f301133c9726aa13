//! Copilot CLI.

use serde_json::json;
use signalbox_testkit::clis::{Cli, Size};
use signalbox_testkit::model::{Gate, Script, Turn};

use crate::stage::{PATIENCE, Scene, Stage, lines, look};

/// Take everything out of the input box.
const CLEAR: &str = "\x1b[B\x1b[B\x1b[B\x05\x15\x7f\x15\x7f\x15\x7f\x15\x7f";

fn start(scene: &Scene, script: impl Into<Script>) -> Stage {
    let mut stage = scene.open(Cli::copilot, script, &[]);
    stage.wait("❯").settle();
    stage.terminal.wait_gone("Loading", PATIENCE);
    stage.settle().settle();
    stage
}

fn typing(size: Size) {
    let scene = Scene::new("copilot", "typing", size);
    let mut stage = start(&scene, []);
    stage.shot("idle-fresh");
    stage.slowly("half typed").wait("half typed").shot("draft");
    stage.slowly("\x1b[D\x1b[D\x1b[D").shot("draft-cursor-middle");
    stage.slowly("\x01").shot("draft-cursor-start");
    stage.slowly("\x05 日本語 ünïcödé 👍").wait("👍").shot("draft-wide");
    stage.slowly(CLEAR).shot("cleared");
    stage.slowly("first line\\\rsecond line").wait("second line").shot("draft-two-lines");
    stage.slowly("\x1b[A").shot("draft-two-lines-cursor-up");
    stage.slowly(CLEAR).slowly(&"word ".repeat(40)).shot("draft-long");
    stage.slowly("\x01").shot("draft-long-cursor-start");
    stage.slowly(CLEAR).slowly(" ").shot("draft-blank");
    stage.slowly(CLEAR).slowly("\n").shot("draft-newline");
    stage.slowly(CLEAR).slowly("/").shot("slash-menu");
    stage.slowly("mod").shot("slash-menu-narrowed");
    stage.slowly(CLEAR).slowly("!").shot("shell-mode");
    stage.slowly("ls").shot("shell-mode-draft");
    stage.slowly(CLEAR).slowly("\x7f").shot("shell-mode-left");
    stage.slowly("@").shot("at-menu");
    stage.slowly(CLEAR).slowly("?").shot("shortcuts");
    stage.slowly("\x1b").slowly(CLEAR).slowly("\x12").shot("history-search");
    stage.slowly("\x1b").slowly("\x1b[Z").shot("mode-plan");
    stage.slowly("\x1b[Z").shot("mode-next");
    stage.slowly("\x1b[Z").slowly("\x03").shot("exit-asked");
}

fn pasting(size: Size) {
    let scene = Scene::new("copilot", "pasting", size);
    let mut stage = start(&scene, []);
    for count in [1, 2, 5, 30] {
        stage.paste(&lines(count)).shot(&format!("pasted-{count}"));
        stage.slowly(CLEAR).slowly(CLEAR).slowly(CLEAR);
    }
    stage.slowly("before ").paste(&lines(30)).shot("pasted-30-after-text");
}

fn dialogs(size: Size) {
    let scene = Scene::new("copilot", "dialogs", size);
    let mut stage = start(&scene, []);
    for name in ["usage", "help", "theme", "resume", "mcp", "model"] {
        let words = format!("/{name}");
        stage.slowly(&words).wait(&words).slowly("\r").settle().shot(&format!("dialog-{name}"));
        stage.slowly("\x1b").settle().settle().slowly(CLEAR);
    }
    stage.shot("idle-after-dialogs");
}

fn working(size: Size) {
    let scene = Scene::new("copilot", "working", size);
    let (first, second) = (Gate::default(), Gate::default());
    let script = [
        Turn::until(&first),
        Turn::call("bash", json!({ "command": "echo hi > out.txt", "description": "d" })),
        Turn::until(&second),
        Turn::say("the first answer"),
    ];
    let mut stage = start(&scene, script);
    stage.slowly("do something").slowly("\r");
    assert!(first.is_reached(PATIENCE));
    stage.wait("Working").shot("busy");
    stage.slowly("typed while busy").wait("typed while busy").shot("busy-draft");
    stage.slowly("\r").shot("busy-queued");
    stage.slowly("more").wait("more").shot("busy-queued-draft");
    stage.slowly(CLEAR);
    first.open();
    stage.wait("Do you want to run").shot("permission");
    stage.slowly("\x1b[B").shot("permission-second");
    stage.slowly("\x1b[A").slowly("\r");
    assert!(second.is_reached(PATIENCE));
    stage.shot("busy-after-tool");
    second.open();
    stage.wait("answer").settle().settle().settle().shot("idle-after-turn");
}

fn asking(size: Size) {
    let scene = Scene::new("copilot", "asking", size);
    let choices = json!({ "type": "string", "enum": ["Red", "Blue"] });
    let schema = json!({ "type": "object", "properties": { "colour": choices }, "required": ["colour"] });
    let question = json!({ "message": "Which colour?", "requestedSchema": schema });
    let mut stage = start(&scene, [Turn::call("ask_user", question), Turn::say("the answer")]);
    stage.slowly("ask me").wait("ask me").slowly("\r").wait("Which colour").shot("question");
}

fn starting(size: Size) {
    let scene = Scene::new("copilot", "starting", size);
    scene.write(".copilot/config.json", r#"{"banner":"never","firstLaunchAt":"2026-01-01T00:00:00Z"}"#);
    let mut stage = scene.open(Cli::copilot, [], &[]);
    stage.wait("trust").settle().shot("start-trust");
}

#[test]
#[ignore = "run by hand: it writes the sights anew"]
fn look_copilot() {
    for scene in [typing, pasting, dialogs, working, asking, starting] {
        look("copilot", scene);
    }
}
