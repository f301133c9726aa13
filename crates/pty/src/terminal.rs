//! The person's own terminal: raw while a program has it, and as it was on every way out.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::panic;
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::thread::ThreadId;

use rustix::fs::{Mode, OFlags};
use rustix::termios::{OptionalActions, Termios};

use crate::spawn::Size;

/// Where keystrokes come from and where output goes. Either may be missing: a program can run without anybody
/// looking on.
#[derive(Debug, Default)]
pub struct Person {
    /// A terminal; what comes from elsewhere is nobody's keystrokes.
    keyboard: Option<OwnedFd>,
    display: Option<OwnedFd>,
    /// Whether writing to the display can keep us waiting.
    waits: bool,
}

impl Person {
    /// The person at standard input and output. What is no terminal on standard input is not read.
    pub fn at_stdio() -> io::Result<Self> {
        Self::at(std::io::stdin().as_fd(), std::io::stdout().as_fd())
    }

    /// The person at these two, for a terminal that is not standard input.
    pub fn at(input: BorrowedFd<'_>, output: BorrowedFd<'_>) -> io::Result<Self> {
        let keyboard = if rustix::termios::isatty(input) { Some(input.try_clone_to_owned()?) } else { None };
        let own = reopen(output);
        let waits = own.is_none();
        let display = Some(own.map_or_else(|| output.try_clone_to_owned(), Ok)?);
        Ok(Self { keyboard, display, waits })
    }

    /// Nobody.
    pub fn absent() -> Self {
        Self::default()
    }

    /// Whether there is a terminal to type at.
    pub fn is_present(&self) -> bool {
        self.keyboard.is_some()
    }

    /// The size of the person's terminal.
    pub fn size(&self) -> Option<Size> {
        let size = Size::from(rustix::termios::tcgetwinsize(self.keyboard.as_ref()?).ok()?);
        (size.rows > 0 && size.cols > 0).then_some(size)
    }

    /// How the person's terminal is set, for a terminal that should be like it.
    pub fn settings(&self) -> Option<Termios> {
        rustix::termios::tcgetattr(self.keyboard.as_ref()?).ok()
    }

    pub(crate) fn keyboard(&self) -> Option<BorrowedFd<'_>> {
        self.keyboard.as_ref().map(AsFd::as_fd)
    }

    pub(crate) fn display(&self) -> Option<BorrowedFd<'_>> {
        self.display.as_ref().map(AsFd::as_fd)
    }

    /// How much may be written at once without waiting for the reader.
    pub(crate) fn most_at_once(&self) -> usize {
        // A pipe that has room has room for this much.
        if self.waits { rustix::pipe::PIPE_BUF } else { usize::MAX }
    }

    /// Nobody sees it any more.
    pub(crate) fn close_display(&mut self) {
        self.display = None;
    }

    /// Nobody is there any more.
    pub(crate) fn leave(&mut self) {
        self.keyboard = None;
        self.display = None;
    }

    /// Hand every byte through until the guard is dropped.
    pub(crate) fn raw(&self) -> io::Result<Option<Raw>> {
        self.keyboard().map(Raw::enter).transpose()
    }
}

/// The same terminal opened anew: not to wait is a property of the opening, and ours is shared with the shell.
fn reopen(terminal: BorrowedFd<'_>) -> Option<OwnedFd> {
    let name = rustix::termios::ttyname(terminal, Vec::new()).ok()?;
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let own = rustix::fs::open(&*name, flags, Mode::empty()).ok()?;
    let device = |fd: BorrowedFd<'_>| rustix::fs::fstat(fd).ok().map(|stat| stat.st_rdev);
    (device(own.as_fd()) == device(terminal)).then_some(own)
}

/// A terminal in raw mode. It is restored when this is dropped, and also by a panic anywhere in the process,
/// because a panic that aborts drops nothing.
#[derive(Debug)]
pub(crate) struct Raw {
    id: u64,
}

struct Changed {
    id: u64,
    thread: ThreadId,
    terminal: OwnedFd,
    before: Termios,
}

static CHANGED: Mutex<Vec<Changed>> = Mutex::new(Vec::new());

impl Raw {
    fn enter(terminal: BorrowedFd<'_>) -> io::Result<Self> {
        static HOOK: Once = Once::new();
        HOOK.call_once(|| {
            let next = panic::take_hook();
            panic::set_hook(Box::new(move |info| {
                restore_after_panic(cfg!(panic = "abort"));
                next(info);
            }));
        });
        let before = rustix::termios::tcgetattr(terminal)?;
        let mut raw = before.clone();
        raw.make_raw();
        let terminal = terminal.try_clone_to_owned()?;
        rustix::termios::tcsetattr(&terminal, OptionalActions::Now, &raw)?;
        let mut changed = changed();
        let id = changed.last().map_or(0, |last| last.id + 1);
        changed.push(Changed { id, thread: std::thread::current().id(), terminal, before });
        Ok(Self { id })
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        let mut changed = changed();
        if let Some(at) = changed.iter().position(|one| one.id == self.id) {
            changed.remove(at).restore();
        }
    }
}

impl Changed {
    /// Without waiting for output to drain: it was processed when it was written, and the reader may be gone.
    fn restore(&self) {
        let _ = rustix::termios::tcsetattr(&self.terminal, OptionalActions::Now, &self.before);
    }
}

/// Somebody panics, and what they say should be readable. If that ends the process, nothing else puts terminals
/// right; if it ends the thread that has one, it is about to.
fn restore_after_panic(ends_process: bool) {
    let thread = std::thread::current().id();
    // Whoever panics may hold the lock, and must not be waited for.
    if let Ok(changed) = CHANGED.try_lock() {
        changed.iter().filter(|one| ends_process || one.thread == thread).for_each(Changed::restore);
    }
}

fn changed() -> MutexGuard<'static, Vec<Changed>> {
    CHANGED.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Our end of a terminal, which keeps the other open, and the other.
    fn terminal() -> (OwnedFd, OwnedFd) {
        use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
        let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&ours).and_then(|()| unlockpt(&ours)).unwrap();
        let name = ptsname(&ours, Vec::new()).unwrap();
        let theirs = rustix::fs::open(&*name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).unwrap();
        (ours, theirs)
    }

    fn modes(terminal: &OwnedFd) -> (u32, u32) {
        let settings = rustix::termios::tcgetattr(terminal).unwrap();
        (settings.local_modes.bits(), settings.output_modes.bits())
    }

    #[test]
    fn it_is_as_it_was_after_a_drop_and_after_a_panic() {
        let (_ours, theirs) = terminal();
        let before = modes(&theirs);
        let raw = Raw::enter(theirs.as_fd()).unwrap();
        assert_ne!(modes(&theirs), before);
        drop(raw);
        assert_eq!(modes(&theirs), before);
        let same = theirs.try_clone().unwrap();
        let thread = std::thread::spawn(move || {
            let _raw = Raw::enter(same.as_fd()).unwrap();
            panic!("on purpose");
        });
        assert!(thread.join().is_err());
        assert_eq!(modes(&theirs), before);
    }

    #[test]
    fn a_panic_that_ends_the_process_restores_every_terminal() {
        let (_ours, theirs) = terminal();
        let before = modes(&theirs);
        let _raw = Raw::enter(theirs.as_fd()).unwrap();
        // Another thread that panics and only ends itself changes nothing.
        std::thread::spawn(|| restore_after_panic(false)).join().unwrap();
        assert_ne!(modes(&theirs), before);
        std::thread::spawn(|| restore_after_panic(true)).join().unwrap();
        assert_eq!(modes(&theirs), before);
    }
}
