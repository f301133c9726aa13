//! Where a ticket stands in the workflow.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The seven places a ticket can be in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    Backlog,
    Open,
    InProgress,
    Review,
    Rework,
    Done,
    Blocked,
}

impl Status {
    pub const ALL: [Self; 7] =
        [Self::Backlog, Self::Open, Self::InProgress, Self::Review, Self::Rework, Self::Done, Self::Blocked];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Backlog => "backlog",
            Self::Open => "open",
            Self::InProgress => "in-progress",
            Self::Review => "review",
            Self::Rework => "rework",
            Self::Done => "done",
            Self::Blocked => "blocked",
        }
    }

    /// The status of exactly this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == name)
    }

    /// The status a person means: its own name or one of the words people use for it.
    pub fn from_word(word: &str) -> Option<Self> {
        let word = word.trim().to_ascii_lowercase().replace([' ', '_'], "-");
        WORDS.iter().find(|(names, _)| names.contains(&word.as_str())).map(|(_, status)| *status)
    }

    /// Every word that [`Status::from_word`] understands.
    pub fn words() -> impl Iterator<Item = &'static str> {
        WORDS.iter().flat_map(|(names, _)| names.iter().copied())
    }

    /// Work on the ticket is under way or owed by its assignee.
    pub fn is_claimed(self) -> bool {
        matches!(self, Self::InProgress | Self::Rework)
    }
}

/// The words for each status, its own name first.
const WORDS: &[(&[&str], Status)] = &[
    (&["backlog", "later", "someday", "icebox"], Status::Backlog),
    (&["open", "todo", "to-do", "ready", "planned"], Status::Open),
    (
        &["in-progress", "inprogress", "start", "started", "begin", "doing", "wip", "progress", "working"],
        Status::InProgress,
    ),
    (&["review", "in-review", "submit", "submitted"], Status::Review),
    (&["rework", "reject", "rejected", "changes", "changes-requested"], Status::Rework),
    (&["done", "approve", "approved", "complete", "completed", "finish", "finished", "closed"], Status::Done),
    (&["blocked", "block", "held"], Status::Blocked),
];

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_is_a_word_for_itself() {
        for status in Status::ALL {
            assert_eq!(Status::from_word(status.as_str()), Some(status));
        }
        assert_eq!(Status::from_word("In Progress"), Some(Status::InProgress));
        assert_eq!(Status::from_word("in_progress"), Some(Status::InProgress));
        assert_eq!(Status::from_word("submit"), Some(Status::Review));
        assert_eq!(Status::from_word("nonsense"), None);
    }

    #[test]
    fn no_word_means_two_things() {
        let mut words: Vec<_> = Status::words().collect();
        let count = words.len();
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), count);
    }
}
