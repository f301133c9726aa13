//! What a tool call does, read from the tool's name and input by a table of tools per CLI.
//!
//! A tool that is not in the table, and a tool in the table whose input does not look as the table says, is one that
//! nobody here has heard of: all that could be a path or a command in its input is gathered instead (see
//! [`crate::unheard`]). So a CLI that renames an argument makes the rules stricter, not blind.

use std::borrow::Cow;

use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use signalbox_core::call::Action;

use crate::hook::WireError;
use crate::patch;
use crate::payload::Field;
use crate::piece::Piece;
use crate::quote::shell_quoted;
use crate::unheard;

/// A row of a CLI's table of tools.
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    pub(crate) does: Does,
}

/// What a tool does, and under which keys of its input that is to be found. Of several keys for one thing, the
/// first that is there counts, except for paths, where all count.
pub(crate) enum Does {
    /// `within` names the folder the command is run in, where the tool takes one.
    Shell {
        command: Keys,
        within: Keys,
    },
    Write {
        paths: Keys,
        text: Keys,
    },
    /// The text is a patch that names its files.
    Patch {
        text: Keys,
    },
    Read {
        paths: Keys,
    },
    Fetch {
        url: Keys,
    },
    /// `unseen` where the other agent's calls run no hooks.
    Delegate {
        prompt: Keys,
        unseen: bool,
    },
    Inward,
    /// Known by name, yet judged by whatever its input shows.
    Unheard,
    /// A tool that does one thing or another, by what its input says.
    Special(fn(Input<'_>) -> Result<Option<Action>, WireError>),
}

type Keys = &'static [&'static str];

pub(crate) const fn inward(name: &'static str) -> Tool {
    Tool { name, does: Does::Inward }
}

pub(crate) const fn shell(name: &'static str, command: Keys) -> Tool {
    Tool { name, does: Does::Shell { command, within: &[] } }
}

pub(crate) const fn reads(name: &'static str, paths: Keys) -> Tool {
    Tool { name, does: Does::Read { paths } }
}

pub(crate) const fn writes(name: &'static str, paths: Keys, text: Keys) -> Tool {
    Tool { name, does: Does::Write { paths, text } }
}

pub(crate) const fn fetches(name: &'static str, url: Keys) -> Tool {
    Tool { name, does: Does::Fetch { url } }
}

pub(crate) const fn delegates(name: &'static str, prompt: Keys) -> Tool {
    Tool { name, does: Does::Delegate { prompt, unseen: false } }
}

pub(crate) const fn delegates_unseen(name: &'static str, prompt: Keys) -> Tool {
    Tool { name, does: Does::Delegate { prompt, unseen: true } }
}

/// A tool's input as it came.
#[derive(Clone, Copy)]
pub(crate) struct Input<'a>(pub(crate) &'a RawValue);

/// What a call of the tool `name` with this input does.
pub(crate) fn action(name: &str, input: Field<'_>, tools: &[Tool]) -> Result<Action, WireError> {
    let Some(tool) = tools.iter().find(|tool| tool.name == name) else {
        return input.map_or_else(|| Ok(nothing_seen()), unheard::gather);
    };
    let Some(raw) = input else {
        return match tool.does {
            Does::Inward => Ok(Action::Inward),
            Does::Read { .. } => Ok(Action::Read { paths: Vec::new() }),
            _ => Err(WireError::Missing("tool_input")),
        };
    };
    // Some CLIs hand the input over as a string that holds JSON.
    let unwrapped = unwrapped(raw);
    let raw = unwrapped.as_deref().unwrap_or(raw);
    match Input(raw).as_the_table_says(&tool.does)? {
        Some(action) => Ok(action),
        None => match (unheard::gather(raw)?, &tool.does) {
            // A shell whose command cannot be found must not pass for a tool that does nothing.
            (Action::Unheard { commands, .. }, Does::Shell { .. }) if commands.is_empty() => {
                Err(WireError::Missing("command"))
            }
            (_, Does::Delegate { unseen: true, .. }) => {
                Ok(Action::Delegate { prompt: String::new(), unseen: true })
            }
            (gathered, _) => Ok(gathered),
        },
    }
}

fn nothing_seen() -> Action {
    Action::Unheard { paths: Vec::new(), commands: Vec::new() }
}

fn unwrapped(raw: &RawValue) -> Option<Box<RawValue>> {
    if !raw.get().starts_with('"') {
        return None;
    }
    let inner: String = serde_json::from_str(raw.get()).ok()?;
    if !inner.trim_start().starts_with('{') {
        return None;
    }
    RawValue::from_string(inner).ok()
}

impl<'a> Input<'a> {
    fn as_the_table_says(self, does: &Does) -> Result<Option<Action>, WireError> {
        Ok(match *does {
            Does::Shell { command, within } => {
                let within = if within.is_empty() { None } else { self.first(within)? };
                self.first(command)?.map(|command| run(command, within.as_deref()))
            }
            Does::Write { paths, text } => self.written(paths, text)?,
            Does::Patch { text } => self.first(text)?.and_then(patch::written),
            Does::Read { paths } => Some(Action::Read { paths: self.every(paths)? }),
            Does::Fetch { url } => self.first(url)?.map(|url| Action::Fetch { url }),
            Does::Delegate { prompt, unseen } => {
                self.first(prompt)?.map(|prompt| Action::Delegate { prompt, unseen })
            }
            Does::Inward => Some(Action::Inward),
            Does::Unheard => None,
            Does::Special(read) => read(self)?,
        })
    }

    /// The values at the top of the input under these keys, in the order of `keys`.
    fn pick(self, keys: &[&'static str]) -> Result<Vec<Option<Piece<'a>>>, WireError> {
        if !self.0.get().starts_with('{') {
            return Ok(keys.iter().map(|_| None).collect());
        }
        let mut reader = serde_json::Deserializer::from_str(self.0.get());
        Ok(reader.deserialize_map(Pick { keys })?)
    }

    /// The first of these keys that holds a string.
    pub(crate) fn first(self, keys: &[&'static str]) -> Result<Option<String>, WireError> {
        Ok(self.pick(keys)?.into_iter().flatten().find_map(|piece| match piece {
            Piece::Text(text) => Some(text.into_owned()),
            _ => None,
        }))
    }

    /// Every string, also in lists, under these keys.
    pub(crate) fn every(self, keys: &[&'static str]) -> Result<Vec<String>, WireError> {
        let mut all = Vec::new();
        self.pick(keys)?.into_iter().flatten().for_each(|piece| piece.paths(&mut all));
        Ok(all)
    }

    /// Paths and what is written to them, in one go: the text may be large.
    fn written(self, paths: Keys, text: Keys) -> Result<Option<Action>, WireError> {
        let (mut found, mut whole) = (Vec::new(), String::new());
        for (at, piece) in self.pick(&[paths, text].concat())?.into_iter().enumerate() {
            match piece {
                Some(piece) if at < paths.len() => piece.paths(&mut found),
                Some(piece) => piece.texts(&mut whole),
                None => {}
            }
        }
        Ok((!found.is_empty()).then_some(Action::Write { paths: found, text: whole }))
    }
}

/// How an edit in a list of edits calls the text it puts in.
const NEW_TEXT: &[&str] = &["new_string", "new_str", "newText", "content", "text"];

impl Piece<'_> {
    fn paths(self, all: &mut Vec<String>) {
        match self {
            Self::Text(path) if !path.is_empty() => all.push(path.into_owned()),
            Self::List(items) => items.into_iter().for_each(|item| item.paths(all)),
            _ => {}
        }
    }

    /// The texts in it, one after the other; of an edit, the new text.
    fn texts(self, whole: &mut String) {
        match self {
            Self::Text(text) if whole.is_empty() => *whole = text.into_owned(),
            Self::Text(text) => {
                whole.push('\n');
                whole.push_str(&text);
            }
            Self::List(items) => items.into_iter().for_each(|item| item.texts(whole)),
            Self::Object(members) => {
                let new = members.into_iter().filter(|(key, _)| NEW_TEXT.contains(&key.as_ref()));
                new.for_each(|(_, piece)| piece.texts(whole));
            }
            Self::Other => {}
        }
    }
}

/// A command run elsewhere is, for whoever judges it, one that goes there first.
fn run(command: String, within: Option<&str>) -> Action {
    let command = match within {
        Some(folder) if !folder.is_empty() => format!("cd {}\n{command}", shell_quoted(folder)),
        _ => command,
    };
    Action::Shell { command }
}

/// A pattern may name a folder of its own, and then that is where is looked.
pub(crate) fn glob(input: Input<'_>) -> Result<Option<Action>, WireError> {
    let mut paths = input.every(&["path", "paths", "dir_path"])?;
    let pattern = input.first(&["pattern"])?.unwrap_or_default();
    if pattern.starts_with(['/', '~']) || pattern.split('/').any(|step| step == "..") {
        paths.push(pattern);
    }
    Ok(Some(Action::Read { paths }))
}

/// An editor with several commands in one tool: `view` looks, and every other writes.
pub(crate) fn editor(input: Input<'_>) -> Result<Option<Action>, WireError> {
    const PATHS: Keys = &["path", "file_path"];
    if input.first(&["command"])?.as_deref() == Some("view") {
        return Ok(Some(Action::Read { paths: input.every(PATHS)? }));
    }
    input.written(PATHS, &["file_text", "new_str", "new_string", "insert_text", "diff"])
}

struct Pick<'k> {
    keys: &'k [&'static str],
}

impl<'a> Visitor<'a> for Pick<'_> {
    type Value = Vec<Option<Piece<'a>>>;

    fn expecting(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("an object")
    }

    fn visit_map<M: MapAccess<'a>>(self, mut map: M) -> Result<Self::Value, M::Error> {
        let mut found: Self::Value = self.keys.iter().map(|_| None).collect();
        while let Some(key) = map.next_key::<Cow<'a, str>>()? {
            let place = self.keys.iter().position(|wanted| *wanted == key);
            match place.and_then(|at| found.get_mut(at)) {
                // Readers disagree about which of two equal keys counts, so the call is not understood.
                Some(Some(_)) => {
                    return Err(serde::de::Error::custom(format_args!("`{key}` appears twice")));
                }
                Some(slot) => *slot = Some(map.next_value()?),
                None => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(found)
    }
}
