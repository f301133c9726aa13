//! What the daemon says of itself: `logs/daemon.log`, a line each, not without end.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use signalbox_core::text;
use signalbox_store::{Home, clock, files};

/// How long the file becomes before it is begun anew; the one before it is kept.
const MOST: u64 = 5 << 20;

/// The file, for whoever has something to say.
#[derive(Debug)]
pub struct OwnLog {
    path: PathBuf,
    /// One line at a time.
    turn: Mutex<()>,
}

impl OwnLog {
    pub fn new(home: &Home) -> Self {
        Self { path: home.daemon_log(), turn: Mutex::new(()) }
    }

    /// Say something. Where that fails there is nobody to tell.
    pub fn say(&self, words: &str) {
        let _turn = self.turn.lock();
        let _ = self.write(words);
    }

    fn write(&self, words: &str) -> io::Result<()> {
        if files::size(&self.path)?.unwrap_or(0) > MOST {
            files::rename(&self.path, &older(&self.path))?;
        }
        let (mut file, _) = files::open_append(&self.path)?;
        let line = format!("{:.0} {}\n", clock::now(), text::one_line(words));
        file.write_all(line.as_bytes())
    }
}

/// The file before it.
pub fn older(path: &Path) -> PathBuf {
    path.with_extension("log.1")
}
