//! The loop that takes tickets to main: it looks, asks the planner, does what that says, and looks again.
//!
//! Nothing here decides. What is to be done says [`signalbox_core::orchestra`], from the log, the agents and the limits;
//! what may land says [`signalbox_core::landing`]. The loop keeps nothing that it could not find again: whoever kills it
//! loses a look, and the next one goes on where the log and git stand.
#![deny(clippy::print_stdout, clippy::print_stderr, clippy::exit)]

mod by_hand;
mod clean;
mod control;
mod error;
mod fleet;
mod jobs;
mod knowledge;
mod launch;
mod look;
mod mainline;
mod merge;
mod names;
mod prompt;
mod questions;
mod queue;
mod red;
mod run;
mod site;
mod steps;
mod submit;
mod upstream;
mod validate;
mod why;

pub use by_hand::{Row, adopt, clean_by_hand, restore, workspaces};
pub use control::{Asked, Wish, ask, standing};
pub use error::Failed;
pub use prompt::{BUNDLED, NAMES as NAMES_IN_ROLES, ROLES};
pub use run::{Ended, Options, Say, Until, run};
pub use site::{Site, workspaces_folder};
pub use submit::handed;
pub use why::{Entry, Explained, empty_accounts, is_running, queue, why};
