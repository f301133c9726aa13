//! Claude Code's status line. There can be only one, so ours is put in only where there is none, and the caller says
//! so where there is another. It is put in after the hooks and taken out before them: then the settings are, byte for
//! byte, what they were.

use serde_json::{Value, json};

use crate::install::{InstallError, Style, add, add_first, remove, remove_last, root};
use crate::quote::{always_quoted, words};

/// The settings with our status line. Settings that have one, ours or another's, stay as they are; ours is renewed
/// only where the program has moved.
pub fn install_status_line(existing: Option<&str>, sb: &str) -> Result<String, InstallError> {
    let line = format!("{} statusline", always_quoted(sb));
    let piece = format!("\"statusLine\": {{\"type\": \"command\", \"command\": {}}}", json!(line));
    let Some(existing) = existing else {
        return Ok(format!("{{\n  {piece}\n}}\n"));
    };
    let without = match find(existing)? {
        Some(Line::Theirs(_)) => return Ok(existing.to_owned()),
        Some(Line::Ours(program)) if program == sb => return Ok(existing.to_owned()),
        Some(Line::Ours(_)) => uninstall_status_line(existing)?,
        None => existing.to_owned(),
    };
    let Some(top) = root(&without)? else {
        return Ok(format!("{{\n  {piece}\n}}\n"));
    };
    let style = Style::of(&without, &top);
    Ok(if top.entries().is_empty() {
        add_first(&without, &top, &piece, &style)
    } else {
        add(&without, &top, &[piece], &style, 1)
    })
}

/// The settings without our status line; another's stays.
pub fn uninstall_status_line(existing: &str) -> Result<String, InstallError> {
    let (Some(Line::Ours(_)), Some(top)) = (find(existing)?, root(existing)?) else {
        return Ok(existing.to_owned());
    };
    let place = top.entries().iter().position(|entry| entry.key == "statusLine").unwrap_or_default();
    Ok(if top.entries().len() > 1 { remove(existing, &top, place) } else { remove_last(existing, &top) })
}

/// The command of a status line that is not ours, for the caller to chain or to mention.
pub fn other_status_line(existing: &str) -> Result<Option<String>, InstallError> {
    Ok(match find(existing)? {
        Some(Line::Theirs(command)) => Some(command),
        Some(Line::Ours(_)) | None => None,
    })
}

enum Line {
    Ours(String),
    Theirs(String),
}

fn find(text: &str) -> Result<Option<Line>, InstallError> {
    let Some(line) =
        root(text)?.as_ref().and_then(|top| top.member("statusLine")).map(crate::install::Node::to_value)
    else {
        return Ok(None);
    };
    let command = line.get("command").and_then(Value::as_str).unwrap_or_default();
    let words = words(command);
    Ok(Some(match words.as_slice() {
        [program, verb, ..] if program.rsplit('/').next() == Some("sb") && verb == "statusline" => {
            Line::Ours(program.clone())
        }
        _ => Line::Theirs(command.to_owned()),
    }))
}
