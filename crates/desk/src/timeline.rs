//! What happened: events as a person reads them, newest first.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use signalbox_core::text::{many_lines, one_line};
use signalbox_core::{Event, Fact, ProjectName, TicketId, time};
use signalbox_store::index::History;

use crate::{CommandError, Desk};

/// The longest words of an event in a feed, in characters.
const MOST_WORDS: usize = 600;

/// Which events are wanted; nothing: all.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Wanted {
    pub ticket: String,
    pub project: String,
    /// A pattern of names: `status.*`.
    pub event: String,
    /// Who did it.
    pub actor: String,
    /// Words that stand in it.
    pub text: String,
    /// With what hooks record of every tool call.
    pub all: bool,
}

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Entry {
    pub id: String,
    pub at: String,
    pub event: String,
    pub ticket: Option<String>,
    pub project: Option<String>,
    pub actor: String,
    /// What was said, several lines perhaps, without control characters.
    pub words: String,
}

/// Some of what happened, the newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Activity {
    pub entries: Vec<Entry>,
}

impl Desk {
    /// The newest so many.
    pub fn activity(&self, wanted: &Wanted, most: usize) -> Result<Activity, CommandError> {
        let index = self.index()?;
        let some = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        let ticket = some(&wanted.ticket).map(|id| {
            TicketId::parse(&id).map_err(|error| CommandError::usage("ticket.id", error.to_string()))
        });
        let project = some(&wanted.project).map(|name| {
            ProjectName::parse(&name).map_err(|error| CommandError::usage("project.name", error.to_string()))
        });
        let is_sifted = !wanted.all || some(&wanted.actor).is_some() || some(&wanted.text).is_some();
        let history = History {
            ticket: ticket.transpose()?,
            project: project.transpose()?,
            event: some(&wanted.event),
            // What is sifted out here leaves room for others.
            limit: Some(if is_sifted { most.saturating_mul(20).max(2_000) } else { most }),
            ..History::default()
        };
        let (actor, text) = (wanted.actor.trim().to_lowercase(), wanted.text.trim().to_lowercase());
        let fits = |event: &Event, words: &str| {
            let is_told = wanted.all || !wanted.event.trim().is_empty() || !is_chatter(&event.event);
            is_told
                && (actor.is_empty() || event.actor.to_lowercase().contains(&actor))
                && (text.is_empty() || words.to_lowercase().contains(&text))
        };
        let events = index.events(&history)?;
        let entries = events.into_iter().rev().map(|(_, event)| (entry(&event), event));
        let fitting = entries.filter(|(entry, event)| fits(event, &entry.words));
        Ok(Activity { entries: fitting.map(|(entry, _)| entry).take(most).collect() })
    }
}

/// What nobody wants to read all day: every tool call, every change of what an agent is doing.
fn is_chatter(name: &str) -> bool {
    let quiet = ["hook.", "inject.", "mode.", "session."];
    quiet.iter().any(|start| name.starts_with(start)) || ["agent.state", "ticket.read"].contains(&name)
}

/// An event as it is shown.
pub(crate) fn entry(event: &Event) -> Entry {
    let words = words_of(event);
    let mut words = many_lines(&words).into_owned();
    if let Some((end, _)) = words.char_indices().nth(MOST_WORDS) {
        words.truncate(end);
        words.push('…');
    }
    Entry {
        id: event.id.to_string(),
        at: time::exact(event.ts),
        event: one_line(&event.event).into_owned(),
        ticket: event.ticket.as_ref().map(ToString::to_string),
        project: event.project.as_ref().map(ToString::to_string),
        actor: one_line(&event.actor).into_owned(),
        words,
    }
}

/// What was said in an event.
pub fn words_of(event: &Event) -> String {
    match Fact::of(event) {
        Ok(Some(Fact::Noted(noted))) => noted.text,
        Ok(Some(Fact::Created(created))) => created.title,
        Ok(Some(Fact::Status(_, change))) => {
            let waits: Vec<_> = change.waits_on.iter().map(TicketId::as_str).collect();
            let mut words = change.note.or(change.reason).unwrap_or_default();
            if !waits.is_empty() {
                words = format!("{words} waits on {}", waits.join(", "));
            }
            words.trim().to_owned()
        }
        Ok(Some(Fact::ReviewApproved(approved))) => approved.note.unwrap_or_default(),
        Ok(Some(Fact::Unheld(remark))) => remark.note.unwrap_or_default(),
        Ok(Some(Fact::ReviewRejected(reason) | Fact::Held(reason) | Fact::Released(reason))) => reason.reason,
        Ok(Some(Fact::Attempt(report))) => report.summary,
        Ok(Some(Fact::Assigned(assigned))) => assigned.assignee.unwrap_or_else(|| "nobody".to_owned()),
        Ok(Some(Fact::Checked(checked))) => {
            format!("criterion {} is {}", checked.criterion, if checked.met { "met" } else { "not met" })
        }
        Ok(Some(fact @ (Fact::Edited(_) | Fact::Waived(_)))) => {
            let fields: Vec<_> =
                fact.changed_fields().iter().map(|(name, value)| format!("{name}: {value}")).collect();
            fields.join("; ")
        }
        _ if event.data.get() == "{}" => String::new(),
        _ => fields_of(event.data.get()),
    }
}

/// The fields of an event's data that are texts or numbers, as a person reads them.
fn fields_of(data: &str) -> String {
    let Ok(serde_json::Value::Object(fields)) = serde_json::from_str(data) else { return data.to_owned() };
    let said = ["question", "answer", "message", "summary", "reason", "text", "says"];
    if let Some(words) = said.iter().find_map(|name| fields.get(*name)?.as_str()) {
        return words.to_owned();
    }
    let shown = fields.iter().filter_map(|(name, value)| match value {
        serde_json::Value::String(text) => Some(format!("{name}: {text}")),
        serde_json::Value::Number(number) => Some(format!("{name}: {number}")),
        serde_json::Value::Bool(is_so) => Some(format!("{name}: {is_so}")),
        _ => None,
    });
    shown.collect::<Vec<_>>().join("; ")
}

/// A moment as it was told, for those that only have the text.
pub(crate) fn moment(text: &str) -> Option<Timestamp> {
    text.parse().ok()
}
