//! What is on its way to the program: keystrokes in their order, and text that is typed for the person.

use std::collections::VecDeque;
use std::os::fd::BorrowedFd;
use std::sync::atomic::Ordering;
use std::time::Instant;

use rustix::io::Errno;

use super::handle::{NotTyped, Ticket};

/// Above this the keyboard is not read; the person's terminal keeps the rest.
const ROOM: usize = 1 << 20;

#[derive(Debug, Default)]
pub(super) struct Typing {
    queue: VecDeque<Piece>,
    hold: Option<Hold>,
    /// What came during the hold, and whether keystrokes were among it.
    held: Vec<u8>,
    holds_keys: bool,
}

#[derive(Debug)]
struct Piece {
    bytes: Vec<u8>,
    written: usize,
    /// Who wants to know when it is written.
    ticket: Option<Ticket>,
}

#[derive(Debug)]
struct Hold {
    id: u64,
    ends: Instant,
}

impl Typing {
    /// What comes from the person's terminal: keystrokes, or answers of the terminal itself.
    pub fn push(&mut self, bytes: &[u8], is_typing: bool) {
        if self.hold.is_some() {
            self.held.extend_from_slice(bytes);
            self.holds_keys |= is_typing;
        } else {
            self.append(bytes);
        }
    }

    fn append(&mut self, bytes: &[u8]) {
        match self.queue.back_mut() {
            Some(piece) if piece.ticket.is_none() => piece.bytes.extend_from_slice(bytes),
            _ if bytes.is_empty() => {}
            _ => self.queue.push_back(Piece { bytes: bytes.to_vec(), written: 0, ticket: None }),
        }
    }

    /// Text that is typed for the person.
    pub fn type_for(&mut self, bytes: Vec<u8>, ticket: Ticket) {
        self.queue.push_back(Piece { bytes, written: 0, ticket: Some(ticket) });
    }

    pub fn may_type(&self) -> Result<(), NotTyped> {
        if self.hold.is_some() {
            Err(NotTyped::Held)
        } else if self.has_more() {
            Err(NotTyped::Backlog)
        } else {
            Ok(())
        }
    }

    pub fn may_type_under(&self, hold: u64) -> Result<(), NotTyped> {
        if self.hold.as_ref().is_some_and(|held| held.id == hold) { Ok(()) } else { Err(NotTyped::HoldOver) }
    }

    pub fn hold(&mut self, id: u64, ends: Instant) {
        self.hold = Some(Hold { id, ends });
    }

    pub fn hold_ends(&self) -> Option<Instant> {
        self.hold.as_ref().map(|hold| hold.ends)
    }

    /// The same as [`Self::release`], if this is the hold.
    pub fn release_if(&mut self, id: u64) -> bool {
        self.may_type_under(id).is_ok() && self.release()
    }

    /// Let the keystrokes go on that were held back. Whether there were any.
    pub fn release(&mut self) -> bool {
        self.hold = None;
        let held = std::mem::take(&mut self.held);
        self.append(&held);
        std::mem::take(&mut self.holds_keys)
    }

    pub fn has_more(&self) -> bool {
        !self.queue.is_empty()
    }

    /// Whether more keystrokes may come.
    pub fn has_room(&self) -> bool {
        let waiting: usize = self.queue.iter().map(|piece| piece.bytes.len() - piece.written).sum();
        waiting + self.held.len() < ROOM
    }

    /// Write as much as the program takes.
    pub fn write(&mut self, master: BorrowedFd<'_>) {
        while let Some(piece) = self.queue.front_mut() {
            if let Some(rest) = piece.bytes.get(piece.written..).filter(|rest| !rest.is_empty()) {
                match rustix::io::write(master, rest) {
                    Ok(count) => piece.written += count,
                    Err(Errno::INTR) => {}
                    Err(Errno::AGAIN) => return,
                    // The terminal is gone; its end is noticed elsewhere.
                    Err(_) => self.queue.clear(),
                }
            } else if let Some(Piece { ticket: Some(ticket), .. }) = self.queue.pop_front() {
                let _ = ticket.answer.send(Ok(()));
            }
        }
    }

    /// Take back what nobody waits for any more.
    pub fn drop_given_up(&mut self) {
        self.queue.retain(|piece| match &piece.ticket {
            Some(ticket) if ticket.given_up.load(Ordering::Acquire) => {
                let _ = ticket.answer.send(Err(NotTyped::Stuck { written: piece.written }));
                false
            }
            _ => true,
        });
    }
}
