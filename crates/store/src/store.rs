//! The path of a command: lock, catch up, decide, append, project, unlock.

use std::path::Path;

use jiff::Timestamp;
use serde::Serialize;
use serde_json::value::to_raw_value;
use signalbox_core::{
    Board, Command, Draft, Event, EventId, FORMAT_VERSION, ProjectName, Refusal, Ticket, TicketId, Who,
    decide,
};

use crate::home::Home;
use crate::index::{CaughtUp, Index, IndexError};
use crate::lock::Lock;
use crate::log::{EventLog, FileLog, LogError, Tail};
use crate::outbox::OutboxError;
use crate::vault::{Update, Vault, VaultError};
use crate::{clock, entropy, files};

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error(transparent)]
    Refused(#[from] Refusal),
    #[error(transparent)]
    Log(#[from] LogError),
    #[error(transparent)]
    Index(#[from] IndexError),
    #[error(transparent)]
    Vault(#[from] VaultError),
    #[error("make an event")]
    Event(#[from] serde_json::Error),
    #[error("use {path}")]
    Home { path: std::path::PathBuf, source: std::io::Error },
}

impl From<OutboxError> for StoreError {
    fn from(error: OutboxError) -> Self {
        match error {
            OutboxError::Folder { path, source } => Self::Home { path, source },
            OutboxError::Log(error) => Self::Log(error),
            OutboxError::Receipt(error) => Self::Event(error),
        }
    }
}

/// Something a person should know, though the command was carried out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Warning {
    /// The command is in the log, but a projection of it could not be written; the next command will.
    Behind(String),
    /// A ticket file was changed by hand in these properties, and they were left as they are.
    HandEdited {
        ticket: TicketId,
        properties: Vec<String>,
    },
    Recreated(TicketId),
    Foreign(TicketId),
    /// Damaged lines were found in the log.
    Damage(usize),
    /// The log has become shorter than it was.
    Shrunk(String),
    /// The clock is behind the newest event.
    ClockBehind {
        newest: Timestamp,
    },
}

/// What a command did.
#[derive(Debug)]
pub struct Outcome {
    /// Empty where all was as asked for already.
    pub events: Vec<Event>,
    /// The ticket the command was about, as it is now.
    pub ticket: Option<Ticket>,
    /// Other tickets that moved because of it.
    pub also: Vec<Ticket>,
    pub warnings: Vec<Warning>,
}

/// The log and its projections.
#[derive(Debug)]
pub struct Store {
    home: Home,
    log: FileLog,
    vault: Vault,
    on_slow: fn(Slow),
}

/// What takes long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slow {
    /// Much of the log is to be read.
    Reading { bytes: u64 },
    /// Another process holds the lock.
    Waiting { holder: Option<u32> },
}

/// Reading more of the log than this takes long enough for a word.
const LONG_READ: u64 = 32 * 1024 * 1024;

/// How often it is asked whether something may be done, because it has become something else meanwhile.
const QUESTIONS: usize = 3;

impl Store {
    pub fn new(home: Home, vault: impl AsRef<Path>) -> Self {
        let log = FileLog::new(home.events());
        Self { home, log, vault: Vault::new(vault.as_ref()), on_slow: |_| {} }
    }

    /// Say so when something takes a second or more.
    #[must_use]
    pub fn on_slow(mut self, say: fn(Slow)) -> Self {
        self.on_slow = say;
        self
    }

    pub fn home(&self) -> &Home {
        &self.home
    }

    pub fn log(&self) -> &FileLog {
        &self.log
    }

    pub fn vault(&self) -> &Vault {
        &self.vault
    }

    /// The index, caught up with the log, for reading. Takes no lock that others wait for.
    pub fn read(&self) -> Result<(Index, Vec<Warning>), StoreError> {
        if let Some(index) = Index::open_existing(&self.home.index())
            && index.position().is_ok_and(|position| self.log.is_at_end(&position).unwrap_or(false))
            && index.behind().is_ok_and(|behind| behind.is_empty())
        {
            return Ok((index, Vec::new()));
        }
        let mut warnings = Vec::new();
        let caught_up =
            if self.home.exists() { self.caught_up(Tail::Live, &mut warnings) } else { self.in_memory() };
        let index = match caught_up {
            // The home cannot be written to, or the disk is full: the log can still be read.
            Err(StoreError::Index(IndexError::Sqlite { .. })) => self.in_memory()?,
            result => result?,
        };
        // Whoever wrote last may have died before it wrote the markdown. If the lock is taken, somebody is at
        // work and will do it.
        if index.is_writable()
            && !index.behind()?.is_empty()
            && let Ok(Some(_lock)) = Lock::try_acquire(&self.home.lock())
        {
            self.heal(&index, &mut warnings);
        }
        Ok((index, warnings))
    }

    fn in_memory(&self) -> Result<Index, StoreError> {
        let mut index = Index::in_memory(&self.home.index())?;
        if self.home.exists() {
            index.catch_up(&self.log, Tail::Live)?;
        }
        Ok(index)
    }

    fn caught_up(&self, tail: Tail, warnings: &mut Vec<Warning>) -> Result<Index, StoreError> {
        let (index, caught_up) = match self.catch_up(tail) {
            Err(StoreError::Index(IndexError::Log(error @ LogError::Shrunk { .. }))) => {
                warnings.push(Warning::Shrunk(error.to_string()));
                // It may hold what the log has lost.
                self.keep_index()?;
                Index::delete(&self.home.index());
                self.catch_up(tail)
            }
            Err(StoreError::Index(error)) if error.is_damage() => {
                Index::delete(&self.home.index());
                self.catch_up(tail)
            }
            result => result,
        }?;
        if caught_up.damaged > 0 {
            warnings.push(Warning::Damage(caught_up.damaged));
        }
        Ok(index)
    }

    /// Keep a copy of the index that knows more than the log.
    fn keep_index(&self) -> Result<(), StoreError> {
        let folder = self.home.quarantine().join("index");
        let kept = folder.join(format!("{}.db", clock::now().strftime("%Y-%m-%dT%H%M%S")));
        let copy =
            files::create_private_dir(&folder).and_then(|()| Index::copy_to(&self.home.index(), &kept));
        copy.map_err(|source| StoreError::Home { path: kept, source })
    }

    fn catch_up(&self, tail: Tail) -> Result<(Index, CaughtUp), StoreError> {
        let mut index = Index::open(&self.home.index())?;
        self.say_if_long(&index)?;
        let caught_up = index.catch_up(&self.log, tail)?;
        Ok((index, caught_up))
    }

    fn say_if_long(&self, index: &Index) -> Result<(), StoreError> {
        let bytes = self.log.bytes_after(&index.position()?)?;
        if bytes > LONG_READ {
            (self.on_slow)(Slow::Reading { bytes });
        }
        Ok(())
    }

    /// Carry out a command. It is built under the lock from what is true then.
    pub fn execute(
        &self,
        who: &Who,
        build: &dyn Fn(&Index) -> Result<Command, StoreError>,
    ) -> Result<Outcome, StoreError> {
        let locked = self.locked()?;
        let command = build(&locked.1)?;
        let decided = Decided::new(&locked.1, who, &command)?;
        self.carry_out(locked, &command, decided)
    }

    /// Carry out a command if `may` has nothing against its events. It is asked while no lock is held, because it may
    /// take long; if the tickets have moved meanwhile so that something else would happen, it is asked again.
    pub fn execute_if(
        &self,
        who: &Who,
        build: &dyn Fn(&Index) -> Result<Command, StoreError>,
        may: &mut dyn FnMut(&[Event]) -> Result<(), Refusal>,
    ) -> Result<Outcome, StoreError> {
        for _ in 0..QUESTIONS {
            let (index, mut warnings) = self.read()?;
            // Not built anew under the lock: a ticket that is filed has a random id.
            let command = build(&index)?;
            let asked = Decided::new(&index, who, &command)?;
            let (events, _) = asked.stamped(self.now(&index, &mut warnings)?)?;
            drop(index);
            may(&events)?;
            let locked = self.locked()?;
            let decided = Decided::new(&locked.1, who, &command)?;
            if decided.drafts == asked.drafts {
                return self.carry_out(locked, &command, decided);
            }
        }
        let message = "the tickets moved each time while it was asked whether this may be done";
        Err(Refusal::new("store.moving", message).hint("Run it again.").into())
    }

    /// Write down what was decided under the lock, and bring everything else up to date.
    fn carry_out(
        &self,
        (_lock, index, mut warnings): (Lock, Index, Vec<Warning>),
        command: &Command,
        decided: Decided,
    ) -> Result<Outcome, StoreError> {
        let now = self.now(&index, &mut warnings)?;
        let (mut events, after) = decided.stamped(now)?;
        self.log.append(&mut events, &index.position()?)?;
        // From here on the command has happened. What fails now is put right by the next one.
        let index = match self.project(index, &mut warnings) {
            Ok(index) => index,
            Err(error) => {
                warnings.push(Warning::Behind(chain(&error)));
                let subject = subject(command, &events);
                let ticket = subject.and_then(|id| after.ticket(&id).cloned());
                return Ok(Outcome { events, ticket, also: Vec::new(), warnings });
            }
        };
        let subject = subject(command, &events);
        let mut also = Vec::new();
        for event in &events {
            if event.ticket != subject
                && let Some(id) = &event.ticket
            {
                also.extend(index.ticket(id)?);
            }
        }
        let ticket = subject.map(|id| index.ticket(&id)).transpose()?.flatten();
        Ok(Outcome { events, ticket, also, warnings })
    }

    /// Write events of no ticket together with what they mean for tickets: all or nothing. Callers hold the lock.
    pub(crate) fn tell_together(
        &self,
        index: Index,
        mut warnings: Vec<Warning>,
        who: &Who,
        project: Option<&ProjectName>,
        told: &[(&'static str, impl Serialize)],
        command: &Command,
    ) -> Result<Outcome, StoreError> {
        let decided = Decided::new(&index, who, command)?;
        let now = self.now(&index, &mut warnings)?;
        let apart = told
            .iter()
            .map(|(name, data)| Event::apart(event_id(now), now, name, who, project.cloned(), data));
        let mut events = apart.collect::<Result<Vec<_>, _>>()?;
        let (moved, after) = decided.stamped(now)?;
        let also = moved.iter().filter_map(|event| after.ticket(event.ticket.as_ref()?).cloned()).collect();
        events.extend(moved);
        self.log.append(&mut events, &index.position()?)?;
        if let Err(error) = self.project(index, &mut warnings) {
            warnings.push(Warning::Behind(chain(&error)));
        }
        Ok(Outcome { events, ticket: None, also, warnings })
    }

    /// Write an event that changes no ticket. `ordered` where it counts for a ticket all the same.
    pub fn note_event(
        &self,
        who: &Who,
        name: &str,
        ticket: Option<&TicketId>,
        project: Option<&ProjectName>,
        data: &impl Serialize,
    ) -> Result<Event, StoreError> {
        self.prepare()?;
        let now = clock::now();
        let event = Event {
            v: FORMAT_VERSION,
            id: event_id(now),
            ts: now,
            event: name.to_owned(),
            ticket: ticket.cloned(),
            project: project.cloned(),
            actor: who.name().to_owned(),
            session: who.session().cloned(),
            lineage: who.lineage().to_vec(),
            rev: None,
            batch: None,
            data: to_raw_value(data)?,
            crc: serde::de::IgnoredAny,
        };
        // An event of a ticket keeps its place among the others of that ticket.
        let _lock = ticket.map(|_| self.lock()).transpose()?;
        self.log.record(&event)?;
        Ok(event)
    }

    /// Build the index anew. Answers how many events it holds.
    pub fn rebuild_index(&self) -> Result<usize, StoreError> {
        self.prepare()?;
        let _lock = self.lock()?;
        Index::delete(&self.home.index());
        let mut index = Index::open(&self.home.index())?;
        self.say_if_long(&index)?;
        index.catch_up(&self.log, Tail::Settled)?;
        self.heal(&index, &mut Vec::new());
        Ok(index.event_count()?)
    }

    /// The lock, and the index as of now, with all markdown up to date.
    pub fn locked(&self) -> Result<(Lock, Index, Vec<Warning>), StoreError> {
        self.prepare()?;
        let lock = self.lock()?;
        let mut warnings = Vec::new();
        let index = self.caught_up(Tail::Settled, &mut warnings)?;
        self.heal(&index, &mut warnings);
        Ok((lock, index, warnings))
    }

    fn project(&self, mut index: Index, warnings: &mut Vec<Warning>) -> Result<Index, StoreError> {
        index.catch_up(&self.log, Tail::Settled)?;
        self.heal(&index, warnings);
        Ok(index)
    }

    /// Write the markdown that is behind.
    fn heal(&self, index: &Index, warnings: &mut Vec<Warning>) {
        let heal = |id: &TicketId| -> Result<Option<Warning>, StoreError> {
            let Some(ticket) = index.ticket(id)? else { return Ok(None) };
            let known = index.was_written(id)?;
            // A reader may have caught up with more between the two look-ups.
            let mut changes = index.changes(id)?;
            changes.retain(|event| event.rev <= Some(ticket.rev));
            let warning = match self.vault.update(&ticket, &changes)? {
                Update::Written => None,
                Update::Created if !known => None,
                Update::Created => Some(Warning::Recreated(id.clone())),
                Update::HandEdited(properties) => {
                    Some(Warning::HandEdited { ticket: id.clone(), properties })
                }
                Update::Foreign => Some(Warning::Foreign(id.clone())),
            };
            index.written(id, ticket.rev)?;
            Ok(warning)
        };
        match index.behind() {
            Err(error) => warnings.push(Warning::Behind(chain(&error))),
            Ok(behind) => {
                for id in behind {
                    match heal(&id) {
                        Ok(warning) => warnings.extend(warning),
                        Err(error) => warnings.push(Warning::Behind(chain(&error))),
                    }
                }
            }
        }
    }

    /// The time for new events: never before the newest one, so that a clock set back cannot reorder the story.
    fn now(&self, index: &Index, warnings: &mut Vec<Warning>) -> Result<Timestamp, StoreError> {
        let now = clock::now();
        match index.newest()? {
            Some(newest) if newest > now => {
                // Clocks of one machine differ by milliseconds between processes; that is nobody's business.
                if newest.duration_since(now).as_secs() > 60 {
                    warnings.push(Warning::ClockBehind { newest });
                }
                Ok(newest)
            }
            _ => Ok(now),
        }
    }

    fn prepare(&self) -> Result<(), StoreError> {
        self.home.prepare().map_err(|source| StoreError::Home { path: self.home.root().to_owned(), source })
    }

    pub fn lock(&self) -> Result<Lock, StoreError> {
        let path = self.home.lock();
        self.prepare()?;
        Lock::acquire(&path, self.on_slow).map_err(|source| StoreError::Home { path, source })
    }
}

/// What a command would write, and the tickets it was decided on.
struct Decided {
    board: Board,
    drafts: Vec<Draft>,
}

impl Decided {
    fn new(index: &Index, who: &Who, command: &Command) -> Result<Self, StoreError> {
        let board = index.surroundings(command.tickets())?;
        let drafts = decide(&board, who, command)?;
        Ok(Self { board, drafts })
    }

    /// Its events, if it is done at that time, and the tickets after them.
    fn stamped(&self, now: Timestamp) -> Result<(Vec<Event>, Board), StoreError> {
        let mut events = Vec::with_capacity(self.drafts.len());
        let mut after = self.board.clone();
        for draft in &self.drafts {
            let mut event = draft.stamp(event_id(now), now)?;
            after.apply_fact(&event, &draft.fact);
            event.rev =
                after.ticket(&draft.ticket).map(|ticket| ticket.rev).filter(|_| draft.fact.changes_ticket());
            events.push(event);
        }
        Ok((events, after))
    }
}

/// The ticket a command is about: `pop` and `new` know it only afterwards.
fn subject(command: &Command, events: &[Event]) -> Option<TicketId> {
    match command {
        Command::New(new) => Some(new.id.clone()),
        Command::NewAll(all) => all.first().map(|new| new.id.clone()),
        Command::Pop { .. } => events.first().and_then(|event| event.ticket.clone()),
        other => other.tickets().first().map(|id| (*id).clone()),
    }
}

/// A fresh id for an event of now.
pub fn new_event_id() -> EventId {
    event_id(clock::now())
}

/// A fresh id for an event of this time.
pub(crate) fn event_id(now: Timestamp) -> EventId {
    let mut random = [0; 10];
    entropy::fill(&mut random);
    EventId::new(now.as_millisecond().unsigned_abs(), random)
}

/// An error and its causes, in one line.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        text.push_str(&format!(": {cause}"));
        next = cause.source();
    }
    text
}
