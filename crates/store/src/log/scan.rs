//! Reading a stretch of the log: records, damage, and where a writer was killed.
//!
//! One command may write several records, and they count together or not at all. They stand next to each
//! other, because they were one write, and each says which of how many it is. If the last one never came,
//! the writer was killed, and the ones before it do not count.

use signalbox_core::Event;

use super::frame::{self, Broken};

/// Whether someone may be writing at the end of the file right now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tail {
    /// No lock is held: an unfinished end may be about to be finished.
    Live,
    /// The lock is held: an unfinished end was left by someone who died.
    Settled,
}

/// Something found in the log.
#[derive(Debug)]
pub enum Item<'a> {
    Event(Box<Event>),
    Damage(Damage<'a>),
}

/// A stretch of the log that is not a healthy record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage<'a> {
    pub offset: u64,
    pub bytes: &'a [u8],
    pub reason: Reason,
}

/// What is wrong with it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    #[error("its writer was killed half-way")]
    Torn,
    #[error("{0}")]
    Broken(Broken),
    #[error("the command that wrote it was killed before it wrote the rest")]
    Unfinished,
    #[error("the line breaks around it are not as they were written")]
    Framing,
}

impl Damage<'_> {
    /// Whether something that was acknowledged may be missing. What a killed writer left was not
    /// acknowledged, and a stray line break hides nothing.
    pub fn loses_data(&self) -> bool {
        matches!(self.reason, Reason::Broken(_))
    }
}

/// Visit everything in `bytes`, which begin at `start` in their file. Answers how many bytes are done with:
/// the rest must be read again when there is more.
pub fn scan<'a>(bytes: &'a [u8], start: u64, tail: Tail, visit: &mut dyn FnMut(Item<'a>)) -> usize {
    let mut scanner = Scanner { start, pending: Vec::new(), expected: (0, 0), damaged: false, visit };
    let mut at = 0;
    let mut done = 0;
    // At the very start and after a fragment, the rule of one empty line does not hold.
    let mut empty_lines = 0;
    let mut after_fragment = false;
    while let Some(length) = bytes[at..].iter().position(|b| *b == b'\n') {
        let line = &bytes[at..at + length];
        let next = at + length + 1;
        if line.is_empty() {
            empty_lines += 1;
        } else {
            if (empty_lines != 1) && !(empty_lines == 0 && after_fragment) {
                scanner.damage(at, line, Reason::Framing);
            }
            empty_lines = 0;
            after_fragment = false;
            match decode_or_salvage(line) {
                Ok((event, whole)) => {
                    if !whole {
                        scanner.damage(at, line, Reason::Framing);
                    }
                    scanner.event(at, line, event);
                }
                Err(broken) => match bytes.get(next) {
                    // Its own line break follows and then the next record's: it was written whole.
                    Some(b'\n') => scanner.broken(at, line, broken),
                    Some(_) => {
                        after_fragment = true;
                        scanner.torn(at, line);
                    }
                    None if tail == Tail::Settled => scanner.broken(at, line, broken),
                    None => break,
                },
            }
        }
        at = next;
        // An empty line may be the beginning of a record that is being written; it is seen again with it.
        if scanner.pending.is_empty() && !line.is_empty() {
            done = at;
        }
    }
    if !scanner.pending.is_empty() && tail == Tail::Settled {
        scanner.give_up();
        done = at;
    }
    done
}

/// The event in a line, and whether it was alone there. A line break that turned into something else leaves
/// the record as it was.
fn decode_or_salvage(line: &[u8]) -> Result<(Event, bool), Broken> {
    frame::decode(line).map(|event| (event, true)).or_else(|broken| {
        let trimmed = [line.split_last().map(|(_, rest)| rest), line.split_first().map(|(_, rest)| rest)];
        let salvaged = trimmed.into_iter().flatten().find_map(|rest| frame::decode(rest).ok());
        salvaged.map(|event| (event, false)).ok_or(broken)
    })
}

struct Scanner<'a, 'v> {
    start: u64,
    /// Records of a batch whose end has not been seen.
    pending: Vec<(usize, &'a [u8], Event)>,
    /// The next of how many.
    expected: (u32, u32),
    /// A whole line of the batch was damaged later: the writer was not killed.
    damaged: bool,
    visit: &'v mut dyn FnMut(Item<'a>),
}

impl<'a> Scanner<'a, '_> {
    fn event(&mut self, at: usize, line: &'a [u8], event: Event) {
        match event.batch {
            Some((index, count)) if count > 1 && index < count => {
                // Records that were damaged are passed over.
                let continues =
                    !self.pending.is_empty() && index >= self.expected.0 && count == self.expected.1;
                if !continues {
                    self.give_up();
                }
                self.pending.push((at, line, event));
                self.advance((index + 1, count));
            }
            _ => {
                self.give_up();
                (self.visit)(Item::Event(Box::new(event)));
            }
        }
    }

    /// A whole line that is not what was written. In a batch it takes the place of a record.
    fn broken(&mut self, at: usize, line: &'a [u8], broken: Broken) {
        self.damage(at, line, Reason::Broken(broken));
        if !self.pending.is_empty() {
            self.damaged = true;
            self.advance((self.expected.0 + 1, self.expected.1));
        }
    }

    /// The beginning of a record. If the batch goes on after it, it was damaged and not cut off.
    fn torn(&mut self, at: usize, line: &'a [u8]) {
        self.damage(at, line, Reason::Torn);
    }

    fn advance(&mut self, expected: (u32, u32)) {
        self.expected = expected;
        if expected.0 >= expected.1 {
            self.emit();
        }
    }

    /// No more of the batch comes. If its writer was killed, it never happened.
    fn give_up(&mut self) {
        if self.damaged {
            return self.emit();
        }
        for (at, line, _) in std::mem::take(&mut self.pending) {
            self.damage(at, line, Reason::Unfinished);
        }
    }

    fn emit(&mut self) {
        self.damaged = false;
        for (_, _, event) in self.pending.drain(..) {
            (self.visit)(Item::Event(Box::new(event)));
        }
    }

    fn damage(&mut self, at: usize, bytes: &'a [u8], reason: Reason) {
        (self.visit)(Item::Damage(Damage { offset: self.start + at as u64, bytes, reason }));
    }
}
