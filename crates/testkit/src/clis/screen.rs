//! What a terminal shows: enough of one to read what an agent CLI drew, and to answer what it asks of it.

use std::fmt;
use std::num::NonZeroU16;

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

pub(super) struct Screen {
    columns: u16,
    model: vt100::Parser,
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
    /// A title, a link, a colour: nothing that is seen, or asked.
    Unseen,
}

impl Screen {
    pub fn new(size: Size) -> Self {
        let some = |number: u16| NonZeroU16::new(number).expect("a size");
        let model = vt100::Parser::new(some(size.rows), some(size.columns), 0);
        Self { columns: size.columns, model, pending: Vec::new(), log: String::new() }
    }

    /// What is shown now, without the blanks at the ends of lines.
    pub fn text(&self) -> String {
        let rows = self.model.screen().rows(0, self.columns);
        rows.map(|row| row.trim_end().to_owned()).collect::<Vec<_>>().join("\n").trim_end().to_owned()
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
            self.model.process(&rest[..used]);
            rest = &rest[used..];
            match piece {
                Piece::Char('\n') => self.log.push('\n'),
                Piece::Char(c) if c.is_control() => {}
                Piece::Char(c) => self.log.push(c),
                Piece::Control(words, letter) => {
                    answers.extend(self.answer(&words, letter).unwrap_or_default().into_bytes());
                    // A jump separates words, because it often stands for the blanks it jumps over.
                    if matches!(letter, b'A'..=b'H' | b'd' | b'f') && !self.log.ends_with([' ', '\n']) {
                        self.log.push(' ');
                    }
                }
                Piece::Unseen => {}
            }
        }
        self.pending = rest.to_vec();
        answers
    }

    /// Questions about what the terminal is and where the cursor stands: some CLIs wait for the answer.
    fn answer(&self, words: &str, letter: u8) -> Option<String> {
        match (words, letter) {
            ("" | "0", b'c') => Some("\x1b[?62;22c".to_owned()),
            ("6", b'n') => {
                let (row, column) = self.model.screen().cursor_position();
                Some(format!("\x1b[{};{}R", row + 1, column + 1))
            }
            (">" | ">0", b'q') => Some("\x1bP>|test 1.0\x1b\\".to_owned()),
            _ => None,
        }
    }
}

impl fmt::Debug for Screen {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Screen").field("text", &self.text()).finish_non_exhaustive()
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
        [0x1b, _, ..] => Some((Piece::Unseen, 2)),
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
    fn a_part_of_the_screen_scrolls_by_itself() {
        let lines = "1\r\n2\r\n3\r\n4";
        assert_eq!(shown(&[lines, "\x1b[2;3r\x1b[3;1H\n\x1b[r"]), "1\n3\n\n4");
        assert_eq!(shown(&[lines, "\x1b[2;1H\x1b[M"]), "1\n3\n4");
        assert_eq!(shown(&[lines, "\x1b[2;1H\x1b[L"]), "1\n\n2\n3\n4");
        assert_eq!(shown(&["main", "\x1b[?1049h\x1b[Hother", "\x1b[?1049l"]), "main");
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
