//! A parser for bash, with what zsh adds, that always answers: what it does not understand it notes and steps
//! over, so that a syntax error hides nothing that stands beside it. It never backtracks, so its time is
//! linear.

mod command;
mod compound;
mod redirect;
mod word;

use super::syntax::{List, Word};
use std::cell::OnceCell;
use std::rc::Rc;

/// How deeply quotes, parentheses and compound commands may nest before the parser gives up.
const DEEPEST: usize = 40;

/// What came out of parsing.
pub(super) struct Parsed {
    pub list: List,
    /// The first thing that was not understood.
    pub problem: Option<&'static str>,
}

/// Parses a command line.
pub(super) fn parse(text: &str) -> Parsed {
    let mut parser = Parser::new(text, 0);
    let list = parser.script();
    Parsed { list, problem: parser.problem }
}

struct Parser<'s> {
    src: &'s str,
    bytes: &'s [u8],
    at: usize,
    depth: usize,
    /// Here-documents whose bodies start after the next newline.
    pending: Vec<Pending>,
    problem: Option<&'static str>,
}

struct Pending {
    delimiter: String,
    strips_tabs: bool,
    expands: bool,
    body: Rc<OnceCell<Word>>,
}

impl<'s> Parser<'s> {
    fn new(src: &'s str, depth: usize) -> Self {
        Self { src, bytes: src.as_bytes(), at: 0, depth, pending: Vec::new(), problem: None }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn peek_at(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied()
    }

    fn looking_at(&self, text: &str) -> bool {
        self.bytes.get(self.at..).is_some_and(|rest| rest.starts_with(text.as_bytes()))
    }

    fn slice(&self, from: usize, to: usize) -> &'s str {
        self.src.get(from..to).unwrap_or_default()
    }

    /// How far the next such byte is, if it is near: looking to the end each time would take too long.
    fn near(&self, from: usize, wanted: impl Fn(u8) -> bool) -> Option<usize> {
        let rest = self.bytes.get(from..)?;
        rest.iter().take(4_096).position(|byte| wanted(*byte))
    }

    fn note(&mut self, problem: &'static str) {
        self.problem.get_or_insert(problem);
    }

    /// Goes one level down, or gives up on the rest of the text when that is too deep.
    fn deeper(&mut self) -> bool {
        if self.depth >= DEEPEST {
            self.note("it nests too deeply");
            self.at = self.bytes.len();
            return false;
        }
        self.depth += 1;
        true
    }

    fn shallower(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// Skips blanks, continued lines and a comment. A carriage return before a newline is a blank.
    fn skip_blanks(&mut self) {
        loop {
            match self.peek() {
                Some(b' ' | b'\t') => self.at += 1,
                Some(b'\r') if matches!(self.peek_at(1), Some(b'\n') | None) => self.at += 1,
                Some(b'\\') if self.peek_at(1) == Some(b'\n') => self.at += 2,
                Some(b'\\') if self.peek_at(1) == Some(b'\r') && self.peek_at(2) == Some(b'\n') => {
                    self.at += 3;
                }
                Some(b'#') => {
                    while self.peek().is_some_and(|byte| byte != b'\n') {
                        self.at += 1;
                    }
                }
                _ => return,
            }
        }
    }

    /// Takes one newline and the bodies of the here-documents that start after it.
    fn newline(&mut self) {
        self.at += 1;
        for pending in std::mem::take(&mut self.pending) {
            let body = self.heredoc_body(&pending);
            // The cell was made for this one body, so it is empty.
            let _ = pending.body.set(body);
        }
    }

    fn skip_newlines(&mut self) {
        loop {
            self.skip_blanks();
            if self.peek() != Some(b'\n') {
                return;
            }
            self.newline();
        }
    }

    /// The unquoted word that stands here, if it consists of the letters of reserved words only.
    fn reserved(&self) -> &'s str {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let length =
            rest.iter().take_while(|byte| byte.is_ascii_alphabetic() || b"{}[]!".contains(byte)).count();
        match rest.get(length) {
            None | Some(b' ' | b'\t' | b'\n' | b'\r' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')') => {
                self.slice(self.at, self.at + length)
            }
            _ => "",
        }
    }
}

/// Whether this byte ends an unquoted word.
fn ends_word(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')')
}

/// Whether this byte can be part of a variable's name.
fn in_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
