//! What became of a message, as an event: `inject.queued`, `.deferred`, and one last of `.delivered`,
//! `.superseded`, `.expired`, `.failed`.

use std::fmt;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};

use super::Priority;
use crate::event::Event;
use crate::id::{AgentId, EventId};

/// Something that happened to one message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receipt {
    pub injection: EventId,
    pub fate: Fate,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    Queued { priority: Priority, ttl_seconds: u32, key: Option<String>, from: String, text: String },
    Delivered { door: Door, tries: u32 },
    Deferred { reason: Deferred, door: Option<Door> },
    Superseded { by: EventId },
    Expired { waited_seconds: u64, reason: Option<Deferred> },
    Failed { reason: Failure, door: Option<Door>, detail: Option<String> },
}

/// The way in that was used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Door {
    /// A hook of the CLI that waits and wakes the session.
    Waiter,
    /// The CLI's own queue.
    Queue,
    /// An extension inside the CLI.
    Extension,
    /// Context that a hook adds to what the agent does anyway.
    Context,
    /// Pasted and submitted.
    Keyboard,
}

/// Why a message has to wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Deferred {
    PersonTyping,
    Draft,
    Dialog,
    Busy,
    UnknownState,
    NotStarted,
    Exited,
    /// A try did not work out; there will be another.
    Retrying,
    /// The CLI has it in a queue of its own, and leaves that alone until the next prompt.
    InQueue,
}

/// Why a message was given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Failure {
    /// The queue is full of more urgent ones.
    Full,
    /// A newer or more urgent one needed its place.
    Evicted,
    Cancelled,
    Exited,
    /// It was pasted and never seen in the input box.
    NotShown,
    /// It stands in the input box and could not be taken out again.
    LeftInBox,
    /// It was seen in the box, submitted, and is still there.
    NotTaken,
    /// It was submitted, and nothing shows what became of it.
    Unconfirmed,
    /// The door was closed in our face.
    Refused,
    /// Its file in the outbox cannot be read.
    Unreadable,
}

impl Door {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Waiter => "waiter",
            Self::Queue => "queue",
            Self::Extension => "extension",
            Self::Context => "context",
            Self::Keyboard => "keyboard",
        }
    }
}

impl Deferred {
    /// The end of "it waits: …".
    pub fn sentence(self) -> &'static str {
        match self {
            Self::PersonTyping => "somebody is typing",
            Self::Draft => "a half-typed line stands in the input box",
            Self::Dialog => "a dialog is open",
            Self::Busy => "the agent is working",
            Self::UnknownState => "it is not known what the agent is doing",
            Self::NotStarted => "the agent has not started yet",
            Self::Exited => "the agent has exited",
            Self::Retrying => "the last try did not work out",
            Self::InQueue => "it is in the CLI's own queue, which stays shut until the next prompt",
        }
    }
}

impl Failure {
    /// The end of "it was not delivered: …".
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Full => "the queue is full of more urgent messages",
            Self::Evicted => "the queue was full, and a newer or more urgent message took its place",
            Self::Cancelled => "it was cancelled",
            Self::Exited => "the agent exited",
            Self::NotShown => "it was pasted and never appeared in the input box",
            Self::LeftInBox => "it stands in the input box and could not be taken out again",
            Self::NotTaken => "it was submitted and stayed in the input box",
            Self::Unconfirmed => "it was submitted, but nothing shows that the agent took it",
            Self::Refused => "the way in was refused",
            Self::Unreadable => "its file in the outbox cannot be read",
        }
    }
}

impl Receipt {
    pub fn new(injection: &EventId, fate: Fate) -> Self {
        Self { injection: injection.clone(), fate }
    }

    /// Whether nothing more happens to the message.
    pub fn is_last(&self) -> bool {
        !matches!(self.fate, Fate::Queued { .. } | Fate::Deferred { .. })
    }

    /// The event's name.
    pub fn name(&self) -> &'static str {
        match self.fate {
            Fate::Queued { .. } => "inject.queued",
            Fate::Delivered { .. } => "inject.delivered",
            Fate::Deferred { .. } => "inject.deferred",
            Fate::Superseded { .. } => "inject.superseded",
            Fate::Expired { .. } => "inject.expired",
            Fate::Failed { .. } => "inject.failed",
        }
    }

    /// The event's data.
    pub fn data(&self, agent: &AgentId) -> serde_json::Result<Box<RawValue>> {
        let wire =
            |fate| to_raw_value(&Wire { agent: agent.clone(), injection: self.injection.clone(), fate });
        match self.fate.clone() {
            Fate::Queued { priority, ttl_seconds, key, from, text } => wire(WireFate {
                priority: Some(priority),
                ttl_seconds: Some(ttl_seconds),
                key,
                from: Some(from),
                text: Some(text),
                ..WireFate::default()
            }),
            Fate::Delivered { door, tries } => {
                wire(WireFate { door: Some(door), tries: Some(tries), ..WireFate::default() })
            }
            Fate::Deferred { reason, door } => {
                wire(WireFate { reason: Some(word(reason)?), door, ..WireFate::default() })
            }
            Fate::Superseded { by } => wire(WireFate { by: Some(by), ..WireFate::default() }),
            Fate::Expired { waited_seconds, reason } => {
                let reason = reason.map(word).transpose()?;
                wire(WireFate { waited_seconds: Some(waited_seconds), reason, ..WireFate::default() })
            }
            Fate::Failed { reason, door, detail } => {
                wire(WireFate { reason: Some(word(reason)?), door, detail, ..WireFate::default() })
            }
        }
    }

    /// The receipt that an event is, and whose; `None` where it is none, or of a newer version.
    pub fn of(event: &Event) -> Option<(AgentId, Self)> {
        let kind = event.event.strip_prefix("inject.")?;
        let Wire { agent, injection, fate: data } = serde_json::from_str(event.data.get()).ok()?;
        let fate = match kind {
            "queued" => Fate::Queued {
                priority: data.priority?,
                ttl_seconds: data.ttl_seconds?,
                key: data.key,
                from: data.from?,
                text: data.text?,
            },
            "delivered" => Fate::Delivered { door: data.door?, tries: data.tries.unwrap_or(1) },
            "deferred" => Fate::Deferred { reason: read(&data.reason?)?, door: data.door },
            "superseded" => Fate::Superseded { by: data.by? },
            "expired" => Fate::Expired {
                waited_seconds: data.waited_seconds?,
                reason: data.reason.and_then(|reason| read(&reason)),
            },
            "failed" => Fate::Failed { reason: read(&data.reason?)?, door: data.door, detail: data.detail },
            _ => return None,
        };
        Some((agent, Self { injection, fate }))
    }
}

impl fmt::Display for Receipt {
    /// For people: one sentence without its full stop.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.fate {
            Fate::Queued { priority, ttl_seconds, .. } => {
                write!(f, "queued with {} priority; it waits {ttl_seconds} s at the most", priority.as_str())
            }
            Fate::Delivered { door: Door::Keyboard, tries } if *tries > 1 => {
                write!(f, "delivered through the keyboard, at the {tries}. try")
            }
            Fate::Delivered { door, .. } => write!(f, "delivered through the {}", door.as_str()),
            Fate::Deferred { reason, .. } => write!(f, "it waits: {}", reason.sentence()),
            Fate::Superseded { by } => write!(f, "superseded by {by}, which has the same key"),
            Fate::Expired { waited_seconds, reason: None } => {
                write!(f, "expired after {waited_seconds} s without a chance to deliver it")
            }
            Fate::Expired { waited_seconds, reason: Some(reason) } => {
                write!(f, "expired after {waited_seconds} s: {}", reason.sentence())
            }
            Fate::Failed { reason, detail: None, .. } => write!(f, "not delivered: {}", reason.sentence()),
            Fate::Failed { reason, detail: Some(detail), .. } => {
                write!(f, "not delivered: {} ({detail})", reason.sentence())
            }
        }
    }
}

/// As it stands in the log.
#[derive(Serialize, Deserialize)]
struct Wire {
    agent: AgentId,
    injection: EventId,
    #[serde(flatten)]
    fate: WireFate,
}

#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct WireFate {
    #[serde(skip_serializing_if = "Option::is_none")]
    priority: Option<Priority>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ttl_seconds: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    door: Option<Door>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<EventId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tries: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    waited_seconds: Option<u64>,
}

/// The word an enum is written as.
fn word(value: impl Serialize) -> serde_json::Result<String> {
    serde_json::from_value(serde_json::to_value(value)?)
}

fn read<T: DeserializeOwned>(word: &str) -> Option<T> {
    serde_json::from_value(serde_json::Value::String(word.to_owned())).ok()
}
