//! The terminal in the middle, through its public interface.
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod bare;
mod deaths;
mod encode;
mod filter;
mod frames;
mod hub;
mod jobs;
mod kit;
mod record;
mod screen;
mod seat;
mod side;
mod transparency;
mod typing;
