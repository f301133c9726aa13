//! Text as rows of pieces that look alike, written word by word and broken where the line ends.

use unicode_width::UnicodeWidthChar;

use crate::style::Look;
use crate::text;

/// Neighbouring characters that look alike.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    pub look: Look,
    pub text: String,
}

/// One row.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Row {
    pub pieces: Vec<Piece>,
    /// The ticket that one gets to from here.
    pub leads: Option<String>,
}

/// Rows of a certain width that are being written.
#[derive(Debug)]
pub struct Paper {
    width: usize,
    rows: Vec<Row>,
    current: Row,
    used: usize,
    /// What every row begins with.
    indent: String,
    /// What the next row begins with instead: the dot of a list.
    bullet: Option<String>,
}

impl Paper {
    pub fn new(width: usize) -> Self {
        Self {
            width: width.max(10),
            rows: Vec::new(),
            current: Row::default(),
            used: 0,
            indent: String::new(),
            bullet: None,
        }
    }

    pub fn indent(&mut self, indent: &str) {
        // What is nested deeper than the page is wide is shown at its edge.
        let most = self.width / 2;
        self.indent = text::clip(indent, most).into_owned();
    }

    pub fn bullet(&mut self, bullet: &str) {
        self.bullet = Some(text::clip(bullet, self.width / 2).into_owned());
    }

    /// Write on, in the same row as far as there is room.
    pub fn write(&mut self, look: Look, words: &str) {
        for (number, line) in words.split('\n').enumerate() {
            if number > 0 {
                self.end();
            }
            let line = line.replace('\t', "    ");
            let line = text::plain(&line);
            self.begin();
            let wide = text::width(&line);
            // Most lines of a long diff fit, and need not be looked at word by word.
            if self.used + wide <= self.width {
                self.used += wide;
                self.push(look, line.into_owned());
                continue;
            }
            for word in line.split_inclusive(' ') {
                self.word(look, word);
            }
        }
    }

    fn word(&mut self, look: Look, word: &str) {
        let begun = self.begin();
        if self.used > begun && self.used + text::width(word.trim_end()) > self.width {
            self.end();
            self.begin();
        }
        let mut piece = String::new();
        for c in word.chars() {
            let wide = c.width().unwrap_or(0);
            if self.used + wide > self.width {
                if c == ' ' {
                    continue;
                }
                self.push(look, std::mem::take(&mut piece));
                self.end();
                self.begin();
            }
            self.used += wide;
            piece.push(c);
        }
        self.push(look, piece);
    }

    /// Begin a row if none is; how wide its beginning is.
    fn begin(&mut self) -> usize {
        let indent = text::width(&self.indent);
        if self.current.pieces.is_empty() {
            let begin = self.bullet.take().unwrap_or_else(|| self.indent.clone());
            self.used = text::width(&begin);
            self.current.pieces.push(Piece { look: Look::Dim, text: begin });
        }
        indent.max(1)
    }

    fn push(&mut self, look: Look, text: String) {
        match self.current.pieces.last_mut().filter(|piece| piece.look == look) {
            Some(piece) => piece.text.push_str(&text),
            None if !text.is_empty() => self.current.pieces.push(Piece { look, text }),
            None => {}
        }
    }

    /// End the row, also an empty one.
    pub fn end(&mut self) {
        self.begin();
        let row = std::mem::take(&mut self.current);
        self.rows.push(row);
        self.used = 0;
    }

    /// End the row if one is begun.
    pub fn close(&mut self) {
        if !self.current.pieces.is_empty() {
            self.end();
        }
    }

    /// One empty row, but never two.
    pub fn gap(&mut self) {
        self.close();
        let is_blank = |row: &Row| row.pieces.iter().all(|piece| piece.text.trim().is_empty());
        if self.rows.last().is_some_and(|row| !is_blank(row)) {
            self.rows.push(Row::default());
        }
    }

    /// A title over what follows.
    pub fn heading(&mut self, words: &str) {
        self.gap();
        self.write(Look::Strong, words);
        self.end();
    }

    /// A row that leads to a ticket.
    pub fn link(&mut self, ticket: &str, pieces: &[(Look, &str)]) {
        self.close();
        for (look, text) in pieces {
            self.write(*look, text);
        }
        self.current.leads = Some(ticket.to_owned());
        self.end();
    }

    pub fn rows(mut self) -> Vec<Row> {
        self.close();
        self.rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(paper: Paper) -> Vec<String> {
        let text = |row: Row| row.pieces.into_iter().map(|piece| piece.text).collect::<String>();
        paper.rows().into_iter().map(text).collect()
    }

    #[test]
    fn rows_break_between_words_and_keep_their_indent() {
        let mut paper = Paper::new(12);
        paper.indent("  ");
        paper.bullet("• ");
        paper.write(Look::Text, "one two ");
        paper.write(Look::Strong, "three four");
        paper.gap();
        paper.gap();
        paper.indent("");
        paper.write(Look::Text, "abcdefghijklmnop");
        assert_eq!(lines(paper), ["• one two ", "  three four", "", "abcdefghijkl", "mnop"]);
    }

    #[test]
    fn a_link_is_known_by_its_row() {
        let mut paper = Paper::new(40);
        paper.heading("Waits for");
        paper.link("sb_a", &[(Look::Name, "sb_a "), (Look::Text, "First")]);
        let rows = paper.rows();
        assert_eq!(rows[1].leads.as_deref(), Some("sb_a"));
        assert_eq!(rows[0].leads, None);
    }
}
