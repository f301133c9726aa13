//! The one lock: whoever holds it decides. The kernel frees it when its holder dies, however it dies.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

use crate::store::Slow;
use crate::{files, process};

/// Commands hold the lock for milliseconds; after this long something is the matter.
const SOON: Duration = Duration::from_secs(2);
const PATIENCE: Duration = Duration::from_secs(58);

/// Held until dropped.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Wait for the lock. After a while `on_slow` is told who holds it, and after a minute it is an error.
    pub fn acquire(path: &Path, on_slow: fn(Slow)) -> io::Result<Self> {
        let (file, _) = files::open_append(path)?;
        match file.try_lock() {
            Ok(()) => return Ok(Self { _file: file }),
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => return Err(error),
        }
        // The kernel queues those who wait, but cannot be told for how long: so another thread waits.
        let waiting = file.try_clone()?;
        let (done, locked) = mpsc::channel();
        std::thread::Builder::new().spawn(move || {
            let _ = done.send(waiting.lock());
        })?;
        let outcome = locked.recv_timeout(SOON).or_else(|_| {
            on_slow(Slow::Waiting { holder: process::lock_holder(path) });
            locked.recv_timeout(PATIENCE)
        });
        match outcome {
            Ok(result) => result.map(|()| Self { _file: file }),
            Err(_) => {
                let holder =
                    process::lock_holder(path).map(|pid| format!(" by process {pid}")).unwrap_or_default();
                Err(io::Error::new(io::ErrorKind::TimedOut, format!("it has been held{holder} for a minute")))
            }
        }
    }

    /// Take the lock if it is free.
    pub fn try_acquire(path: &Path) -> io::Result<Option<Self>> {
        let (file, _) = files::open_append(path)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self { _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}
