//! What the daemon remembers on disk: a file a seat, a file a notifier or plugin, and when monitors looked.
//!
//! A seat is the place of an agent that may be started again: one name, or one CLI in one directory. What was seen for
//! it, and what has not reached it yet, waits there for whoever sits down next.

use std::collections::BTreeMap;
use std::collections::VecDeque;
use std::io;
use std::path::PathBuf;

use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use signalbox_core::goal::{Allowance, GoalStatus};
use signalbox_core::{AgentId, Event, EventId};
use signalbox_integrations::monitor;
use signalbox_store::agents::Record;
use signalbox_store::log::Position;
use signalbox_store::{Home, files};

/// The version of these files.
pub const VERSION: u32 = 1;

/// One seat.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Seat {
    pub v: u32,
    /// Who sits there, or sat there last.
    pub agent: AgentId,
    /// Nobody else may sit down yet: what was in that agent's outbox is not known to have come to its end.
    #[serde(default)]
    pub occupied: bool,
    /// When it was last in use.
    pub used: Timestamp,
    /// What its monitors know.
    #[serde(default)]
    pub watches: BTreeMap<String, Watch>,
    /// Monitors that were added at run time.
    #[serde(default)]
    pub added: BTreeMap<String, Map<String, Value>>,
    /// Monitors that were taken away at run time.
    #[serde(default)]
    pub removed: Vec<String>,
    /// Notifiers for this agent alone.
    #[serde(default)]
    pub notifiers: BTreeMap<String, Map<String, Value>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goal: Option<Goal>,
    #[serde(default)]
    pub claimed: bool,
}

/// What one monitor knows.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Watch {
    /// What it looks at: when that changes, what it knows means nothing.
    #[serde(default)]
    pub about: String,
    #[serde(default)]
    pub state: Value,
    /// Seen, and in no outbox yet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pending: Vec<Message>,
    /// In the outbox, and nobody knows yet what became of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sent: Vec<Message>,
    #[serde(default)]
    pub announced: u64,
}

/// Something new that an agent is to hear of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// The injection's id: whoever queues it twice has queued it once.
    pub id: EventId,
    pub at: Timestamp,
    pub event: monitor::Event,
    /// The agent in whose outbox it is, or may be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<AgentId>,
}

/// What an agent is there for, and how far it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Goal {
    /// Whose it is: whoever sits down next has a goal of their own.
    pub agent: AgentId,
    #[serde(rename = "type")]
    pub kind: String,
    #[serde(default)]
    pub settings: Map<String, Value>,
    #[serde(default)]
    pub status: GoalStatus,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowance: Option<Allowance>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stall_seconds: Option<u64>,
    /// Its end was acted on.
    #[serde(default)]
    pub over: bool,
}

/// What an outlet has yet to tell, and what it remembers of agents.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Outlet {
    #[serde(default)]
    pub queue: VecDeque<Event>,
    #[serde(default)]
    pub remembered: BTreeMap<String, Value>,
}

/// When each monitor last looked, by seat and name. It is written now and then: what is not known is looked at sooner.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Looks(BTreeMap<String, BTreeMap<String, Timestamp>>);

impl Looks {
    pub fn last(&self, seat: &str, monitor: &str) -> Option<Timestamp> {
        self.0.get(seat)?.get(monitor).copied()
    }

    pub fn note(&mut self, seat: &str, monitor: &str, at: Timestamp) {
        match self.0.get_mut(seat) {
            Some(of_seat) => {
                of_seat.insert(monitor.to_owned(), at);
            }
            None => {
                self.0.insert(seat.to_owned(), BTreeMap::from([(monitor.to_owned(), at)]));
            }
        }
    }

    /// Only what there is still somebody for.
    pub fn retain(&mut self, is_there: impl Fn(&str, &str) -> bool) {
        for (seat, monitors) in &mut self.0 {
            monitors.retain(|monitor, _| is_there(seat, monitor));
        }
        self.0.retain(|_, monitors| !monitors.is_empty());
    }
}

/// All of it.
#[derive(Debug, Clone, Default)]
pub struct Kept {
    pub seats: BTreeMap<String, Seat>,
    pub outlets: BTreeMap<String, Outlet>,
    pub looks: Looks,
    /// How far the log was heard; `None` at the very first start.
    pub position: Option<Position>,
}

impl Seat {
    pub fn new(agent: &AgentId, now: Timestamp) -> Self {
        Self {
            v: VERSION,
            agent: agent.clone(),
            occupied: true,
            used: now,
            watches: BTreeMap::new(),
            added: BTreeMap::new(),
            removed: Vec::new(),
            notifiers: BTreeMap::new(),
            goal: None,
            claimed: false,
        }
    }
}

/// The seat that an agent takes: what is readable of it, and a number that tells it apart.
pub fn seat_of(record: &Record) -> String {
    let (shown, whole) = match &record.name {
        Some(name) => (name.clone(), format!("name\0{name}")),
        None => {
            let place = record.cwd.display().to_string();
            let last = record.cwd.file_name().map(|name| name.to_string_lossy().into_owned());
            let shown = format!("{}-{}", record.driver, last.unwrap_or_default());
            (shown, format!("place\0{}\0{place}", record.driver))
        }
    };
    let shown: String = shown
        .chars()
        .take(40)
        .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_') { c } else { '-' })
        .collect();
    format!("{shown}-{:016x}", fingerprint(whole.as_bytes()))
}

/// FNV-1a: short, and the same in every version of every program.
pub fn fingerprint(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

pub fn seat_file(seat: &str) -> String {
    format!("seats/{seat}.json")
}

pub fn outlet_file(outlet: &str) -> String {
    format!("outlets/{}-{:016x}.json", readable(outlet), fingerprint(outlet.as_bytes()))
}

pub const POSITION: &str = "position.json";
pub const LOOKS: &str = "looks.json";

fn readable(name: &str) -> String {
    name.chars().take(40).map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}

/// An outlet's file says whose it is.
#[derive(Debug, Serialize, Deserialize)]
pub struct NamedOutlet {
    pub v: u32,
    pub name: String,
    pub outlet: Outlet,
}

/// Read everything. What cannot be read is set aside, and its name is in the answer.
pub fn load(home: &Home) -> io::Result<(Kept, Vec<PathBuf>)> {
    let mut kept = Kept::default();
    let mut broken = Vec::new();
    for (path, bytes) in folder(home, "seats")? {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        match serde_json::from_slice::<Seat>(&bytes) {
            Ok(seat) if seat.v == VERSION => {
                kept.seats.insert(name, seat);
            }
            _ => broken.push(set_aside(home, path)?),
        }
    }
    for (path, bytes) in folder(home, "outlets")? {
        match serde_json::from_slice::<NamedOutlet>(&bytes) {
            Ok(named) if named.v == VERSION => {
                kept.outlets.insert(named.name, named.outlet);
            }
            _ => broken.push(set_aside(home, path)?),
        }
    }
    kept.position = single(home, POSITION, &mut broken)?;
    kept.looks = single(home, LOOKS, &mut broken)?.unwrap_or_default();
    Ok((kept, broken))
}

fn single<T: DeserializeOwned>(home: &Home, name: &str, broken: &mut Vec<PathBuf>) -> io::Result<Option<T>> {
    let path = home.daemon().join(name);
    let Some(bytes) = files::read_optional(&path)? else { return Ok(None) };
    match serde_json::from_slice(&bytes) {
        Ok(value) => Ok(Some(value)),
        Err(_) => {
            broken.push(set_aside(home, path)?);
            Ok(None)
        }
    }
}

fn folder(home: &Home, name: &str) -> io::Result<Vec<(PathBuf, Vec<u8>)>> {
    let folder = home.daemon().join(name);
    files::create_private_dir(&folder)?;
    let mut found = Vec::new();
    for name in files::names(&folder)?.into_iter().filter(|name| name.ends_with(".json")) {
        let path = folder.join(name);
        // What is no file holds nothing, and is set aside with what cannot be understood.
        found.extend(files::read_optional(&path).unwrap_or_default().map(|bytes| (path, bytes)));
    }
    Ok(found)
}

fn set_aside(home: &Home, path: PathBuf) -> io::Result<PathBuf> {
    let aside = home.quarantine().join("daemon");
    files::create_private_dir(&aside)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let to = aside.join(format!("{}-{name}", signalbox_store::new_event_id()));
    files::rename(&path, &to)?;
    Ok(to)
}
