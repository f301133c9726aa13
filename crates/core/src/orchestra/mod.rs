//! Who works on what next: the planner, the merge queue, and why a ticket is where it is.
//!
//! [`plan`] looks at the tickets, the agents and the limits, and says what to do now. It remembers nothing: given the same
//! it says the same, so a loop that was killed starts again by looking. What is under way already is visible in what it is
//! given, and is not asked for again. [`queue`] is the other machine, which takes what was handed in to main.

mod fleet;
mod item;
mod limits;
mod overlap;
mod pools;
pub mod queue;
mod sight;
mod starts;
mod trouble;
mod why;

use std::collections::BTreeMap;

use jiff::Timestamp;

pub use fleet::{EndReason, Ended, Fleet, Job, Pool, Running};
pub use item::Item;
pub use limits::{Control, Gates, Limits, ProjectLimits, ReviewedBy, Trust};
pub use overlap::overlap;
pub use pools::{Empty, exhausted};
pub use trouble::{Hypothesis, Question};
pub use why::{Stage, Why, spoken};

use crate::command::Ending;
use crate::fact::AttemptReport;
use crate::id::{ProjectName, SessionId, TicketId};
use crate::role::Role;

/// What is to be done now, and why every ticket is where it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// In this order.
    pub steps: Vec<Step>,
    /// An entry for every ticket that was looked at.
    pub why: BTreeMap<TicketId, Why>,
    /// When something will change by time alone.
    pub next: Option<Timestamp>,
}

/// One thing to do. Each is safe to do late or not at all: the next look asks for it again, or no longer does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Set an agent to work.
    Start {
        ticket: TicketId,
        role: Role,
        /// Go on with the conversation of the attempt before, which an empty account cut short.
        resume: bool,
    },
    /// Run the tests that were handed in: they must fail. Then end the attempt, with `Ending::TestsReady` or not.
    CheckTests { ticket: TicketId, commit: String },
    /// End an agent. The reason is written into its record first, so that whoever comes next knows it.
    End { agent: SessionId, reason: EndReason },
    /// Write down how an attempt ended: `Command::EndAttempt`. Whoever does it adds `diff`, and whether the branch was kept.
    RecordEnd { ticket: TicketId, report: Box<AttemptReport>, ending: Ending },
    /// Put what was handed in into the merge queue.
    Enqueue { ticket: TicketId },
    /// Ask a person. Without a ticket it is about the whole project, and blocks nothing.
    Escalate {
        project: ProjectName,
        ticket: Option<TicketId>,
        question: Question,
        hypothesis: Hypothesis,
        /// The same for the same question, so that it is asked once.
        key: String,
    },
    /// A question that is pending about a ticket that is done.
    Withdraw { ticket: TicketId, escalation: String },
}

/// Look at everything, and say what is to be done now.
pub fn plan(board: &[Item<'_>], fleet: &Fleet, limits: &Limits, now: Timestamp) -> Plan {
    let mut sight = sight::Sight::new(board, fleet, limits, now);
    sight.end_strays();
    sight.judge_all();
    starts::choose(&mut sight);
    sight.into_plan()
}
