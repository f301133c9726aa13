//! Telling Signalbox's hooks in a settings file from anybody else's.

use serde_json::Value;

use super::jsonc::{Node, Shape};
use super::layout::GUARD;
use crate::quote::words;

/// One of our hooks, and where it is: which event, which entry of its list, which hook of that entry.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    pub(crate) event: usize,
    pub(crate) item: usize,
    /// `None` where the entry is the hook itself.
    pub(crate) hook: Option<usize>,
    /// The event's name in the file.
    pub(crate) wire: String,
    /// The program it runs.
    pub(crate) program: String,
    pub(crate) value: Value,
    /// Whether it is run for everything, not only for what a matcher lets through.
    pub(crate) for_everything: bool,
}

/// Every hook of ours below `hooks`, in the order of the file. What is not shaped like a hook is somebody else's.
pub(crate) fn find(hooks: &Node) -> Vec<Found> {
    let mut found = Vec::new();
    for (event, entry) in hooks.entries().iter().enumerate() {
        for (item, group) in entry.value.entries().iter().enumerate() {
            let mut add = |hook: Option<usize>, node: &Node, for_everything: bool| {
                let value = node.to_value();
                if let Some(program) = program(&value) {
                    let wire = entry.key.clone();
                    found.push(Found { event, item, hook, wire, program, value, for_everything });
                }
            };
            match group.value.member("hooks") {
                Some(inner) => {
                    let for_everything = matches_everything(&group.value);
                    for (hook, entry) in inner.entries().iter().enumerate() {
                        add(Some(hook), &entry.value, for_everything);
                    }
                }
                None => add(None, &group.value, true),
            }
        }
    }
    found
}

fn matches_everything(group: &Node) -> bool {
    match group.member("matcher").map(|matcher| &matcher.shape) {
        None => true,
        Some(Shape::Scalar(Value::String(matcher))) => matches!(matcher.as_str(), "" | "*" | ".*"),
        Some(_) => false,
    }
}

/// What the CLI starts for a hook: the program and its arguments.
pub(crate) fn started(hook: &Value) -> Option<Vec<String>> {
    let line = ["command", "bash"].iter().find_map(|key| hook.get(key)?.as_str())?.to_owned();
    Some(match hook.get("args").and_then(Value::as_array) {
        Some(arguments) => {
            let words = arguments.iter().filter_map(|word| word.as_str().map(ToOwned::to_owned));
            std::iter::once(line).chain(words).collect()
        }
        None => vec!["/bin/sh".to_owned(), "-c".to_owned(), line],
    })
}

/// The program, where this hook runs `sb hook …`: as a program with arguments, or as a line for a shell, in any
/// version that ever was.
pub(crate) fn program(hook: &Value) -> Option<String> {
    let line = ["command", "bash", "powershell"].iter().find_map(|key| hook.get(key)?.as_str())?;
    let (program, first) = match hook.get("args").and_then(Value::as_array) {
        Some(arguments) => {
            let word = |at: usize| arguments.get(at).and_then(Value::as_str);
            match (word(0), word(1), word(2)) {
                // Guarded: a shell starts it.
                (Some("-c"), Some(text), Some(program)) if text.starts_with(GUARD) => {
                    (program.to_owned(), Some("hook".to_owned()))
                }
                (first, ..) => (line.to_owned(), first.map(str::to_owned)),
            }
        }
        None => {
            let line = line.strip_prefix(GUARD).unwrap_or(line);
            let mut words = words(line).into_iter().skip_while(|word| is_assignment(word));
            (words.next()?, words.next())
        }
    };
    let name = program.rsplit(['/', '\\']).next().unwrap_or_default();
    (matches!(name, "sb" | "sb.exe") && first.as_deref() == Some("hook")).then_some(program)
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
    })
}
