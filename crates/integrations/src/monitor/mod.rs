//! Monitors: something outside that is looked at again and again for an agent, and what is said when it changed.

mod command;
mod github;
mod shell;

use std::io;
use std::path::Path;
use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use signalbox_core::inject::Priority;
use signalbox_template::{Bundled, Found, Library};

use crate::settings::{self, BadSettings, Key, Settings};

/// One type of monitor.
#[derive(Debug, Clone, Copy)]
pub struct MonitorType {
    pub name: &'static str,
    pub about: &'static str,
    pub keys: &'static [Key],
    /// Only a person may add one: it runs what its settings say.
    pub privileged: bool,
    pub events: &'static [EventKind],
    /// Whether it may announce events that are not in `events`, because a program of the user's names them. For these
    /// counts what `events` says of [`ANY_EVENT`].
    pub names_own_events: bool,
    /// How often it looks unless its settings say otherwise.
    pub every: Duration,
    /// What is worth watching for an agent in such a place; the name is that of the instance.
    pub propose: fn(&Environment) -> Option<Proposal>,
    /// Fill in what the settings leave out and the place knows.
    pub complete: fn(Settings, &Environment) -> Settings,
    /// What is wrong with complete settings, beyond missing and unknown keys.
    pub check: fn(&Settings) -> Result<(), BadSettings>,
    /// Look once. It may take as long as `Look::time` and no longer.
    pub look: fn(&Look<'_>) -> Result<Seen, Trouble>,
    pub templates: &'static [Bundled],
}

/// One kind of event that a type announces.
#[derive(Debug, Clone, Copy)]
pub struct EventKind {
    pub name: &'static str,
    pub about: &'static str,
    pub priority: Priority,
    pub ttl: Duration,
    /// A later event with the same key takes its place; `None`: the monitor's own name.
    pub key: Option<&'static str>,
    /// The names that its template may use, besides `monitor`, `agent` and `event`.
    pub fields: &'static [(&'static str, &'static str)],
}

/// What an agent said of the place where it runs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Environment {
    pub branch: Option<String>,
    /// The commit that is checked out.
    pub head: Option<String>,
    /// The remotes by name, with their addresses.
    pub remotes: Vec<(String, String)>,
    /// Which of the files that were asked for are there, relative to the directory.
    pub files: Vec<String>,
}

/// A monitor that would make sense.
#[derive(Debug, Clone, PartialEq)]
pub struct Proposal {
    pub name: String,
    pub settings: Settings,
}

/// What a look gets.
#[derive(Debug, Clone, Copy)]
pub struct Look<'a> {
    /// The instance.
    pub name: &'a str,
    pub settings: &'a Settings,
    pub environment: &'a Environment,
    /// Where the agent works.
    pub directory: &'a Path,
    pub agent: &'a str,
    /// What the last look left; null at the first. The first look at something says what is so, not what changed.
    pub before: &'a Value,
    pub now: Timestamp,
    pub time: Duration,
}

/// What a look found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Seen {
    /// What the next look needs to know.
    pub state: Value,
    /// What is new, the oldest first.
    pub events: Vec<Event>,
    /// Not to be asked again before; `None`: at the usual time.
    pub not_before: Option<Timestamp>,
}

/// Something new.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// One of the type's `events`.
    pub kind: String,
    /// What its template may use.
    pub fields: Map<String, Value>,
    /// Instead of what the kind says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<Priority>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttl_seconds: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The message itself, where a program wrote it; then no template is used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// Why a look found nothing out. Each says in a sentence what is wrong, and what to do where something can be done.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Trouble {
    /// It may go well the next time.
    #[error("{0}")]
    Passing(String),
    /// The other side has had enough, until then if it said so.
    #[error("{why}")]
    Limited { until: Option<Timestamp>, why: String },
    /// A person has to do something: a token is missing or not accepted, a setting is wrong.
    #[error("{0}")]
    Lasting(String),
}

/// Settings that every type has.
pub const COMMON: &[Key] = &[
    Key::optional("type", "The type, where the monitor's name is not that already"),
    Key::optional("every", "How often to look, in seconds"),
    Key::optional("privileged", "`true`: agents neither see nor change it"),
    Key::optional("projects", "Only for agents in these projects"),
    Key::optional("ttl", "After how many seconds a message that could not be delivered is dropped"),
];

/// The kind, and the template, of events that a program of the user's named.
pub const ANY_EVENT: &str = "default";

/// All types.
pub const TYPES: &[MonitorType] = &[github::TYPE, shell::TYPE, command::TYPE];

pub fn find(name: &str) -> Option<&'static MonitorType> {
    TYPES.iter().find(|kind| kind.name == name)
}

impl MonitorType {
    /// What is wrong with these settings.
    pub fn check(&self, settings: &Settings) -> Result<(), BadSettings> {
        settings::check(self.name, self.keys, COMMON, settings)?;
        (self.check)(settings)
    }

    /// What is known of events with this name.
    pub fn event(&self, name: &str) -> Option<&'static EventKind> {
        let exact = self.events.iter().find(|event| event.name == name);
        exact.or_else(|| self.events.iter().find(|event| self.names_own_events && event.name == ANY_EVENT))
    }

    /// The template for an event of an instance: the user's for the instance, the user's for the type, the one that
    /// comes along; for an event that a program named, then those for any event.
    pub fn template(&self, library: &Library, instance: &str, event: &str) -> io::Result<Option<Found>> {
        let folders = [instance, self.name];
        match library.find(&folders, event)? {
            None if self.names_own_events => library.find(&folders, ANY_EVENT),
            found => Ok(found),
        }
    }
}

impl Event {
    /// What its template is given: its fields, and who found it for whom.
    pub fn context(&self, monitor: &str, kind: &str, agent: Value) -> Value {
        let mut context = self.fields.clone();
        context.insert("monitor".to_owned(), serde_json::json!({ "name": monitor, "type": kind }));
        context.insert("agent".to_owned(), agent);
        context.insert("event".to_owned(), Value::String(self.kind.clone()));
        Value::Object(context)
    }
}

impl From<BadSettings> for Trouble {
    fn from(wrong: BadSettings) -> Self {
        Self::Lasting(wrong.0)
    }
}

/// A type that has nothing to propose.
fn nothing(_: &Environment) -> Option<Proposal> {
    None
}

/// A type whose settings are complete as they are.
fn as_given(settings: Settings, _: &Environment) -> Settings {
    settings
}

impl Environment {
    /// The files that any type asks an agent about.
    pub const FILES: &'static [&'static str] = &[".github/workflows", ".signalbox/monitors"];
}
