//! Plugins: those that decide are asked before anything is written, and nothing that one does wrong harms a command.

use std::fs::OpenOptions;
use std::process::Stdio;

use serde_json::Value;
use signalbox_testkit::TestEnv;

use crate::support::{env, json, json_error, status};

const REFUSES: &str = r#"printf '{"allow":false,"reason":"not on a Sunday","hint":"Wait for Monday."}'"#;

/// Add a plugin that decides about these events.
fn decider(env: &TestEnv, name: &str, event: &str, line: &str) {
    add(
        env,
        &format!(
            "[[plugins]]\nname = '{name}'\nevents = ['{event}']\nrun = '''{line}'''\ntimeout = 20\ndecides = true\n"
        ),
    );
}

fn add(env: &TestEnv, text: &str) {
    let path = env.home().join("config.toml");
    env.write(&path, format!("{}\n{text}", env.read(&path)));
}

#[test]
fn a_plugin_refuses() {
    let env = env();
    let id = env.new_ticket("Fix login");
    decider(&env, "calm", "status.in-*", REFUSES);
    let before = env.files_below(env.home().join("events"));
    let run = env.sb(["pick", &id]).code(4);
    let shown = run.to_string().replace(&id, "ID");
    insta::assert_snapshot!(shown, @r"
    --- stderr
    error: the plugin `calm` refuses status.in-progress of ID: not on a Sunday
    hint: Wait for Monday.
    --- exit 4
    ");
    let error = json_error(&env.sb(["pick", &id, "--json"]).code(4));
    assert_eq!(error["code"], "plugin.refused");
    assert_eq!(status(&env, &id), "open");
    // Not a word of it is in the log, but for that it was read to see the status.
    let after = env.files_below(env.home().join("events"));
    let written = String::from_utf8_lossy(&after[0].1[before[0].1.len()..]).into_owned();
    assert!(written.lines().all(|line| line.contains("ticket.read")), "{written}");
    // Nobody asks about anything else.
    env.sb(["note", &id, "hello"]).success();
}

#[test]
fn a_plugin_is_told_what_would_happen() {
    let env = env();
    decider(&env, "spy", "*", "cat > told.json; printf '{}'");
    add(&env, "config = { level = 3, names = ['a'] }\n");
    let id = env.sb(["new", "Fix login"]).success().stdout.trim().to_owned();
    let told: Value = serde_json::from_str(&env.read(env.home().join("told.json"))).expect("JSON");
    assert_eq!(told["v"], 1);
    assert_eq!(told["plugin"], "spy");
    assert_eq!(told["decide"], true);
    assert_eq!(told["config"], serde_json::json!({ "level": 3, "names": ["a"] }));
    assert_eq!(told["event"]["event"], "ticket.created");
    assert_eq!(told["event"]["ticket"], id.as_str());
    assert_eq!(told["event"]["rev"], 1);
    assert_eq!(told["event"]["data"]["title"], "Fix login");
    assert!(told["event"].get("crc").is_none());
}

#[test]
fn a_plugin_that_is_out_of_order_harms_nothing() {
    for (line, why) in [
        ("echo broken >&2; exit 1", "it ended with code 1: broken"),
        ("sleep 60", "it took too long and was ended"),
        ("yes", "it printed too much and was ended"),
        ("echo perhaps", "what it printed is no answer"),
        ("kill -9 $$", "it was ended by signal 9"),
    ] {
        let env = env();
        decider(&env, "sick", "*", line);
        env.edit(env.home().join("config.toml"), "timeout = 20", "timeout = 2");
        let run = env.sb(["new", "Fix login"]).success();
        assert_eq!(run.stderr.matches("warning: ").count(), 1, "{run}");
        let run = run.says(
            "warning: the plugin `sick` was asked about ticket.created and failed, so it does not count: ",
        );
        run.says(why).says("Filed ");
    }
}

/// Others can work while a plugin thinks.
#[test]
fn nobody_waits_for_a_plugin() {
    let env = env();
    let id = env.new_ticket("Fix login");
    let folder = env.home().join("plugins");
    std::fs::create_dir(&folder).expect("a folder");
    env.bash(&format!("mkfifo '{0}/asked' '{0}/go'", folder.display())).success();
    decider(&env, "slow", "note.added", "echo > asked; cat go > /dev/null");
    env.edit(env.home().join("config.toml"), "timeout = 20", "timeout = 300");
    let mut waits = env.command();
    let waits = waits.args(["note", &id, "hello"]).stdin(Stdio::null()).stderr(Stdio::null()).spawn();
    let mut waits = waits.expect("sb");
    // Opening one side waits for the other.
    assert_eq!(env.read(folder.join("asked")), "\n");
    env.sb(["new", "Another"]).success();
    env.sb(["pick", &id]).success();
    drop(OpenOptions::new().write(true).open(folder.join("go")).expect("it goes on"));
    assert!(waits.wait().expect("sb").success());
    let log = env.sb(["log", "--ticket", &id]).success().stdout;
    let (picked, noted) = (log.find("status.in-progress"), log.find("note.added"));
    assert!(picked.is_some() && picked < noted, "{log}");
}

/// What was allowed is what is done: if it would be something else by now, it is asked again.
#[test]
fn what_was_allowed_is_what_is_done() {
    let env = env();
    let ids: Vec<String> = ["One", "Two", "Three", "Four"].map(|title| env.new_ticket(title)).to_vec();
    let moves = "id=$(grep -o 'sb_[A-Za-z0-9]*' | head -n 1); echo $id >> asked; test -e stop || \
        env -u SIGNALBOX_DECIDING sb hold $id moved 2>&1";
    decider(&env, "mover", "status.in-progress", &format!("({moves}) >&2"));
    let run = env.sb(["pop", "--json"]).code(4);
    assert_eq!(json_error(&run)["code"], "store.moving");
    let asked = env.read(env.home().join("asked"));
    assert_eq!(asked.lines().collect::<Vec<_>>(), ids[..3], "{run}");
    assert_eq!(status(&env, &ids[3]), "open");
    env.write(env.home().join("stop"), "");
    env.sb(["pop"]).success();
    assert_eq!(status(&env, &ids[3]), "in-progress");
}

/// A plugin that changes something while it decides would be asked for ever.
#[test]
fn a_plugin_that_decides_changes_nothing() {
    let env = env();
    let id = env.new_ticket("Fix login");
    decider(
        &env,
        "busy",
        "note.added",
        &format!("sb note {id} again 2>&1 >&2 | head -n 1 > said; sb list >&2"),
    );
    env.sb(["note", &id, "hello"]).success().never_says("warning");
    let said = env.read(env.home().join("said"));
    assert!(said.contains("the plugin `busy` decides just now, and may change nothing"), "{said}");
    let notes = env.sb(["log", "--ticket", &id, "--event", "note.added"]).success().stdout;
    assert_eq!(notes.lines().count(), 1, "{notes}");
}

#[test]
fn plugins_are_listed_tried_and_checked() {
    let env = env();
    env.sb(["plugins", "list"]).success().says("There are no plugins.");
    env.sb(["plugins", "check"]).success();
    decider(&env, "calm", "status.review", REFUSES);
    add(
        &env,
        "[[plugins]]\nname = 'bell'\nevents = ['status.*']\nrun = ['echo', 'ding']\nconfig.token = 'secret'\n",
    );
    insta::assert_snapshot!(env.sb(["plugins", "list"]).success(), @r#"
    calm  decides  status.review  printf '{"allow":false,"reason":"not on a Sunday","hint":"Wait for Monday."}'
    bell  listens  status.*  echo ding
    "#);
    let list = env.sb(["plugins", "list", "--json"]).success().never_says("secret");
    assert_eq!(json(&list)[1]["name"], "bell");
    env.sb(["plugins", "check"]).success().says("All 2 plugins are in order.");

    let run = env.sb(["plugins", "test", "bell"]).success();
    assert_eq!(run.stdout, "ding\n");
    let run = json(&env.sb(["plugins", "test", "calm", "--json"]).success());
    assert_eq!((&run["allows"], &run["event"]["event"]), (&false.into(), &"status.review".into()));
    env.sb(["plugins", "test", "calm"]).success().says("It would refuse it: not on a Sunday");
    env.sb(["plugins", "test", "clam"]).code(3).says("Did you mean `calm`?");
    env.sb(["plugins", "test", "calm", "--event", "status.reviw"])
        .code(3)
        .says("Did you mean `status.review`?");

    add(
        &env,
        "[[plugins]]\nname = 'bell'\nevents = ['statsu.done', 'hook.*']\nrun = ['gone']\ntimeout = 0\ndecides = true\n\
         [[plugins]]\nname = 'empty'\nevents = []\nrun = 'exit 2'\n",
    );
    insta::assert_snapshot!(env.sb(["plugins", "check"]).code(1), @r"
    bell: `timeout` is 0 seconds, and may be 1 to 600
    bell: there is no event `statsu.done`; did you mean `status.done`?
    bell: nobody is asked about `hook.*`: only changes of tickets can be refused
    bell: another plugin has the same name
    bell: there is no `gone` among the plugins or on PATH
    empty: it is for no events
    --- stderr
    error: there are 6 problems
    hint: Plugins stand in config.toml; `sb config path` says where that is.
    --- exit 1
    ");
    env.sb(["plugins", "test", "empty"]).code(1).says("the plugin `empty` failed: it ended with code 2");
    add(&env, "nonsense = 1\n");
    env.sb(["list"]).code(1).says("there is no setting `nonsense`");
}
