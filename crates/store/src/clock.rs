//! The time: the system's, or in debug builds `SIGNALBOX_CLOCK`, so that tests repeat.

use jiff::Timestamp;

/// Now, to the millisecond: the log keeps no more.
pub fn now() -> Timestamp {
    let now = fixed().unwrap_or_else(Timestamp::now);
    Timestamp::from_millisecond(now.as_millisecond()).unwrap_or(now)
}

fn fixed() -> Option<Timestamp> {
    if !cfg!(debug_assertions) {
        return None;
    }
    std::env::var("SIGNALBOX_CLOCK").ok()?.parse().ok()
}
