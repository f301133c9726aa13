//! Places where a test may kill this process. They are there in debug builds only.
//!
//! Every call of git and every change to a file of ours is one, because whoever is killed between two of them must find its
//! way on from what the first one left. Those who use this crate name further places of their own.

/// Die here, if a test wants it: `SIGNALBOX_CRASH=name`, `name:3` for the third time, or `any:7` for the seventh place.
#[cfg(debug_assertions)]
pub fn here(name: &str) {
    use std::sync::atomic::{AtomicU64, Ordering};
    static PASSED: AtomicU64 = AtomicU64::new(0);
    let Ok(wanted) = std::env::var("SIGNALBOX_CRASH") else { return };
    let (place, times) = wanted
        .split_once(':')
        .map_or((wanted.as_str(), 1), |(place, times)| (place, times.parse().unwrap_or(1)));
    let counts = place == name || place == "any";
    if counts && PASSED.fetch_add(1, Ordering::SeqCst) + 1 == times {
        // As `kill -9` does: nothing is put in order.
        let own = rustix::process::getpid();
        let _ = rustix::process::kill_process(own, rustix::process::Signal::KILL);
    }
}

#[cfg(not(debug_assertions))]
pub fn here(_name: &str) {}
