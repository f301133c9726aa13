//! One ticket.

use ratatui::layout::Rect;

use super::Pen;
use crate::layout;
use crate::state::State;
use crate::style::{self, Look};

pub fn draw(state: &State, pen: &mut Pen<'_>) {
    let Some(page) = state.pages.last() else { return };
    let area = layout::content(state);
    let (status, title) = match &page.view {
        Some(view) => (view.card.status.as_str(), view.card.title.as_str()),
        None => ("", ""),
    };
    let id = format!("{}  ", page.id);
    let word = format!("{status}  ");
    pen.pieces(
        1,
        area.y,
        area.width - 2,
        &[(Look::Name, &id), (style::status(status), &word), (Look::Strong, title)],
    );
    for (tab, x, width) in layout::page_tabs(state) {
        let look = if tab == page.tab { Look::Here } else { Look::Dim };
        pen.put(x, area.y + 1, width, &format!(" {} ", tab.title()), look);
    }
    let inner = layout::page(state);
    let shown = usize::from(inner.height);
    if page.rows.len() > shown {
        let last = (page.top + shown).min(page.rows.len());
        let words = format!("lines {} to {last} of {}", page.top + 1, page.rows.len());
        let width = u16::try_from(words.len()).unwrap_or(0);
        pen.put(area.right().saturating_sub(width + 1), area.y + 1, width, &words, Look::Dim);
    }
    for (y, (at, row)) in (inner.top()..inner.bottom()).zip(page.rows.iter().enumerate().skip(page.top)) {
        pen.row(inner.x, y, inner.width, row);
        if page.link == Some(at) {
            pen.mark(Rect::new(inner.x, y, inner.width, 1), Look::Here);
        }
    }
}
