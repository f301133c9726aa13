//! The two modes of a session.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Whether a session may change anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// It reads and talks.
    Discussion,
    /// It works.
    #[default]
    Implementation,
}

impl Mode {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Discussion => "discussion",
            Self::Implementation => "implementation",
        }
    }

    pub fn other(self) -> Self {
        match self {
            Self::Discussion => Self::Implementation,
            Self::Implementation => Self::Discussion,
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        [Self::Discussion, Self::Implementation].into_iter().find(|mode| mode.as_str() == text)
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
