//! Time and randomness that a test owns: every command gets the next second and its own random numbers.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Shared by everyone in one environment, so that no two commands get the same event id.
#[derive(Debug, Clone)]
pub(crate) struct Clockwork {
    seed: u64,
    /// Whether the time moves too, or only the random numbers.
    ticks: bool,
    commands: Arc<AtomicU64>,
}

impl Clockwork {
    pub fn new(seed: u64, ticks: bool) -> Self {
        Self { seed, ticks, commands: Arc::default() }
    }

    /// What the next command finds in its environment.
    pub fn next(&self) -> Vec<(&'static str, String)> {
        let count = self.commands.fetch_add(1, Ordering::Relaxed);
        let mut variables = vec![("SIGNALBOX_SEED", (self.seed * 1_000_000 + count).to_string())];
        if self.ticks {
            let (minute, second) = (count / 60, count % 60);
            assert!(minute < 60, "the clock of a test has one hour");
            variables.push(("SIGNALBOX_CLOCK", format!("2026-11-15T10:{minute:02}:{second:02}Z")));
        }
        variables
    }
}
