//! How Claude Code looks, as of 2.1.197.
//!
//! The box stands between two rules. Its first row begins with `❯` and a no-break space; what was sent off earlier has an
//! ordinary space there, as have the choices of a dialog. The cursor is hidden, but parked where the person types. On a
//! small screen it draws over its own output, and the rule above the box may be gone: then nothing is certain.

use std::time::Duration;

use crate::terminal::{Activity, InputBox, Place, Reading, Sight, Terminal, WhileBusy, is_rule, shows_words};

pub(crate) const TERMINAL: Terminal = Terminal {
    seen_on: "2.1.197",
    read,
    submit: "\r",
    withdraw,
    while_busy: WhileBusy::Queues,
    lag: Duration::from_secs(1),
    settle: Duration::ZERO,
    collapsed: |draft| draft.starts_with("[Pasted text #") && draft.ends_with(']') && !draft.contains('\n'),
};

/// In the box of a fresh session, or of one where messages wait. Any other faint text may be a proposal that Enter
/// would send off.
const PLACEHOLDERS: &[&str] = &["Try \"", "Press up to edit queued messages"];

/// How it asks whether it may do something.
const ASKS: &[&str] = &["Do you want to", "exit plan mode", "Would you like to proceed"];

fn read(sight: &Sight) -> Reading {
    if sight.title.ends_with("claude agents") {
        return Reading::hidden(Activity::Dialog, "the list of agents is open");
    }
    let place = find(sight);
    let below = place.map_or(0, |place| place.last + 1);
    let is_working = sight.title.starts_with(['⠂', '⠐']);
    let (activity, because) = match place {
        _ if is_working => (Some(Activity::Working), "the title shows a spinner"),
        Some(_) if shows_words(sight, below, "esc to interrupt") => {
            (Some(Activity::Working), "it says that Escape interrupts")
        }
        Some(place) if place.holds_cursor(sight) && !sight.cursor_visible => {
            (Some(Activity::Idle), "the input box waits")
        }
        Some(_) => (None, "the cursor is not in the input box"),
        None => return without_box(sight),
    };
    let input = place.map_or(InputBox::Unknown, |place| input(sight, place));
    Reading::new(activity, because, input)
}

fn find(sight: &Sight) -> Option<Place> {
    let is_prompt = |row: &str| {
        let mut letters = row.chars();
        matches!(letters.next(), Some('❯' | '!')) && matches!(letters.next(), None | Some('\u{a0}'))
    };
    let first = (1..sight.rows.len()).rev().find(|&at| is_prompt(sight.row(at)))?;
    let rule = (first + 1..sight.rows.len()).find(|&at| is_rule(sight.row(at), '─'))?;
    is_rule(sight.row(first - 1), '─').then_some(Place { first, last: rule - 1, column: 2 })
}

fn input(sight: &Sight, place: Place) -> InputBox {
    let below = place.last + 1;
    if sight.cursor_visible || !place.holds_cursor(sight) {
        return InputBox::Unknown;
    }
    // In every mode of its vim but the ordinary ones, a paste is a command.
    let has_mode = |row: &String| row.trim_start().starts_with("-- ") && !row.contains("-- INSERT --");
    if sight.rows.iter().skip(below).any(has_mode) || shows_words(sight, below, "/ for commands") {
        return InputBox::Unknown;
    }
    let input = place.input(sight, |text| PLACEHOLDERS.iter().any(|known| text.starts_with(known)));
    match input {
        // What is typed now goes to a shell.
        InputBox::Empty | InputBox::Draft(_) if sight.row(place.first).starts_with('!') => match input {
            InputBox::Draft(text) => InputBox::Draft(format!("!{text}")),
            _ => InputBox::Draft("!".to_owned()),
        },
        other => other,
    }
}

/// What has the keys where there is no box.
fn without_box(sight: &Sight) -> Reading {
    let shows = |words: &str| shows_words(sight, 0, words);
    let is_choice = |row: &String| {
        let choice = row.trim_start().strip_prefix("❯ ");
        choice.is_some_and(|text| text.starts_with(|first: char| first.is_ascii_digit()))
    };
    let chooses = sight.rows.iter().any(is_choice);
    if shows("Enter to select ·") {
        Reading::hidden(Activity::Question, "it asks a question with choices")
    } else if shows("Enter to confirm") {
        Reading::hidden(Activity::Dialog, "a dialog is open")
    } else if chooses && ASKS.iter().any(|words| shows(words)) {
        Reading::hidden(Activity::Permission, "it asks whether it may")
    } else if shows("Esc to cancel") || shows("Esc to exit") {
        Reading::hidden(Activity::Dialog, "a dialog is open")
    } else if shows("Showing detailed transcript") {
        Reading::hidden(Activity::Dialog, "the transcript is shown")
    } else if sight.title.starts_with(['⠂', '⠐']) {
        Reading::new(Some(Activity::Working), "the title shows a spinner", InputBox::Unknown)
    } else {
        Reading::unknown("there is no input box")
    }
}

/// Ctrl-U takes out a line up to the cursor, and then the end of the line before. Not Ctrl-C: pressed twice, it exits.
/// Once too often does nothing, but a hundred keys at once do not count as keys. A text of many lines is one mark.
fn withdraw(text: &str) -> Vec<u8> {
    let rows = 2 * text.lines().count() + text.chars().count() / 30;
    let mut keys = vec![0x05];
    keys.resize(rows.min(60) + 3, 0x15);
    keys
}
