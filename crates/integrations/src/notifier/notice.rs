//! What happened, and how templates and programs see it.

use serde_json::{Map, Value, json};
use signalbox_template::{Made, render_with};

use super::{NotifierType, Telling, Untold};

/// What happened.
#[derive(Debug, Clone, PartialEq)]
pub struct Notice {
    /// The event's name in the log: `agent.completed`.
    pub event: String,
    /// A sentence for people.
    pub message: String,
    pub agent: Option<String>,
    /// The monitor it came from, by name and type.
    pub monitor: Option<(String, String)>,
    /// As in the log.
    pub at: String,
    /// What else is known: `agent`, `goal`, `ticket`, `project`, and the event's own data.
    pub context: Value,
}

/// The names that every template of a notifier may use. Those of which nothing is known are null, and `data` has
/// all that is known of this event.
pub const NAMES: &[&str] =
    &["event", "title", "message", "time", "agent", "monitor", "goal", "ticket", "project", "data"];

impl Notice {
    /// As programs and web services get it.
    pub fn to_json(&self) -> Value {
        json!({
            "event": self.event,
            "message": self.message,
            "agent": self.agent,
            "monitor": self.monitor(),
            "time": self.at,
            "data": self.context,
        })
    }

    /// As templates see it.
    fn for_templates(&self) -> Value {
        let known = |name: &str| self.context.get(name).cloned().unwrap_or(Value::Null);
        json!({
            "event": self.event,
            "title": title(&self.event),
            "message": self.message,
            "time": self.at,
            "agent": self.agent_with_details(),
            "monitor": self.monitor(),
            "goal": known("goal"),
            "ticket": known("ticket"),
            "project": known("project"),
            "data": self.context,
        })
    }

    fn monitor(&self) -> Value {
        self.monitor.as_ref().map_or(Value::Null, |(name, kind)| json!({ "name": name, "type": kind }))
    }

    fn agent_with_details(&self) -> Value {
        let mut details = match self.context.get("agent") {
            Some(Value::Object(details)) => details.clone(),
            _ => Map::new(),
        };
        if let Some(id) = &self.agent {
            details.insert("id".to_owned(), json!(id));
        }
        if details.is_empty() { Value::Null } else { Value::Object(details) }
    }
}

/// An event's name for people: `Agent timed out` for `agent.timed-out`.
pub fn title(event: &str) -> String {
    let words = event.replace(['.', '-', '_'], " ");
    let mut letters = words.trim().chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => "Something happened".to_owned(),
    }
}

/// What the template for this event makes, if there is one.
pub fn made(kind: &NotifierType, telling: &Telling<'_>) -> Result<Option<Made>, Untold> {
    let folder = format!("notifications/{}", kind.name);
    let found = telling
        .templates
        .find_or_default(&[&folder], &telling.notice.event)
        .map_err(|error| Untold::lasting(format!("a template below {folder} cannot be read: {error}")))?;
    let Some(template) = found else { return Ok(None) };
    render_with(&template, &telling.notice.for_templates(), &kind.extras)
        .map(Some)
        .map_err(|wrong| Untold::lasting(wrong.to_string()))
}

/// At most so many characters; what is left out shows.
pub fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}
