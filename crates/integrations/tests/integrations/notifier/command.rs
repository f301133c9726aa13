//! A command of the user's.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{Stage, lasting, passing};

/// A command that writes what it got into a file, and what was in it.
fn got(stage: &mut Stage, line: &str) -> String {
    let file = stage.folder().join("got");
    stage.settings.insert("run".to_owned(), json!(format!("{{ {line}; }} > '{}'", file.display())));
    assert_eq!(stage.tell().unwrap(), Value::Null);
    std::fs::read_to_string(file).unwrap()
}

#[test]
fn what_happened_is_in_the_environment_and_on_the_input() {
    let mut stage = Stage::new("command", json!({}));
    let seen = got(&mut stage, "env | grep '^SIGNALBOX_[EAMT]' | sort");
    let want = [
        "SIGNALBOX_AGENT=builder-1",
        "SIGNALBOX_EVENT=agent.completed",
        "SIGNALBOX_MESSAGE=builder has reached its goal",
        "SIGNALBOX_MONITOR=ci",
        "SIGNALBOX_MONITOR_TYPE=github",
        "SIGNALBOX_TIME=2026-11-15T12:00:00Z",
    ];
    assert_eq!(seen.lines().collect::<Vec<_>>(), want);
    let read: Value = serde_json::from_str(&got(&mut stage, "cat")).unwrap();
    assert_eq!(read, stage.notice.to_json());
    assert_eq!(read.pointer("/monitor/type"), Some(&json!("github")));
    assert_eq!(read.pointer("/data/extra"), Some(&json!(1)));
    // Without a template there is no body.
    assert_eq!(got(&mut stage, "echo \"${SIGNALBOX_BODY-none}\""), "none\n");
}

#[test]
fn a_template_gives_a_body_and_more_variables() {
    let mut stage = Stage::new("command", json!({}));
    stage.template(
        "default",
        "{{ env('colour', agent.driver) }}{{ env(name='N', value=data.extra) }}\n{{ title }}!\n",
    );
    let seen = got(&mut stage, "echo \"$SIGNALBOX_COLOUR $SIGNALBOX_N $SIGNALBOX_BODY\"");
    assert_eq!(seen, "puppet 1 Agent completed!\n");
    stage.template("agent.completed", "this one");
    assert_eq!(got(&mut stage, "echo \"$SIGNALBOX_BODY\""), "this one\n");
    stage.template("agent.completed", "{{ env('A B', 1) }}");
    assert_eq!(stage.untold(), lasting("the template sets `A B`, which is no name for a variable"));
    stage.template("agent.completed", "{{ nothing }}");
    let why = stage.untold().why;
    assert!(why.contains("agent.completed.jinja, line 1: a name in it does not exist"), "{why}");
}

#[test]
fn no_text_becomes_part_of_the_line() {
    for message in
        ["$(touch pwned)", "`touch pwned`", "'; touch pwned; '", "\"; touch pwned #", "a\ntouch pwned", "\0"]
    {
        let mut stage = Stage::new("command", json!({}));
        stage.notice.message = message.to_owned();
        stage.notice.event = format!("x{message}");
        let cd = format!("cd '{}'; printf %s \"$SIGNALBOX_MESSAGE\"", stage.folder().display());
        assert_eq!(got(&mut stage, &cd), message.replace('\0', ""));
        assert!(!stage.folder().join("pwned").exists());
    }
    // More than the system takes in one variable.
    let mut stage = Stage::new("command", json!({}));
    stage.notice.message = "ü".repeat(500_000);
    assert_eq!(
        got(&mut stage, "cat | wc -c").trim().parse::<usize>().unwrap(),
        stage.notice.to_json().to_string().len()
    );
}

#[test]
fn a_command_that_fails_hangs_or_floods_harms_nothing() {
    let untold = |line: &str| {
        let mut stage = Stage::new("command", json!({ "run": line }));
        stage.time = Duration::from_secs(2);
        stage.untold()
    };
    assert_eq!(untold("exit 3"), passing("the command told nobody: it ended with code 3"));
    assert_eq!(
        untold("printf 'no \\033[31mway\\nmore' >&2; exit 1"),
        passing("the command told nobody: it ended with code 1: no way")
    );
    assert_eq!(untold("kill -9 $$"), passing("the command told nobody: it was ended by signal 9"));
    assert_eq!(
        untold("head -c 1000000000 /dev/zero"),
        passing("the command told nobody: it printed too much and was ended")
    );
    let started = Instant::now();
    let stage = Stage::new("command", json!({ "run": "while :; do :; done", "timeout": 1 }));
    assert_eq!(stage.untold(), passing("the command told nobody: it took too long and was ended"));
    assert!(started.elapsed() < Duration::from_secs(5));
    for (settings, want) in [
        (json!({}), "`command` needs `run`: The line for the shell"),
        (json!({ "run": " " }), "`run` is empty"),
        (json!({ "run": 3 }), "`run` has to be text, and 3 is none"),
        (
            json!({ "run": "x", "timeout": 0 }),
            "`timeout` has to be a whole number of seconds between 1 and 2678400, and 0 is none",
        ),
    ] {
        assert_eq!(Stage::new("command", settings).wrong(), want);
    }
}
