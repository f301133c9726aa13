//! The plain log: what was shown, as text without anything that controls a terminal.

use std::io;
use std::path::Path;

use super::file::Rotating;
use super::redact::{Blotting, Secrets};
use crate::parse::next_control;

/// Writes a plain log.
#[derive(Debug)]
pub struct PlainLog {
    file: Rotating,
    blotting: Blotting,
    /// What is not written yet.
    text: Vec<u8>,
}

impl PlainLog {
    /// Begin a log. Where there is one already, it is put aside as `<path>.1`, as it is when it has `cap` bytes.
    pub fn create(path: &Path, cap: u64, secrets: &Secrets) -> io::Result<Self> {
        let file = Rotating::create(path, cap)?;
        Ok(Self { file, blotting: Blotting::new(secrets), text: Vec::new() })
    }

    /// Text that was shown.
    pub(crate) fn text(&mut self, text: &[u8]) {
        self.text.extend_from_slice(text);
    }

    /// A control character.
    pub(crate) fn control(&mut self, byte: u8) {
        if matches!(byte, b'\n' | b'\t') {
            self.text.push(byte);
        }
    }

    /// The cursor moved by a sequence that ends so. Programs move it instead of writing blanks and line feeds.
    pub(crate) fn moved(&mut self, how: u8) {
        let gap = match how {
            b'C' | b'G' | b'`' => b' ',
            b'A' | b'B' | b'E' | b'F' | b'H' | b'd' | b'f' => b'\n',
            _ => return,
        };
        if !matches!(self.text.last(), None | Some(b' ' | b'\n')) {
            self.text.push(gap);
        }
    }

    /// Lines of text in which every sequence only changes how characters look.
    pub(crate) fn lines(&mut self, bytes: &[u8]) {
        self.text.reserve(bytes.len());
        let mut at = 0;
        while let Some(control) = next_control(bytes, at) {
            // A line feed and a tab are part of the text.
            let is_text = matches!(bytes.get(control), Some(b'\n' | b'\t'));
            self.text.extend_from_slice(bytes.get(at..control + usize::from(is_text)).unwrap_or_default());
            at = control + 1;
            if bytes.get(control) == Some(&0x1b) {
                let rest = bytes.get(at..).unwrap_or_default();
                at += rest.iter().position(|byte| *byte == b'm').map_or(rest.len(), |end| end + 1);
            }
        }
        self.text.extend_from_slice(bytes.get(at..).unwrap_or_default());
    }

    pub(crate) fn flush(&mut self) -> io::Result<()> {
        let text = self.blotting.feed(&self.text);
        self.file.write(&text)?;
        self.text.clear();
        Ok(())
    }

    /// Write the rest. Nothing more will come.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        self.flush()?;
        let rest = self.blotting.finish();
        self.file.write(&rest)
    }
}
