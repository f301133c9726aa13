//! The one error of the rules: a stable code, a sentence, what to do instead, and the evidence.

use std::fmt;

use serde::Serialize;

use crate::id::EventId;

/// Why a command was not carried out. Every face renders the same refusal in its own way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Refusal {
    /// Stable and dotted: `review.not-independent`. Programs may rely on it.
    pub code: &'static str,
    #[serde(skip)]
    pub kind: RefusalKind,
    pub message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<EventId>,
}

/// What sort of no it is; the CLI's exit code follows from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusalKind {
    /// The request itself is malformed.
    Usage,
    /// It names something that does not exist.
    NotFound,
    /// It is well formed but may not be done now, or not by this asker.
    Precondition,
}

impl Refusal {
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            kind: RefusalKind::Precondition,
            message: message.into(),
            hint: None,
            evidence: Vec::new(),
        }
    }

    pub fn usage(code: &'static str, message: impl Into<String>) -> Self {
        Self { kind: RefusalKind::Usage, ..Self::new(code, message) }
    }

    pub fn not_found(code: &'static str, message: impl Into<String>) -> Self {
        Self { kind: RefusalKind::NotFound, ..Self::new(code, message) }
    }

    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    #[must_use]
    pub fn evidence(mut self, events: impl IntoIterator<Item = EventId>) -> Self {
        self.evidence.extend(events);
        self
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Refusal {}
