//! What can be wrong with a home, found and repaired. One file a part; a check only looks, and says which
//! [`Repair`] would help. Repairs move things aside and never throw anything away that a person made.

mod agents;
mod escalations;
mod hooks;
mod index;
mod log;
mod repair;
mod sessions;
mod surroundings;
mod vault;

use std::path::PathBuf;

use serde::Serialize;
use signalbox_core::TicketId;

use crate::config::Config;
use crate::store::{Store, StoreError};

/// Something found.
#[derive(Debug, Clone, Serialize)]
pub struct Finding {
    /// Which part: `log`, `vault`, `index`, `lock`, `permissions`, `clock`, `disk`, `sessions`, `agents`,
    /// `escalations`, `hooks`, `config`.
    pub check: &'static str,
    pub severity: Severity,
    pub what: String,
    /// What a person can do about it where `--fix` cannot, or instead of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Whether `--fix` repairs it.
    pub fixable: bool,
    #[serde(skip)]
    pub repair: Option<Repair>,
}

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Something is wrong or will go wrong.
    Problem,
    /// Worth knowing; nothing is lost.
    Note,
}

/// What `--fix` would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Repair {
    /// Keep the damaged bytes aside and record that they are known.
    Quarantine {
        file: String,
        offset: u64,
        bytes: Vec<u8>,
        reason: String,
    },
    RelinkLog,
    RebuildIndex,
    /// Put a ticket's file back to what the log says; what stood there is kept.
    RestoreFile(TicketId),
    /// The same for an escalation, by its id.
    RestoreEscalation(String),
    /// Move a file out of the way.
    MoveAside(PathBuf),
    MoveBack {
        from: PathBuf,
        to: PathBuf,
    },
    RemoveLeftover(PathBuf),
    Restrict(PathBuf),
    EndSession(String),
    RemoveRecord(PathBuf),
    /// Somebody has looked at what this check found.
    Seen(&'static str),
}

impl Finding {
    fn problem(check: &'static str, what: impl Into<String>) -> Self {
        Self {
            check,
            severity: Severity::Problem,
            what: what.into(),
            hint: None,
            fixable: false,
            repair: None,
        }
    }

    fn note(check: &'static str, what: impl Into<String>) -> Self {
        Self { severity: Severity::Note, ..Self::problem(check, what) }
    }

    #[must_use]
    fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    #[must_use]
    fn repair(mut self, repair: Repair) -> Self {
        self.fixable = true;
        self.repair = Some(repair);
        self
    }
}

/// Look at everything. Takes the lock while it looks at what commands change.
pub fn examine(store: &Store, config: &Config) -> Result<Vec<Finding>, StoreError> {
    let home = store.home();
    let mut findings = surroundings::examine(home, config);
    if !home.exists() {
        return Ok(findings);
    }
    let Some(_lock) = surroundings::lock_soon(home, &mut findings) else { return Ok(findings) };
    let scan = log::Scan::of(store)?;
    findings.extend(scan.findings(store)?);
    findings.extend(index::examine(store, &scan));
    findings.extend(vault::examine(store, &scan)?);
    findings.extend(sessions::examine(home, &scan)?);
    findings.extend(agents::examine(home)?);
    findings.extend(escalations::examine(home, &scan.escalations)?);
    let read = |source| StoreError::Home { path: home.trouble(), source };
    findings.extend(hooks::examine(home, &scan.hooks).map_err(read)?);
    Ok(findings)
}

/// Carry out one repair; the answer says what was done.
pub fn fix(store: &Store, repair: &Repair) -> Result<String, StoreError> {
    repair::apply(store, repair)
}
