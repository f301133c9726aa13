//! What becomes of the program: it ends, is ended, or stops and goes on.

use std::io;
use std::time::Instant;

use rustix::process::Signal;

use super::typing::Typing;
use super::{Ended, LINGER, Loop, Pending, QUIET};
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
        self.child.signal(how);
        // Who is stopped hears nothing.
        self.child.signal(Signal::CONT);
        self.kill_at.get_or_insert(Instant::now() + self.grace);
    }

    pub(super) fn look_at_child(&mut self) -> io::Result<()> {
        while self.ended.is_none() {
            match self.child.change()? {
                None => break,
                Some(Change::Stopped) => self.suspend()?,
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

    /// The program has stopped: give the terminal back to the shell, and go on when the shell says so.
    fn suspend(&mut self) -> io::Result<()> {
        self.stop_by = None;
        if self.kill_at.is_some() {
            self.child.signal(Signal::CONT);
        } else if has_job_control() {
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
