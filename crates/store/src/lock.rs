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
/// How often a lock that is only looked at is tried again. A look takes microseconds.
const LOOKS: u32 = 10_000;

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

    /// Take the lock unless somebody holds it. Those who only look whether it is held ([`Self::is_held`]) are no holders,
    /// and are waited for.
    pub fn take(path: &Path) -> io::Result<Option<Self>> {
        for _ in 0..LOOKS {
            if let Some(lock) = Self::try_acquire(path)? {
                return Ok(Some(lock));
            }
            if Self::is_held(path)? {
                return Ok(None);
            }
            std::thread::yield_now();
        }
        Ok(None)
    }

    /// Whether somebody holds it. Any number may look at once.
    pub fn is_held(path: &Path) -> io::Result<bool> {
        let file = match File::open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            opened => opened?,
        };
        match file.try_lock_shared() {
            Ok(()) => Ok(false),
            Err(TryLockError::WouldBlock) => Ok(true),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    #[test]
    fn whoever_looks_is_taken_for_no_holder() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("lock");
        assert!(!Lock::is_held(&path).expect("no trouble"), "there is none");
        drop(Lock::take(&path).expect("no trouble").expect("it is free"));
        let over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    while !over.load(Ordering::Acquire) {
                        let _ = Lock::is_held(&path);
                    }
                });
            }
            let seen = (0..2_000).filter(|_| Lock::is_held(&path).unwrap_or(true)).count();
            over.store(true, Ordering::Release);
            assert_eq!(seen, 0, "nobody holds it");
        });
    }

    #[test]
    fn it_is_had_though_others_look() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("lock");
        let over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !over.load(Ordering::Acquire) {
                    let _ = Lock::is_held(&path);
                }
            });
            let had = (0..2_000).filter(|_| Lock::take(&path).is_ok_and(|lock| lock.is_some())).count();
            over.store(true, Ordering::Release);
            assert_eq!(had, 2_000);
        });
        let held = Lock::take(&path).expect("no trouble").expect("it is free");
        assert!(Lock::is_held(&path).expect("no trouble"));
        assert!(Lock::take(&path).expect("no trouble").is_none(), "somebody holds it");
        drop(held);
        assert!(!Lock::is_held(&path).expect("no trouble"));
    }
}
