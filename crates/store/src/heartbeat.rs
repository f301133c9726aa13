//! The heartbeat: now and then, put in order what dead processes left, and say whether anything has changed.
//!
//! What counts as a change is in the fingerprint: tickets, sessions and agents that run, and messages that wait. The last
//! one stands in `heartbeat.json`. It is written when everything is done that a change calls for, so whoever is killed
//! meanwhile, or fails, is called for again.

use std::collections::BTreeSet;
use std::io;
use std::num::NonZeroU64;

use serde::{Deserialize, Serialize};
use serde_json::json;
use sha2::{Digest, Sha256};
use signalbox_core::inject::Failure;
use signalbox_core::schedule::{Schedule, ScheduleError};
use signalbox_core::{AgentId, SessionId, Who};

use crate::agents::{self, Ended, Life};
use crate::home::Home;
use crate::lock::Lock;
use crate::outbox::{Outbox, Proof};
use crate::session::{self, Session};
use crate::store::{Store, StoreError};
use crate::{clock, files};

/// `[heartbeat]`
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Heartbeat {
    pub schedule: When,
    /// Lines for the shell, to be run when something has changed.
    pub run: Vec<String>,
    /// How long each of them may take, in seconds.
    pub timeout: NonZeroU64,
}

/// When the daemon does it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum When {
    Never,
    By(Schedule),
}

impl Default for Heartbeat {
    fn default() -> Self {
        let timeout = NonZeroU64::new(600).unwrap_or(NonZeroU64::MIN);
        let schedule = Schedule::parse("@every 15m").map_or(When::Never, When::By);
        Self { schedule, run: Vec::new(), timeout }
    }
}

impl TryFrom<String> for When {
    type Error = ScheduleError;

    fn try_from(text: String) -> Result<Self, ScheduleError> {
        if text == "off" { Ok(Self::Never) } else { Schedule::parse(&text).map(Self::By) }
    }
}

/// Whether it is done though nothing has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ask {
    IfChanged,
    Always,
}

/// What a heartbeat found.
#[derive(Debug)]
pub enum Beat {
    /// All is as it was the last time.
    Unchanged,
    /// Another one is at work.
    Busy,
    /// What calls for something; no other heartbeat begins until this is dropped.
    Changed(Change),
}

/// What changed, and what was put in order.
#[derive(Debug, Serialize)]
pub struct Change {
    /// Of the state after it was put in order.
    pub fingerprint: String,
    /// Sessions that were marked as ended.
    pub sessions: Vec<SessionId>,
    /// Agents that were marked as ended.
    pub agents: Vec<AgentId>,
    /// Messages that nobody will deliver.
    pub messages: Vec<String>,
    #[serde(skip)]
    _lock: Lock,
}

/// `heartbeat.json`
#[derive(Debug, Serialize, Deserialize)]
struct Remembered {
    v: u32,
    fingerprint: String,
    at: String,
}

/// Look whether anything has changed, and put in order what dead processes left.
pub fn beat(store: &Store, ask: Ask) -> Result<Beat, StoreError> {
    let home = store.home();
    home.prepare().map_err(|source| failed(home, source))?;
    let lock = Lock::try_acquire(&home.run().join("heartbeat.lock"));
    let Some(lock) = lock.map_err(|source| failed(home, source))? else { return Ok(Beat::Busy) };
    let before = fingerprint(store)?;
    let known = remembered(home);
    if ask == Ask::IfChanged && known.is_some_and(|known| known.fingerprint == before) {
        return Ok(Beat::Unchanged);
    }
    let sessions = end_sessions(store)?;
    let (agents, messages) = end_agents(store)?;
    let is_clean = sessions.is_empty() && agents.is_empty() && messages.is_empty();
    if !is_clean {
        let data = json!({ "sessions": sessions, "agents": agents, "messages": messages });
        store.note_event(&Who::System, "heartbeat.cleaned", None, None, &data)?;
    }
    let fingerprint = if is_clean { before } else { fingerprint(store)? };
    Ok(Beat::Changed(Change { fingerprint, sessions, agents, messages, _lock: lock }))
}

impl Change {
    pub fn is_clean(&self) -> bool {
        self.sessions.is_empty() && self.agents.is_empty() && self.messages.is_empty()
    }

    /// Everything is done that it calls for: the next heartbeat need not do it again.
    pub fn finish(self, home: &Home) -> io::Result<()> {
        let at = signalbox_core::time::exact(clock::now());
        let remembered = Remembered { v: 1, fingerprint: self.fingerprint, at };
        files::replace(&home.heartbeat(), &serde_json::to_vec_pretty(&remembered)?, files::PRIVATE)
    }

    /// Write down that a command was run for it.
    pub fn ran(&self, store: &Store, command: &str, outcome: Result<(), &str>) -> Result<(), StoreError> {
        let data = json!({ "command": command, "succeeded": outcome.is_ok(), "why": outcome.err() });
        store.note_event(&Who::System, "heartbeat.ran", None, None, &data).map(|_| ())
    }
}

/// A file that is missing or cannot be read only means that there is more to do.
fn remembered(home: &Home) -> Option<Remembered> {
    let bytes = files::read_optional(&home.heartbeat()).ok().flatten()?;
    serde_json::from_slice(&bytes).ok()
}

fn fingerprint(store: &Store) -> Result<String, StoreError> {
    let home = store.home();
    let (index, _) = store.read()?;
    let tickets = index.query("SELECT id, rev FROM tickets ORDER BY id", None, None)?.rows;
    let sessions: BTreeSet<SessionId> =
        sessions(home)?.into_iter().filter(runs).map(|session| session.id).collect();
    let agents = running_agents(home)?;
    let mut messages = Vec::new();
    for agent in Outbox::agents(home).map_err(|source| failed(home, source))? {
        let outbox = Outbox::new(home, &agent);
        let waiting = outbox.waiting()?.into_iter();
        let taken = outbox.taken()?.into_iter().map(|taken| taken.waiting);
        messages.extend(waiting.chain(taken).map(|waiting| waiting.injection.id));
    }
    messages.sort();
    let state = serde_json::to_vec(&(tickets, sessions, agents, messages))?;
    Ok(Sha256::digest(&state).iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Mark sessions as ended whose process is gone, and the subagents that were inside them.
fn end_sessions(store: &Store) -> Result<Vec<SessionId>, StoreError> {
    let home = store.home();
    let all = sessions(home)?;
    let gone = |session: &Session| session.ended.is_none() && session::is_gone(session);
    let parents: BTreeSet<SessionId> =
        all.iter().filter(|session| gone(session)).map(|session| session.id.clone()).collect();
    let mut ended = Vec::new();
    for session in all {
        let orphaned = session.subagent.is_some()
            && session.ended.is_none()
            && session.lineage.iter().any(|ancestor| parents.contains(ancestor));
        // It may have begun anew since it was looked at.
        let now = session::load(home, &session.id).map_err(|source| failed(home, source))?;
        let Some(session) = now.filter(|session| session.ended.is_none() && (orphaned || gone(session)))
        else {
            continue;
        };
        let data = json!({ "reason": "its process is gone" });
        let who = Who::Agent(session.agent());
        store.note_event(&who, "session.ended", None, Some(&session.project), &data)?;
        let session = Session { ended: Some(clock::now()), ..session };
        session::save(home, &session).map_err(|source| failed(home, source))?;
        ended.push(session.id);
    }
    // Saving a session has written down its process again.
    for path in session::dead_processes(home).map_err(|source| failed(home, source))? {
        files::remove(&path).map_err(|source| StoreError::Home { path, source })?;
    }
    Ok(ended)
}

/// Mark agents as ended that vanished, and give up messages for agents that do not run.
fn end_agents(store: &Store) -> Result<(Vec<AgentId>, Vec<String>), StoreError> {
    let home = store.home();
    let io = |source| failed(home, source);
    let (mut ended, mut messages) = (Vec::new(), Vec::new());
    for record in agents::all(home).map_err(io)?.iter().filter(|record| record.life() == Life::Vanished) {
        let mut is_ours = false;
        let end = Ended { at: clock::now(), code: None, signal: None };
        agents::update(home, &record.id, |now| {
            is_ours = now.life() == Life::Vanished;
            if is_ours {
                now.ended = Some(end);
            }
        })
        .map_err(io)?;
        if is_ours {
            let data = json!({ "agent": record.id, "code": null, "signal": null });
            store.note_event(&Who::System, "agent.exited", None, record.project.as_ref(), &data)?;
            files::remove(&record.socket).map_err(io)?;
            ended.push(record.id.clone());
        }
    }
    let running = running_agents(home)?;
    for agent in Outbox::agents(home).map_err(io)?.into_iter().filter(|agent| !running.contains(agent)) {
        let outbox = Outbox::new(home, &agent);
        if outbox.waiting()?.is_empty() && outbox.taken()?.is_empty() {
            continue;
        }
        // Nobody can say any more whether what was being delivered arrived.
        let receipts = outbox.settle(&mut |_| Proof::Unknown)?.into_iter();
        let receipts = receipts.chain(outbox.close(Failure::Exited)?);
        messages.extend(receipts.map(|receipt| receipt.injection.to_string()));
    }
    Ok((ended, messages))
}

fn sessions(home: &Home) -> Result<Vec<Session>, StoreError> {
    let io = |source| failed(home, source);
    let mut found = Vec::new();
    for id in session::ids(home).map_err(io)? {
        if let Ok(id) = SessionId::parse(&id) {
            found.extend(session::load(home, &id).map_err(io)?);
        }
    }
    Ok(found)
}

/// Whether it began, and may still be at work.
fn runs(session: &Session) -> bool {
    session.ended.is_none() && !session.capability.is_empty() && !session::is_gone(session)
}

fn running_agents(home: &Home) -> Result<BTreeSet<AgentId>, StoreError> {
    let all = agents::all(home).map_err(|source| failed(home, source))?;
    Ok(all.into_iter().filter(|record| record.life() == Life::Runs).map(|record| record.id).collect())
}

fn failed(home: &Home, source: io::Error) -> StoreError {
    StoreError::Home { path: home.root().to_owned(), source }
}
