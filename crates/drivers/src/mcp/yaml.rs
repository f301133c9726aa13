//! A server in YAML, below `extensions`.
//!
//! The text is changed by whole lines, and only in the layout that people and Goose itself write. What comes of it is
//! read, and must be what was there and our entry, no more and no less; else the person is told what to write.

use serde_json::json;
use yaml_serde::{Mapping, Value};

use super::{ARGUMENTS, NAME, behind, newline, ours, without};
use crate::install::InstallError;

const EXTENSIONS: &str = "extensions";

pub(super) fn install(existing: Option<&str>, sb: &str) -> Result<String, InstallError> {
    let entry = entry("  ", sb);
    let block = format!("{EXTENSIONS}:\n{entry}");
    let Some(text) = existing else { return Ok(block) };
    let before = read(text)?;
    let by_hand = || InstallError::ByHand { piece: block.clone() };
    let Some(extensions) = before.get(EXTENSIONS) else {
        return checked(behind(text, &block), &before, Some(sb)).ok_or_else(by_hand);
    };
    if extensions.get(NAME).is_some() {
        let known = program_of(&before)?.unwrap_or_default();
        return if known == sb {
            Ok(text.to_owned())
        } else {
            renewed(text, sb).and_then(|after| checked(after, &before, Some(sb))).ok_or_else(by_hand)
        };
    }
    added(text, sb).and_then(|after| checked(after, &before, Some(sb))).ok_or_else(by_hand)
}

pub(super) fn uninstall(text: &str) -> Result<Option<String>, InstallError> {
    let before = read(text)?;
    let (true, Ok(Some(_))) = (before.get(EXTENSIONS).is_some(), program_of(&before)) else {
        return Ok(Some(text.to_owned()));
    };
    let by_hand = || InstallError::ByHand { piece: format!("  {NAME}:\n") };
    let (mut from, to) = lines_of(text).ok_or_else(by_hand)?;
    let is_alone = before.get(EXTENSIONS).and_then(Value::as_mapping).is_some_and(|all| all.len() == 1);
    if !is_alone {
        let after = [text.get(..from).unwrap_or_default(), text.get(to..).unwrap_or_default()].concat();
        return checked(after, &before, None).map(Some).ok_or_else(by_hand);
    }
    from = head(text).filter(|(_, end)| *end == from).ok_or_else(by_hand)?.0;
    match without(text, from, to) {
        None => Ok(None),
        Some(after) => checked(after, &before, None).map(Some).ok_or_else(by_hand),
    }
}

pub(super) fn program(text: &str) -> Result<Option<String>, InstallError> {
    program_of(&read(text)?)
}

fn program_of(config: &Value) -> Result<Option<String>, InstallError> {
    let Some(entry) = config.get(EXTENSIONS).and_then(|extensions| extensions.get(NAME)) else {
        return Ok(None);
    };
    let first = entry.get("args").and_then(|words| words.get(0)).and_then(Value::as_str);
    ours(entry.get("cmd").and_then(Value::as_str), first).map(Some)
}

/// Our entry, its name indented by this.
fn entry(indent: &str, sb: &str) -> String {
    let lines = [
        "enabled: true".to_owned(),
        "type: stdio".to_owned(),
        format!("name: {NAME}"),
        "description: Signalbox's tickets".to_owned(),
        format!("cmd: {}", json!(sb)),
        format!("args: {}", json!(ARGUMENTS)),
        "timeout: 300".to_owned(),
    ];
    let lines = lines.iter().map(|line| format!("{indent}  {line}\n"));
    format!("{indent}{NAME}:\n{}", lines.collect::<String>())
}

/// The text with our entry as the first.
fn added(text: &str, sb: &str) -> Option<String> {
    let (_, end) = head(text)?;
    let (before, after) = text.split_at_checked(end)?;
    let first = after.lines().find(|line| is_content(line))?;
    let entry = entry(indent(first), sb).replace('\n', newline(text));
    before.ends_with('\n').then(|| format!("{before}{entry}{after}"))
}

/// The text with another program in our entry.
fn renewed(text: &str, sb: &str) -> Option<String> {
    let (from, to) = lines_of(text)?;
    let lines =
        text.get(from..to)?.split_inclusive('\n').map(|line| match line.trim_start().strip_prefix("cmd:") {
            None => line.to_owned(),
            Some(_) => {
                let end = line.trim_end().len();
                format!("{}cmd: {}{}", indent(line), json!(sb), line.get(end..).unwrap_or_default())
            }
        });
    Some([text.get(..from)?, &lines.collect::<String>(), text.get(to..)?].concat())
}

/// The line of `extensions:`, from its first byte to the first of the next line.
fn head(text: &str) -> Option<(usize, usize)> {
    lines(text)
        .find(|(_, line)| {
            let rest = line.strip_prefix(EXTENSIONS).and_then(|rest| rest.strip_prefix(':'));
            rest.is_some_and(|rest| !is_content(rest))
        })
        .map(|(at, line)| (at, at + line.len()))
}

/// Our entry, from its name to the last line that is indented deeper.
fn lines_of(text: &str) -> Option<(usize, usize)> {
    let (_, end) = head(text)?;
    let depth = indent(text.get(end..)?.lines().find(|line| is_content(line))?).len();
    let mut inside = lines(text).skip_while(|(at, _)| *at < end);
    let is_ours = |line: &str| {
        indent(line).len() == depth && line.trim().strip_prefix(NAME).is_some_and(|rest| rest.trim() == ":")
    };
    let (from, name) = inside
        .by_ref()
        .take_while(|(_, line)| !indent(line).is_empty() || !is_content(line))
        .find(|(_, line)| is_ours(line))?;
    let deeper = inside.take_while(|(_, line)| is_content(line) && indent(line).len() > depth);
    let to = deeper.last().map_or(from + name.len(), |(at, line)| at + line.len());
    Some((from, to))
}

/// Every line with its newline, and where it begins.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split_inclusive('\n').scan(0, |at, line| {
        *at += line.len();
        Some((*at - line.len(), line))
    })
}

fn is_content(line: &str) -> bool {
    let line = line.trim();
    !line.is_empty() && !line.starts_with('#')
}

fn indent(line: &str) -> &str {
    line.get(..line.len() - line.trim_start_matches(' ').len()).unwrap_or_default()
}

/// The text, if it says what was said before, with our entry for this program or without any.
fn checked(after: String, before: &Value, sb: Option<&str>) -> Option<String> {
    let now = read(&after).ok()?;
    let program = program_of(&now).ok()?;
    (program.as_deref() == sb && others(&now) == others(before)).then_some(after)
}

/// All that is not ours.
fn others(config: &Value) -> Mapping {
    let mut all = config.as_mapping().cloned().unwrap_or_default();
    if let Some(extensions) = all.get_mut(EXTENSIONS).and_then(Value::as_mapping_mut) {
        extensions.remove(NAME);
        if extensions.is_empty() {
            all.remove(EXTENSIONS);
        }
    }
    all
}

fn read(text: &str) -> Result<Value, InstallError> {
    let value: Value = yaml_serde::from_str(text).map_err(|wrong| {
        let at = wrong.location().map_or(0, |location| location.index());
        let what = wrong.to_string();
        InstallError::at(text, at, what.split(" at line ").next().unwrap_or_default().replace('\n', "; "))
    })?;
    match value {
        Value::Null => Ok(Value::Mapping(Mapping::new())),
        Value::Mapping(_) => Ok(value),
        _ => Err(InstallError::at(text, 0, "names with values are expected here")),
    }
}
