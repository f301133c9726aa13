//! What the loop hears, and what it wants done.

use jiff::Timestamp;
use serde_json::Value;
use signalbox_api::Request;
use signalbox_api::wire::Answer;
use signalbox_core::inject::Priority;
use signalbox_core::plugin::Plugin;
use signalbox_core::{AgentId, Event, EventId, ProjectName, Who};
use signalbox_integrations::goal::{GoalType, Progress};
use signalbox_integrations::monitor::{Environment, MonitorType, Seen, Trouble};
use signalbox_integrations::notifier::{Notice, NotifierType, Untold};
use signalbox_integrations::settings::Settings;
use signalbox_store::agents::Record;
use signalbox_store::config::Config;
use signalbox_store::log::Position;
use std::path::PathBuf;
use std::time::Duration;

use crate::kept::Message;

/// Whoever is connected.
pub type Connection = u64;

/// Everything that can happen to the daemon.
#[derive(Debug)]
pub enum Msg {
    Asked(Box<Asked>),
    /// A connection was closed.
    Left(Connection),
    /// What was written to the log since the last time, and how far that is.
    Logged {
        events: Vec<Event>,
        position: Position,
    },
    Looked {
        task: Task,
        found: Result<Seen, Trouble>,
    },
    Progressed {
        task: Task,
        found: Result<Progress, Trouble>,
    },
    Told {
        task: Task,
        result: Result<Value, Untold>,
    },
    /// Messages of a monitor are in the outbox.
    Delivered {
        seat: String,
        monitor: String,
        done: Vec<EventId>,
        trouble: Option<String>,
    },
    /// The outbox of an agent that is gone is closed; these messages never were in it.
    Closed {
        agent: AgentId,
        never: Vec<EventId>,
    },
    /// Whether an agent that left still runs.
    Life {
        agent: AgentId,
        runs: bool,
    },
    /// The configuration was read anew.
    Config(Result<Box<Config>, String>),
    /// The heartbeat is over.
    Beaten(Result<Option<String>, String>),
    /// Something is due.
    Tick,
    Stop,
}

/// Somebody wants something.
#[derive(Debug)]
pub struct Asked {
    pub connection: Connection,
    pub id: u64,
    pub caller: Caller,
    pub request: Request,
    /// The agent's record, where the request names one that the daemon may not know yet.
    pub record: Option<Record>,
}

/// Who asks, worked out from the process at the other end.
#[derive(Debug, Clone)]
pub struct Caller {
    pub pid: u32,
    pub who: Who,
    /// Its process cannot be seen from here.
    pub out_of_sight: bool,
    /// The agent in which it runs.
    pub agent: Option<AgentId>,
}

impl Caller {
    /// Whether it has only an agent's rights. Whoever cannot be seen may be one.
    pub fn is_agent(&self) -> bool {
        self.who.is_agent() || self.out_of_sight
    }
}

/// Some work that was given away. A late answer to an older number is nobody's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    pub what: Work,
    pub number: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Work {
    Monitor {
        agent: AgentId,
        name: String,
    },
    Goal {
        agent: AgentId,
    },
    /// A notifier or plugin, by the name of its outlet.
    Outlet(String),
}

/// What is to be done outside.
#[derive(Debug)]
pub enum Effect {
    Answer {
        connection: Connection,
        id: u64,
        answer: Answer,
    },
    Look(Box<LookJob>),
    Progress(Box<GoalJob>),
    Tell(Box<TellJob>),
    /// Find out whether an agent still runs.
    CheckLife(AgentId),
    StopAgent {
        agent: AgentId,
        socket: PathBuf,
    },
    /// Have the heartbeat done, which may take so long.
    Beat {
        time: Duration,
    },
    ReadConfig,
    /// Serve the web page, and say how to get in.
    Page {
        connection: Connection,
        id: u64,
        token: bool,
    },
    /// A worker does not come back; another may take its place.
    Abandon,
    /// Those below are done by the keeper, one after the other.
    Keep {
        file: String,
        bytes: Vec<u8>,
    },
    Forget {
        file: String,
    },
    Deliver(Box<Delivery>),
    Record(Box<Happening>),
    /// An agent is gone: nothing that waits for it can arrive. Of these messages it is not known whether they do.
    Close {
        agent: AgentId,
        project: Option<ProjectName>,
        unsure: Vec<EventId>,
    },
    Say(String),
    Exit,
}

/// One look of a monitor.
#[derive(Debug, Clone)]
pub struct LookJob {
    pub task: Task,
    pub kind: &'static MonitorType,
    pub name: String,
    pub agent: AgentId,
    pub settings: Settings,
    pub environment: Environment,
    pub directory: PathBuf,
    pub before: Value,
    pub now: Timestamp,
    pub time: Duration,
}

/// One look at a goal.
#[derive(Debug, Clone)]
pub struct GoalJob {
    pub task: Task,
    pub kind: &'static GoalType,
    pub agent: AgentId,
    pub settings: Settings,
    pub environment: Environment,
    pub directory: PathBuf,
    pub time: Duration,
}

/// Telling one thing to one notifier or plugin.
#[derive(Debug, Clone)]
pub struct TellJob {
    pub task: Task,
    pub to: Listener,
    pub remembered: Value,
    pub terminals: Vec<PathBuf>,
    pub time: Duration,
}

/// Who is told.
#[derive(Debug, Clone)]
pub enum Listener {
    Notifier { kind: &'static NotifierType, settings: Settings, notice: Notice },
    Plugin { plugin: Plugin, event: Event },
}

/// Messages of one monitor for one agent.
#[derive(Debug, Clone)]
pub struct Delivery {
    pub agent: AgentId,
    pub agent_name: Option<String>,
    pub project: Option<ProjectName>,
    pub seat: String,
    pub monitor: String,
    pub kind: &'static MonitorType,
    pub messages: Vec<Message>,
    /// How long they may wait, where the monitor's settings say so.
    pub ttl: Option<u64>,
}

/// Something for the log.
#[derive(Debug, Clone)]
pub struct Happening {
    pub id: EventId,
    pub at: Timestamp,
    pub event: &'static str,
    pub project: Option<ProjectName>,
    pub data: Value,
}

/// How urgent a message is, and what it takes the place of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Terms {
    pub priority: Priority,
    pub ttl_seconds: u32,
    pub key: String,
}
