//! What happened, the newest first, one a line.

use ratatui::layout::Rect;

use super::Pen;
use crate::layout;
use crate::state::State;
use crate::style::Look;
use crate::text;

pub fn draw(state: &State, pen: &mut Pen<'_>) {
    let area = layout::content(state);
    let (Some(feed), Some(table)) = (&state.views.feed, layout::table(state)) else {
        pen.put(1, area.y, area.width, "Reading …", Look::Dim);
        return;
    };
    let place = state.place();
    let shown = feed.entries.iter().enumerate().skip(place.top).take(table.shown());
    for (y, (row, entry)) in (area.y..).zip(shown) {
        pen.put(1, y, 11, &text::clock(&entry.at, state.now), Look::Dim);
        pen.put(13, y, 19, &entry.event, Look::Name);
        pen.put(33, y, 9, entry.ticket.as_deref().unwrap_or_default(), Look::Text);
        let words = entry.words.lines().map(str::trim).collect::<Vec<_>>().join(" ");
        let actor = format!("{}  ", entry.actor);
        pen.pieces(43, y, area.width - 44, &[(Look::Strong, &actor), (Look::Text, &words)]);
        if row == place.cursor {
            pen.mark(Rect::new(0, y, area.width, 1), Look::Here);
        }
    }
    let top = area.bottom().saturating_sub(layout::WHOLE);
    if let Some(entry) = feed.entries.get(place.cursor) {
        pen.rule(area.x, top, area.width, &format!("{} at {}", entry.event, entry.at));
        let lines = text::wrap(entry.words.trim_end(), usize::from(area.width - 2));
        for (y, line) in (top + 1..area.bottom()).zip(lines) {
            pen.put(1, y, area.width - 2, &line, Look::Text);
        }
    }
    if feed.entries.is_empty() {
        pen.put(1, area.y, area.width - 2, "Nothing has happened that is like this.", Look::Dim);
    }
}
