//! A file that grows up to a limit, is then put aside and begun anew, and holds whole lines whatever happens.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// Readable by its owner alone: terminals show secrets.
const PRIVATE: u32 = 0o600;

#[derive(Debug)]
pub(super) struct Rotating {
    path: PathBuf,
    file: File,
    size: u64,
    cap: u64,
}

/// Where the older part of a file is.
pub(crate) fn older(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".1");
    PathBuf::from(name)
}

impl Rotating {
    /// Begin a file. What is there already is put aside.
    pub fn create(path: &Path, cap: u64) -> io::Result<Self> {
        if std::fs::metadata(path).is_ok_and(|found| found.is_file() && found.len() > 0) {
            put_aside(path)?;
        }
        Ok(Self { path: path.to_owned(), file: open(path)?, size: 0, cap })
    }

    /// Whether so much more would be over the limit.
    pub fn is_full(&self, more: usize) -> bool {
        self.size > 0 && self.size.saturating_add(more as u64) > self.cap
    }

    /// Put what was written aside and begin anew. What was put aside before is gone.
    pub fn rotate(&mut self) -> io::Result<()> {
        put_aside(&self.path)?;
        self.file = open(&self.path)?;
        self.size = 0;
        Ok(())
    }

    /// Append, and begin anew where it gets too long.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        if self.is_full(bytes.len()) {
            self.rotate()?;
        }
        self.append(bytes)
    }

    /// Append whole lines. If they do not fit on the disk, none of them is left.
    pub fn append(&mut self, lines: &[u8]) -> io::Result<()> {
        match self.file.write_all(lines) {
            Ok(()) => {
                self.size += lines.len() as u64;
                Ok(())
            }
            Err(error) => {
                // A part of a line would make the file unreadable for players. Where this fails too, readers
                // stop at the torn line.
                let _ = self.file.set_len(self.size);
                Err(error)
            }
        }
    }
}

fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().create(true).append(true).mode(PRIVATE).open(path)
}

fn put_aside(path: &Path) -> io::Result<()> {
    Ok(rustix::fs::rename(path, older(path))?)
}
