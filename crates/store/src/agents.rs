//! Agents: one record each, `agents/<id>.json`, from when it was started until somebody clears it away.

use std::io;
use std::path::PathBuf;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use signalbox_core::agent::Candidate;
use signalbox_core::{AgentId, ProjectName, Refusal, SessionId, TicketId, agent};

use crate::home::Home;
use crate::lock::Lock;
use crate::session::Registered;
use crate::{clock, entropy, files, process};

/// One agent's record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    pub id: AgentId,
    /// What people call it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Which agent CLI; `plain` for any other program.
    pub driver: String,
    pub program: PathBuf,
    #[serde(default)]
    pub args: Vec<String>,
    pub cwd: PathBuf,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<ProjectName>,
    /// The `sb agent` around it.
    #[serde(default)]
    pub wrapper: Option<Registered>,
    /// Somebody else wrote this down, who is about to start it, and it has not come yet.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub awaited: bool,
    /// The agent CLI itself.
    #[serde(default)]
    pub child: Option<Registered>,
    /// Where these processes can be seen from, if not from everywhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confined_to: Option<String>,
    /// The conversations it had, the newest last.
    #[serde(default)]
    pub sessions: Vec<SessionId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ticket: Option<TicketId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// The branch it works on, in a workspace that was made for it. Such an agent is set to work by the orchestrator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    pub started: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<Ended>,
    pub socket: PathBuf,
    pub log: PathBuf,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recording: Option<PathBuf>,
    #[serde(default)]
    pub cols: u16,
    #[serde(default)]
    pub rows: u16,
    /// What a newer version wrote.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// How it ended: by itself, by a signal, or unseen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ended {
    pub at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
}

/// Whether it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Life {
    Runs,
    Ended,
    /// Nobody wrote down its end, and its process is gone.
    Vanished,
}

impl Record {
    /// The record of an agent that is about to start; [`register`] gives it its id.
    pub fn new(driver: &str, program: impl Into<PathBuf>, cwd: impl Into<PathBuf>) -> Self {
        Self {
            id: AgentId::from_random(driver, 0),
            name: None,
            driver: driver.to_owned(),
            program: program.into(),
            args: Vec::new(),
            cwd: cwd.into(),
            project: None,
            wrapper: own_process(),
            awaited: false,
            child: None,
            confined_to: process::confined_to(),
            sessions: Vec::new(),
            ticket: None,
            role: None,
            branch: None,
            profile: None,
            started: clock::now(),
            ended: None,
            socket: PathBuf::new(),
            log: PathBuf::new(),
            recording: None,
            cols: 0,
            rows: 0,
            other: Map::new(),
        }
    }

    pub fn life(&self) -> Life {
        let gone = self.wrapper.as_ref().is_some_and(|p| !process::is_running(p.pid, p.started));
        match &self.ended {
            Some(_) => Life::Ended,
            None if gone && self.confined_to == process::confined_to() => Life::Vanished,
            None => Life::Runs,
        }
    }

    fn candidate(&self) -> Candidate {
        Candidate {
            id: self.id.clone(),
            name: self.name.clone(),
            lives: self.life() == Life::Runs,
            began: self.started,
        }
    }
}

/// Write the record of a new agent under an id that nobody has, if it can have its name.
pub fn register(home: &Home, mut record: Record) -> io::Result<Result<Record, Refusal>> {
    let _lock = lock(home)?;
    if let Some(name) = &record.name {
        let candidates: Vec<Candidate> = all(home)?.iter().map(Record::candidate).collect();
        if let Err(refusal) = agent::check_name(name, &candidates) {
            return Ok(Err(refusal));
        }
    }
    record.id = loop {
        let id = AgentId::from_random(&record.driver, entropy::number());
        // Its outbox, log and recording may outlive a record.
        let is_free = !path(home, &id).exists() && !home.outbox().join(id.as_str()).exists();
        if is_free {
            break id;
        }
    };
    record.socket = home.agent_sockets().join(format!("{}.sock", record.id));
    record.log = home.logs().join(format!("{}.log", record.id));
    save(home, &record)?;
    Ok(Ok(record))
}

/// Become the agent whose record another process has written. `None` where that has been given up meanwhile: then
/// nobody may start it any more.
pub fn take_over(home: &Home, id: &AgentId) -> io::Result<Option<Record>> {
    let _lock = lock(home)?;
    let Some(mut record) = load(home, id)?.filter(|record| record.ended.is_none()) else { return Ok(None) };
    record.wrapper = own_process();
    record.awaited = false;
    save(home, &record)?;
    Ok(Some(record))
}

/// Say that an agent has ended, unless somebody is that agent now. Whoever was about to become it does not.
pub fn give_up(home: &Home, id: &AgentId) -> io::Result<Option<Record>> {
    let _lock = lock(home)?;
    let Some(mut record) = load(home, id)? else { return Ok(None) };
    let own = own_process();
    if record.life() == Life::Vanished || record.life() == Life::Runs && record.wrapper == own {
        record.ended = Some(Ended { at: clock::now(), code: None, signal: None });
        record.awaited = false;
        save(home, &record)?;
    }
    Ok(Some(record))
}

pub fn load(home: &Home, id: &AgentId) -> io::Result<Option<Record>> {
    let bytes = files::read_optional(&path(home, id))?;
    // A record that cannot be read is none; `sb doctor` reports it.
    Ok(bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()))
}

/// Change a record, seen and written by nobody else meanwhile. `None` where there is none.
pub fn update(home: &Home, id: &AgentId, change: impl FnOnce(&mut Record)) -> io::Result<Option<Record>> {
    let _lock = lock(home)?;
    let Some(mut record) = load(home, id)? else { return Ok(None) };
    change(&mut record);
    save(home, &record)?;
    Ok(Some(record))
}

/// All agents, the oldest first.
pub fn all(home: &Home) -> io::Result<Vec<Record>> {
    let mut records = Vec::new();
    for id in ids(home)? {
        records.extend(load(home, &id)?);
    }
    records.sort_by(|a, b| (a.started, &a.id).cmp(&(b.started, &b.id)));
    Ok(records)
}

/// The agent that a typed word means.
pub fn find(home: &Home, typed: &str) -> io::Result<Result<Record, Refusal>> {
    // An exact id needs no other record.
    if let Ok(id) = AgentId::parse(typed)
        && let Some(record) = load(home, &id)?
    {
        return Ok(Ok(record));
    }
    let records = all(home)?;
    let candidates: Vec<Candidate> = records.iter().map(Record::candidate).collect();
    Ok(agent::find(typed, &candidates).and_then(|found| {
        let record = records.iter().find(|record| record.id == found.id).cloned();
        record.ok_or_else(|| Refusal::not_found("agent.unknown", format!("there is no agent `{typed}`")))
    }))
}

/// Forget an agent. Its events stay.
pub fn remove(home: &Home, id: &AgentId) -> io::Result<()> {
    let _lock = lock(home)?;
    files::remove(&path(home, id))
}

pub fn ids(home: &Home) -> io::Result<Vec<AgentId>> {
    let names = files::names(&home.agents())?;
    Ok(names
        .iter()
        .filter_map(|name| name.strip_suffix(".json"))
        .filter_map(|id| AgentId::parse(id).ok())
        .collect())
}

fn save(home: &Home, record: &Record) -> io::Result<()> {
    files::replace(&path(home, &record.id), &serde_json::to_vec_pretty(record)?, files::PRIVATE)
}

fn lock(home: &Home) -> io::Result<Lock> {
    files::create_private_dir(&home.agents())?;
    Lock::acquire(&home.agents().join(".lock"), |_| {})
}

fn path(home: &Home, id: &AgentId) -> PathBuf {
    home.agents().join(format!("{id}.json"))
}

fn own_process() -> Option<Registered> {
    let own = process::process(std::process::id())?;
    Some(Registered { pid: own.pid, started: own.started })
}
