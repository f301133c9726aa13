//! Messages that wait for an agent, on disk: `outbox/<agent>/<id>.json`, one file a message.
//!
//! Whoever changes anything holds `outbox/<agent>/.lock`, and takes the log's lock only after it. Taking a message is
//! renaming its file to `<id>.taken.<pid>-<started>`; it goes away once its last receipt is in the log. What is
//! superseded, expired or cancelled goes the same way as `<id>.ending.…`. A process that dies in between leaves that
//! file, and [`Outbox::settle`] finds out what became of it: so nothing is lost and nothing is delivered twice,
//! whenever anybody is killed. `.done.<id>` remembers for a day what has been dealt with, so that asking again for the
//! same message is not a second message, and the words of what was delivered are known when the CLI tells of them.

mod names;
mod receipts;

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use signalbox_core::inject::{
    Deferred, Door, Failure, Fate, Injection, MOST_WAITING, Next, Queue, Readiness, Receipt, Waiting,
};
use signalbox_core::{AgentId, EventId, ProjectName, Who};

use crate::home::Home;
use crate::lock::Lock;
use crate::log::LogError;
use crate::process;
use crate::watch::Watch;
use crate::{clock, files};

use names::{Name, Purpose};

/// How long it is remembered that a message has been dealt with.
const REMEMBERED: SignedDuration = SignedDuration::from_hours(24);
/// How long a CLI may keep what it was handed before it tells of it as a prompt.
const LATELY: Duration = Duration::from_secs(600);

#[derive(Debug, thiserror::Error)]
pub enum OutboxError {
    #[error("use the outbox {path}")]
    Folder { path: PathBuf, source: io::Error },
    #[error(transparent)]
    Log(#[from] LogError),
    #[error("make a receipt")]
    Receipt(#[from] serde_json::Error),
}

/// The outbox of one agent.
#[derive(Debug, Clone)]
pub struct Outbox {
    home: Home,
    agent: AgentId,
    project: Option<ProjectName>,
    most: usize,
}

/// A message that was taken out to be delivered. It must come to an end: [`Outbox::finish`] or [`Outbox::put_back`].
#[derive(Debug)]
#[must_use = "a message that was taken must be finished or put back"]
pub struct Claim {
    pub waiting: Waiting,
    path: PathBuf,
}

/// What came of asking for a message to be queued.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    /// The receipts of this message and of those it touched; its own is the last.
    Heard(Vec<Receipt>),
    /// It was asked for before.
    Already,
}

/// What became of a message whose deliverer died.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Proof {
    /// The agent has it.
    Taken(Fate),
    /// The agent certainly does not have it: it is delivered again.
    NotTaken,
    /// Nobody knows. It is not tried again, because twice is worse than once with a word about it.
    Unknown,
}

/// A message that somebody is delivering.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taken {
    pub waiting: Waiting,
    pub by: u32,
    pub is_running: bool,
}

impl Outbox {
    pub fn new(home: &Home, agent: &AgentId) -> Self {
        Self { home: home.clone(), agent: agent.clone(), project: None, most: MOST_WAITING }
    }

    /// The project its receipts belong to.
    #[must_use]
    pub fn project(mut self, project: Option<ProjectName>) -> Self {
        self.project = project;
        self
    }

    /// How many may wait.
    #[must_use]
    pub fn most(mut self, most: usize) -> Self {
        self.most = most;
        self
    }

    /// The agents that have an outbox.
    pub fn agents(home: &Home) -> io::Result<Vec<AgentId>> {
        Ok(files::names(&home.outbox())?.iter().filter_map(|name| AgentId::parse(name).ok()).collect())
    }

    pub fn agent(&self) -> &AgentId {
        &self.agent
    }

    fn folder(&self) -> PathBuf {
        self.home.outbox().join(self.agent.as_str())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder().join(name)
    }

    /// Queue a message. Asking again with the same id changes nothing.
    pub fn enqueue(&self, who: &Who, injection: Injection, now: Timestamp) -> Result<Asked, OutboxError> {
        let _lock = self.lock()?;
        let names = self.names()?;
        self.forget(&names, now)?;
        let id = injection.id.clone();
        if let Some(known) = names.iter().find(|name| name.is_of(&id)) {
            // Whoever asked first may have been killed before it was written down.
            if !matches!(known, Name::Done { .. }) && self.written(&id, now)?.is_empty() {
                let receipts = Queue::new(1).push(injection.clone(), injection.queued_at);
                self.write_down(who, &receipts)?;
            }
            return Ok(Asked::Already);
        }
        let mut queue = self.load(&names)?;
        let receipts = queue.push(injection, now);
        let path = self.path(&Name::waiting(&id));
        if let Some(waiting) = queue.get(&id) {
            self.keep(&path, waiting)?;
        }
        if let Err(error) = self.end(who, &receipts) {
            // It was not acknowledged. If it cannot be removed either, asking again finds it.
            let _ = files::remove(&path);
            return Err(error);
        }
        Ok(Asked::Heard(receipts))
    }

    /// What waits, the next one first. Takes no lock.
    pub fn waiting(&self) -> Result<Vec<Waiting>, OutboxError> {
        let mut waiting = Vec::new();
        for name in self.names()? {
            if let Name::Waiting { text, .. } = &name {
                waiting.extend(self.parse(text)?);
            }
        }
        Ok(Queue::of(waiting, self.most).waiting().to_vec())
    }

    /// Every message that was ever in it, as far as that is remembered. Takes no lock.
    pub fn known(&self) -> Result<BTreeSet<EventId>, OutboxError> {
        Ok(self.names()?.iter().filter_map(Name::id).cloned().collect())
    }

    /// What is being delivered. Takes no lock.
    pub fn taken(&self) -> Result<Vec<Taken>, OutboxError> {
        let mut found = Vec::new();
        for name in self.names()? {
            if let Name::Taken { text, by, to: Purpose::Deliver, .. } = &name
                && let Some(waiting) = self.parse(text)?
            {
                found.push(Taken { waiting, by: by.pid, is_running: !by.is_gone() });
            }
        }
        Ok(found)
    }

    /// Take the next message out to deliver it; what has waited too long expires.
    pub fn claim(&self, now: Timestamp) -> Result<Option<Claim>, OutboxError> {
        let _lock = self.lock()?;
        let mut queue = self.load(&self.names()?)?;
        self.expire(&mut queue, now)?;
        let Next::Deliver(waiting) = queue.next(now, Readiness::Ready) else { return Ok(None) };
        let id = &waiting.injection.id;
        let path = self.path(&Name::taken(id, Purpose::Deliver));
        files::rename(&self.path(&Name::waiting(id)), &path).map_err(|e| self.error(e))?;
        Ok(Some(Claim { waiting, path }))
    }

    /// Note what the next message waits for. The answer is the receipt, where that is news.
    pub fn defer(&self, reason: Deferred, now: Timestamp) -> Result<Option<Receipt>, OutboxError> {
        let _lock = self.lock()?;
        let mut queue = self.load(&self.names()?)?;
        self.expire(&mut queue, now)?;
        let Next::Wait(Some(receipt)) = queue.next(now, Readiness::NotYet(reason)) else { return Ok(None) };
        if let Some(waiting) = queue.get(&receipt.injection) {
            self.keep(&self.path(&Name::waiting(&receipt.injection)), waiting)?;
        }
        self.write_down(&Who::System, std::slice::from_ref(&receipt))?;
        Ok(Some(receipt))
    }

    /// Let what has waited too long expire. The answer says what did.
    pub fn expire_old(&self, now: Timestamp) -> Result<Vec<Receipt>, OutboxError> {
        let _lock = self.lock()?;
        let mut queue = self.load(&self.names()?)?;
        self.expire(&mut queue, now)
    }

    /// What became of a message that was taken. If it cannot be written down, ask again later.
    pub fn finish(&self, claim: &Claim, fate: Fate) -> Result<Receipt, OutboxError> {
        let _lock = self.lock()?;
        let receipt = Receipt::new(&claim.waiting.injection.id, fate);
        let done = self.path(&Name::done(&receipt.injection));
        if !done.exists() {
            self.write_down(&Who::System, std::slice::from_ref(&receipt))?;
        }
        // With its words: the CLI may tell of them later.
        files::replace(&done, &serde_json::to_vec(&claim.waiting)?, files::PRIVATE)
            .map_err(|e| self.error(e))?;
        files::remove(&claim.path).map_err(|e| self.error(e))?;
        Ok(receipt)
    }

    /// What is being delivered, and what has been of late. Takes no lock.
    pub fn said_lately(&self) -> Result<Vec<Injection>, OutboxError> {
        let mut said: Vec<Injection> =
            self.taken()?.into_iter().map(|taken| taken.waiting.injection).collect();
        for name in self.names()? {
            let Name::Done { id } = &name else { continue };
            let name = Name::done(id);
            let age = std::fs::metadata(self.path(&name))
                .and_then(|about| about.modified()?.elapsed().map_err(io::Error::other));
            if age.is_ok_and(|age| age < LATELY) {
                said.extend(self.parse(&name)?.map(|waiting| waiting.injection));
            }
        }
        Ok(said)
    }

    /// It was taken, and waits where it was put. The answer is the receipt, where that is news.
    pub fn keep_waiting(
        &self,
        claim: &mut Claim,
        reason: Deferred,
        door: Door,
    ) -> Result<Option<Receipt>, OutboxError> {
        if claim.waiting.deferred == Some(reason) {
            return Ok(None);
        }
        let _lock = self.lock()?;
        let fate = Fate::Deferred { reason, door: Some(door) };
        let receipt = Receipt::new(&claim.waiting.injection.id, fate);
        self.write_down(&Who::System, std::slice::from_ref(&receipt))?;
        claim.waiting.deferred = Some(reason);
        self.keep(&claim.path, &claim.waiting)?;
        Ok(Some(receipt))
    }

    /// It could not be delivered now: it waits again, in its old place, after `tries` more tries.
    pub fn put_back(
        &self,
        claim: &Claim,
        reason: Deferred,
        tries: u32,
    ) -> Result<Option<Receipt>, OutboxError> {
        let _lock = self.lock()?;
        let mut waiting = claim.waiting.clone();
        let id = waiting.injection.id.clone();
        waiting.tries = waiting.tries.saturating_add(tries);
        let is_news = waiting.deferred.replace(reason) != Some(reason);
        let receipt = is_news.then(|| Receipt::new(&id, Fate::Deferred { reason, door: None }));
        self.write_down(&Who::System, receipt.as_slice())?;
        // Under the old name first: there must never be two of it.
        self.keep(&claim.path, &waiting)?;
        files::rename(&claim.path, &self.path(&Name::waiting(&id))).map_err(|e| self.error(e))?;
        Ok(receipt)
    }

    /// Give up a message that waits. `None` where it does not wait any more.
    pub fn cancel(&self, who: &Who, id: &EventId) -> Result<Option<Receipt>, OutboxError> {
        let given_up = self.give_up(who, Failure::Cancelled, |waiting| waiting.injection.id == *id)?;
        Ok(given_up.into_iter().next())
    }

    /// Give up all that waits, because the agent will never come back.
    pub fn close(&self, reason: Failure) -> Result<Vec<Receipt>, OutboxError> {
        self.give_up(&Who::System, reason, |_| true)
    }

    fn give_up(
        &self,
        who: &Who,
        reason: Failure,
        which: impl Fn(&Waiting) -> bool,
    ) -> Result<Vec<Receipt>, OutboxError> {
        let _lock = self.lock()?;
        let queue = self.load(&self.names()?)?;
        let fate = Fate::Failed { reason, door: None, detail: None };
        let receipts: Vec<Receipt> = queue
            .waiting()
            .iter()
            .filter(|waiting| which(waiting))
            .map(|waiting| Receipt::new(&waiting.injection.id, fate.clone()))
            .collect();
        self.end(who, &receipts)?;
        Ok(receipts)
    }

    /// Deal with what dead processes were delivering. `prove` is asked where the log does not know.
    pub fn settle(&self, prove: &mut dyn FnMut(&Waiting) -> Proof) -> Result<Vec<Receipt>, OutboxError> {
        let dead = |names: Vec<Name>| -> Vec<Name> { names.into_iter().filter(Name::is_abandoned).collect() };
        // Nearly always there is nothing to do.
        if dead(self.names()?).is_empty() {
            return Ok(Vec::new());
        }
        let _lock = self.lock()?;
        let names = self.names()?;
        let mut receipts = Vec::new();
        for name in dead(names.clone()) {
            let Name::Taken { id, text, to, .. } = &name else { continue };
            let path = self.path(text);
            let is_done = names.iter().any(|other| matches!(other, Name::Done { id: done } if done == id))
                || self.written(id, clock::now())?.iter().any(Receipt::is_last);
            if is_done {
                self.clear(id, &path)?;
                continue;
            }
            let proof = match (to, self.parse(text)?) {
                (Purpose::End, _) => Proof::NotTaken,
                (Purpose::Deliver, None) => Proof::Taken(failed(Failure::Unreadable)),
                (Purpose::Deliver, Some(waiting)) => prove(&waiting),
            };
            let fate = match proof {
                Proof::Taken(fate) => fate,
                Proof::Unknown => failed(Failure::Unconfirmed),
                Proof::NotTaken => {
                    files::rename(&path, &self.path(&Name::waiting(id))).map_err(|e| self.error(e))?;
                    continue;
                }
            };
            let receipt = Receipt::new(id, fate);
            self.write_down(&Who::System, std::slice::from_ref(&receipt))?;
            self.clear(id, &path)?;
            receipts.push(receipt);
        }
        Ok(receipts)
    }

    /// Something to wait with until there may be something new.
    pub fn watch(&self) -> io::Result<Watch> {
        let folder = self.folder();
        files::create_private_dir(&folder)?;
        Watch::new(&folder)
    }

    fn lock(&self) -> Result<Lock, OutboxError> {
        let folder = self.folder();
        files::create_private_dir(&folder).map_err(|e| self.error(e))?;
        Lock::acquire(&folder.join(".lock"), |_| {}).map_err(|e| self.error(e))
    }

    fn names(&self) -> Result<Vec<Name>, OutboxError> {
        let names = files::names(&self.folder()).map_err(|e| self.error(e))?;
        Ok(names.iter().filter_map(|name| Name::parse(name)).collect())
    }

    /// What waits. What cannot be read is set aside, with a receipt. Needs the lock.
    fn load(&self, names: &[Name]) -> Result<Queue, OutboxError> {
        let mut waiting = Vec::new();
        for name in names {
            if let Name::Waiting { id, text } = name {
                match self.parse(text)? {
                    Some(found) => waiting.push(found),
                    None => self.set_aside(id, text)?,
                }
            }
        }
        Ok(Queue::of(waiting, self.most))
    }

    fn parse(&self, name: &str) -> Result<Option<Waiting>, OutboxError> {
        let bytes = files::read_optional(&self.path(name)).map_err(|e| self.error(e))?;
        Ok(bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()))
    }

    fn set_aside(&self, id: &EventId, name: &str) -> Result<(), OutboxError> {
        let aside = self.home.quarantine().join("outbox");
        files::create_private_dir(&aside).map_err(|e| self.error(e))?;
        self.write_down(&Who::System, &[Receipt::new(id, failed(Failure::Unreadable))])?;
        let to = aside.join(format!("{}.{name}", self.agent));
        files::rename(&self.path(name), &to).map_err(|e| self.error(e))
    }

    fn expire(&self, queue: &mut Queue, now: Timestamp) -> Result<Vec<Receipt>, OutboxError> {
        let receipts = queue.expire(now);
        self.end(&Who::System, &receipts)?;
        Ok(receipts)
    }

    /// Write receipts down, and take out of the queue what has its last one. Whoever is killed in between leaves
    /// nothing in the queue whose end was written down.
    fn end(&self, who: &Who, receipts: &[Receipt]) -> Result<(), OutboxError> {
        let mut ending = Vec::new();
        for receipt in receipts.iter().filter(|receipt| receipt.is_last()) {
            let id = &receipt.injection;
            let (from, to) = (self.path(&Name::waiting(id)), self.path(&Name::taken(id, Purpose::End)));
            // The newest one may never have had a file.
            if from.exists() {
                files::rename(&from, &to).map_err(|e| self.error(e))?;
            }
            ending.push((id, from, to));
        }
        if let Err(error) = self.write_down(who, receipts) {
            for (_, from, to) in &ending {
                let _ = files::rename(to, from);
            }
            return Err(error);
        }
        for (id, _, to) in &ending {
            self.clear(id, to)?;
        }
        Ok(())
    }

    /// Write a message so that it survives a power cut.
    fn keep(&self, path: &Path, waiting: &Waiting) -> Result<(), OutboxError> {
        files::replace(path, &serde_json::to_vec(waiting)?, files::PRIVATE)
            .and_then(|()| files::flush_dir(&self.folder()))
            .map_err(|e| self.error(e))
    }

    /// Its last receipt is in the log: remember that, and let go of the message.
    fn clear(&self, id: &EventId, path: &Path) -> Result<(), OutboxError> {
        // It need not survive a power cut: whoever would ask again does not either.
        files::open_append(&self.path(&Name::done(id))).map_err(|e| self.error(e))?;
        files::remove(path).map_err(|e| self.error(e))
    }

    /// Forget what was dealt with long ago, and what somebody was writing who was killed. Needs the lock.
    fn forget(&self, names: &[Name], now: Timestamp) -> Result<(), OutboxError> {
        for name in names {
            let gone = match name {
                Name::Done { id } => {
                    let is_old = names::time_of(id).is_some_and(|time| now.duration_since(time) > REMEMBERED);
                    is_old.then(|| Name::done(id))
                }
                Name::Unfinished { text } => Some(text.clone()),
                Name::Waiting { .. } | Name::Taken { .. } => None,
            };
            if let Some(gone) = gone {
                files::remove(&self.path(&gone)).map_err(|e| self.error(e))?;
            }
        }
        Ok(())
    }

    fn error(&self, source: io::Error) -> OutboxError {
        OutboxError::Folder { path: self.folder(), source }
    }
}

fn failed(reason: Failure) -> Fate {
    Fate::Failed { reason, door: None, detail: None }
}

/// The process that takes messages: this one.
fn own_process() -> (u32, u64) {
    let pid = std::process::id();
    (pid, process::process(pid).map_or(0, |own| own.started))
}
