//! A leader for a program's terminal session, so that the program can be suspended as in a shell.
//!
//! The kernel stops nobody by SIGTSTP whose process group has no parent in the same session, because nobody could
//! continue it. A program that leads its session itself is in such a group, so its Ctrl-Z would do nothing. Therefore
//! the program can be started by a small process between: it leads the session, the program has a group of its own in
//! the foreground, and when that stops, the leader stops too, which [`crate::pump`] notices.
//!
//! How to use it: start the own executable with some hidden word and the program's words as a [`crate::Child`]; where it
//! is started so, it calls [`run`] and then [`imitate`].

use std::io;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rustix::process::{Pid, Resource, Rlimit, Signal, WaitId, WaitIdOptions};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP};

use crate::platform;
use crate::spawn::Exit;

/// Start the program in the foreground of the terminal on standard input, and wait for its end.
pub fn run(mut command: Command) -> io::Result<Exit> {
    // They are meant for the program, and this one must be there to tell how it ended.
    let nobody_asks = Arc::new(AtomicBool::new(false));
    for signal in [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP] {
        signal_hook::flag::register(signal, Arc::clone(&nobody_asks))?;
    }
    platform::run_in_front(&mut command);
    let child = command.spawn()?;
    drop(command);
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let pid = pid.ok_or_else(|| io::Error::other("the child has no process id"))?;
    loop {
        let options = WaitIdOptions::EXITED | WaitIdOptions::STOPPED;
        let status = match rustix::process::waitid(WaitId::Pid(pid), options) {
            Ok(Some(status)) => status,
            Ok(None) | Err(rustix::io::Errno::INTR) => continue,
            Err(error) => return Err(error.into()),
        };
        if let Some(code) = status.exit_status() {
            return Ok(Exit::Code(code));
        }
        if let Some(signal) = status.terminating_signal() {
            return Ok(Exit::Signal(signal));
        }
        if status.stopped() {
            // Whoever continues this one continues the program too, and knows better whether it stopped again since.
            rustix::process::kill_process(rustix::process::getpid(), Signal::STOP)?;
        }
    }
}

/// End as the program did, so that whoever waits sees no difference. Where it ended by itself, its exit code is returned
/// for the caller to end with.
pub fn imitate(exit: Exit) -> i32 {
    if let Exit::Signal(signal) = exit {
        // One dump is enough.
        let none = Rlimit { current: Some(0), maximum: Some(0) };
        let _ = rustix::process::setrlimit(Resource::Core, none);
        if signal == signal_hook::consts::SIGKILL {
            let _ = rustix::process::kill_process(rustix::process::getpid(), Signal::KILL);
        }
        let _ = signal_hook::low_level::emulate_default_handler(signal);
    }
    exit.code()
}
