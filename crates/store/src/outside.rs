//! What people set about the world outside: `[monitors.NAME]`, `[[notifiers]]`, `[privileged]`.
//!
//! Which settings a monitor or notifier has is known to its type, so they are kept as they stand. `${NAME}` in a text is
//! filled in from the environment when the setting is used, and not before: a token that is missing spoils the monitor
//! that needs it, and nothing else.

use serde::Deserialize;
use serde_json::{Map, Value};

/// The settings of one monitor or notifier.
pub type Settings = Map<String, Value>;

/// Types that only people may add, see and remove, besides those that always are.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Privileged {
    pub monitors: Vec<String>,
    pub notifiers: Vec<String>,
}

/// Fill in `${NAME}` everywhere; the error is the name of a variable that is not set.
pub fn filled_in(settings: &Settings, variable: &dyn Fn(&str) -> Option<String>) -> Result<Settings, String> {
    settings.iter().map(|(key, value)| Ok((key.clone(), value_filled_in(value, variable)?))).collect()
}

fn value_filled_in(value: &Value, variable: &dyn Fn(&str) -> Option<String>) -> Result<Value, String> {
    Ok(match value {
        Value::String(text) => Value::String(text_filled_in(text, variable)?),
        Value::Array(list) => {
            Value::Array(list.iter().map(|item| value_filled_in(item, variable)).collect::<Result<_, _>>()?)
        }
        Value::Object(map) => Value::Object(filled_in(map, variable)?),
        other => other.clone(),
    })
}

fn text_filled_in(text: &str, variable: &dyn Fn(&str) -> Option<String>) -> Result<String, String> {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        let name = after.split_once('}').filter(|(name, _)| is_variable(name));
        // `$${NAME}` means `${NAME}`, and what is no name of a variable is the shell's business.
        let escaped = before.strip_suffix('$');
        match name.filter(|_| escaped.is_none()) {
            Some((name, after)) => {
                filled.push_str(before);
                filled.push_str(&variable(name).ok_or_else(|| name.to_owned())?);
                rest = after;
            }
            None => {
                filled.push_str(escaped.unwrap_or(before));
                filled.push_str("${");
                rest = after;
            }
        }
    }
    filled.push_str(rest);
    Ok(filled)
}

fn is_variable(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Whether any text in it names a variable.
pub fn names_variables(settings: &Settings) -> bool {
    filled_in(settings, &|_| None).is_err()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn fill(value: Value) -> Result<Value, String> {
        let Value::Object(settings) = value else { return Err("no settings".to_owned()) };
        let variable = |name: &str| (name == "TOKEN").then(|| "s3cret".to_owned());
        filled_in(&settings, &variable).map(Value::Object)
    }

    #[test]
    fn variables_are_filled_in_at_every_depth() {
        let given =
            json!({ "token": "${TOKEN}", "headers": { "x": ["a ${TOKEN} b", 1] }, "open": "${TOKEN" });
        let filled = json!({ "token": "s3cret", "headers": { "x": ["a s3cret b", 1] }, "open": "${TOKEN" });
        assert_eq!(fill(given), Ok(filled));
    }

    #[test]
    fn what_the_shell_fills_in_is_left_to_it() {
        let given = json!({ "a": "echo $${f} ${HOME%/x} ${} ${" });
        assert_eq!(fill(given), Ok(json!({ "a": "echo ${f} ${HOME%/x} ${} ${" })));
    }

    #[test]
    fn a_variable_that_is_not_set_is_named() {
        assert_eq!(fill(json!({ "a": "${NOT_SET}" })), Err("NOT_SET".to_owned()));
    }
}
