//! Textual changes to a settings file: putting entries into a list or object, and taking one out again so that what
//! is left is what was there before.
//!
//! Every insertion is one piece of text without a gap, put where taking it out needs no memory:
//! - behind the last entry, beginning with the comma, so that a trailing comma and whatever follows stay as they are;
//! - in front of the first entry, ending with the comma, where a comment follows the last one and would otherwise
//!   seem to belong to ours;
//! - into an empty container that was there before us, beginning with a single space. That space is the sign that
//!   the container is to stay. Containers made by us have none, and go with their last entry.

use super::jsonc::Node;

/// How a file is laid out.
pub(crate) struct Style<'t> {
    pub(crate) newline: &'static str,
    pub(crate) unit: &'t str,
    /// The whole file is on one line.
    pub(crate) minified: bool,
}

impl<'t> Style<'t> {
    pub(crate) fn of(text: &'t str, root: &Node) -> Self {
        let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let first = root.entries().first().and_then(|entry| indent_before(text, root.start + 1, entry.start));
        let minified = !text.trim_end().contains('\n') && !root.entries().is_empty();
        Self { newline, unit: first.filter(|blanks| !blanks.is_empty()).unwrap_or("  "), minified }
    }
}

/// The blanks between the last newline in this gap and its end; `None` where there is no newline.
fn indent_before(text: &str, from: usize, to: usize) -> Option<&str> {
    let gap = text.get(from..to)?;
    let blanks = gap.get(gap.rfind('\n')? + 1..)?;
    blanks.chars().all(|letter| letter == ' ' || letter == '\t').then_some(blanks)
}

/// The text with `pieces` as new entries of `container`, at the depth of `level` units.
pub(crate) fn add(
    text: &str,
    container: &Node,
    pieces: &[String],
    style: &Style<'_>,
    level: usize,
) -> String {
    let separator = if style.minified {
        ",".to_owned()
    } else {
        let own =
            container.entries().last().and_then(|last| indent_before(text, container.start + 1, last.start));
        let indent = own.map_or_else(|| style.unit.repeat(level), str::to_owned);
        format!(",{}{indent}", style.newline)
    };
    let all = pieces.join(&separator);
    let Some(last) = container.entries().last() else {
        return put(text, container.start + 1, &format!(" {all}"));
    };
    let tail = text.get(last.end()..container.end).unwrap_or_default();
    if container.is_object() && tail.contains('/') {
        let head = separator.get(1..).unwrap_or_default();
        return put(text, container.start + 1, &format!("{head}{all},"));
    }
    put(text, last.end(), &format!("{separator}{all}"))
}

/// The text with one entry into the empty object at its top. A newline on either side makes `{}` readable; where the
/// object has a newline of its own, a space tells the two apart.
pub(crate) fn add_first(text: &str, root: &Node, piece: &str, style: &Style<'_>) -> String {
    let inside = text.get(root.start + 1..root.end - 1).unwrap_or_default();
    let (newline, unit) = (style.newline, style.unit);
    if inside.contains('\n') {
        return put(text, root.start + 1, &format!(" {piece}"));
    }
    put(text, root.start + 1, &format!("{newline}{unit}{piece}{newline}"))
}

/// The text without the entry at `index`, which has neighbours.
pub(crate) fn remove(text: &str, container: &Node, index: usize) -> String {
    let entries = container.entries();
    let Some(entry) = entries.get(index) else {
        return text.to_owned();
    };
    let before = index.checked_sub(1).and_then(|before| entries.get(before)).and_then(|before| before.comma);
    match (before, entry.comma) {
        (Some(comma), _) => cut(text, comma, entry.end()),
        (None, Some(comma)) => cut(text, container.start + 1, comma + 1),
        (None, None) => cut(text, container.start + 1, entry.end()),
    }
}

/// Whether an entry that is alone was put into a container that is to stay.
pub(crate) fn was_empty(text: &str, container: &Node) -> bool {
    let entry = container.entries().first();
    entry.is_some_and(|entry| text.get(container.start + 1..entry.start) == Some(" "))
}

/// The text without the only entry of the object at the top; the object goes too where it was made for the entry.
pub(crate) fn remove_last(text: &str, root: &Node) -> String {
    let Some(entry) = root.entries().first() else {
        return text.to_owned();
    };
    let end = entry.comma.map_or(entry.end(), |comma| comma + 1);
    let before = text.get(root.start + 1..entry.start).unwrap_or_default();
    let after = text.get(end..root.end - 1).unwrap_or_default();
    let inside = text.get(entry.start..entry.end()).unwrap_or_default();
    if before.is_empty() && after.is_empty() && inside.contains('\n') {
        return cut(text, root.start, root.end);
    }
    let newline = ["\r\n", "\n"].iter().find(|newline| after.starts_with(**newline));
    let own_newline = if before.contains('\n') { newline.map_or(0, |newline| newline.len()) } else { 0 };
    cut(text, root.start + 1, end + own_newline)
}

/// The text with a piece put in.
pub(crate) fn put(text: &str, at: usize, piece: &str) -> String {
    let (head, tail) = text.split_at_checked(at).unwrap_or((text, ""));
    [head, piece, tail].concat()
}

/// The text with a piece taken out.
pub(crate) fn cut(text: &str, from: usize, to: usize) -> String {
    [text.get(..from).unwrap_or_default(), text.get(to..).unwrap_or_default()].concat()
}
