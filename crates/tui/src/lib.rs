//! The board in the terminal: screens over the desk's views, by keyboard and mouse.
//!
//! One loop over one closed type of message. [`update()`] takes in a message and says what is to be done, [`draw()`]
//! draws what is known; both are pure. What is slow runs on threads of its own and comes back as a message, so that
//! nothing ever waits but the loop itself, for the next message.
#![deny(clippy::print_stdout, clippy::print_stderr, clippy::exit)]

mod draw;
mod keys;
mod layout;
mod markdown;
pub mod message;
mod page;
mod paper;
mod prompt;
mod run;
mod state;
mod style;
mod terminal;
mod text;
mod update;
mod workers;

pub use draw::draw;
pub use run::{BoardError, Options, run};
pub use state::{Screen, State};
pub use style::Palette;
pub use update::update;

#[cfg(test)]
mod samples;
