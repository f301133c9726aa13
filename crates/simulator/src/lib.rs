//! The orchestrator under a simulated clock, with simulated agents, people and faults, from a seed.
//!
//! The rules, the planner, the queue and the questions are the real ones; git is a model of what they need of it, and the
//! loop does what the conductor does, one effect after the other, so that it can be killed between any two. What lasts is
//! in [`world`]; what is gone with the process is in [`tick`]. [`watch`] says what must never be untrue.
#![deny(clippy::print_stdout, clippy::print_stderr, clippy::exit)]

mod agent;
mod checks;
mod dice;
mod git;
mod merging;
mod person;
mod run;
mod tick;
mod watch;
mod world;

pub use run::{Failure, Summary, run};
