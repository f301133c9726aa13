//! The web page in a real browser, served by the real daemon, with real agents.
//!
//! Rust makes the world; what happens in the browser is a script of its own in `scripts`, driven by playwright. They need
//! Chromium and node; where these are missing, the tests say so and are skipped.
#![expect(clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

mod acting;
mod busy;
mod hostile;
mod kit;
mod large;
mod looking;
mod steering;
mod terminals;
