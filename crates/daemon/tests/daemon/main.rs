//! The daemon's mind, without its threads: what it makes of what it hears.

mod goals;
mod once;
mod outlets;
mod requests;
mod watches;
mod world;
