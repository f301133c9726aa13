//! Follows the event log, and passes on what is written there.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::SyncSender;
use std::time::Duration;

use signalbox_store::log::{FileLog, LogError, Position};

use crate::msg::Msg;
use crate::own_log::OwnLog;

/// How often the log is looked at: one question to the file system.
const LOOK: Duration = Duration::from_millis(100);

pub struct Feed {
    pub log: FileLog,
    pub inbox: SyncSender<Msg>,
    pub own_log: Arc<OwnLog>,
    pub over: Arc<AtomicBool>,
}

impl Feed {
    /// Pass on everything after this position, until the daemon ends.
    pub fn run(&self, mut position: Position) {
        let mut troubled = false;
        while !self.over.load(Ordering::Acquire) {
            match self.some(&position) {
                Ok(Some(next)) => {
                    position = next;
                    troubled = false;
                    continue;
                }
                Ok(None) => troubled = false,
                Err(error @ LogError::Shrunk { .. }) => {
                    // Somebody put an older log in its place. What it holds was heard before.
                    self.own_log.say(&format!("{error}; going on from its end"));
                    position = self.log.end().unwrap_or_default();
                }
                Err(error) => {
                    if !std::mem::replace(&mut troubled, true) {
                        self.own_log.say(&format!("the log cannot be followed: {error}"));
                    }
                }
            }
            std::thread::sleep(LOOK);
        }
    }

    /// The next piece; `None` where there is nothing new.
    fn some(&self, position: &Position) -> Result<Option<Position>, LogError> {
        let Some((events, next)) = self.log.piece(position, None)? else { return Ok(None) };
        // Whoever does not listen any more has ended.
        let _ = self.inbox.send(Msg::Logged { events, position: next.clone() });
        Ok(Some(next))
    }
}
