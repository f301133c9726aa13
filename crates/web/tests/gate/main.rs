//! Nobody gets through the gate who should not: every route there is, with every way to ask wrongly.
#![expect(clippy::expect_used, reason = "tests fail by panicking")]

mod refusals;
mod world;
