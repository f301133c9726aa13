//! The ways into a running CLI, on the real ones: an idle session takes a message, a half-typed draft stays, a dialog is
//! not touched.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::json;
use signalbox_drivers::terminal::{Activity, InputBox};
use signalbox_drivers::{Door, Driver, Roots, Scope, find};
use signalbox_testkit::clis::{Cli, Size, skip_without};
use signalbox_testkit::model::Turn;

use crate::stage::{PATIENCE, Scene, Stage};

/// What stands in for `sb`: it waits until a message lies in the box, one of it at a time, and says it the way that this
/// CLI listens. To all other hooks it has nothing to say.
const WAITER: &str = r#"#!/bin/sh
cd "$(dirname "$0")/.." || exit 0
[ "$1 $2" = "hook wait" ] || { cat >/dev/null; printf '{}'; exit 0; }
mkdir lock 2>/dev/null || exit 0
until mv message taken 2>/dev/null; do
  kill -0 $PPID 2>/dev/null || { rmdir lock; exit 0; }
  sleep 0.05
done
rmdir lock
SAY
"#;

/// A program called `sb` that ends like this when there is a message.
#[expect(clippy::disallowed_methods, reason = "this plays the product")]
fn waiter(scene: &Scene, say: &str) -> PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let path = scene.home().join("bin/sb");
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("make a folder");
    std::fs::write(&path, WAITER.replace("SAY", say)).expect("write a program");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("make it a program");
    path
}

/// Put a message into the box. It appears whole.
#[expect(clippy::disallowed_methods, reason = "this plays the product")]
fn send(scene: &Scene, text: &str) {
    scene.write("message.new", text);
    std::fs::rename(scene.home().join("message.new"), scene.home().join("message")).expect("send");
}

fn driver(name: &str) -> &'static Driver {
    find(name).expect("a driver")
}

fn input(stage: &Stage, driver: &Driver) -> InputBox {
    (driver.terminal.read)(&stage.sight()).input
}

/// Wait until the box is read as this.
#[track_caller]
fn wait_for_input(stage: &mut Stage, driver: &Driver, wanted: &InputBox) {
    let end = Instant::now() + PATIENCE;
    while input(stage, driver) != *wanted {
        assert!(Instant::now() < end, "the box is not {wanted:?}:\n{}", stage.sight());
        stage.settle();
    }
}

fn draft(text: &str) -> InputBox {
    InputBox::Draft(text.to_owned())
}

#[test]
fn claude_is_woken_by_the_waiter() {
    if skip_without("claude") {
        return;
    }
    let (scene, driver) = (Scene::new("claude", "door", Size::WIDE), driver("claude"));
    // The wake of the driver: the text on standard error, and this exit code.
    let Some(Door::Waiter(way)) = driver.doors.first() else { panic!("no waiter") };
    let reply = (way.wake)("x");
    assert_eq!((reply.stderr.as_str(), reply.stdout.as_str(), reply.exit), ("x\n", "", 2));
    let sb = waiter(&scene, "cat taken >&2; exit 2");
    let home = scene.home();
    let place = &driver.places(Scope::User, &Roots { home: Some(&home), ..Roots::default() })[0];
    let text = place.install(None, &sb.to_string_lossy()).expect("settings");
    scene.write(".claude/settings.json", &text);
    let bash = json!({ "command": "echo hi > out.txt", "description": "d" });
    let script = [
        Turn::say("the first answer"),
        Turn::say("the second answer"),
        Turn::call("Bash", bash),
        Turn::say("the third answer"),
        Turn::say("the fourth answer"),
    ];
    let mut stage = scene.open(Cli::claude, script, &[]);
    stage.wait("❯").wait_for_file(&scene.home().join(".claude/sessions"), "\"idle\"");
    wait_for_input(&mut stage, driver, &InputBox::Empty);

    // An idle session, before any prompt.
    send(&scene, "MESSAGE one\nof two lines & <more>");
    stage.wait("the first answer");
    assert!(stage.model.saw("MESSAGE one\nof two lines & <more>"));

    // A draft stays, where it was typed.
    wait_for_input(&mut stage, driver, &InputBox::Empty);
    stage.slowly("half typed").slowly("\x1b[D\x1b[D\x1b[D");
    wait_for_input(&mut stage, driver, &draft("half typed"));
    let cursor = stage.sight().cursor.1;
    send(&scene, "MESSAGE two");
    stage.wait("the second answer");
    assert!(stage.model.saw("MESSAGE two"));
    wait_for_input(&mut stage, driver, &draft("half typed"));
    assert_eq!(stage.sight().cursor.1, cursor);

    // A dialog is left alone, and the message waits behind it.
    stage.slowly("\x05\x15").slowly("do it").slowly("\r").wait("Do you want to proceed?");
    send(&scene, "MESSAGE three");
    assert!(!stage.model.sees("MESSAGE three", Duration::from_secs(4)), "it did not wait");
    assert_eq!((driver.terminal.read)(&stage.sight()).activity, Some(Activity::Permission));
    assert!(!scene.project().join("out.txt").exists(), "the dialog was answered");
    stage.terminal.answer("Do you want to proceed?", "\r", PATIENCE);
    assert!(stage.model.sees("MESSAGE three", PATIENCE));
}

#[test]
fn codex_takes_what_is_queued() {
    if skip_without("codex") {
        return;
    }
    let (scene, driver) = (Scene::new("codex", "door", Size::WIDE), driver("codex"));
    let Some(Door::Queue(arguments)) = driver.doors.first() else { panic!("no queue") };
    let script =
        [Turn::say("the first answer"), Turn::say("the second answer"), Turn::say("the third answer")];
    let mut stage = scene.open(Cli::codex, script, &[]);
    stage.wait("Ask Codex").settle().slowly("PROMPT").slowly("\r").wait("the first answer");
    wait_for_input(&mut stage, driver, &InputBox::Empty);
    let session = session_of(&scene.home().join(".codex/sessions"));
    let beside = Cli::codex(&scene.place(), &stage.model);

    beside.run(arguments(&session, "--MESSAGE one\nof two lines")).success();
    stage.wait("the second answer");
    assert!(stage.model.saw("--MESSAGE one\nof two lines"));

    wait_for_input(&mut stage, driver, &InputBox::Empty);
    stage.slowly("half typed").slowly("\x1b[D\x1b[D\x1b[D");
    wait_for_input(&mut stage, driver, &draft("half typed"));
    let cursor = stage.sight().cursor.1;
    beside.run(arguments(&session, "MESSAGE two")).success();
    stage.wait("the third answer");
    assert!(stage.model.saw("MESSAGE two"));
    wait_for_input(&mut stage, driver, &draft("half typed"));
    assert_eq!(stage.sight().cursor.1, cursor);
}

/// The id in the name of the one transcript: the last five parts of it.
fn session_of(folder: &Path) -> String {
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder").flatten() {
            let path = entry.path();
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() {
                folders.push(path);
            } else if name.starts_with("rollout-") {
                let parts: Vec<&str> = name.split('-').collect();
                return parts[parts.len() - 5..].join("-");
            }
        }
    }
    panic!("no transcript")
}

#[test]
fn copilot_takes_what_the_extension_hands_over() {
    if skip_without("copilot") {
        return;
    }
    let (scene, driver) = (Scene::new("copilot", "door", Size::WIDE), driver("copilot"));
    let Some(Door::Extension(extension)) = driver.doors.first() else { panic!("no extension") };
    let sb = waiter(&scene, "cat taken");
    let path = Path::new(driver.launch.config.folder).join(extension.path);
    scene.write(&path.to_string_lossy(), &(extension.text)(&sb.to_string_lossy()));
    let script = [Turn::say("the first answer"), Turn::say("the second answer")];
    // It waits only inside `sb agent`.
    let inside = |_: &_, model: &_| Cli::copilot(&scene.place().with("SIGNALBOX_AGENT", "agent"), model);
    let mut stage = scene.open(inside, script, extension.needs);
    wait_for_input(&mut stage, driver, &InputBox::Empty);

    send(&scene, "MESSAGE one\nof two lines");
    stage.wait("the first answer");
    assert!(stage.model.saw("MESSAGE one\nof two lines"));

    wait_for_input(&mut stage, driver, &InputBox::Empty);
    stage.slowly("half typed").slowly("\x1b[D\x1b[D\x1b[D");
    wait_for_input(&mut stage, driver, &draft("half typed"));
    let cursor = stage.sight().cursor.1;
    send(&scene, "MESSAGE two");
    stage.wait("the second answer");
    assert!(stage.model.saw("MESSAGE two"));
    wait_for_input(&mut stage, driver, &draft("half typed"));
    assert_eq!(stage.sight().cursor.1, cursor);
}
