//! What a CLI says of its own state outside the screen: in a file, or in the title of its terminal.

use crate::terminal::Activity;

/// A file in which a CLI keeps its state.
pub struct StateFile {
    /// The version it was seen on.
    pub seen_on: &'static str,
    /// Its path below the CLI's configuration folder, for the process with this id.
    pub path: fn(pid: u32) -> String,
    /// What it says. `None` where it cannot be read: it is written in place, and may be half there.
    pub read: fn(text: &str) -> Option<Said>,
}

/// What a state file says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    pub activity: Activity,
    pub because: &'static str,
    /// The conversation it has open now.
    pub session: Option<String>,
    /// Since when, in milliseconds since 1970.
    pub since: Option<i64>,
    pub pid: Option<u32>,
    /// When the process started, in the kernel's ticks since boot: with it a pid that was given again is known.
    pub process_started: Option<String>,
    /// The CLI's version.
    pub version: Option<String>,
}

/// A terminal's title in which a CLI shows its state.
pub struct Title {
    /// The version it was seen on.
    pub seen_on: &'static str,
    /// What it shows; `None` where it shows nothing that can be told apart.
    pub read: fn(title: &str) -> Option<Activity>,
    /// Whether it shows each state, also when the person interrupts. Where it does not, it is one witness among others.
    pub is_complete: bool,
}

/// The spinner that many CLIs draw with dots of braille.
pub(crate) fn is_spinner(letter: char) -> bool {
    ('\u{2801}'..='\u{28ff}').contains(&letter)
}
