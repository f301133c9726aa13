//! Text that may be typed into a terminal: nothing in it can be taken for a key or end a paste.
//!
//! Every control character is removed, and not the known dangerous sequences: what is left after removing one
//! may be the same again.

use std::fmt;

const PASTE_BEGINS: &[u8] = b"\x1b[200~";
const PASTE_ENDS: &[u8] = b"\x1b[201~";

/// Text without control characters but tab and newline.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Safe(String);

/// Whether the program has asked for pastes to be marked as such.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paste {
    Bracketed,
    /// It takes pasted text for typed keys. Newlines and tabs become blanks, because they would be Enter and
    /// completion.
    Unmarked,
}

impl Safe {
    /// What is left of a text. Other line ends become newlines.
    pub fn new(text: &str) -> Self {
        let mut safe = String::with_capacity(text.len());
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            match c {
                '\r' if chars.peek() == Some(&'\n') => {}
                '\r' => safe.push('\n'),
                '\t' | '\n' => safe.push(c),
                _ if c.is_control() => {}
                _ => safe.push(c),
            }
        }
        Self(safe)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether nothing is left.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The bytes that paste it.
    pub fn paste(&self, how: Paste) -> Vec<u8> {
        match how {
            Paste::Bracketed => [PASTE_BEGINS, self.0.as_bytes(), PASTE_ENDS].concat(),
            Paste::Unmarked => self.0.replace(['\n', '\t'], " ").into_bytes(),
        }
    }
}

impl From<&str> for Safe {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl fmt::Display for Safe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
