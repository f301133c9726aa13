//! Sessions: who an agent is, as minted when it started, and which ticket each session has before it.

use std::io;
use std::path::PathBuf;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use signalbox_core::{Agent, Charter, ProjectName, SessionId, TicketId};

use crate::charter::Assigned;
use crate::home::Home;
use crate::process::{self, Process};
use crate::{clock, entropy, files};

/// One session's record: `sessions/<id>.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    pub id: SessionId,
    pub name: String,
    /// Which agent CLI.
    pub cli: String,
    /// The sessions it descends from, the oldest first.
    pub lineage: Vec<SessionId>,
    pub project: ProjectName,
    pub started: Timestamp,
    /// The hash of its capability: who reads this file cannot become the session.
    pub capability: String,
    pub process: Option<Registered>,
    /// When it ended. The record stays as long as its process runs, because a later session of that process
    /// descends from it.
    #[serde(default)]
    pub ended: Option<Timestamp>,
    /// Where its process can be seen from, if not from everywhere.
    #[serde(default)]
    pub confined_to: Option<String>,
    /// What kind of subagent it is, if it is one: it shares its parent's process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subagent: Option<String>,
    #[serde(default)]
    pub assigned: Assigned,
    /// All that it may do.
    #[serde(default)]
    pub charter: Charter,
    /// A subagent's capability: its `sb` runs in its parent's shell, and each call is told whose it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handed: Option<String>,
    /// What it was last held back for, and how often.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<Held>,
}

/// Why a session was not let go, so that nobody is held for ever for the same thing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Held {
    pub missing: Vec<String>,
    pub times: u32,
}

/// A process that is known to be an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Registered {
    pub pid: u32,
    pub started: u64,
}

/// Which ticket a session or terminal has before it: `sessions/<key>.ticket`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Desk {
    ticket: Option<TicketId>,
}

/// The file of a registered process: `run/processes/<pid>`, with `@<namespace>` where that is not the system's first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessRecord {
    pub started: u64,
    pub session: SessionId,
}

impl Session {
    /// The record of a session that has not started yet.
    pub fn unstarted(id: SessionId, project: ProjectName) -> Self {
        Self {
            name: id.to_string(),
            id,
            cli: "agent".to_owned(),
            lineage: Vec::new(),
            project,
            started: clock::now(),
            capability: String::new(),
            process: None,
            ended: None,
            confined_to: None,
            subagent: None,
            handed: None,
            held: None,
            assigned: Assigned::default(),
            charter: Charter::default(),
        }
    }

    pub fn agent(&self) -> Agent {
        Agent { name: self.name.clone(), session: self.id.clone(), lineage: self.lineage.clone() }
    }
}

/// A new capability for a session: the word to hand over, and the hash to keep.
pub fn mint(session: &SessionId) -> (String, String) {
    let mut secret = [0u8; 24];
    entropy::fill(&mut secret);
    let secret: String = secret.iter().map(|b| format!("{b:02x}")).collect();
    let hash = hash(&secret);
    (format!("{session}.{secret}"), hash)
}

/// The session a capability was minted for, if it is genuine.
pub fn verify(home: &Home, capability: &str) -> io::Result<Option<Session>> {
    Ok(minted_for(home, capability)?.filter(|session| session.ended.is_none()))
}

/// The session a capability was once minted for, also when that has ended: whoever inherited it descends from it.
pub fn minted_for(home: &Home, capability: &str) -> io::Result<Option<Session>> {
    let Some((id, secret)) = capability.rsplit_once('.') else { return Ok(None) };
    let Ok(id) = SessionId::parse(id) else { return Ok(None) };
    Ok(load(home, &id)?.filter(|session| session.capability == hash(secret)))
}

/// A session that has not ended and whose process could run above this one without being seen from here.
pub fn out_of_sight(home: &Home) -> io::Result<Option<SessionId>> {
    let Some(here) = process::confined_to() else { return Ok(None) };
    for id in ids(home)? {
        if let Ok(id) = SessionId::parse(&id)
            && let Some(session) = load(home, &id)?
            && session.ended.is_none()
            && session.process.is_some()
            && session.confined_to.as_ref() != Some(&here)
        {
            return Ok(Some(id));
        }
    }
    Ok(None)
}

fn hash(secret: &str) -> String {
    Sha256::digest(secret.as_bytes()).iter().map(|b| format!("{b:02x}")).collect()
}

pub fn load(home: &Home, id: &SessionId) -> io::Result<Option<Session>> {
    let Some(bytes) = files::read_optional(&record_path(home, id.as_str()))? else { return Ok(None) };
    // A record that cannot be read proves nobody's identity; `sb doctor` reports it.
    Ok(serde_json::from_slice(&bytes).ok())
}

/// As [`load`], but a record that is there and cannot be understood is an error: it may have said no.
pub fn load_strictly(home: &Home, id: &SessionId) -> io::Result<Option<Session>> {
    let Some(bytes) = files::read_optional(&record_path(home, id.as_str()))? else { return Ok(None) };
    Ok(Some(serde_json::from_slice(&bytes)?))
}

pub fn save(home: &Home, session: &Session) -> io::Result<()> {
    files::create_private_dir(&home.sessions())?;
    files::replace(
        &record_path(home, session.id.as_str()),
        &serde_json::to_vec_pretty(session)?,
        files::PRIVATE,
    )?;
    if let Some(registered) = &session.process {
        files::create_private_dir(&home.processes())?;
        let record = ProcessRecord { started: registered.started, session: session.id.clone() };
        files::replace(&process_path(home, registered.pid), &serde_json::to_vec(&record)?, files::PRIVATE)?;
    }
    Ok(())
}

/// The same for a session that was there before its process: unless that process is somebody's already, who then stays it.
/// What a process may do must not change while it is doing it.
pub fn save_if_free(home: &Home, session: &Session) -> io::Result<()> {
    let Some(registered) = &session.process else { return save(home, session) };
    files::create_private_dir(&home.processes())?;
    let path = process_path(home, registered.pid);
    // Numbers of processes are used again.
    if of_process_number(home, registered.pid)?.is_some_and(|record| record.started != registered.started) {
        files::remove(&path)?;
    }
    let record = ProcessRecord { started: registered.started, session: session.id.clone() };
    if files::write_once(&path, &serde_json::to_vec(&record)?, files::PRIVATE)? {
        files::replace(
            &record_path(home, session.id.as_str()),
            &serde_json::to_vec_pretty(session)?,
            files::PRIVATE,
        )?;
    }
    Ok(())
}

/// Forget a session whose process is gone. Its events stay.
pub fn remove(home: &Home, id: &SessionId) -> io::Result<()> {
    if let Some(registered) = load(home, id)?.and_then(|session| session.process)
        && of_process_number(home, registered.pid)?.is_some_and(|record| record.session == *id)
    {
        files::remove(&process_path(home, registered.pid))?;
    }
    files::remove(&desk_path(home, id.as_str()))?;
    files::remove(&record_path(home, id.as_str()))
}

/// The names of all session records.
pub fn ids(home: &Home) -> io::Result<Vec<String>> {
    let names = files::names(&home.sessions())?;
    Ok(names.into_iter().filter_map(|name| name.strip_suffix(".json").map(ToOwned::to_owned)).collect())
}

/// The session that a process was registered for.
pub fn of_process(home: &Home, process: &Process) -> io::Result<Option<SessionId>> {
    let record = of_process_number(home, process.pid)?;
    Ok(record.filter(|record| record.started == process.started).map(|record| record.session))
}

fn of_process_number(home: &Home, pid: u32) -> io::Result<Option<ProcessRecord>> {
    let path = process_path(home, pid);
    if !path.exists() {
        return Ok(None);
    }
    Ok(files::read_optional(&path)?.and_then(|bytes| serde_json::from_slice(&bytes).ok()))
}

/// Records of processes that no longer run. Of one that cannot be seen from here nothing is known.
pub fn dead_processes(home: &Home) -> io::Result<Vec<PathBuf>> {
    let mut dead = Vec::new();
    // What somebody is writing this moment is nobody's rest.
    let whole = |name: &String| !name.ends_with(files::TEMPORARY);
    for name in files::names(&home.processes())?.into_iter().filter(whole) {
        let number = name.split('@').next().and_then(|number| number.parse().ok());
        let seen_from_here = number.is_none_or(|pid| process_name(pid) == name);
        let record = match number {
            Some(pid) => of_process_number(home, pid)?,
            None => None,
        };
        let running =
            number.zip(record).is_some_and(|(pid, record)| process::is_running(pid, record.started));
        if seen_from_here && !running {
            dead.push(home.processes().join(name));
        }
    }
    Ok(dead)
}

/// Whether a session's process is certainly gone.
pub fn is_gone(session: &Session) -> bool {
    session.confined_to == process::confined_to()
        && session.process.as_ref().is_some_and(|p| !process::is_running(p.pid, p.started))
}

/// The ticket that a session or terminal has before it.
pub fn current_ticket(home: &Home, key: &str) -> io::Result<Option<TicketId>> {
    let path = desk_path(home, key);
    if !path.exists() {
        return Ok(None);
    }
    let desk: Option<Desk> =
        files::read_optional(&path)?.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    Ok(desk.and_then(|desk| desk.ticket))
}

pub fn set_current_ticket(home: &Home, key: &str, ticket: Option<&TicketId>) -> io::Result<()> {
    files::create_private_dir(&home.sessions())?;
    files::replace(
        &desk_path(home, key),
        &serde_json::to_vec(&Desk { ticket: ticket.cloned() })?,
        files::PRIVATE,
    )?;
    // The charter says it too: hooks read nothing else.
    if let Some(mut session) = SessionId::parse(key).ok().map(|id| load(home, &id)).transpose()?.flatten()
        && session.charter.ticket.as_ref() != ticket
    {
        session.charter.ticket = ticket.cloned();
        save(home, &session)?;
    }
    Ok(())
}

fn record_path(home: &Home, id: &str) -> PathBuf {
    home.sessions().join(format!("{id}.json"))
}

fn desk_path(home: &Home, key: &str) -> PathBuf {
    home.sessions().join(format!("{key}.ticket"))
}

fn process_path(home: &Home, pid: u32) -> PathBuf {
    home.processes().join(process_name(pid))
}

/// Numbers are only unique among the processes that can see each other.
fn process_name(pid: u32) -> String {
    match process::confined_to() {
        None => pid.to_string(),
        Some(namespace) => {
            let number: String = namespace.chars().filter(char::is_ascii_digit).collect();
            format!("{pid}@{number}")
        }
    }
}
