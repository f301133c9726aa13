//! What a person sees on a terminal, with the colours that tell a placeholder from what was typed.

use std::num::NonZeroU16;

use vt100::Color;

use super::Size;

/// The screen at one moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Look {
    /// The text of each row, without the blanks at its end.
    pub rows: Vec<String>,
    /// Row, first and last cell of each stretch of faint or grey text.
    pub faint: Vec<(u16, u16, u16)>,
    /// Row and column of the cursor.
    pub cursor: (u16, u16),
    pub cursor_visible: bool,
    pub columns: u16,
    pub title: String,
    /// Whether the alternate screen is shown.
    pub alternate: bool,
    /// Whether the program asked for pastes to be marked as such.
    pub marks_pastes: bool,
}

#[derive(Default)]
struct Title(String);

impl vt100::Callbacks for Title {
    fn set_window_title(&mut self, _: &mut vt100::Screen, title: &[u8]) {
        self.0 = String::from_utf8_lossy(title).into_owned();
    }
}

impl Look {
    /// What stands on a terminal of this size after a program wrote these bytes.
    pub fn of(bytes: &[u8], size: Size) -> Self {
        let (rows, columns) = (size.rows, size.columns);
        let some = |number: u16| NonZeroU16::new(number).expect("a size");
        let mut parser = vt100::Parser::new_with_callbacks(some(rows), some(columns), 0, Title::default());
        parser.process(bytes);
        let screen = parser.screen();
        let mut faint: Vec<(u16, u16, u16)> = Vec::new();
        for row in 0..rows {
            for column in 0..columns {
                let Some(cell) = screen.cell(row, column).filter(|cell| is_faint(cell)) else { continue };
                let last = if cell.is_wide() { column + 1 } else { column };
                match faint.last_mut() {
                    Some((at, _, end)) if *at == row && *end + 1 == column => *end = last,
                    _ => faint.push((row, column, last)),
                }
            }
        }
        Self {
            rows: screen.rows(0, columns).map(|row| row.trim_end_matches(' ').to_owned()).collect(),
            faint,
            cursor: screen.cursor_position(),
            cursor_visible: !screen.hide_cursor(),
            columns,
            title: parser.callbacks().0.clone(),
            alternate: screen.alternate_screen(),
            marks_pastes: screen.bracketed_paste(),
        }
    }
}

/// SGR 2, or a grey that is darker than what people read.
fn is_faint(cell: &vt100::Cell) -> bool {
    let is_grey = match cell.fgcolor() {
        Color::Idx(index) => index == 8 || (235..=249).contains(&index),
        Color::Rgb(red, green, blue) => red == green && green == blue && red < 190,
        Color::Default => false,
    };
    cell.has_contents() && cell.contents() != " " && (cell.dim() || is_grey)
}
