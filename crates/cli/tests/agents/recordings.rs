//! Everything is recorded, but no secret; and where it cannot be, the agent goes on.

use std::path::Path;
use std::process::Command;

use signalbox_testkit::TestEnv;

use crate::kit::{Agent, env, id_of, quick, record, recording, sb};
use crate::window::{Window, eventually};

#[test]
fn what_was_printed_can_be_seen_again() {
    let env = env();
    let agent = Agent::puppet(&env, &quick());
    agent.window.press("by hand\r");
    agent.window.wait_for("● Done.");
    let message = agent.inject(&["from elsewhere"]);
    assert_eq!(agent.fate(&message), "inject.delivered");
    eventually("the prompt", || agent.prompts().len() == 2);
    // While it runs, and after it.
    env.sb(["replay", &agent.id, "--speed", "0"]).success().says("from elsewhere");
    env.sb(["agent", "stop", &agent.id]).success();
    let all = env.sb(["replay", &agent.id, "--speed", "0"]).success();
    assert!(all.stdout.contains("by hand") && all.stdout.contains("● Done."));
    let events = env.sb(["replay", &agent.id, "--events"]).success();
    for mark in ["state: idle", "state: working", "inject.delivered"] {
        assert!(events.stdout.contains(mark), "{events}");
    }
    env.sb(["replay", &agent.id, "--speed", "1000", "--from-event", "inject.delivered"]).success();
    env.sb(["replay", &agent.id, "--speed", "1000", "--from-event", "nonsense"]).code(3).says("--events");
    env.sb(["replay", &agent.id, "--speed", "-1"]).code(2);
    env.sb(["replay", "nobody"]).code(3);
    let path = env.sb(["replay", &agent.id, "--path"]).success().stdout;
    assert_eq!(Path::new(path.trim()), recording(&env, &agent.id));
    let log = env.sb(["agent", "log", &agent.id]).success();
    assert!(log.stdout.contains("from elsewhere") && !log.stdout.contains('\x1b'), "{log}");
}

/// Whatever the program left on, and whenever somebody has seen enough.
#[test]
fn a_replay_leaves_the_terminal_usable() {
    let env = env();
    let line = "printf '\\033[?1049h\\033[?1000hinside'; sleep 0.3; printf ' and more'; kill -KILL $$";
    let mut agent = Agent::program(&env, &["sh", "-c", line]);
    agent.window.finish();
    let is_undone = |shown: &str| {
        let after = shown.rsplit_once("inside").map(|(_, after)| after).unwrap_or_default();
        after.contains("\x1b[?1049l") && after.contains("\x1b[?1000l")
    };
    let all = env.sb(["replay", &agent.id, "--speed", "0"]).success().stdout;
    assert!(is_undone(&all) && all.contains("and more"), "{all:?}");
    let mut window = Window::open(&sb(&env, ["replay", &agent.id, "--speed", "0.01"]));
    window.wait_for("inside");
    window.press("\x03");
    assert_eq!(window.finish(), 130);
    let shown = String::from_utf8_lossy(&window.bytes()).into_owned();
    assert!(is_undone(&shown) && !shown.contains("and more"), "{shown:?}");
    // Nothing is shown of what cannot be found.
    assert_eq!(env.sb(["replay", &agent.id, "--from-event", "nonsense"]).code(3).stdout, "");
}

/// Other programs read the files as well.
#[test]
fn asciinema_plays_it() {
    if Command::new("asciinema").arg("--version").output().is_err() {
        return eprintln!("SKIPPED: asciinema is not installed");
    }
    let env = env();
    let mut agent =
        Agent::program(&env, &["sh", "-c", "printf 'gr\\303\\274n\\033[1mbold\\033[0m\\n'; exit 0"]);
    agent.window.finish();
    let mut player = Command::new("asciinema");
    env.prepare(&mut player);
    player
        .arg("cat")
        .arg(recording(&env, &agent.id))
        .env("TERM", "xterm-256color")
        .env("XDG_CONFIG_HOME", env.root());
    let mut window = Window::open(&player);
    assert_eq!(window.finish(), 0, "{}", window.text());
    assert!(window.shows("grünbold"), "{}", window.text());
}

#[test]
fn secrets_are_not_written_down() {
    let env = env();
    let secret = "sk-very-secret-0123456789";
    let line = "printf \"key $MY_API_KEY, cut ${MY_API_KEY%%-0*}\"; sleep 0.3; printf \"${MY_API_KEY#*secret}\\n\"; \
                read x; echo \"read $x\"";
    let mut command = sb(&env, ["agent", "--", "sh", "-c", line]);
    command.env("MY_API_KEY", secret).env("OTHER", "not-a-secret-at-all");
    let mut window = Window::open(&command);
    let id = id_of(&env, window.pid());
    window.wait_for("0123456789");
    window.press(format!("typed {secret} not-a-secret-at-all\r"));
    assert_eq!(window.finish(), 0);
    assert!(window.shows(secret), "the person sees it as ever");
    for (path, bytes) in env.files_below(env.home()) {
        assert!(!bytes.windows(secret.len()).any(|part| part == secret.as_bytes()), "{}", path.display());
    }
    let cast = env.read(recording(&env, &id));
    assert!(cast.contains("not-a-secret-at-all") && cast.contains("typed "), "{cast}");
    env.sb(["replay", &id, "--speed", "0"]).success().never_says(secret).says("not-a-secret-at-all");
    env.sb(["agent", "log", &id]).success().never_says(secret);
}

#[test]
fn recording_can_be_switched_off() {
    let env = env();
    let config = env.home().join("config.toml");
    let before = env.read(&config);
    env.write(&config, format!("{before}\n[agents]\nrecording = false\n"));
    let mut agent = Agent::program(&env, &["sh", "-c", "echo hello"]);
    agent.window.finish();
    assert!(!recording(&env, &agent.id).exists());
    env.sb(["replay", &agent.id]).code(3).says("no recording").says("agents.recording");
}

/// A file system in memory, gone when dropped.
pub struct Disk<'a>(&'a Path);

impl<'a> Disk<'a> {
    pub fn mount(at: &'a Path, size: &str) -> Option<Self> {
        let options = format!("size={size},mode=700");
        let done = Command::new("mount").args(["-t", "tmpfs", "-o", &options, "tmpfs"]).arg(at).output();
        done.is_ok_and(|output| output.status.success()).then_some(Self(at))
    }
}

impl Drop for Disk<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0).status();
    }
}

#[test]
fn a_full_disk_does_not_stop_the_agent() {
    let env = TestEnv::empty(env!("CARGO_BIN_EXE_sb"));
    let home = env.home();
    let Some(_disk) = Disk::mount(&home, "8m") else {
        return eprintln!("SKIPPED: this user may not mount a file system, so no disk was full");
    };
    env.write(home.join("config.toml"), "[identity]\nagent_programs = []\n");
    env.sb(["init", "--name", "shop"]).success();
    let line = "echo begun; i=0; while [ $i -lt 120000 ]; do echo \"line $i ----------------------------------------\"; \
                i=$((i+1)); done; echo 'the end'; read x; exit 6";
    let mut window = Window::open(&sb(&env, ["agent", "--", "sh", "-c", line]));
    window.wait_for("the end");
    let id = id_of(&env, window.pid());
    // It can still be watched.
    let watcher = Window::open(&sb(&env, ["attach", &id]));
    watcher.wait_for("the end");
    drop(watcher);
    window.press("\r");
    assert_eq!(window.finish(), 6, "{}", window.text());
    assert!(record(&env, &id)["recording"].is_string());
    // The screen was the program's; now the person is told, once.
    let said = String::from_utf8_lossy(&window.bytes()).into_owned();
    for words in ["[sb] the recording stopped: No space left on device", "[sb] the plain log stopped"] {
        assert_eq!(said.matches(words).count(), 1, "{words}: {}", window.text());
    }
    env.sb(["doctor"]).code(1).says("only 0 MiB are free");
    env.sb(["replay", &id, "--speed", "0"]).success().says("line 1 ---");
}
