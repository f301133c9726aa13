//! The nouns and rules of Signalbox. Nothing here does I/O, reads a clock, spawns or waits.
//!
//! A command goes in as [`Command`] with the [`Who`] that asks; [`decide`] answers with the facts that
//! would become events, or with a [`Refusal`]. [`Board`] is the fold of events: whatever is known about a
//! ticket is what its events say, in their order.
#![deny(clippy::print_stdout, clippy::print_stderr, clippy::exit)]

pub mod agent;
mod apply;
pub mod batch;
mod board;
pub mod call;
pub mod charter;
mod command;
mod decide;
pub mod delivery;
mod dependencies;
pub mod discipline;
pub mod escalation;
mod event;
mod fact;
pub mod glob;
pub mod goal;
mod id;
mod independence;
pub mod inject;
pub mod judge;
pub mod landing;
mod mode;
pub mod orchestra;
pub mod pace;
pub mod plugin;
mod priority;
mod refusal;
mod role;
pub mod schedule;
mod status;
mod suggest;
pub mod text;
mod ticket;
pub mod time;
pub mod toolbox;
pub mod trigger;
pub mod usage;
mod who;
pub mod work;

pub use signalbox_shell as shell;

pub use board::Board;
pub use charter::Charter;
pub use command::{Changes, Command, Ending, MergeStep, NewTicket};
pub use decide::{Draft, decide};
pub use dependencies::{dependency_tree, open_dependencies};
pub use event::{CATALOG, Event, EventDoc, FORMAT_VERSION};
pub use fact::{AttemptReport, Cause, Fact, Outcome, StatusChange};
pub use id::{AgentId, EventId, IdError, ProjectName, SessionId, TicketId};
pub use independence::may_review;
pub use mode::Mode;
pub use priority::Priority;
pub use refusal::{Refusal, RefusalKind};
pub use role::Role;
pub use status::Status;
pub use suggest::nearest;
pub use ticket::{Attempt, Criterion, Hold, Reviewer, Ticket, Touch, TouchKind};
pub use who::{Agent, Who};
