//! What can be asked, one type each, and what each is answered with.

use std::path::PathBuf;

use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use signalbox_core::AgentId;

use crate::rows::{AgentRow, MonitorRow, NotifierRow};

/// Something that can be asked.
pub trait Command: Into<Request> {
    type Reply: Serialize + DeserializeOwned;
}

/// One command, for the reference page.
#[derive(Debug, Clone, Copy)]
pub struct CommandDoc {
    pub name: &'static str,
    pub request: &'static str,
    pub reply: &'static str,
    /// Who may ask.
    pub who: Asker,
    pub about: &'static str,
}

/// Who may ask for a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asker {
    /// People and agents; an agent for itself alone, and what is privileged is hidden from it.
    Anyone,
    People,
    /// The `sb agent` around that very agent.
    Wrapper,
}

macro_rules! commands {
    ($($name:literal $request:ident => $reply:ident, $who:ident, $about:literal;)*) => {
        /// Everything that can be asked.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "do")]
        pub enum Request {
            $(#[serde(rename = $name)] $request($request),)*
        }

        impl Request {
            pub fn name(&self) -> &'static str {
                match self { $(Self::$request(_) => $name,)* }
            }

            pub fn who(&self) -> Asker {
                match self { $(Self::$request(_) => Asker::$who,)* }
            }
        }

        $(
            impl From<$request> for Request {
                fn from(request: $request) -> Self {
                    Self::$request(request)
                }
            }

            impl Command for $request {
                type Reply = $reply;
            }
        )*

        /// Every command. The reference page is generated from here.
        pub const CATALOG: &[CommandDoc] = &[$(CommandDoc {
            name: $name,
            request: stringify!($request),
            reply: stringify!($reply),
            who: Asker::$who,
            about: $about,
        },)*];
    };
}

commands! {
    "status" Status => Report, Anyone, "What the daemon looks after, and how it is";
    "register" Register => Registered, Wrapper, "An agent runs; it is asked for its surroundings";
    "surroundings" Surroundings => Watched, Wrapper, "Where an agent works: decides what is watched for it";
    "monitors" Monitors => MonitorList, Anyone, "What is watched";
    "add-monitor" AddMonitor => MonitorRow, Anyone, "Watch something for an agent that runs";
    "remove-monitor" RemoveMonitor => Done, Anyone, "Stop watching something for an agent";
    "look" LookNow => MonitorRow, Anyone, "Let a monitor look at once";
    "notifiers" Notifiers => NotifierList, Anyone, "Who is told what";
    "add-notifier" AddNotifier => NotifierRow, Anyone, "Tell somebody of one agent's events";
    "remove-notifier" RemoveNotifier => Done, Anyone, "Tell them no more";
    "tell" Tell => Done, People, "Try a notifier; the answer comes when it is done";
    "events" Events => Done, Anyone, "The event log from a position on, and then as it grows";
    "page" OpenPage => PageAt, People, "Serve the web page, and hand out a way in";
    "reload" Reload => Done, People, "Read the configuration anew";
    "stop" Stop => Done, People, "End the daemon; agents go on";
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Status {}

/// How the daemon is, and what it looks after.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    pub version: String,
    pub pid: u32,
    pub since: Timestamp,
    pub agents: Vec<AgentRow>,
    pub notifiers: Vec<NotifierRow>,
    /// How many plugins listen.
    pub plugins: usize,
    /// What is wrong with the configuration; the one before it is in force.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bad_config: Option<String>,
    /// What else a person should see to, a sentence each.
    #[serde(default)]
    pub troubles: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_heartbeat: Option<Timestamp>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Register {
    pub agent: AgentId,
    /// What it is doing, and since when.
    pub state: String,
    pub since: Timestamp,
    /// The terminal in front of which a person sits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub terminal: Option<PathBuf>,
}

/// What the daemon wants to know of an agent's surroundings.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Registered {
    /// Which of these files are there, relative to its directory?
    pub files: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Surroundings {
    pub agent: AgentId,
    #[serde(default)]
    pub branch: Option<String>,
    #[serde(default)]
    pub head: Option<String>,
    #[serde(default)]
    pub remotes: Vec<(String, String)>,
    #[serde(default)]
    pub files: Vec<String>,
}

/// The names of what is watched for the agent now.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Watched {
    pub monitors: Vec<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Monitors {
    /// Of this agent alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentId>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct MonitorList {
    pub monitors: Vec<MonitorRow>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AddMonitor {
    /// Absent: the agent that asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentId>,
    pub name: String,
    /// With `type`, unless the name says it.
    #[serde(default)]
    pub settings: Map<String, Value>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemoveMonitor {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentId>,
    pub name: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LookNow {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentId>,
    pub name: String,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notifiers {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentId>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct NotifierList {
    pub notifiers: Vec<NotifierRow>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AddNotifier {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentId>,
    pub name: String,
    #[serde(default)]
    pub settings: Map<String, Value>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemoveNotifier {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentId>,
    pub name: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tell {
    pub notifier: String,
    #[serde(default)]
    pub message: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Events {
    /// The `next` of the last piece that was taken; absent: from now on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// From the very beginning of the log, where `after` is absent.
    #[serde(default)]
    pub from_beginning: bool,
    /// Patterns of names, `*` for anything; none: all.
    #[serde(default)]
    pub names: Vec<String>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenPage {
    /// A token for a script is wanted, and no link.
    #[serde(default)]
    pub token: bool,
}

/// Where the web page is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageAt {
    pub port: u16,
    /// A link that lets its bearer in once, or a token for a script.
    pub way_in: String,
    /// The port that was wanted and that somebody else has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passed_over: Option<u16>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reload {}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stop {}

/// It is done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Done {}
