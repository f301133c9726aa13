//! The log as it grows, for those who show it: pieces in order, each with the place from which to go on.

use std::time::Duration;

use signalbox_core::Event;
use signalbox_store::Home;
use signalbox_store::log::{EventLog, FileLog, Item, LogError, Position};
use signalbox_store::watch::Watch;

/// About how much is passed on at once, in bytes.
const PIECE: usize = 256 << 10;

/// What was written, and where to go on from.
#[derive(Debug)]
pub struct Piece {
    pub events: Vec<Event>,
    pub next: Position,
}

/// Follows the log from a place on.
#[derive(Debug)]
pub struct Follower {
    log: FileLog,
    position: Position,
    watch: Watch,
}

impl Follower {
    /// From here on; `None`: from now on.
    pub fn new(home: &Home, from: Option<Position>) -> Result<Self, LogError> {
        let log = FileLog::new(home.events());
        // Before the first look, so that nothing happens in between unnoticed.
        let watch = Watch::of_growth(&home.events());
        let position = match from {
            Some(from) => from,
            None => log.end()?,
        };
        Ok(Self { log, position, watch })
    }

    pub fn position(&self) -> &Position {
        &self.position
    }

    /// What has been written since, if anything. A log that became shorter is gone on with from its end.
    pub fn look(&mut self) -> Result<Option<Piece>, LogError> {
        let is_at_end = match self.log.is_at_end(&self.position) {
            Err(LogError::Shrunk { .. }) => {
                self.position = self.log.end()?;
                return Ok(None);
            }
            other => other?,
        };
        if is_at_end {
            return Ok(None);
        }
        self.read(None)
    }

    /// What comes next of what was written before a position that somebody else has reached.
    pub fn look_until(&mut self, until: &Position) -> Result<Option<Piece>, LogError> {
        self.read(Some(until))
    }

    fn read(&mut self, until: Option<&Position>) -> Result<Option<Piece>, LogError> {
        let mut events = Vec::new();
        let mut visit = |item: Item<'_>| {
            if let Item::Event(event) = item {
                events.push(*event);
            }
        };
        let next = match until {
            Some(until) => self.log.read_until(&self.position, until, PIECE, &mut visit)?,
            None => self.log.read_some(&self.position, PIECE, &mut visit)?,
        };
        if next == self.position {
            return Ok(None);
        }
        self.position = next.clone();
        Ok(Some(Piece { events, next }))
    }

    /// The same, waiting for at most so long.
    pub fn wait(&mut self, most: Duration) -> Result<Option<Piece>, LogError> {
        let begun = std::time::Instant::now();
        loop {
            if let Some(piece) = self.look()? {
                return Ok(Some(piece));
            }
            let rest = most.saturating_sub(begun.elapsed());
            if rest.is_zero() {
                return Ok(None);
            }
            if self.watch.doze(rest).is_err() {
                std::thread::sleep(rest);
            }
        }
    }
}
