//! Plugins as programs: told, asked, and out of order.
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use signalbox_core::Event;
use signalbox_core::plugin::Plugin;
use signalbox_plugins::{Answer, Failed, ask, deciders_for, listeners_for, missing, run, run_line};

fn plugin(run: Value) -> Plugin {
    serde_json::from_value(json!({
        "name": "mine", "events": ["status.*"], "run": run, "config": { "who": "me" }, "timeout": 5, "decides": true,
    }))
    .unwrap()
}

fn event() -> Event {
    let line = json!({
        "v": 1, "id": "01J00000000000000000000000", "ts": "2026-11-15T10:00:00.000Z", "event": "status.review",
        "ticket": "sb_000001", "project": "shop", "actor": "human", "data": { "note": "done" },
    });
    serde_json::from_str(&line.to_string()).unwrap()
}

fn asked(line: &str) -> Result<Answer, Failed> {
    ask(&plugin(json!(line)), &event(), Path::new("/nowhere"))
}

#[test]
fn events_find_their_plugins() {
    let row = |name: &str, events: Value, decides: bool| -> Plugin {
        serde_json::from_value(json!({ "name": name, "events": events, "run": "true", "decides": decides }))
            .unwrap()
    };
    let plugins = [
        row("all", json!(["*"]), false),
        row("moves", json!(["status.*", "ticket.created"]), false),
        row("none", json!([]), false),
        row("gate", json!(["status.review"]), true),
    ];
    let listeners = |event| listeners_for(&plugins, event).map(|p| p.name.clone()).collect::<Vec<_>>();
    let deciders = |event| deciders_for(&plugins, event).map(|p| p.name.clone()).collect::<Vec<_>>();
    assert_eq!(listeners("status.review"), ["all", "moves"]);
    assert_eq!(listeners("note.added"), ["all"]);
    assert_eq!(deciders("status.review"), ["gate"]);
    assert_eq!(deciders("status.done"), [""; 0]);
    assert_eq!(plugins[0].timeout, 10);
}

#[test]
fn a_plugin_is_told_everything() {
    let home = tempfile::tempdir().unwrap();
    let output = run(&plugin(json!("cat; echo heard >&2; echo $SIGNALBOX_HOME >&2")), &event(), home.path());
    let output = output.unwrap();
    let told: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(told["v"], 1);
    assert_eq!(told["plugin"], "mine");
    assert_eq!(told["decide"], true);
    assert_eq!(told["config"], json!({ "who": "me" }));
    assert_eq!(told["event"]["event"], "status.review");
    assert_eq!(told["event"]["data"]["note"], "done");
    assert_eq!(output.stderr, format!("heard\n{}\n", home.path().display()));
}

#[test]
fn answers() {
    let refuse = |reason: Option<&str>, hint: Option<&str>| Answer::Refuse {
        reason: reason.map(ToOwned::to_owned),
        hint: hint.map(ToOwned::to_owned),
    };
    for (printed, expected) in [
        ("", Answer::Allow),
        ("  ", Answer::Allow),
        ("{}", Answer::Allow),
        (r#"{"allow":true,"reason":"x"}"#, Answer::Allow),
        (r#"{"allow":false}"#, refuse(None, None)),
        (r#"{"allow":false,"reason":" no tests ","later":1}"#, refuse(Some("no tests"), None)),
        (r#"{"allow":false,"reason":"a","hint":"b"}"#, refuse(Some("a"), Some("b"))),
    ] {
        assert_eq!(asked(&format!("printf '%s' '{printed}'")).unwrap(), expected, "{printed}");
    }
}

/// Each way of going wrong is an error with a sentence, within its time.
#[test]
fn what_goes_wrong_stays_with_the_plugin() {
    let begun = Instant::now();
    for (line, words) in [
        ("exit 3", "it ended with code 3"),
        ("echo why >&2; echo because >&2; exit 1", "it ended with code 1: because"),
        ("kill -9 $$", "it was ended by signal 9"),
        ("echo maybe", "what it printed is no answer"),
        (r#"echo '{"allow":"no"}'"#, "what it printed is no answer"),
        (r#"echo '[1]'"#, "what it printed is no answer"),
        ("yes", "it printed too much and was ended"),
        ("yes >&2", "it printed too much and was ended"),
    ] {
        let failed = asked(line).unwrap_err();
        assert!(failed.to_string().starts_with(words), "{line}: {failed}");
    }
    let hangs = Plugin { timeout: 1, ..plugin(json!("sleep 60")) };
    let failed = ask(&hangs, &event(), Path::new("/nowhere")).unwrap_err();
    assert_eq!(failed.to_string(), "it took too long and was ended");
    // No time at all would be no plugin at all.
    let hasty = Plugin { timeout: 0, ..plugin(json!("true")) };
    assert_eq!(ask(&hasty, &event(), Path::new("/nowhere")).unwrap(), Answer::Allow);
    let gone = ask(&plugin(json!(["./gone"])), &event(), Path::new("/nowhere")).unwrap_err();
    assert!(gone.to_string().starts_with("`./gone` could not be started: "), "{gone}");
    assert!(begun.elapsed() < Duration::from_secs(30));
}

#[test]
fn programs_are_found_among_the_plugins() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("plugins");
    std::fs::create_dir(&folder).unwrap();
    for (path, says) in [(folder.join("mine.sh"), "plugins"), (home.path().join("beside.sh"), "beside")] {
        put(&path, &format!("#!/bin/sh\necho {says} \"$1\"\n"));
    }
    let said = |run_it: Value| run(&plugin(run_it), &event(), home.path()).unwrap().stdout;
    assert_eq!(said(json!(["mine.sh", "a b"])), "plugins a b\n");
    assert_eq!(said(json!(["./mine.sh"])), "plugins \n");
    assert_eq!(said(json!(["beside.sh"])), "beside \n");
    assert_eq!(said(json!("./mine.sh x")), "plugins x\n");
    assert_eq!(said(json!(["sh", "mine.sh", "x"])), "plugins x\n");

    let wrong =
        |run_it: Value| missing(&plugin(run_it).run, home.path(), std::env::var_os("PATH").as_deref());
    assert_eq!(wrong(json!(["mine.sh"])), None);
    assert_eq!(wrong(json!(["sh", "mine.sh"])), None);
    assert_eq!(wrong(json!("whatever the shell makes of it")), None);
    assert_eq!(wrong(json!([])).unwrap(), "there is nothing to run");
    assert_eq!(wrong(json!(" ")).unwrap(), "there is nothing to run");
    assert!(wrong(json!(["no-such-program"])).unwrap().contains("among the plugins or on PATH"));
    assert!(wrong(json!(["./gone.sh"])).unwrap().contains("cannot be used"));
    std::fs::set_permissions(folder.join("mine.sh"), std::fs::Permissions::from_mode(0o600)).unwrap();
    assert!(wrong(json!(["mine.sh"])).unwrap().contains("chmod +x"));
}

#[test]
fn a_line_is_run_as_plugins_are() {
    let home = tempfile::tempdir().unwrap();
    let output = run_line("cat; pwd", b"in\n".to_vec(), home.path(), Duration::from_secs(5)).unwrap();
    let here = home.path().canonicalize().unwrap();
    assert_eq!(output.stdout, format!("in\n{}\n", here.display()));
}

#[expect(clippy::disallowed_methods, reason = "this plays the person, not the product")]
fn put(path: &Path, text: &str) {
    std::fs::write(path, text).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o700)).unwrap();
}
