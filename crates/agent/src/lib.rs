//! One agent in a terminal: the program it wraps, what is known of it, the ways a message gets into it, and those who
//! look on. Everything works without a daemon.
#![deny(clippy::print_stdout, clippy::print_stderr, clippy::exit)]

pub mod attach;
mod brain;
mod door;
mod evidence;
mod eye;
mod handed;
mod insights;
mod journal;
mod keyboard;
pub mod launch;
mod link;
mod look;
pub mod protocol;
pub mod run;
pub mod seat;
mod surroundings;
pub mod usage;
pub mod waiter;
mod worker;

pub use handed::tells_of;

pub use run::{Failed, Started, run};

/// The variable that tells a wrapped program, and everything below it, which agent it is.
pub const VARIABLE: &str = "SIGNALBOX_AGENT";
