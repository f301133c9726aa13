//! The state, drawn. Nothing is decided here and nothing is remembered; only what is visible is looked at.

mod agents;
mod board;
mod decisions;
mod feed;
mod flow;
mod list;
mod now;
mod page;
mod pen;
mod prompt;
mod queue;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::keys;
use crate::layout;
use crate::state::{Screen, State};
use crate::style::Look;
use crate::text;

pub use pen::Pen;

/// Draw everything; where the cursor is to be seen, if anywhere.
pub fn draw(state: &State, buffer: &mut Buffer) -> Option<Position> {
    let mut pen = Pen::new(buffer, state.palette);
    if layout::is_too_small(state) {
        too_small(state, &mut pen);
        return None;
    }
    head(state, &mut pen);
    if state.pages.is_empty() {
        match state.screen {
            Screen::Now => now::draw(state, &mut pen),
            Screen::Board => board::draw(state, &mut pen),
            Screen::List => list::draw(state, &mut pen),
            Screen::Agents => agents::draw(state, &mut pen),
            Screen::Queue => queue::draw(state, &mut pen),
            Screen::Decisions => decisions::draw(state, &mut pen),
            Screen::Feed => feed::draw(state, &mut pen),
            Screen::Flow => flow::draw(state, &mut pen),
        }
    } else {
        page::draw(state, &mut pen);
    }
    foot(state, &mut pen);
    if state.help {
        help(state, &mut pen);
    }
    notice(state, &mut pen);
    prompt::draw(state, &mut pen)
}

fn too_small(state: &State, pen: &mut Pen<'_>) {
    let (cols, rows) = layout::LEAST;
    let words = format!(
        "The board needs {cols} columns and {rows} rows, and this terminal has {} and {}. Make it larger, or press q.",
        state.cols, state.rows
    );
    for (y, line) in (0..state.rows).zip(text::wrap(&words, usize::from(state.cols))) {
        pen.put(0, y, state.cols, &line, Look::Text);
    }
}

/// The tabs, and what is sifted by.
fn head(state: &State, pen: &mut Pen<'_>) {
    for (screen, x, width) in layout::tabs(state) {
        let look = match screen {
            _ if screen == state.screen => Look::Here,
            Screen::Now if state.needs() > 0 => Look::Warm,
            _ => Look::Text,
        };
        pen.put(x, 0, width, &layout::tab_title(state, screen), look);
    }
    let sieve = &state.sieve;
    let named = [("", &sieve.project), ("", &sieve.priority), ("@", &sieve.assignee), ("#", &sieve.tag)];
    let mut shown: Vec<String> = named
        .iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(mark, value)| format!("{mark}{value}"))
        .collect();
    if !sieve.text.is_empty() {
        shown.push(format!("“{}”", sieve.text));
    }
    let mut x = 1;
    if let Some(trouble) = &state.trouble {
        pen.put(x, 1, state.cols - 2, &trouble.message, Look::Bad);
        return;
    }
    if shown.is_empty() {
        pen.put(x, 1, state.cols - 2, "all projects", Look::Dim);
    } else {
        x += pen.put(x, 1, state.cols - 2, "only ", Look::Dim);
        pen.put(x, 1, state.cols - 1 - x, &shown.join(" · "), Look::Strong);
    }
    let clock = text::clock(&signalbox_core::time::exact(state.now), state.now);
    let busy = if state.sent.is_empty() { "" } else { "doing it …  " };
    let right = format!("{busy}{} UTC", clock.get(..5).unwrap_or_default());
    let width = u16::try_from(text::width(&right)).unwrap_or(0);
    pen.put(state.cols.saturating_sub(width + 1), 1, width, &right, Look::Dim);
}

/// The keys that count here.
fn foot(state: &State, pen: &mut Pen<'_>) {
    let y = state.rows - 1;
    if let Some(drag) = &state.drag
        && let Some(over) = drag.over
        && let Some(column) = state.views.board.as_ref().and_then(|board| board.columns.get(over))
    {
        pen.put(1, y, state.cols - 2, &format!("{} to {}", drag.ticket, column.status), Look::Warm);
        return;
    }
    // The last ones, help and quit, are always there.
    let mut x = 1;
    let shown: Vec<_> = keys::here(state).filter(|key| !key.short.is_empty()).collect();
    let (usual, last) = shown.split_at(shown.len().saturating_sub(2));
    let width = |key: &&keys::Key| text::width(key.key) + 1 + text::width(key.short) + 2;
    let kept: usize = last.iter().map(width).sum();
    let mut room = usize::from(state.cols).saturating_sub(kept + 1);
    for key in usual {
        if width(key) > room {
            break;
        }
        room -= width(key);
        x = put_key(pen, x, y, key);
    }
    for key in last {
        x = put_key(pen, x, y, key);
    }
}

fn put_key(pen: &mut Pen<'_>, mut x: u16, y: u16, key: &keys::Key) -> u16 {
    x += pen.put(x, y, u16::MAX, key.key, Look::Key);
    x += pen.put(x + 1, y, u16::MAX, key.short, Look::Text);
    x + 3
}

/// Every key that counts here.
fn help(state: &State, pen: &mut Pen<'_>) {
    let keys: Vec<_> = keys::here(state).collect();
    let height = u16::try_from(keys.len()).unwrap_or(u16::MAX).saturating_add(2).min(state.rows);
    let width = 76.min(state.cols - 2);
    let area = Rect::new((state.cols - width) / 2, (state.rows - height) / 2, width, height);
    pen.frame(area, "Keys here; any key closes this");
    for (y, key) in (area.y + 1..area.bottom() - 1).zip(keys) {
        pen.put(area.x + 2, y, 9, key.key, Look::Key);
        pen.put(area.x + 11, y, area.width - 13, key.long, Look::Text);
    }
}

/// Words for the person, above the keys.
fn notice(state: &State, pen: &mut Pen<'_>) {
    let Some(notice) = &state.notice else { return };
    let width = usize::from(state.cols - 6);
    let mut lines: Vec<(Look, String)> = Vec::new();
    for (number, words) in notice.lines.iter().enumerate() {
        let look = match (number, notice.is_bad) {
            (0, true) => Look::Bad,
            (0, false) => Look::Good,
            _ => Look::Text,
        };
        lines.extend(text::wrap(words, width).into_iter().map(|line| (look, line)));
    }
    let height = u16::try_from(lines.len()).unwrap_or(u16::MAX).min(8) + 2;
    let area = Rect::new(1, state.rows - 1 - height, state.cols - 2, height);
    pen.frame(area, if notice.is_bad { "Refused" } else { "" });
    for (y, (look, line)) in (area.y + 1..area.bottom() - 1).zip(lines) {
        pen.put(area.x + 2, y, area.width - 4, &line, look);
    }
}

#[cfg(test)]
#[path = "../draw_tests.rs"]
mod tests;
