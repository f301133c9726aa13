//! Gemini CLI.

use serde_json::json;
use signalbox_testkit::clis::{Cli, Size};
use signalbox_testkit::model::{Gate, Script, Turn};

use crate::stage::{PATIENCE, Scene, Stage, lines, look};

/// Take everything out of the input box.
fn clear() -> String {
    format!("\x1b[B\x1b[B\x1b[B\x1b[B\x05{}", "\x7f".repeat(230))
}

fn start(scene: &Scene, script: impl Into<Script>) -> Stage {
    let mut stage = scene.open(Cli::gemini, script, &[]);
    stage.wait("Type your message").settle().settle();
    stage
}

fn typing(size: Size) {
    let scene = Scene::new("gemini", "typing", size);
    let mut stage = start(&scene, []);
    stage.shot("idle-fresh");
    stage.slowly("half typed").shot("draft");
    stage.slowly("\x1b[D\x1b[D\x1b[D").shot("draft-cursor-middle");
    stage.slowly("\x01").shot("draft-cursor-start");
    stage.slowly("\x05 日本語 ünïcödé 👍").shot("draft-wide");
    stage.slowly(&clear()).shot("cleared");
    stage.slowly("first line\\\rsecond line").shot("draft-two-lines");
    stage.slowly("\x1b[A").shot("draft-two-lines-cursor-up");
    stage.slowly(&clear()).slowly(&"word ".repeat(40)).shot("draft-long");
    stage.slowly("\x01").shot("draft-long-cursor-start");
    stage.slowly(&clear()).slowly(" ").shot("draft-blank");
    stage.slowly(&clear()).slowly("\n").shot("draft-newline");
    stage.slowly(&clear()).slowly("/").shot("slash-menu");
    stage.slowly("mod").shot("slash-menu-narrowed");
    stage.slowly(&clear()).slowly("!").shot("shell-mode");
    stage.slowly("ls").shot("shell-mode-draft");
    stage.slowly(&clear()).slowly("\x1b").shot("shell-mode-left");
    stage.slowly("@").shot("at-menu");
    stage.slowly(&clear()).slowly("?").shot("shortcuts");
    stage.slowly("\x1b").slowly(&clear()).slowly("\x12").shot("history-search");
    stage.slowly("\x1b").slowly("\x1b[Z").shot("mode-accept-edits");
    stage.slowly("\x1b[Z").shot("mode-plan");
    stage.slowly("\x1b[Z").slowly("\x19").shot("mode-yolo");
    stage.slowly("\x19").slowly("\x03").shot("exit-asked");
}

fn pasting(size: Size) {
    let scene = Scene::new("gemini", "pasting", size);
    let mut stage = start(&scene, []);
    for count in [1, 2, 5, 30] {
        stage.paste(&lines(count)).shot(&format!("pasted-{count}"));
        stage.slowly(&clear());
        stage.slowly(&clear()).slowly(&clear());
    }
    stage.slowly("before ").paste(&lines(30)).shot("pasted-30-after-text");
}

fn dialogs(size: Size) {
    let scene = Scene::new("gemini", "dialogs", size);
    let mut stage = start(&scene, []);
    for name in ["model", "stats", "help", "settings"] {
        stage.slowly(&format!("/{name}")).slowly("\r").shot(&format!("dialog-{name}"));
        stage.slowly("\x1b").settle().settle().slowly(&clear());
    }
}

fn vim(size: Size) {
    let scene = Scene::new("gemini", "vim", size);
    let settings = json!({
        "security": { "auth": { "selectedType": "gemini-api-key" }, "folderTrust": { "enabled": false } },
        "general": { "disableAutoUpdate": true, "enableAutoUpdate": false, "vimMode": true },
        "privacy": { "usageStatisticsEnabled": false },
        "ui": { "hideTips": true },
    });
    scene.write(".gemini/settings.json", &settings.to_string());
    let mut stage = scene.open(Cli::gemini, [], &[]);
    stage.wait(" > ").settle().settle().settle().shot("vim-first");
    stage.slowly("i").slowly("text").shot("vim-insert-draft");
    stage.slowly("\x1b").shot("vim-normal-draft");
    stage.slowly("dd").shot("vim-normal");
}

fn working(size: Size) {
    let scene = Scene::new("gemini", "working", size);
    let (first, second) = (Gate::default(), Gate::default());
    let question = json!({ "questions": [{
        "question": "Which colour?", "header": "Colour", "type": "choice",
        "options": [{ "label": "Red", "description": "r" }, { "label": "Blue", "description": "b" }],
    }] });
    let script = [
        Turn::until(&first),
        Turn::call("run_shell_command", json!({ "command": "echo hi > out.txt" })),
        Turn::until(&second),
        Turn::say("the first answer"),
        Turn::say("the second answer"),
        Turn::call("ask_user", question),
        Turn::say("the third answer"),
    ];
    let mut stage = start(&scene, script);
    stage.slowly("do something").slowly("\r");
    assert!(first.is_reached(PATIENCE));
    stage.wait("esc to cancel").shot("busy");
    stage.slowly("typed while busy").wait("typed while busy").shot("busy-draft");
    stage.slowly("\r").shot("busy-queued");
    stage.slowly("more").wait("more").shot("busy-queued-draft");
    stage.slowly(&clear());
    first.open();
    stage.wait("Allow").shot("permission");
    stage.slowly("\x1b[B").shot("permission-second");
    stage.slowly("\x1b[A").slowly("\r");
    assert!(second.is_reached(PATIENCE));
    stage.shot("busy-after-tool");
    second.open();
    stage.wait("the second answer").settle().settle().shot("idle-after-turn");
    stage.slowly("ask me").slowly("\r").settle().settle().settle().shot("question");
}

fn interrupting(size: Size) {
    let scene = Scene::new("gemini", "interrupting", size);
    let gate = Gate::default();
    let mut stage = start(&scene, [Turn::until(&gate), Turn::say("late")]);
    stage.slowly("do something").slowly("\r");
    assert!(gate.is_reached(PATIENCE));
    stage.wait("esc to cancel").slowly("\x1b").settle().settle().shot("interrupted");
    stage.slowly("\x1a").shot("suspend-asked");
}

fn starting(size: Size) {
    let scene = Scene::new("gemini", "starting", size);
    let settings = json!({
        "security": { "auth": { "selectedType": "gemini-api-key" }, "folderTrust": { "enabled": true } },
        "general": { "disableAutoUpdate": true, "enableAutoUpdate": false },
        "privacy": { "usageStatisticsEnabled": false },
    });
    scene.write(".gemini/settings.json", &settings.to_string());
    let mut stage = scene.open(Cli::gemini, [], &[]);
    stage.wait("trust").settle().shot("start-trust");
}

/// Where the person wants no colours.
fn colourless(size: Size) {
    let scene = Scene::new("gemini", "colourless", size);
    let cli = |place: &_, model: &_| Cli::gemini(place, model).with("NO_COLOR", "1");
    let mut stage = scene.open(cli, [Turn::say("the answer")], &[]);
    stage.wait("Type your message").settle().settle().shot("idle-colourless");
    stage.slowly("half typed").shot("draft-colourless");
    stage.slowly("\r").wait("the answer").settle().shot("idle-after-colourless");
}

#[test]
#[ignore = "run by hand: it writes the sights anew"]
fn look_gemini() {
    for scene in [typing, pasting, dialogs, working, interrupting, starting, vim, colourless] {
        look("gemini", scene);
    }
}
