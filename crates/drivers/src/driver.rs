//! The table of agent CLIs.

use std::time::Duration;

use crate::capabilities::Capabilities;
use crate::door::Door;
use crate::hook::{Answer, Asked, HookKind, Incoming, Reply, WireError};
use crate::install::CliFile;
use crate::launch::Launch;
use crate::oracle::{StateFile, Title};
use crate::terminal::Terminal;
use crate::usage::Reports;
use crate::{claude, codex, copilot, gemini, goose, puppet};

/// Every agent CLI that Signalbox drives.
pub static DRIVERS: &[Driver] =
    &[claude::DRIVER, codex::DRIVER, gemini::DRIVER, copilot::DRIVER, goose::DRIVER];

/// One agent CLI. Everything in it is data or a pure function.
pub struct Driver {
    /// The name on the command line and in configuration.
    pub name: &'static str,
    /// The name a person knows it by.
    pub title: &'static str,
    /// The names of its program.
    pub programs: &'static [&'static str],
    /// The hooks that are installed, and how.
    pub events: &'static [Event],
    pub capabilities: Capabilities,
    /// How it is started.
    pub launch: Launch,
    /// The ways a message gets into it, the best first.
    pub doors: &'static [Door],
    /// How it reports what it used.
    pub usage: Option<Reports>,
    /// How it looks and is typed into.
    pub terminal: Terminal,
    /// Where it keeps its state, if it does.
    pub state_file: Option<StateFile>,
    /// What its title shows, if anything.
    pub title_bar: Option<Title>,
    pub(crate) files: &'static [CliFile],
    /// Where it looks for MCP servers.
    pub(crate) mcp: Option<&'static CliFile>,
    pub(crate) parse: fn(Option<HookKind>, &[u8]) -> Result<Incoming, WireError>,
    pub(crate) reply: fn(&Asked, &Answer) -> Reply,
}

/// A hook as it is installed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event {
    /// The CLI's name for it, as written into its settings.
    pub wire: &'static str,
    /// What it is to us, and so the name in `sb hook <name>`.
    pub kind: HookKind,
    /// After how many seconds the CLI gives up on the hook. Most CLIs then go on as if it had not been there.
    pub seconds: u32,
    /// Whether the CLI waits for the answer.
    pub waits: bool,
}

impl Event {
    pub(crate) const fn answers(wire: &'static str, kind: HookKind, seconds: u32) -> Self {
        Self { wire, kind, seconds, waits: true }
    }

    pub(crate) const fn records(wire: &'static str, kind: HookKind, seconds: u32) -> Self {
        Self { wire, kind, seconds, waits: false }
    }
}

impl Driver {
    /// What the hook was told. `kind` is the one on the command line; the payload's own name for the event wins
    /// where it has one.
    pub fn parse(&self, kind: Option<HookKind>, bytes: &[u8]) -> Result<Incoming, WireError> {
        (self.parse)(kind, bytes)
    }

    /// What the hook's process must print, and how it must end, to say this. Where the CLI does not listen, nothing.
    pub fn reply(&self, asked: &Asked, answer: &Answer) -> Reply {
        (self.reply)(asked, answer)
    }

    /// The reply where not even the payload could be read: a gate refuses, anything else gets out of the way.
    pub fn refuse_blindly(&self, kind: HookKind, reason: &str) -> Reply {
        if !kind.is_gate() {
            return Reply::default();
        }
        self.reply(&Asked { kind, wire_event: String::new() }, &Answer::Refuse(reason.to_owned()))
    }

    /// How long the CLI waits for this hook; `None` where it is not installed. A hook must be done well before.
    pub fn timeout(&self, kind: HookKind) -> Option<Duration> {
        let event = self.events.iter().find(|event| event.kind == kind)?;
        Some(Duration::from_secs(event.seconds.into()))
    }
}

/// The driver of this name; `claude-code` and the like are understood too, and so is the puppet, which is in no list.
pub fn find(name: &str) -> Option<&'static Driver> {
    let mut all = DRIVERS.iter().chain([&puppet::DRIVER]);
    all.find(|driver| driver.name == name || driver.programs.contains(&name))
}
