//! The terminal in the middle: runs a program in a pseudo-terminal between it and a person, records it, knows
//! what it shows, types into it safely and lets others look on. Knows no tickets, agents or CLIs.
#![deny(clippy::print_stdout, clippy::print_stderr, clippy::exit)]

mod courtesy;
pub mod encode;
pub mod filter;
pub mod frame;
pub mod hub;
pub mod lead;
mod parse;
mod platform;
pub mod pump;
pub mod record;
pub mod screen;
mod sheet;
pub mod side;
mod signals;
pub mod spawn;
mod tap;
pub mod terminal;

pub use encode::{Paste, Safe};
pub use filter::Allow;
pub use hub::Hub;
pub use pump::{Handle, Pump};
pub use rustix::process::Signal;
pub use screen::{Screen, View};
pub use side::{Moment, Side};
pub use spawn::{Child, Exit, Size};
pub use tap::Tap;
pub use terminal::Person;
