//! Codex.

use serde_json::json;
use signalbox_testkit::clis::{Cli, Size};
use signalbox_testkit::model::{Gate, Script, Turn};

use crate::stage::{PATIENCE, Scene, Stage, lines, look};

/// Take everything out of the input box.
const CLEAR: &str = "\x1b[B\x1b[B\x1b[B\x1b[B\x05\x15\x15\x15\x15\x15\x15\x15\x15\x15\x15\x15\x15";

fn start(scene: &Scene, script: impl Into<Script>) -> Stage {
    let mut stage = scene.open(Cli::codex, script, &["-s", "workspace-write", "-a", "on-request"]);
    stage.wait("›").wait("Codex").settle().settle();
    stage
}

fn typing(size: Size) {
    let scene = Scene::new("codex", "typing", size);
    let mut stage = start(&scene, []);
    stage.shot("idle-fresh");
    stage.slowly("half typed").shot("draft");
    stage.slowly("\x1b[D\x1b[D\x1b[D").shot("draft-cursor-middle");
    stage.slowly("\x01").shot("draft-cursor-start");
    stage.slowly("\x05 日本語 ünïcödé 👍").shot("draft-wide");
    stage.slowly(CLEAR).shot("cleared");
    stage.slowly("first line\nsecond line").shot("draft-two-lines");
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
    stage.slowly(CLEAR).slowly("$").shot("skill-menu");
    stage.slowly(CLEAR).slowly("?").shot("shortcuts");
    stage.slowly("\x7f").slowly("\x12").shot("history-search");
    stage.slowly("\x1b").slowly("\x1b[Z").shot("mode-plan");
    stage.slowly("\x1b[Z").settle().settle().slowly("\x03").settle().settle().shot("exited");
}

fn pasting(size: Size) {
    let scene = Scene::new("codex", "pasting", size);
    let mut stage = start(&scene, []);
    for count in [1, 2, 5, 30, 100] {
        stage.paste(&lines(count)).shot(&format!("pasted-{count}"));
        stage.slowly(CLEAR);
        stage.slowly(CLEAR).slowly(CLEAR).slowly(CLEAR).slowly(CLEAR);
    }
    stage.slowly("before ").paste(&lines(100)).shot("pasted-100-after-text");
}

fn dialogs(size: Size) {
    let scene = Scene::new("codex", "dialogs", size);
    let mut stage = start(&scene, []);
    for name in ["model", "permissions", "status", "resume", "hooks", "skills", "vim"] {
        stage.slowly(&format!("/{name}")).slowly("\r").shot(&format!("dialog-{name}"));
        stage.slowly("\x1b").settle().settle().slowly(CLEAR);
    }
    stage.shot("vim-insert");
    stage.slowly("text").slowly("\x1b").shot("vim-normal-draft");
    stage.slowly("dd").shot("vim-normal");
}

fn working(size: Size) {
    let scene = Scene::new("codex", "working", size);
    let gate = Gate::default();
    let mut stage =
        start(&scene, [Turn::until(&gate), Turn::say("the first answer"), Turn::say("the second answer")]);
    stage.slowly("do something").slowly("\r");
    assert!(gate.is_reached(PATIENCE));
    stage.wait("Working").shot("busy");
    stage.slowly("typed while busy").wait("typed while busy").shot("busy-draft");
    stage.slowly("\r").shot("busy-queued");
    stage.slowly("more").wait("more").shot("busy-queued-draft");
    stage.slowly(CLEAR);
    gate.open();
    stage.wait("the second answer").settle().settle().shot("idle-after-turn");
}

fn asking(size: Size) {
    let scene = Scene::new("codex", "asking", size);
    let gate = Gate::default();
    let call = json!({ "cmd": "echo hi > out.txt", "sandbox_permissions": "require_escalated", "justification": "j" });
    let script = [Turn::call("exec_command", call), Turn::until(&gate), Turn::say("the answer")];
    let mut stage = start(&scene, script);
    stage.slowly("do something").slowly("\r").wait("Would you like to").shot("permission");
    stage.slowly("\x1b[B").shot("permission-second");
    stage.slowly("\x1b[A").settle().slowly("y");
    assert!(gate.is_reached(PATIENCE));
    stage.shot("busy-after-tool");
    gate.open();
}

fn interrupting(size: Size) {
    let scene = Scene::new("codex", "interrupting", size);
    let gate = Gate::default();
    let mut stage = start(&scene, [Turn::until(&gate), Turn::say("late")]);
    stage.slowly("do something").slowly("\r");
    assert!(gate.is_reached(PATIENCE));
    stage.wait("Working").slowly("\x1b").settle().settle().shot("interrupted");
    stage.slowly("\x1a").shot("suspended");
}

#[test]
#[ignore = "run by hand: it writes the sights anew"]
fn look_codex() {
    for scene in [typing, pasting, dialogs, working, asking, interrupting] {
        look("codex", scene);
    }
}
