//! The daemon: one quiet process that watches the world for every agent that runs, tells agents and people what changed,
//! and looks after goals. It decides no rule, spends no token, and can be killed at any moment.
//!
//! One loop over one inbox ([`msg::Msg`]); [`state::State::step`] is pure and answers with effects ([`msg::Effect`]), which
//! are run outside it: on the disk in order by the [`keeper`], elsewhere by the [`workers`], to whoever asked by the
//! [`door`]. So nothing that waits can make anything else wait.
//!
//! What must not be lost is on disk before anything is done about it, and whatever is done twice is known by its id. A
//! daemon that is killed leaves at most a thing undone, and the next one does it.
#![deny(clippy::print_stdout, clippy::print_stderr, clippy::exit)]

mod door;
mod feed;
mod jobs;
mod keeper;
pub mod kept;
pub mod msg;
mod own_log;
mod run;
pub mod state;
mod streams;
pub mod unit;
mod workers;

pub use own_log::OwnLog;
pub use run::{Page, RunError, run};
