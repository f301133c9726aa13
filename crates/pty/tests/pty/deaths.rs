//! Whoever dies, the terminal is as it was and nobody is left behind.

use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};
use signalbox_pty::record::{Cast, Kind};

use crate::kit::{
    PATIENCE, Term, code, comparable, eventually, eventually_within, is_alive, proxied, proxied_with, sh,
    wait_for_end,
};

/// How long anybody may be left behind.
const ORPHAN: Duration = Duration::from_secs(5);

/// How often each death is died. `SIGNALBOX_DEATHS=500` for a night.
fn cycles() -> usize {
    std::env::var("SIGNALBOX_DEATHS").ok().and_then(|text| text.parse().ok()).unwrap_or(5)
}

/// A program that says its number and goes on for ever, deaf to these signals.
fn immortal(deaf_to: &str) -> Command {
    sh(&format!("trap '' {deaf_to}; stty raw -echo; echo \"pid=$$.\"; while :; do sleep 0.05; done"))
}

pub fn number_of(term: &Term) -> i32 {
    term.shown.wait_for("pid=");
    let text = term.shown.text();
    text.split("pid=").nth(1).unwrap().split('.').next().unwrap().parse().unwrap()
}

#[test]
fn the_program_is_killed() {
    for _ in 0..cycles() {
        let mut term = Term::start(&proxied(&immortal("HUP")));
        let before = comparable(&rustix_default());
        let child = number_of(&term);
        rustix::process::kill_process(Pid::from_raw(child).unwrap(), Signal::KILL).unwrap();
        assert_eq!(code(term.wait()), 128 + 9);
        assert_eq!(comparable(&term.settings()), before);
        assert!(!is_alive(child));
    }
}

/// How a new terminal is set.
fn rustix_default() -> rustix::termios::Termios {
    let pair = crate::kit::pair(24, 80);
    rustix::termios::tcgetattr(&pair.theirs).unwrap()
}

#[test]
fn the_proxy_is_killed() {
    for deaf_to in ["''", "HUP TERM INT"].into_iter().cycle().take(cycles()) {
        let mut term = Term::start(&proxied(&immortal(deaf_to)));
        let child = number_of(&term);
        term.signal(Signal::KILL);
        assert_eq!(code(term.wait()), 128 + 9);
        eventually_within(ORPHAN, "the program to be gone", || !is_alive(child));
    }
}

#[test]
fn the_window_is_closed() {
    for deaf_to in ["''", "HUP TERM INT"].into_iter().cycle().take(cycles()) {
        let term = Term::start(&proxied(&immortal(deaf_to)));
        let child = number_of(&term);
        let begun = Instant::now();
        let mut proxy = term.close();
        wait_for_end(&mut proxy);
        eventually_within(ORPHAN.saturating_sub(begun.elapsed()), "the program to be gone", || {
            !is_alive(child)
        });
    }
}

#[test]
fn the_proxy_is_asked_to_end() {
    for (deaf_to, wanted) in [("''", 128 + 15), ("HUP TERM", 128 + 9)].into_iter().cycle().take(cycles()) {
        let mut term = Term::start(&proxied(&immortal(deaf_to)));
        let before = comparable(&rustix_default());
        let child = number_of(&term);
        term.signal(Signal::TERM);
        let begun = Instant::now();
        assert_eq!(code(term.wait()), wanted, "{deaf_to}");
        assert!(begun.elapsed() < ORPHAN);
        assert!(!is_alive(child));
        assert_eq!(comparable(&term.settings()), before);
    }
}

/// What the person saw a moment ago is in the recording, and the recording is whole.
#[test]
fn the_recording_is_complete_up_to_a_kill() {
    for round in 0..cycles() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.cast");
        let script =
            "i=0; while :; do echo \"line-$i-\"; i=$((i+1)); [ $((i % 50)) = 0 ] && sleep 0.01; done";
        let mut term = Term::start(&proxied_with(&["--record", path.to_str().unwrap()], &sh(script)));
        let enough = 2_000 + 300 * round;
        assert!(term.shown.comes(PATIENCE, |bytes| bytes.len() > enough));
        let seen = term.shown.text();
        let last = seen.rsplit("line-").find_map(|rest| rest.split_once("-\r\n")).unwrap().0.to_owned();
        // What is in the file is what was shown, a moment later.
        eventually("the recording to catch up", || recorded(&path).contains(&format!("line-{last}-\r\n")));
        term.signal(Signal::KILL);
        term.wait();
        let text = recorded(&path);
        assert!(term.shown.text().starts_with(&text) || text.starts_with(&term.shown.text()));
    }
}

fn recorded(path: &Path) -> String {
    let events = Cast::open(path).unwrap().map(Result::unwrap);
    events.filter(|event| event.kind == Kind::Output).map(|event| event.data).collect()
}

#[test]
fn whoever_looks_on_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("socket");
    let script = "while ! read -r line; do :; done; echo \"got $line\"; exit 6";
    let mut term = Term::start(&proxied_with(&["--socket", path.to_str().unwrap()], &sh(script)));
    eventually("the socket", || path.exists());
    for _ in 0..cycles() {
        let mut watcher = Command::new(env!("CARGO_BIN_EXE_pty-proxy"));
        let mut watcher = watcher.arg("--watch").arg(&path).stdout(Stdio::piped()).spawn().unwrap();
        let mut first = [0; 1];
        watcher.stdout.as_mut().unwrap().read_exact(&mut first).unwrap();
        watcher.kill().unwrap();
        watcher.wait().unwrap();
    }
    term.send("hello\r");
    let (bytes, status) = term.finish();
    assert!(String::from_utf8_lossy(&bytes).contains("got hello"));
    assert_eq!(code(status), 6);
}

#[test]
fn a_stopped_program_can_be_ended() {
    let mut term = Term::start(&proxied(&immortal("HUP")));
    let child = number_of(&term);
    // Nobody could continue it here, so it is stopped for a moment only; it must end all the same.
    rustix::process::kill_process(Pid::from_raw(child).unwrap(), Signal::STOP).unwrap();
    term.signal(Signal::TERM);
    assert!(term.shown.comes(PATIENCE, |_| true));
    assert_eq!(code(term.wait()), 128 + 15);
}
