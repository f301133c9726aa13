//! Goals that somebody has to look at: when an agent has done what it is there for.
//!
//! Those that need no look (the agent says so, its program ends, its ticket is done) are decided where that is known.

use std::path::Path;
use std::time::Duration;

use signalbox_core::goal::GoalStatus;

use crate::monitor::{Environment, Trouble};
use crate::settings::{BadSettings, Key, Settings};

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

/// All types.
pub const TYPES: &[GoalType] = &[];

pub fn find(name: &str) -> Option<&'static GoalType> {
    TYPES.iter().find(|kind| kind.name == name)
}
