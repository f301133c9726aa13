//! `KEY=VALUE` on the command line, for settings of monitors, notifiers and goals.

use serde_json::{Map, Value};

use signalbox_desk::error::CommandError;

/// Settings that are text whatever they look like: `command=true` runs `true`.
const TEXTS: &[&str] = &[
    "command",
    "run",
    "repo",
    "branch",
    "fork",
    "token",
    "directory",
    "channel",
    "name",
    "ticket",
    "secret",
];

/// Settings from words. A value that is JSON (a number, `true`, a list) is that; anything else is text.
pub fn parse(words: &[String]) -> Result<Map<String, Value>, CommandError> {
    let mut settings = Map::new();
    for word in words {
        let Some((key, value)) = word.split_once('=').filter(|(key, _)| !key.trim().is_empty()) else {
            return Err(CommandError::usage("settings.pair", format!("`{word}` is no setting"))
                .hint("Settings are written `KEY=VALUE`, as in `command=\"make check\"` or `every=30`."));
        };
        let plain = |value: &Value| value.is_boolean() || value.is_number();
        let is_text = |value: &Value| {
            value.is_string() || value.is_null() || TEXTS.contains(&key.trim()) && plain(value)
        };
        let parsed = serde_json::from_str::<Value>(value).ok().filter(|value| !is_text(value));
        settings.insert(key.trim().to_owned(), parsed.unwrap_or_else(|| Value::String(value.to_owned())));
    }
    Ok(settings)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_json_where_they_look_like_it_and_text_elsewhere() {
        let words = ["command=true", "branch=2026", "run=[\"x\"]"].map(ToOwned::to_owned);
        let wanted = json!({ "command": "true", "branch": "2026", "run": ["x"] });
        assert_eq!(parse(&words).map(Value::Object).ok(), Some(wanted));
        let words = ["a=1", "b=true", "c=x=y", "d=[\"p\"]", "e=", "f=\"q\"", "g=null"].map(ToOwned::to_owned);
        let wanted = json!({ "a": 1, "b": true, "c": "x=y", "d": ["p"], "e": "", "f": "\"q\"", "g": "null" });
        assert_eq!(parse(&words).map(Value::Object).ok(), Some(wanted));
        assert!(parse(&["word".to_owned()]).is_err());
        assert!(parse(&["=x".to_owned()]).is_err());
    }
}
