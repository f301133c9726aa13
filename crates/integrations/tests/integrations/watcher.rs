//! A monitor that looks again and again, as the daemon would make it.

use std::path::Path;
use std::time::Duration;

use jiff::Timestamp;
use serde_json::{Value, json};
use signalbox_integrations::Settings;
use signalbox_integrations::monitor::{self, Environment, Event, Look, MonitorType, Seen, Trouble};
use signalbox_template::{Library, render};

pub const NOW: &str = "2026-11-15T10:00:00Z";

pub struct Watcher {
    pub kind: &'static MonitorType,
    pub settings: Settings,
    pub state: Value,
    pub not_before: Option<Timestamp>,
    pub time: Duration,
    directory: tempfile::TempDir,
}

impl Watcher {
    pub fn new(kind: &str, settings: Value) -> Self {
        let kind = monitor::find(kind).unwrap();
        let settings = object(settings);
        kind.check(&settings).unwrap();
        Self {
            kind,
            settings,
            state: Value::Null,
            not_before: None,
            time: Duration::from_secs(60),
            directory: tempfile::tempdir().unwrap(),
        }
    }

    pub fn directory(&self) -> &Path {
        self.directory.path()
    }

    pub fn try_look(&mut self) -> Result<Vec<Event>, Trouble> {
        let look = Look {
            name: "mine",
            settings: &self.settings,
            environment: &Environment::default(),
            directory: self.directory.path(),
            agent: "ada",
            before: &self.state,
            now: NOW.parse().unwrap(),
            time: self.time,
        };
        let Seen { state, events, not_before } = (self.kind.look)(&look)?;
        // What is kept goes through a file.
        self.state = serde_json::from_str(&state.to_string()).unwrap();
        self.not_before = not_before;
        for event in &events {
            let known = self.kind.event(&event.kind).unwrap();
            if !self.kind.names_own_events {
                assert_eq!(known.name, event.kind);
                for name in event.fields.keys() {
                    assert!(
                        known.fields.iter().any(|(field, _)| *field == name),
                        "{name} of {} is not documented",
                        event.kind
                    );
                }
                for (field, _) in known.fields {
                    assert!(event.fields.contains_key(*field), "{} has no {field}", event.kind);
                }
            }
        }
        Ok(events)
    }

    #[track_caller]
    pub fn look(&mut self) -> Vec<Event> {
        self.try_look().unwrap()
    }

    /// Look, and say which kinds of events there were.
    #[track_caller]
    pub fn kinds(&mut self) -> Vec<String> {
        self.look().into_iter().map(|event| event.kind).collect()
    }

    /// Look, and say what an agent would be told.
    #[track_caller]
    pub fn told(&mut self) -> Vec<String> {
        self.look().iter().map(|event| self.text(event)).collect()
    }

    /// The message for an event.
    #[track_caller]
    pub fn text(&self, event: &Event) -> String {
        let library = Library::new(self.directory.path().join("templates"), self.kind.templates);
        let template = self.kind.template(&library, "mine", &event.kind).unwrap().unwrap();
        render(&template, &event.context("mine", self.kind.name, json!({ "id": "ada" }))).unwrap()
    }
}

pub fn object(value: Value) -> Settings {
    match value {
        Value::Object(map) => map,
        other => unreachable!("{other} is no object"),
    }
}
