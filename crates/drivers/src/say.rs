//! Text on its way to a model: never empty where a CLI would take emptiness for consent, never so long that a CLI
//! puts it into a file instead.

use serde_json::Value;

use crate::hook::Reply;

/// Claude Code hands over at most 10,000 characters, counted as JavaScript counts; this leaves room.
const LONGEST: usize = 9_000;

const CUT: &str = "\n[Cut here: the rest was too long. Run `sb context` to read all of it.]";

/// A reason that is certainly there. Codex lets the tool run when a denial has an empty reason.
pub(crate) fn reason(given: &str) -> &str {
    if given.trim().is_empty() { "Refused by Signalbox, which gave no reason." } else { given }
}

/// The context, cut at the end of a line where it is too long.
pub(crate) fn context(given: &str) -> String {
    if units(given) <= LONGEST {
        return given.to_owned();
    }
    let room = LONGEST - units(CUT);
    let mut used = 0;
    let mut end = given.len();
    for (at, letter) in given.char_indices() {
        used += letter.len_utf16();
        if used > room {
            end = at;
            break;
        }
    }
    let head = given.get(..end).unwrap_or_default();
    // A single line longer than all the room is cut where the room ends.
    let whole_lines = head.rfind('\n').and_then(|at| head.get(..at)).filter(|lines| !lines.is_empty());
    format!("{}{CUT}", whole_lines.unwrap_or(head))
}

fn units(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

/// A reply that is this JSON and success.
pub(crate) fn json(value: &Value) -> Reply {
    Reply { stdout: value.to_string(), ..Reply::default() }
}
