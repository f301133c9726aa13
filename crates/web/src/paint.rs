//! A terminal's screen for a browser: rows of pieces that look alike, and only the rows that have changed.
//!
//! No byte that a program wrote for a terminal goes any further than the screen model; the browser gets text and looks.

use serde::Serialize;
use signalbox_pty::screen::{Color, Run, Style};
use signalbox_pty::{Screen, Size};

/// What is sent at once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Picture {
    pub rows: u16,
    pub cols: u16,
    /// Row and column, if it is to be seen.
    pub cursor: Option<(u16, u16)>,
    /// The number of each row that has changed, and what is on it.
    pub lines: Vec<(usize, Vec<Piece>)>,
}

/// Text, and how it looks: foreground, background and the attributes of [`flags`].
pub type Piece = (u16, String, Shade, Shade, u8);

/// A colour: none, a number of the palette, or `#rrggbb`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Shade {
    None(()),
    Number(u8),
    Rgb(String),
}

/// Remembers what was sent.
#[derive(Debug, Default)]
pub struct Painter {
    size: Option<Size>,
    rows: Vec<Vec<Run>>,
    cursor: Option<(u16, u16)>,
}

impl Painter {
    /// What has changed since the last time; nothing: nothing has.
    pub fn paint(&mut self, screen: &Screen) -> Option<Picture> {
        let view = screen.view();
        let is_new = self.size != Some(view.size);
        let cursor = view.cursor_visible.then_some(view.cursor);
        let changed = |(at, row): &(usize, &Vec<Run>)| is_new || self.rows.get(*at) != Some(*row);
        let lines: Vec<(usize, Vec<Piece>)> = view
            .runs
            .iter()
            .enumerate()
            .filter(changed)
            .map(|(at, row)| (at, row.iter().map(piece).collect()))
            .collect();
        if !is_new && lines.is_empty() && cursor == self.cursor {
            return None;
        }
        self.size = Some(view.size);
        self.rows = view.runs;
        self.cursor = cursor;
        Some(Picture { rows: view.size.rows, cols: view.size.cols, cursor, lines })
    }
}

fn piece(run: &Run) -> Piece {
    let style = run.style;
    (run.col, run.text.clone(), shade(style.foreground), shade(style.background), flags(style))
}

fn shade(color: Color) -> Shade {
    match color {
        Color::Default => Shade::None(()),
        Color::Indexed(number) => Shade::Number(number),
        Color::Rgb(r, g, b) => Shade::Rgb(format!("#{r:02x}{g:02x}{b:02x}")),
    }
}

/// Bold 1, faint 2, italic 4, underlined 8, inverse 16, hidden 32, struck through 64.
fn flags(style: Style) -> u8 {
    let all = [
        (style.bold, 1),
        (style.faint, 2),
        (style.italic, 4),
        (style.underline > 0, 8),
        (style.inverse, 16),
        (style.hidden, 32),
        (style.strikethrough, 64),
    ];
    all.iter().filter(|(is_on, _)| *is_on).map(|(_, bit)| bit).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_changed_is_sent() {
        let mut screen = Screen::new(Size::new(3, 10));
        let mut painter = Painter::default();
        let first = painter.paint(&screen).expect("the whole screen");
        assert_eq!((first.rows, first.cols, first.lines.len()), (3, 10, 3));
        assert_eq!(painter.paint(&screen), None);
        screen.feed(b"\x1b[2;1Ha\x1b[1;31mb\x1b[38;2;1;2;3mc");
        let next = painter.paint(&screen).expect("a row");
        assert_eq!(next.cursor, Some((1, 3)));
        let none = || Shade::None(());
        assert_eq!(
            next.lines,
            [(
                1,
                vec![
                    (0, "a".to_owned(), none(), none(), 0),
                    (1, "b".to_owned(), Shade::Number(1), none(), 1),
                    (2, "c".to_owned(), Shade::Rgb("#010203".to_owned()), none(), 1),
                ]
            )]
        );
        screen.feed(b"\x1b[?25l");
        assert_eq!(painter.paint(&screen).map(|picture| picture.cursor), Some(None));
    }
}
