//! The world outside: what is watched for agents (monitors), when an agent is done (goals), and who is told (notifiers).
//!
//! Each kind is a static table with one row a type. A row is plain data and functions that get all they need and return
//! all they found; nothing here keeps state, knows an agent, or decides when it is asked. Whatever comes from outside is
//! bounded before it is looked at.
//!
//! Trust boundary: configuration is the user's. What services and programs answer is anybody's, and only ever text.
#![deny(clippy::print_stdout, clippy::print_stderr, clippy::exit)]

mod github;
pub mod goal;
pub mod http;
pub mod monitor;
pub mod notifier;
mod program;
pub mod settings;
mod templates;
mod text;

pub use settings::{BadSettings, Key, Settings};
pub use templates::check_template;

use std::sync::LazyLock;

use signalbox_template::Bundled;

/// Every template that comes along.
pub fn templates() -> &'static [Bundled] {
    static ALL: LazyLock<Vec<Bundled>> = LazyLock::new(|| {
        let monitors = monitor::TYPES.iter().flat_map(|kind| kind.templates);
        monitors.chain(notifier::TYPES.iter().flat_map(|kind| kind.templates)).copied().collect()
    });
    &ALL
}
