//! Characters in rows and columns.

use super::pen::Style;

/// How many combining characters one cell takes. More are nobody's writing.
const MOST_MARKS: usize = 16;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cell {
    pub c: char,
    pub width: Width,
    pub style: Style,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Width {
    One,
    /// The left half of a wide character.
    Two,
    /// The right half.
    Rest,
}

impl Cell {
    pub fn blank(style: Style) -> Self {
        Self { c: ' ', width: Width::One, style }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row {
    pub cells: Vec<Cell>,
    /// Combining characters, by the column of what they combine with, in order. There are hardly ever any.
    pub marks: Vec<(usize, String)>,
}

impl Row {
    fn new(cols: usize, style: Style) -> Self {
        Self { cells: vec![Cell::blank(style); cols], marks: Vec::new() }
    }

    fn clear(&mut self, style: Style) {
        self.cells.fill(Cell::blank(style));
        self.marks.clear();
    }

    /// Before cells `from..to` are changed: no half of a wide character may be left on either side.
    fn part(&mut self, from: usize, to: usize) {
        self.split_at(from);
        self.split_at(to);
        if !self.marks.is_empty() {
            self.marks.retain(|(col, _)| !(from..to).contains(col));
        }
    }

    /// If a wide character stands on both sides of this border, it is gone.
    fn split_at(&mut self, col: usize) {
        if self.cells.get(col).is_some_and(|cell| cell.width == Width::Rest) {
            for col in [col - 1, col] {
                if let Some(cell) = self.cells.get_mut(col) {
                    *cell = Cell::blank(cell.style);
                }
                self.marks.retain(|(marked, _)| *marked != col);
            }
        }
    }

    fn fill(&mut self, from: usize, to: usize, style: Style) {
        let to = to.min(self.cells.len());
        self.part(from, to);
        if let Some(cells) = self.cells.get_mut(from..to) {
            cells.fill(Cell::blank(style));
        }
    }

    fn resize(&mut self, cols: usize) {
        if cols < self.cells.len() {
            self.split_at(cols);
            self.marks.retain(|(col, _)| *col < cols);
        }
        self.cells.resize(cols, Cell::blank(Style::default()));
    }

    /// The text from `from` to `to`, with every column that shows nothing as a blank.
    pub fn text(&self, from: usize, to: usize) -> String {
        let mut text = String::new();
        for (col, cell) in self.cells.iter().enumerate().take(to).skip(from) {
            if cell.width == Width::Rest {
                continue;
            }
            text.push(cell.c);
            if let Some((_, marks)) = self.marks.iter().find(|(marked, _)| *marked == col) {
                text.push_str(marks);
            }
        }
        text
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Grid {
    pub rows: Vec<Row>,
    pub cols: usize,
}

impl Grid {
    pub fn new(rows: usize, cols: usize) -> Self {
        Self { rows: vec![Row::new(cols, Style::default()); rows], cols }
    }

    pub fn clear(&mut self, style: Style) {
        self.rows.iter_mut().for_each(|row| row.clear(style));
    }

    /// Clear cells of one row.
    pub fn erase(&mut self, row: usize, from: usize, to: usize, style: Style) {
        if let Some(row) = self.rows.get_mut(row) {
            row.fill(from, to, style);
        }
    }

    /// Clear whole rows.
    pub fn erase_rows(&mut self, from: usize, to: usize, style: Style) {
        if let Some(rows) = self.rows.get_mut(from..to) {
            rows.iter_mut().for_each(|row| row.clear(style));
        }
    }

    /// Move rows `top..end` up by `count`; blank ones come in at the bottom.
    pub fn scroll_up(&mut self, top: usize, end: usize, count: usize, style: Style) {
        let Some(rows) = self.rows.get_mut(top..end) else { return };
        let count = count.min(rows.len());
        rows.rotate_left(count);
        let kept = rows.len() - count;
        rows.iter_mut().skip(kept).for_each(|row| row.clear(style));
    }

    pub fn scroll_down(&mut self, top: usize, end: usize, count: usize, style: Style) {
        let Some(rows) = self.rows.get_mut(top..end) else { return };
        let count = count.min(rows.len());
        rows.rotate_right(count);
        rows.iter_mut().take(count).for_each(|row| row.clear(style));
    }

    /// Move the rest of a row to the right; what does not fit is gone.
    pub fn insert(&mut self, row: usize, col: usize, count: usize, style: Style) {
        let cols = self.cols;
        let count = count.min(cols.saturating_sub(col));
        let Some(row) = self.rows.get_mut(row) else { return };
        row.split_at(col);
        row.split_at(cols - count);
        row.marks.retain(|(marked, _)| *marked < cols - count || *marked < col);
        row.marks.iter_mut().filter(|(marked, _)| *marked >= col).for_each(|(marked, _)| *marked += count);
        if let Some(cells) = row.cells.get_mut(col..) {
            cells.rotate_right(count);
            cells.iter_mut().take(count).for_each(|cell| *cell = Cell::blank(style));
        }
    }

    /// Move the rest of a row to the left, over `count` cells.
    pub fn delete(&mut self, row: usize, col: usize, count: usize, style: Style) {
        let cols = self.cols;
        let count = count.min(cols.saturating_sub(col));
        let Some(row) = self.rows.get_mut(row) else { return };
        row.part(col, col + count);
        row.marks.iter_mut().filter(|(marked, _)| *marked >= col).for_each(|(marked, _)| *marked -= count);
        if let Some(cells) = row.cells.get_mut(col..) {
            cells.rotate_left(count);
            let kept = cells.len() - count;
            cells.iter_mut().skip(kept).for_each(|cell| *cell = Cell::blank(style));
        }
    }

    /// Write narrow ASCII characters, all of which fit.
    pub fn write_ascii(&mut self, row: usize, col: usize, text: &[u8], style: Style) {
        let Some(row) = self.rows.get_mut(row) else { return };
        let end = col + text.len();
        row.part(col, end);
        if let Some(cells) = row.cells.get_mut(col..end) {
            for (cell, byte) in cells.iter_mut().zip(text) {
                *cell = Cell { c: char::from(*byte), width: Width::One, style };
            }
        }
    }

    /// Write one character that fits.
    pub fn write(&mut self, row: usize, col: usize, c: char, is_wide: bool, style: Style) {
        let Some(row) = self.rows.get_mut(row) else { return };
        let end = col + if is_wide { 2 } else { 1 };
        row.part(col, end);
        if let Some(cells) = row.cells.get_mut(col..end) {
            for (nth, cell) in cells.iter_mut().enumerate() {
                *cell = match (is_wide, nth) {
                    (false, _) => Cell { c, width: Width::One, style },
                    (true, 0) => Cell { c, width: Width::Two, style },
                    (true, _) => Cell { c: ' ', width: Width::Rest, style },
                };
            }
        }
    }

    /// Put a combining character on what stands there.
    pub fn mark(&mut self, row: usize, col: usize, c: char) {
        let Some(row) = self.rows.get_mut(row) else { return };
        let is_rest = row.cells.get(col).is_some_and(|cell| cell.width == Width::Rest);
        let col = if is_rest { col - 1 } else { col };
        match row.marks.binary_search_by_key(&col, |(marked, _)| *marked) {
            Ok(at) => {
                if let Some((_, marks)) =
                    row.marks.get_mut(at).filter(|(_, marks)| marks.chars().count() < MOST_MARKS)
                {
                    marks.push(c);
                }
            }
            Err(at) => row.marks.insert(at, (col, c.to_string())),
        }
    }

    /// Give it another size. Rows go at the top as far as the cursor would otherwise be cut off, and then at the
    /// bottom. How many went at the top.
    pub fn resize(&mut self, rows: usize, cols: usize, cursor: usize) -> usize {
        let above = (cursor + 1).saturating_sub(rows);
        self.rows.drain(..above);
        self.rows.resize_with(rows, || Row::new(cols, Style::default()));
        self.rows.iter_mut().for_each(|row| row.resize(cols));
        self.cols = cols;
        above
    }
}
