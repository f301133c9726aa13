//! Notifiers: ways to tell people what happened.

use std::time::Duration;

use serde_json::Value;
use signalbox_template::{Bundled, Library};

use crate::settings::{self, BadSettings, Key, Settings};

/// One type of notifier.
#[derive(Debug, Clone, Copy)]
pub struct NotifierType {
    pub name: &'static str,
    pub about: &'static str,
    pub keys: &'static [Key],
    /// Only a person may add one: it runs what its settings say.
    pub privileged: bool,
    pub check: fn(&Settings) -> Result<(), BadSettings>,
    /// Tell of it. It may take as long as `Telling::time` and no longer. The answer is what it wants to remember of this
    /// agent until the agent is gone; null for nothing.
    pub tell: fn(&Telling<'_>) -> Result<Value, Untold>,
    /// The templates that come along, below `notifications/<type>`.
    pub templates: &'static [Bundled],
}

/// What happened.
#[derive(Debug, Clone, PartialEq)]
pub struct Notice {
    /// The event's name in the log: `agent.completed`.
    pub event: String,
    /// A sentence for people.
    pub message: String,
    pub agent: Option<String>,
    /// The monitor it came from, by name and type.
    pub monitor: Option<(String, String)>,
    /// As in the log.
    pub at: String,
    /// What else is known: `agent`, `goal`, `ticket`, `project`, and the event's own data.
    pub context: Value,
}

/// What a notifier gets.
#[derive(Debug, Clone, Copy)]
pub struct Telling<'a> {
    pub settings: &'a Settings,
    pub notice: &'a Notice,
    pub templates: &'a Library,
    /// What it remembered of this agent.
    pub remembered: &'a Value,
    /// The terminals at which people see agents.
    pub terminals: &'a [std::path::PathBuf],
    pub time: Duration,
}

/// Why nobody was told, as a sentence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub struct Untold {
    pub why: String,
    /// Trying again may help.
    pub passing: bool,
}

/// Settings that every type has.
pub const COMMON: &[Key] = &[
    Key::optional("type", "The type"),
    Key::optional("name", "What it is called"),
    Key::optional(
        "events",
        "The events it tells of, `*` for anything; all that people should know unless this is set",
    ),
    Key::optional("privileged", "`true`: agents neither see nor change it"),
];

/// What people are told of where nobody says otherwise.
pub const USUAL_EVENTS: &[&str] = &["agent.completed", "agent.failed", "agent.blocked", "agent.stalled"];

/// All types.
pub const TYPES: &[NotifierType] = &[];

pub fn find(name: &str) -> Option<&'static NotifierType> {
    TYPES.iter().find(|kind| kind.name == name)
}

impl NotifierType {
    /// What is wrong with these settings.
    pub fn check(&self, settings: &Settings) -> Result<(), BadSettings> {
        settings::check(self.name, self.keys, COMMON, settings)?;
        (self.check)(settings)
    }
}
