//! What several of these tests need.

use std::path::PathBuf;

use serde_json::Value;
use signalbox_testkit::{Agent, Run, TestEnv};

/// An environment with the project `shop`.
pub fn env() -> TestEnv {
    TestEnv::new(env!("CARGO_BIN_EXE_sb"))
}

/// The same, with the same ids and times in every run: for snapshots.
pub fn story() -> TestEnv {
    TestEnv::ticking(env!("CARGO_BIN_EXE_sb"), 1)
}

/// An environment without a project.
pub fn empty() -> TestEnv {
    TestEnv::empty(env!("CARGO_BIN_EXE_sb"))
}

/// The one JSON value that a command printed on standard output.
#[track_caller]
pub fn json(run: &Run) -> Value {
    assert!(run.stdout.ends_with('\n'), "{run}");
    serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{}: {error}:\n{run}", run.what))
}

/// The error that a command printed as JSON on standard error.
#[track_caller]
pub fn json_error(run: &Run) -> Value {
    let value: Value =
        serde_json::from_str(&run.stderr).unwrap_or_else(|error| panic!("{}: {error}:\n{run}", run.what));
    assert!(run.stdout.is_empty(), "an error leaves standard output alone:\n{run}");
    value["error"].clone()
}

/// The names of an object's fields, in their order.
pub fn fields(value: &Value) -> Vec<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

/// A ticket as `sb show --json` prints it.
#[track_caller]
pub fn ticket(env: &TestEnv, id: &str) -> Value {
    json(&env.sb(["show", id, "--json"]).success())
}

#[track_caller]
pub fn status(env: &TestEnv, id: &str) -> String {
    ticket(env, id)["status"].as_str().expect("a status").to_owned()
}

/// A ticket that an agent has worked on and handed in.
pub fn in_review(env: &TestEnv, worker: &mut Agent, title: &str) -> String {
    let id = env.new_ticket(title);
    worker.sb(["pick", &id]).success();
    worker.sb(["submit", "-m", "done"]).success();
    id
}

/// A shell under another name, and that name made the only agent CLI.
///
/// Another process copies it: while this one has a file open to write it, none of its many threads may start a
/// process, or that one keeps the file from being run.
pub fn agent_program(env: &TestEnv, path: &str) -> PathBuf {
    let program = env.root().join(path);
    if !program.exists() {
        std::fs::create_dir_all(program.parent().expect("a folder")).expect("folders");
        let to = signalbox_testkit::quote(program.to_str().expect("UTF-8"));
        env.bash(&format!("cp \"$(command -v bash)\" {to}")).success();
        env.edit(env.home().join("config.toml"), "agent_programs = []", "agent_programs = [\"fakeagent\"]");
    }
    program
}

/// Every word a person can type for a command, from the overview.
pub fn command_names(env: &TestEnv) -> Vec<String> {
    let overview = env.sb(["--help"]).success().stdout;
    let lines = overview.lines().filter_map(|line| line.strip_prefix("  "));
    let names = lines.flat_map(|line| line.split("  ").next().unwrap_or_default().split(", "));
    names.map(|name| name.split(' ').next().unwrap_or_default().to_owned()).collect()
}

/// Whether a text holds anything that a terminal acts on, but for line breaks and tabs.
pub fn is_safe(text: &str) -> bool {
    !text.chars().any(|c| {
        (c.is_control() && c != '\n' && c != '\t')
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    })
}

/// A command that must leave nothing on either stream that a terminal acts on.
#[track_caller]
pub fn safe(run: Run) -> Run {
    assert!(is_safe(&run.stdout) && is_safe(&run.stderr), "{}: {:?} {:?}", run.what, run.stdout, run.stderr);
    run
}

/// The bytes of an event in the log, with the right checksum. What is not given is made up.
pub fn record(event: &Value) -> Vec<u8> {
    let mut whole = serde_json::json!({
        "v": 1, "id": "01M7FB0000000000000000000A", "ts": "2026-11-15T10:00:00.000Z", "event": "x.y", "actor": "human",
    });
    for (name, value) in event.as_object().expect("an object") {
        whole[name] = value.clone();
    }
    // Through text: the data of an event is kept as the text it came in.
    let event: signalbox_core::Event = serde_json::from_str(&whole.to_string()).expect("an event");
    signalbox_store::log::encode(&event).expect("a record")
}

/// Append bytes to the log, as another version of `sb`, a crash or a bad disk would.
pub fn append_to_log(env: &TestEnv, bytes: &[u8]) {
    let mut log = std::fs::read(env.log_file()).expect("the log");
    log.extend_from_slice(bytes);
    env.write(env.log_file(), log);
}
