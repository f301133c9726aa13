//! Where a delivery stands, and what was seen of it since the paste.

use jiff::Timestamp;

use super::Action;

/// What was seen since the paste.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Seen {
    pub person_typed: bool,
    pub person_waits: bool,
    pub prompted: bool,
    /// The agent worked after it was submitted, and the box was empty.
    pub worked: bool,
    pub emptied: bool,
    /// The agent worked after it was taken out again.
    pub stirred: bool,
    /// How often the text stood above the box before the paste.
    pub above_before: u32,
    /// Since when it stands there once more, with the box empty, and whether that has lasted.
    pub above_since: Option<Timestamp>,
    pub above: bool,
    /// It stood behind something else, though nobody had typed.
    pub behind: bool,
    /// Since when it stands in the box.
    pub shown: Option<Timestamp>,
    pub submits: u32,
    pub withdraws: u32,
    /// When it was last begun to take it out.
    pub withdrew: Option<Timestamp>,
    /// It was taken out of the box by us.
    pub withdrawn: bool,
    pub stranded: Option<Timestamp>,
    /// Since when the text is no longer in the box, though nobody saw it being sent.
    pub gone: Option<Timestamp>,
}

/// Where it is, and since when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Stage {
    Waiting { since: Timestamp },
    Pasting { since: Timestamp },
    Pasted { since: Timestamp },
    Submitting { since: Timestamp },
    Submitted { since: Timestamp },
    Withdrawing { since: Timestamp, typed: bool },
    Stranded,
    Ended(Action),
}

impl Stage {
    /// The same, as if it had only begun: a CLI that has not read what was typed cannot be late.
    pub fn from(self, now: Timestamp) -> Self {
        match self {
            Self::Pasted { .. } => Self::Pasted { since: now },
            Self::Submitted { .. } => Self::Submitted { since: now },
            Self::Withdrawing { typed, .. } => Self::Withdrawing { since: now, typed },
            other => other,
        }
    }
}
