//! The agents at work, what the loop's own process is doing, and the accounts that agents draw on.

use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::id::{ProjectName, SessionId, TicketId};
use crate::role::Role;

/// Everything that is under way, as it was seen just now.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fleet {
    /// Every agent that the orchestrator set to work and has not forgotten, ended ones among them.
    pub agents: Vec<Running>,
    pub jobs: Vec<Job>,
    /// Only those that are exhausted need to be named.
    pub pools: Vec<Pool>,
}

/// One agent that was set to work on a ticket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Running {
    /// For people.
    pub name: String,
    /// The session of its start, by which it is known.
    pub session: SessionId,
    pub ticket: TicketId,
    pub role: Role,
    /// The account it draws on.
    pub pool: String,
    pub since: Timestamp,
    /// Its last sign of life. The time that a person had it is left out of this and of `since`.
    pub active: Timestamp,
    /// It waits for a permission or an answer.
    pub waits_for_person: bool,
    /// The last that was heard of it is that its account is empty.
    pub cut_short: bool,
    /// A person has claimed it, and its clock stands still.
    pub claimed: bool,
    /// The files that its workspace differs in from main.
    pub changed: Vec<String>,
    /// Why it was told to end, as its record says.
    pub ending: Option<EndReason>,
    pub ended: Option<Ended>,
}

/// How an agent's process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    Exit {
        code: i32,
    },
    Signal {
        number: i32,
    },
    /// It is gone, and nobody saw it go.
    Vanished,
    /// Whoever was to start it was killed before.
    NeverBegan,
}

/// Why an agent is ended. Kept in its record, so that a loop that starts in between knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EndReason {
    /// It has handed in what it was to do.
    Finished,
    /// No sign of life for too long.
    Stalled,
    /// Nobody answered it for too long.
    Unanswered,
    /// It has had all the time there is for one attempt.
    OverTime,
    /// Its account is empty for now.
    OutOfQuota,
    /// A person put its ticket on hold, or it has to wait for another.
    Blocked,
    /// Its ticket is no longer its own.
    Stray,
    /// The loop was stopped.
    Stopping,
}

/// What the loop's process does beside looking. It is gone when that process is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Job {
    /// Making a workspace and starting an agent in it.
    Prepare(TicketId),
    CheckTests(TicketId),
    /// Ending an agent, which may take a while.
    End(SessionId),
    /// Making a workspace or running its tests did not work, for a reason that is not the ticket's: a full disk, a set-up
    /// that fails. Not before then is it tried again.
    Rests {
        ticket: TicketId,
        /// One sentence.
        why: String,
        until: Timestamp,
    },
    /// Setting up workspaces has failed so often in a row, whichever ticket they were for.
    CannotSetUp {
        project: ProjectName,
        times: u32,
    },
}

/// An account that agents draw on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pool {
    pub name: String,
    pub exhausted_until: Option<Timestamp>,
}

impl Running {
    pub fn is_alive(&self) -> bool {
        self.ended.is_none()
    }
}

impl Fleet {
    /// Until when nothing can be drawn from an account.
    pub(super) fn exhausted(&self, pool: &str, now: Timestamp) -> Option<Timestamp> {
        let pool = self.pools.iter().find(|known| known.name == pool)?;
        pool.exhausted_until.filter(|until| *until > now)
    }
}

impl EndReason {
    /// As it stands in a sentence: it is ended because …
    pub fn words(self) -> &'static str {
        match self {
            Self::Finished => "it has handed in its work",
            Self::Stalled => "it has given no sign of life for too long",
            Self::Unanswered => "it waited for an answer for too long",
            Self::OverTime => "it has had all the time there is for one attempt",
            Self::OutOfQuota => "its account is empty for now",
            Self::Blocked => "its ticket is blocked",
            Self::Stray => "its ticket is no longer its own",
            Self::Stopping => "the loop is being stopped",
        }
    }
}

impl fmt::Display for EndReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.words())
    }
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exit { code } => write!(f, "exit code {code}"),
            Self::Signal { number } => write!(f, "signal {number}"),
            Self::Vanished => f.write_str("it vanished"),
            Self::NeverBegan => f.write_str("it never began"),
        }
    }
}
