//! A program of the user's that watches anything, and speaks JSON, one object a line.
//!
//! It is run for each look. On its standard input it gets one line:
//!
//! ```json
//! {"v":1,"monitor":"deploys","agent":"ada","directory":"/src/shop","settings":{},"state":null,"environment":{}}
//! ```
//!
//! and prints any of these, in any order, before it ends with code 0:
//!
//! ```json
//! {"event":"deployed","data":{"version":"1.2"},"text":"Version 1.2 is out.","priority":"high","ttl_seconds":60,"key":"deploy"}
//! {"state":{"last":"1.2"}}
//! {"retry_after":60}
//! {"error":"the server wants a password: set DEPLOY_TOKEN","lasting":true}
//! ```
//!
//! Of an event only its name is needed. `state` is handed back at the next look, and stays as it was where none is
//! printed. A look with an error, an ending other than code 0 or a line that is none of these counts for nothing: no
//! event of it is told and the state stays, so that the program can say it all again.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::SignedDuration;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use signalbox_core::inject::{MOST_KEY, Priority};
use signalbox_template::Bundled;

use super::{ANY_EVENT, Event, EventKind, Look, MonitorType, Seen, Trouble, as_given, nothing};
use crate::program;
use crate::settings::{self, BadSettings, Key, Settings};
use crate::text;

const USUAL_SECONDS: u64 = 60;
/// The most that one look may print, tell of, and leave behind.
const MOST_OUTPUT: usize = 1 << 20;
const MOST_EVENTS: usize = 50;
const MOST_STATE: usize = 256 << 10;
/// The longest that it may ask to be left alone.
const MOST_WAIT: u64 = 7 * 24 * 3600;
const TTL: u64 = 300;
/// The longest name of an event. It is also that of a template's file.
const MOST_NAME: usize = 64;

pub const TYPE: MonitorType = MonitorType {
    name: "command",
    about: "Asks a program of yours, which speaks JSON lines",
    keys: &[
        Key::required("run", "The line for the shell, or a list of the program and its arguments"),
        Key::optional("directory", "Where it runs; the agent's directory unless this is set"),
        Key::optional("timeout", "After how many seconds it is ended; 60 unless this is set"),
        Key::optional("settings", "Anything, handed to the program as it is"),
    ],
    privileged: true,
    events: &[EventKind {
        name: ANY_EVENT,
        about: "Whatever the program names",
        priority: Priority::Normal,
        ttl: Duration::from_secs(TTL),
        key: None,
        fields: &[("data", "What the program said of it; each of its names can also be used by itself")],
    }],
    names_own_events: true,
    every: Duration::from_secs(60),
    propose: nothing,
    complete: as_given,
    check,
    look,
    templates: &[Bundled {
        folder: "command",
        event: ANY_EVENT,
        text: include_str!("command/default.jinja"),
    }],
};

fn check(settings: &Settings) -> Result<(), BadSettings> {
    program::words(settings, "run")?;
    settings::text(settings, "directory")?;
    settings::seconds(settings, "timeout")?;
    Ok(())
}

fn look(look: &Look<'_>) -> Result<Seen, Trouble> {
    let words = program::words(look.settings, "run")?;
    let shown = program::shown(look.settings, "run");
    let directory = program::directory(look.settings, look.directory)?;
    let time = program::time(look.settings, USUAL_SECONDS, look.time)?;
    let ran = program::program(words, &directory, time)
        .with("SIGNALBOX_AGENT", look.agent)
        .with("SIGNALBOX_MONITOR", look.name)
        .reading(question(look))
        .printing_at_most(MOST_OUTPUT)
        .run()
        .map_err(|error| Trouble::Lasting(program::unstarted(&shown, &directory, &error)))?;
    let answer = Answer::read(&ran.text());
    // What it says of itself counts more than how it ended.
    if let Ok(Answer { trouble: Some(trouble), .. }) = answer {
        return Err(trouble);
    }
    if !ran.succeeded() {
        let complaint = text::tail(&ran.complaint(), 3, 300);
        let said = if complaint.is_empty() { String::new() } else { format!(": {complaint}") };
        return Err(Trouble::Passing(format!("`{shown}` did not do its work, {}{said}", ran.end)));
    }
    let answer = answer.map_err(|wrong| Trouble::Passing(format!("`{shown}` {wrong}")))?;
    answer.into_seen(look)
}

fn question(look: &Look<'_>) -> String {
    let question = json!({
        "v": 1,
        "monitor": look.name,
        "agent": look.agent,
        "directory": look.directory.to_string_lossy(),
        "settings": look.settings.get("settings").unwrap_or(&Value::Null),
        "state": look.before,
        "environment": look.environment,
    });
    format!("{question}\n")
}

/// What it printed, put together.
#[derive(Debug, Default)]
struct Answer {
    events: Vec<WireEvent>,
    state: Option<Value>,
    retry_after: Option<u64>,
    trouble: Option<Trouble>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireEvent {
    event: String,
    #[serde(default)]
    data: Map<String, Value>,
    text: Option<String>,
    priority: Option<Priority>,
    ttl_seconds: Option<u64>,
    key: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireState {
    state: Value,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireRetry {
    retry_after: u64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireError {
    error: String,
    #[serde(default)]
    lasting: bool,
}

impl Answer {
    /// The first line that cannot be read is the whole answer.
    fn read(printed: &str) -> Result<Self, String> {
        let mut answer = Self::default();
        for (at, line) in printed.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            answer.take(line).map_err(|why| {
                format!("printed a line {} that cannot be taken ({why}): {}", at + 1, text::line(line, 120))
            })?;
        }
        Ok(answer)
    }

    fn take(&mut self, line: &str) -> Result<(), String> {
        let value: Value = serde_json::from_str(line).map_err(|_| "it is not JSON".to_owned())?;
        let has = |name: &str| value.get(name).is_some();
        if has("event") {
            let event: WireEvent = wire(value)?;
            if !is_name(&event.event) {
                return Err("the event's name has letters, digits, `_` and `-` alone, at most 64".to_owned());
            }
            if event.key.as_ref().is_some_and(|key| key.chars().count() > MOST_KEY) {
                return Err(format!("a key has at most {MOST_KEY} characters"));
            }
            if self.events.len() == MOST_EVENTS {
                return Err(format!("one look tells of at most {MOST_EVENTS} events"));
            }
            self.events.push(event);
        } else if has("state") {
            if line.len() > MOST_STATE {
                return Err(format!("the state has at most {MOST_STATE} bytes"));
            }
            self.state = Some(wire::<WireState>(value)?.state);
        } else if has("retry_after") {
            self.retry_after = Some(wire::<WireRetry>(value)?.retry_after);
        } else if has("error") {
            let error: WireError = wire(value)?;
            let why = text::block(&error.error, 500);
            self.trouble = Some(if error.lasting { Trouble::Lasting(why) } else { Trouble::Passing(why) });
        } else {
            return Err("it has none of `event`, `state`, `retry_after` and `error`".to_owned());
        }
        Ok(())
    }

    fn into_seen(self, look: &Look<'_>) -> Result<Seen, Trouble> {
        let mut named = BTreeMap::new();
        let events = self.events.into_iter().map(|event| {
            let count = named.entry(event.event.clone()).or_insert(0);
            *count += 1;
            // What one look tells of stays apart. What the next one tells takes its place.
            let usual = match *count {
                1 => format!("{}.{}", look.name, event.event),
                count => format!("{}.{}.{count}", look.name, event.event),
            };
            event.into_event(usual)
        });
        let events = events.collect();
        let wait = self.retry_after.map(|seconds| seconds.min(MOST_WAIT).cast_signed());
        let not_before = wait.and_then(|wait| look.now.checked_add(SignedDuration::from_secs(wait)).ok());
        Ok(Seen { state: self.state.unwrap_or_else(|| look.before.clone()), events, not_before })
    }
}

impl WireEvent {
    fn into_event(self, usual_key: String) -> Event {
        let mut fields = self.data.clone();
        fields.insert("data".to_owned(), Value::Object(self.data));
        Event {
            kind: self.event,
            fields,
            priority: self.priority,
            ttl_seconds: self.ttl_seconds,
            key: Some(self.key.unwrap_or(usual_key)),
            text: self.text,
        }
    }
}

fn wire<T: serde::de::DeserializeOwned>(value: Value) -> Result<T, String> {
    serde_json::from_value(value).map_err(|error| error.to_string())
}

fn is_name(name: &str) -> bool {
    (1..=MOST_NAME).contains(&name.len())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
}
