//! A program in a pseudo-terminal of its own.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::process::{Command, Stdio};

use rustix::fs::{Mode, OFlags};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{OptionalActions, Termios, Winsize};

use crate::platform;

/// The size of a terminal in characters, and in pixels where it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    pub rows: u16,
    pub cols: u16,
    pub pixel_width: u16,
    pub pixel_height: u16,
}

impl Size {
    pub const fn new(rows: u16, cols: u16) -> Self {
        Self { rows, cols, pixel_width: 0, pixel_height: 0 }
    }
}

impl Default for Size {
    /// What a terminal has that nobody gave a size.
    fn default() -> Self {
        Self::new(24, 80)
    }
}

impl From<Winsize> for Size {
    fn from(size: Winsize) -> Self {
        Self {
            rows: size.ws_row,
            cols: size.ws_col,
            pixel_width: size.ws_xpixel,
            pixel_height: size.ws_ypixel,
        }
    }
}

impl From<Size> for Winsize {
    fn from(size: Size) -> Self {
        Self {
            ws_row: size.rows,
            ws_col: size.cols,
            ws_xpixel: size.pixel_width,
            ws_ypixel: size.pixel_height,
        }
    }
}

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    Code(i32),
    /// The number of the signal that ended it.
    Signal(i32),
}

impl Exit {
    /// The exit code that a shell would report.
    pub fn code(self) -> i32 {
        match self {
            Self::Code(code) => code,
            Self::Signal(signal) => 128 + signal,
        }
    }
}

/// What became of a child since it was last looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    Stopped,
    Ended(Exit),
}

/// A running program and our end of its terminal. Who drops this hangs up.
#[derive(Debug)]
pub struct Child {
    pub(crate) master: OwnedFd,
    /// Kept open while the program runs: a program may close its terminal and open it again, and without
    /// this the kernel would report the end in between.
    pub(crate) other_end: Option<OwnedFd>,
    pid: Pid,
}

impl Child {
    /// Start a program in a terminal of this size, set like `settings` if they are given. Its standard input,
    /// output and error are that terminal. It is killed when the calling thread ends.
    pub fn start(mut command: Command, size: Size, settings: Option<&Termios>) -> io::Result<Self> {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
        grantpt(&master)?;
        unlockpt(&master)?;
        let name = ptsname(&master, Vec::new())?;
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
        let other_end = rustix::fs::open(&*name, flags, Mode::empty())?;
        rustix::termios::tcsetwinsize(&other_end, size.into())?;
        if let Some(settings) = settings {
            rustix::termios::tcsetattr(&other_end, OptionalActions::Now, settings)?;
        }
        let handle = || other_end.try_clone().map(Stdio::from);
        command.stdin(handle()?).stdout(handle()?).stderr(handle()?);
        platform::lead_a_session(&mut command);
        let child = command.spawn()?;
        let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let pid = pid.ok_or_else(|| io::Error::other("the child has no process id"))?;
        // A program that does not read must not keep us from doing anything else.
        rustix::io::ioctl_fionbio(&master, true)?;
        Ok(Self { master, other_end: Some(other_end), pid })
    }

    pub fn pid(&self) -> u32 {
        self.pid.as_raw_nonzero().get().unsigned_abs()
    }

    pub(crate) fn master(&self) -> BorrowedFd<'_> {
        self.master.as_fd()
    }

    pub(crate) fn resize(&self, size: Size) -> io::Result<()> {
        Ok(rustix::termios::tcsetwinsize(&self.master, size.into())?)
    }

    /// Whether the program reads a line that is not shown, as passwords are typed.
    pub(crate) fn reads_a_password(&self) -> bool {
        use rustix::termios::LocalModes;
        rustix::termios::tcgetattr(&self.master).is_ok_and(|settings| {
            settings.local_modes.contains(LocalModes::ICANON)
                && !settings.local_modes.contains(LocalModes::ECHO)
        })
    }

    /// Send a signal to the program, and to whatever is in the foreground of its terminal.
    pub(crate) fn signal(&self, signal: Signal) {
        // Both may be gone already, which is what most signals are for.
        if let Some(group) = self.foreground().filter(|group| *group != self.pid) {
            let _ = rustix::process::kill_process_group(group, signal);
        }
        let _ = rustix::process::kill_process_group(self.pid, signal);
    }

    /// The process group in the foreground of its terminal.
    pub(crate) fn foreground(&self) -> Option<Pid> {
        rustix::termios::tcgetpgrp(&self.master).ok()
    }

    /// What happened to it; `None` if nothing did.
    pub(crate) fn change(&self) -> io::Result<Option<Change>> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::STOPPED | WaitIdOptions::NOHANG;
        let Some(status) = rustix::process::waitid(WaitId::Pid(self.pid), options)? else { return Ok(None) };
        Ok(if let Some(code) = status.exit_status() {
            Some(Change::Ended(Exit::Code(code)))
        } else if let Some(signal) = status.terminating_signal() {
            Some(Change::Ended(Exit::Signal(signal)))
        } else {
            status.stopped().then_some(Change::Stopped)
        })
    }
}
