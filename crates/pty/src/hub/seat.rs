//! The read-write seat: one at a time, can be taken over, and is lost by doing nothing for long.
//!
//! Pure: whoever calls says what time it is.

use std::time::{Duration, Instant};

/// Who looks on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WatcherId(pub u64);

#[derive(Debug)]
pub struct Seat {
    holder: Option<Holder>,
    /// How long one may do nothing. `None`: for ever.
    idle: Option<Duration>,
}

#[derive(Debug, Clone, Copy)]
struct Holder {
    who: WatcherId,
    active: Instant,
}

/// How somebody wants the seat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Take {
    IfFree,
    /// Whoever has it loses it.
    ByForce,
}

/// Somebody else has the seat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("somebody else has the read-write seat")]
pub struct Occupied(pub WatcherId);

impl Seat {
    pub fn new(idle: Option<Duration>) -> Self {
        Self { holder: None, idle }
    }

    pub fn holder(&self) -> Option<WatcherId> {
        self.holder.map(|holder| holder.who)
    }

    /// Take the seat. Whoever lost it by that is returned.
    pub fn take(&mut self, who: WatcherId, how: Take, now: Instant) -> Result<Option<WatcherId>, Occupied> {
        let before = self.holder().filter(|holder| *holder != who);
        match (before, how) {
            (Some(holder), Take::IfFree) => Err(Occupied(holder)),
            _ => {
                self.holder = Some(Holder { who, active: now });
                Ok(before)
            }
        }
    }

    /// Give it up, if one has it.
    pub fn leave(&mut self, who: WatcherId) {
        if self.holder() == Some(who) {
            self.holder = None;
        }
    }

    /// Somebody types. Whether they may.
    pub fn types(&mut self, who: WatcherId, now: Instant) -> bool {
        match &mut self.holder {
            Some(holder) if holder.who == who => {
                holder.active = now;
                true
            }
            _ => false,
        }
    }

    /// Take it from whoever has done nothing for too long.
    pub fn expire(&mut self, now: Instant) -> Option<WatcherId> {
        let since = |active: Instant| now.saturating_duration_since(active);
        let idle = self.idle?;
        let holder = self.holder.filter(|holder| since(holder.active) >= idle)?;
        self.holder = None;
        Some(holder.who)
    }

    /// When [`Seat::expire`] has something to do next.
    pub fn expires_at(&self) -> Option<Instant> {
        Some(self.holder?.active + self.idle?)
    }
}
