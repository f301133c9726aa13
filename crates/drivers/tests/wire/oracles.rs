//! What a CLI says of its own state outside the screen.

use signalbox_drivers::find;
use signalbox_drivers::terminal::Activity;

fn state(text: &str) -> Option<Activity> {
    let file = find("claude").and_then(|driver| driver.state_file.as_ref()).expect("a state file");
    (file.read)(text).map(|said| said.activity)
}

/// As Claude Code 2.1.197 wrote it.
const WAITING: &str = r#"{
  "pid": 2881, "sessionId": "d8b682b7-bd0d-43f1-88ad-da290efc7b3f", "cwd": "/home/dev/project",
  "startedAt": 1794724518024, "procStart": "298774", "version": "2.1.197", "peerProtocol": 1, "kind": "interactive",
  "entrypoint": "cli", "name": "my-session", "status": "waiting", "updatedAt": 1794724525059,
  "statusUpdatedAt": 1794724525059, "waitingFor": "permission prompt"
}"#;

#[test]
fn the_state_file_of_claude() {
    let file = find("claude").and_then(|driver| driver.state_file.as_ref()).expect("a state file");
    assert_eq!((file.path)(2881), "sessions/2881.json");
    let said = (file.read)(WAITING).expect("it can be read");
    assert_eq!(said.activity, Activity::Permission);
    assert_eq!(said.session.as_deref(), Some("d8b682b7-bd0d-43f1-88ad-da290efc7b3f"));
    assert_eq!((said.pid, said.since), (Some(2881), Some(1_794_724_525_059)));
    assert_eq!(said.process_started.as_deref(), Some("298774"));
    let rows = [
        (r#"{"status":"idle"}"#, Some(Activity::Idle)),
        (r#"{"status":"shell"}"#, Some(Activity::Idle)),
        (r#"{"status":"busy"}"#, Some(Activity::Working)),
        (r#"{"status":"waiting","waitingFor":"dialog open"}"#, Some(Activity::Dialog)),
        (r#"{"status":"waiting","waitingFor":"input needed"}"#, Some(Activity::Question)),
        (r#"{"status":"waiting","waitingFor":"something new"}"#, Some(Activity::Dialog)),
        (r#"{"status":"something new"}"#, None),
        (r#"{"status":"idle""#, None),
        ("", None),
    ];
    for (text, want) in rows {
        assert_eq!(state(text), want, "{text}");
    }
}

#[test]
fn titles() {
    let rows = [
        ("codex", "project", Some(Activity::Idle)),
        ("codex", "⠹ A test | project", Some(Activity::Working)),
        ("codex", "[ ! ] Action Required | project", Some(Activity::Permission)),
        ("codex", "[ . ] Action Required | project", Some(Activity::Permission)),
        ("codex", "", None),
        ("gemini", "◇  Ready (project)", Some(Activity::Idle)),
        ("gemini", "✦  Working… (project)", Some(Activity::Working)),
        ("gemini", "✋  Action Required (project)", Some(Activity::Permission)),
        ("gemini", "zsh", None),
        ("claude", "⠂ Claude Code", Some(Activity::Working)),
        ("claude", "✳ Claude Code", None),
        ("puppet", "⠠ puppet", Some(Activity::Working)),
        ("puppet", "! puppet asks", Some(Activity::Permission)),
    ];
    for (cli, title, want) in rows {
        let oracle = find(cli).and_then(|driver| driver.title_bar.as_ref()).expect("a title");
        assert_eq!((oracle.read)(title), want, "{cli}: {title}");
    }
}
