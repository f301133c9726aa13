//! Agents in a terminal, through the built binary, in a hermetic environment.
#![expect(clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

mod attaching;
mod deaths;
mod doors;
mod drafts;
mod injecting;
mod kit;
mod model;
mod recordings;
mod states;
mod transparency;
mod window;
