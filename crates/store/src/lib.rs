//! Everything on disk: the event log (the truth), the vault of markdown and the SQLite index (projections of
//! it), sessions, agents and their outboxes, configuration and locks. Knows no CLI, no network, no terminal.
#![deny(clippy::print_stdout, clippy::print_stderr, clippy::exit)]

pub mod above;
pub mod agents;
pub mod charter;
pub mod clock;
pub mod config;
pub mod contract;
pub mod delegation;
pub mod doctor;
pub mod entropy;
pub mod escalation;
pub mod fault;
pub mod files;
pub mod foreign;
pub mod heartbeat;
pub mod home;
pub mod index;
pub mod launch;
pub mod lock;
pub mod log;
pub mod outbox;
pub mod outside;
pub mod plan;
pub mod policy;
pub mod process;
pub mod project;
pub mod session;
mod store;
pub mod trust;
pub mod vault;
pub mod watch;
mod wording;

pub use home::Home;
pub use index::Index;
pub use store::{Outcome, Slow, Store, StoreError, Warning, new_event_id};
