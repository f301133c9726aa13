//! Tickets in an order, one a line.

use ratatui::layout::Rect;

use super::Pen;
use super::board::flags;
use crate::layout;
use crate::state::State;
use crate::style::{self, Look};
use crate::text;

pub fn draw(state: &State, pen: &mut Pen<'_>) {
    let area = layout::content(state);
    let (Some(list), Some(table)) = (&state.views.list, layout::table(state)) else {
        pen.put(1, area.y, area.width, "Reading …", Look::Dim);
        return;
    };
    let beside = area.width - 12;
    for (x, words, sort) in layout::heads(state) {
        pen.put(x, area.y, 12, words, if sort == state.sort { Look::There } else { Look::Dim });
    }
    let order = format!(" by {} · {} ", state.sort.as_str(), text::counted(list.total, "ticket"));
    pen.put(38, area.y, beside.saturating_sub(39), &order, Look::Dim);
    let place = state.place();
    for (y, row) in (table.area.top()..table.area.bottom()).zip(place.top..list.total) {
        match state.listed(row) {
            Some(card) => {
                pen.put(1, y, 4, &card.priority, style::priority(&card.priority));
                pen.put(6, y, 10, &card.id, Look::Name);
                pen.put(17, y, 12, &card.status, style::status(&card.status));
                let (flags, look) = flags(card);
                let mut x = 30;
                if !flags.is_empty() {
                    x += pen.put(x, y, 16, &flags, look) + 1;
                }
                let who = card.assignee.as_deref().map(|name| format!("  @{name}")).unwrap_or_default();
                let tags =
                    if card.tags.is_empty() { String::new() } else { format!("  #{}", card.tags.join(" #")) };
                let project = if state.sieve.project.is_empty() {
                    format!("  {}", card.project)
                } else {
                    String::new()
                };
                let end = beside - 1;
                x += pen.put(x, y, end.saturating_sub(x), &card.title, Look::Text);
                pen.put(x, y, end.saturating_sub(x), &format!("{who}{tags}{project}"), Look::Dim);
                pen.put(beside, y, 11, &text::age(&card.updated, state.now), Look::Dim);
            }
            None => {
                pen.put(1, y, 10, "…", Look::Dim);
            }
        }
        if row == place.cursor {
            pen.mark(Rect::new(0, y, area.width, 1), Look::Here);
        }
    }
    if list.total == 0 {
        pen.put(1, area.y + 1, area.width - 2, "No ticket is like this.", Look::Dim);
    }
}
