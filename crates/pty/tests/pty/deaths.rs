//! Whoever dies, the terminal is as it was and nobody is left behind.

use std::process::Command;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};

use crate::kit::{PATIENCE, Term, code, comparable, eventually_within, is_alive, proxied, sh, wait_for_end};

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

fn number_of(term: &Term) -> i32 {
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
