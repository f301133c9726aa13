//! When looks may be begun: after a restart many are due, and they are let go one after the other.

use std::time::Duration;

use jiff::Timestamp;

/// How many looks may be begun at once, and how many in a second: one may start programs, and whoever asks the daemon
/// something in the meantime waits behind them.
const LOOKS_AT_ONCE: f64 = 4.0;
const LOOKS_A_SECOND: f64 = 80.0;

/// Who may look when.
#[derive(Debug, Clone, Copy)]
pub struct Turns {
    /// How many may be begun now; below zero, how many have a turn and wait for it.
    free: f64,
    at: Timestamp,
}

impl Turns {
    pub fn new(now: Timestamp) -> Self {
        Self { free: LOOKS_AT_ONCE, at: now }
    }

    /// How long the next one has to wait.
    pub fn take(&mut self, now: Timestamp) -> Duration {
        let since = now.duration_since(self.at).as_secs_f64().max(0.0);
        self.at = now;
        self.free = (self.free + since * LOOKS_A_SECOND).min(LOOKS_AT_ONCE) - 1.0;
        Duration::from_secs_f64((-self.free).max(0.0) / LOOKS_A_SECOND)
    }
}
