//! The merge queue of one project: what was handed in gets to main, a few at a time, and nothing that was not validated.
//!
//! ```text
//!            Started            Validated          Landing             Landed
//!  queued ───────────► building ─────────► validated ─────► landing ───────────► done
//!    ▲  ▲               │  │  │               │                │
//!    │  └──── Back ─────┘  │  └───────────────┴──── Back ──────┤   main moved, one was withdrawn, or not its fault
//!    │                     │ Failed                            │
//!    │                     ▼                                   ▼
//!    └── handed in ── the pool                             out of it, where a person took it elsewhere
//! ```
//!
//! Each arrow is an event, written before what it tells of is done. A *run* takes some of those that wait, puts them on top
//! of main one on the other ([`Action::Build`]), validates what comes out as a whole ([`Action::Validate`]) and moves main
//! there by compare-and-set ([`Action::Land`]). If the whole fails, half of it is tried: what passes lands, and the other
//! half is known to hold the culprit. One that fails alone is tried once more, because tests are flaky, and then goes back
//! to the pool. Among 8 a culprit is found and the rest landed in 6 validations.
//!
//! **Order.** First come, first served, by when it was first queued; but an outage (P0) goes before all others, and before
//! the search for a culprit too. What goes back without blame keeps its place.
//!
//! **Blame.** What conflicts with, or adds nothing to, another of its own run is left for the next; only who conflicts with
//! main itself is sent back.
//!
//! **A remote's main.** Where a remote merges by its own rules, `Pushed` stands in for `Landing`: the ticket waits there while
//! others go on. When main holds it, however it was merged, it has landed; when main moved without it, it goes back, is
//! validated on the newer main and pushed again.
//!
//! **After a kill** nothing is remembered but the events and where main is. Building: again. Validated, and main is where it
//! was and all that were validated together are there: land, without validating again. Landing: if main holds it, it has
//! landed; if main is where it was, land; else back. Runs are numbered, and only grow: late word of an earlier one is
//! nobody's, and the rules write down nothing of it.

mod line;
mod machine;

pub use line::{Entry, Reached, Seen, asks_about, why};
pub use machine::Queue;

use crate::command::MergeStep;
use crate::id::TicketId;
use crate::work::MergeTrouble;

/// How a project wants its queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// How many are validated as one, at the most.
    pub batch: usize,
    /// Whether one that fails alone is tried once more.
    pub retry_flaky: bool,
    /// Whether main is a remote's to move. What is validated is pushed there then, one ticket a run.
    pub pushes: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self { batch: 8, retry_flaky: true, pushes: false }
    }
}

/// What the queue is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// Nothing new: look, and go on. To be said until the answer is empty, and again whenever something may have changed.
    Look,
    /// What came of [`Action::Build`], one for each entry, in their order.
    Built { run: u64, results: Vec<Built> },
    /// What came of [`Action::Validate`].
    Checked { run: u64, verdict: Verdict },
    /// Main is where [`Action::Land`] wanted it.
    Moved { run: u64 },
    /// Main was not where [`Action::Land`] thought, and was left alone.
    NotMoved { run: u64 },
    /// What [`Action::Push`] wanted pushed is at this remote, as this branch.
    Pushed { run: u64, remote: String, branch: String },
    /// The rules refused to write something down: somebody moved a ticket meanwhile.
    Refused { run: u64 },
    /// Something of our own did not work: a full disk, a program that could not be started. It is tried again later.
    Trouble { run: u64, message: String },
}

/// What came of putting one entry on top of main and those before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Built {
    Fits {
        /// What it became, on top of those before it, and the tree of that.
        commit: String,
        tree: String,
        /// The same for the same change.
        diff: Option<String>,
    },
    Refused {
        why: MergeTrouble,
        /// One sentence.
        message: String,
        files: Vec<String>,
        diff: Option<String>,
    },
}

/// What came of a validation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    Passed,
    Failed {
        /// One sentence, the same when it fails in the same way.
        message: String,
        /// The end of what was printed.
        output: String,
    },
}

/// What the queue wants done, in this order. If one of them cannot be done, neither are those after it, and the queue is
/// told [`Input::Refused`] or [`Input::Trouble`]; what the events say then is where it goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Write these down as one: `Command::Merge`.
    Record { run: u64, steps: Vec<(TicketId, MergeStep)> },
    /// Put these commits on top of `onto`, one on the other, leaving out those that do not fit.
    Build { run: u64, onto: String, entries: Vec<(TicketId, String)> },
    /// Validate this tree. `again` where it has just failed.
    Validate { run: u64, tip: String, tree: String, again: bool },
    /// Move main, if it is at `from`.
    Land { run: u64, from: String, to: String, tree: String },
    /// Push this commit as the ticket's branch.
    Push { run: u64, ticket: TicketId, to: String },
    /// Give up what is under way for this run; its answer interests nobody.
    Cancel { run: u64 },
}
