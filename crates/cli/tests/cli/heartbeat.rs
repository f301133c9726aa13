//! `sb heartbeat`: nothing where nothing changed, and what was said where something did.

use signalbox_testkit::TestEnv;

use crate::support::{env, json};

fn run_lines(env: &TestEnv, lines: &str) {
    let config = env.home().join("config.toml");
    env.write(&config, format!("{}\n[heartbeat]\nrun = {lines}\n", env.read(&config)));
}

#[test]
fn nothing_is_done_while_nothing_changes() {
    let env = env();
    env.sb(["heartbeat"]).success().says("Something has changed, and there was nothing to do.");
    env.sb(["heartbeat"]).success().says("Nothing has changed since the last heartbeat.");
    let log = env.read(env.log_file());
    assert_eq!(json(&env.sb(["heartbeat", "--json"]).success())["outcome"], "unchanged");
    assert_eq!(json(&env.sb(["heartbeat", "--force", "--json"]).success())["outcome"], "done");
    assert_eq!(env.read(env.log_file()), log);
    // Reading is no change, a note is one.
    let id = env.new_ticket("Fix login");
    env.sb(["heartbeat"]).success().says("Something has changed");
    env.sb(["show", &id]).success();
    env.sb(["heartbeat"]).success().says("Nothing has changed");
    env.sb(["note", &id, "hello"]).success();
    env.sb(["heartbeat"]).success().says("Something has changed");
}

#[test]
fn a_session_whose_process_is_gone_is_ended() {
    let env = env();
    let ada = env.agent("ada");
    env.sb(["heartbeat"]).success();
    drop(ada);
    env.sb(["heartbeat"]).success().says("Session ada is gone, and is marked as ended.");
    env.sb(["heartbeat"]).success().says("Nothing has changed");
    let events = env.sb(["log", "--event", "session.ended"]).success();
    assert_eq!(events.stdout.lines().count(), 1, "{events}");
    env.sb(["log", "--event", "heartbeat.cleaned"]).success().says("heartbeat.cleaned");
    env.sb(["doctor"]).success();
}

#[test]
fn lines_are_run_where_something_changed() {
    let env = env();
    run_lines(&env, "['cat >> told', 'echo again >> told']");
    let run = json(&env.sb(["heartbeat", "--json"]).success());
    assert_eq!(run["ran"].as_array().map(Vec::len), Some(2), "{run}");
    env.sb(["heartbeat"]).success().says("Nothing has changed");
    let told = env.read(env.home().join("told"));
    assert!(told.starts_with("{\"fingerprint\":\"") && told.ends_with("}again\n"), "{told}");
    let ran = env.sb(["log", "--event", "heartbeat.ran"]).success();
    assert_eq!(ran.stdout.lines().count(), 2, "{ran}");
}

#[test]
fn a_line_that_fails_is_run_again() {
    let env = env();
    run_lines(&env, "['test -e ready || { echo not yet >&2; exit 3; }', 'true']");
    for _ in 0..2 {
        let run = env.sb(["heartbeat"]).code(1).says("it ended with code 3: not yet");
        run.says("Ran `true`.").says("The next heartbeat runs it again");
    }
    env.write(env.home().join("ready"), "");
    env.sb(["heartbeat"]).success();
    env.sb(["heartbeat"]).success().says("Nothing has changed");
}

#[test]
fn bad_input() {
    let env = env();
    env.agent("ada").sb(["heartbeat"]).code(4).says("only a human may");
    env.sb(["config", "set", "heartbeat.schedule", "0 25 * * *"])
        .code(2)
        .says("the hour, which is the second field, cannot be `25`: it is a number from 0 to 23");
    env.sb(["config", "set", "heartbeat.schedule", "@dayly"]).code(2).says("did you mean `@daily`?");
    for good in ["*/15 8-18 * * mon-fri", "off", "@every 1h"] {
        env.sb(["config", "set", "heartbeat.schedule", good]).success();
    }
    env.edit(env.home().join("config.toml"), "@every 1h", "* * * *");
    env.sb(["list"]).code(1).says("it has 4 fields, and needs five");
}
