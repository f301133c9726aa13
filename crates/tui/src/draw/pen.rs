//! Writing on the buffer. Every text goes through [`crate::text::plain`] here, so that nothing that a terminal acts on
//! can come past, whoever forgot what.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::paper::Row;
use crate::style::{Look, Palette};
use crate::text;

pub struct Pen<'a> {
    buffer: &'a mut Buffer,
    palette: Palette,
}

impl<'a> Pen<'a> {
    pub fn new(buffer: &'a mut Buffer, palette: Palette) -> Self {
        Self { buffer, palette }
    }

    /// Write at most so many columns of a text; how many it took.
    pub fn put(&mut self, x: u16, y: u16, most: u16, words: &str, look: Look) -> u16 {
        let style = self.palette.style(look);
        self.put_styled(x, y, most, words, style)
    }

    pub fn put_styled(&mut self, x: u16, y: u16, most: u16, words: &str, style: Style) -> u16 {
        let area = self.buffer.area;
        if y >= area.bottom() || x >= area.right() {
            return 0;
        }
        let most = usize::from(most.min(area.right() - x));
        let plain = text::plain(words);
        let shown = text::clip(&plain, most);
        let (end, _) = self.buffer.set_stringn(x, y, shown, most, style);
        end - x
    }

    /// Write pieces one after the other within so many columns.
    pub fn pieces(&mut self, mut x: u16, y: u16, most: u16, pieces: &[(Look, &str)]) -> u16 {
        let end = x.saturating_add(most);
        for (look, words) in pieces {
            x += self.put(x, y, end.saturating_sub(x), words, *look);
        }
        x
    }

    /// Write a row of a page.
    pub fn row(&mut self, mut x: u16, y: u16, most: u16, row: &Row) {
        let end = x.saturating_add(most);
        for piece in &row.pieces {
            x += self.put(x, y, end.saturating_sub(x), &piece.text, piece.look);
        }
    }

    /// Make what stands there look like this too.
    pub fn mark(&mut self, area: Rect, look: Look) {
        self.buffer.set_style(area.intersection(self.buffer.area), self.palette.style(look));
    }

    pub fn clear(&mut self, area: Rect) {
        let area = area.intersection(self.buffer.area);
        for position in area.positions() {
            if let Some(cell) = self.buffer.cell_mut(position) {
                cell.reset();
            }
        }
        // Half of a wide character must not stay at the edge.
        for y in area.top()..area.bottom() {
            if let Some(left) = area.x.checked_sub(1)
                && let Some(cell) = self.buffer.cell_mut((left, y))
                && text::width(cell.symbol()) > 1
            {
                cell.reset();
            }
        }
    }

    /// A line across.
    pub fn rule(&mut self, x: u16, y: u16, width: u16, title: &str) {
        self.put(x, y, width, &"─".repeat(usize::from(width)), Look::Dim);
        if !title.is_empty() {
            self.put(x + 1, y, width.saturating_sub(2), &format!(" {title} "), Look::Strong);
        }
    }

    /// A line down.
    pub fn wall(&mut self, x: u16, top: u16, bottom: u16) {
        for y in top..bottom {
            self.put(x, y, 1, "│", Look::Dim);
        }
    }

    /// An empty box with a title, over what was there.
    pub fn frame(&mut self, area: Rect, title: &str) {
        self.clear(area);
        let inner = usize::from(area.width.saturating_sub(2));
        let line = "─".repeat(inner);
        self.put(area.x, area.y, area.width, &format!("╭{line}╮"), Look::Dim);
        self.put(area.x, area.bottom().saturating_sub(1), area.width, &format!("╰{line}╯"), Look::Dim);
        for y in area.y + 1..area.bottom().saturating_sub(1) {
            self.put(area.x, y, 1, "│", Look::Dim);
            self.put(area.right().saturating_sub(1), y, 1, "│", Look::Dim);
        }
        if !title.is_empty() {
            self.put(area.x + 2, area.y, area.width.saturating_sub(4), &format!(" {title} "), Look::Strong);
        }
    }
}
