//! How Codex looks, as of 0.166.0.
//!
//! It shows the cursor in its input box and hides it in dialogs. An empty box always has a placeholder, so one that is
//! merely blank holds blanks. The title tells whether it works, and whether it asks.

use std::time::Duration;

use crate::oracle::{Title, is_spinner};
use crate::terminal::{
    Activity, InputBox, Place, Reading, Sight, Terminal, WhileBusy, backspaces, shows_words,
};

pub(crate) const TERMINAL: Terminal = Terminal {
    seen_on: "0.166.0",
    read,
    submit: "\r",
    withdraw: backspaces,
    while_busy: WhileBusy::Queues,
    lag: Duration::from_secs(1),
    settle: Duration::ZERO,
    collapsed: |draft| draft.starts_with("[Pasted Content ") && draft.ends_with(" chars]"),
};

/// While a dialog of the person's own is open, the title is that of an idle session.
pub(crate) const TITLE: Title = Title { seen_on: "0.166.0", read: of_title, is_complete: false };

const PLACEHOLDER: &str = "Ask Codex to do anything";

fn of_title(title: &str) -> Option<Activity> {
    if title.is_empty() {
        None
    } else if title.contains("Action Required") {
        Some(Activity::Permission)
    } else if title.starts_with(is_spinner) {
        Some(Activity::Working)
    } else {
        Some(Activity::Idle)
    }
}

fn read(sight: &Sight) -> Reading {
    let title = of_title(&sight.title);
    if title == Some(Activity::Permission) {
        return Reading::hidden(Activity::Permission, "the title says that it asks");
    }
    if !sight.cursor_visible {
        return without_cursor(sight, title);
    }
    let Some(place) = find(sight) else {
        return Reading::unknown("the cursor is not in an input box");
    };
    let (activity, because) = match title {
        Some(Activity::Working) => (Some(Activity::Working), "the title shows a spinner"),
        _ if shows_words(sight, 0, "esc to interrupt)") => {
            (Some(Activity::Working), "it says that Escape interrupts")
        }
        _ => (Some(Activity::Idle), "the input box waits"),
    };
    Reading::new(activity, because, input(sight, place))
}

/// The rows around the cursor, up to the one with the prompt and down to a blank one.
fn find(sight: &Sight) -> Option<Place> {
    let cursor = usize::from(sight.cursor.0);
    let begins = |at: usize| sight.row(at).starts_with(['›', '!']);
    let first = (0..=cursor).rev().find(|&at| begins(at) || !is_inside(sight.row(at)))?;
    let last = (cursor..sight.rows.len()).find(|&at| sight.row(at + 1).trim().is_empty())?;
    begins(first).then_some(Place { first, last, column: 2 })
}

/// Whether a row can be one of the box, after its first.
fn is_inside(row: &str) -> bool {
    row.is_empty() || (row.starts_with("  ") && !row.starts_with("  reverse-i-search:"))
}

fn input(sight: &Sight, place: Place) -> InputBox {
    let below = place.last + 1;
    let is_other =
        ["? / esc close", "Vim: Normal", "Vim: Visual"].iter().any(|words| shows_words(sight, below, words));
    if is_other || !place.holds_cursor(sight) {
        return InputBox::Unknown;
    }
    let is_shell = sight.row(place.first).starts_with('!');
    match place.input(sight, |text| text == PLACEHOLDER) {
        InputBox::Draft(text) if is_shell => InputBox::Draft(format!("!{text}")),
        // What is typed now goes to a shell.
        InputBox::Empty if is_shell => InputBox::Draft("!".to_owned()),
        InputBox::Draft(text) => InputBox::Draft(without_arrows(&text)),
        InputBox::Empty if !sight.row(place.first).contains(PLACEHOLDER) => InputBox::Unknown,
        other => other,
    }
}

/// A draft that does not fit has an arrow at the edge where it goes on.
fn without_arrows(text: &str) -> String {
    let rows = text.lines().map(|row| {
        let row = row.strip_suffix(" ↑").or_else(|| row.strip_suffix(" ↓")).unwrap_or(row);
        row.trim_end()
    });
    rows.collect::<Vec<_>>().join("\n")
}

fn without_cursor(sight: &Sight, title: Option<Activity>) -> Reading {
    let shows = |words: &str| shows_words(sight, 0, words);
    if shows("Would you like to") {
        Reading::hidden(Activity::Permission, "it asks whether it may")
    } else if ["esc back", "esc close", "esc exit", "esc cancel", "enter select", "enter continue"]
        .iter()
        .any(|words| shows(words))
    {
        Reading::hidden(Activity::Dialog, "a dialog is open")
    } else if title == Some(Activity::Working) {
        // Between two frames.
        Reading::new(title, "the title shows a spinner", InputBox::Unknown)
    } else {
        Reading::unknown("there is no cursor")
    }
}
