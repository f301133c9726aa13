//! The real CLIs in a terminal: what they look like, and their ways in.
//!
//! The tests named `look` write the sights below `tests/terminal` anew. They are run by hand after a CLI changed:
//! `cargo test -p signalbox-drivers --test real -- --ignored look --test-threads 1`.
#![expect(clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

mod claude;
mod codex;
mod copilot;
mod doors;
mod gemini;
mod goose;
mod launch;
mod stage;
mod typing;
mod usage;
