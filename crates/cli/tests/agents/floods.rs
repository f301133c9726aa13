//! Much at once: output, sizes, people who look on, and recordings that get too long.

use std::time::Duration;

use signalbox_pty::Size;
use signalbox_testkit::TestEnv;

use crate::kit::{Agent, env, quick, recording, sb};
use crate::window::{Window, eventually, within};

/// Settings for agents, besides those of every test.
fn set_agents(env: &TestEnv, settings: &str) {
    let config = env.home().join("config.toml");
    let before = env.read(&config);
    env.write(&config, format!("{before}\n[agents]\n{settings}\n"));
}

/// Not a byte is lost or changed, and the program hears of the last size. `SIGNALBOX_FLOOD_MB` says how much.
#[test]
fn a_flood_passes_unchanged_while_the_window_changes_its_size() {
    let env = env();
    let megabytes: usize =
        std::env::var("SIGNALBOX_FLOOD_MB").ok().and_then(|text| text.parse().ok()).unwrap_or(6);
    let line = format!("trap : WINCH; yes 'much – of this' | head -c {}; read x; stty size", megabytes << 20);
    let agent = Agent::program(&env, &["sh", "-c", &line]);
    for round in 0..400 {
        agent.window.resize(Size::new(20 + round % 30, 60 + round % 90));
    }
    agent.window.resize(Size::new(33, 77));
    let wanted = expected(megabytes << 20);
    let patience = Duration::from_secs(60 + 4 * megabytes as u64);
    within(patience, "all of it", || agent.window.bytes().len() >= wanted.len());
    agent.window.press("\r");
    agent.window.wait_for("33 77");
    let shown = agent.window.bytes();
    assert!(shown.starts_with(&wanted), "{}", first_difference(&shown, &wanted));
}

/// What a terminal makes of it: every line feed is a carriage return and a line feed.
fn expected(length: usize) -> Vec<u8> {
    let text: Vec<u8> = "much – of this\n".bytes().cycle().take(length).collect();
    let mut wanted = Vec::with_capacity(length + length / 10);
    for byte in text {
        if byte == b'\n' {
            wanted.push(b'\r');
        }
        wanted.push(byte);
    }
    wanted
}

fn first_difference(shown: &[u8], wanted: &[u8]) -> String {
    let at = shown.iter().zip(wanted).position(|(a, b)| a != b);
    format!("{} bytes of {} wanted, different from {at:?}", shown.len(), wanted.len())
}

/// The screen is the same for each of them, and they cost the agent nothing that could be seen here.
#[test]
fn many_look_on() {
    let env = env();
    let line = "read x; seq 1 30000; echo finished; read x";
    let agent = Agent::program(&env, &["sh", "-c", line]);
    let watchers: Vec<Window> = (0..20).map(|_| Window::open(&sb(&env, ["attach", &agent.id]))).collect();
    eventually("all of them", || agent.row()["watchers"] == 20);
    agent.window.press("\r");
    agent.window.wait_for("finished");
    for watcher in &watchers {
        watcher.wait_for("finished");
        assert_eq!(watcher.view().rows, agent.window.view().rows);
    }
    drop(watchers);
    eventually("nobody", || agent.row()["watchers"] == 0);
}

/// Whoever has the seat and does not type only watches after a while; the next one need not take it by force.
#[test]
fn a_seat_that_is_not_used_is_lost() {
    let env = env();
    set_agents(&env, "seat_idle_seconds = 1");
    let agent = Agent::puppet(&env, &quick());
    let first = Window::open(&sb(&env, ["attach", "-i", &agent.id]));
    first.wait_until("the seat", |view| view.title.contains("Ctrl-A d leaves"));
    first.wait_until("a word about it", |view| view.title.contains("you are only watching now"));
    first.press("NO LONGER\r");
    let second = Window::open(&sb(&env, ["attach", "-i", &agent.id]));
    second.wait_until("the seat", |view| view.title.contains("Ctrl-A d leaves"));
    second.press("mine now\r");
    eventually("the prompt", || agent.prompts() == ["mine now"]);
    assert!(!agent.window.shows("NO LONGER"));
}

/// A recording that is too long goes on in a new file, which begins with the screen as it was.
#[test]
fn a_long_recording_is_put_aside_and_begun_anew() {
    let env = env();
    set_agents(&env, "recording_max_mb = 1\nlog_max_mb = 1");
    let line = "yes 'a line that is long enough to fill a file soon' | head -n 60000; echo the-last-line";
    let mut agent = Agent::program(&env, &["sh", "-c", line]);
    assert_eq!(agent.window.finish(), 0);
    let recording = recording(&env, &agent.id);
    let older = recording.with_extension("cast.1");
    // Not much longer than allowed: what comes at once stays together.
    for file in [&recording, &older] {
        let length =
            std::fs::metadata(file).unwrap_or_else(|error| panic!("{}: {error}", file.display())).len();
        assert!((1..4 << 20).contains(&length), "{}: {length}", file.display());
    }
    env.sb(["replay", &agent.id, "--speed", "0"]).success().says("the-last-line");
    env.sb(["agent", "log", &agent.id]).success().says("the-last-line");
}
