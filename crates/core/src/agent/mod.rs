//! What an agent is doing, worked out from evidence, and which agent a word means.
//!
//! Each CLI has its own sources, and each source its own blind spots: Claude Code sends no hook when a turn is
//! interrupted, and its title looks the same for an idle session and an open dialog. Which source knows what is data
//! of the driver; [`assess`] only weighs.

mod assess;
mod find;
mod name;

use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::delivery::Activity;
use crate::inject::{Deferred, Readiness};

pub use assess::{Assessment, Certainty, assess};
pub use find::{Candidate, find};
pub use name::check_name;

/// What an agent is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    Starting,
    Working,
    Idle,
    /// It asks whether it may do something.
    WaitingPermission,
    /// It asks something else, or shows a menu or another dialog.
    WaitingAnswer,
    Exited,
}

impl State {
    pub const ALL: [Self; 6] = [
        Self::Starting,
        Self::Working,
        Self::Idle,
        Self::WaitingPermission,
        Self::WaitingAnswer,
        Self::Exited,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Starting => "starting",
            Self::Working => "working",
            Self::Idle => "idle",
            Self::WaitingPermission => "waiting-permission",
            Self::WaitingAnswer => "waiting-answer",
            Self::Exited => "exited",
        }
    }

    /// What a message would wait for.
    pub fn keeps_waiting(self) -> Option<Deferred> {
        match self {
            Self::Idle => None,
            Self::Exited => Some(Deferred::Exited),
            Self::Starting => Some(Deferred::NotStarted),
            Self::Working => Some(Deferred::Busy),
            Self::WaitingPermission | Self::WaitingAnswer => Some(Deferred::Dialog),
        }
    }

    /// The end of "it is …".
    fn words(self) -> &'static str {
        match self {
            Self::Starting => "starting",
            Self::Working => "working",
            Self::Idle => "idle",
            Self::WaitingPermission => "waiting for a permission",
            Self::WaitingAnswer => "waiting for an answer",
            Self::Exited => "no longer running",
        }
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Where a signal comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// The process itself: it runs, or it does not.
    Process,
    /// A file in which the CLI says what it is doing.
    StateFile,
    Hook,
    /// The terminal's title.
    Title,
    Screen,
    /// Whether anything is being printed.
    Silence,
}

impl Source {
    fn words(self) -> &'static str {
        match self {
            Self::Process => "the process",
            Self::StateFile => "the CLI's state file",
            Self::Hook => "the last hook",
            Self::Title => "the terminal's title",
            Self::Screen => "the screen",
            Self::Silence => "the flow of output",
        }
    }
}

/// One piece of evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signal {
    pub source: Source,
    pub says: State,
    /// Since when it says so. What was already on the screen before a hook came does not contradict that hook.
    #[serde(serialize_with = "crate::time::serialize")]
    pub at: Timestamp,
    /// What was seen: `PreToolUse Bash`, `status: idle`.
    pub detail: String,
}

impl Signal {
    pub fn new(source: Source, says: State, at: Timestamp, detail: impl Into<String>) -> Self {
        Self { source, says, at, detail: detail.into() }
    }
}

/// What a driver knows of one source of its CLI. Drivers list theirs, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Insight {
    pub source: Source,
    /// How much its word is worth where nothing is known to be missing from it.
    pub certainty: Certainty,
    pub misses: &'static [Miss],
}

/// A case that a source does not tell of: it goes on saying one thing while another is true.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Miss {
    pub says: State,
    pub truth: State,
    /// The end of "… because": `no hook tells of an interrupted turn`.
    pub why: &'static str,
}

/// What holds for a program of which nothing is known.
pub const PLAIN: &[Insight] =
    &[Insight { source: Source::Silence, certainty: Certainty::Guess, misses: &[] }];

impl Assessment {
    /// Whether a message may be typed now, as far as the state is concerned. Nothing is typed on a guess, nor while
    /// anything newer speaks of a dialog or of work.
    pub fn readiness(&self) -> Readiness {
        let newer = self.against.iter().filter(|s| s.source != Source::Silence && Some(s.at) > self.since);
        let mut states = std::iter::once(self.state).chain(newer.map(|signal| signal.says));
        match states.find_map(State::keeps_waiting) {
            Some(reason) => Readiness::NotYet(reason),
            None if self.certainty == Certainty::Guess => Readiness::NotYet(Deferred::UnknownState),
            None => Readiness::Ready,
        }
    }

    /// The same as a delivery by keyboard takes it.
    pub fn activity(&self) -> Activity {
        match self.readiness() {
            Readiness::Ready => Activity::Idle,
            Readiness::NotYet(Deferred::Busy) => Activity::Working,
            Readiness::NotYet(Deferred::Dialog) => Activity::Dialog,
            Readiness::NotYet(_) => Activity::Unknown,
        }
    }
}
