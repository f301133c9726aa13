//! Git as it is really run: workspaces, keep-refs, merging, the user's checkout, and agents that mean ill.
#![expect(clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

mod basics;
mod hostile;
mod keeping;
mod lifecycle;
mod merging;
mod rig;
mod trees;
mod user;
mod vectors;
