//! Stopping and going on, under a shell with job control.

use std::process::Command;

use rustix::process::Signal;

use crate::kit::{PATIENCE, Term, comparable, eventually, proxied, proxied_with, sh};

/// An interactive shell in a terminal.
fn shell() -> Term {
    let mut bash = Command::new("bash");
    bash.args(["--norc", "--noprofile", "-i"]).env("PS1", "prompt> ");
    let term = Term::start(&bash);
    term.shown.wait_for("prompt> ");
    term
}

fn quoted(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words
        .map(|word| format!("'{}'", word.to_str().unwrap().replace('\'', r"'\''")))
        .collect::<Vec<_>>()
        .join(" ")
}

/// Wait until the shell asks again, after the program said this.
#[track_caller]
fn wait_for_prompt_after(term: &Term, last: &str) {
    let is_there = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes);
        text.rsplit_once(last).is_some_and(|(_, after)| after.contains("prompt> "))
    };
    assert!(term.shown.comes(PATIENCE, is_there), "no prompt after {last:?} in {:?}", term.shown.text());
}

#[test]
fn a_program_that_stops_itself_gives_the_terminal_back() {
    let mut term = shell();
    let before = comparable(&term.settings());
    let program = sh("stty raw -echo; echo begun; kill -STOP $$; echo 'gone''on'; exit 9");
    term.send(format!("{}\n", quoted(&proxied(&program))));
    term.shown.wait_for("begun");
    wait_for_prompt_after(&term, "Stopped");
    eventually("the shell's settings", || comparable(&term.settings()) == before);
    term.send("fg\n");
    wait_for_prompt_after(&term, "goneon");
    term.send("echo code=$?\n");
    term.shown.wait_for("code=9");
    eventually("the shell's settings", || comparable(&term.settings()) == before);
}

/// The usual way to stop, which the kernel only allows to somebody who can be continued.
#[test]
fn a_led_program_can_suspend_itself() {
    let mut term = shell();
    let before = comparable(&term.settings());
    let program =
        sh("stty raw -echo; echo be''gun; kill -TSTP 0; echo gone''on; kill -TSTP $$; echo aga''in; exit 9");
    term.send(format!("{}\n", quoted(&proxied_with(&["--led"], &program))));
    // What was said before stopping is seen before the shell speaks.
    for (last, next) in [("begun", "goneon"), ("goneon", "again")] {
        wait_for_prompt_after(&term, last);
        assert!(term.shown.text().rsplit_once(last).unwrap().1.contains("Stopped"));
        eventually("the shell's settings", || comparable(&term.settings()) == before);
        term.send("fg\n");
        term.shown.wait_for(next);
    }
    wait_for_prompt_after(&term, "again");
    term.send("echo code=$?\n");
    term.shown.wait_for("code=9");
}

/// The suspend key in a program that leaves it to the terminal.
#[test]
fn the_suspend_key_suspends_a_led_program() {
    let mut term = shell();
    let program = sh("echo begun; read -r line; echo \"got $line\"; exit 8");
    term.send(format!("{}\n", quoted(&proxied_with(&["--led"], &program))));
    term.shown.wait_for("begun\r\n");
    term.send(b"\x1a");
    wait_for_prompt_after(&term, "Stopped");
    term.send("fg\n");
    term.shown.wait_for("fg\r\n");
    eventually("the program to go on", || {
        term.send("text\n");
        term.shown.text().contains("got text")
    });
}

#[test]
fn a_led_program_ends_as_it_does_alone() {
    let ends = [
        ("exit 0", 0),
        ("exit 77", 77),
        ("kill -TERM $$", 143),
        ("kill -KILL $$", 137),
        ("kill -SEGV $$", 139),
    ];
    for (script, wanted) in ends {
        let mut term = Term::start(&proxied_with(&["--led"], &sh(&format!("ulimit -c 0; {script}"))));
        assert_eq!(crate::kit::code(term.wait()), wanted, "{script}");
    }
    // Asked to end, or left alone by the one before the terminal, it is gone too.
    for signal in [Signal::TERM, Signal::HUP, Signal::KILL] {
        let script = "trap '' HUP; echo \"pid=$$.\"; while :; do sleep 0.05; done";
        let mut term = Term::start(&proxied_with(&["--led"], &sh(script)));
        let child = crate::deaths::number_of(&term);
        term.signal(signal);
        term.wait();
        eventually("the program to be gone", || !crate::kit::is_alive(child));
    }
}

#[test]
fn being_stopped_from_outside_stops_the_program_too() {
    let mut term = shell();
    let before = comparable(&term.settings());
    let program = sh("trap 'stty size; exit 3' CONT; echo pid=$$ parent=$PPID; while :; do sleep 0.02; done");
    term.send(format!("{}\n", quoted(&proxied(&program))));
    term.shown.wait_for("parent=");
    let mut proxy = None;
    eventually("the proxy's number", || {
        let text = term.shown.text();
        let number = text.rsplit("parent=").next().and_then(|rest| rest.split_once('\r'));
        proxy = number.and_then(|(number, _)| number.parse().ok());
        proxy.is_some()
    });
    let proxy = rustix::process::Pid::from_raw(proxy.unwrap()).unwrap();
    rustix::process::kill_process(proxy, Signal::TSTP).unwrap();
    wait_for_prompt_after(&term, "Stopped");
    eventually("the shell's settings", || comparable(&term.settings()) == before);
    // The window changes while nobody looks.
    term.resize(31, 97);
    term.send("fg\n");
    wait_for_prompt_after(&term, "31 97");
    term.send("echo code=$?\n");
    term.shown.wait_for("code=3");
}

#[test]
fn without_a_shell_a_stopped_program_goes_on() {
    let mut term = Term::start(&proxied(&sh("kill -STOP $$; echo 'gone''on'; exit 4")));
    let (bytes, status) = term.finish();
    assert_eq!(status.code(), Some(4));
    assert!(String::from_utf8_lossy(&bytes).contains("goneon"));
}

/// A shell inside has job control of its own.
#[test]
fn a_shell_inside_stops_its_own_jobs() {
    let mut bash = Command::new("bash");
    bash.args(["--norc", "--noprofile", "-i"]);
    let mut proxied = proxied(&bash);
    proxied.env("PS1", "inside> ");
    let mut term = Term::start(&proxied);
    term.shown.wait_for("inside> ");
    term.send("sleep 100\n");
    term.shown.wait_for("sleep 100\r\n");
    eventually("the job to be stopped", || {
        term.send(b"\x1a");
        term.shown.text().contains("Stopped")
    });
    term.send("kill %1; exit 5\n");
    eventually("bash to leave", || {
        term.send("exit 5\n");
        term.shown.text().matches("exit").count() >= 2
    });
    assert_eq!(term.wait().code(), Some(5));
}
