//! Catching up with the log.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::{Connection, OptionalExtension, params};
use signalbox_core::{Board, Event, Fact, Ticket, TicketId, time};

use super::listing;
use super::{Index, IndexError};
use crate::log::{EventLog, Item, Position, Tail};

/// What catching up brought.
#[derive(Debug, Default)]
pub struct CaughtUp {
    pub events: usize,
    /// Damage seen for the first time.
    pub damaged: usize,
}

/// So many events leave a long write-ahead log.
const MANY: usize = 200;

impl Index {
    /// How far the log has been read.
    pub fn position(&self) -> Result<Position, IndexError> {
        let text: Option<String> = self
            .connection
            .query_row("SELECT value FROM meta WHERE key = 'position'", [], |row| row.get(0))
            .optional()
            .map_err(|e| self.error(e))?;
        Ok(text.map(|text| serde_json::from_str(&text)).transpose()?.unwrap_or_default())
    }

    /// Read what the log has more.
    pub fn catch_up(&mut self, log: &dyn EventLog, tail: Tail) -> Result<CaughtUp, IndexError> {
        if log.is_at_end(&self.position()?)? {
            return Ok(CaughtUp::default());
        }
        crate::fault::point()
            .map_err(|e| self.error(rusqlite::Error::ToSqlConversionFailure(Box::new(e))))?;
        self.connection.execute_batch("BEGIN IMMEDIATE").map_err(|e| self.error(e))?;
        let result = self.ingest(log, tail);
        let end = if result.is_ok() { "COMMIT" } else { "ROLLBACK" };
        let ended = self.connection.execute_batch(end).map_err(|e| self.error(e));
        if ended.is_err() && result.is_ok() {
            let _ = self.connection.execute_batch("ROLLBACK");
        }
        let caught_up = result.and_then(|caught_up| ended.map(|()| caught_up))?;
        if caught_up.events > MANY {
            // Else the next command would read all of it again. If somebody is reading, it is for another time.
            let _ = self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
        }
        Ok(caught_up)
    }

    fn ingest(&self, log: &dyn EventLog, tail: Tail) -> Result<CaughtUp, IndexError> {
        let seen = self.position()?;
        let mut ingest = Ingest::new(&self.connection);
        let mut failure = None;
        let position = log.read_after(&seen, tail, &mut |file, item| {
            if failure.is_none() {
                failure = ingest.item(file, item).err();
            }
        })?;
        if let Some(error) = failure {
            return Err(self.error(error));
        }
        let caught_up = ingest.finish().map_err(|e| self.error(e))?;
        let text = serde_json::to_string(&position)?;
        self.connection
            .execute("INSERT OR REPLACE INTO meta VALUES ('position', ?1)", [text])
            .map_err(|e| self.error(e))?;
        Ok(caught_up)
    }
}

/// That lines of the log are missing, which only shows in what comes after.
pub(crate) fn missing(ticket: &TicketId, before: u64, after: u64) -> String {
    format!("{ticket} goes from rev {before} to {after}: what was between is missing from the log")
}

struct Ingest<'c> {
    connection: &'c Connection,
    board: Board,
    loaded: BTreeSet<TicketId>,
    changed: BTreeMap<TicketId, bool>,
    caught_up: CaughtUp,
}

impl<'c> Ingest<'c> {
    fn new(connection: &'c Connection) -> Self {
        Self {
            connection,
            board: Board::default(),
            loaded: BTreeSet::new(),
            changed: BTreeMap::new(),
            caught_up: CaughtUp::default(),
        }
    }

    fn item(&mut self, file: &str, item: Item<'_>) -> rusqlite::Result<()> {
        match item {
            Item::Event(event) => self.event(file, &event),
            Item::Damage(damage) => self.damage(
                file,
                damage.offset,
                damage.bytes.len(),
                &damage.reason.to_string(),
                damage.loses_data(),
            ),
        }
    }

    fn damage(
        &mut self,
        file: &str,
        start: u64,
        bytes: usize,
        reason: &str,
        loses_data: bool,
    ) -> rusqlite::Result<()> {
        let mut insert =
            self.connection.prepare_cached("INSERT OR IGNORE INTO damage VALUES (?1, ?2, ?3, ?4, ?5)")?;
        let start = i64::try_from(start).unwrap_or(i64::MAX);
        let size = i64::try_from(bytes).unwrap_or(i64::MAX);
        self.caught_up.damaged += insert.execute(params![file, start, size, reason, loses_data])?;
        Ok(())
    }

    fn event(&mut self, file: &str, event: &Event) -> rusqlite::Result<()> {
        let fact = match Fact::of(event) {
            Ok(fact) => fact.filter(|_| event.ticket.is_some()),
            Err(error) => {
                // A healthy line that this version cannot read: a newer one wrote it.
                self.damage(
                    file,
                    0,
                    event.data.get().len(),
                    &format!("{} {}: {error}", event.event, event.id),
                    false,
                )?;
                None
            }
        };
        let rev = self.next_rev(event, fact.as_ref())?;
        if !self.insert(event, rev)? {
            return self.damage(file, 0, 0, &format!("{} stands in the log twice", event.id), false);
        }
        self.caught_up.events += 1;
        if let (Some(fact), Some(id)) = (&fact, &event.ticket) {
            let before = self.board.ticket(id).map_or(0, |t| t.rev);
            if let Some(rev) = rev.filter(|rev| *rev > before + 1) {
                self.damage(file, 0, 0, &missing(id, before, rev), true)?;
            }
            self.board.apply_fact(event, fact);
            *self.changed.entry(id.clone()).or_default() |= fact.changes_ticket();
        }
        Ok(())
    }

    /// The ticket's revision after the event, where the event changes one.
    fn next_rev(&mut self, event: &Event, fact: Option<&Fact>) -> rusqlite::Result<Option<u64>> {
        let (Some(id), true) = (&event.ticket, fact.is_some()) else { return Ok(None) };
        self.load(id)?;
        let before = self.board.ticket(id).map_or(0, |t| t.rev);
        let changes = fact.is_some_and(Fact::changes_ticket);
        Ok(changes.then(|| event.rev.unwrap_or(0).max(before + 1)))
    }

    fn load(&mut self, id: &TicketId) -> rusqlite::Result<()> {
        if self.loaded.insert(id.clone()) {
            let mut select = self.connection.prepare_cached("SELECT state FROM states WHERE ticket = ?1")?;
            let state: Option<String> = select.query_row([id.as_str()], |row| row.get(0)).optional()?;
            if let Some(ticket) = state.and_then(|state| serde_json::from_str(&state).ok()) {
                self.board.insert(ticket);
            }
        }
        Ok(())
    }

    /// Whether the event was new.
    fn insert(&self, event: &Event, rev: Option<u64>) -> rusqlite::Result<bool> {
        let mut insert = self.connection.prepare_cached(
            "INSERT OR IGNORE INTO events (id, ts, ts_ns, event, ticket, project, actor, session, lineage, rev, data)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        )?;
        let lineage: Vec<&str> = event.lineage.iter().map(signalbox_core::SessionId::as_str).collect();
        let inserted = insert.execute(params![
            event.id.as_str(),
            time::exact(event.ts),
            i64::try_from(event.ts.as_nanosecond()).unwrap_or(i64::MAX),
            event.event,
            event.ticket.as_ref().map(signalbox_core::TicketId::as_str),
            event.project.as_ref().map(signalbox_core::ProjectName::as_str),
            event.actor,
            event.session.as_ref().map(signalbox_core::SessionId::as_str),
            (!lineage.is_empty()).then(|| lineage.join(" ")),
            rev.map(|rev| i64::try_from(rev).unwrap_or(i64::MAX)),
            event.data.get(),
        ])?;
        Ok(inserted == 1)
    }

    fn finish(self) -> rusqlite::Result<CaughtUp> {
        for (id, file_is_behind) in &self.changed {
            if let Some(ticket) = self.board.ticket(id) {
                self.write(ticket)?;
            }
            if *file_is_behind {
                self.connection
                    .prepare_cached("INSERT OR IGNORE INTO behind VALUES (?1)")?
                    .execute([id.as_str()])?;
            }
        }
        Ok(self.caught_up)
    }

    fn write(&self, ticket: &Ticket) -> rusqlite::Result<()> {
        let json = |value: serde_json::Result<String>| {
            value.map_err(|e| rusqlite::Error::ToSqlConversionFailure(e.into()))
        };
        let id = ticket.id.as_str();
        let line = listing::pack(&ticket.into());
        self.connection
            .prepare_cached(
                "INSERT OR REPLACE INTO tickets VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
            )?
            .execute(params![
                id,
                line,
                ticket.project.as_str(),
                ticket.status.as_str(),
                ticket.priority.as_str(),
                ticket.title,
                ticket.assignee,
                ticket.created.as_millisecond(),
                ticket.updated.as_millisecond(),
                id.to_ascii_lowercase(),
                ticket.assignee_session.as_ref().map(signalbox_core::SessionId::as_str),
                ticket.initiative,
                json(serde_json::to_string(&ticket.tags))?,
                ticket.escalated,
                i64::try_from(ticket.rev).unwrap_or(i64::MAX),
            ])?;
        self.connection
            .prepare_cached("INSERT OR REPLACE INTO states VALUES (?1, ?2)")?
            .execute(params![id, json(serde_json::to_string(ticket))?])?;
        self.connection.prepare_cached("DELETE FROM dependencies WHERE ticket = ?1")?.execute([id])?;
        for dependency in &ticket.depends_on {
            self.connection
                .prepare_cached("INSERT OR IGNORE INTO dependencies VALUES (?1, ?2)")?
                .execute([id, dependency.as_str()])?;
        }
        Ok(())
    }
}
