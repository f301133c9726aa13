//! How the puppet looks: a box between two rules with the cursor in it, or a dialog without a cursor.

use std::time::Duration;

use crate::oracle::{Title, is_spinner};
use crate::terminal::{
    Activity, InputBox, Place, Reading, Sight, Terminal, WhileBusy, backspaces, is_rule, shows_words,
};

pub(crate) const TERMINAL: Terminal = Terminal {
    seen_on: env!("CARGO_PKG_VERSION"),
    read,
    submit: "\r",
    withdraw: backspaces,
    while_busy: WhileBusy::Queues,
    // A script can make it slow.
    lag: Duration::from_secs(1),
    settle: Duration::ZERO,
    collapsed: |_| false,
};

/// A dialog that the person opened has the title of an idle session.
pub(crate) const TITLE: Title =
    Title { seen_on: env!("CARGO_PKG_VERSION"), read: of_title, is_complete: false };

fn of_title(title: &str) -> Option<Activity> {
    match title.chars().next()? {
        '!' => Some(Activity::Permission),
        '*' => Some(Activity::Idle),
        letter => is_spinner(letter).then_some(Activity::Working),
    }
}

fn read(sight: &Sight) -> Reading {
    let title = of_title(&sight.title);
    if !sight.cursor_visible {
        return without_cursor(sight, title);
    }
    let cursor = usize::from(sight.cursor.0);
    let is_edge = |at: usize| is_rule(sight.row(at), '─');
    let above = (0..cursor).rev().find(|&at| is_edge(at));
    let below = (cursor + 1..sight.rows.len()).find(|&at| is_edge(at));
    let place = match (above, below) {
        (Some(above), Some(below)) if sight.row(above + 1).starts_with('>') => {
            Place { first: above + 1, last: below - 1, column: 2 }
        }
        _ => return Reading::unknown("the cursor is not in an input box"),
    };
    let input = if place.holds_cursor(sight) { place.input(sight, |_| false) } else { InputBox::Unknown };
    match title {
        Some(Activity::Working) => Reading::new(title, "the title shows a spinner", input),
        Some(Activity::Idle) => Reading::new(title, "the input box waits", input),
        _ => Reading::unknown("the title is not the puppet's"),
    }
}

fn without_cursor(sight: &Sight, title: Option<Activity>) -> Reading {
    if shows_words(sight, 0, "Enter to select · Esc to cancel") {
        Reading::hidden(Activity::Question, "it asks a question with choices")
    } else if title == Some(Activity::Permission) {
        Reading::hidden(Activity::Permission, "it asks whether it may")
    } else if shows_words(sight, 0, "Esc to close") {
        Reading::hidden(Activity::Dialog, "a dialog is open")
    } else {
        Reading::unknown("there is no cursor")
    }
}
