//! The desktop. Each test plays it with a program of its own, and runs itself again with nothing else on the PATH.
#![cfg(target_os = "linux")]

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde_json::json;

use super::Stage;

/// What is told in the other process, and what is written down of it.
#[test]
#[ignore = "the other tests run it"]
#[expect(clippy::disallowed_methods, reason = "this hands a result to the test")]
fn inside() {
    let folder = std::env::var("STAGE_FOLDER").unwrap();
    let read = |name: &str| std::fs::read_to_string(Path::new(&folder).join(name)).unwrap_or_default();
    let mut stage = Stage::new("desktop", json!({}));
    stage.notice.message = read("message");
    stage.notice.event = read("event");
    stage.time = Duration::from_secs(2);
    let told = stage
        .tell()
        .map_or_else(|untold| format!("{} {}", untold.passing, untold.why), |_| "told".to_owned());
    std::fs::write(Path::new(&folder).join("told"), told).unwrap();
}

/// Tell a desktop that does this; what came of it, and the words it was given.
#[expect(clippy::disallowed_methods, reason = "this plays the system")]
fn told(script: Option<&str>, event: &str, message: &str) -> (String, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("message"), message).unwrap();
    std::fs::write(at("event"), event).unwrap();
    let programs = at("programs");
    std::fs::create_dir(&programs).unwrap();
    if let Some(script) = script {
        let program = programs.join("notify-send");
        std::fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let ran = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "notifier::desktop::inside", "--ignored"])
        .env("PATH", &programs)
        .env("STAGE_FOLDER", folder.path())
        .output()
        .unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stdout));
    let read = |name: &str| std::fs::read_to_string(at(name)).unwrap_or_default();
    (read("told"), read("words").split_terminator('\0').map(ToOwned::to_owned).collect())
}

const KEEP: &str = r#"for word; do printf '%s\0' "$word"; done > "$STAGE_FOLDER/words""#;

#[test]
fn the_text_is_an_argument_of_its_own() {
    let evil = "--help <b>&\\n $(touch x)\x1b[31m";
    let (told_, words) = told(Some(KEEP), "agent.failed", evil);
    assert_eq!(told_, "told");
    assert_eq!(
        words,
        [
            "--app-name=Signalbox",
            "--urgency=critical",
            "--",
            "Agent failed: builder-1",
            "--help &lt;b&gt;&amp;\\\\n $(touch x)[31m"
        ]
    );
    let (_, words) = told(Some(KEEP), "agent.completed", &"ü".repeat(10_000));
    assert_eq!(words.get(1).map(String::as_str), Some("--urgency=normal"));
    assert_eq!(words.last().map(|text| text.chars().count()), Some(500));
}

#[test]
fn a_desktop_that_is_missing_fails_or_hangs_is_said() {
    for (script, want) in [
        (
            None,
            "false `notify-send` is not installed; it comes with the package `libnotify-bin` (Debian, Ubuntu) or \
             `libnotify`",
        ),
        (
            Some("echo 'Cannot autolaunch D-Bus' >&2; exit 1"),
            "true the desktop showed nothing: it ended with code 1: Cannot autolaunch D-Bus",
        ),
        (Some("while :; do :; done"), "true the desktop showed nothing: it took too long and was ended"),
        (
            Some("while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxx; done"),
            "true the desktop showed nothing: it printed too much and was ended",
        ),
    ] {
        assert_eq!(told(script, "agent.failed", "x").0, want);
    }
}
