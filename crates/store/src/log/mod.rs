//! The event log: the truth. Daily files of one JSON object a line, appended to and never rewritten.
//!
//! Whatever keeps the log must give three things: append several events together or not at all, refuse if
//! one of the tickets they concern has moved on meanwhile, and read everything after a position in order.
//! [`FileLog`] does it with files and a lock; another engine can do it with streams.

mod file;
mod frame;
mod scan;

use std::fmt;
use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use signalbox_core::{Event, TicketId};

pub use file::FileLog;
pub use frame::{Broken, encode};
pub use scan::{Damage, Item, Reason, Tail, scan};

/// How far the log has been read: everything before it, and nothing after.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    /// The file before the newest: around midnight it may still grow.
    pub previous: Option<(String, u64)>,
    pub current: Option<(String, u64)>,
}

/// `2026-11-14.jsonl:120,2026-11-15.jsonl:3400`: each file that is not done with, and how far. Whoever follows the log
/// keeps it to go on from there.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let marks = [&self.previous, &self.current];
        for (number, (file, at)) in marks.into_iter().flatten().enumerate() {
            let comma = if number > 0 { "," } else { "" };
            write!(f, "{comma}{file}:{at}")?;
        }
        Ok(())
    }
}

impl std::str::FromStr for Position {
    type Err = NoPosition;

    fn from_str(text: &str) -> Result<Self, NoPosition> {
        let mut marks = Vec::new();
        for mark in text.split(',').filter(|mark| !mark.is_empty()) {
            let (file, at) = mark.rsplit_once(':').ok_or(NoPosition)?;
            let at = at.parse().map_err(|_| NoPosition)?;
            if !file.ends_with(".jsonl") || file.contains('/') {
                return Err(NoPosition);
            }
            marks.push((file.to_owned(), at));
        }
        match marks.as_slice() {
            [] => Ok(Self::default()),
            [current] => Ok(Self { previous: None, current: Some(current.clone()) }),
            [previous, current] => {
                Ok(Self { previous: Some(previous.clone()), current: Some(current.clone()) })
            }
            _ => Err(NoPosition),
        }
    }
}

/// The text is not a position of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this is not a position of the log")]
pub struct NoPosition;

#[derive(Debug, thiserror::Error)]
pub enum LogError {
    #[error("read the event log {path}")]
    Read { path: PathBuf, source: io::Error },
    #[error("write the event log {path}")]
    Write { path: PathBuf, source: io::Error },
    #[error("make a log record of an event")]
    Encode(#[source] serde_json::Error),
    #[error("{0} has changed meanwhile")]
    Conflict(TicketId),
    #[error(
        "the event log is shorter than what was read of it before: {file} has {size} bytes, and {read} were read"
    )]
    Shrunk { file: String, size: u64, read: u64 },
}

/// An engine that keeps the log.
pub trait EventLog {
    /// Write all the events or none, flushed, unless something that concerns their tickets was written
    /// after `seen`. Callers of an engine without its own ordering hold the store's lock.
    fn append(&self, events: &mut [Event], seen: &Position) -> Result<(), LogError>;

    /// Write one event that decides nothing: neither flushed nor ordered against others.
    fn record(&self, event: &Event) -> Result<(), LogError>;

    /// Whether nothing was written after `seen`.
    fn is_at_end(&self, seen: &Position) -> Result<bool, LogError>;

    /// About how many bytes there are after `seen`.
    fn bytes_after(&self, seen: &Position) -> Result<u64, LogError>;

    /// Visit everything after `seen`; the answer is the new position.
    fn read_after(
        &self,
        seen: &Position,
        tail: Tail,
        visit: &mut dyn FnMut(&str, Item<'_>),
    ) -> Result<Position, LogError>;
}
