//! The log as it grows, for those who show it: pieces in order, each with the place from which to go on.

use std::time::Duration;

use signalbox_core::Event;
use signalbox_store::Home;
use signalbox_store::log::{FileLog, LogError, Position};
use signalbox_store::watch::Watch;

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
        match self.read(None) {
            Err(LogError::Shrunk { .. }) => {
                self.position = self.log.end()?;
                Ok(None)
            }
            other => other,
        }
    }

    /// What comes next of what was written before a position that somebody else has reached.
    pub fn look_until(&mut self, until: &Position) -> Result<Option<Piece>, LogError> {
        self.read(Some(until))
    }

    fn read(&mut self, until: Option<&Position>) -> Result<Option<Piece>, LogError> {
        let Some((events, next)) = self.log.piece(&self.position, until)? else { return Ok(None) };
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
