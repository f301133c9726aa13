//! What the readers of all CLIs share: rules across the screen, the rows of a box, and words on the screen.

use super::{InputBox, Sight};

/// Where a prompt is typed: the rows of the box, and the column its text begins at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) first: usize,
    /// The last row of the box.
    pub(crate) last: usize,
    pub(crate) column: usize,
}

impl Place {
    fn rows(self) -> std::ops::RangeInclusive<usize> {
        self.first..=self.last
    }

    /// Whether the cursor stands where the text is.
    pub(crate) fn holds_cursor(self, sight: &Sight) -> bool {
        let (row, column) = (usize::from(sight.cursor.0), usize::from(sight.cursor.1));
        self.rows().contains(&row) && column >= self.column
    }

    /// Whether the cursor stands where the text begins.
    pub(crate) fn is_at_start(self, sight: &Sight) -> bool {
        (usize::from(sight.cursor.0), usize::from(sight.cursor.1)) == (self.first, self.column)
    }

    /// The text in the box.
    fn text(self, sight: &Sight) -> String {
        let rows = self.rows().map(|row| sight.text_from(row, self.column).trim_end());
        rows.collect::<Vec<_>>().join("\n")
    }

    /// What is in the box, once it is certain that the cursor is in it. A placeholder is faint, but for the letter under
    /// the cursor, and one of those that are known.
    pub(crate) fn input(self, sight: &Sight, is_placeholder: impl Fn(&str) -> bool) -> InputBox {
        let text = self.text(sight);
        let is_at_start = self.is_at_start(sight) && self.first == self.last;
        if text.is_empty() && is_at_start {
            return InputBox::Empty;
        }
        let after = self.column + 1;
        let is_faint = is_at_start
            && !sight.text_from(self.first, after).trim().is_empty()
            && sight.is_faint_from(self.first, after);
        if is_faint {
            return if is_placeholder(&text) { InputBox::Empty } else { InputBox::Unknown };
        }
        InputBox::Draft(text)
    }
}

/// Whether a row is a line across the screen, which may carry a name.
pub(crate) fn is_rule(row: &str, stroke: char) -> bool {
    let row = row.trim();
    row.chars().take(2).filter(|letter| *letter == stroke).count() == 2 && row.ends_with(stroke)
}

/// Whether these words stand on the screen below a row, however they are wrapped.
pub(crate) fn shows_words(sight: &Sight, from: usize, words: &str) -> bool {
    let rows: Vec<String> = sight.rows.iter().skip(from).map(|row| fold(row)).collect();
    rows.concat().contains(&fold(words))
}

/// A text without white space, no-break spaces too.
pub(crate) fn fold(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_whitespace()).collect()
}
