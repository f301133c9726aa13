//! Goose.

use serde_json::json;
use signalbox_testkit::clis::{Cli, Size};
use signalbox_testkit::model::{Gate, Script, Turn};

use crate::stage::{PATIENCE, Scene, Stage, lines, look};

/// Take everything out of the line: Ctrl-U takes out no more than a row of it, and Ctrl-C twice exits.
fn clear() -> String {
    format!("\x1b[B\x1b[B\x1b[B\x1b[B\x05{}", "\x7f".repeat(230))
}

fn start(scene: &Scene, script: impl Into<Script>) -> Stage {
    let mut stage = scene.open(Cli::goose_asking, script, &["session"]);
    stage.wait("Enter to send").settle();
    stage
}

fn typing(size: Size) {
    let scene = Scene::new("goose", "typing", size);
    let mut stage = start(&scene, []);
    stage.shot("idle-fresh");
    stage.slowly("half typed").shot("draft");
    stage.slowly("\x1b[D\x1b[D\x1b[D").shot("draft-cursor-middle");
    stage.slowly("\x01").shot("draft-cursor-start");
    stage.slowly("\x05 日本語 ünïcödé 👍").shot("draft-wide");
    stage.slowly(&clear()).shot("cleared");
    stage.slowly("first line\nsecond line").shot("draft-two-lines");
    stage.slowly("\x1b[A").shot("draft-two-lines-cursor-up");
    stage.slowly(&clear()).slowly(&"word ".repeat(40)).shot("draft-long");
    stage.slowly("\x01").shot("draft-long-cursor-start");
    stage.slowly(&clear()).slowly(" ").shot("draft-blank");
    stage.slowly(&clear()).slowly("\n").shot("draft-newline");
    stage.slowly(&clear()).slowly("/").shot("slash");
    stage.slowly("e").slowly("\t").shot("slash-completed");
    stage.slowly(&clear()).slowly("/p").slowly("\t").slowly("\t").shot("slash-several");
    stage.slowly(&clear());
    stage.slowly("/help").slowly("\r").settle().shot("help");
    stage.slowly("\x03").shot("exit-asked");
    stage.slowly("\x0c").shot("screen-cleared");
    stage.slowly("text").shot("screen-cleared-draft");
}

fn pasting(size: Size) {
    let scene = Scene::new("goose", "pasting", size);
    let mut stage = start(&scene, []);
    for count in [1, 2, 5] {
        stage.paste(&lines(count)).shot(&format!("pasted-{count}"));
        stage.slowly(&clear());
    }
    stage.slowly("before ").paste(&lines(2)).shot("pasted-2-after-text");
    stage.slowly(&clear()).paste(&lines(50)).shot("pasted-50");
}

fn working(size: Size) {
    let scene = Scene::new("goose", "working", size);
    let (first, second) = (Gate::default(), Gate::default());
    let script = [
        Turn::until(&first),
        Turn::call("shell", json!({ "command": "echo hi > out.txt" })),
        Turn::until(&second),
        Turn::say("the first answer"),
        Turn::call("shell", json!({ "command": "sleep 3" })),
        Turn::say("the second answer"),
    ];
    let mut stage = start(&scene, script);
    stage.slowly("do something").slowly("\r");
    assert!(first.is_reached(PATIENCE));
    stage.wait("Ctrl+C to").shot("busy");
    first.open();
    stage.wait("Goose would like").shot("permission");
    stage.slowly("\x1b[B").shot("permission-second");
    stage.slowly("\x1b[A").slowly("\r");
    assert!(second.is_reached(PATIENCE));
    stage.shot("busy-after-tool");
    second.open();
    stage.wait("the first answer").settle().shot("idle-after-turn");
    stage.slowly("\x12").shot("history-search");
    stage.slowly("\x07").slowly(&clear()).shot("history-search-left");
    stage.slowly("again").slowly("\r").wait("Goose would like").slowly("\r").shot("busy-tool");
    stage.wait("the second answer").wait("Enter to send").settle().shot("idle-after-tool");
}

/// Its dialogs where the terminal may know no more than letters.
fn plain(size: Size) {
    let scene = Scene::new("goose", "plain", size);
    let call = Turn::call("shell", json!({ "command": "echo hi > out.txt" }));
    let cli = |place: &_, model: &_| Cli::goose_asking(place, model).with("LANG", "C");
    let mut stage = scene.open(cli, [call, Turn::say("the answer")], &["session"]);
    stage.wait("Enter to send").settle().slowly("do something").slowly("\r");
    stage.wait("Goose would like").shot("permission-plain");
    stage.slowly("\x1b[B\x1b[B\r").wait("the answer").settle().shot("idle-after-plain");
}

/// Where the person wants no colours.
fn colourless(size: Size) {
    let scene = Scene::new("goose", "colourless", size);
    let call = Turn::call("shell", json!({ "command": "echo hi > out.txt" }));
    let cli = |place: &_, model: &_| Cli::goose_asking(place, model).with("NO_COLOR", "1");
    let mut stage = scene.open(cli, [call, Turn::say("the answer")], &["session"]);
    stage.wait("Enter to send").settle().shot("idle-colourless");
    stage.slowly("half typed").shot("draft-colourless");
    stage.slowly("\r").wait("Goose would like").shot("permission-colourless");
    stage.slowly("\r").wait("the answer").settle().shot("idle-after-colourless");
}

/// Its `/edit`: an editor has the keys.
fn editing(size: Size) {
    let scene = Scene::new("goose", "editing", size);
    let cli = |place: &_, model: &_| Cli::goose_asking(place, model).with("EDITOR", "vi");
    let mut stage = scene.open(cli, [], &["session"]);
    stage.wait("Enter to send").settle().slowly("/edit").slowly("\r").settle().shot("editor");
}

/// What is typed while it works is shown when it reads again; where it asks something before, that gets the keys.
fn meanwhile(size: Size) {
    let scene = Scene::new("goose", "meanwhile", size);
    let gate = Gate::default();
    let mut stage = start(&scene, [Turn::until(&gate), Turn::say("the answer")]);
    stage.slowly("do something").slowly("\r");
    assert!(gate.is_reached(PATIENCE));
    stage.wait("Ctrl+C to").slowly("typed while busy").shot("busy-draft");
    gate.open();
    stage.wait("the answer").settle().shot("draft-after-turn");
}

fn interrupting(size: Size) {
    let scene = Scene::new("goose", "interrupting", size);
    let gate = Gate::default();
    let mut stage = start(&scene, [Turn::until(&gate), Turn::say("late")]);
    stage.slowly("do something").slowly("\r");
    assert!(gate.is_reached(PATIENCE));
    stage.wait("Ctrl+C to");
    stage.keys("\x03").wait("Interrupted").shot("interrupted");
    stage.slowly("text").shot("interrupted-draft");
}

#[test]
#[ignore = "run by hand: it writes the sights anew"]
fn look_goose() {
    for scene in [typing, pasting, working, plain, colourless, editing, meanwhile, interrupting] {
        look("goose", scene);
    }
}
