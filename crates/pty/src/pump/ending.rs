//! What becomes of the program: it ends, is ended, or stops and goes on.

use std::io;
use std::os::fd::BorrowedFd;
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::Signal;

use super::typing::Typing;
use super::{Ended, LINGER, Loop, Pending, QUIET, STOPS_WITHIN};
use crate::spawn::Change;

impl Loop {
    /// The person's terminal is gone, and with it the program's.
    pub(super) fn hang_up(&mut self) {
        self.person.leave();
        self.raw = None;
        self.shown = Pending::default();
        self.end_child(Signal::HUP);
    }

    pub(super) fn end_child(&mut self, how: Signal) {
        if self.ended.is_some() {
            // All that is left is a terminal that does not take the last words.
            self.shown = Pending::default();
            return;
        }
        self.child.signal(how);
        // Who is stopped hears nothing.
        self.child.signal(Signal::CONT);
        self.kill_at.get_or_insert(Instant::now() + self.grace);
    }

    pub(super) fn look_at_child(&mut self) -> io::Result<()> {
        while self.ended.is_none() {
            match self.child.change()? {
                None => break,
                Some(Change::Stopped) => {
                    self.suspend()?;
                    // If it stops once more, a signal says so again; others may have come meanwhile and go first.
                    break;
                }
                Some(Change::Ended(exit)) => {
                    let now = Instant::now();
                    // From here on the kernel reports when the last of its output was read.
                    self.child.other_end = None;
                    self.typing = Typing::default();
                    self.kill_at = None;
                    self.ended = Some(Ended { exit, quiet_at: now + QUIET, at_latest: now + LINGER });
                }
            }
        }
        Ok(())
    }

    /// Pass on what a program has written that writes no more for now.
    fn pass_rest(&mut self) {
        let deadline = Instant::now() + LINGER;
        let is_ready = |fd: BorrowedFd<'_>, flags: PollFlags| {
            let moment = Timespec { tv_sec: 0, tv_nsec: QUIET.subsec_nanos().into() };
            poll(&mut [PollFd::from_borrowed_fd(fd, flags)], Some(&moment)).is_ok_and(|ready| ready > 0)
        };
        while Instant::now() < deadline {
            if !self.shown.left().is_empty() {
                if self.person.display().is_some_and(|display| is_ready(display, PollFlags::OUT)) {
                    self.show_rest();
                }
            } else if is_ready(self.child.master(), PollFlags::IN) {
                self.read_child();
            } else {
                return;
            }
        }
    }

    /// Stop a program that was asked to stop and did not. Where it cannot be stopped either, as between fork and exec,
    /// nobody waits for it.
    pub(super) fn stop_child(&mut self) -> io::Result<()> {
        if std::mem::replace(&mut self.is_stopping, true) {
            return self.suspend();
        }
        self.child.signal(Signal::STOP);
        self.stop_by = Some(Instant::now() + STOPS_WITHIN);
        Ok(())
    }

    /// The program has stopped: give the terminal back to the shell, and go on when the shell says so.
    fn suspend(&mut self) -> io::Result<()> {
        self.stop_by = None;
        self.is_stopping = false;
        if self.kill_at.is_some() {
            self.child.signal(Signal::CONT);
        } else if has_job_control() {
            // Its last words often put the screen right for the shell.
            self.pass_rest();
            self.raw = None;
            // All of the job, as the terminal does it: a script around us must not be left running.
            rustix::process::kill_current_process_group(Signal::STOP)?;
            // Continued. In the background this waits until we are in front again.
            self.raw = self.person.raw()?;
            if let Some(size) = self.person.size() {
                self.resize(size);
            }
            self.child.signal(Signal::CONT);
        } else if self.person.is_present() {
            // Nobody could ever continue it.
            self.child.signal(Signal::CONT);
        }
        Ok(())
    }
}

/// Whether a shell with job control waits for us. It puts each job into a group of its own; who is in the
/// group of the session's leader was started without a shell.
pub(super) fn has_job_control() -> bool {
    let leader = rustix::process::getsid(None).and_then(|leader| rustix::process::getpgid(Some(leader)));
    leader.is_ok_and(|group| group != rustix::process::getpgrp())
}
