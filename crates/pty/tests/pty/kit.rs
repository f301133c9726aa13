//! A terminal as a terminal emulator has it: the tests sit at its other end.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};
use rustix::process::{Pid, Signal};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Termios, Winsize};

/// How long anything may take that is bound to happen.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// Our end of a terminal, and the other.
pub struct Pair {
    pub ours: File,
    pub theirs: OwnedFd,
}

pub fn pair(rows: u16, cols: u16) -> Pair {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
    grantpt(&ours).and_then(|()| unlockpt(&ours)).unwrap();
    let name = ptsname(&ours, Vec::new()).unwrap();
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
    let theirs = rustix::fs::open(&*name, flags, Mode::empty()).unwrap();
    let size = Winsize { ws_row: rows, ws_col: cols, ws_xpixel: 0, ws_ypixel: 0 };
    rustix::termios::tcsetwinsize(&theirs, size).unwrap();
    Pair { ours: File::from(ours), theirs }
}

/// What was shown so far, growing.
#[derive(Default)]
pub struct Shown {
    state: Mutex<(Vec<u8>, bool)>,
    changed: Condvar,
    /// Read no more.
    stop: AtomicBool,
}

impl Shown {
    /// Read in a thread until nothing more can come.
    pub fn follow(mut from: File) -> Arc<Self> {
        let shown = Arc::new(Self::default());
        let theirs = Arc::clone(&shown);
        std::thread::spawn(move || {
            let mut buffer = vec![0; 1 << 16];
            let moment = Timespec { tv_sec: 0, tv_nsec: 20_000_000 };
            while !theirs.stop.load(Ordering::Acquire) {
                if poll(&mut [PollFd::new(&from, PollFlags::IN)], Some(&moment)) == Ok(0) {
                    continue;
                }
                let Ok(count @ 1..) = from.read(&mut buffer) else { break };
                theirs.lock().0.extend_from_slice(&buffer[..count]);
                theirs.changed.notify_all();
            }
            drop(from);
            theirs.lock().1 = true;
            theirs.changed.notify_all();
        });
        shown
    }

    fn lock(&self) -> MutexGuard<'_, (Vec<u8>, bool)> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn bytes(&self) -> Vec<u8> {
        self.lock().0.clone()
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.lock().0).into_owned()
    }

    /// Wait until it is so, or nothing more can come, or time is up. Whether it is so.
    pub fn comes(&self, patience: Duration, is_so: impl Fn(&[u8]) -> bool) -> bool {
        let waits = |state: &mut (Vec<u8>, bool)| !state.1 && !is_so(&state.0);
        let waited = self.changed.wait_timeout_while(self.lock(), patience, waits);
        is_so(&waited.unwrap_or_else(PoisonError::into_inner).0.0)
    }

    #[track_caller]
    pub fn wait_for(&self, what: &str) {
        let is_there = |bytes: &[u8]| String::from_utf8_lossy(bytes).contains(what);
        assert!(self.comes(PATIENCE, is_there), "waited for {what:?}, and saw\n{:?}", self.text());
    }

    /// Wait until all was read that can ever come.
    #[track_caller]
    pub fn wait_end(&self) {
        let waited = self.changed.wait_timeout_while(self.lock(), PATIENCE, |state| !state.1);
        let waited = waited.unwrap_or_else(PoisonError::into_inner);
        assert!(waited.0.1, "the terminal is still in use");
    }
}

/// A program in a terminal, and whoever sits before it.
pub struct Term {
    child: Option<Child>,
    pub ours: Option<File>,
    pub shown: Arc<Shown>,
    /// Kept, so that what the terminal is set to can be looked at when all programs are gone.
    theirs: Option<OwnedFd>,
}

impl Term {
    pub fn start(command: &Command) -> Self {
        Self::start_sized(command, 24, 80)
    }

    /// The program leads the session, as the shell in a terminal emulator does.
    pub fn start_sized(command: &Command, rows: u16, cols: u16) -> Self {
        let Pair { ours, theirs } = pair(rows, cols);
        let handle = || Stdio::from(theirs.try_clone().unwrap());
        let mut leader = Command::new("setsid");
        leader.arg("--ctty").arg(command.get_program()).args(command.get_args());
        leader.env("TERM", "xterm-256color").env_remove("BASH_ENV").env_remove("PROMPT_COMMAND");
        leader.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        leader.stdin(handle()).stdout(handle()).stderr(handle());
        let child = leader.spawn().unwrap();
        drop(leader);
        let shown = Shown::follow(ours.try_clone().unwrap());
        Self { child: Some(child), ours: Some(ours), shown, theirs: Some(theirs) }
    }

    pub fn pid(&self) -> Pid {
        Pid::from_raw(i32::try_from(self.child.as_ref().unwrap().id()).unwrap()).unwrap()
    }

    pub fn signal(&self, signal: Signal) {
        rustix::process::kill_process(self.pid(), signal).unwrap();
    }

    pub fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.ours.as_mut().unwrap().write_all(bytes.as_ref()).unwrap();
    }

    pub fn resize(&self, rows: u16, cols: u16) {
        let size = Winsize { ws_row: rows, ws_col: cols, ws_xpixel: 0, ws_ypixel: 0 };
        rustix::termios::tcsetwinsize(self.ours.as_ref().unwrap(), size).unwrap();
    }

    pub fn settings(&self) -> Termios {
        rustix::termios::tcgetattr(self.theirs.as_ref().unwrap()).unwrap()
    }

    /// Close the terminal, as closing its window does.
    pub fn close(mut self) -> Child {
        self.shown.stop.store(true, Ordering::Release);
        self.shown.wait_end();
        self.theirs = None;
        self.ours = None;
        self.child.take().unwrap()
    }

    #[track_caller]
    pub fn wait(&mut self) -> ExitStatus {
        wait_for_end(self.child.as_mut().unwrap())
    }

    /// Wait for the end, and for all that was shown.
    #[track_caller]
    pub fn finish(&mut self) -> (Vec<u8>, ExitStatus) {
        let status = self.wait();
        self.theirs = None;
        self.shown.wait_end();
        (self.shown.bytes(), status)
    }
}

impl Drop for Term {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

#[track_caller]
pub fn wait_for_end(child: &mut Child) -> ExitStatus {
    let mut status = None;
    eventually("the program to end", || {
        status = child.try_wait().unwrap();
        status.is_some()
    });
    status.unwrap()
}

/// Wait until it is so.
#[track_caller]
pub fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    eventually_within(PATIENCE, what, &mut is_so);
}

#[track_caller]
pub fn eventually_within(patience: Duration, what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < patience, "waited in vain for {what}");
        std::thread::park_timeout(Duration::from_millis(5));
    }
}

/// Settings without what the kernel keeps beside them.
pub fn comparable(settings: &Termios) -> String {
    format!(
        "{:?} {:?} {:?} {:?} {:?}",
        settings.input_modes,
        settings.output_modes,
        settings.control_modes,
        settings.local_modes,
        settings.special_codes
    )
}

pub fn is_alive(pid: i32) -> bool {
    let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else { return false };
    !stat.rsplit_once(')').is_some_and(|(_, rest)| rest.trim_start().starts_with('Z'))
}

/// A program that the shell runs.
pub fn sh(script: &str) -> Command {
    let mut command = Command::new("sh");
    command.arg("-c").arg(script);
    command
}

/// The same, through the pump, with all that can be beside it.
pub fn proxied(command: &Command) -> Command {
    proxied_with(&["--record", "/dev/null", "--log", "/dev/null"], command)
}

pub fn proxied_with(options: &[&str], command: &Command) -> Command {
    let mut proxy = Command::new(env!("CARGO_BIN_EXE_pty-proxy"));
    proxy.args(options).arg("--").arg(command.get_program()).args(command.get_args());
    proxy
}

/// The exit code that a shell would report.
pub fn code(status: ExitStatus) -> i32 {
    status.code().unwrap_or_else(|| 128 + status.signal().unwrap())
}
