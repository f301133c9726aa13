//! A server in JSON with comments, below `mcpServers`.

use serde_json::{Value, json};

use super::{NAME, ours};
use crate::install::{
    InstallError, Node, Style, add, add_first, on_one_line, put, remove, remove_last, root, was_empty,
};

const SERVERS: &str = "mcpServers";

pub(super) fn install(entry: &Value, existing: Option<&str>, sb: &str) -> Result<String, InstallError> {
    let Some(text) = existing else {
        // Spread over many lines, which is how a file of our own is known again.
        return Ok(format!("{:#}\n", json!({ SERVERS: { NAME: entry } })));
    };
    let Some(top) = root(text)? else {
        // In front of what is there: behind it could be within a comment.
        let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let block = format!("{{\"{SERVERS}\": {{\n  \"{NAME}\": {}\n}}}}", on_one_line(entry));
        return Ok(put(text, at, &block));
    };
    let style = Style::of(text, &top);
    let member = if style.minified {
        format!("\"{NAME}\":{entry}")
    } else {
        format!("\"{NAME}\": {}", on_one_line(entry))
    };
    match servers(text, &top)? {
        Some(servers) => match servers.member(NAME) {
            Some(known) => renewed(text, known, sb),
            None => Ok(add(text, servers, &[member], &style, 2)),
        },
        None => {
            let (newline, unit) = (style.newline, style.unit);
            let block = if style.minified {
                format!("\"{SERVERS}\":{{{member}}}")
            } else {
                format!("\"{SERVERS}\": {{{newline}{unit}{unit}{member}{newline}{unit}}}")
            };
            Ok(if top.entries().is_empty() {
                add_first(text, &top, &block, &style)
            } else {
                add(text, &top, &[block], &style, 1)
            })
        }
    }
}

/// The text with the path of the program put right, and nothing else.
fn renewed(text: &str, known: &Node, sb: &str) -> Result<String, InstallError> {
    if program_of(known)? == sb {
        return Ok(text.to_owned());
    }
    let Some(command) = known.member("command") else { return Err(InstallError::Taken) };
    let (head, tail) = (text.get(..command.start), text.get(command.end..));
    Ok([head.unwrap_or_default(), &json!(sb).to_string(), tail.unwrap_or_default()].concat())
}

pub(super) fn uninstall(text: &str) -> Result<Option<String>, InstallError> {
    let Some(top) = root(text)? else { return Ok(Some(text.to_owned())) };
    let Some(servers) = servers(text, &top)? else { return Ok(Some(text.to_owned())) };
    let Some(place) = servers.entries().iter().position(|entry| entry.key == NAME) else {
        return Ok(Some(text.to_owned()));
    };
    let entry = servers.entries().get(place);
    if entry.is_none_or(|entry| program_of(&entry.value).is_err()) {
        return Ok(Some(text.to_owned()));
    }
    let is_alone = servers.entries().len() == 1;
    let is_only_thing = is_alone && top.entries().len() == 1;
    let written = entry.and_then(|entry| text.get(entry.start..entry.end())).unwrap_or_default();
    if is_only_thing && written.contains('\n') {
        return Ok(None);
    }
    Ok(Some(if !is_alone || was_empty(text, servers) {
        remove(text, servers, place)
    } else if is_only_thing {
        remove_last(text, &top)
    } else {
        let place = top.entries().iter().position(|entry| entry.key == SERVERS).unwrap_or_default();
        remove(text, &top, place)
    }))
}

pub(super) fn program(text: &str) -> Result<Option<String>, InstallError> {
    let Some(top) = root(text)? else { return Ok(None) };
    servers(text, &top)?.and_then(|servers| servers.member(NAME)).map(program_of).transpose()
}

fn program_of(entry: &Node) -> Result<String, InstallError> {
    let entry = entry.to_value();
    ours(entry["command"].as_str(), entry["args"][0].as_str())
}

fn servers<'r>(text: &str, root: &'r Node) -> Result<Option<&'r Node>, InstallError> {
    match root.member(SERVERS) {
        Some(servers) if !servers.is_object() => {
            let what = format!("`{SERVERS}` should be an object, and is {}", servers.kind());
            Err(InstallError::at(text, servers.start, what))
        }
        servers => Ok(servers),
    }
}
