//! What a terminal shows: enough of one to read what an agent CLI drew, and to answer what it asks of it.

/// How big a terminal is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    pub columns: u16,
    pub rows: u16,
}

impl Size {
    /// What a terminal has unless a test says otherwise. It is wide, so that little is wrapped.
    pub const WIDE: Self = Self { columns: 160, rows: 50 };
}

#[derive(Debug)]
pub(super) struct Screen {
    columns: usize,
    rows: usize,
    cells: Vec<Vec<char>>,
    row: usize,
    column: usize,
    saved: (usize, usize),
    /// The beginning of a sequence whose end has not come yet.
    pending: Vec<u8>,
    /// All text that was ever written, without what controls the terminal.
    log: String,
}

/// A piece of what a program writes to its terminal.
#[derive(Debug, PartialEq, Eq)]
enum Piece {
    Char(char),
    /// `ESC [`, what stands between, and the letter at the end.
    Control(String, u8),
    /// `ESC` and a letter.
    Escape(u8),
    /// A title, a link, a colour: nothing that is seen.
    Unseen,
}

impl Screen {
    pub fn new(size: Size) -> Self {
        let (columns, rows) = (usize::from(size.columns), usize::from(size.rows));
        let cells = vec![vec![' '; columns]; rows];
        let (saved, pending, log) = ((0, 0), Vec::new(), String::new());
        Self { columns, rows, cells, row: 0, column: 0, saved, pending, log }
    }

    /// What is shown now, without the blanks at the ends of lines.
    pub fn text(&self) -> String {
        let lines = self.cells.iter().map(|line| line.iter().collect::<String>().trim_end().to_owned());
        lines.collect::<Vec<_>>().join("\n").trim_end().to_owned()
    }

    pub fn log(&self) -> &str {
        &self.log
    }

    /// Take what a program wrote, and return what the terminal answers.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut all = std::mem::take(&mut self.pending);
        all.extend_from_slice(bytes);
        let mut rest = all.as_slice();
        let mut answers = Vec::new();
        while let Some((piece, used)) = first_piece(rest) {
            rest = &rest[used..];
            match piece {
                Piece::Char(c) => self.write(c),
                Piece::Control(words, letter) => {
                    if let Some(answer) = self.answer(&words, letter) {
                        answers.extend(answer.into_bytes());
                    } else if !words.starts_with(['?', '>', '<', '=']) {
                        self.control(&words, letter);
                    }
                }
                Piece::Escape(b'7') => self.saved = (self.row, self.column),
                Piece::Escape(b'8') => (self.row, self.column) = self.saved,
                Piece::Escape(_) | Piece::Unseen => {}
            }
        }
        self.pending = rest.to_vec();
        answers
    }

    /// Questions about what the terminal is and where the cursor stands: some CLIs wait for the answer.
    fn answer(&self, words: &str, letter: u8) -> Option<String> {
        match (words, letter) {
            ("" | "0", b'c') => Some("\x1b[?62;22c".to_owned()),
            ("6", b'n') => Some(format!("\x1b[{};{}R", self.row + 1, self.column + 1)),
            (">" | ">0", b'q') => Some("\x1bP>|test 1.0\x1b\\".to_owned()),
            _ => None,
        }
    }

    fn write(&mut self, c: char) {
        match c {
            '\r' => self.column = 0,
            '\n' => self.next_line(),
            '\u{8}' => self.column = self.column.saturating_sub(1),
            '\t' => self.column = (self.column / 8 * 8 + 8).min(self.columns - 1),
            c if c.is_control() => {}
            c => {
                if self.column == self.columns {
                    self.column = 0;
                    self.next_line();
                }
                self.cells[self.row][self.column] = c;
                self.column += 1;
                self.log.push(c);
            }
        }
    }

    fn next_line(&mut self) {
        self.log.push('\n');
        if self.row + 1 < self.rows {
            self.row += 1;
        } else {
            self.cells.remove(0);
            self.cells.push(vec![' '; self.columns]);
        }
    }

    fn control(&mut self, words: &str, letter: u8) {
        let numbers: Vec<usize> = words.split(';').map(|word| word.parse().unwrap_or(0)).collect();
        let number = |at: usize| numbers.get(at).copied().unwrap_or(0);
        let count = number(0).max(1);
        let place = |number: usize, most: usize| number.max(1).min(most) - 1;
        match letter {
            b'A' | b'F' => self.row = self.row.saturating_sub(count),
            b'B' | b'E' => self.row = (self.row + count).min(self.rows - 1),
            b'C' => self.column = (self.column + count).min(self.columns - 1),
            b'D' => self.column = self.column.min(self.columns - 1).saturating_sub(count),
            b'G' => self.column = place(number(0), self.columns),
            b'd' => self.row = place(number(0), self.rows),
            b'H' | b'f' => {
                (self.row, self.column) = (place(number(0), self.rows), place(number(1), self.columns));
            }
            b'J' => self.erase_lines(number(0)),
            b'K' => self.erase_in_line(number(0)),
            b'X' => {
                let end = (self.column + count).min(self.columns);
                self.cells[self.row][self.column.min(end)..end].fill(' ');
            }
            _ => {}
        }
        if matches!(letter, b'E' | b'F') {
            self.column = 0;
        }
        // In the log a jump separates words, because it often stands for the blanks it jumps over.
        if matches!(letter, b'A'..=b'H' | b'd' | b'f') && !self.log.ends_with([' ', '\n']) {
            self.log.push(' ');
        }
    }

    /// 0: from the cursor on; 1: up to the cursor; 2 and 3: all.
    fn erase_lines(&mut self, which: usize) {
        let lines = match which {
            0 => self.row + 1..self.rows,
            1 => 0..self.row,
            _ => 0..self.rows,
        };
        self.cells[lines].iter_mut().for_each(|line| line.fill(' '));
        if which < 2 {
            self.erase_in_line(which);
        }
    }

    fn erase_in_line(&mut self, which: usize) {
        let column = self.column.min(self.columns - 1);
        let cells = match which {
            0 => column..self.columns,
            1 => 0..column + 1,
            _ => 0..self.columns,
        };
        self.cells[self.row][cells].fill(' ');
    }
}

/// The first piece and how many bytes it has; `None` where its end is still to come.
fn first_piece(bytes: &[u8]) -> Option<(Piece, usize)> {
    match bytes {
        [] | [0x1b] => None,
        [0x1b, b'[', rest @ ..] => {
            let length = rest.iter().position(|byte| (0x40..=0x7e).contains(byte))?;
            let words = String::from_utf8_lossy(&rest[..length]).into_owned();
            Some((Piece::Control(words, rest[length]), length + 3))
        }
        [0x1b, b']' | b'P' | b'_' | b'^' | b'X', rest @ ..] => {
            let end = rest.iter().position(|byte| matches!(byte, 0x07 | 0x1b))?;
            // The end is a bell, or `ESC \`.
            let used = if rest[end] == 0x07 { end + 3 } else { end + 4 };
            (bytes.len() >= used).then_some((Piece::Unseen, used))
        }
        [0x1b, b'(' | b')', rest @ ..] => (!rest.is_empty()).then_some((Piece::Unseen, 3)),
        [0x1b, letter, ..] => Some((Piece::Escape(*letter), 2)),
        [first, ..] => {
            let length = match first {
                0xf0.. => 4,
                0xe0.. => 3,
                0xc0.. => 2,
                _ => 1,
            };
            let text = std::str::from_utf8(bytes.get(..length)?).ok();
            let c = text.and_then(|text| text.chars().next());
            Some(c.map_or((Piece::Char(char::REPLACEMENT_CHARACTER), 1), |c| (Piece::Char(c), length)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(pieces: &[&str]) -> String {
        let mut screen = Screen::new(Size::WIDE);
        for piece in pieces {
            screen.feed(piece.as_bytes());
        }
        screen.text()
    }

    #[test]
    fn what_is_drawn_over_is_gone() {
        assert_eq!(shown(&["one\r\ntwo\r\n", "\x1b[2A\x1b[Jnew"]), "new");
        assert_eq!(shown(&["abc\x1b[2GX\x1b[K"]), "aX");
        assert_eq!(shown(&["a\x1b[3Cb\x1b[2;3Hc"]), "a   b\n  c");
    }

    #[test]
    fn sequences_may_be_cut_anywhere() {
        let text = "\x1b]0;title\x07\x1b[1;31m❯ü\x1b[0m\x1bP>|x\x1b\\!";
        for at in 0..text.len() {
            let mut screen = Screen::new(Size::WIDE);
            screen.feed(&text.as_bytes()[..at]);
            screen.feed(&text.as_bytes()[at..]);
            assert_eq!(screen.text(), "❯ü!", "cut at {at}");
        }
    }

    #[test]
    fn long_output_scrolls_and_stays_in_the_log() {
        let mut screen = Screen::new(Size::WIDE);
        for line in 0..usize::from(Size::WIDE.rows) + 1 {
            screen.feed(format!("line {line}\r\n").as_bytes());
        }
        assert!(screen.text().starts_with("line 2\n"), "{}", screen.text());
        assert!(screen.log().starts_with("line 0\n"));
    }

    #[test]
    fn questions_are_answered() {
        let mut screen = Screen::new(Size::WIDE);
        assert_eq!(screen.feed(b"ab\x1b[6n"), b"\x1b[1;3R");
        assert_eq!(screen.feed(b"\x1b[c"), b"\x1b[?62;22c");
        assert_eq!(screen.feed(b"\x1b[?25l"), b"");
    }
}
