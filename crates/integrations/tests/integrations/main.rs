//! What goes out into the world and what comes back, against servers and programs of this machine.
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

mod commands;
mod github;
mod github_histories;
mod github_hostile;
mod goals;
mod http;
mod notifier;
mod server;
mod tables;
mod watcher;
