//! One delivery by keyboard, as a machine without hands: it is told what is seen and answers what to do.
//!
//! The keyboard is the last way in, because a carriage return in a permission dialog approves it and a paste into a
//! half-typed line spoils it. So the text is pasted only into a box that is known to be empty, and submitted only
//! right after a look that shows the box with exactly this text, no dialog, and nobody else typing. What cannot be
//! shown is taken out again, and what may have been sent is never sent twice.
//!
//! From the paste on, the person's keystrokes are held back, until `Release`. Every path ends in `Done`, `Defer` or
//! `Fail`, and never with keystrokes held back.

mod machine;
mod stage;

use jiff::SignedDuration;

use crate::inject::{Deferred, Failure, Receipt};

pub use machine::Delivery;

/// What the machine is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// A look at the screen.
    Reading(Reading),
    /// What was asked for has been typed.
    Typed,
    /// What was asked for has not been typed, because the person typed first.
    NotTyped,
    /// The CLI has printed nothing since the last keystroke of ours: a look would show what was there before it.
    Silent,
    /// Keystrokes of the person reached the CLI.
    PersonTyped,
    /// Keystrokes of the person are being held back.
    PersonWaits,
    /// The CLI told by a hook that a prompt with our text was submitted.
    Prompted,
    Exited,
    /// Time passes.
    Tick,
}

/// What a look at the screen shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reading {
    pub holds: Holds,
    pub activity: Activity,
    /// How often our text stands above the box, among what was said.
    pub above: u32,
}

impl Reading {
    /// Whether nothing but our text stands in the box.
    fn is_ours(self) -> bool {
        matches!(self.holds, Holds::Ours | Holds::Collapsed)
    }
}

/// What the input box holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    Empty,
    /// Exactly our text.
    Ours,
    /// Nothing but the sign for a long paste, of our length.
    Collapsed,
    /// A part of our text, and nothing else.
    Partly,
    /// Our text behind something else: the box was not empty after all.
    Behind,
    /// Anything else.
    Other,
    /// There is no box to be seen.
    Hidden,
    Unknown,
}

/// What the agent is doing, as far as typing is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activity {
    Idle,
    Working,
    Dialog,
    Unknown,
}

/// What to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    Wait,
    /// Paste the text, and hold back what the person types from now on.
    Paste,
    Submit,
    /// Take the text out of the box again, holding back what the person types.
    Withdraw,
    /// Let through what was held back.
    Release,
    /// Nothing of it is in the CLI; try another time.
    Defer(Deferred),
    Done(Receipt),
    Fail(Failure),
}

/// How far it has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    Waiting,
    Pasted,
    Verified,
    Submitted,
    Taken,
    Withdrawn,
}

/// How long to wait for what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timing {
    /// How long the person must not have typed.
    pub quiet: SignedDuration,
    /// How long the box may take to become empty and the agent idle.
    pub patience: SignedDuration,
    /// How long a paste or its withdrawal may take to show.
    pub show: SignedDuration,
    /// How long the text must have been shown before it is submitted: some CLIs take a return that follows a paste too closely
    /// for a part of it.
    pub settle: SignedDuration,
    /// How long a submitted text may stay in the box before it is submitted again. A CLI that only is slow may take the second
    /// return for the same text once more.
    pub resubmit: SignedDuration,
    /// How long the CLI may take to show that it has taken the text.
    pub take: SignedDuration,
    /// How long a CLI may print nothing before it counts as one that has nothing to print.
    pub silence: SignedDuration,
    /// How long to wait where the text stands in the box and nobody can do anything about it.
    pub stranded: SignedDuration,
    /// Between two tries; doubled each time.
    pub back_off: SignedDuration,
    pub tries: u32,
    pub submits: u32,
    /// Whether the CLI tells by a hook of every prompt: then silence proves that there was none. It may turn out later.
    pub hears_prompts: bool,
}

impl Default for Timing {
    fn default() -> Self {
        Self {
            quiet: SignedDuration::from_millis(1_500),
            patience: SignedDuration::from_secs(2),
            show: SignedDuration::from_secs(3),
            settle: SignedDuration::ZERO,
            resubmit: SignedDuration::from_secs(2),
            take: SignedDuration::from_secs(10),
            silence: SignedDuration::from_secs(12),
            stranded: SignedDuration::from_mins(10),
            back_off: SignedDuration::from_secs(1),
            tries: 3,
            submits: 2,
            hears_prompts: false,
        }
    }
}
