//! What can be seen of a call to a tool that nobody here has heard of: every text in its input that could be a path,
//! and every one that could be a command.
//!
//! Nothing is built but the two lists. They are bounded by the payload's own size, and the depth by the JSON reader,
//! which refuses what is nested deeper than it: a bound that silently stopped looking would be a hiding place.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use signalbox_core::call::Action;

use crate::hook::WireError;
use crate::quote::shell_quoted;

/// All that could be a path or a command in this input.
pub(crate) fn gather(raw: &RawValue) -> Result<Action, WireError> {
    let mut seen = Seen::default();
    let mut reader = serde_json::Deserializer::from_str(raw.get());
    Walk { under: Key::Plain, seen: &mut seen }.deserialize(&mut reader)?;
    Ok(Action::Unheard { paths: seen.paths, commands: seen.commands })
}

#[derive(Default)]
struct Seen {
    paths: Vec<String>,
    commands: Vec<String>,
}

/// What the name of a key lets one expect below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Key {
    Path,
    Command,
    Arguments,
    Plain,
}

/// How keys for paths end, without case and separators: `filePath`, `notebook_path` and `target-file` are three.
const PATH_ENDINGS: &[&str] = &[
    "path",
    "paths",
    "file",
    "files",
    "filename",
    "filenames",
    "dir",
    "dirs",
    "directory",
    "directories",
    "folder",
    "folders",
    "target",
    "targets",
    "dest",
    "destination",
    "source",
    "sources",
    "src",
    "uri",
    "uris",
    "root",
    "roots",
    "cwd",
    "workspace",
    "worktree",
    "location",
    "repo",
    "from",
    "to",
    "glob",
    "output",
];

const COMMAND_KEYS: &[&str] = &[
    "command",
    "commands",
    "cmd",
    "cmds",
    "commandline",
    "script",
    "scripts",
    "shell",
    "code",
    "bash",
    "exec",
    "run",
    "program",
    "executable",
    "chars",
];

const ARGUMENT_KEYS: &[&str] = &["args", "argv", "arguments"];

impl Key {
    fn of(name: &str) -> Self {
        let plain: String =
            name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect();
        if COMMAND_KEYS.contains(&plain.as_str()) {
            Self::Command
        } else if ARGUMENT_KEYS.contains(&plain.as_str()) {
            Self::Arguments
        } else if PATH_ENDINGS.iter().any(|ending| ends_with_word(name, &plain, ending)) {
            Self::Path
        } else {
            Self::Plain
        }
    }
}

/// Whether the key ends with the word itself, not with a longer word that happens to end so (`photo` is no `to`).
fn ends_with_word(name: &str, plain: &str, word: &str) -> bool {
    let Some(before) = plain.strip_suffix(word) else {
        return false;
    };
    if before.is_empty() || word.len() > 4 {
        return true;
    }
    let letters: Vec<char> =
        name.trim_end_matches(|letter: char| !letter.is_alphanumeric()).chars().collect();
    let Some(start) = letters.len().checked_sub(word.len()) else {
        return false;
    };
    let first = letters.get(start);
    let previous = start.checked_sub(1).and_then(|at| letters.get(at));
    first.is_some_and(|letter| letter.is_uppercase())
        || previous.is_some_and(|letter| !letter.is_alphanumeric())
}

impl Seen {
    fn text(&mut self, text: &str, under: Key) {
        match under {
            Key::Command if !text.trim().is_empty() => self.commands.push(text.to_owned()),
            Key::Path => self.path(text, true),
            Key::Command | Key::Arguments | Key::Plain => {}
        }
        if under != Key::Path {
            self.path(text, false);
        }
    }

    fn path(&mut self, text: &str, expected: bool) {
        let text = text.trim();
        if let Some(path) = as_path(text, expected)
            && !self.paths.iter().any(|known| *known == path)
        {
            self.paths.push(path.into_owned());
        }
    }
}

/// The path that a text is, if it is one. `expected`: the key says that a path comes.
fn as_path(text: &str, expected: bool) -> Option<Cow<'_, str>> {
    if text.is_empty() || text.len() > 4096 || text.contains(['\n', '\0']) {
        return None;
    }
    if let Some(rest) = text.strip_prefix("file://") {
        let local = rest.strip_prefix("localhost").unwrap_or(rest);
        return Some(Cow::Owned(percent_decoded(local)));
    }
    if text.contains("://") || text.starts_with("data:") {
        return None;
    }
    let rooted = ["/", "./", "../", "~"].iter().any(|start| text.starts_with(start));
    let names_a_folder = text.contains('/') && !text.contains(char::is_whitespace);
    (expected || rooted || names_a_folder || text == "..").then_some(Cow::Borrowed(text))
}

fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        let decoded = (*first == b'%')
            .then(|| tail.get(..2))
            .flatten()
            .and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
        match decoded {
            Some(byte) => {
                bytes.push(byte);
                rest = tail.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Goes through a value. What it hands back is the value's own words, for a command in pieces.
struct Walk<'s> {
    under: Key,
    seen: &'s mut Seen,
}

/// The words a value consists of, where it is a string or a list of strings.
type Words = Option<Vec<String>>;

impl<'de> DeserializeSeed<'de> for Walk<'_> {
    type Value = Words;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Words, D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Walk<'_> {
    type Value = Words;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("any JSON")
    }

    fn visit_str<E>(self, text: &str) -> Result<Words, E> {
        self.seen.text(text, self.under);
        let part_of_a_command = matches!(self.under, Key::Command | Key::Arguments);
        Ok(part_of_a_command.then(|| vec![text.to_owned()]))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Words, A::Error> {
        let in_pieces = matches!(self.under, Key::Command | Key::Arguments);
        // The pieces of one command are no commands themselves, yet `commands: [...]` is a list of whole ones; both
        // readings are kept.
        let mut words = Vec::new();
        while let Some(item) = items.next_element_seed(Walk { under: self.under, seen: self.seen })? {
            words.extend(item.into_iter().flatten());
        }
        if in_pieces && words.len() > 1 {
            self.seen.commands.push(as_line(&words));
        }
        Ok(in_pieces.then_some(words))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Words, A::Error> {
        let (mut program, mut arguments) = (None, None);
        while let Some(name) = members.next_key::<Cow<'de, str>>()? {
            // `{"files": {"src/a.rs": "…"}}`: the keys are the paths.
            self.seen.path(&name, self.under == Key::Path);
            let under = Key::of(&name);
            let words = members.next_value_seed(Walk { under, seen: self.seen })?;
            match under {
                Key::Command => program = words,
                Key::Arguments => arguments = words,
                Key::Path | Key::Plain => {}
            }
        }
        match (program, arguments) {
            (Some(mut line), Some(arguments)) if line.len() == 1 && !arguments.is_empty() => {
                line.extend(arguments);
                self.seen.commands.push(as_line(&line));
            }
            (None, Some(arguments)) if arguments.len() == 1 => self.seen.commands.extend(arguments),
            _ => {}
        }
        Ok(None)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Words, E> {
        Ok(None)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Words, E> {
        Ok(None)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Words, E> {
        Ok(None)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Words, E> {
        Ok(None)
    }

    fn visit_unit<E>(self) -> Result<Words, E> {
        Ok(None)
    }
}

/// The pieces of a command as one line, each piece quoted where a shell would read it otherwise.
fn as_line(words: &[String]) -> String {
    words.iter().map(|word| shell_quoted(word)).collect::<Vec<_>>().join(" ")
}
