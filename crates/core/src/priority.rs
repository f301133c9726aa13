//! How urgent a ticket is: P0 (an outage) to P5 (someday).

use std::fmt;

use serde::{Deserialize, Serialize};

/// P0 is the most urgent; the order of the variants is the order of work.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Priority {
    P0,
    P1,
    P2,
    #[default]
    P3,
    P4,
    P5,
}

impl Priority {
    pub const ALL: [Self; 6] = [Self::P0, Self::P1, Self::P2, Self::P3, Self::P4, Self::P5];

    /// The priority a person means by a word: `P2`, `2`, `high`, `urgent` …
    pub fn from_word(word: &str) -> Option<Self> {
        Some(match word.trim().to_ascii_lowercase().as_str() {
            "p0" | "0" | "critical" | "outage" | "blocker" => Self::P0,
            "p1" | "1" | "urgent" | "highest" => Self::P1,
            "p2" | "2" | "high" | "important" => Self::P2,
            "p3" | "3" | "normal" | "medium" | "default" => Self::P3,
            "p4" | "4" | "low" | "minor" => Self::P4,
            "p5" | "5" | "backlog" | "someday" | "lowest" => Self::P5,
            _ => return None,
        })
    }

    /// The priority of exactly this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|priority| priority.as_str() == name)
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::P0 => "P0",
            Self::P1 => "P1",
            Self::P2 => "P2",
            Self::P3 => "P3",
            Self::P4 => "P4",
            Self::P5 => "P5",
        }
    }
}

impl fmt::Display for Priority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words() {
        for (word, want) in [
            ("P0", Some(Priority::P0)),
            ("urgent", Some(Priority::P1)),
            ("High", Some(Priority::P2)),
            ("3", Some(Priority::P3)),
            ("low", Some(Priority::P4)),
            ("someday", Some(Priority::P5)),
            ("P6", None),
            ("", None),
        ] {
            assert_eq!(Priority::from_word(word), want, "{word}");
        }
        assert!(Priority::P0 < Priority::P1);
    }
}
