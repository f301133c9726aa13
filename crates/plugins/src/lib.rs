//! Running plugins: which of them an event is for, what each is told, and what it answers.
//!
//! A plugin gets one JSON object on standard input and may print one. Those that decide are asked by the command itself
//! before anything is written; all others are told by the daemon afterwards. Whatever one does wrong comes back as
//! [`Failed`], and is nobody else's trouble.
//!
//! Trust boundary: a plugin is the person's own program, and what it is told is anybody's text. It runs with the rights
//! and the variables of whoever runs the command; one that decides is a check, and no lock.
#![deny(clippy::print_stdout, clippy::print_stderr, clippy::exit)]

mod place;
mod wire;

use std::io;
use std::path::Path;
use std::time::Duration;

use signalbox_core::Event;
use signalbox_core::plugin::{Plugin, Run};
use signalbox_runner::{End, Program, Ran};

pub use place::missing;
pub use wire::{Answer, Told, VERSION};

/// Set for a plugin that is asked: what it runs may read, but change no tickets, because that would ask it again.
pub const DECIDING: &str = "SIGNALBOX_DECIDING";
/// The longest that any plugin may take.
pub const LONGEST: Duration = Duration::from_secs(600);
/// The most that a plugin may print on either stream, in bytes.
pub const MOST_OUTPUT: usize = 256 << 10;

/// What a plugin printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    pub stdout: String,
    /// For the log.
    pub stderr: String,
}

/// Why a plugin did not do what it is for, as a sentence that goes after its name.
#[derive(Debug, thiserror::Error)]
pub enum Failed {
    #[error("it could not be told: {0}")]
    Told(#[from] serde_json::Error),
    #[error("`{program}` could not be started: {source}")]
    NotStarted { program: String, source: io::Error },
    #[error("{end}{}", last_words(.output))]
    Ended { end: End, output: Output },
    #[error("what it printed is no answer: {why}")]
    NoAnswer { why: String, output: Output },
}

impl Failed {
    /// What it said on standard error, for the log.
    pub fn stderr(&self) -> &str {
        match self {
            Self::Ended { output, .. } | Self::NoAnswer { output, .. } => &output.stderr,
            Self::Told(_) | Self::NotStarted { .. } => "",
        }
    }
}

/// The plugins that are told of an event after it happened.
pub fn listeners_for<'a>(plugins: &'a [Plugin], event: &str) -> impl Iterator<Item = &'a Plugin> {
    plugins.iter().filter(move |plugin| !plugin.decides && plugin.wants(event))
}

/// The plugins that are asked before an event is written.
pub fn deciders_for<'a>(plugins: &'a [Plugin], event: &str) -> impl Iterator<Item = &'a Plugin> {
    plugins.iter().filter(move |plugin| plugin.decides && plugin.wants(event))
}

/// Tell a plugin of an event. It may take as long as its time-out; `home` is Signalbox's.
pub fn run(plugin: &Plugin, event: &Event, home: &Path) -> Result<Output, Failed> {
    let told = serde_json::to_vec(&Told::new(plugin, event))?;
    let mut program = place::program(&plugin.run, home);
    if plugin.decides {
        program = program.with(DECIDING, &plugin.name);
    }
    finish(program, &plugin.run, told, time(plugin))
}

/// Ask a plugin whether an event may be written.
pub fn ask(plugin: &Plugin, event: &Event, home: &Path) -> Result<Answer, Failed> {
    let output = run(plugin, event, home)?;
    match Answer::parse(&output.stdout) {
        Ok(answer) => Ok(answer),
        Err(error) => Err(Failed::NoAnswer { why: error.to_string(), output }),
    }
}

/// Run a line for the shell as plugins are run, with this on its standard input.
pub fn run_line(line: &str, input: Vec<u8>, home: &Path, time: Duration) -> Result<Output, Failed> {
    let run = Run::Line(line.to_owned());
    finish(place::program(&run, home), &run, input, time)
}

/// How long a plugin may take.
pub fn time(plugin: &Plugin) -> Duration {
    Duration::from_secs(plugin.timeout.max(1)).min(LONGEST)
}

fn finish(program: Program, run: &Run, input: Vec<u8>, time: Duration) -> Result<Output, Failed> {
    let ran = program.reading(input).within(time).printing_at_most(MOST_OUTPUT).run();
    let not_started = |source| Failed::NotStarted { program: place::name(run), source };
    let ran: Ran = ran.map_err(not_started)?;
    let output = Output { stdout: ran.text(), stderr: ran.complaint() };
    if ran.end == End::Code(0) { Ok(output) } else { Err(Failed::Ended { end: ran.end, output }) }
}

/// The last line that a program complained with.
fn last_words(output: &Output) -> String {
    let last = output.stderr.lines().rev().map(str::trim).find(|line| !line.is_empty());
    last.map(|line| format!(": {}", line.chars().take(200).collect::<String>())).unwrap_or_default()
}
