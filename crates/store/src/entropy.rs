//! Random numbers: from the system, or in debug builds from `SIGNALBOX_SEED`, so that tests repeat.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Fill with random bytes.
pub fn fill(bytes: &mut [u8]) {
    if seed().is_none() && filled_by_system(bytes) {
        return;
    }
    for chunk in bytes.chunks_mut(8) {
        let random = number().to_le_bytes();
        chunk.copy_from_slice(&random[..chunk.len()]);
    }
}

/// A random number.
pub fn number() -> u64 {
    if let Some(seed) = seed() {
        return seeded(seed);
    }
    // The system's source does not fail on a running system; if it ever did, the ids would still differ by
    // time and process.
    system().unwrap_or_else(|| seeded(u64::from(std::process::id())))
}

fn system() -> Option<u64> {
    let mut bytes = [0u8; 8];
    filled_by_system(&mut bytes).then(|| u64::from_le_bytes(bytes))
}

/// Straight from the kernel: one system call, where the usual crate opens two files first in a static program.
#[cfg(target_os = "linux")]
fn filled_by_system(bytes: &mut [u8]) -> bool {
    let length = bytes.len();
    rustix::rand::getrandom(bytes, rustix::rand::GetRandomFlags::empty()) == Ok(length)
}

#[cfg(not(target_os = "linux"))]
fn filled_by_system(bytes: &mut [u8]) -> bool {
    getrandom::fill(bytes).is_ok()
}

fn seed() -> Option<u64> {
    static SEED: OnceLock<Option<u64>> = OnceLock::new();
    if !cfg!(debug_assertions) {
        return None;
    }
    *SEED.get_or_init(|| std::env::var("SIGNALBOX_SEED").ok()?.parse().ok())
}

/// SplitMix64, each call the next of its sequence.
fn seeded(seed: u64) -> u64 {
    static CALLS: AtomicU64 = AtomicU64::new(0);
    let call = CALLS.fetch_add(1, Ordering::Relaxed) + 1;
    let mut z = seed.wrapping_add(call.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}
