//! `sb query`: SQL that can only read, and reports that are SQL with a name.

use rusqlite::limits::Limit;
use rusqlite::types::ValueRef;
use serde_json::Value;

use super::{Index, IndexError};

/// The answer to a query.
#[derive(Debug, Clone, PartialEq)]
pub struct ResultSet {
    pub columns: Vec<String>,
    pub rows: Vec<Vec<Value>>,
}

/// A query with a name. `:ticket` and `:session` are the user's, or null.
#[derive(Debug)]
pub struct Report {
    pub name: &'static str,
    pub about: &'static str,
    pub sql: &'static str,
}

/// Every named report.
pub const REPORTS: &[Report] = &[
    Report {
        name: "touches",
        about: "Who had to do with a ticket, how often, from when to when (needs --ticket)",
        sql: "SELECT actor, session, count(*) AS events, min(ts) AS first, max(ts) AS last,
                     group_concat(DISTINCT event) AS what
              FROM events WHERE ticket = :ticket GROUP BY actor, session ORDER BY first",
    },
    Report {
        name: "time-per-mode",
        about: "Seconds each session spent in each mode",
        sql: "WITH changes AS (
                SELECT session_id, timestamp_ns, json_extract(event_data, '$.new_mode') AS mode,
                       lead(timestamp_ns) OVER (PARTITION BY session_id ORDER BY timestamp_ns) AS until
                FROM hook_events
                WHERE hook_name = 'user_prompt_submit' AND json_extract(event_data, '$.event_type') = 'mode_transition'
                  AND (:ticket IS NULL OR correlation_id = :ticket) AND (:session IS NULL OR session_id = :session))
              SELECT session_id AS session, mode, round(sum((until - timestamp_ns) / 1e9), 3) AS seconds
              FROM changes WHERE until IS NOT NULL GROUP BY session_id, mode ORDER BY session_id, mode",
    },
    Report {
        name: "tool-use",
        about: "How often each tool was used in each mode, and how long it took on average",
        sql: "SELECT json_extract(event_data, '$.tool_name') AS tool, json_extract(event_data, '$.daic_mode') AS mode,
                     count(*) AS uses, round(avg(duration_ms), 1) AS mean_ms
              FROM hook_events
              WHERE hook_name = 'post_tool_use'
                AND (:ticket IS NULL OR correlation_id = :ticket) AND (:session IS NULL OR session_id = :session)
              GROUP BY tool, mode ORDER BY uses DESC",
    },
    Report {
        name: "refusals",
        about: "Which tools were refused, how often and in which session",
        sql: "SELECT json_extract(event_data, '$.tool_name') AS tool, session_id AS session, count(*) AS refusals,
                     max(json_extract(event_data, '$.reason')) AS reason
              FROM hook_events
              WHERE hook_name = 'pre_tool_use' AND json_extract(event_data, '$.permission') = 'deny'
                AND (:ticket IS NULL OR correlation_id = :ticket) AND (:session IS NULL OR session_id = :session)
              GROUP BY tool, session ORDER BY refusals DESC",
    },
    Report {
        name: "session-timeline",
        about: "What a session did, in order (needs --session)",
        sql: "SELECT ts, event, ticket, json_extract(data, '$.tool_name') AS tool
              FROM events WHERE session = :session ORDER BY ts_ns, seq",
    },
    Report {
        name: "flow",
        about: "For each finished ticket: when it was filed, started, first submitted and done",
        sql: "SELECT ticket,
                     min(CASE WHEN event = 'ticket.created' THEN ts END) AS created,
                     min(CASE WHEN event = 'status.in-progress' THEN ts END) AS started,
                     min(CASE WHEN event = 'status.review' THEN ts END) AS submitted,
                     max(CASE WHEN event = 'status.done' THEN ts END) AS done,
                     sum(event = 'status.rework') AS reworks
              FROM events WHERE ticket IS NOT NULL AND rev IS NOT NULL AND (:ticket IS NULL OR ticket = :ticket)
              GROUP BY ticket HAVING done IS NOT NULL ORDER BY done",
    },
];

impl Index {
    /// Run one statement that reads.
    pub fn query(
        &self,
        sql: &str,
        ticket: Option<&str>,
        session: Option<&str>,
    ) -> Result<ResultSet, IndexError> {
        // A statement that attaches or copies to another file counts as reading for SQLite, but not for us.
        self.connection.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0).map_err(IndexError::Query)?;
        let first = sql.trim_start().split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
        if !["select", "with", "values", "explain"].contains(&first.to_ascii_lowercase().as_str()) {
            return Err(IndexError::QueryWrites);
        }
        let run = || -> rusqlite::Result<Option<ResultSet>> {
            let mut statement = self.connection.prepare(sql)?;
            if !statement.readonly() {
                return Ok(None);
            }
            for (name, value) in [(":ticket", ticket), (":session", session)] {
                if let Some(index) = statement.parameter_index(name)? {
                    statement.raw_bind_parameter(index, value)?;
                }
            }
            let columns: Vec<String> = statement.column_names().map(ToOwned::to_owned).collect();
            let mut rows = Vec::new();
            let mut cursor = statement.raw_query();
            while let Some(row) = cursor.next()? {
                rows.push(
                    (0..columns.len()).map(|i| Ok(json(row.get_ref(i)?))).collect::<rusqlite::Result<_>>()?,
                );
            }
            Ok(Some(ResultSet { columns, rows }))
        };
        run().map_err(IndexError::Query)?.ok_or(IndexError::QueryWrites)
    }
}

fn json(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => number.into(),
        ValueRef::Real(number) => number.into(),
        ValueRef::Text(text) => String::from_utf8_lossy(text).into(),
        ValueRef::Blob(bytes) => format!("<{} bytes>", bytes.len()).into(),
    }
}
