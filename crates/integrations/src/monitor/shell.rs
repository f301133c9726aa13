//! A line for the shell: an alert when it starts to fail, and when it fails in another way.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use signalbox_core::inject::Priority;
use signalbox_runner::{End, Ran};
use signalbox_template::Bundled;

use super::{Event, EventKind, Look, MonitorType, Seen, Trouble, as_given, nothing};
use crate::program;
use crate::settings::{self, BadSettings, Key, Settings};
use crate::text;

/// Where bare names are looked for, below the agent's directory.
const FOLDER: &str = ".signalbox/monitors";
const USUAL_SECONDS: u64 = 60;
/// How much of the output goes into a message.
const LINES: usize = 40;
const WIDTH: usize = 500;

pub const TYPE: MonitorType = MonitorType {
    name: "shell",
    about: "Runs a command: an alert when it fails, and again when it fails differently",
    keys: &[
        Key::required(
            "command",
            "The line for the shell, or the bare name of a program in `.signalbox/monitors`",
        ),
        Key::optional("directory", "Where it runs; the agent's directory unless this is set"),
        Key::optional(
            "timeout",
            "After how many seconds it is ended and counts as failed; 60 unless this is set",
        ),
        Key::optional("report_success", "`true`: also tell when it succeeds again"),
        Key::optional(
            "on_change",
            "`true`: also tell when it succeeds and prints something else than before",
        ),
    ],
    privileged: true,
    events: &[
        EventKind {
            name: "shell_alert",
            about: "The command fails, or fails in another way than before",
            priority: Priority::Normal,
            ttl: Duration::from_secs(300),
            key: None,
            fields: FIELDS,
        },
        EventKind {
            name: "shell_success",
            about: "The command succeeds again",
            priority: Priority::Normal,
            ttl: Duration::from_secs(60),
            key: None,
            fields: FIELDS,
        },
        EventKind {
            name: "shell_changed",
            about: "The command succeeds and prints something else than before",
            priority: Priority::Normal,
            ttl: Duration::from_secs(300),
            key: None,
            fields: FIELDS,
        },
    ],
    names_own_events: false,
    every: Duration::from_secs(60),
    propose: nothing,
    complete: as_given,
    check,
    look,
    templates: &[
        Bundled { folder: "shell", event: "shell_alert", text: include_str!("shell/shell_alert.jinja") },
        Bundled { folder: "shell", event: "shell_success", text: include_str!("shell/shell_success.jinja") },
        Bundled { folder: "shell", event: "shell_changed", text: include_str!("shell/shell_changed.jinja") },
    ],
};

const FIELDS: &[(&str, &str)] = &[
    ("command", "What was run"),
    ("status", "How it ended, in words"),
    ("code", "The code it ended with; null where it was ended by something else"),
    ("output", "The end of what it printed"),
];

/// How the command was when it was last run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Before {
    end: String,
    failed: bool,
    /// What it printed, as a digest; empty where it was cut off and says nothing.
    printed: String,
}

fn check(settings: &Settings) -> Result<(), BadSettings> {
    let command = settings::text(settings, "command")?.unwrap_or_default();
    if command.trim().is_empty() || command.contains('\0') {
        return Err(BadSettings("`command` has to say what is to be run".to_owned()));
    }
    settings::text(settings, "directory")?;
    settings::seconds(settings, "timeout")?;
    settings::switch(settings, "report_success")?;
    settings::switch(settings, "on_change")?;
    Ok(())
}

fn look(look: &Look<'_>) -> Result<Seen, Trouble> {
    check(look.settings)?;
    let shown = program::shown(look.settings, "command");
    let directory = program::directory(look.settings, look.directory)?;
    let time = program::time(look.settings, USUAL_SECONDS, look.time)?;
    let ran = program::program(words(look)?, &directory, time)
        .with("SIGNALBOX_AGENT", look.agent)
        .with("SIGNALBOX_MONITOR", look.name)
        .run()
        .map_err(|error| Trouble::Lasting(program::unstarted(&shown, &directory, &error)))?;
    let now = Before { end: ran.end.to_string(), failed: !ran.succeeded(), printed: digest(&ran) };
    let before: Option<Before> = serde_json::from_value(look.before.clone()).ok();
    let events = kind(before.as_ref(), &now, look.settings)?.map(|kind| event(kind, shown, &ran));
    Ok(Seen { state: json!(now), events: events.into_iter().collect(), not_before: None })
}

/// A bare name means the program in the project's own folder, if there is one.
fn words(look: &Look<'_>) -> Result<Vec<String>, Trouble> {
    let command = settings::text(look.settings, "command")?.unwrap_or_default();
    if !command.contains(['/', ' ', '\t', '\n']) {
        let own: PathBuf = look.directory.join(FOLDER).join(command);
        if let Some(own) = own.to_str().filter(|_| own.is_file()) {
            return Ok(vec![own.to_owned()]);
        }
    }
    Ok(vec!["/bin/sh".to_owned(), "-c".to_owned(), command.to_owned()])
}

/// What is to be told, if anything. What is so at the first look is told only where it is bad.
fn kind(
    before: Option<&Before>,
    now: &Before,
    settings: &Settings,
) -> Result<Option<&'static str>, BadSettings> {
    let changed = before.is_some_and(|before| before.printed != now.printed);
    let kind = if now.failed {
        (before != Some(now)).then_some("shell_alert")
    } else if before.is_some_and(|before| before.failed) && settings::switch(settings, "report_success")? {
        Some("shell_success")
    } else if changed && settings::switch(settings, "on_change")? {
        Some("shell_changed")
    } else {
        None
    };
    Ok(kind)
}

fn event(kind: &str, command: String, ran: &Ran) -> Event {
    let printed = format!("{}{}", ran.text(), ran.complaint());
    let code = if let End::Code(code) = ran.end { json!(code) } else { Value::Null };
    let mut fields = Settings::new();
    fields.insert("command".to_owned(), json!(command));
    fields.insert("status".to_owned(), json!(ran.end.to_string()));
    fields.insert("code".to_owned(), code);
    fields.insert("output".to_owned(), json!(text::tail(&printed, LINES, WIDTH)));
    Event { kind: kind.to_owned(), fields, ..Event::default() }
}

/// Where a program was stopped, how far it got is chance, and no news.
fn digest(ran: &Ran) -> String {
    if matches!(ran.end, End::TimedOut | End::TooMuch) {
        return String::new();
    }
    let mut hash = Sha256::new();
    hash.update(ran.stdout.len().to_le_bytes());
    hash.update(&ran.stdout);
    hash.update(&ran.stderr);
    hash.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}
