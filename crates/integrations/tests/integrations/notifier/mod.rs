//! Telling people, by every way there is.

mod bell;
mod command;
mod desktop;
mod slack;
mod webhook;

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};
use signalbox_integrations::Settings;
use signalbox_integrations::notifier::{
    NAMES, Notice, TOLD_OF, TYPES, Telling, Untold, find, is_told, patterns, title,
};
use signalbox_template::{Bundled, Library, check_with};
use tempfile::TempDir;

/// One notifier with all it gets.
pub struct Stage {
    pub kind: &'static str,
    pub settings: Settings,
    pub notice: Notice,
    pub remembered: Value,
    pub terminals: Vec<PathBuf>,
    pub time: Duration,
    folder: TempDir,
}

impl Stage {
    pub fn new(kind: &'static str, settings: Value) -> Self {
        let Value::Object(settings) = settings else { unreachable!("settings are a table") };
        let notice = Notice {
            event: "agent.completed".to_owned(),
            message: "builder has reached its goal".to_owned(),
            agent: Some("builder-1".to_owned()),
            monitor: Some(("ci".to_owned(), "github".to_owned())),
            at: "2026-11-15T12:00:00Z".to_owned(),
            context: json!({ "goal": { "type": "ticket_done" }, "agent": { "driver": "puppet" }, "extra": 1 }),
        };
        Self {
            kind,
            settings,
            notice,
            remembered: Value::Null,
            terminals: Vec::new(),
            time: Duration::from_secs(10),
            folder: tempfile::tempdir().unwrap(),
        }
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    #[expect(clippy::disallowed_methods, reason = "this plays the user, who writes templates")]
    pub fn template(&self, event: &str, text: &str) {
        let folder = self.folder().join("templates/notifications").join(self.kind);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(format!("{event}.jinja")), text).unwrap();
    }

    pub fn tell(&self) -> Result<Value, Untold> {
        let kind = find(self.kind).unwrap();
        let templates = Library::new(self.folder().join("templates"), kind.templates);
        (kind.tell)(&Telling {
            settings: &self.settings,
            notice: &self.notice,
            templates: &templates,
            remembered: &self.remembered,
            terminals: &self.terminals,
            time: self.time,
        })
    }

    pub fn untold(&self) -> Untold {
        self.tell().unwrap_err()
    }

    /// What is wrong with its settings.
    pub fn wrong(&self) -> String {
        find(self.kind).unwrap().check(&self.settings).unwrap_err().to_string()
    }
}

pub fn passing(why: &str) -> Untold {
    Untold { why: why.to_owned(), passing: true }
}

pub fn lasting(why: &str) -> Untold {
    Untold { why: why.to_owned(), passing: false }
}

#[test]
fn the_table_is_whole() {
    let names: Vec<_> = TYPES.iter().map(|kind| (kind.name, kind.privileged)).collect();
    assert_eq!(
        names,
        [("terminal_bell", false), ("command", true), ("desktop", false), ("slack", true), ("webhook", true)]
    );
    for kind in TYPES {
        let library = Library::new("/nowhere", kind.templates);
        for Bundled { folder, event, .. } in kind.templates {
            assert_eq!(*folder, format!("notifications/{}", kind.name));
            check_with(&library.bundled(folder, event).unwrap(), NAMES, &kind.extras).unwrap();
        }
        let unknown = Stage::new(kind.name, json!({ "url": "x", "run": "x", "evnts": [] })).wrong();
        assert!(unknown.contains("no setting"), "{unknown}");
    }
    let misspelt = Stage::new("command", json!({ "run": "true", "timeuot": 3 })).wrong();
    assert_eq!(misspelt, "`command` has no setting `timeuot`, did you mean `timeout`?");
    let wrong = Stage::new("terminal_bell", json!({ "events": [1] })).wrong();
    assert_eq!(wrong, "`events` has to be a list of texts, and 1 is none");
}

#[test]
fn people_are_told_of_what_they_asked_for_or_what_needs_them() {
    let wants = |events: Value, event: &str| {
        let Value::Object(settings) = json!({ "events": events }) else { unreachable!() };
        is_told(&patterns(&settings).unwrap(), event)
    };
    for event in ["agent.completed", "budget.exceeded", "team.failed", "escalation.opened", "hook.unguarded"]
    {
        assert!(wants(Value::Null, event) && wants(json!("*"), event), "{event}");
    }
    for event in ["agent.started", "hook.pre-tool", "ticket.created", "agent.completed.not", "team", ""] {
        assert!(!wants(Value::Null, event), "{event}");
    }
    for (pattern, event, want) in [
        ("agent.*", "agent.started", true),
        ("agent.*", "agents.started", false),
        ("agent.*", "agent", false),
        ("*.failed", "team.failed", true),
        ("agent.failed", "agent.failed", true),
        ("agent.failed", "agent.FAILED", false),
        ("agent?failed", "agent.failed", false),
        ("*t.*d", "agent.failed", true),
        ("", "agent.failed", false),
    ] {
        assert_eq!(wants(json!([pattern]), event), want, "{pattern} {event}");
    }
    assert!(TOLD_OF.is_sorted());
}

#[test]
fn events_have_names_for_people() {
    for (event, want) in [
        ("agent.timed-out", "Agent timed out"),
        ("x", "X"),
        ("", "Something happened"),
        ("..", "Something happened"),
        ("über.all", "Über all"),
    ] {
        assert_eq!(title(event), want);
    }
}
