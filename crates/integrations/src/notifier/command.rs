//! A command of the user's, for whatever has no type of its own.
//!
//! What happened travels in the environment and on the standard input. The command itself is only ever the user's line:
//! no text from outside becomes part of it.

use std::time::Duration;

use serde_json::Value;
use signalbox_runner::{Program, Ran};
use signalbox_template::{Extras, Function};

use super::notice::{made, shortened};
use super::{NotifierType, Telling, Untold};
use crate::settings::{self, BadSettings, Key, Settings};

pub const TYPE: NotifierType = NotifierType {
    name: "command",
    about: "Runs a command of yours; what happened is in SIGNALBOX_EVENT, SIGNALBOX_MESSAGE and others, and as JSON on its input",
    keys: &[
        Key::required("run", "The line for the shell"),
        Key::optional("timeout", "After how many seconds it is ended; 10 unless this is set"),
    ],
    privileged: true,
    check,
    tell,
    templates: &[],
    extras: Extras {
        functions: &[Function { name: "env", parameters: &["name", "value"], required: 2 }],
        filters: &[],
    },
};

const TIME: Duration = Duration::from_secs(10);
/// The system takes no longer variables than about four times this; all of it is on the standard input.
const MOST_VARIABLE: usize = 30_000;
/// More than anybody reads of what a notifier prints.
const MOST_OUTPUT: usize = 64 << 10;

fn check(settings: &Settings) -> Result<(), BadSettings> {
    settings::seconds(settings, "timeout")?;
    match settings::text(settings, "run")? {
        Some(line) if line.trim().is_empty() => Err(BadSettings("`run` is empty".to_owned())),
        Some(line) if line.contains('\0') => Err(BadSettings("`run` has a null byte in it".to_owned())),
        _ => Ok(()),
    }
}

fn tell(telling: &Telling<'_>) -> Result<Value, Untold> {
    check(telling.settings)?;
    let line = settings::text(telling.settings, "run")?.unwrap_or_default();
    let time = settings::seconds(telling.settings, "timeout")?.map_or(TIME, Duration::from_secs);
    let input = telling.notice.to_json().to_string();
    let mut program = Program::shell(line)
        .within(time.min(telling.time))
        .printing_at_most(MOST_OUTPUT)
        .reading(input.into_bytes());
    for (name, value) in variables(telling)? {
        program = program.with(format!("SIGNALBOX_{name}"), fit(&value));
    }
    let ran =
        program.run().map_err(|error| Untold::passing(format!("the command cannot be run: {error}")))?;
    if ran.succeeded() {
        return Ok(Value::Null);
    }
    Err(Untold::passing(format!("the command told nobody: {}{}", ran.end, complaint(&ran))))
}

fn variables(telling: &Telling<'_>) -> Result<Vec<(String, String)>, Untold> {
    let notice = telling.notice;
    let (monitor, kind) = notice.monitor.clone().unwrap_or_default();
    let known = [
        ("EVENT", notice.event.clone()),
        ("AGENT", notice.agent.clone().unwrap_or_default()),
        ("MESSAGE", notice.message.clone()),
        ("MONITOR", monitor),
        ("MONITOR_TYPE", kind),
        ("TIME", notice.at.clone()),
    ];
    let mut variables: Vec<_> = known.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    let Some(made) = made(&TYPE, telling)? else { return Ok(variables) };
    for call in made.calls {
        let name = call.text("name").unwrap_or_default().to_ascii_uppercase();
        if !is_variable(&name) {
            let name = name.escape_debug();
            return Err(Untold::lasting(format!(
                "the template sets `{name}`, which is no name for a variable"
            )));
        }
        variables.push((name, call.text("value").unwrap_or_default()));
    }
    variables.push(("BODY".to_owned(), made.text.trim().to_owned()));
    Ok(variables)
}

fn is_variable(name: &str) -> bool {
    name.len() <= 100
        && name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

/// As the system takes it.
fn fit(value: &str) -> String {
    shortened(&value.replace('\0', ""), MOST_VARIABLE)
}

/// The first thing that a program complained about.
pub fn complaint(ran: &Ran) -> String {
    let said = ran.complaint();
    let clean: String =
        said.trim().lines().next().unwrap_or_default().chars().filter(|c| !c.is_control()).collect();
    if clean.is_empty() { String::new() } else { format!(": {}", shortened(&clean, 300)) }
}
