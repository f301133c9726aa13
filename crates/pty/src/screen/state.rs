//! The state of a terminal, and the steps that change it.

mod act;

use unicode_width::UnicodeWidthChar;

use super::grid::Grid;
use super::modes::Modes;
use super::pen::Style;
use crate::parse::Sequence;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct State {
    /// The primary screen and the alternate one.
    pub grids: [Grid; 2],
    pub is_alternate: bool,
    pub cursor: Cursor,
    /// What DECSC saved on either screen.
    pub saved: [Cursor; 2],
    /// Rows that scroll: the first, and the one after the last.
    pub top: usize,
    pub end: usize,
    pub tabs: Vec<bool>,
    pub is_inserting: bool,
    pub is_wrapping: bool,
    /// A line feed also returns the carriage.
    pub is_new_line: bool,
    pub modes: Modes,
    /// What REP repeats.
    pub last: Option<char>,
}

/// Where the next character goes and how it looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Cursor {
    pub row: usize,
    pub col: usize,
    /// The last column was written: the next character goes to the next row.
    pub wraps: bool,
    pub style: Style,
    /// Whether G0 and G1 are line drawing, and which of them is in use.
    pub is_drawing: [bool; 2],
    pub is_shifted: bool,
    /// Rows are counted from the top margin.
    pub is_origin: bool,
}

impl State {
    pub fn new(rows: usize, cols: usize) -> Self {
        Self {
            grids: [Grid::new(rows, cols), Grid::new(rows, cols)],
            is_alternate: false,
            cursor: Cursor::default(),
            saved: [Cursor::default(); 2],
            top: 0,
            end: rows,
            tabs: default_tabs(cols),
            is_inserting: false,
            is_wrapping: true,
            is_new_line: false,
            modes: Modes::default(),
            last: None,
        }
    }

    pub fn rows(&self) -> usize {
        self.grids[0].rows.len()
    }

    pub fn cols(&self) -> usize {
        self.grids[0].cols
    }

    pub fn grid(&self) -> &Grid {
        &self.grids[usize::from(self.is_alternate)]
    }

    fn grid_mut(&mut self) -> &mut Grid {
        &mut self.grids[usize::from(self.is_alternate)]
    }

    pub fn resize(&mut self, rows: usize, cols: usize) {
        let cursor_on = |state: &Self, which: usize| {
            if usize::from(state.is_alternate) == which { state.cursor.row } else { state.saved[which].row }
        };
        for which in 0..2 {
            let cursor = cursor_on(self, which);
            let above = self.grids[which].resize(rows, cols, cursor);
            self.saved[which].row = self.saved[which].row.saturating_sub(above);
            self.saved[which].fit(rows, cols);
            if usize::from(self.is_alternate) == which {
                self.cursor.row = self.cursor.row.saturating_sub(above);
            }
        }
        self.cursor.fit(rows, cols);
        (self.top, self.end) = (0, rows);
        let known = self.tabs.len();
        self.tabs.resize(cols, false);
        for col in known..cols {
            self.tabs[col] = col % 8 == 0;
        }
    }

    /// Whether all rows scroll.
    pub fn scrolls_whole(&self) -> bool {
        self.top == 0 && self.end == self.rows()
    }

    fn go(&mut self, row: usize, col: usize) {
        self.cursor.row = row.min(self.rows() - 1);
        self.cursor.col = col.min(self.cols() - 1);
        self.cursor.wraps = false;
    }

    /// Where rows are counted from, and where they end.
    fn page(&self) -> (usize, usize) {
        if self.cursor.is_origin { (self.top, self.end) } else { (0, self.rows()) }
    }

    fn go_in_page(&mut self, row: usize, col: usize) {
        let (top, end) = self.page();
        self.go((top + row).min(end - 1), col);
    }

    fn up(&mut self, count: usize) {
        let limit = if self.cursor.row >= self.top { self.top } else { 0 };
        self.go(self.cursor.row.saturating_sub(count).max(limit), self.cursor.col);
    }

    fn down(&mut self, count: usize) {
        let limit = if self.cursor.row < self.end { self.end } else { self.rows() };
        self.go((self.cursor.row + count).min(limit - 1), self.cursor.col);
    }

    fn index(&mut self) {
        self.cursor.wraps = false;
        if self.cursor.row + 1 == self.end {
            let (top, end, style) = (self.top, self.end, self.cursor.style.erased());
            self.grid_mut().scroll_up(top, end, 1, style);
        } else if self.cursor.row + 1 < self.rows() {
            self.cursor.row += 1;
        }
    }

    fn reverse_index(&mut self) {
        self.cursor.wraps = false;
        if self.cursor.row == self.top {
            let (top, end, style) = (self.top, self.end, self.cursor.style.erased());
            self.grid_mut().scroll_down(top, end, 1, style);
        } else {
            self.cursor.row = self.cursor.row.saturating_sub(1);
        }
    }

    fn tab(&mut self, count: usize) {
        let last = self.cols() - 1;
        let stops = (self.cursor.col + 1..last).filter(|col| self.tabs[*col]);
        self.cursor.col =
            stops.chain(std::iter::repeat(last)).nth(count.saturating_sub(1).min(last)).unwrap_or(last);
        self.cursor.wraps = false;
    }

    fn tab_back(&mut self, count: usize) {
        let stops = (0..self.cursor.col).rev().filter(|col| self.tabs[*col]);
        self.cursor.col = stops.take(count.max(1)).last().filter(|_| count > 0).unwrap_or(0);
        self.cursor.wraps = false;
    }

    fn save(&mut self) {
        self.saved[usize::from(self.is_alternate)] = self.cursor;
    }

    fn restore(&mut self) {
        self.cursor = self.saved[usize::from(self.is_alternate)];
        self.cursor.fit(self.rows(), self.cols());
        if self.cursor.is_origin {
            let row = self.cursor.row.clamp(self.top, self.end - 1);
            self.cursor.wraps &= row == self.cursor.row;
            self.cursor.row = row;
        }
    }

    /// The alternate screen keeps nothing while it is not shown.
    fn switch_screen(&mut self, to_alternate: bool) {
        if self.is_alternate && !to_alternate {
            self.grids[1].clear(Style::default());
        }
        self.is_alternate = to_alternate;
    }

    fn private_mode(&mut self, mode: u16, is_on: bool) {
        match mode {
            6 => {
                self.cursor.is_origin = is_on;
                self.go_in_page(0, 0);
            }
            7 => {
                self.is_wrapping = is_on;
                self.cursor.wraps &= is_on;
            }
            47 | 1047 => self.switch_screen(is_on),
            1048 if is_on => self.save(),
            1048 => self.restore(),
            1049 if is_on && !self.is_alternate => {
                self.save();
                self.switch_screen(true);
                let style = self.cursor.style.erased();
                self.grids[1].clear(style);
            }
            1049 if !is_on && self.is_alternate => {
                self.switch_screen(false);
                self.restore();
            }
            _ => self.modes.switch(mode, is_on),
        }
    }

    fn mode(&mut self, mode: u16, is_on: bool) {
        match mode {
            4 => self.is_inserting = is_on,
            20 => self.is_new_line = is_on,
            _ => {}
        }
    }

    fn erase_display(&mut self, what: u16) {
        let Cursor { row, col, style, .. } = self.cursor;
        let (rows, cols, style) = (self.rows(), self.cols(), style.erased());
        let grid = self.grid_mut();
        match what {
            0 => {
                grid.erase(row, col, cols, style);
                grid.erase_rows(row + 1, rows, style);
            }
            1 => {
                grid.erase_rows(0, row, style);
                grid.erase(row, 0, col + 1, style);
            }
            2 => grid.clear(style),
            _ => return,
        }
        self.cursor.wraps = false;
    }

    fn erase_line(&mut self, what: u16) {
        let Cursor { row, col, style, .. } = self.cursor;
        let (cols, style) = (self.cols(), style.erased());
        let (from, to) = match what {
            0 => (col, cols),
            1 => (0, col + 1),
            2 => (0, cols),
            _ => return,
        };
        self.grid_mut().erase(row, from, to, style);
        self.cursor.wraps = false;
    }

    /// Insert or delete lines, which only happens inside of the margins.
    fn shift_lines(&mut self, sequence: &Sequence, is_insert: bool) {
        let Cursor { row, style, .. } = self.cursor;
        if row < self.top || row >= self.end {
            return;
        }
        let (end, count, style) = (self.end, usize::from(sequence.count(0, 1)), style.erased());
        if is_insert {
            self.grid_mut().scroll_down(row, end, count, style);
        } else {
            self.grid_mut().scroll_up(row, end, count, style);
        }
        self.cursor.col = 0;
        self.cursor.wraps = false;
    }

    fn set_margins(&mut self, sequence: &Sequence) {
        let rows = self.rows();
        let top = usize::from(sequence.count(0, 1)) - 1;
        let end = usize::from(sequence.value(1));
        let end = if end == 0 { rows } else { end.min(rows) };
        if top + 1 < end {
            (self.top, self.end) = (top, end);
            self.go_in_page(0, 0);
        }
    }

    fn align(&mut self) {
        let (rows, cols) = (self.rows(), self.cols());
        (self.top, self.end) = (0, rows);
        let line = vec![b'E'; cols];
        let grid = self.grid_mut();
        (0..rows).for_each(|row| grid.write_ascii(row, 0, &line, Style::default()));
        self.go(0, 0);
    }

    fn reset_softly(&mut self) {
        self.is_inserting = false;
        self.is_wrapping = true;
        (self.top, self.end) = (0, self.rows());
        let Cursor { row, col, .. } = self.cursor;
        self.cursor = Cursor { row, col, ..Cursor::default() };
        self.saved[usize::from(self.is_alternate)] = Cursor::default();
        self.modes.reset_softly();
    }

    fn reset(&mut self) {
        let mut modes = self.modes.clone();
        modes.reset();
        *self = Self { modes, ..Self::new(self.rows(), self.cols()) };
    }

    /// Make room for the next character: go to the next row if the last was full.
    fn wrap_if_due(&mut self) {
        if self.cursor.wraps {
            self.index();
            self.cursor.col = 0;
        }
    }

    /// The cursor goes on behind what was written, or waits in the last column.
    fn advance(&mut self, width: usize) {
        let cols = self.cols();
        self.cursor.col += width;
        if self.cursor.col >= cols {
            self.cursor.col = cols - 1;
            self.cursor.wraps = self.is_wrapping;
        }
    }

    fn write_ascii(&mut self, text: &[u8]) {
        let mut rest = text;
        while !rest.is_empty() {
            self.wrap_if_due();
            let Cursor { row, col, style, .. } = self.cursor;
            let room = self.cols() - col;
            // Without wrapping all that does not fit goes to the last column, one over the other.
            let (now, later) = if rest.len() > room && !self.is_wrapping {
                let (now, later) = rest.split_at(room - 1);
                self.grid_mut().write_ascii(row, col, now, style);
                let last = later.len() - 1;
                self.cursor.col = self.cols() - 1;
                (later.get(last..).unwrap_or_default(), &[][..])
            } else {
                rest.split_at(rest.len().min(room))
            };
            let col = self.cursor.col;
            self.grid_mut().write_ascii(row, col, now, style);
            self.advance(now.len());
            rest = later;
        }
        self.last = text.last().map(|byte| char::from(*byte)).or(self.last);
    }

    fn write(&mut self, c: char) {
        let c = if self.cursor.is_drawing[usize::from(self.cursor.is_shifted)] { act::drawn(c) } else { c };
        let width = c.width().unwrap_or(0);
        if width == 0 {
            let Cursor { row, col, wraps, .. } = self.cursor;
            if let Some(col) = if wraps { Some(col) } else { col.checked_sub(1) } {
                self.grid_mut().mark(row, col, c);
            }
            return;
        }
        let is_wide = width > 1 && self.cols() > 1;
        // There is no place for it.
        let c = if width > 1 && !is_wide { ' ' } else { c };
        let width = if is_wide { 2 } else { 1 };
        self.wrap_if_due();
        if is_wide && self.cursor.col + 2 > self.cols() {
            if self.is_wrapping {
                self.index();
                self.cursor.col = 0;
            } else {
                self.cursor.col = self.cols() - 2;
            }
        }
        let Cursor { row, col, style, .. } = self.cursor;
        if self.is_inserting {
            let blank = style.erased();
            self.grid_mut().insert(row, col, width, blank);
        }
        self.grid_mut().write(row, col, c, is_wide, style);
        self.advance(width);
        self.last = Some(c);
    }
}

impl Cursor {
    fn fit(&mut self, rows: usize, cols: usize) {
        self.row = self.row.min(rows - 1);
        // What waited in the last column of a narrower screen has room now.
        if self.wraps && self.col + 1 < cols {
            self.wraps = false;
        }
        if self.col >= cols {
            self.col = cols - 1;
            self.wraps = false;
        }
    }
}

fn default_tabs(cols: usize) -> Vec<bool> {
    (0..cols).map(|col| col % 8 == 0).collect()
}
