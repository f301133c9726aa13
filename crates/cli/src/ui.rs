//! What a person is told. Data goes to stdout, where it can be piped; words about it go to stderr.

use std::io::{self, IsTerminal, Write};

use serde::Serialize;
use signalbox_core::text;
use signalbox_store::{Slow, Warning};

use signalbox_desk::error::{CommandError, Kind, PIPE_CLOSED};

/// Both streams, and whether they are terminals.
#[derive(Debug)]
pub struct Ui {
    pub json: bool,
    stdout_is_terminal: bool,
    color: bool,
    stderr_color: bool,
}

/// A colour of the terminal's own palette.
#[derive(Debug, Clone, Copy)]
pub enum Paint {
    Bold,
    Dim,
    Red,
    Green,
    Yellow,
    Blue,
    Magenta,
    Cyan,
}

impl Ui {
    pub fn new() -> Self {
        let stdout_is_terminal = io::stdout().is_terminal() || assumed_width().is_some();
        let wanted = std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
            && std::env::var_os("TERM").is_none_or(|term| term != "dumb");
        Self {
            json: false,
            stdout_is_terminal,
            color: wanted && stdout_is_terminal,
            stderr_color: wanted && io::stderr().is_terminal(),
        }
    }

    /// For programs: nothing is a terminal, and nobody is asked whether it is.
    pub fn for_programs() -> Self {
        Self { json: false, stdout_is_terminal: false, color: false, stderr_color: false }
    }

    pub fn is_terminal(&self) -> bool {
        self.stdout_is_terminal
    }

    /// How many columns there are; `None` where the output is not a terminal and may be as wide as it is.
    pub fn width(&self) -> Option<usize> {
        if !self.stdout_is_terminal {
            return None;
        }
        if let Some(width) = assumed_width() {
            return Some(width);
        }
        let size = rustix::termios::tcgetwinsize(io::stdout()).ok();
        Some(size.map(|s| usize::from(s.ws_col)).filter(|w| *w > 0).unwrap_or(80))
    }

    pub fn has_color(&self) -> bool {
        self.color
    }

    pub fn paint(&self, paint: Paint, text: &str) -> String {
        if self.color { painted(paint, text) } else { text.to_owned() }
    }

    /// Text for stdout. Whatever the command did is done when this fails.
    pub fn data(&self, text: &str) -> Result<(), CommandError> {
        let mut stdout = io::stdout().lock();
        stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).map_err(|error| {
            let code = if error.kind() == io::ErrorKind::BrokenPipe { PIPE_CLOSED } else { "output.failed" };
            CommandError::new(Kind::Failure, code, format!("standard output cannot be written to: {error}"))
                .hint("What the command changes is changed; do not run it again for that.")
        })
    }

    /// Bytes for stdout that were made harmless before, and may move the cursor.
    pub fn bytes(&self, bytes: &[u8]) -> Result<(), CommandError> {
        let mut stdout = io::stdout().lock();
        stdout.write_all(bytes).and_then(|()| stdout.flush()).map_err(|error| {
            let code = if error.kind() == io::ErrorKind::BrokenPipe { PIPE_CLOSED } else { "output.failed" };
            CommandError::new(Kind::Failure, code, format!("standard output cannot be written to: {error}"))
        })
    }

    /// One JSON value for stdout.
    pub fn json(&self, value: &impl Serialize) -> Result<(), CommandError> {
        let mut text = if self.stdout_is_terminal {
            serde_json::to_string_pretty(value)?
        } else {
            serde_json::to_string(value)?
        };
        text.push('\n');
        self.data(&json_for_terminal(&text))?;
        Ok(())
    }

    /// One JSON value as a line of several.
    pub fn json_line(&self, lines: &mut String, value: &impl Serialize) -> Result<(), CommandError> {
        lines.push_str(&json_for_terminal(&serde_json::to_string(value)?));
        lines.push('\n');
        Ok(())
    }

    /// A sentence about what was done.
    pub fn status(&self, sentence: &str) {
        if !self.json {
            say(&text::many_lines(sentence));
        }
    }

    pub fn hint(&self, hint: &str) {
        if !self.json {
            say(&format!("{} {}", self.on_stderr(Paint::Cyan, "hint:"), text::many_lines(hint)));
        }
    }

    pub fn warn(&self, warning: &str) {
        say(&format!("{} {}", self.on_stderr(Paint::Yellow, "warning:"), text::many_lines(warning)));
    }

    /// An error, as a person or as a program gets it.
    pub fn error(&self, error: &CommandError) {
        if self.json {
            let value = serde_json::json!({ "error": {
                "code": error.code, "message": error.message, "hints": error.hints, "evidence": error.evidence,
            }});
            say(&json_for_terminal(&value.to_string()));
            return;
        }
        say(&format!("{} {}", self.on_stderr(Paint::Red, "error:"), text::many_lines(&error.message)));
        for hint in &error.hints {
            say(&format!("{} {}", self.on_stderr(Paint::Cyan, "hint:"), text::many_lines(hint)));
        }
        for event in &error.evidence {
            say(&format!(
                "{} event {event} (`sb log --event-id {event}`)",
                self.on_stderr(Paint::Cyan, "evidence:")
            ));
        }
    }

    pub fn warnings(&self, warnings: &[Warning]) {
        for warning in warnings {
            self.warn(&sentence(warning));
        }
    }

    fn on_stderr(&self, paint: Paint, text: &str) -> String {
        if self.stderr_color { painted(paint, text) } else { text.to_owned() }
    }
}

/// In debug builds, `SIGNALBOX_TERMINAL=80` stands for a terminal of that width, so that tests see what people see.
fn assumed_width() -> Option<usize> {
    if !cfg!(debug_assertions) {
        return None;
    }
    std::env::var("SIGNALBOX_TERMINAL").ok()?.parse().ok()
}

fn sentence(warning: &Warning) -> String {
    match warning {
        Warning::Behind(why) => {
            format!(
                "what is recorded could not be brought into the ticket files and the index ({why}); the next command tries again"
            )
        }
        Warning::HandEdited { ticket, properties } => format!(
            "the file of {ticket} was edited by hand ({}); that was left as it is. `sb doctor` shows it, `sb doctor --fix` puts it back",
            properties.join(", ")
        ),
        Warning::Recreated(ticket) => format!("the file of {ticket} had gone and was written anew"),
        Warning::Foreign(ticket) => {
            format!(
                "the file of {ticket} is not one that Signalbox wrote, or is ahead of the log, and was left alone; `sb doctor` tells more"
            )
        }
        Warning::Damage(1) => "the event log has a damaged line; `sb doctor` tells which".to_owned(),
        Warning::Damage(count) => format!("the event log has {count} damaged lines; `sb doctor` tells which"),
        Warning::Shrunk(what) => format!("{what}; `sb doctor` tells what is missing"),
        Warning::ClockBehind { newest } => {
            format!(
                "the clock is behind the newest event ({newest:.0}); new events carry that time until it catches up"
            )
        }
    }
}

fn painted(paint: Paint, text: &str) -> String {
    let code = match paint {
        Paint::Bold => 1,
        Paint::Dim => 2,
        Paint::Red => 31,
        Paint::Green => 32,
        Paint::Yellow => 33,
        Paint::Blue => 34,
        Paint::Magenta => 35,
        Paint::Cyan => 36,
    };
    format!("\u{1b}[{code}m{text}\u{1b}[0m")
}

/// JSON leaves some control characters bare that a terminal acts on; they only ever stand in strings.
fn json_for_terminal(json: &str) -> String {
    let mut safe = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '\u{7f}'..='\u{9f}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}' => {
                safe.push_str(&format!("\\u{:04x}", c as u32));
            }
            c => safe.push(c),
        }
    }
    safe
}

/// A word about what takes a while, for whoever watches.
pub fn say_slow(slow: Slow) {
    match slow {
        Slow::Reading { bytes } if io::stderr().is_terminal() => {
            say(&format!("Reading {} MB of the event log …", bytes / 1_000_000));
        }
        Slow::Reading { .. } => {}
        Slow::Waiting { holder: Some(pid) } => {
            say(&format!("Waiting for process {pid}, which holds the lock …"));
        }
        Slow::Waiting { holder: None } => say("Waiting for another sb, which holds the lock …"),
    }
}

/// A line on stderr; if nobody listens, so be it.
fn say(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Words for a person at a terminal that is in raw mode: the line must be ended and the cursor brought back.
pub fn aside(words: &str) {
    say(&format!("\r[sb] {}\r", text::one_line(words)));
}

/// One line of something that goes on for long, with the time.
pub fn line(words: &str) {
    let now = jiff::Zoned::now().strftime("%H:%M:%S").to_string();
    say(&format!("{now}  {}", text::one_line(words)));
}

/// A panic is a bug of ours. The person gets a sentence, and nothing half-done: all writes are atomic.
pub fn on_panic() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(|at| format!(" ({}:{})", at.file(), at.line())).unwrap_or_default();
        say(&format!(
            "error: a bug in sb{place}: {}",
            panic.payload_as_str().unwrap_or("it stopped unexpectedly")
        ));
        say(
            "hint: Please report it with the output of `sb doctor --bundle`. Nothing that was acknowledged is lost.",
        );
        #[expect(clippy::exit, reason = "the panic must not show a backtrace or abort with a signal")]
        std::process::exit(1);
    }));
}
