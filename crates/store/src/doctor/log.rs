//! The log, read from its first byte: damage, repeats, records of a newer version, the link.

use std::collections::BTreeSet;

use serde::Deserialize;
use signalbox_core::escalation::Book;
use signalbox_core::{Board, Event, FORMAT_VERSION, Fact, TicketId};

use super::hooks::Failures;
use super::{Finding, Repair};
use crate::log::{Damage, EventLog, Item, Position, Reason, Tail};
use crate::store::{Store, StoreError};

/// Everything the log says, independent of the index.
#[derive(Debug, Default)]
pub(super) struct Scan {
    pub board: Board,
    pub changes: std::collections::BTreeMap<TicketId, Vec<Event>>,
    pub sessions_started: BTreeSet<String>,
    pub events: usize,
    pub hooks: Failures,
    pub escalations: Book,
    newest_version: u32,
    repeated: Vec<String>,
    unreadable: Vec<String>,
    damage: Vec<(String, u64, Vec<u8>, String, Loss)>,
    gaps: Vec<(TicketId, u64, u64)>,
    quarantined: BTreeSet<(String, u64)>,
}

/// What a damaged stretch costs.
#[derive(Debug, Clone, Copy)]
enum Loss {
    Record,
    Unfinished,
    Nothing,
}

impl Loss {
    fn of(damage: &Damage<'_>) -> Self {
        match damage.reason {
            Reason::Broken(_) => Self::Record,
            Reason::Torn | Reason::Unfinished => Self::Unfinished,
            Reason::Framing => Self::Nothing,
        }
    }
}

#[derive(Deserialize)]
struct Quarantined {
    file: String,
    offset: u64,
}

impl Scan {
    pub fn of(store: &Store) -> Result<Self, StoreError> {
        let mut scan = Self::default();
        let mut seen = BTreeSet::new();
        store.log().read_after(&Position::default(), Tail::Settled, &mut |file, item| match item {
            Item::Event(event) if seen.insert(event.id.clone()) => scan.event(&event),
            Item::Event(event) => scan.repeated.push(event.id.to_string()),
            Item::Damage(damage) => scan.damage.push((
                file.to_owned(),
                damage.offset,
                damage.bytes.to_vec(),
                damage.reason.to_string(),
                Loss::of(&damage),
            )),
        })?;
        Ok(scan)
    }

    fn event(&mut self, event: &Event) {
        self.events += 1;
        self.hooks.hear(event);
        if event.event.starts_with("escalation.") {
            self.escalations.apply(event);
        }
        self.newest_version = self.newest_version.max(event.v);
        match event.event.as_str() {
            "session.started" => {
                self.sessions_started.extend(event.session.as_ref().map(ToString::to_string));
            }
            // Prepared by a person, and not begun yet.
            "session.assigned" => {
                let data: serde_json::Value = serde_json::from_str(event.data.get()).unwrap_or_default();
                self.sessions_started.extend(data["session"].as_str().map(ToOwned::to_owned));
            }
            "doctor.quarantined" => {
                if let Ok(known) = serde_json::from_str::<Quarantined>(event.data.get()) {
                    self.quarantined.insert((known.file, known.offset));
                }
            }
            _ => {}
        }
        match Fact::of(event) {
            Err(error) => self.unreadable.push(format!("{} ({}): {error}", event.id, event.event)),
            Ok(None) => {}
            Ok(Some(fact)) => {
                let before = event.ticket.as_ref().and_then(|id| self.board.ticket(id)).map_or(0, |t| t.rev);
                if let (Some(ticket), Some(rev)) = (&event.ticket, event.rev.filter(|rev| *rev > before + 1))
                {
                    self.gaps.push((ticket.clone(), before, rev));
                }
                self.board.apply_fact(event, &fact);
                if fact.changes_ticket()
                    && let Some(ticket) = &event.ticket
                {
                    let mut event = event.clone();
                    event.rev = self.board.ticket(ticket).map(|t| t.rev);
                    self.changes.entry(ticket.clone()).or_default().push(event);
                }
            }
        }
    }

    pub fn findings(&self, store: &Store) -> Result<Vec<Finding>, StoreError> {
        let mut findings = Vec::new();
        for (file, offset, bytes, reason, severity) in &self.damage {
            if self.quarantined.contains(&(file.clone(), *offset)) {
                continue;
            }
            let what = format!("{file}, byte {offset}, {} bytes: {reason}", bytes.len());
            let (file, reason) = (file.clone(), reason.clone());
            let repair = Repair::Quarantine { file, offset: *offset, bytes: bytes.clone(), reason };
            findings.push(match severity {
                Loss::Record => Finding::problem("log", what).hint(
                    "What it said is lost, unless a backup has the file. --fix keeps the bytes aside and remembers that they are known.",
                ),
                Loss::Unfinished => Finding::note("log", format!("{what}; it does not count")).hint(
                    "If a command was killed, it had not been acknowledged. If the file was cut, look at backups.",
                ),
                Loss::Nothing => Finding::note("log", format!("{what}; the event in it is whole")),
            }
            .repair(repair));
        }
        for (ticket, before, rev) in &self.gaps {
            let what = crate::index::missing(ticket, *before, *rev);
            let file = ticket.to_string();
            if self.quarantined.contains(&(file.clone(), *rev)) {
                continue;
            }
            let repair = Repair::Quarantine { file, offset: *rev, bytes: Vec::new(), reason: what.clone() };
            findings.push(
                Finding::problem("log", what)
                    .hint("The ticket's file may still tell it. --fix remembers that it is known.")
                    .repair(repair),
            );
        }
        for id in &self.repeated {
            findings.push(Finding::note(
                "log",
                format!("event {id} stands in the log more than once; it counts once"),
            ));
        }
        for what in &self.unreadable {
            findings.push(
                Finding::problem("log", format!("event {what}"))
                    .hint("A newer version of Signalbox may have written it."),
            );
        }
        if self.newest_version > FORMAT_VERSION {
            findings.push(
                Finding::problem(
                    "log",
                    format!(
                        "the log has events of format {}, and this sb knows {FORMAT_VERSION}",
                        self.newest_version
                    ),
                )
                .hint("Use the newer sb."),
            );
        }
        if !store.log().link_is_right()? {
            findings.push(
                Finding::problem("log", "`events/current` does not point to the newest file")
                    .repair(Repair::RelinkLog),
            );
        }
        Ok(findings)
    }
}
