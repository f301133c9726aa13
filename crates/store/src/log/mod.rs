//! The event log: the truth. Daily files of one JSON object a line, appended to and never rewritten.
//!
//! Whatever keeps the log must give three things: append several events together or not at all, refuse if
//! one of the tickets they concern has moved on meanwhile, and read everything after a position in order.
//! [`FileLog`] does it with files and a lock; another engine can do it with streams.

mod file;
mod frame;
mod scan;

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
