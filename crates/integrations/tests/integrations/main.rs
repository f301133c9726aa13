//! What goes out into the world and what comes back, against servers and programs of this machine.
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

mod http;
mod notifier;
mod server;
