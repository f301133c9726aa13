//! What can go wrong with git, each as a sentence.

use std::io;

use signalbox_core::Refusal;
use signalbox_runner::{End, Ran};

use crate::names::{Oid, RefName};

/// How much of git's own words is shown.
const MOST_SAID: usize = 600;

#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// It may not or cannot be done as things are, and the hint says what to do.
    #[error(transparent)]
    Refused(#[from] Refusal),
    #[error("could not {doing}")]
    Io { doing: String, source: io::Error },
    #[error("could not {doing}: {said}")]
    Failed { doing: String, said: String },
    /// Somebody else was quicker.
    #[error("{name} has moved: it was expected {}, and is {}", place(.expected.as_ref()), place(.found.as_ref()))]
    Moved { name: RefName, expected: Option<Oid>, found: Option<Oid> },
}

impl GitError {
    pub(crate) fn failed(doing: impl Into<String>, said: impl Into<String>) -> Self {
        Self::Failed { doing: doing.into(), said: said.into() }
    }

    /// From a git that ended as it should not.
    pub(crate) fn of_run(doing: &str, ran: &Ran) -> Self {
        let complaint = ran.complaint();
        let mut said: String =
            complaint.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("; ");
        if said.len() > MOST_SAID {
            let end = (0..=MOST_SAID).rev().find(|at| said.is_char_boundary(*at)).unwrap_or(0);
            said.truncate(end);
            said.push('…');
        }
        let said = match (ran.end, said.is_empty()) {
            (End::Code(_), false) => format!("git says: {said}"),
            (end, true) => format!("of git, {end}"),
            (end, false) => format!("of git, {end}: {said}"),
        };
        Self::failed(doing, said)
    }
}

fn place(oid: Option<&Oid>) -> String {
    oid.map_or_else(|| "nowhere".to_owned(), |oid| format!("at {oid}"))
}

/// Say what was being done when the disk failed.
pub(crate) trait Doing<T> {
    fn doing(self, what: impl FnOnce() -> String) -> Result<T, GitError>;
}

impl<T> Doing<T> for io::Result<T> {
    fn doing(self, what: impl FnOnce() -> String) -> Result<T, GitError> {
        self.map_err(|source| GitError::Io { doing: what(), source })
    }
}
