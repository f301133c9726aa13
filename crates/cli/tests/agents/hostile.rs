//! Whatever a monitor, notifier or template does, it harms nothing else.

use serde_json::Value;
use signalbox_testkit::TestEnv;

use crate::daemon::{Daemon, configure};
use crate::kit::{Agent, env, events, json_of, quick};
use crate::recordings::Disk;
use crate::window::eventually;

/// A monitor that works, beside those that do not.
fn good_monitor(env: &TestEnv) -> std::path::PathBuf {
    let file = env.root().join("good.txt");
    env.write(&file, "calm\n");
    configure(
        env,
        &format!(
            "[monitors.good]\ntype = \"shell\"\ncommand = \"cat '{}'\"\non_change = true\nevery = 1\n",
            file.display()
        ),
    );
    file
}

fn rows(env: &TestEnv) -> Vec<Value> {
    let rows = json_of(&env.sb(["monitor", "list", "--json"]).success());
    rows.as_array().expect("a list").clone()
}

/// With these in the configuration, what the good monitor sees still arrives.
fn harms_nobody(config: &str, prepare: impl Fn(&mut TestEnv), is_seen: impl Fn(&TestEnv) -> bool) {
    let mut env = env();
    let file = good_monitor(&env);
    configure(&env, config);
    prepare(&mut env);
    let _daemon = Daemon::start(&env);
    let agent = Agent::puppet(&env, &quick());
    eventually("the good monitor to look", || {
        rows(&env).iter().any(|row| row["name"] == "good" && row["last"].is_string())
    });
    eventually("the bad one to be seen", || is_seen(&env));
    env.write(&file, "all is well\n");
    eventually("the good news to arrive", || {
        agent.prompts().iter().any(|prompt| prompt.contains("all is well"))
    });
    env.sb(["status"]).success().says("watched");
}

fn trouble(env: &TestEnv, name: &str, words: &str) -> bool {
    rows(env)
        .iter()
        .any(|row| row["name"] == name && row["trouble"].as_str().is_some_and(|said| said.contains(words)))
}

#[test]
fn a_monitor_that_hangs() {
    let config = "[monitors.bad]\ntype = \"command\"\nrun = \"sleep 1000\"\ntimeout = 1\nevery = 1\n";
    harms_nobody(config, |_| {}, |env| trouble(env, "bad", "too long"));
}

#[test]
fn a_monitor_that_prints_a_gigabyte() {
    let config = "[monitors.bad]\ntype = \"command\"\nrun = \"head -c 1000000000 /dev/zero\"\nevery = 1\n";
    harms_nobody(config, |_| {}, |env| trouble(env, "bad", "too much"));
}

#[test]
fn a_monitor_that_talks_nonsense() {
    let config = "[monitors.bad]\ntype = \"command\"\nrun = \"echo nonsense\"\nevery = 1\n";
    harms_nobody(config, |_| {}, |env| trouble(env, "bad", "nonsense"));
}

#[test]
fn a_monitor_that_panics() {
    let config = "[monitors.bad]\ntype = \"shell\"\ncommand = \"true\"\nevery = 1\n";
    let break_it = |env: &mut TestEnv| env.set("SIGNALBOX_PANIC", "bad");
    harms_nobody(config, break_it, |env| trouble(env, "bad", "a bug in sb"));
}

fn failing(env: &TestEnv, words: &str) -> bool {
    let told = |(name, data): &(String, Value)| {
        name == "notifier.failing" && data["why"].as_str().is_some_and(|why| why.contains(words))
    };
    events(env).iter().any(told)
}

fn notifier(run: &str) -> String {
    format!(
        "[[notifiers]]\ntype = \"command\"\nname = \"bad\"\nrun = \"{run}\"\ntimeout = 1\nevents = [\"agent.state\"]\n"
    )
}

#[test]
fn a_notifier_that_hangs() {
    harms_nobody(&notifier("sleep 1000"), |_| {}, |env| failing(env, "too long"));
}

#[test]
fn a_notifier_that_prints_a_gigabyte() {
    harms_nobody(&notifier("head -c 1000000000 /dev/zero"), |_| {}, |env| failing(env, "too much"));
}

#[test]
fn a_notifier_that_fails() {
    harms_nobody(&notifier("echo it broke >&2; exit 3"), |_| {}, |env| failing(env, "code 3"));
}

#[test]
fn a_notifier_that_panics() {
    let break_it = |env: &mut TestEnv| env.set("SIGNALBOX_PANIC", "command");
    harms_nobody(&notifier("true"), break_it, |env| failing(env, "a bug in sb"));
}

fn plugin(run: &str) -> String {
    format!("[[plugins]]\nname = \"bad\"\nevents = [\"agent.state\"]\nrun = \"{run}\"\ntimeout = 1\n")
}

#[test]
fn a_plugin_that_hangs() {
    harms_nobody(&plugin("sleep 1000"), |_| {}, |env| failing(env, "too long"));
}

#[test]
fn a_plugin_that_prints_a_gigabyte() {
    harms_nobody(&plugin("head -c 1000000000 /dev/zero"), |_| {}, |env| failing(env, "too much"));
}

#[test]
fn a_plugin_that_fails_and_talks_nonsense() {
    harms_nobody(&plugin("echo nonsense; echo it broke >&2; exit 3"), |_| {}, |env| failing(env, "code 3"));
}

#[test]
fn a_plugin_that_panics() {
    let break_it = |env: &mut TestEnv| env.set("SIGNALBOX_PANIC", "bad");
    harms_nobody(&plugin("true"), break_it, |env| failing(env, "a bug in sb"));
}

#[test]
fn a_template_that_never_ends_or_cannot_be_read() {
    for (text, words) in [
        (
            "{% for a in range(99999) %}{% for b in range(99999) %}x{% endfor %}{% endfor %}",
            "it does too much",
        ),
        ("{% if %}", "line 1"),
        ("{{ no_such_thing }}", "no_such_thing"),
    ] {
        let env = env();
        let file = good_monitor(&env);
        let folder = env.home().join("templates/good");
        std::fs::create_dir_all(&folder).expect("a folder");
        env.write(folder.join("shell_changed.jinja"), text);
        let _daemon = Daemon::start(&env);
        let agent = Agent::puppet(&env, &quick());
        eventually("the first look", || rows(&env).iter().any(|row| row["last"].is_string()));
        env.write(&file, "all is well\n");
        // The template that comes along is used instead.
        eventually("the news to arrive", || {
            agent.prompts().iter().any(|prompt| prompt.contains("all is well"))
        });
        env.sb(["logs"]).success().says("shell_changed.jinja").says(words);
    }
}

#[test]
fn a_disk_that_is_full_holds_the_news_back_until_it_is_not() {
    let env = env();
    let file = good_monitor(&env);
    let folder = env.home().join("daemon");
    std::fs::create_dir_all(&folder).expect("a folder");
    let Some(_disk) = Disk::mount(&folder, "256k") else {
        return eprintln!("SKIPPED: this user may not mount a file system, so no disk was full");
    };
    let _daemon = Daemon::start(&env);
    let agent = Agent::puppet(&env, &quick());
    eventually("the first look", || rows(&env).iter().any(|row| row["last"].is_string()));
    let filler = folder.join("filler");
    let disk = rustix::fs::statvfs(&folder).expect("the disk");
    env.write(&filler, vec![b'x'; usize::try_from(disk.f_bavail * disk.f_frsize).expect("a small disk")]);
    env.write(&file, "all is well\n");
    eventually("the disk to be complained about", || {
        env.sb(["logs"]).success().stdout.contains("could not keep")
    });
    assert!(agent.prompts().is_empty(), "what is not written down is not told");
    std::fs::remove_file(&filler).expect("there is room again");
    eventually("the news to arrive", || agent.prompts().iter().any(|prompt| prompt.contains("all is well")));
    assert_eq!(agent.prompts().len(), 1, "{:?}", agent.prompts());
}
