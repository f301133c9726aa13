//! What an agent is there for, how far it is, and how long it may take.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

/// How far an agent is with what it is there for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GoalStatus {
    #[default]
    Pending,
    InProgress,
    /// Something is in the way; it may go on.
    Errored,
    Completed,
    Failed,
    TimedOut,
}

impl GoalStatus {
    pub const ALL: [Self; 6] =
        [Self::Pending, Self::InProgress, Self::Errored, Self::Completed, Self::Failed, Self::TimedOut];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::InProgress => "in-progress",
            Self::Errored => "errored",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::TimedOut => "timed-out",
        }
    }

    /// With the spellings that people and agents use.
    pub fn from_word(word: &str) -> Option<Self> {
        let word = word.trim().to_ascii_lowercase().replace('_', "-");
        Self::ALL.into_iter().find(|status| status.as_str() == word)
    }

    /// Nothing comes after it.
    pub fn is_final(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::TimedOut)
    }

    /// What a program means that checks a goal and ends with this code; `None`: it was killed.
    pub fn from_exit(code: Option<i32>) -> Self {
        match code {
            Some(0) => Self::Completed,
            Some(1) => Self::Pending,
            Some(2) => Self::InProgress,
            // A shell that finds no program says 126 or 127, and that does not mend itself.
            Some(4 | 126..) => Self::Failed,
            _ => Self::Errored,
        }
    }
}

/// How long an agent may take. The clock stands still while a person has taken it over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Allowance {
    pub most: SignedDuration,
    /// What was used up before `since`.
    used: SignedDuration,
    /// Since when the clock runs; `None` while it stands still.
    since: Option<Timestamp>,
}

impl Allowance {
    pub fn new(most: SignedDuration, now: Timestamp) -> Self {
        Self { most, used: SignedDuration::ZERO, since: Some(now) }
    }

    pub fn used(&self, now: Timestamp) -> SignedDuration {
        // A clock that is set back takes nothing away.
        let running = self.since.map_or(SignedDuration::ZERO, |since| now.duration_since(since));
        self.used + running.max(SignedDuration::ZERO)
    }

    /// Let the clock stand still.
    pub fn freeze(&mut self, now: Timestamp) {
        self.used = self.used(now);
        self.since = None;
    }

    /// Let it run again.
    pub fn thaw(&mut self, now: Timestamp) {
        self.since.get_or_insert(now);
    }

    pub fn is_over(&self, now: Timestamp) -> bool {
        self.used(now) >= self.most
    }

    /// When it is over if nothing happens; `None` while the clock stands still.
    pub fn ends(&self) -> Option<Timestamp> {
        Some(self.since? + (self.most - self.used).max(SignedDuration::ZERO))
    }
}

/// Whether an agent has done nothing for so long that a person should know. It is told once for each time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stall {
    threshold: SignedDuration,
    told: bool,
}

impl Stall {
    pub fn new(threshold: SignedDuration) -> Self {
        Self { threshold, told: false }
    }

    /// The agent has been idle since then, or is not. How long, if that is to be told now.
    pub fn look(&mut self, idle_since: Option<Timestamp>, now: Timestamp) -> Option<SignedDuration> {
        let Some(since) = idle_since else {
            self.told = false;
            return None;
        };
        let idle = now.duration_since(since);
        (idle >= self.threshold && !std::mem::replace(&mut self.told, true)).then_some(idle)
    }
}
