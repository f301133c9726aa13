//! Questions for a human that wait to be looked at: one file each below `escalations/draft`.
//!
//! The event is the truth and holds all of it; the file is written after it, under the same lock. Whoever dies in
//! between leaves an event without a file, and whoever drafts next writes that file first.

use std::path::PathBuf;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::value::to_raw_value;
use signalbox_core::{Event, EventId, FORMAT_VERSION, ProjectName, Refusal, SessionId, TicketId, Who};

use crate::home::Home;
use crate::index::{History, Index};
use crate::store::{Store, StoreError, Warning, event_id};
use crate::{clock, files};

/// The event that makes one.
const DRAFTED: &str = "escalation.drafted";
/// The folders an escalation goes through.
pub const FOLDERS: &[&str] = &["draft", "pending", "resolved"];

/// The longest question and the longest suggested answer, in characters, and how many of these there may be.
const MOST_QUESTION: usize = 2_000;
const MOST_OPTION: usize = 300;
const MOST_OPTIONS: usize = 10;
/// The longest context, in bytes: one question, not a report.
const MOST_CONTEXT: usize = 64 * 1024;

/// What is asked.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Question {
    pub kind: Kind,
    pub question: String,
    /// What one has to know to answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// Suggested answers.
    pub options: Vec<String>,
    /// What waits for the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ticket: Option<TicketId>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    Decision,
    Blocker,
    #[default]
    Question,
    Approval,
}

impl Kind {
    pub const ALL: &[Self] = &[Self::Decision, Self::Blocker, Self::Question, Self::Approval];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Decision => "decision",
            Self::Blocker => "blocker",
            Self::Question => "question",
            Self::Approval => "approval",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.as_str().eq_ignore_ascii_case(word))
    }
}

/// An escalation as its file holds it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Escalation {
    pub v: u32,
    /// `esc-0001`
    pub id: String,
    #[serde(flatten)]
    pub asked: Question,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<ProjectName>,
    /// Who asks, as far as the system itself knows.
    pub actor: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lineage: Vec<SessionId>,
    pub drafted: Timestamp,
    /// The event that tells of it.
    pub event: EventId,
}

/// The data of the event.
#[derive(Debug, Serialize, Deserialize)]
struct Told {
    escalation: String,
    #[serde(flatten)]
    asked: Question,
}

impl Question {
    /// Refuse what nobody could answer, or would read.
    fn check(&self) -> Result<(), Refusal> {
        if self.question.trim().is_empty() {
            return Err(Refusal::usage("escalation.empty", "there is no question")
                .hint("Ask what one sentence can answer: `sb escalate \"Keep the old endpoint?\" --option yes --option no`."));
        }
        let too_long = |what: &str, most: usize| {
            Err(Refusal::usage("escalation.too-long", format!("{what} is longer than {most} characters"))
                .hint("Ask one question in a few sentences, and put what one has to know into a file or a note."))
        };
        if self.question.chars().count() > MOST_QUESTION {
            return too_long("the question", MOST_QUESTION);
        }
        if self.context.as_ref().is_some_and(|context| context.len() > MOST_CONTEXT) {
            return too_long("the context", MOST_CONTEXT);
        }
        if self.options.iter().any(|option| option.chars().count() > MOST_OPTION) {
            return too_long("a suggested answer", MOST_OPTION);
        }
        if self.options.len() > MOST_OPTIONS || self.options.iter().any(|option| option.trim().is_empty()) {
            let message =
                format!("an escalation has at most {MOST_OPTIONS} suggested answers, none of them empty");
            return Err(Refusal::usage("escalation.options", message));
        }
        Ok(())
    }
}

impl Escalation {
    /// As the event tells it.
    fn of(event: &Event) -> Result<Self, serde_json::Error> {
        let Told { escalation, asked } = serde_json::from_str(event.data.get())?;
        Ok(Self {
            v: FORMAT_VERSION,
            id: escalation,
            asked,
            project: event.project.clone(),
            actor: event.actor.clone(),
            session: event.session.clone(),
            lineage: event.lineage.clone(),
            // The log keeps milliseconds, and the file is the same whoever writes it.
            drafted: Timestamp::from_millisecond(event.ts.as_millisecond()).unwrap_or(event.ts),
            event: event.id.clone(),
        })
    }

    fn number(id: &str) -> Option<u64> {
        id.strip_prefix("esc-")?.parse().ok()
    }
}

/// Write a question down. It is in the log when this answers; a warning says that its file is not there yet.
pub fn draft(
    store: &Store,
    who: &Who,
    project: Option<&ProjectName>,
    asked: Question,
) -> Result<(Escalation, Option<Warning>), StoreError> {
    asked.check()?;
    let (_lock, index, _) = store.locked()?;
    let newest = newest(&index)?;
    if let Some(newest) = &newest
        && !is_anywhere(store.home(), &newest.id)
    {
        write(store.home(), newest)?;
    }
    let told = Told { escalation: next_id(store.home(), newest.as_ref())?, asked };
    let now = clock::now();
    let event = Event {
        v: FORMAT_VERSION,
        id: event_id(now),
        ts: now,
        event: DRAFTED.to_owned(),
        // Not the ticket's own event: nothing about the ticket changes.
        ticket: None,
        project: project.cloned(),
        actor: who.name().to_owned(),
        session: who.session().cloned(),
        lineage: who.lineage().to_vec(),
        rev: None,
        batch: None,
        data: to_raw_value(&told)?,
        crc: serde::de::IgnoredAny,
    };
    let escalation = Escalation::of(&event)?;
    store.log().record_together(&mut [event])?;
    let warning = write(store.home(), &escalation).err().map(|error| Warning::Behind(error.to_string()));
    Ok((escalation, warning))
}

/// Those in one of the folders, the oldest first. A file that cannot be read is passed over.
pub fn list(home: &Home, folder: &str) -> Result<Vec<Escalation>, StoreError> {
    let path = home.escalations().join(folder);
    let failed = |source| StoreError::Home { path: path.clone(), source };
    let mut found = Vec::new();
    for name in files::names(&path).map_err(failed)?.iter().filter(|name| name.ends_with(".json")) {
        let bytes = files::read_optional(&path.join(name)).map_err(failed)?.unwrap_or_default();
        found.extend(serde_json::from_slice::<Escalation>(&bytes).ok());
    }
    found.sort_by_key(|escalation| Escalation::number(&escalation.id));
    Ok(found)
}

/// The last that was drafted. All before it have their files, because whoever drafts makes sure of it.
fn newest(index: &Index) -> Result<Option<Escalation>, StoreError> {
    let last = History { event: Some(DRAFTED.to_owned()), limit: Some(1), ..History::default() };
    Ok(index.events(&last)?.pop().map(|(_, event)| Escalation::of(&event)).transpose()?)
}

fn next_id(home: &Home, newest: Option<&Escalation>) -> Result<String, StoreError> {
    let mut highest = newest.and_then(|newest| Escalation::number(&newest.id)).unwrap_or(0);
    for folder in FOLDERS {
        let path = home.escalations().join(folder);
        let names = files::names(&path).map_err(|source| StoreError::Home { path, source })?;
        let numbers = names.iter().filter_map(|name| Escalation::number(name.strip_suffix(".json")?));
        highest = numbers.fold(highest, u64::max);
    }
    Ok(format!("esc-{:04}", highest.saturating_add(1)))
}

fn path(home: &Home, folder: &str, id: &str) -> PathBuf {
    home.escalations().join(folder).join(format!("{id}.json"))
}

fn is_anywhere(home: &Home, id: &str) -> bool {
    FOLDERS.iter().any(|folder| path(home, folder, id).exists())
}

fn write(home: &Home, escalation: &Escalation) -> Result<(), StoreError> {
    let path = path(home, "draft", &escalation.id);
    let mut bytes = serde_json::to_vec_pretty(escalation)?;
    bytes.push(b'\n');
    let folder = home.escalations().join("draft");
    let written =
        files::create_private_dir(&folder).and_then(|()| files::replace(&path, &bytes, files::PRIVATE));
    written.map_err(|source| StoreError::Home { path, source })
}
