//! How Goose looks, as of 1.52.0.
//!
//! It prints, and reads a line below what it printed. Only while it reads does it ask for pastes to be marked, so that says
//! whether keys go into the line or wait for the next one. What a person types meanwhile is shown there when it reads again.
//! An empty line always has a hint, and the row above it says how full the context is.

use std::time::Duration;

use crate::terminal::{
    Activity, InputBox, Place, Reading, Sight, Terminal, WhileBusy, backspaces, fold, shows_words,
};

pub(crate) const TERMINAL: Terminal = Terminal {
    seen_on: "1.52.0",
    read,
    submit: "\r",
    withdraw: backspaces,
    // A line that is sent off then becomes the first line of a draft.
    while_busy: WhileBusy::Unknown,
    lag: Duration::from_secs(1),
    settle: Duration::ZERO,
    collapsed: |_| false,
};

/// How it asks for permission: always, and where a tool looks dangerous.
const ALLOWS: &[&str] = &["do you allow?", "Do you allow this tool call?"];

/// The prompt, and the column that the line begins at.
const PROMPT: &str = "> ";
const COLUMN: usize = 2;

/// So many rows may stand between the one about the context and the line: its rest on a narrow screen, and what it cost.
const BETWEEN: usize = 3;

/// What stands in an empty line.
const HINTS: &[&str] = &[
    "Enter to send · Ctrl+J newline",
    "Interrupted, what should goose work on instead?",
    "Press Ctrl+C again to exit, or type new instructions to continue",
];

fn read(sight: &Sight) -> Reading {
    if sight.alternate {
        return Reading::hidden(Activity::Dialog, "an editor is open");
    }
    let context = sight.rows.iter().rposition(|row| tells_of_context(row));
    if sight.marks_pastes {
        // With colours, the row about the context has faint ones.
        let is_colourless = context.is_some() && sight.is_colourless();
        let input = find(sight, context).map_or(InputBox::Unknown, |line| input(sight, line, is_colourless));
        return Reading::new(Some(Activity::Idle), "it reads a line", input);
    }
    let dialog = sight.rows.iter().rposition(|row| asks(row));
    match dialog.filter(|_| !sight.cursor_visible) {
        Some(dialog) if ALLOWS.iter().any(|words| shows_words(sight, dialog, words)) => {
            Reading::hidden(Activity::Permission, "it asks whether it may")
        }
        Some(_) => Reading::hidden(Activity::Dialog, "a dialog is open"),
        None if context.is_none() && is_starting(sight) => Reading::unknown("it has not read a line yet"),
        None => Reading::new(Some(Activity::Working), "it reads no line", InputBox::Unknown),
    }
}

/// Whether there is nothing yet, or no more than how it greets. Later that has scrolled away, or the first line stands below it.
fn is_starting(sight: &Sight) -> bool {
    sight.rows.iter().all(String::is_empty) || shows_words(sight, 0, "goose is ready")
}

fn tells_of_context(row: &str) -> bool {
    row.starts_with("  ━") || row.starts_with("  ╌") || row.starts_with("  context usage unavailable")
}

/// Whether a dialog begins here, with letters for a terminal that may not know the signs. One that is over has another mark.
fn asks(row: &str) -> bool {
    row.starts_with("◆  ") || row.starts_with("*  ")
}

/// The rows of the line: all below the one about the context, or all there are where that is out of sight.
fn find(sight: &Sight, context: Option<usize>) -> Option<Place> {
    let begins = |at: usize| format!("{} ", sight.row(at)).starts_with(PROMPT);
    let (first, column) = match context {
        Some(context) => ((context + 1..=context + BETWEEN).find(|&at| begins(at))?, COLUMN),
        // The person has cleared the screen, or the line is larger than that.
        None if begins(0) => (0, COLUMN),
        None => (0, 0),
    };
    let last = sight.rows.iter().rposition(|row| !row.is_empty())?;
    let cursor = (usize::from(sight.cursor.0), usize::from(sight.cursor.1));
    let is_inside = sight.cursor_visible && cursor >= (first, column);
    is_inside.then_some(Place { first, last: last.max(cursor.0), column })
}

fn input(sight: &Sight, line: Place, is_colourless: bool) -> InputBox {
    let below = (line.first + 1..=line.last).map(|at| sight.row(at));
    let rows: Vec<&str> = std::iter::once(sight.text_from(line.first, line.column)).chain(below).collect();
    let text = rows.join("\n");
    let is_at_start = line.column == COLUMN && line.is_at_start(sight);
    // The cursor covers its first letter.
    let is_faint = sight.is_faint_from(line.first, COLUMN + 1)
        && (line.first + 1..=line.last).all(|at| sight.is_faint_from(at, 0));
    let is_hint = is_known(&text) && (is_faint || is_colourless) || is_of_another_key(&text) && is_faint;
    if is_at_start && is_hint {
        InputBox::Empty
    } else if text.trim().is_empty() {
        // Without its hint it is not drawn yet, or a blank was typed.
        InputBox::Unknown
    } else {
        InputBox::Draft(text)
    }
}

/// Whether this is a hint, however it is wrapped.
fn is_known(text: &str) -> bool {
    HINTS.iter().any(|hint| fold(hint) == fold(text))
}

/// Whether it is the first of them with another key for a new line, which the person may choose.
fn is_of_another_key(text: &str) -> bool {
    let text = fold(text);
    let key = text.strip_prefix(&fold("Enter to send · Ctrl+")).and_then(|rest| rest.strip_suffix("newline"));
    key.is_some_and(|key| key.chars().count() == 1)
}
