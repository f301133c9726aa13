//! When somebody who asks again and again asks next: evenly while all is well, later and later when it is not.
//!
//! Dice are handed in, so that many who were started together do not all ask at the same moment.

use jiff::{SignedDuration, Timestamp};

/// The first wait after a failure; every further one doubles it.
const FIRST: SignedDuration = SignedDuration::from_secs(15);
/// No wait is longer, unless the other side asks for it.
const LONGEST: SignedDuration = SignedDuration::from_mins(15);
/// How much longer than planned a wait may be, as a share of it.
const SPREAD: f64 = 0.2;

/// How it went the last time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Fine,
    /// It went wrong, and may go well the next time.
    Failed,
    /// The other side has had enough, until then if it said so.
    Limited(Option<Timestamp>),
    /// It will go wrong every time.
    Hopeless,
}

/// The rhythm of one who asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pace {
    every: SignedDuration,
    failures: u32,
}

impl Pace {
    pub fn new(every: SignedDuration) -> Self {
        Self { every: every.max(SignedDuration::from_millis(100)), failures: 0 }
    }

    /// How often it went wrong since it last went well.
    pub fn failures(&self) -> u32 {
        self.failures
    }

    /// When to ask next, after this; `None` for never. `dice` is between 0 and 1.
    pub fn next(&mut self, outcome: Outcome, now: Timestamp, dice: f64) -> Option<Timestamp> {
        let at = match outcome {
            Outcome::Hopeless => return None,
            Outcome::Fine => {
                self.failures = 0;
                now + self.every
            }
            Outcome::Failed | Outcome::Limited(None) => now + self.back_off(),
            // Nobody is asked earlier than it wants to be, nor more often than usual.
            Outcome::Limited(Some(until)) => {
                self.back_off();
                until.max(now + self.every)
            }
        };
        let wait = at.duration_since(now).min(LONGEST);
        Some(at + wait.mul_f64(SPREAD * dice.clamp(0.0, 1.0)))
    }

    fn back_off(&mut self) -> SignedDuration {
        let doubled = FIRST.saturating_mul(1 << self.failures.min(10));
        self.failures = self.failures.saturating_add(1);
        doubled.min(LONGEST).max(self.every.min(LONGEST))
    }
}
