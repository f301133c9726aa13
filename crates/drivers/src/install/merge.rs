//! Our hooks in a file that may hold anybody's: putting them in, finding them, taking them out.

use serde_json::{Map, Value, json};

use super::edit::{self, Style};
use super::jsonc::{self, Node};
use super::layout::{Layout, on_one_line};
use super::ours::{self, Found};
use super::{InstallError, Installed};

/// The file with our hooks in it. Where they are in it already, the very same text.
pub(crate) fn install(layout: &Layout, existing: Option<&str>, sb: &str) -> Result<String, InstallError> {
    check_program(sb)?;
    let Some(existing) = existing else {
        return Ok(created(layout, sb));
    };
    let current = Installed::Ours { program: sb.to_owned(), complete: true };
    if status(layout, existing)? == current {
        return Ok(existing.to_owned());
    }
    match uninstall(layout, existing)? {
        None => Ok(created(layout, sb)),
        Some(without) => add(layout, &without, sb),
    }
}

/// The file without our hooks; `None` where the file was made by us and should go.
pub(crate) fn uninstall(layout: &Layout, existing: &str) -> Result<Option<String>, InstallError> {
    if is_created(layout, existing)? {
        return Ok(None);
    }
    let mut text = existing.to_owned();
    // From the last to the first: the first entry of a container tells whether the container is to stay.
    while let Some(root) = root(&text)? {
        let Some(hooks) = hooks(&text, &root)? else {
            break;
        };
        let Some(last) = ours::find(hooks).pop() else {
            break;
        };
        text = without(&text, &root, hooks, &last);
    }
    Ok(Some(text))
}

pub(crate) fn status(layout: &Layout, existing: &str) -> Result<Installed, InstallError> {
    let root = root(existing)?;
    let found = match &root {
        Some(root) => hooks(existing, root)?.map(ours::find).unwrap_or_default(),
        None => Vec::new(),
    };
    let mut programs: Vec<String> = found.iter().map(|found| found.program.clone()).collect();
    programs.sort();
    programs.dedup();
    let [program] = programs.as_slice() else {
        return Ok(if programs.is_empty() { Installed::Absent } else { Installed::Outdated { programs } });
    };
    let mut seen = Vec::new();
    for found in &found {
        let event = layout.events.iter().find(|event| event.wire == found.wire);
        let as_written = event.is_some_and(|event| layout.hooks(event, program).contains(&found.value));
        let one = (&found.wire, &found.value);
        if !as_written || !found.for_everything || seen.contains(&one) {
            return Ok(Installed::Outdated { programs });
        }
        seen.push(one);
    }
    let all: usize = layout.events.iter().map(|event| layout.hooks(event, program).len()).sum();
    Ok(Installed::Ours { program: program.clone(), complete: seen.len() == all })
}

/// A file of our own. It is spread over many lines, which is how it is known as ours again: into a file that was
/// there before, each event is put on one line.
pub(crate) fn created(layout: &Layout, sb: &str) -> String {
    let mut whole = Map::new();
    whole.extend(layout.companions.iter().map(|(key, value)| ((*key).to_owned(), json!(value))));
    let events = layout.events.iter().map(|event| (event.wire.to_owned(), json!([layout.item(event, sb)])));
    whole.insert("hooks".to_owned(), events.collect::<Map<_, _>>().into());
    format!("{:#}\n", Value::Object(whole))
}

fn is_created(layout: &Layout, text: &str) -> Result<bool, InstallError> {
    let Some(root) = root(text)? else {
        return Ok(false);
    };
    let Some(hooks) = hooks(text, &root)? else {
        return Ok(false);
    };
    let known = |key: &str| key == "hooks" || layout.companions.iter().any(|(name, _)| *name == key);
    let nothing_else = root.entries().iter().all(|entry| known(&entry.key));
    let first = hooks.entries().first().and_then(|event| event.value.entries().first());
    let first = first.and_then(|item| text.get(item.start..item.end()));
    let spread_out = first.is_some_and(|item| item.contains('\n'));
    let found = ours::find(hooks);
    let every_one_ours = hooks.entries().iter().enumerate().all(|(event, entry)| {
        let items = entry.value.entries().iter();
        let all: usize = items
            .map(|item| item.value.member("hooks").map_or(1, |inner| inner.entries().len().max(1)))
            .sum();
        all > 0 && found.iter().filter(|found| found.event == event).count() == all
    });
    Ok(nothing_else && spread_out && every_one_ours)
}

fn add(layout: &Layout, text: &str, sb: &str) -> Result<String, InstallError> {
    let Some(top) = root(text)? else {
        // In front of what is there: behind it could be within a comment.
        let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let whole = format!("{{\"hooks\": {}}}", all_events(layout, sb, "\n", "", "  "));
        return Ok(edit::put(text, at, &whole));
    };
    let style = Style::of(text, &top);
    if hooks(text, &top)?.is_none() {
        let block = if style.minified {
            all_events_minified(layout, sb)
        } else {
            format!("\"hooks\": {}", all_events(layout, sb, style.newline, style.unit, style.unit))
        };
        return Ok(if top.entries().is_empty() {
            edit::add_first(text, &top, &block, &style)
        } else {
            edit::add(text, &top, &[block], &style, 1)
        });
    }
    let (mut text_now, mut missing) = (text.to_owned(), Vec::new());
    for event in layout.events {
        let Some(top) = root(&text_now)? else { break };
        let list = hooks(&text_now, &top)?.and_then(|hooks| hooks.member(event.wire));
        let item = layout.item(event, sb);
        match list {
            Some(list) => text_now = edit::add(&text_now, list, &[inline(&item, &style)], &style, 3),
            None => missing.push(member(event.wire, &json!([item]), &style)),
        }
    }
    if let (false, Some(top)) = (missing.is_empty(), root(&text_now)?)
        && let Some(hooks) = hooks(&text_now, &top)?
    {
        text_now = edit::add(&text_now, hooks, &missing, &style, 2);
    }
    Ok(text_now)
}

fn inline(value: &Value, style: &Style<'_>) -> String {
    if style.minified { value.to_string() } else { on_one_line(value) }
}

fn member(key: &str, value: &Value, style: &Style<'_>) -> String {
    let space = if style.minified { "" } else { " " };
    format!("{}:{space}{}", json!(key), inline(value, style))
}

/// The object of all events, one to a line. `base` is the indent of the line that the object begins on.
fn all_events(layout: &Layout, sb: &str, newline: &str, base: &str, unit: &str) -> String {
    let lines = layout.events.iter().map(|event| {
        format!(
            "{newline}{base}{unit}{}: {}",
            json!(event.wire),
            on_one_line(&json!([layout.item(event, sb)]))
        )
    });
    format!("{{{}{newline}{base}}}", lines.collect::<Vec<_>>().join(","))
}

fn all_events_minified(layout: &Layout, sb: &str) -> String {
    let events = layout.events.iter().map(|event| (event.wire.to_owned(), json!([layout.item(event, sb)])));
    format!("\"hooks\":{}", Value::Object(events.collect()))
}

/// The text without this one hook, and without every container that was made only for it.
fn without(text: &str, root: &Node, hooks: &Node, found: &Found) -> String {
    let Some(event) = hooks.entries().get(found.event) else {
        return text.to_owned();
    };
    let list = &event.value;
    let group = list.entries().get(found.item).and_then(|item| item.value.member("hooks"));
    if let (Some(hook), Some(inner)) = (found.hook, group)
        && inner.entries().len() > 1
    {
        return edit::remove(text, inner, hook);
    }
    if list.entries().len() > 1 || edit::was_empty(text, list) {
        return edit::remove(text, list, found.item);
    }
    if hooks.entries().len() > 1 || edit::was_empty(text, hooks) {
        return edit::remove(text, hooks, found.event);
    }
    let place = root.entries().iter().position(|entry| entry.key == "hooks").unwrap_or_default();
    if root.entries().len() > 1 {
        return edit::remove(text, root, place);
    }
    edit::remove_last(text, root)
}

/// The object at the top of the file; `None` where the file is blank.
pub(crate) fn root(text: &str) -> Result<Option<Node>, InstallError> {
    match jsonc::parse(text) {
        Err(wrong) => Err(InstallError::at(text, wrong.at, wrong.what)),
        Ok(Some(root)) if !root.is_object() => {
            let what = format!("an object is expected here, and this is {}", root.kind());
            Err(InstallError::at(text, root.start, what))
        }
        Ok(root) => Ok(root),
    }
}

/// The object of hooks, with a list for every event.
fn hooks<'r>(text: &str, root: &'r Node) -> Result<Option<&'r Node>, InstallError> {
    let Some(hooks) = root.member("hooks") else {
        return Ok(None);
    };
    if !hooks.is_object() {
        let what = format!("`hooks` should be an object, and is {}", hooks.kind());
        return Err(InstallError::at(text, hooks.start, what));
    }
    if let Some(odd) = hooks.entries().iter().find(|event| !event.value.is_array()) {
        let what = format!("the hooks of `{}` should be a list, and are {}", odd.key, odd.value.kind());
        return Err(InstallError::at(text, odd.value.start, what));
    }
    Ok(Some(hooks))
}

/// Every hook of ours with the group it stands in.
pub(crate) fn ours_with_groups(text: &str) -> Result<Vec<(Found, Value)>, InstallError> {
    let Some(root) = root(text)? else {
        return Ok(Vec::new());
    };
    let Some(hooks) = hooks(text, &root)? else {
        return Ok(Vec::new());
    };
    let group = |found: &Found| {
        let list = hooks.entries().get(found.event)?;
        Some(list.value.entries().get(found.item)?.value.to_value())
    };
    Ok(ours::find(hooks)
        .into_iter()
        .map(|found| (found.clone(), group(&found).unwrap_or_default()))
        .collect())
}

pub(crate) fn check_program(sb: &str) -> Result<(), InstallError> {
    let full = sb.starts_with('/') || sb.starts_with("${") || sb.get(1..3) == Some(":\\");
    let name = sb.rsplit(['/', '\\']).next().unwrap_or_default();
    if full && matches!(name, "sb" | "sb.exe") { Ok(()) } else { Err(InstallError::Program(sb.to_owned())) }
}
