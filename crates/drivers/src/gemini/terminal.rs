//! How Gemini CLI looks, as of 0.61.0.
//!
//! The cursor is hidden, but parked where the person types. An empty box always has a placeholder. The title tells
//! whether it works or asks, but not that a dialog of its own is open, as at the start.

use std::time::Duration;

use crate::oracle::Title;
use crate::terminal::{
    Activity, InputBox, Place, Reading, Sight, Terminal, WhileBusy, backspaces, shows_words,
};

pub(crate) const TERMINAL: Terminal = Terminal {
    seen_on: "0.61.0",
    read,
    submit: "\r",
    withdraw: backspaces,
    while_busy: WhileBusy::Queues,
    lag: Duration::from_secs(1),
    // A return within 40 ms of a paste is a new line, and on a busy machine these 40 ms are long.
    settle: Duration::from_millis(400),
    collapsed: |draft| draft.starts_with("[Pasted Text: ") && draft.ends_with(']') && !draft.contains('\n'),
};

pub(crate) const TITLE: Title = Title { seen_on: "0.61.0", read: of_title, is_complete: false };

const PLACEHOLDERS: &[&str] = &["Type your message or @path/to/file", "Press 'Esc' for NORMAL mode."];

fn of_title(title: &str) -> Option<Activity> {
    match title.chars().next()? {
        '◇' => Some(Activity::Idle),
        '✦' | '⏲' => Some(Activity::Working),
        '✋' => Some(Activity::Permission),
        _ => None,
    }
}

fn read(sight: &Sight) -> Reading {
    let title = of_title(&sight.title);
    if title == Some(Activity::Permission) {
        return if shows_words(sight, 0, "Enter to select ·") {
            Reading::hidden(Activity::Question, "it asks a question with choices")
        } else {
            Reading::hidden(Activity::Permission, "the title says that it asks")
        };
    }
    let Some(place) = find(sight) else {
        return without_box(sight, title);
    };
    // Until its queue is empty: it forgets what is added in the moment in which it takes everything out.
    if sight.rows.iter().any(|row| row.trim() == "Queued (press ↑ to edit):") {
        return Reading::new(Some(Activity::Working), "prompts wait in its queue", input(sight, place));
    }
    let because = match title {
        Some(Activity::Working) => "the title says that it works",
        Some(_) => "the title says that it is ready",
        None => "the title says nothing",
    };
    Reading::new(title, because, input(sight, place))
}

/// The rows around the cursor, up to the one with the prompt and down to a blank one, or to a line where it has no colours.
fn find(sight: &Sight) -> Option<Place> {
    let cursor = usize::from(sight.cursor.0);
    let begins = |at: usize| {
        [" > ", " * ", " ! "].iter().any(|prompt| format!("{} ", sight.row(at)).starts_with(prompt))
    };
    let is_inside = |at: usize| sight.row(at).is_empty() || sight.row(at).starts_with("   ");
    let first = (0..=cursor).rev().find(|&at| begins(at) || !is_inside(at))?;
    let ends = |at: usize| sight.row(at).trim().is_empty() || sight.row(at).starts_with('─');
    let last = (cursor..sight.rows.len()).find(|&at| ends(at + 1))?;
    (begins(first) && !sight.cursor_visible).then_some(Place { first, last, column: 3 })
}

fn input(sight: &Sight, place: Place) -> InputBox {
    let is_other = ["Ctrl+R reverse-search", "[NORMAL]"].iter().any(|words| shows_words(sight, 0, words));
    if is_other || !place.holds_cursor(sight) {
        return InputBox::Unknown;
    }
    let is_shell = sight.row(place.first).starts_with(" !");
    let is_blank = sight.text_from(place.first, place.column).trim().is_empty();
    let is_placeholder = |text: &str| PLACEHOLDERS.contains(&text.trim());
    match place.input(sight, is_placeholder) {
        InputBox::Draft(text) if is_shell => InputBox::Draft(format!("!{text}")),
        InputBox::Draft(text)
            if place.is_at_start(sight) && is_placeholder(&text) && sight.is_colourless() =>
        {
            InputBox::Empty
        }
        // What is typed now goes to a shell.
        InputBox::Empty | InputBox::Unknown if is_shell => InputBox::Draft("!".to_owned()),
        InputBox::Empty if is_blank => InputBox::Unknown,
        other => other,
    }
}

fn without_box(sight: &Sight, title: Option<Activity>) -> Reading {
    let shows = |words: &str| shows_words(sight, 0, words);
    let is_dialog =
        ["Press Esc to close", "Esc to close", "Esc to cancel", "Use Enter to select", "Enter to select"];
    if title == Some(Activity::Working) {
        Reading::new(title, "the title says that it works", InputBox::Unknown)
    } else if is_dialog.iter().any(|words| shows(words)) {
        Reading::hidden(Activity::Dialog, "a dialog is open")
    } else {
        Reading::unknown("the cursor is not in an input box")
    }
}
