//! The settings of one monitor, goal or notifier, and which there are for its type.

use serde_json::{Map, Value};
use signalbox_core::nearest;

/// The settings of one instance, as they stand in the configuration or were given at run time.
pub type Settings = Map<String, Value>;

/// A setting that a type knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key {
    pub name: &'static str,
    pub required: bool,
    pub about: &'static str,
    /// It is never shown.
    pub secret: bool,
    /// Only a person may set it: with it, an agent could make us send something where it should not go.
    pub guarded: bool,
}

impl Key {
    pub const fn required(name: &'static str, about: &'static str) -> Self {
        Self { name, required: true, about, secret: false, guarded: false }
    }

    pub const fn optional(name: &'static str, about: &'static str) -> Self {
        Self { name, required: false, about, secret: false, guarded: false }
    }

    /// An optional one that only a person may set.
    pub const fn guarded(name: &'static str, about: &'static str) -> Self {
        Self { name, required: false, about, secret: false, guarded: true }
    }

    pub const fn secret(name: &'static str, about: &'static str) -> Self {
        Self { name, required: false, about, secret: true, guarded: false }
    }
}

/// What is wrong with settings, as a sentence that names the setting and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadSettings(pub String);

/// Settings that are times, whatever the type.
const TIMES: &[&str] = &["every", "timeout", "ttl"];

/// The longest time that can be set, in seconds: 31 days.
pub const LONGEST: u64 = 31 * 24 * 60 * 60;

/// Whether all that is required is there, and nothing that the type does not know. `common` are known to every type.
pub fn check(kind: &str, keys: &[Key], common: &[Key], settings: &Settings) -> Result<(), BadSettings> {
    for key in keys.iter().filter(|key| key.required) {
        if settings.get(key.name).is_none_or(Value::is_null) {
            return Err(BadSettings(format!("`{kind}` needs `{}`: {}", key.name, key.about)));
        }
    }
    for name in TIMES {
        seconds(settings, name)?;
    }
    let known = || keys.iter().chain(common).map(|key| key.name);
    for name in settings.keys() {
        if !known().any(|key| key == name) {
            let meant = nearest(name, known());
            let meant = meant.map(|near| format!(", did you mean `{near}`?")).unwrap_or_default();
            return Err(BadSettings(format!("`{kind}` has no setting `{name}`{meant}")));
        }
    }
    Ok(())
}

/// A text setting.
pub fn text<'a>(settings: &'a Settings, name: &str) -> Result<Option<&'a str>, BadSettings> {
    match settings.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(other) => Err(BadSettings(format!("`{name}` has to be text, and {other} is none"))),
    }
}

/// A switch.
pub fn switch(settings: &Settings, name: &str) -> Result<bool, BadSettings> {
    match settings.get(name) {
        None | Some(Value::Null) => Ok(false),
        Some(Value::Bool(on)) => Ok(*on),
        Some(other) => Err(BadSettings(format!("`{name}` has to be true or false, and {other} is neither"))),
    }
}

/// A number of seconds, at least one and at most [`LONGEST`].
pub fn seconds(settings: &Settings, name: &str) -> Result<Option<u64>, BadSettings> {
    match settings.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => match value.as_u64() {
            Some(seconds @ 1..=LONGEST) => Ok(Some(seconds)),
            _ => Err(BadSettings(format!(
                "`{name}` has to be a whole number of seconds between 1 and {LONGEST}, and {value} is none"
            ))),
        },
    }
}

/// Several texts, or one.
pub fn texts(settings: &Settings, name: &str) -> Result<Vec<String>, BadSettings> {
    let wrong =
        |value: &Value| BadSettings(format!("`{name}` has to be a list of texts, and {value} is none"));
    match settings.get(name) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::String(text)) => Ok(vec![text.clone()]),
        Some(Value::Array(list)) => {
            list.iter().map(|item| item.as_str().map(ToOwned::to_owned).ok_or_else(|| wrong(item))).collect()
        }
        Some(other) => Err(wrong(other)),
    }
}

/// A whole number between these.
pub fn number(
    settings: &Settings,
    name: &str,
    between: std::ops::RangeInclusive<u64>,
) -> Result<Option<u64>, BadSettings> {
    match settings.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => match value.as_u64().filter(|number| between.contains(number)) {
            Some(number) => Ok(Some(number)),
            None => {
                let (least, most) = (between.start(), between.end());
                let what =
                    format!("`{name}` has to be a whole number from {least} to {most}, and {value} is none");
                Err(BadSettings(what))
            }
        },
    }
}
