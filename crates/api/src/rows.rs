//! What the daemon tells of agents, monitors, goals and notifiers.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use signalbox_core::goal::GoalStatus;
use signalbox_core::{AgentId, ProjectName, TicketId};

/// One agent that runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AgentRow {
    pub id: AgentId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    pub driver: String,
    /// What it is doing.
    pub state: String,
    pub since: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<ProjectName>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ticket: Option<TicketId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goal: Option<GoalRow>,
    /// A person has taken it over.
    pub claimed: bool,
    /// It has done nothing for longer than it should.
    pub stalled: bool,
    pub monitors: Vec<MonitorRow>,
    /// Notifiers of this agent alone, by name.
    #[serde(default)]
    pub notifiers: Vec<String>,
}

/// What an agent is there for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GoalRow {
    #[serde(rename = "type")]
    pub kind: String,
    pub status: GoalStatus,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// When its time is up; absent while the clock stands still, and where there is no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
}

/// Something that is watched for an agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MonitorRow {
    pub agent: AgentId,
    pub name: String,
    #[serde(rename = "type")]
    pub kind: String,
    pub origin: Origin,
    pub privileged: bool,
    /// Without what is secret.
    pub settings: Map<String, Value>,
    pub every_seconds: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<Timestamp>,
    /// Absent: it does not look any more, and `trouble` says why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
    /// How many messages it has made.
    pub announced: u64,
    /// How many of them wait to reach an agent.
    pub waiting: usize,
}

/// Where a monitor or notifier comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    Config,
    /// The place where the agent works suggests it.
    Proposed,
    Added,
}

impl Origin {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Config => "config",
            Self::Proposed => "proposed",
            Self::Added => "added",
        }
    }
}

/// A way to tell people.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NotifierRow {
    pub name: String,
    #[serde(rename = "type")]
    pub kind: String,
    /// Absent: it is for all agents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentId>,
    pub origin: Origin,
    pub privileged: bool,
    /// The patterns of the events it tells of.
    pub events: Vec<String>,
    pub told: u64,
    pub waiting: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
}
