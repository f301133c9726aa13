//! The board: a column for each status, as many as there is room for.

use ratatui::layout::Rect;
use signalbox_desk::Card;

use super::Pen;
use crate::layout::{self, CARD};
use crate::state::{COLUMNS, State};
use crate::style::{self, Look};
use crate::text;

pub fn draw(state: &State, pen: &mut Pen<'_>) {
    let area = layout::content(state);
    let Some(board) = &state.views.board else {
        pen.put(1, area.y, area.width, "Reading …", Look::Dim);
        return;
    };
    let visible = layout::columns(state);
    for (at, area) in &visible {
        let Some(column) = board.columns.get(*at) else { continue };
        let is_here = state.columns.at == *at;
        let is_target = state.drag.as_ref().is_some_and(|drag| drag.over == Some(*at) && drag.from != *at);
        let title = format!("{} {}", column.status, column.count);
        let look = if is_target { Look::Here } else { style::status(&column.status) };
        let used = pen.put(area.x + 1, area.y, area.width - 2, &title, look);
        if is_here {
            pen.mark(Rect::new(area.x + 1, area.y, used, 1), Look::Strong);
            pen.mark(Rect::new(area.x + 1, area.y, used, 1), Look::There);
        }
        pen.rule(area.x, area.y + 1, area.width - 1, "");
        let place = state.columns.places[*at];
        let shown = column.cards.iter().enumerate().skip(place.top).take(layout::cards_shown(state));
        for (y, (row, card)) in (area.y + 2..).step_by(usize::from(CARD)).zip(shown) {
            let place_of = Rect::new(area.x, y, area.width - 1, CARD);
            draw_card(pen, place_of, card, state);
            if is_here && row == place.cursor {
                pen.mark(Rect { width: place_of.width - 1, x: place_of.x + 1, ..place_of }, Look::Here);
            }
        }
        if column.cards.is_empty() {
            pen.put(area.x + 1, area.y + 2, area.width - 2, "none", Look::Dim);
        }
    }
    edges(state, pen, &visible);
}

/// What is beyond the left and the right edge.
fn edges(state: &State, pen: &mut Pen<'_>, visible: &[(usize, Rect)]) {
    let (Some((first, _)), Some((last, _))) = (visible.first(), visible.last()) else { return };
    let y = layout::content(state).y + 1;
    if *first > 0 {
        pen.put(0, y, 12, &format!("◂ {first} more "), Look::Strong);
    }
    let after = COLUMNS - 1 - last;
    if after > 0 {
        let words = format!(" {after} more ▸");
        let width = u16::try_from(text::width(&words)).unwrap_or(0);
        pen.put(state.cols - width, y, width, &words, Look::Strong);
    }
}

fn draw_card(pen: &mut Pen<'_>, area: Rect, card: &Card, state: &State) {
    let width = area.width.saturating_sub(2);
    for y in area.top()..area.bottom() {
        pen.put(area.x, y, 1, "▌", style::priority(&card.priority));
    }
    let mut lines = text::wrap(&card.title, usize::from(width)).into_iter();
    let first = lines.next().unwrap_or_default();
    let rest: Vec<String> = lines.collect();
    pen.put(area.x + 1, area.y, width, &first, Look::Strong);
    pen.put(area.x + 1, area.y + 1, width, &rest.join(" "), Look::Text);
    let (flags, look) = flags(card);
    let id = card.id.trim_start_matches("sb_");
    let mut beside = format!("{} {id}", card.priority);
    if state.sieve.project.is_empty() {
        beside = format!("{beside} {}", card.project);
    }
    if let Some(name) = &card.assignee {
        beside = format!("{beside} @{name}");
    }
    let mut x = area.x + 1;
    if !flags.is_empty() {
        x += pen.put(x, area.y + 2, width, &format!("{flags} "), look);
    }
    pen.put(x, area.y + 2, (area.x + 1 + width).saturating_sub(x), &beside, Look::Dim);
}

/// What somebody should see at once: a question, a hold, what it waits for, the merge queue.
pub fn flags(card: &Card) -> (String, Look) {
    if card.escalated {
        ("asks you".to_owned(), Look::Warm)
    } else if card.held.is_some() {
        ("on hold".to_owned(), Look::Bad)
    } else if card.waits > 0 {
        (format!("waits for {}", card.waits), Look::Bad)
    } else if let Some(stage) = &card.stage {
        (stage.clone(), Look::Name)
    } else if card.attempts > 1 {
        (format!("try {}", card.attempts), Look::Warm)
    } else {
        (String::new(), Look::Text)
    }
}
