//! Claude Code's own task list: `<settings folder>/tasks/<list>/<number>.json`, one file a task.
//!
//! A file that does not look as Claude Code wants it is no task to it, so the same is asked for here. What it has beyond
//! that is kept as it came. A ticket is named twice: in `metadata`, which is for programs, and at the beginning of the
//! subject, because the hook that hears of a completed task is told nothing else.

use serde_json::{Map, Value, json};
use signalbox_core::TicketId;

/// The folder of all lists, below that of the settings.
pub const TASKS: &str = "tasks";
/// The folder of all teams, below that of the settings. A team's list has the name of the team.
pub const TEAMS: &str = "teams";
/// The highest number that was ever taken by a task that is gone. Claude Code deletes a list once all of it is done,
/// and keeps this.
pub const HIGHEST_GONE: &str = ".highwatermark";
/// The key of the ticket's id in `metadata`.
const TICKET: &str = "signalbox";

/// One task, with all its keys.
#[derive(Debug, Clone, PartialEq)]
pub struct NativeTask {
    whole: Map<String, Value>,
}

/// How far a task is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskStatus {
    Pending,
    InProgress,
    Completed,
}

/// The tasks that a task waits for, and those that wait for it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Edges {
    pub blocked_by: Vec<String>,
    pub blocks: Vec<String>,
}

impl NativeTask {
    /// A task that is new.
    pub fn new(id: &str, subject: &str, description: &str, status: TaskStatus) -> Self {
        let whole = json!({
            "id": id, "subject": subject, "description": description, "status": status.word(),
            "blocks": [], "blockedBy": [],
        });
        Self { whole: whole.as_object().cloned().unwrap_or_default() }
    }

    /// A task from its file. `None` where it is half written, or no task to Claude Code either.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let Value::Object(whole) = serde_json::from_slice(bytes).ok()? else { return None };
        let text = |key: &str| whole.get(key).is_some_and(Value::is_string);
        let names = |key: &str| {
            whole.get(key).and_then(Value::as_array).is_some_and(|list| list.iter().all(Value::is_string))
        };
        let optional = |key: &str| whole.get(key).is_none_or(Value::is_string);
        let is_task = ["id", "subject", "description", "status"].into_iter().all(text)
            && ["blocks", "blockedBy"].into_iter().all(names)
            && ["activeForm", "owner"].into_iter().all(optional)
            && whole.get("metadata").is_none_or(Value::is_object);
        let task = Self { whole };
        (is_task && TaskStatus::parse(task.text("status")).is_some()).then_some(task)
    }

    /// The text of its file, as Claude Code writes it.
    pub fn to_text(&self) -> String {
        format!("{:#}", Value::Object(self.whole.clone()))
    }

    pub fn id(&self) -> &str {
        self.text("id")
    }

    pub fn subject(&self) -> &str {
        self.text("subject")
    }

    pub fn description(&self) -> &str {
        self.text("description")
    }

    pub fn status(&self) -> TaskStatus {
        TaskStatus::parse(self.text("status")).unwrap_or(TaskStatus::Pending)
    }

    pub fn edges(&self) -> Edges {
        Edges { blocked_by: self.names("blockedBy"), blocks: self.names("blocks") }
    }

    /// Claude Code keeps some tasks for itself and shows them to nobody.
    pub fn is_internal(&self) -> bool {
        self.metadata("_internal").is_some_and(|value| !matches!(value, Value::Null | Value::Bool(false)))
    }

    /// The ticket it stands for.
    pub fn ticket(&self) -> Option<TicketId> {
        let named = self.metadata(TICKET).and_then(Value::as_str);
        // `metadata` can be lost; whoever changes the subject as well means another task.
        let first = self.subject().split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).next();
        named.into_iter().chain(first).find_map(|word| TicketId::parse(word).ok())
    }

    /// Make it stand for a ticket.
    pub fn link(&mut self, ticket: &TicketId, title: &str) {
        let metadata = self.whole.entry("metadata").or_insert_with(|| json!({}));
        if let Some(metadata) = metadata.as_object_mut() {
            metadata.insert(TICKET.to_owned(), json!(ticket));
        }
        self.set("subject", json!(format!("{ticket}: {title}")));
    }

    pub fn set_description(&mut self, description: &str) {
        self.set("description", json!(description));
    }

    pub fn set_status(&mut self, status: TaskStatus) {
        self.set("status", json!(status.word()));
    }

    pub fn set_owner(&mut self, owner: &str) {
        self.set("owner", json!(owner));
    }

    pub fn set_edges(&mut self, edges: &Edges) {
        self.set("blocks", json!(edges.blocks));
        self.set("blockedBy", json!(edges.blocked_by));
    }

    fn set(&mut self, key: &str, value: Value) {
        self.whole.insert(key.to_owned(), value);
    }

    fn text(&self, key: &str) -> &str {
        self.whole.get(key).and_then(Value::as_str).unwrap_or_default()
    }

    fn names(&self, key: &str) -> Vec<String> {
        let list = self.whole.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        list.iter().filter_map(|name| name.as_str().map(ToOwned::to_owned)).collect()
    }

    fn metadata(&self, key: &str) -> Option<&Value> {
        self.whole.get("metadata")?.get(key)
    }
}

impl TaskStatus {
    pub fn word(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::InProgress => "in_progress",
            Self::Completed => "completed",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        [Self::Pending, Self::InProgress, Self::Completed].into_iter().find(|status| status.word() == word)
    }
}

/// The name of a list's folder, for an id as people and variables have it. `None` where it is empty.
pub fn list_name(id: &str) -> Option<String> {
    let kept = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    // By UTF-16, as it is counted there.
    let name =
        id.encode_utf16().map(|unit| char::from_u32(u32::from(unit)).filter(|c| kept(*c)).unwrap_or('-'));
    Some(name.collect::<String>()).filter(|name| !name.is_empty())
}

/// The task's id, from the name of its file. `None` for what is no task's.
pub fn task_of_file(name: &str) -> Option<&str> {
    name.strip_suffix(".json").filter(|id| !id.is_empty() && !id.starts_with('.'))
}

/// The number at the beginning of a task's id, 0 where there is none.
pub fn number(id: &str) -> u64 {
    let digits: String = id.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TASK: &str = r#"{"id":"7","subject":"External","description":"d","owner":"codex","status":"in_progress",
        "blocks":[],"blockedBy":["1"],"metadata":{"source":"bus"},"later":[1]}"#;

    #[test]
    fn a_task_keeps_what_nobody_here_knows() {
        let mut task = NativeTask::parse(TASK.as_bytes()).unwrap();
        assert_eq!((task.id(), task.status(), task.ticket()), ("7", TaskStatus::InProgress, None));
        assert_eq!(task.edges().blocked_by, ["1"]);
        let ticket = TicketId::parse("sb_aB3xYz").unwrap();
        task.link(&ticket, "A title");
        task.set_status(TaskStatus::Completed);
        let again = NativeTask::parse(task.to_text().as_bytes()).unwrap();
        assert_eq!(again, task);
        assert_eq!(again.ticket(), Some(ticket));
        assert_eq!(again.subject(), "sb_aB3xYz: A title");
        let value: Value = serde_json::from_str(&again.to_text()).unwrap();
        assert_eq!((&value["later"], &value["owner"]), (&json!([1]), &json!("codex")));
        assert_eq!(value["metadata"], json!({ "source": "bus", "signalbox": "sb_aB3xYz" }));
    }

    #[test]
    fn half_a_task_is_none() {
        for end in 0..TASK.len() {
            assert_eq!(NativeTask::parse(&TASK.as_bytes()[..end]), None);
        }
        for (from, to) in
            [("in_progress", "paused"), ("[\"1\"]", "[1]"), ("\"d\"", "null"), ("\"codex\"", "3")]
        {
            assert_eq!(NativeTask::parse(TASK.replace(from, to).as_bytes()), None, "{to}");
        }
    }

    #[test]
    fn a_ticket_is_known_by_the_subject_too() {
        let with = |subject: &str| NativeTask::new("1", subject, "", TaskStatus::Pending).ticket();
        assert_eq!(with("sb_aB3xYz: A title"), TicketId::parse("sb_aB3xYz").ok());
        assert_eq!(with("Finish sb_aB3xYz"), None);
        assert_eq!(with(""), None);
    }

    #[test]
    fn names_and_numbers() {
        assert_eq!(list_name("../a b/ü.c_D-1").as_deref(), Some("---a-b---c_D-1"));
        assert_eq!(list_name("😀").as_deref(), Some("--"));
        assert_eq!(list_name(""), None);
        assert_eq!(["12", "3x", "x", ""].map(number), [12, 3, 0, 0]);
        assert_eq!(
            ["1.json", ".json", ".a.json", "1.json.lock"].map(task_of_file),
            [Some("1"), None, None, None]
        );
    }

    #[test]
    fn some_tasks_are_internal() {
        let internal = TASK.replace("\"source\":\"bus\"", "\"_internal\":true");
        assert!(NativeTask::parse(internal.as_bytes()).unwrap().is_internal());
        assert!(!NativeTask::parse(TASK.as_bytes()).unwrap().is_internal());
    }
}
