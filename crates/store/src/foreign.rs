//! Other programs' SQLite databases, of which we read some rows.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

/// How long its owner may be writing.
const PATIENCE: Duration = Duration::from_secs(2);

/// The first column of each row that a query selects, as text. `?1` stands for `about`. `None` where the database is not
/// there, is not what we think it is, or has no time.
pub fn texts(path: &Path, query: &str, about: &str) -> Option<Vec<String>> {
    select(path, query, about).ok()
}

fn select(path: &Path, query: &str, about: &str) -> rusqlite::Result<Vec<String>> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(PATIENCE)?;
    let mut statement = connection.prepare(query)?;
    let rows = statement.query_map([about], |row| row.get(0))?;
    rows.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files;

    #[test]
    fn rows_are_read_beside_their_writer_and_anything_else_is_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let query = "SELECT text FROM notes WHERE about = ?1 ORDER BY text";
        assert_eq!(texts(&path, query, "x"), None);
        assert!(!path.exists(), "reading makes nothing");
        let owner = Connection::open(&path).unwrap();
        owner.pragma_update(None, "journal_mode", "wal").unwrap();
        owner.execute_batch("CREATE TABLE notes (about, text); BEGIN IMMEDIATE").unwrap();
        owner.execute_batch("INSERT INTO notes VALUES ('x', 'b'), ('y', 'c'), ('x', 'a')").unwrap();
        assert_eq!(texts(&path, query, "x"), Some(Vec::new()));
        owner.execute_batch("COMMIT").unwrap();
        assert_eq!(texts(&path, query, "x"), Some(vec!["a".to_owned(), "b".to_owned()]));
        assert_eq!(texts(&path, "SELECT other FROM notes", "x"), None);
        let other = folder.path().join("b.db");
        files::replace(&other, b"no database", files::PRIVATE).unwrap();
        assert_eq!(texts(&other, query, "x"), None);
    }
}
