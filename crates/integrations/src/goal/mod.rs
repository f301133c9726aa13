//! Goals that somebody has to look at: when an agent has done what it is there for.
//!
//! Those that need no look (the agent says so, its program ends, its ticket is done) are decided where that is known.

mod command;
mod github;

use std::path::Path;
use std::time::Duration;

use signalbox_core::goal::GoalStatus;

use crate::monitor::{Environment, Trouble};
use crate::settings::{self, BadSettings, Key, Settings};

/// One type of goal.
#[derive(Debug, Clone, Copy)]
pub struct GoalType {
    pub name: &'static str,
    pub about: &'static str,
    pub keys: &'static [Key],
    /// Only a person may set one: it runs what its settings say.
    pub privileged: bool,
    pub check: fn(&Settings) -> Result<(), BadSettings>,
    /// `None`: nothing is looked at, it is told.
    pub look: Option<Looking>,
}

/// Look once, for as long as `Look::time` and no longer.
pub type Looking = fn(&Look<'_>) -> Result<Progress, Trouble>;

#[derive(Debug, Clone, Copy)]
pub struct Look<'a> {
    pub settings: &'a Settings,
    pub environment: &'a Environment,
    pub directory: &'a Path,
    pub agent: &'a str,
    pub time: Duration,
}

/// How far it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Progress {
    pub status: GoalStatus,
    /// A sentence about it.
    pub summary: Option<String>,
}

/// Settings that every type has.
pub const COMMON: &[Key] =
    &[Key::optional("type", "The type"), Key::optional("every", "How often to look, in seconds")];

/// All types.
pub const TYPES: &[GoalType] = &[
    told("agent_signal", "The agent says when it is done"),
    told("agent_exit", "The agent's program ends: well means done, anything else failed"),
    GoalType {
        keys: &[Key::optional("ticket", "The ticket's id; the agent's own unless this is set")],
        ..told("ticket_done", "The ticket that the agent works on is done")
    },
    command::TYPE,
    github::PR_MERGED,
    github::ISSUE_RESOLVED,
];

/// A type that nobody looks for.
const fn told(name: &'static str, about: &'static str) -> GoalType {
    GoalType { name, about, keys: &[], privileged: false, check: |_| Ok(()), look: None }
}

pub fn find(name: &str) -> Option<&'static GoalType> {
    TYPES.iter().find(|kind| kind.name == name)
}

impl GoalType {
    /// What is wrong with these settings.
    pub fn check(&self, settings: &Settings) -> Result<(), BadSettings> {
        settings::check(self.name, self.keys, COMMON, settings)?;
        (self.check)(settings)
    }
}
