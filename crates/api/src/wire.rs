//! The lines themselves.

use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use signalbox_core::Event;

use crate::commands::Request;

/// The version of all of this. The daemon speaks exactly one.
pub const VERSION: u32 = 1;
/// The longest request, in bytes.
pub const MOST_REQUEST: usize = 1 << 20;
/// The longest answer that a client takes, in bytes.
pub const MOST_REPLY: usize = 64 << 20;

/// The first line, from the daemon.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Greeting {
    pub v: u32,
    /// The version of the program, for people.
    pub server: String,
    pub pid: u32,
}

/// A request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Asked {
    pub v: u32,
    /// Comes back with the answer.
    pub id: u64,
    /// A session's capability, for agents whose processes cannot be seen from here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capability: Option<String>,
    #[serde(flatten)]
    pub request: Request,
}

/// An answer, as a line.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Answered {
    pub v: u32,
    pub id: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ok: Option<Box<RawValue>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<Problem>,
}

impl Answered {
    pub fn new(id: u64, answer: Answer) -> Self {
        let (ok, error) = match answer {
            Answer::Ok(reply) => (Some(reply), None),
            Answer::Error(problem) => (None, Some(problem)),
        };
        Self { v: VERSION, id, ok, error }
    }

    /// What was answered; nothing where the line does not say.
    pub fn answer(self) -> Option<Answer> {
        self.error.map(Answer::Error).or(self.ok.map(Answer::Ok))
    }
}

/// What was answered. A reply is written once and read once: that of a large fleet has hundreds of kilobytes.
#[derive(Debug, Clone)]
pub enum Answer {
    Ok(Box<RawValue>),
    Error(Problem),
}

impl Answer {
    pub fn of(reply: &impl Serialize) -> Self {
        match to_raw_value(reply) {
            Ok(reply) => Self::Ok(reply),
            Err(error) => {
                let message = format!("the answer could not be written: {error}");
                Self::Error(Problem::new(Kind::Failure, "reply", message))
            }
        }
    }
}

/// Why something was not done: the same for people, programs and agents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// A stable name.
    pub code: String,
    /// A sentence.
    pub message: String,
    /// What to do.
    #[serde(default)]
    pub hints: Vec<String>,
    pub kind: Kind,
}

/// What sort of problem it is; decides the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    Failure,
    Usage,
    NotFound,
    Precondition,
}

impl Problem {
    pub fn new(kind: Kind, code: &str, message: impl Into<String>) -> Self {
        Self { code: code.to_owned(), message: message.into(), hints: Vec::new(), kind }
    }

    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }
}

/// Some events of a stream, in the order of the log.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Piece {
    pub v: u32,
    pub id: u64,
    pub events: Vec<Event>,
    /// Where to go on from: whoever asks for the events after this gets what follows, all of it and once.
    pub next: String,
}
