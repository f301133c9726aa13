//! A command's output, made fit for a model: rows instead of whole objects, and never more than it can take in.

use serde_json::{Value, json};

/// The most that is handed to the model, in bytes: some ten thousand tokens. Clients cut off what is longer, or fail.
const MOST: usize = 40_000;

/// What of an output is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    /// All of it; of an object what is not empty.
    Whole,
    /// Of an object these fields.
    Row(&'static [&'static str]),
    /// Of a list a row each.
    Rows { keys: &'static [&'static str], none: &'static str },
    /// The first lines.
    Lines,
}

impl Shown {
    /// The text for the model.
    pub fn of(self, output: &str, limit: usize) -> String {
        let text = match (self, serde_json::from_str(output)) {
            (Self::Whole, Ok(Value::Object(fields))) => row(&Value::Object(fields), None),
            (Self::Row(keys), Ok(Value::Object(fields))) => row(&Value::Object(fields), Some(keys)),
            (Self::Rows { none, .. }, Ok(Value::Array(list))) if list.is_empty() => none.to_owned(),
            (Self::Rows { keys, .. }, Ok(Value::Array(list))) => {
                first(list.iter().map(|one| row(one, Some(keys))), limit)
            }
            (Self::Lines, _) => first(output.lines().map(ToOwned::to_owned), limit),
            _ => output.to_owned(),
        };
        cut(text)
    }
}

/// The fields that say something, of those that are wanted, in their own order.
fn row(object: &Value, keys: Option<&[&str]>) -> String {
    let Some(fields) = object.as_object() else { return object.to_string() };
    let says = |value: &Value| !value.is_null() && *value != json!([]) && *value != json!({});
    let kept: serde_json::Map<String, Value> = match keys {
        None => fields
            .iter()
            .filter(|(_, value)| says(value))
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect(),
        Some(keys) => keys
            .iter()
            .filter_map(|key| {
                Some(((*key).to_owned(), fields.get(*key).filter(|value| says(value))?.clone()))
            })
            .collect(),
    };
    Value::Object(kept).to_string()
}

fn first(lines: impl Iterator<Item = String>, limit: usize) -> String {
    let all: Vec<String> = lines.collect();
    let more = all.len().saturating_sub(limit);
    let mut text = all.into_iter().take(limit).collect::<Vec<_>>().join("\n");
    if more > 0 {
        text.push_str(&format!("\n… and {more} more"));
    }
    text
}

/// The beginning of a text that is too long.
pub fn cut(mut text: String) -> String {
    if text.len() > MOST {
        let whole = text.len();
        text.truncate(text.floor_char_boundary(MOST));
        text.push_str(&format!("\n… cut off: all of it has {whole} bytes"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEYS: Shown = Shown::Rows { keys: &["id", "title", "blocked_by"], none: "No ticket is like that." };

    #[test]
    fn lists_are_short() {
        let list = r#"[{"id":"sb_1","title":"a","rev":3,"blocked_by":[]},{"id":"sb_2"},{"id":"sb_3"}]"#;
        assert_eq!(KEYS.of(list, 2), "{\"id\":\"sb_1\",\"title\":\"a\"}\n{\"id\":\"sb_2\"}\n… and 1 more");
        assert_eq!(KEYS.of("[]", 2), "No ticket is like that.");
        assert_eq!(KEYS.of("no list", 2), "no list");
        assert_eq!(Shown::Lines.of("a\nb\nc\n", 2), "a\nb\n… and 1 more");
    }

    #[test]
    fn objects_show_what_says_something() {
        let object = r#"{"id":"sb_1","hold":null,"tags":[],"title":"a"}"#;
        assert_eq!(Shown::Whole.of(object, 50), r#"{"id":"sb_1","title":"a"}"#);
        assert_eq!(Shown::Row(&["title"]).of(object, 50), r#"{"title":"a"}"#);
        assert_eq!(Shown::Whole.of("words\n", 50), "words\n");
    }

    #[test]
    fn what_is_too_long_is_cut() {
        let long = cut("ü".repeat(MOST));
        assert!(long.len() < MOST + 100, "{}", long.len());
        assert!(long.ends_with("cut off: all of it has 80000 bytes"));
    }
}
