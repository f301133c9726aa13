//! All that is particular to one agent CLI: what its hooks send, what it takes for an answer, where they are
//! installed. One folder a CLI, one row in [`DRIVERS`]. No rule is decided here, and nothing is read or written.
#![deny(clippy::print_stdout, clippy::print_stderr, clippy::exit)]

mod canary;
mod capabilities;
pub mod claude;
pub mod codex;
mod copilot;
mod door;
mod driver;
mod gemini;
mod goose;
mod hook;
mod install;
pub mod launch;
mod mcp;
mod oracle;
mod patch;
mod payload;
mod piece;
mod puppet;
mod quote;
mod recognise;
mod resumes;
mod say;
pub mod terminal;
mod tools;
mod unheard;
pub mod usage;

pub use canary::{is_refusal, shell_call};
pub use capabilities::{Can, Capabilities};
pub use door::{Door, Extension, Waiter};
pub use driver::{DRIVERS, Driver, Event, find};
pub use hook::{Answer, Asked, HookKind, Incoming, Moment, Reply, Subagent, WireError};
pub use install::{InstallError, Installed, Place, Roots, Scope};
pub use oracle::{Said, StateFile, Title};
pub use recognise::{recognise, recognise_bytes};
pub use resumes::Resumes;
