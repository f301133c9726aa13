//! What part a session plays. A role is data: what it may write, and what it is told.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The part a session plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// An interactive session with nothing special.
    #[default]
    Assistant,
    Orchestrator,
    Lead,
    Shaper,
    TestWriter,
    Doer,
    Reviewer,
    Worker,
}

impl Role {
    pub const ALL: &[Self] = &[
        Self::Assistant,
        Self::Orchestrator,
        Self::Lead,
        Self::Shaper,
        Self::TestWriter,
        Self::Doer,
        Self::Reviewer,
        Self::Worker,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Assistant => "assistant",
            Self::Orchestrator => "orchestrator",
            Self::Lead => "lead",
            Self::Shaper => "shaper",
            Self::TestWriter => "test-writer",
            Self::Doer => "doer",
            Self::Reviewer => "reviewer",
            Self::Worker => "worker",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        let text = text.replace('_', "-");
        Self::ALL.iter().copied().find(|role| role.as_str().eq_ignore_ascii_case(&text))
    }

    /// As it stands in a sentence: `a doer`, `an assistant`.
    pub fn with_article(self) -> String {
        let article = if self.as_str().starts_with(['a', 'o']) { "an" } else { "a" };
        format!("{article} {self}")
    }

    /// What a session in this role is told.
    pub fn prompt(self) -> &'static str {
        match self {
            Self::Assistant => include_str!("roles/assistant.md"),
            Self::Orchestrator => include_str!("roles/orchestrator.md"),
            Self::Lead => include_str!("roles/lead.md"),
            Self::Shaper => include_str!("roles/shaper.md"),
            Self::TestWriter => include_str!("roles/test-writer.md"),
            Self::Doer => include_str!("roles/doer.md"),
            Self::Reviewer => include_str!("roles/reviewer.md"),
            Self::Worker => include_str!("roles/worker.md"),
        }
    }

    /// Whether a person watches it at work. What nobody watches is held to more.
    pub fn is_watched(self) -> bool {
        matches!(self, Self::Assistant | Self::Shaper)
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
