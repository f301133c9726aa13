//! Monitors and goals that run something of the user's.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use signalbox_core::goal::GoalStatus;
use signalbox_core::inject::Priority;
use signalbox_integrations::goal;
use signalbox_integrations::monitor::{Environment, Trouble};

use crate::watcher::{Watcher, object};

#[expect(clippy::disallowed_methods, reason = "this plays the person, not the product")]
fn put(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn make_executable(path: &Path) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// A command whose output and code stand in files that a test can change.
fn scripted(more: Value) -> (Watcher, impl Fn(&Watcher, i32, &str)) {
    let mut settings = object(json!({ "command": "cat said; exit $(cat code)" }));
    settings.extend(object(more));
    let set = |watcher: &Watcher, code: i32, said: &str| {
        put(&watcher.directory().join("code"), &code.to_string());
        put(&watcher.directory().join("said"), said);
    };
    (Watcher::new("shell", Value::Object(settings)), set)
}

#[test]
fn an_alert_comes_when_something_changes_and_not_each_time() {
    let (mut watcher, set) = scripted(json!({}));
    set(&watcher, 0, "fine\n");
    assert_eq!(watcher.kinds(), [""; 0]);
    set(&watcher, 3, "\u{1b}[31mdisk full\u{1b}[0m\n");
    let told = watcher.told();
    let want = "The check \"mine\" (`cat said; exit $(cat code)`) fails: it ended with code 3.\n\n\
                The end of what it printed:\n\n```\ndisk full\n```";
    assert_eq!(told, [want]);
    assert_eq!(watcher.kinds(), [""; 0]);
    set(&watcher, 3, "disk fuller\n");
    assert_eq!(watcher.kinds(), ["shell_alert"]);
    set(&watcher, 4, "disk fuller\n");
    assert_eq!(watcher.kinds(), ["shell_alert"]);
    assert_eq!(watcher.kinds(), [""; 0]);
    // Good again is told only where it is asked for.
    set(&watcher, 0, "fine\n");
    assert_eq!(watcher.kinds(), [""; 0]);
    set(&watcher, 0, "fine, but different\n");
    assert_eq!(watcher.kinds(), [""; 0]);
}

#[test]
fn success_and_change_are_told_where_they_are_asked_for() {
    let (mut watcher, set) = scripted(json!({ "report_success": true, "on_change": true }));
    set(&watcher, 0, "one\n");
    assert_eq!(watcher.kinds(), [""; 0], "the first look is no change");
    set(&watcher, 0, "two\n");
    let want = "The check \"mine\" (`cat said; exit $(cat code)`) says something else than before.\n\n\
                The end of what it printed:\n\n```\ntwo\n```";
    assert_eq!(watcher.told(), [want]);
    set(&watcher, 1, "two\n");
    assert_eq!(watcher.kinds(), ["shell_alert"]);
    set(&watcher, 0, "two\n");
    assert_eq!(watcher.told(), ["The check \"mine\" (`cat said; exit $(cat code)`) passes again."]);
    set(&watcher, 0, "");
    let told = watcher.told();
    assert!(told[0].ends_with("than before. It printed nothing."), "{told:?}");
    assert_eq!(watcher.kinds(), [""; 0]);
}

#[test]
fn what_fails_at_the_first_look_is_told() {
    let (mut watcher, set) = scripted(json!({}));
    set(&watcher, 1, "broken\n");
    assert_eq!(watcher.kinds(), ["shell_alert"]);
}

#[test]
fn bare_names_are_looked_for_in_the_project() {
    let mut watcher = Watcher::new("shell", json!({ "command": "disk-check" }));
    let told = watcher.told();
    assert!(told[0].contains("it ended with code 127"), "{told:?}");
    let script = watcher.directory().join(".signalbox/monitors/disk-check");
    put(&script, "#!/bin/sh\necho \"$SIGNALBOX_AGENT $SIGNALBOX_MONITOR\"; exit 9\n");
    let trouble = watcher.try_look().unwrap_err();
    assert!(matches!(&trouble, Trouble::Lasting(why) if why.contains("chmod +x")), "{trouble}");
    make_executable(&script);
    let told = watcher.told();
    assert!(told[0].contains("code 9") && told[0].contains("ada mine"), "{told:?}");
}

#[test]
fn commands_that_hang_or_flood_are_alerts_once() {
    for (command, want) in
        [("sleep 1000", "it took too long"), ("yes", "it printed too much"), ("kill -9 $$", "signal 9")]
    {
        let mut watcher = Watcher::new("shell", json!({ "command": command, "timeout": 1 }));
        watcher.time = Duration::from_secs(60);
        let event = watcher.look().remove(0);
        assert!(watcher.text(&event).contains(want), "{command}");
        assert_eq!(event.fields["code"], Value::Null);
        assert_eq!(watcher.kinds(), [""; 0], "{command}");
    }
}

#[test]
fn a_directory_that_is_not_there_is_said() {
    let mut watcher = Watcher::new("shell", json!({ "command": "true", "directory": "nowhere" }));
    let trouble = watcher.try_look().unwrap_err();
    assert!(matches!(&trouble, Trouble::Lasting(why) if why.contains("no such directory")), "{trouble}");
}

fn program(script: &str) -> Watcher {
    Watcher::new("command", json!({ "run": ["/bin/sh", "-c", script], "settings": { "room": 5 } }))
}

#[test]
fn a_program_is_told_all_and_says_what_is_new() {
    let mut watcher = program(
        r#"cat > asked; echo '{"event":"deployed","data":{"version":"1.2"},"priority":"high","ttl_seconds":60}'
        echo; echo '{"event":"deployed","data":{}}'
        echo '{"event":"told","text":"Just this.","key":"k"}'
        echo '{"state":{"last":"1.2"}}'; echo '{"retry_after":60}'"#,
    );
    let events = watcher.look();
    let asked = std::fs::read_to_string(watcher.directory().join("asked")).unwrap();
    let asked: Value = serde_json::from_str(&asked).unwrap();
    let want = json!({
        "v": 1, "monitor": "mine", "agent": "ada", "directory": watcher.directory(), "settings": { "room": 5 },
        "state": null, "environment": { "branch": null, "head": null, "remotes": [], "files": [] },
    });
    assert_eq!(asked, want);
    assert_eq!(watcher.state, json!({ "last": "1.2" }));
    assert_eq!(watcher.not_before.map(|at| at.to_string()).as_deref(), Some("2026-11-15T10:01:00Z"));
    let keys: Vec<&str> = events.iter().map(|event| event.key.as_deref().unwrap()).collect();
    assert_eq!(keys, ["mine.deployed", "mine.deployed.2", "k"]);
    assert_eq!((events[0].priority, events[0].ttl_seconds), (Some(Priority::High), Some(60)));
    assert_eq!(events[0].fields["version"], "1.2");
    assert_eq!(watcher.text(&events[0]), "The monitor \"mine\" tells of deployed.\n\n- version: 1.2");
    assert_eq!(events[2].text.as_deref(), Some("Just this."));
    watcher.look();
    let asked = std::fs::read_to_string(watcher.directory().join("asked")).unwrap();
    assert!(asked.contains(r#""state":{"last":"1.2"}"#), "{asked}");
}

#[test]
fn the_users_own_template_is_taken_for_a_named_event() {
    let mut watcher = program(r#"echo '{"event":"deployed","data":{"version":"1.2"}}'"#);
    let event = watcher.look().remove(0);
    put(&watcher.directory().join("templates/mine/deployed.jinja"), "Out: {{ version }}");
    assert_eq!(watcher.text(&event), "Out: 1.2");
}

#[test]
fn a_program_that_says_nothing_keeps_its_state() {
    let mut watcher = program("true");
    watcher.state = json!({ "kept": true });
    assert_eq!(watcher.look(), []);
    assert_eq!(watcher.state, json!({ "kept": true }));
}

#[test]
fn what_a_program_does_wrong_is_said_and_changes_nothing() {
    let lasting = |why: &str| Trouble::Lasting(why.to_owned());
    let passing = |why: &str| Trouble::Passing(why.to_owned());
    for (script, want) in [
        (r#"echo '{"error":"no password","lasting":true}'; exit 1"#, lasting("no password")),
        (r#"echo '{"event":"x"}'; echo '{"error":"busy"}'"#, passing("busy")),
        ("echo hello", passing("line 1 that cannot be taken (it is not JSON): hello")),
        (
            r#"echo '{"event":"x"}'; echo '{"evnt":1}'"#,
            passing("line 2 that cannot be taken (it has none of `event`"),
        ),
        ("echo '[1]'", passing("it has none of")),
        ("echo '{\"event\":\"../x\"}'", passing("the event's name")),
        ("echo '{\"event\":\"\"}'", passing("the event's name")),
        ("echo '{\"event\":7}'", passing("invalid type")),
        (r#"echo '{"event":"x","prio":"high"}'"#, passing("unknown field `prio`")),
        (r#"echo '{"event":"x","priority":"urgent"}'"#, passing("unknown variant `urgent`")),
        (r#"echo '{"event":"x","data":[]}'"#, passing("invalid type")),
        (r#"echo '{"retry_after":-1}'"#, passing("invalid value")),
        (
            r#"i=0; while [ $i -lt 51 ]; do echo '{"event":"x"}'; i=$((i+1)); done"#,
            passing("at most 50 events"),
        ),
        (r#"printf '{"state":"%0300000d"}' 7"#, passing("the state has at most 262144 bytes")),
        ("yes", passing("it printed too much")),
        ("sleep 1000", passing("it took too long")),
        ("echo oops >&2; exit 3", passing("it ended with code 3: oops")),
        ("printf '\\033[31m\\377\\n'", passing("it is not JSON")),
    ] {
        let mut watcher = program(script);
        watcher.time = Duration::from_secs(if script.starts_with("sleep") { 1 } else { 60 });
        watcher.state = json!("before");
        let trouble = watcher.try_look().unwrap_err();
        let (Trouble::Passing(want) | Trouble::Lasting(want)) = &want else { continue };
        assert!(trouble.to_string().contains(want.as_str()), "{script}: {trouble}");
        assert_eq!(matches!(trouble, Trouble::Lasting(_)), want == "no password", "{script}");
        assert!(!trouble.to_string().contains('\u{1b}'), "{trouble:?}");
        assert_eq!(watcher.state, json!("before"));
    }
    let mut missing = Watcher::new("command", json!({ "run": ["/nowhere/at-all"] }));
    assert!(matches!(missing.try_look().unwrap_err(), Trouble::Lasting(_)));
}

#[test]
fn the_code_of_a_command_says_how_far_a_goal_is() {
    let kind = goal::find("command").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let look = |run: &str| {
        let settings = object(json!({ "run": run, "timeout": 1 }));
        kind.check(&settings).unwrap();
        let look = goal::Look {
            settings: &settings,
            environment: &Environment::default(),
            directory: folder.path(),
            agent: "ada",
            time: Duration::from_secs(30),
        };
        kind.look.unwrap()(&look)
    };
    for (run, status, summary) in [
        ("echo all green; exit $SIGNALBOX_GOAL_COMPLETED", GoalStatus::Completed, Some("all green")),
        ("exit $SIGNALBOX_GOAL_PENDING", GoalStatus::Pending, None),
        ("echo $SIGNALBOX_AGENT; exit $SIGNALBOX_GOAL_IN_PROGRESS", GoalStatus::InProgress, Some("ada")),
        ("echo why >&2; exit $SIGNALBOX_GOAL_ERRORED", GoalStatus::Errored, Some("why")),
        (
            "exit $SIGNALBOX_GOAL_FAILED",
            GoalStatus::Failed,
            Some("`exit $SIGNALBOX_GOAL_FAILED`: it ended with code 4"),
        ),
        ("exit 77", GoalStatus::Errored, Some("`exit 77`: it ended with code 77")),
        (
            "no-such-program-at-all 2>&-",
            GoalStatus::Failed,
            Some("`no-such-program-at-all 2>&-`: it ended with code 127"),
        ),
        ("kill -9 $$", GoalStatus::Errored, Some("`kill -9 $$`: it was ended by signal 9")),
        ("sleep 1000", GoalStatus::Errored, Some("`sleep 1000`: it took too long and was ended")),
    ] {
        let progress = look(run).unwrap();
        assert_eq!((progress.status, progress.summary.as_deref()), (status, summary), "{run}");
    }
}
