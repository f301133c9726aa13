//! The index: SQLite, a projection of the log that can be deleted at will.
//!
//! It remembers how far it has read the log and catches up before it answers. A ticket's state is one row.
//! Nothing here is needed for correctness: if the file is missing, damaged, of another version or of
//! another log, it is built anew.

mod ingest;
mod listing;
mod lookup;
mod query;
mod schema;

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};

pub use ingest::CaughtUp;
pub(crate) use ingest::missing;
pub use listing::{Listing, Row};
pub use lookup::{Filter, Found, History};
pub use query::{REPORTS, Report, ResultSet};

use crate::log::LogError;

#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    #[error("use the index {path}")]
    Sqlite { path: PathBuf, source: rusqlite::Error },
    #[error("the index holds a ticket that cannot be read")]
    State(#[from] serde_json::Error),
    #[error(transparent)]
    Log(#[from] LogError),
    #[error("{0}")]
    Query(rusqlite::Error),
    #[error("a query may only read, and this one writes")]
    QueryWrites,
}

impl IndexError {
    /// Whether the file itself is spoilt, and making it anew helps.
    pub fn is_damage(&self) -> bool {
        matches!(self, Self::Sqlite { source, .. } if is_unusable(source))
    }
}

/// An open index.
#[derive(Debug)]
pub struct Index {
    connection: Connection,
    path: PathBuf,
    writable: bool,
}

impl Index {
    /// Open the index for reading and writing; make it where it is missing, replace it where it is unusable.
    pub fn open(path: &Path) -> Result<Self, IndexError> {
        match Self::try_open(path) {
            Err(IndexError::Sqlite { source, .. }) if is_unusable(&source) => {
                Self::delete(path);
                Self::try_open(path)
            }
            result => result,
        }
    }

    fn try_open(path: &Path) -> Result<Self, IndexError> {
        let open = || -> rusqlite::Result<Connection> {
            let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
                | OpenFlags::SQLITE_OPEN_CREATE
                | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            let connection = Connection::open_with_flags(path, flags)?;
            connection.busy_timeout(Duration::from_secs(30))?;
            // The log is flushed; the index need not be. In this mode SQLite still never corrupts on a power cut.
            connection.pragma_update(None, "synchronous", "normal")?;
            // Without this every command that closes last would flush and delete the write-ahead log.
            connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
            // Whoever opens it first reads the whole write-ahead log, and that is nearly every command: so it must
            // stay short.
            connection.pragma_update(None, "wal_autocheckpoint", 96)?;
            schema::prepare(&connection)?;
            Ok(connection)
        };
        fault_as_sqlite(path)?;
        // SQLite would make it readable by all; its side files get the mode of this one.
        if !path.exists() {
            crate::files::open_append(path).map_err(|error| as_sqlite(path, error))?;
        }
        let connection = open().map_err(|source| IndexError::Sqlite { path: path.to_owned(), source })?;
        Ok(Self { connection, path: path.to_owned(), writable: true })
    }

    /// Open an index that is there and of this version, for reading alone. `None` where it is not.
    pub fn open_existing(path: &Path) -> Option<Self> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags).ok()?;
        connection.busy_timeout(Duration::from_secs(30)).ok()?;
        // Reading through memory saves a system call a page.
        connection.pragma_update(None, "mmap_size", 256 * 1024 * 1024).ok()?;
        let index = Self { connection, path: path.to_owned(), writable: false };
        schema::is_current(&index.connection).then_some(index)
    }

    /// An index in memory, with what the one at `path` holds where that can be read: for a home that
    /// cannot be written to.
    pub fn in_memory(path: &Path) -> Result<Self, IndexError> {
        let open = || -> rusqlite::Result<Connection> {
            let mut connection = Connection::open_in_memory()?;
            if let Some(on_disk) = Self::open_existing(path) {
                let backup = rusqlite::backup::Backup::new(&on_disk.connection, &mut connection)?;
                backup.run_to_completion(4096, Duration::ZERO, None)?;
            }
            schema::prepare(&connection)?;
            Ok(connection)
        };
        let connection = open().map_err(|source| IndexError::Sqlite { path: path.to_owned(), source })?;
        Ok(Self { connection, path: path.to_owned(), writable: true })
    }

    pub fn is_writable(&self) -> bool {
        self.writable
    }

    /// A copy of the index in one file.
    pub fn copy_to(path: &Path, copy: &Path) -> std::io::Result<()> {
        let Some(index) = Self::open_existing(path) else { return Ok(()) };
        index.connection.backup("main", copy, None::<fn(_)>).map_err(std::io::Error::other)
    }

    /// Remove the index's files. What they held comes back from the log.
    pub fn delete(path: &Path) {
        for suffix in ["", "-wal", "-shm", "-journal"] {
            let mut name = path.as_os_str().to_owned();
            name.push(suffix);
            let _ = std::fs::remove_file(PathBuf::from(name));
        }
    }

    fn error(&self, source: rusqlite::Error) -> IndexError {
        IndexError::Sqlite { path: self.path.clone(), source }
    }
}

fn is_unusable(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
}

/// SQLite does its own file operations, out of reach of the fault layer, so opening it counts as one.
fn fault_as_sqlite(path: &Path) -> Result<(), IndexError> {
    crate::fault::point().map_err(|error| as_sqlite(path, error))
}

fn as_sqlite(path: &Path, error: std::io::Error) -> IndexError {
    IndexError::Sqlite {
        path: path.to_owned(),
        source: rusqlite::Error::ToSqlConversionFailure(Box::new(error)),
    }
}
