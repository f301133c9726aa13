//! What a person sees on a terminal, as far as a CLI is judged by it, and the same as text: a sight that was read
//! wrongly can be sent in a report and become a test.

use std::fmt;
use std::str::FromStr;

/// The screen at one moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sight {
    /// The text of each row, without the blanks at its end. A wide character is one `char` that fills two cells.
    pub rows: Vec<String>,
    /// The cells of each row that hold faint text: `(row, first, last)`. A CLI draws a placeholder so, and nothing
    /// that was typed. Faint is SGR 2, or a grey that is darker than what people read: 8 or 235 to 249 of the 256, or
    /// three equal parts below 190.
    pub faint: Vec<(u16, u16, u16)>,
    /// Row and column, from 0.
    pub cursor: (u16, u16),
    pub cursor_visible: bool,
    /// The width of the screen in cells.
    pub columns: u16,
    pub title: String,
    /// Whether the alternate screen is shown.
    pub alternate: bool,
    /// Whether the program asked for pastes to be marked as such. Some do only while they read a line.
    pub marks_pastes: bool,
}

impl Sight {
    pub fn row(&self, at: usize) -> &str {
        self.rows.get(at).map_or("", String::as_str)
    }

    /// Whether all of a row from this column on is faint or blank.
    pub(crate) fn is_faint_from(&self, row: usize, column: usize) -> bool {
        self.letters(row)
            .all(|(here, letter)| here < column || letter.is_whitespace() || self.is_faint(row, here))
    }

    /// Whether no word at all is faint: the person wants no colours, and a hint looks like anything else.
    pub(crate) fn is_colourless(&self) -> bool {
        self.faint.iter().all(|&(row, first, last)| {
            let is_inside = |column: usize| (usize::from(first)..=usize::from(last)).contains(&column);
            self.letters(row.into()).all(|(column, letter)| !letter.is_alphanumeric() || !is_inside(column))
        })
    }

    fn is_faint(&self, row: usize, column: usize) -> bool {
        self.faint.iter().any(|&(at, first, last)| {
            usize::from(at) == row && (usize::from(first)..=usize::from(last)).contains(&column)
        })
    }

    /// The letters of a row, each with its column.
    fn letters(&self, row: usize) -> impl Iterator<Item = (usize, char)> {
        self.row(row).chars().scan(0, |at, letter| {
            let here = *at;
            *at += width(letter);
            Some((here, letter))
        })
    }

    /// The text of a row from this column on.
    pub(crate) fn text_from(&self, row: usize, column: usize) -> &str {
        let text = self.row(row);
        let mut at = 0;
        for (index, letter) in text.char_indices() {
            if at >= column {
                return text.get(index..).unwrap_or_default();
            }
            at += width(letter);
        }
        ""
    }
}

pub(crate) fn width(letter: char) -> usize {
    unicode_width::UnicodeWidthChar::width(letter).unwrap_or(0)
}

impl fmt::Display for Sight {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "title: {}", self.title)?;
        let shown = if self.cursor_visible { "shown" } else { "hidden" };
        writeln!(out, "cursor: {} {} {shown}", self.cursor.0, self.cursor.1)?;
        let which = if self.alternate { "alternate" } else { "main" };
        let pastes = if self.marks_pastes { " pastes" } else { "" };
        writeln!(out, "screen: {which} {} {}{pastes}", self.columns, self.rows.len())?;
        for (row, first, last) in &self.faint {
            writeln!(out, "faint: {row} {first} {last}")?;
        }
        writeln!(out)?;
        let last = self.rows.iter().rposition(|row| !row.is_empty()).map_or(0, |last| last + 1);
        for row in self.rows.iter().take(last) {
            writeln!(out, "{row}")?;
        }
        Ok(())
    }
}

/// A text that is no sight.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the sight cannot be read")]
pub struct NoSight {
    line: usize,
}

impl FromStr for Sight {
    type Err = NoSight;

    fn from_str(text: &str) -> Result<Self, NoSight> {
        let mut sight = Self::default();
        let mut height = 0;
        let mut lines = text.lines().enumerate();
        for (index, line) in lines.by_ref() {
            if line.is_empty() {
                break;
            }
            let wrong = NoSight { line: index + 1 };
            let (name, value) = line.split_once(':').ok_or_else(|| wrong.clone())?;
            let words: Vec<&str> = value.split_whitespace().collect();
            let number = |word: &str| word.parse::<u16>().map_err(|_| wrong.clone());
            match (name, words.as_slice()) {
                ("title", _) => sight.title = value.strip_prefix(' ').unwrap_or(value).to_owned(),
                ("cursor", [row, column, shown]) => {
                    sight.cursor = (number(row)?, number(column)?);
                    sight.cursor_visible = *shown == "shown";
                }
                ("screen", [which, columns, rows, more @ ..]) if matches!(more, [] | ["pastes"]) => {
                    sight.marks_pastes = !more.is_empty();
                    sight.alternate = *which == "alternate";
                    sight.columns = number(columns)?;
                    height = usize::from(number(rows)?);
                }
                ("faint", [row, first, last]) => {
                    sight.faint.push((number(row)?, number(first)?, number(last)?));
                }
                _ => return Err(wrong),
            }
        }
        sight.rows = lines.map(|(_, line)| line.to_owned()).collect();
        sight.rows.resize(height.max(sight.rows.len()), String::new());
        Ok(sight)
    }
}
