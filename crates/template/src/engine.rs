//! Filling in a template within bounds.

use std::io;

use minijinja::{Environment, Error, ErrorKind, UndefinedBehavior};
use serde_json::Value;

use crate::extras::{Call, Calls, Extras};
use crate::filters;
use crate::library::Found;

/// The longest text that a template may make, in bytes.
pub const MOST_TEXT: usize = 200_000;
/// How much a template may do. A step is about one instruction.
const FUEL: u64 = 500_000;
/// How deep blocks may stand in each other.
const DEPTH: usize = 50;

/// Why a template makes no text, with the place where it says so.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}{}: {what}", .line.map(|line| format!(", line {line}")).unwrap_or_default())]
pub struct Wrong {
    /// The file, or the name of one that comes along.
    pub place: String,
    pub line: Option<usize>,
    pub what: String,
}

/// What a template made.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Made {
    pub text: String,
    /// What it put aside, in order.
    pub calls: Vec<Call>,
}

/// The text for an event.
pub fn render(template: &Found, event: &Value) -> Result<String, Wrong> {
    render_with(template, event, &Extras::NONE).map(|made| made.text)
}

/// The text for an event, and what the template put aside.
pub fn render_with(template: &Found, event: &Value, extras: &Extras) -> Result<Made, Wrong> {
    let calls = Calls::default();
    let mut environment = environment();
    calls.add(&mut environment, extras);
    let wrong = |error: Error| explain(template, &error);
    let compiled = environment.template_from_named_str(&template.name, &template.text).map_err(wrong)?;
    let mut text = Bounded::default();
    compiled.render_captured_to(event_value(event), &mut text).map_err(|error| {
        if text.is_full {
            Wrong {
                place: template.place(),
                line: None,
                what: format!("it makes more than {MOST_TEXT} bytes"),
            }
        } else {
            let known = |name: &String| event.get(name).is_some() || is_builtin(&environment, name);
            let missing = compiled.undeclared_variables(false).into_iter().filter(|name| !known(name)).min();
            match missing.filter(|_| error.kind() == ErrorKind::UndefinedError) {
                Some(name) => Wrong {
                    place: template.place(),
                    line: error.line(),
                    what: format!("a name in it does not exist in this event: `{name}`"),
                },
                None => explain(template, &error),
            }
        }
    })?;
    let text = String::from_utf8(text.bytes).map_err(|_| Wrong {
        place: template.place(),
        line: None,
        what: "it does not make text".to_owned(),
    })?;
    Ok(Made { text, calls: calls.into_made() })
}

/// Whether the template can be read.
pub fn check_syntax(template: &Found) -> Result<(), Wrong> {
    let environment = environment();
    let compiled = environment.template_from_named_str(&template.name, &template.text);
    compiled.map(|_| ()).map_err(|error| explain(template, &error))
}

/// Whether the template can be read, and which names it uses that an event of this kind does not have.
pub fn check(template: &Found, names: &[&str]) -> Result<(), Wrong> {
    check_with(template, names, &Extras::NONE)
}

/// As [`check`], for templates that may use more.
pub fn check_with(template: &Found, names: &[&str], extras: &Extras) -> Result<(), Wrong> {
    let mut environment = environment();
    Calls::default().add(&mut environment, extras);
    let compiled = environment
        .template_from_named_str(&template.name, &template.text)
        .map_err(|error| explain(template, &error))?;
    let mut unknown: Vec<String> = compiled
        .undeclared_variables(false)
        .into_iter()
        .filter(|name| !names.contains(&name.as_str()) && !is_builtin(&environment, name))
        .collect();
    unknown.sort();
    let Some(first) = unknown.first() else { return Ok(()) };
    let line = template.text.lines().position(|line| line.contains(first.as_str())).map(|at| at + 1);
    let what = format!("there is no `{first}` in such an event; there are {}", names.join(", "));
    Err(Wrong { place: template.place(), line, what })
}

fn is_builtin(environment: &Environment<'_>, name: &str) -> bool {
    name == "loop" || environment.globals().any(|(global, _)| global == name)
}

fn event_value(event: &Value) -> minijinja::Value {
    minijinja::value::Serde(event).into()
}

fn environment() -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_fuel(Some(FUEL));
    environment.set_recursion_limit(DEPTH);
    // What is made is text for a terminal or a message, whatever the template is called.
    environment.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
    filters::add(&mut environment);
    environment
}

fn explain(template: &Found, error: &Error) -> Wrong {
    let detail = error.detail().unwrap_or_default();
    let what = match error.kind() {
        ErrorKind::SyntaxError => format!("it cannot be read: {detail}"),
        ErrorKind::UndefinedError if detail.is_empty() => {
            "a name in it does not exist in this event".to_owned()
        }
        ErrorKind::UndefinedError => format!("a name in it does not exist in this event: {detail}"),
        ErrorKind::OutOfFuel => "it does too much; is there a loop in a loop?".to_owned(),
        ErrorKind::UnknownFilter => format!("there is no such filter: {detail}"),
        ErrorKind::UnknownFunction => format!("there is no such function: {detail}"),
        kind if detail.is_empty() => kind.to_string(),
        _ => detail.to_owned(),
    };
    Wrong { place: template.place(), line: error.line(), what }
}

/// Takes no more than a text may be long.
#[derive(Default)]
struct Bounded {
    bytes: Vec<u8>,
    is_full: bool,
}

impl io::Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.bytes.len() + bytes.len() > MOST_TEXT {
            self.is_full = true;
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
