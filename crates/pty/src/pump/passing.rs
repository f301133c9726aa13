//! Bytes from the keyboard to the program, and from the program to the screen.

use std::sync::atomic::Ordering;
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::{Loop, Pending, QUIET, READS_AT_ONCE, handle};

impl Loop {
    pub(super) fn read_keyboard(&mut self) {
        let Some(keyboard) = self.person.keyboard() else { return };
        match rustix::io::read(keyboard, &mut self.buffer[..]) {
            Ok(count @ 1..) => {
                let bytes = self.buffer.get(..count).unwrap_or_default().to_vec();
                let is_typing = self.keyboard.follow(&bytes, Instant::now());
                self.take_input(&bytes, is_typing);
            }
            Err(Errno::INTR | Errno::AGAIN) => {}
            // The terminal is gone.
            Ok(_) | Err(_) => self.hang_up(),
        }
    }

    /// What the person typed, at the keyboard or in the read-write seat.
    pub(super) fn take_input(&mut self, bytes: &[u8], is_typing: bool) {
        // Asked before the program can have read it.
        let is_secret = self.tap.is_some() && self.child.reads_a_password();
        self.typing.push(bytes, is_typing);
        self.pass_on(is_typing);
        if let Some(tap) = self.tap.as_ref().filter(|_| !is_secret) {
            tap.input(bytes);
            self.gathering.add(bytes.len(), Instant::now());
        }
    }

    /// Write what there is for the program. Keys that were held back count a second time when they are let go: only then can
    /// the program show them.
    pub(super) fn pass_on(&mut self, has_keys: bool) {
        self.typing.write(self.child.master());
        if has_keys {
            *handle::lock(&self.shared.last_input) = Some(Instant::now());
            self.shared.input_seq.fetch_add(1, Ordering::AcqRel);
        }
    }

    /// Pass on what the program has written, as long as all of it is taken.
    pub(super) fn read_child_for_a_while(&mut self) {
        for _ in 0..READS_AT_ONCE {
            if !self.read_child() || !self.has_room || !self.shown.left().is_empty() {
                return;
            }
        }
    }

    /// Pass on what the program has written. Says whether there was anything.
    pub(super) fn read_child(&mut self) -> bool {
        let count = match rustix::io::read(self.child.master(), &mut self.buffer[..]) {
            Ok(count @ 1..) => count,
            Err(Errno::INTR | Errno::AGAIN) => return false,
            // Everybody has closed the other end, which only happens once the program has ended.
            Ok(_) | Err(_) => {
                if let Some(ended) = &mut self.ended {
                    ended.at_latest = Instant::now();
                }
                return false;
            }
        };
        self.shared.answered.store(self.shared.input_seq.load(Ordering::Acquire), Ordering::Release);
        self.shared.is_silent.store(false, Ordering::Release);
        let buffer = std::mem::take(&mut self.buffer);
        let bytes = buffer.get(..count).unwrap_or_default();
        self.show(bytes);
        if let Some(tap) = &self.tap {
            if self.stalled.is_some() {
                tap.lost(count as u64);
            } else {
                self.has_room = tap.output(bytes);
            }
            let now = Instant::now();
            self.gathering.add(count, now);
            self.gathering.wake_if_due(tap, now);
        }
        self.buffer = buffer;
        if let Some(ended) = &mut self.ended {
            ended.quiet_at = Instant::now() + QUIET;
        }
        true
    }

    /// Pass output on, and keep what the person's terminal does not take at once.
    pub(super) fn show(&mut self, bytes: &[u8]) {
        if !self.shown.left().is_empty() {
            self.shown.push(bytes);
            return;
        }
        let written = self.write_to_display(bytes);
        let rest = bytes.get(written..).unwrap_or_default();
        if !rest.is_empty() && self.person.display().is_some() {
            self.shown.push(rest);
        }
    }

    pub(super) fn show_rest(&mut self) {
        let pending = std::mem::take(&mut self.shown);
        let written = self.write_to_display(pending.left());
        self.shown = Pending { written: pending.written + written, bytes: pending.bytes };
        if self.person.display().is_none() {
            self.shown = Pending::default();
        }
    }

    /// How much was written without waiting.
    fn write_to_display(&mut self, bytes: &[u8]) -> usize {
        let mut written = 0;
        while let Some(rest) = bytes.get(written..).filter(|rest| !rest.is_empty()) {
            let Some(display) = self.person.display() else { break };
            let most = self.person.most_at_once();
            if most < usize::MAX {
                let mut fds = [PollFd::from_borrowed_fd(display, PollFlags::OUT)];
                if !poll(&mut fds, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })).is_ok_and(|ready| ready > 0) {
                    break;
                }
            }
            match rustix::io::write(display, rest.get(..most).unwrap_or(rest)) {
                // What is not taken now is not taken a moment later either.
                Ok(count) if count < rest.len().min(most) => return written + count,
                Ok(count) => written += count,
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => break,
                // Whoever looked on is gone; the program goes on.
                Err(_) => self.person.close_display(),
            }
        }
        written
    }
}
