//! The plain log: what was shown, as text without anything that controls a terminal.

use std::io;
use std::path::Path;

use super::file::Rotating;
use super::redact::{Blotting, Secrets};

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
