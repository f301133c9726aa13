//! The tables of the index. A change of anything here is a change of [`VERSION`]: the index is then built
//! anew from the log.

use rusqlite::Connection;

/// Kept in SQLite's `user_version`.
const VERSION: i64 = 8;

/// Make the tables where they are missing or of another version.
pub(super) fn prepare(connection: &Connection) -> rusqlite::Result<()> {
    if is_current(connection) {
        return Ok(());
    }
    connection.pragma_update(None, "journal_mode", "wal")?;
    connection.execute_batch("BEGIN IMMEDIATE")?;
    // Another process may have been faster.
    if !is_current(connection) {
        drop_all(connection)?;
        connection.execute_batch(TABLES)?;
        connection.execute_batch(INDEXES)?;
        connection.execute_batch(VIEWS)?;
        connection.pragma_update(None, "user_version", VERSION)?;
    }
    connection.execute_batch("COMMIT")
}

pub(super) fn is_current(connection: &Connection) -> bool {
    connection.query_row("PRAGMA user_version", [], |row| row.get::<_, i64>(0)).is_ok_and(|v| v == VERSION)
}

fn drop_all(connection: &Connection) -> rusqlite::Result<()> {
    let mut list = connection.prepare(
        "SELECT type, name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%' ORDER BY type DESC",
    )?;
    let names: Vec<(String, String)> =
        list.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?;
    for (kind, name) in names {
        connection.execute_batch(&format!("DROP {kind} IF EXISTS \"{name}\""))?;
    }
    Ok(())
}

const TABLES: &str = "
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

-- Every event, in the order of the log. `rev` is the ticket's, where the event changed it.
CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    ts TEXT NOT NULL,
    ts_ns INTEGER NOT NULL,
    event TEXT NOT NULL,
    ticket TEXT,
    project TEXT,
    actor TEXT NOT NULL,
    session TEXT,
    lineage TEXT,
    rev INTEGER,
    data TEXT NOT NULL
);

-- What a list shows, packed in `line`, and what it is asked for. SQLite reads a row from its beginning.
CREATE TABLE tickets (
    id TEXT PRIMARY KEY,
    line BLOB NOT NULL,
    project TEXT NOT NULL,
    status TEXT NOT NULL,
    priority TEXT NOT NULL,
    title TEXT NOT NULL,
    assignee TEXT,
    created_ms INTEGER NOT NULL,
    updated_ms INTEGER NOT NULL,
    folded TEXT NOT NULL,
    assignee_session TEXT,
    initiative TEXT,
    tags TEXT NOT NULL,
    escalated INTEGER NOT NULL,
    rev INTEGER NOT NULL,
    created TEXT AS (strftime('%Y-%m-%dT%H:%M:%fZ', created_ms / 1000.0, 'unixepoch')),
    updated TEXT AS (strftime('%Y-%m-%dT%H:%M:%fZ', updated_ms / 1000.0, 'unixepoch'))
) WITHOUT ROWID;

-- The whole state, as JSON.
CREATE TABLE states (ticket TEXT PRIMARY KEY, state TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE dependencies (ticket TEXT NOT NULL, depends_on TEXT NOT NULL, PRIMARY KEY (ticket, depends_on)) WITHOUT ROWID;

-- Tickets whose markdown is behind.
CREATE TABLE behind (ticket TEXT PRIMARY KEY) WITHOUT ROWID;

-- Tickets whose markdown has been written: if the file is missing, somebody took it away.
CREATE TABLE written (ticket TEXT PRIMARY KEY) WITHOUT ROWID;

-- What was wrong with the log when it was read.
CREATE TABLE damage (file TEXT NOT NULL, start INTEGER NOT NULL, bytes INTEGER NOT NULL, reason TEXT NOT NULL, loses_data INTEGER NOT NULL, PRIMARY KEY (file, start, reason)) WITHOUT ROWID;
";

const INDEXES: &str = "
CREATE INDEX events_ticket ON events (ticket, seq) WHERE ticket IS NOT NULL;
CREATE INDEX events_changes ON events (ticket, seq) WHERE rev IS NOT NULL;
CREATE INDEX events_session ON events (session, ts_ns) WHERE session IS NOT NULL;
CREATE INDEX events_name ON events (event, ts_ns);
CREATE INDEX events_time ON events (ts_ns);
CREATE INDEX tickets_ready ON tickets (project, priority, created_ms) WHERE status = 'open';
CREATE INDEX tickets_folded ON tickets (folded);
CREATE INDEX tickets_assigned ON tickets (assignee_session) WHERE assignee_session IS NOT NULL;
CREATE INDEX dependents ON dependencies (depends_on);
";

/// `hook_events` has exactly the columns that queries written for it expect. A mode change is told there
/// as part of the prompt that caused it.
const VIEWS: &str = "
CREATE VIEW hook_events AS
SELECT
    seq AS id,
    coalesce(session, json_extract(data, '$.session'), '') AS session_id,
    coalesce(json_extract(data, '$.correlation_id'), ticket) AS correlation_id,
    CASE event
        WHEN 'hook.pre-tool' THEN 'pre_tool_use'
        WHEN 'hook.post-tool' THEN 'post_tool_use'
        WHEN 'hook.prompt' THEN 'user_prompt_submit'
        WHEN 'mode.changed' THEN 'user_prompt_submit'
        WHEN 'session.started' THEN 'session_start'
        WHEN 'session.ended' THEN 'session_end'
        ELSE replace(substr(event, 6), '-', '_')
    END AS hook_name,
    ts_ns AS timestamp_ns,
    json_extract(data, '$.execution_id') AS execution_id,
    CASE
        WHEN event = 'mode.changed' THEN json_set(data, '$.event_type', 'mode_transition')
        WHEN json_extract(data, '$.mode') IS NOT NULL THEN json_set(data, '$.daic_mode', json_extract(data, '$.mode'))
        ELSE data
    END AS event_data,
    json_extract(data, '$.duration_ms') AS duration_ms
FROM events
WHERE event GLOB 'hook.*' OR event IN ('mode.changed', 'session.started', 'session.ended');
";
