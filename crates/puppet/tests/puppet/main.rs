//! The puppet in a terminal, read by its driver.
#![expect(clippy::expect_used, reason = "tests fail by panicking")]

mod headless;
mod seat;
mod terminal;
