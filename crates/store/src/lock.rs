//! The one lock: whoever holds it decides. The kernel frees it when its holder dies, however it dies.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;

use crate::files;

/// Held until dropped.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Wait for the lock.
    pub fn acquire(path: &Path) -> io::Result<Self> {
        let (file, _) = files::open_append(path)?;
        file.lock()?;
        Ok(Self { _file: file })
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
