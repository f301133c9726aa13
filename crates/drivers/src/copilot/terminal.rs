//! How Copilot CLI looks, as of 1.0.102.
//!
//! It shows the cursor where the person types, and hides it in most dialogs. While it starts, it takes keys and shows
//! them seconds later: what looks empty then is not. The title tells no state.

use std::time::Duration;

use crate::terminal::{Activity, InputBox, Place, Reading, Sight, Terminal, WhileBusy, is_rule, shows_words};

pub(crate) const TERMINAL: Terminal = Terminal {
    seen_on: "1.0.102",
    read,
    submit: "\r",
    withdraw,
    while_busy: WhileBusy::Queues,
    lag: Duration::from_secs(5),
    settle: Duration::ZERO,
    collapsed: |draft| draft.starts_with("[Paste #") && draft.ends_with(']') && !draft.contains('\n'),
};

fn read(sight: &Sight) -> Reading {
    let Some(place) = find(sight) else {
        return without_box(sight);
    };
    // On a narrow screen the word behind the spinner is cut.
    let spins = sight.row(place.last + 2).trim_start().strip_prefix(['◎', '◉', '○', '●']);
    let (activity, because) = match spins.map(str::trim_start) {
        Some(word) if word.starts_with('W') => {
            (Activity::Working, "the line below the box says that it works")
        }
        Some(_) => return Reading::unknown("it is still loading, and shows keys late"),
        None => (Activity::Idle, "the input box waits"),
    };
    Reading::new(Some(activity), because, input(sight, place))
}

/// The rows between the two rules, where the cursor is among them.
fn find(sight: &Sight) -> Option<Place> {
    let cursor = usize::from(sight.cursor.0);
    let is_edge = |at: usize| sight.row(at).starts_with('─') && is_rule(sight.row(at), '─');
    let above = (0..cursor).rev().find(|&at| is_edge(at))?;
    let below = (cursor + 1..sight.rows.len()).find(|&at| is_edge(at))?;
    let is_box = sight.cursor_visible && !is_edge(cursor) && sight.row(above + 1).starts_with(['❯', '!']);
    is_box.then_some(Place { first: above + 1, last: below - 1, column: 2 })
}

fn input(sight: &Sight, place: Place) -> InputBox {
    // The next key closes the help, and is lost.
    if !place.holds_cursor(sight) || shows_words(sight, place.last + 1, "any key close help") {
        return InputBox::Unknown;
    }
    match place.input(sight, |_| false) {
        InputBox::Draft(text) if sight.row(place.first).starts_with('!') => {
            InputBox::Draft(format!("!{text}"))
        }
        // What is typed now goes to a shell.
        InputBox::Empty if sight.row(place.first).starts_with('!') => InputBox::Draft("!".to_owned()),
        other => other,
    }
}

fn without_box(sight: &Sight) -> Reading {
    let shows = |words: &str| shows_words(sight, 0, words);
    let chooses = shows("enter to select");
    if shows("Copilot needs information.") && shows("enter accept") {
        Reading::hidden(Activity::Question, "it asks a question")
    } else if chooses && shows("Do you trust the files") {
        Reading::hidden(Activity::Dialog, "it asks whether to trust the folder")
    } else if chooses && shows("Do you want to") {
        Reading::hidden(Activity::Permission, "it asks whether it may")
    } else if chooses || shows("esc to cancel") || shows("esc to close") || shows("esc close") {
        Reading::hidden(Activity::Dialog, "a dialog is open")
    } else {
        Reading::unknown("the cursor is not in an input box")
    }
}

/// It takes its time for every key, so there are few: each line is taken out up to its start, and then its start.
fn withdraw(text: &str) -> Vec<u8> {
    let mut keys = vec![0x05];
    keys.extend([0x15, 0x7f].repeat(text.lines().count().min(1_000) + 1));
    keys
}
