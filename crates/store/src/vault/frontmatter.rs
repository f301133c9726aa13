//! The frontmatter of a ticket file: YAML that Obsidian shows as properties.
//!
//! It is written by hand, property by property, so that a person's own properties, their order and their
//! comments stay as they are; it is compared by meaning, because Obsidian rewrites lists and quotes.

use signalbox_core::{Ticket, TicketId, time};
use yaml_serde::Value;

/// One property: its key, and its lines as they stand in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub key: String,
    pub text: String,
}

impl Entry {
    fn new(key: &str, value: &str) -> Self {
        Self { key: key.to_owned(), text: format!("{key}: {value}\n") }
    }

    /// The value, as YAML means it.
    fn value(&self) -> Option<Value> {
        let parsed: Value = yaml_serde::from_str(&self.text).ok()?;
        parsed.get(self.key.as_str()).cloned()
    }

    /// Whether two entries mean the same, however they are written.
    pub(super) fn says_the_same(&self, other: &Self) -> bool {
        if self.text == other.text {
            return true;
        }
        match (self.value(), other.value()) {
            (Some(mine), Some(theirs)) => plain(&mine) == plain(&theirs),
            _ => false,
        }
    }
}

/// A value as text: `3` and `"3"` count as the same, as they do for a person.
fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Bool(b) => b.to_string(),
        Value::Number(n) => n.to_string(),
        Value::String(s) => s.clone(),
        Value::Sequence(items) => items.iter().map(|item| format!("- {}\n", plain(item))).collect(),
        other => yaml_serde::to_string(other).unwrap_or_default(),
    }
}

/// A file taken apart.
#[derive(Debug)]
pub struct Split<'a> {
    pub entries: Vec<Entry>,
    pub body: &'a str,
}

impl<'a> Split<'a> {
    /// `None` where the file does not begin with a frontmatter.
    pub fn of(bytes: &'a [u8]) -> Option<Self> {
        let text = std::str::from_utf8(bytes).ok()?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let rest = text.strip_prefix("---\n").or_else(|| text.strip_prefix("---\r\n"))?;
        let mut front = 0;
        for line in rest.split_inclusive('\n') {
            if line.trim_end() == "---" {
                let body = rest.get(front + line.len()..)?;
                return Some(Self { entries: entries(rest.get(..front)?), body });
            }
            front += line.len();
        }
        None
    }
}

/// The top-level properties; what is indented, a list item or a comment belongs to the one before it.
fn entries(front: &str) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    for line in front.split_inclusive('\n') {
        let begins = line.chars().next().is_some_and(|c| !c.is_whitespace() && !matches!(c, '-' | '#'));
        match line.split_once(':') {
            Some((key, _)) if begins => {
                let key = key.trim().trim_matches(['"', '\'']).to_owned();
                entries.push(Entry { key, text: line.to_owned() });
            }
            _ => match entries.last_mut() {
                Some(last) => last.text.push_str(line),
                None => entries.push(Entry { key: String::new(), text: line.to_owned() }),
            },
        }
    }
    entries
}

/// The ticket that a frontmatter claims to be of.
pub fn ticket_id(entries: &[Entry]) -> Option<TicketId> {
    TicketId::parse(&text_of(entries, "id")?).ok()
}

/// The revision that a frontmatter claims.
pub fn rev(entries: &[Entry]) -> Option<u64> {
    text_of(entries, "rev")?.parse().ok()
}

fn text_of(entries: &[Entry], key: &str) -> Option<String> {
    entries.iter().find(|entry| entry.key == key)?.value().map(|value| plain(&value))
}

/// The properties Signalbox keeps.
const KEYS: &[&str] = &[
    "id",
    "title",
    "project",
    "status",
    "prior-status",
    "assignee",
    "priority",
    "depends-on",
    "hold",
    "tags",
    "initiative",
    "area",
    "slug",
    "needs-tests",
    "attempts",
    "last-outcome",
    "escalated",
    "acceptance",
    "completion-notes",
    "branch",
    "services",
    "submodule",
    "created",
    "updated",
    "rev",
    "aliases",
];

pub(super) fn is_ours(key: &str) -> bool {
    KEYS.contains(&key)
}

/// A ticket's properties, in their order.
pub fn entries_of(ticket: &Ticket) -> Vec<Entry> {
    let text = |text: &Option<String>| text.as_deref().map_or("null".to_owned(), scalar);
    let list = |items: Vec<String>| format!("[{}]", items.join(", "));
    let links = ticket.depends_on.iter().map(|id| quoted(&format!("[[{id}]]"))).collect();
    let criteria =
        ticket.acceptance.iter().map(|c| quoted(&format!("[{}] {}", if c.met { 'x' } else { ' ' }, c.text)));
    let values = [
        ticket.id.to_string(),
        scalar(&ticket.title),
        scalar(ticket.project.as_str()),
        ticket.status.to_string(),
        ticket.prior_status.map_or("null".to_owned(), |s| s.to_string()),
        text(&ticket.assignee),
        ticket.priority.to_string(),
        list(links),
        ticket.hold.as_ref().map_or("null".to_owned(), |hold| quoted(&hold.reason)),
        list(ticket.tags.iter().map(|tag| scalar(tag)).collect()),
        text(&ticket.initiative),
        text(&ticket.area),
        text(&ticket.slug),
        ticket.needs_tests.to_string(),
        ticket.attempts.len().to_string(),
        ticket.last_outcome.map_or("null".to_owned(), |outcome| outcome.as_str().to_owned()),
        ticket.escalated.to_string(),
        list(criteria.collect()),
        text(&ticket.completion_notes),
        text(&ticket.branch),
        list(ticket.services.iter().map(|service| scalar(service)).collect()),
        text(&ticket.submodule),
        time::short(ticket.created),
        time::short(ticket.updated),
        ticket.rev.to_string(),
        list(vec![ticket.id.to_string()]),
    ];
    KEYS.iter().zip(values).map(|(key, value)| Entry::new(key, &value)).collect()
}

/// A text as YAML: bare where no reader could misread it, else quoted.
fn scalar(text: &str) -> String {
    let bare = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, ' ' | '_' | '-' | '/' | '.'))
        && !text.ends_with(' ');
    // What YAML 1.1 takes for something else than text.
    let reserved = ["y", "n", "yes", "no", "true", "false", "on", "off", "null", "nan", "inf"];
    if bare && !reserved.contains(&text.to_ascii_lowercase().as_str()) {
        text.to_owned()
    } else {
        quoted(text)
    }
}

/// A double-quoted YAML text, in which JSON's escapes mean the same.
fn quoted(text: &str) -> String {
    let mut quoted = serde_json::to_string(text).unwrap_or_default();
    // JSON leaves these bare; YAML forbids them.
    for c in ('\u{7f}'..='\u{9f}').chain(['\u{feff}', '\u{fffe}', '\u{ffff}', '\u{2028}', '\u{2029}']) {
        if quoted.contains(c) {
            quoted = quoted.replace(c, &format!("\\u{:04x}", c as u32));
        }
    }
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_comes_back_through_yaml() {
        for text in [
            "plain words",
            "yes",
            "No",
            "null",
            "~",
            "- x",
            "a: b",
            "#c",
            "[x]",
            "{",
            "\"q\"",
            "it's",
            "1e3",
            "0x1f",
            "2026-11-15",
            "line\nbreak",
            "\u{1b}[31m",
            "\u{9b}\u{7f}",
            " lead",
            "trail ",
            "日本",
            "\\",
            "%x",
            "@a",
            "`b`",
            "",
            "\u{2028}",
            "a\0b",
            "12:30",
        ] {
            let entry = Entry::new("k", &scalar(text));
            assert_eq!(entry.value(), Some(Value::String(text.to_owned())), "{text:?} as {:?}", entry.text);
        }
    }

    #[test]
    fn a_file_is_taken_apart_and_keeps_every_byte() {
        let text = "---\nid: sb_aaaaaa\ntags:\n  - a\n  - b\n# mine\nrev: 3\n---\n\nbody\n---\nmore";
        let split = Split::of(text.as_bytes()).expect("a frontmatter");
        let keys: Vec<_> = split.entries.iter().map(|e| e.key.as_str()).collect();
        assert_eq!(keys, ["id", "tags", "rev"]);
        assert_eq!(split.body, "\nbody\n---\nmore");
        let front: String = split.entries.iter().map(|e| e.text.as_str()).collect();
        assert_eq!(format!("---\n{front}---\n{}", split.body), text);
        assert_eq!(rev(&split.entries), Some(3));
        assert!(split.entries[1].says_the_same(&Entry::new("tags", "[a, \"b\"]")));
        assert!(!split.entries[1].says_the_same(&Entry::new("tags", "[a]")));
    }

    #[test]
    fn no_frontmatter_no_split() {
        for text in ["", "---", "---\n", "---\nid: x\n", "text\n---\n", "\u{fffd}"] {
            assert!(Split::of(text.as_bytes()).is_none(), "{text:?}");
        }
        assert!(Split::of(&[0xff, 0xfe]).is_none());
    }
}
