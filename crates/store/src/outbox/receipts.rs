//! Receipts in the log. The log's lock is held for them, because one that counts must not be overlooked.

use std::io;

use jiff::{SignedDuration, Timestamp};
use serde::de::IgnoredAny;
use signalbox_core::inject::Receipt;
use signalbox_core::{Event, EventId, FORMAT_VERSION, Who};

use super::{Outbox, OutboxError, names};
use crate::clock;
use crate::lock::Lock;
use crate::log::{EventLog, FileLog, Item, Position, Tail};
use crate::store::event_id;

impl Outbox {
    /// Write receipts into the log, all or none. If that fails in the very end, when only the disk did not confirm it,
    /// they are there all the same: undoing what they say would make them lies.
    pub(super) fn write_down(&self, who: &Who, receipts: &[Receipt]) -> Result<(), OutboxError> {
        if receipts.is_empty() {
            return Ok(());
        }
        let now = clock::now();
        let mut events = Vec::with_capacity(receipts.len());
        for receipt in receipts {
            events.push(Event {
                v: FORMAT_VERSION,
                id: event_id(now),
                ts: now,
                event: receipt.name().to_owned(),
                ticket: None,
                project: self.project.clone(),
                actor: who.name().to_owned(),
                session: who.session().cloned(),
                lineage: who.lineage().to_vec(),
                rev: None,
                batch: None,
                data: receipt.data(&self.agent)?,
                crc: IgnoredAny,
            });
        }
        let folder = |source: io::Error| OutboxError::Folder { path: self.home.root().to_owned(), source };
        self.home.prepare().map_err(folder)?;
        let _lock = Lock::acquire(&self.home.lock(), |_| {}).map_err(folder)?;
        match FileLog::new(self.home.events()).record_together(&mut events) {
            Err(_) if self.are_written(receipts, now) => Ok(()),
            result => Ok(result?),
        }
    }

    fn are_written(&self, receipts: &[Receipt], now: Timestamp) -> bool {
        let is_written = |receipt: &Receipt| {
            self.written(&receipt.injection, now).is_ok_and(|written| written.contains(receipt))
        };
        receipts.iter().all(is_written)
    }

    /// What the log says of a message. Reads all that was written since it was queued: for what happens rarely.
    pub(super) fn written(&self, id: &EventId, now: Timestamp) -> Result<Vec<Receipt>, OutboxError> {
        let log = FileLog::new(self.home.events());
        // A clock that is set back does not put events into an older file, but the id may be from before midnight.
        let from = names::time_of(id).unwrap_or(now).min(now) - SignedDuration::from_hours(24);
        let seen =
            Position { previous: None, current: Some((format!("{}.jsonl", from.strftime("%Y-%m-%d")), 0)) };
        let mut found = Vec::new();
        if log.files()?.is_empty() {
            return Ok(found);
        }
        let read = log.read_after(&seen, Tail::Live, &mut |_, item| {
            if let Item::Event(event) = item
                && let Some((agent, receipt)) = Receipt::of(&event)
                && agent == self.agent
                && receipt.injection == *id
            {
                found.push(receipt);
            }
        });
        match read {
            // All files are older than the message.
            Err(crate::log::LogError::Shrunk { .. }) | Ok(_) => Ok(found),
            Err(error) => Err(error.into()),
        }
    }
}
