//! What a terminal shows: a model that follows a program's output and can paint itself on another terminal.
//!
//! It is our own because nothing at hand does all of it: a replay must carry margins, tab stops, saved cursors and
//! both screens, columns must be right where characters combine, and a flood must not be slower than the terminal.

mod grid;
mod modes;
mod pen;
mod replay;
mod skip;
mod state;

use grid::Width;
pub use pen::{Color, Style};
use state::State;

use crate::parse::{Act, Parser, Sequence};
use crate::sheet::Sheet;
use crate::spawn::Size;

/// The smallest and the largest screen that is modelled; others are taken for these.
const LEAST: u16 = 1;
const MOST: u16 = 2_000;

/// A terminal's screen, as a program's output has left it.
#[derive(Debug)]
pub struct Screen {
    parser: Parser,
    state: State,
    /// The text of what was last skipped.
    skipped: Sheet,
}

/// What is to be seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct View {
    pub size: Size,
    /// Every row, without the blanks at its end.
    pub rows: Vec<String>,
    /// Row and column, counted from 0. A wide character takes two columns.
    pub cursor: (u16, u16),
    pub cursor_visible: bool,
    /// The alternate screen is shown.
    pub alternate: bool,
    pub title: String,
    /// The program has asked for pastes to be marked.
    pub bracketed_paste: bool,
    /// The program has asked for clicks.
    pub mouse: bool,
    /// The program has asked to be told of focus.
    pub focus: bool,
    /// The program is in the middle of drawing, and asks not to be looked at.
    pub synchronizing: bool,
    /// The same rows in pieces that look alike. Blank rests are left out.
    pub runs: Vec<Vec<Run>>,
}

/// Neighbouring characters that look alike.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// The column of its first character.
    pub col: u16,
    pub text: String,
    pub style: Style,
}

impl Screen {
    pub fn new(size: Size) -> Self {
        let (rows, cols) = dimensions(size);
        Self { parser: Parser::default(), state: State::new(rows, cols), skipped: Sheet::default() }
    }

    pub fn size(&self) -> Size {
        Size::new(number(self.state.rows()), number(self.state.cols()))
    }

    /// Follow what the program wrote.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.feed_beside(bytes, &mut Nobody);
    }

    /// The same, and tell somebody beside the screen.
    pub(crate) fn feed_beside(&mut self, bytes: &[u8], beside: &mut impl Beside) {
        let mut rest = bytes;
        if let Some((first, others)) = skip::after_a_line(bytes) {
            // Reads cut sequences and characters in the middle; a line later that is over.
            self.parser.feed(first, &mut Both { state: &mut self.state, beside });
            rest = others;
            if self.parser.is_between()
                && self.state.scrolls_whole()
                && let Some(length) = skip::skippable(others, self.state.rows(), &mut self.skipped)
            {
                let (skipped, left) = others.split_at(length);
                self.skip(skipped);
                beside.skipped(self.skipped.bytes());
                rest = left;
            }
        }
        self.parser.feed(rest, &mut Both { state: &mut self.state, beside });
    }

    fn skip(&mut self, skipped: &[u8]) {
        for selection in skip::selections(skipped) {
            self.parser.feed(selection, &mut self.state);
        }
        self.state.cursor.row = self.state.rows() - 1;
        self.state.cursor.col = 0;
        self.state.cursor.wraps = false;
        self.state.last = None;
    }

    /// The terminal has another size. What does not fit is gone.
    pub fn resize(&mut self, size: Size) {
        let (rows, cols) = dimensions(size);
        self.state.resize(rows, cols);
    }

    /// Bytes that paint the present screen, and switch on what is switched on, on a terminal of the same size. The
    /// title is not among them.
    pub fn replay(&self) -> Vec<u8> {
        replay::paint(&self.state)
    }

    /// Bytes that put a terminal right whose program is gone: switch off what it left on. None where it left nothing.
    pub fn undo(&self) -> Vec<u8> {
        let mut state = self.state.clone();
        let mut out = Vec::new();
        if state.is_alternate {
            if state.modes.keyboard_depth(true) > 0 {
                out.extend_from_slice(b"\x1b[<16u");
            }
            // What it brings back may have to be put right too.
            out.extend_from_slice(b"\x1b[?1049l");
            Parser::default().feed(&out, &mut state);
        }
        if state.modes.keyboard_depth(false) > 0 {
            out.extend_from_slice(b"\x1b[<16u");
        }
        if !state.scrolls_whole() {
            // Margins take the cursor home when they go.
            out.extend_from_slice(format!("\x1b[r\x1b[{}H", state.rows()).as_bytes());
        }
        if state.cursor.style != Style::default() {
            out.extend_from_slice(b"\x1b[0m");
        }
        if !state.is_wrapping {
            out.extend_from_slice(b"\x1b[?7h");
        }
        if state.is_inserting {
            out.extend_from_slice(b"\x1b[4l");
        }
        if state.cursor.is_shifted || state.cursor.is_drawing != [false; 2] {
            out.extend_from_slice(b"\x1b(B\x1b)B\x0f");
        }
        state.modes.push_undo(&mut out);
        out
    }

    pub fn title(&self) -> &str {
        &self.state.modes.title
    }

    pub fn bracketed_paste(&self) -> bool {
        self.state.modes.is_on(2004)
    }

    /// Whether arrow keys are to be sent as the program of a full screen wants them.
    pub fn application_cursor(&self) -> bool {
        self.state.modes.is_on(1)
    }

    pub fn view(&self) -> View {
        let state = &self.state;
        let rows = state.grid().rows.iter();
        View {
            size: self.size(),
            rows: rows
                .clone()
                .map(|row| row.text(0, state.cols()).trim_end_matches(' ').to_owned())
                .collect(),
            cursor: (number(state.cursor.row), number(state.cursor.col)),
            cursor_visible: !state.modes.is_cursor_hidden,
            alternate: state.is_alternate,
            title: state.modes.title.clone(),
            bracketed_paste: self.bracketed_paste(),
            mouse: state.modes.reports_mouse(),
            focus: state.modes.is_on(1004),
            synchronizing: state.modes.is_synchronizing,
            runs: rows.map(runs).collect(),
        }
    }
}

/// Whoever follows the same output.
pub(crate) trait Beside: Act {
    /// The text of lines that were not looked at one by one: they only write, change looks, and go to the next line.
    fn skipped(&mut self, text: &[u8]);
}

fn runs(row: &grid::Row) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for (col, cell) in row.cells.iter().enumerate().filter(|(_, cell)| cell.width != Width::Rest) {
        let text = row.text(col, col + 1);
        match runs.last_mut().filter(|run| run.style == cell.style) {
            Some(run) => run.text.push_str(&text),
            None => runs.push(Run { col: number(col), text, style: cell.style }),
        }
    }
    if let Some(last) = runs.last_mut().filter(|run| run.style == Style::default()) {
        last.text.truncate(last.text.trim_end_matches(' ').len());
        if last.text.is_empty() {
            runs.pop();
        }
    }
    runs
}

fn dimensions(size: Size) -> (usize, usize) {
    (usize::from(size.rows.clamp(LEAST, MOST)), usize::from(size.cols.clamp(LEAST, MOST)))
}

fn number(value: usize) -> u16 {
    u16::try_from(value).unwrap_or(u16::MAX)
}

struct Nobody;

struct Both<'a, T> {
    state: &'a mut State,
    beside: &'a mut T,
}

impl<T: Act> Act for Both<'_, T> {
    fn text(&mut self, text: &str) {
        self.state.text(text);
        self.beside.text(text);
    }

    fn control(&mut self, byte: u8) {
        self.state.control(byte);
        self.beside.control(byte);
    }

    fn escape(&mut self, intermediates: &[u8], last: u8) {
        self.state.escape(intermediates, last);
        self.beside.escape(intermediates, last);
    }

    fn sequence(&mut self, sequence: &Sequence) {
        self.state.sequence(sequence);
        self.beside.sequence(sequence);
    }

    fn command(&mut self, command: &[u8]) {
        self.state.command(command);
        self.beside.command(command);
    }

    fn string(&mut self) {
        self.beside.string();
    }
}

impl Act for Nobody {
    fn text(&mut self, _: &str) {}
    fn control(&mut self, _: u8) {}
    fn escape(&mut self, _: &[u8], _: u8) {}
    fn sequence(&mut self, _: &Sequence) {}
    fn command(&mut self, _: &[u8]) {}
    fn string(&mut self) {}
}

impl Beside for Nobody {
    fn skipped(&mut self, _: &[u8]) {}
}

#[cfg(test)]
#[path = "screen_tests.rs"]
mod tests;
