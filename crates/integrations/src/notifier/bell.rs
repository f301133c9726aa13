//! The bell of a terminal. Most terminals make a sound or mark their window.
//!
//! A terminal is anybody's path until it was looked at: only a terminal that belongs to this user is written to, and
//! never for longer than one byte takes.

use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::fs::{Mode, OFlags};
use serde_json::Value;
use signalbox_template::Extras;

use super::{NotifierType, Telling, Untold};
use crate::settings::{self, BadSettings, Key, Settings};

pub const TYPE: NotifierType = NotifierType {
    name: "terminal_bell",
    about: "Rings the bell of the terminals in which agents run",
    keys: &[Key::optional(
        "tty",
        "The only terminal to ring, such as `/dev/pts/3`; all of them unless this is set",
    )],
    privileged: false,
    check,
    tell,
    templates: &[],
    extras: Extras::NONE,
};

/// Several events at once are one sound.
const PAUSE: Duration = Duration::from_secs(1);
/// No more terminals than this are rung.
const MOST: usize = 64;

/// Which terminals were rung lately.
static RUNG: Mutex<Vec<(PathBuf, Instant)>> = Mutex::new(Vec::new());

fn check(settings: &Settings) -> Result<(), BadSettings> {
    match settings::text(settings, "tty")? {
        Some(path) if !Path::new(path).starts_with("/dev") || path.contains("..") => {
            Err(BadSettings(format!("`tty` has to be a terminal such as `/dev/pts/3`, and {path} is none")))
        }
        _ => Ok(()),
    }
}

fn tell(telling: &Telling<'_>) -> Result<Value, Untold> {
    check(telling.settings)?;
    let chosen = settings::text(telling.settings, "tty")?.map(PathBuf::from);
    let terminals = chosen.as_ref().map_or(telling.terminals, std::slice::from_ref);
    let now = Instant::now();
    let rung = terminals.iter().take(MOST).filter(|terminal| ring(terminal, now)).count();
    match (rung, chosen) {
        (1.., _) => Ok(Value::Null),
        (_, Some(terminal)) => {
            Err(Untold::lasting(format!("{} is no terminal of yours that takes a bell", terminal.display())))
        }
        (_, None) => Err(Untold::lasting("there is no terminal to ring: no agent runs in one")),
    }
}

/// Whether its bell was rung, now or a moment ago.
fn ring(terminal: &Path, now: Instant) -> bool {
    let mut rung = RUNG.lock().unwrap_or_else(PoisonError::into_inner);
    rung.retain(|(_, at)| now.saturating_duration_since(*at) < PAUSE);
    if rung.iter().any(|(path, _)| path == terminal) {
        return true;
    }
    let is_rung = write_bell(terminal).is_some();
    if is_rung {
        rung.push((terminal.to_owned(), now));
    }
    is_rung
}

fn write_bell(terminal: &Path) -> Option<()> {
    let about = std::fs::symlink_metadata(terminal).ok()?;
    if !about.file_type().is_char_device() || about.uid() != rustix::process::getuid().as_raw() {
        return None;
    }
    let flags = OFlags::WRONLY | OFlags::NOCTTY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let opened = rustix::fs::open(terminal, flags, Mode::empty()).ok()?;
    if !rustix::termios::isatty(&opened) {
        return None;
    }
    // One that is held up has no room for it, and nobody waits.
    rustix::io::write(&opened, b"\x07").ok().map(drop)
}
