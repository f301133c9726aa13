//! Messages for an agent that wait until it can take them: what one is, in which order they go, and what became
//! of each.
//!
//! Whatever is queued gets exactly one last receipt: delivered, superseded, expired or failed. The queue itself does
//! not know how a message gets in; it is asked for the next one when a door is open.

mod queue;
mod receipt;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::id::EventId;
use crate::refusal::Refusal;
use crate::who::Who;

pub use queue::{Next, Queue, Readiness};
pub use receipt::{Deferred, Door, Failure, Fate, Receipt};

/// The longest message, in bytes.
pub const MOST_TEXT: usize = 1_000_000;
/// The longest key, in characters.
pub const MOST_KEY: usize = 200;
/// How many may wait for one agent where nobody says otherwise.
pub const MOST_WAITING: usize = 50;
/// How long one waits where nobody says otherwise, in seconds.
pub const USUAL_TTL: u32 = 300;

/// One message for one agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Injection {
    pub id: EventId,
    /// As it was given. What of it reaches a terminal is decided where it is typed.
    pub text: String,
    #[serde(default)]
    pub priority: Priority,
    pub ttl_seconds: u32,
    /// A newer one with the same key takes its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    #[serde(serialize_with = "crate::time::serialize")]
    pub queued_at: Timestamp,
    /// Who wants it said: an actor's name.
    pub from: String,
}

/// The order of the variants is the order of delivery.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Priority {
    High,
    #[default]
    Normal,
    Low,
}

impl Priority {
    pub const ALL: [Self; 3] = [Self::High, Self::Normal, Self::Low];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::High => "high",
            Self::Normal => "normal",
            Self::Low => "low",
        }
    }

    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|priority| priority.as_str() == word.trim().to_ascii_lowercase())
    }
}

/// A message in the queue, with what is known of its waiting.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waiting {
    #[serde(flatten)]
    pub injection: Injection,
    /// What it was last seen to wait for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deferred: Option<Deferred>,
    /// How often somebody tried to deliver it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub tries: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl Injection {
    /// A message that can be queued, or why it cannot be.
    pub fn new(id: EventId, text: &str, from: &str, now: Timestamp) -> Result<Self, Refusal> {
        check(text)?;
        Ok(Self {
            id,
            text: text.to_owned(),
            priority: Priority::default(),
            ttl_seconds: USUAL_TTL,
            key: None,
            queued_at: now,
            from: from.to_owned(),
        })
    }

    #[must_use]
    pub fn priority(mut self, priority: Priority) -> Self {
        self.priority = priority;
        self
    }

    /// How long it may wait.
    pub fn ttl(mut self, seconds: u32) -> Result<Self, Refusal> {
        if seconds == 0 {
            return Err(Refusal::usage(
                "inject.ttl",
                "a message that may wait 0 seconds would expire at once",
            )
            .hint(format!("Give it at least a second; without `--ttl` it waits {USUAL_TTL}.")));
        }
        self.ttl_seconds = seconds;
        Ok(self)
    }

    /// What it takes the place of, and what takes the place of it.
    pub fn key(mut self, key: &str) -> Result<Self, Refusal> {
        let length = key.chars().count();
        if key.trim().is_empty() || length > MOST_KEY || key.contains(char::is_control) {
            return Err(Refusal::usage(
                "inject.key",
                format!("a key is one line of 1 to {MOST_KEY} characters, and this one has {length}"),
            )
            .hint("Name what the message is about, as in `--key ci-status`."));
        }
        self.key = Some(key.to_owned());
        Ok(self)
    }

    /// From when on it is too late.
    pub fn expires_at(&self) -> Timestamp {
        let end = self.queued_at.checked_add(SignedDuration::from_secs(i64::from(self.ttl_seconds)));
        end.unwrap_or(Timestamp::MAX)
    }

    /// The most urgent first, then the oldest.
    pub fn order(&self) -> (Priority, Timestamp, &EventId) {
        (self.priority, self.queued_at, &self.id)
    }
}

impl From<Injection> for Waiting {
    fn from(injection: Injection) -> Self {
        Self { injection, deferred: None, tries: 0 }
    }
}

/// With what a CLI's own commands begin: its menus, its shell, its memory.
const SIGNS: &[char] = &['/', '!', '#', '&', '$', '?', ':'];

/// Words that end a CLI where they stand alone.
const LAST_WORDS: &[&str] = &["exit", "quit"];

/// Refuse what a CLI would take for a command: no hook sees what those do, so they are a person's alone.
pub fn must_be_words(who: &Who, text: &str) -> Result<(), Refusal> {
    let text = text.trim_start_matches(|c: char| c.is_control() || c.is_whitespace());
    let ends = LAST_WORDS.iter().any(|word| text.trim_end().eq_ignore_ascii_case(word));
    if *who == Who::Human || !(text.starts_with(SIGNS) || ends) {
        return Ok(());
    }
    Err(Refusal::new(
        "inject.command",
        "the agent's CLI would take this for a command, and only people may give it those",
    )
    .hint("Begin with a word."))
}

/// Whether a text is worth queueing.
fn check(text: &str) -> Result<(), Refusal> {
    if text.len() > MOST_TEXT {
        return Err(Refusal::usage(
            "inject.too-long",
            format!("the message has more than {MOST_TEXT} bytes"),
        )
        .hint("Put it into a file and tell the agent to read that."));
    }
    if text.trim().is_empty() {
        return Err(Refusal::usage("inject.empty", "the message is empty")
            .hint("Say something: `sb inject ID TEXT`."));
    }
    if text.chars().all(|c| c.is_control() || c.is_whitespace()) {
        return Err(Refusal::usage(
            "inject.only-control",
            "the message consists of control characters alone, and those are never typed",
        )
        .hint("To press keys yourself, attach to the agent: `sb attach -i ID`."));
    }
    Ok(())
}
