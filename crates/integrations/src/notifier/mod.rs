//! Notifiers: ways to tell people what happened.
//!
//! Each type is a file or a folder here and a row in [`TYPES`]. What is told is made by templates below
//! `notifications/<type>` where there is one; see [`notice`] for what they may use.

mod bell;
mod command;
mod desktop;
mod events;
mod http;
mod notice;
mod slack;
mod webhook;

use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;
use signalbox_template::{Bundled, Extras, Library};

use crate::settings::{self, BadSettings, Key, Settings};

pub use events::{TOLD_OF, is_told, patterns};
pub use notice::{NAMES, Notice, title};

/// One type of notifier.
#[derive(Debug, Clone, Copy)]
pub struct NotifierType {
    pub name: &'static str,
    pub about: &'static str,
    pub keys: &'static [Key],
    /// Only a person may add one: it runs what its settings say, or sends what it is told to where they say.
    pub privileged: bool,
    pub check: fn(&Settings) -> Result<(), BadSettings>,
    /// Tell of it. It may take as long as `Telling::time` and no longer. The answer is what it wants to remember of this
    /// agent until the agent is gone; null for nothing.
    pub tell: fn(&Telling<'_>) -> Result<Value, Untold>,
    /// The templates that come along, below `notifications/<type>`.
    pub templates: &'static [Bundled],
    /// What its templates may use besides.
    pub extras: Extras,
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
    pub terminals: &'a [PathBuf],
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

impl Untold {
    /// It may go well the next time.
    fn passing(why: impl Into<String>) -> Self {
        Self { why: why.into(), passing: true }
    }

    /// A person has to do something first.
    fn lasting(why: impl Into<String>) -> Self {
        Self { why: why.into(), passing: false }
    }
}

impl From<BadSettings> for Untold {
    fn from(bad: BadSettings) -> Self {
        Self::lasting(bad.0)
    }
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

/// All types.
pub const TYPES: &[NotifierType] = &[bell::TYPE, command::TYPE, desktop::TYPE, slack::TYPE, webhook::TYPE];

pub fn find(name: &str) -> Option<&'static NotifierType> {
    TYPES.iter().find(|kind| kind.name == name)
}

impl NotifierType {
    /// What is wrong with these settings.
    pub fn check(&self, settings: &Settings) -> Result<(), BadSettings> {
        settings::check(self.name, self.keys, COMMON, settings)?;
        settings::texts(settings, "events")?;
        (self.check)(settings)
    }
}
