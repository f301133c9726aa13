//! Which text of a project's contract a human trusts. What a contract says is run only by its exact bytes, so that
//! nobody who can write into the repository can have a command run that no human has seen.
//!
//! The log is the truth: `project.trusted` and `project.distrusted`, each with the hash of the file.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use signalbox_core::{Event, ProjectName, Refusal, Who};

use crate::clock;
use crate::contract::PATH;
use crate::index::{History, Index};
use crate::store::{Store, StoreError, event_id};

const TRUSTED: &str = "project.trusted";
const DISTRUSTED: &str = "project.distrusted";

/// Whether what a contract says may be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// A human trusts this very text.
    Trusted { since: Timestamp },
    /// A human trusts another text, and since then it was changed.
    Changed { since: Timestamp },
    /// No human trusts any text of it.
    Never,
}

impl State {
    /// Refuse to run anything where it is not trusted.
    pub fn require(&self, project: &ProjectName) -> Result<(), Refusal> {
        let message = match self {
            Self::Trusted { .. } => return Ok(()),
            Self::Changed { since } => format!(
                "{PATH} of `{project}` was changed since you trusted it on {}",
                signalbox_core::time::short(*since)
            ),
            Self::Never => format!("nobody has trusted {PATH} of `{project}`, so nothing in it is run"),
        };
        let code = if *self == Self::Never { "trust.never" } else { "trust.changed" };
        Err(Refusal::new(code, message).hint("Look at what it would run, and trust it: `sb trust`."))
    }
}

/// One text that a human trusts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Trust {
    pub project: ProjectName,
    pub hash: String,
    pub since: Timestamp,
    /// Who said so.
    pub by: String,
    #[serde(skip)]
    pub text: String,
}

/// The data of both events.
#[derive(Debug, Serialize, Deserialize)]
struct Told {
    hash: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    text: String,
}

/// What the bytes of a contract are known by: SHA-256, in hex.
pub fn hash(bytes: impl AsRef<[u8]>) -> String {
    Sha256::digest(bytes.as_ref()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Whether these bytes are trusted as the project's contract.
pub fn state(index: &Index, project: &ProjectName, bytes: impl AsRef<[u8]>) -> Result<State, StoreError> {
    let hash = hash(bytes);
    let trusted = trusted(index, Some(project))?;
    Ok(match (trusted.iter().find(|trust| trust.hash == hash), trusted.last()) {
        (Some(trust), _) => State::Trusted { since: trust.since },
        (None, Some(last)) => State::Changed { since: last.since },
        (None, None) => State::Never,
    })
}

/// All that is trusted now, in the order in which it was; of one project, or of all.
pub fn trusted(index: &Index, project: Option<&ProjectName>) -> Result<Vec<Trust>, StoreError> {
    let history = History {
        event: Some("project.*trusted".to_owned()),
        project: project.cloned(),
        ..History::default()
    };
    let mut standing: Vec<Trust> = Vec::new();
    for (_, event) in index.events(&history)? {
        // An event that cannot be read trusts nothing.
        let (Some(project), Ok(told)) = (&event.project, serde_json::from_str::<Told>(event.data.get()))
        else {
            continue;
        };
        standing.retain(|trust| trust.project != *project || trust.hash != told.hash);
        if event.event == TRUSTED {
            standing.push(Trust {
                project: project.clone(),
                hash: told.hash,
                since: event.ts,
                by: event.actor,
                text: told.text,
            });
        }
    }
    Ok(standing)
}

/// Write down that a human trusts this text.
pub fn trust(store: &Store, who: &Who, project: &ProjectName, text: &str) -> Result<Trust, StoreError> {
    who.must_be_human("say that a contract is trusted")?;
    let told = Told { hash: hash(text), text: text.to_owned() };
    let _lock = store.lock()?;
    let event = event(who, TRUSTED, project, &told)?;
    let trust = Trust {
        project: project.clone(),
        hash: told.hash,
        since: event.ts,
        by: event.actor.clone(),
        text: told.text,
    };
    store.log().record_together(&mut [event])?;
    Ok(trust)
}

/// Write down that nothing of the project's contract is trusted any longer. Answers what was.
pub fn revoke(store: &Store, who: &Who, project: &ProjectName) -> Result<Vec<Trust>, StoreError> {
    who.must_be_human("take back trust in a contract")?;
    let (_lock, index, _) = store.locked()?;
    let standing = trusted(&index, Some(project))?;
    let told = |trust: &Trust| {
        event(who, DISTRUSTED, project, &Told { hash: trust.hash.clone(), text: String::new() })
    };
    let mut events = standing.iter().map(told).collect::<Result<Vec<_>, _>>()?;
    store.log().record_together(&mut events)?;
    Ok(standing)
}

fn event(who: &Who, name: &str, project: &ProjectName, told: &Told) -> Result<Event, StoreError> {
    let now = clock::now();
    Ok(Event::apart(event_id(now), now, name, who, Some(project.clone()), told)?)
}
