//! What is wrong with a settings file, in words for people: the parser speaks of the types of the program.

use signalbox_core::nearest;

/// The parser's message, said plainly. What is not known here stays as it is.
pub(crate) fn plain(message: &str) -> String {
    let (first, wanted) = message.split_once(", expected ").unwrap_or((message, ""));
    if let Some(found) = first.strip_prefix("invalid type: ").or(first.strip_prefix("invalid value: ")) {
        return format!("{} is needed here, not {}", kind(wanted), value(found));
    }
    let known = || wanted.split('`').skip(1).step_by(2).filter(|word| !word.is_empty());
    if let Some(unknown) = quoted(first, "unknown field ") {
        return match nearest(unknown, known()) {
            Some(near) => format!("there is no setting `{unknown}`, did you mean `{near}`?"),
            None => format!("there is no setting `{unknown}`; there are {}", list(known())),
        };
    }
    if let Some(unknown) = quoted(first, "unknown variant ") {
        return format!("`{unknown}` is not known; there are {}", list(known()));
    }
    if let Some(missing) = quoted(first, "missing field ") {
        return format!("`{missing}` is missing");
    }
    match (first, wanted) {
        ("duplicate key", _) => "this is set a second time".to_owned(),
        ("string values must be quoted", _) => "a text must stand in quotes".to_owned(),
        (_, sign) if sign.starts_with('`') => format!("a {sign} is missing"),
        _ => message.to_owned(),
    }
}

/// The word in backquotes after this beginning.
fn quoted<'a>(text: &'a str, beginning: &str) -> Option<&'a str> {
    text.strip_prefix(beginning)?.strip_prefix('`')?.strip_suffix('`')
}

fn list<'a>(words: impl Iterator<Item = &'a str>) -> String {
    words.map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

fn kind(wanted: &str) -> &str {
    match wanted {
        "a boolean" => "`true` or `false`",
        "a string" => "a text in quotes",
        "path string" => "a path in quotes",
        "a sequence" => "a list in brackets",
        "a map" => "a table",
        text if text.starts_with("struct ") => "a table",
        text if text.contains("nonzero") => "a whole number of at least 1",
        "u16" => "a whole number from 0 to 65535",
        "u8" | "u32" | "u64" | "usize" | "i64" => "a whole number",
        other => other,
    }
}

fn value(found: &str) -> &str {
    match found {
        "sequence" => "a list",
        "map" => "a table",
        other => other
            .strip_prefix("integer ")
            .or(other.strip_prefix("string "))
            .or(other.strip_prefix("boolean "))
            .or(other.strip_prefix("floating point "))
            .unwrap_or(other),
    }
}
