//! A server in TOML, as a table of its own below `mcp_servers`.

use toml_edit::{Array, Document, DocumentMut, Item, TableLike, Value};

use super::{ARGUMENTS, NAME, behind, ours, without};
use crate::install::InstallError;

const SERVERS: &str = "mcp_servers";

pub(super) fn install(variables: &[&str], existing: Option<&str>, sb: &str) -> Result<String, InstallError> {
    let block = block(variables, sb);
    let Some(text) = existing else { return Ok(block) };
    let document = read(text)?;
    let Some(entry) = entry(text, &document)? else {
        let after = behind(text, &block);
        // A table in one line, or one that was closed otherwise, takes no more.
        let fits = read(&after).is_ok_and(|now| entry_program(&now, &after).is_ok_and(|now| now.is_some()));
        let at = document.get(SERVERS).and_then(Item::span).map_or(0, |span| span.start);
        let what = format!("nothing can be added to `{SERVERS}` here: write it as `[{SERVERS}.NAME]`");
        return if fits { Ok(after) } else { Err(InstallError::at(text, at, what)) };
    };
    if program_of(entry)? == sb {
        return Ok(text.to_owned());
    }
    let span = entry.get("command").and_then(Item::span).unwrap_or_default();
    let (head, tail) = (text.get(..span.start), text.get(span.end..));
    Ok([head.unwrap_or_default(), &Value::from(sb).to_string(), tail.unwrap_or_default()].concat())
}

pub(super) fn uninstall(text: &str) -> Result<Option<String>, InstallError> {
    let document = read(text)?;
    let Some(known) = entry(text, &document)? else { return Ok(Some(text.to_owned())) };
    if program_of(known).is_err() {
        return Ok(Some(text.to_owned()));
    }
    match lines_of(text, &document) {
        Some((from, to)) => Ok(without(text, from, to)),
        // Written in some other way than ours.
        None => Ok(Some(taken_out(text)?)),
    }
}

pub(super) fn program(text: &str) -> Result<Option<String>, InstallError> {
    entry_program(&read(text)?, text)
}

fn entry_program(document: &Document<&str>, text: &str) -> Result<Option<String>, InstallError> {
    entry(text, document)?.map(program_of).transpose()
}

fn block(variables: &[&str], sb: &str) -> String {
    let list = |words: &[&str]| Value::from(words.iter().copied().collect::<Array>());
    let mut block =
        format!("[{SERVERS}.{NAME}]\ncommand = {}\nargs = {}\n", Value::from(sb), list(ARGUMENTS));
    if !variables.is_empty() {
        block += &format!("env_vars = {}\n", list(variables));
    }
    block
}

/// Where the table is, in whole lines: from its head to the last of its values. `None` where it is no such table.
fn lines_of(text: &str, document: &Document<&str>) -> Option<(usize, usize)> {
    let table = document.get(SERVERS)?.get(NAME)?.as_table()?;
    if table.is_dotted() || table.iter().any(|(_, item)| !item.is_value()) {
        return None;
    }
    let head = table.span()?;
    let from = text.get(..head.start)?.rfind('\n').map_or(0, |at| at + 1);
    let last = table.iter().filter_map(|(_, item)| item.span()).map(|span| span.end).max()?;
    let to = text.get(last..)?.find('\n').map_or(text.len(), |at| last + at + 1);
    text.get(from..)?.starts_with('[').then_some((from, to))
}

fn taken_out(text: &str) -> Result<String, InstallError> {
    let mut document: DocumentMut = text.parse().map_err(|wrong| unreadable(text, &wrong))?;
    if let Some(servers) = document.get_mut(SERVERS).and_then(Item::as_table_like_mut) {
        servers.remove(NAME);
    }
    let implied = |item: &Item| item.as_table().is_some_and(|table| table.is_empty() && table.is_implicit());
    if document.get(SERVERS).is_some_and(implied) {
        document.remove(SERVERS);
    }
    Ok(document.to_string())
}

fn read(text: &str) -> Result<Document<&str>, InstallError> {
    Document::parse(text).map_err(|wrong| unreadable(text, &wrong))
}

fn unreadable(text: &str, wrong: &toml_edit::TomlError) -> InstallError {
    let at = wrong.span().map_or(0, |span| span.start);
    InstallError::at(text, at, wrong.message().trim().replace('\n', "; "))
}

/// Our entry, if there is one of that name.
fn entry<'d>(text: &str, document: &'d Document<&str>) -> Result<Option<&'d dyn TableLike>, InstallError> {
    let Some(servers) = document.get(SERVERS) else { return Ok(None) };
    let Some(servers) = servers.as_table_like() else {
        let at = servers.span().map_or(0, |span| span.start);
        return Err(InstallError::at(text, at, format!("`{SERVERS}` is not a table")));
    };
    let Some(entry) = servers.get(NAME) else { return Ok(None) };
    entry.as_table_like().map(Some).ok_or(InstallError::Taken)
}

fn program_of(entry: &dyn TableLike) -> Result<String, InstallError> {
    let first = entry.get("args").and_then(Item::as_array).and_then(|words| words.get(0));
    ours(entry.get("command").and_then(Item::as_str), first.and_then(Value::as_str))
}
