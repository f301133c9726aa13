//! Questions the commands ask: tickets by id, by filter, with their surroundings, and their histories.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use rusqlite::types::Value;
use rusqlite::{OptionalExtension, Row as SqlRow, params_from_iter};
use serde_json::value::RawValue;
use signalbox_core::{
    Board, Event, FORMAT_VERSION, Priority, ProjectName, SessionId, Status, Ticket, TicketId, nearest,
};

use super::{Index, IndexError, Listing};

/// What a typed id turned out to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    One(TicketId),
    /// The ids it could mean, with titles.
    Many(Vec<(TicketId, String)>),
    /// Nothing; perhaps this was meant.
    Nothing(Option<(TicketId, String)>),
}

/// Which tickets a list shows. Empty means any.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    pub project: Option<ProjectName>,
    pub statuses: Vec<Status>,
    pub priorities: Vec<Priority>,
    pub assignee: Option<String>,
    pub assignee_session: Option<String>,
    pub tag: Option<String>,
    pub initiative: Option<String>,
    /// Only what can be claimed: not escalated, and assigned to nobody or to these.
    pub ready_for: Option<Vec<String>>,
    pub limit: Option<usize>,
}

/// Which events are wanted. Empty means any.
#[derive(Debug, Clone, Default)]
pub struct History {
    pub ticket: Option<TicketId>,
    pub project: Option<ProjectName>,
    pub session: Option<String>,
    /// A glob on the event's name.
    pub event: Option<String>,
    pub since: Option<Timestamp>,
    pub until: Option<Timestamp>,
    /// Only events that changed a ticket.
    pub changes_only: bool,
    /// Only after this one of the index's own numbers.
    pub after: Option<i64>,
    /// The newest so many.
    pub limit: Option<usize>,
}

/// Conditions and their values, gathered.
#[derive(Default)]
struct Conditions {
    sql: Vec<String>,
    values: Vec<Value>,
}

impl Conditions {
    fn add(&mut self, sql: &str, value: impl Into<Value>) {
        self.sql.push(sql.to_owned());
        self.values.push(value.into());
    }

    fn any_of(&mut self, column: &str, values: impl Iterator<Item = &'static str>) {
        let values: Vec<_> = values.map(|v| Value::Text(v.to_owned())).collect();
        if !values.is_empty() {
            self.sql.push(format!("{column} IN ({})", vec!["?"; values.len()].join(", ")));
            self.values.extend(values);
        }
    }

    fn where_clause(&self) -> String {
        if self.sql.is_empty() { String::new() } else { format!(" WHERE {}", self.sql.join(" AND ")) }
    }
}

impl Index {
    /// The ticket that a typed id or its beginning means, with or without `sb_`.
    pub fn find(&self, typed: &str) -> Result<Found, IndexError> {
        let rest = typed.strip_prefix("sb_").unwrap_or(typed);
        let prefix = format!("sb_{rest}");
        let mut matches = self.starting_with("id", &prefix)?;
        if matches.is_empty() {
            matches = self.starting_with("folded", &prefix.to_ascii_lowercase())?;
        }
        Ok(match matches.len() {
            0 => Found::Nothing(self.nearest_id(&prefix)?),
            1 => Found::One(matches.remove(0).0),
            _ => match matches.iter().find(|(id, _)| id.as_str() == prefix) {
                Some((id, _)) => Found::One(id.clone()),
                None => Found::Many(matches),
            },
        })
    }

    fn starting_with(&self, column: &str, prefix: &str) -> Result<Vec<(TicketId, String)>, IndexError> {
        let sql = format!(
            "SELECT id, title FROM tickets WHERE {column} >= ?1 AND {column} < ?2 ORDER BY {column} LIMIT 12"
        );
        // Ids are letters and digits, which all sort before `~`.
        self.rows(&sql, [prefix.to_owned().into(), format!("{prefix}~").into()], |row| {
            Ok((id(row, 0)?, row.get(1)?))
        })
    }

    fn nearest_id(&self, typed: &str) -> Result<Option<(TicketId, String)>, IndexError> {
        let all: Vec<(TicketId, String)> =
            self.rows("SELECT id, title FROM tickets", [], |row| Ok((id(row, 0)?, row.get(1)?)))?;
        // The `sb_` that all ids share would make them all look alike.
        let own = |id: &TicketId| id.as_str().strip_prefix("sb_").unwrap_or_default().to_owned();
        let ids: Vec<String> = all.iter().map(|(id, _)| own(id)).collect();
        let near = nearest(typed.strip_prefix("sb_").unwrap_or(typed), ids.iter().map(String::as_str));
        Ok(near.and_then(|near| all.iter().find(|(id, _)| own(id) == near)).cloned())
    }

    /// Whether an id is free, also where file names ignore case.
    pub fn is_free(&self, id: &TicketId) -> Result<bool, IndexError> {
        let sql = "SELECT 1 FROM tickets WHERE folded = ?1";
        Ok(self.rows(sql, [id.as_str().to_ascii_lowercase().into()], |_| Ok(()))?.is_empty())
    }

    pub fn ticket(&self, id: &TicketId) -> Result<Option<Ticket>, IndexError> {
        let mut select = self
            .connection
            .prepare_cached("SELECT state FROM states WHERE ticket = ?1")
            .map_err(|e| self.error(e))?;
        let state: Option<String> =
            select.query_row([id.as_str()], |row| row.get(0)).optional().map_err(|e| self.error(e))?;
        Ok(state.map(|state| serde_json::from_str(&state)).transpose()?)
    }

    /// The named tickets with all they depend on, all that depends on them, and what those wait for: what
    /// the rules must see.
    pub fn surroundings<'a>(&self, ids: impl IntoIterator<Item = &'a TicketId>) -> Result<Board, IndexError> {
        let mut board = Board::default();
        let named: Vec<TicketId> = ids.into_iter().cloned().collect();
        let mut wanted: BTreeSet<TicketId> = named.iter().cloned().collect();
        let mut up = named;
        while let Some(id) = up.pop() {
            for dependent in self.dependents(&id)? {
                if wanted.insert(dependent.clone()) {
                    up.push(dependent);
                }
            }
        }
        let mut down: Vec<TicketId> = wanted.iter().cloned().collect();
        while let Some(id) = down.pop() {
            let Some(ticket) = self.ticket(&id)? else { continue };
            for dependency in &ticket.depends_on {
                if wanted.insert(dependency.clone()) {
                    down.push(dependency.clone());
                }
            }
            board.insert(ticket);
        }
        Ok(board)
    }

    fn dependents(&self, on: &TicketId) -> Result<Vec<TicketId>, IndexError> {
        self.rows("SELECT ticket FROM dependencies WHERE depends_on = ?1", [on.to_string().into()], |row| {
            id(row, 0)
        })
    }

    /// The tickets that pass a filter, in the order of work.
    pub fn list(&self, filter: &Filter) -> Result<Listing, IndexError> {
        let conditions = ticket_conditions(filter);
        let limit = filter.limit.map(|n| format!(" LIMIT {n}")).unwrap_or_default();
        // With a limit the order must be known to SQLite; without one, sorting here is faster.
        let order = if filter.limit.is_some() { " ORDER BY priority, created_ms, id" } else { "" };
        let sql = format!("SELECT line FROM tickets{}{order}{limit}", conditions.where_clause());
        let mut listing = Listing::default();
        self.rows(&sql, conditions.values, |row| {
            listing.push_packed(row.get_ref(0)?.as_blob()?);
            Ok(())
        })?;
        if filter.limit.is_none() {
            listing.sort_for_work();
        }
        Ok(listing)
    }

    /// The whole state of the tickets that pass a filter, in the order of work.
    pub fn tickets(&self, filter: &Filter) -> Result<Vec<Ticket>, IndexError> {
        let conditions = ticket_conditions(filter);
        let limit = filter.limit.map(|n| format!(" LIMIT {n}")).unwrap_or_default();
        let sql = format!(
            "SELECT state FROM tickets JOIN states ON ticket = id{} ORDER BY priority, created_ms, id{limit}",
            conditions.where_clause()
        );
        let states: Vec<String> = self.rows(&sql, conditions.values, |row| row.get(0))?;
        states.iter().map(|state| Ok(serde_json::from_str(state)?)).collect()
    }

    /// For each ticket that waits, what it waits for.
    pub fn waiting(&self) -> Result<BTreeMap<TicketId, Vec<TicketId>>, IndexError> {
        let sql = "SELECT ticket, depends_on FROM dependencies LEFT JOIN tickets ON id = depends_on
                   WHERE status IS NOT 'done' ORDER BY ticket, depends_on";
        let mut waiting: BTreeMap<TicketId, Vec<TicketId>> = BTreeMap::new();
        for (ticket, on) in self.rows(sql, [], |row| Ok((id(row, 0)?, id(row, 1)?)))? {
            waiting.entry(ticket).or_default().push(on);
        }
        Ok(waiting)
    }

    /// Events in the order of the log, with the index's own numbers.
    pub fn events(&self, history: &History) -> Result<Vec<(i64, Event)>, IndexError> {
        let mut conditions = Conditions::default();
        if let Some(ticket) = &history.ticket {
            conditions.add("ticket = ?", ticket.to_string());
        }
        if let Some(project) = &history.project {
            conditions.add("project = ?", project.to_string());
        }
        if let Some(session) = &history.session {
            conditions.add("session = ?", session.clone());
        }
        if let Some(event) = &history.event {
            conditions.add("event GLOB ?", event.clone());
        }
        if let Some(since) = history.since {
            conditions.add("ts_ns >= ?", nanoseconds(since));
        }
        if let Some(until) = history.until {
            conditions.add("ts_ns <= ?", nanoseconds(until));
        }
        if let Some(after) = history.after {
            conditions.add("seq > ?", after);
        }
        if history.changes_only {
            conditions.sql.push("rev IS NOT NULL".to_owned());
        }
        let newest =
            history.limit.map_or(" ORDER BY seq".to_owned(), |n| format!(" ORDER BY seq DESC LIMIT {n}"));
        let sql = format!(
            "SELECT seq, id, ts, event, ticket, project, actor, session, lineage, data, rev FROM events{}{newest}",
            conditions.where_clause()
        );
        let mut events = self.rows(&sql, conditions.values, event)?;
        if history.limit.is_some() {
            events.reverse();
        }
        Ok(events)
    }

    /// What changed one ticket, in order.
    pub fn changes(&self, ticket: &TicketId) -> Result<Vec<Event>, IndexError> {
        let history = History { ticket: Some(ticket.clone()), changes_only: true, ..History::default() };
        Ok(self.events(&history)?.into_iter().map(|(_, event)| event).collect())
    }

    /// What a session was last assigned, and its last change of mode: the events' data, the oldest first.
    pub fn assignments(&self, session: &SessionId) -> Result<Vec<String>, IndexError> {
        let sql = "SELECT data FROM events WHERE event IN ('session.assigned', 'mode.changed') \
                   AND json_extract(data, '$.session') = ?1 ORDER BY seq";
        self.rows(sql, [Value::from(session.to_string())], |row| row.get(0))
    }

    /// How many events there are.
    pub fn event_count(&self) -> Result<usize, IndexError> {
        let count: Vec<i64> = self.rows("SELECT count(*) FROM events", [], |row| row.get(0))?;
        Ok(count.first().and_then(|count| usize::try_from(*count).ok()).unwrap_or(0))
    }

    /// The time of the newest event.
    pub fn newest(&self) -> Result<Option<Timestamp>, IndexError> {
        let newest: Vec<String> =
            self.rows("SELECT ts FROM events ORDER BY ts_ns DESC LIMIT 1", [], |row| row.get(0))?;
        Ok(newest.first().and_then(|ts| ts.parse().ok()))
    }

    /// Tickets whose markdown is behind the log.
    pub fn behind(&self) -> Result<Vec<TicketId>, IndexError> {
        self.rows("SELECT ticket FROM behind", [], |row| id(row, 0))
    }

    /// Whether a ticket's markdown was ever written, as far as this index knows.
    pub fn was_written(&self, ticket: &TicketId) -> Result<bool, IndexError> {
        let sql = "SELECT 1 FROM written WHERE ticket = ?1";
        Ok(!self.rows(sql, [ticket.to_string().into()], |_| Ok(()))?.is_empty())
    }

    /// Remember that a ticket's markdown stands at this revision. A reader may have caught up with more since.
    pub fn written(&self, ticket: &TicketId, rev: u64) -> Result<(), IndexError> {
        let id = ticket.as_str();
        let rev = i64::try_from(rev).unwrap_or(i64::MAX);
        let still = "DELETE FROM behind WHERE ticket = ?1 AND (SELECT rev FROM tickets WHERE id = ?1) <= ?2";
        let write = || {
            let both = self.connection.unchecked_transaction()?;
            both.execute(still, rusqlite::params![id, rev])?;
            both.execute("INSERT OR IGNORE INTO written VALUES (?1)", [id])?;
            both.commit()
        };
        write().map_err(|e| self.error(e))?;
        Ok(())
    }

    fn rows<T>(
        &self,
        sql: &str,
        values: impl IntoIterator<Item = Value>,
        read: impl FnMut(&SqlRow<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, IndexError> {
        let run = || -> rusqlite::Result<Vec<T>> {
            self.connection.prepare_cached(sql)?.query_map(params_from_iter(values), read)?.collect()
        };
        run().map_err(|e| self.error(e))
    }
}

fn ticket_conditions(filter: &Filter) -> Conditions {
    let mut conditions = Conditions::default();
    if let Some(project) = &filter.project {
        conditions.add("project = ?", project.to_string());
    }
    conditions.any_of("status", filter.statuses.iter().map(|s| s.as_str()));
    conditions.any_of("priority", filter.priorities.iter().map(|p| p.as_str()));
    if let Some(assignee) = &filter.assignee {
        conditions.add("assignee = ?", assignee.clone());
    }
    if let Some(session) = &filter.assignee_session {
        conditions.add("assignee_session = ?", session.clone());
    }
    if let Some(initiative) = &filter.initiative {
        conditions.add("initiative = ?", initiative.clone());
    }
    if let Some(tag) = &filter.tag {
        conditions.add("EXISTS (SELECT 1 FROM json_each(tags) WHERE value = ?)", tag.clone());
    }
    if let Some(names) = &filter.ready_for {
        let marks = vec!["?"; names.len()].join(", ");
        conditions.sql.push(format!(
            "status = 'open' AND escalated = 0 AND (assignee IS NULL OR assignee IN ({marks}))"
        ));
        conditions.values.extend(names.iter().map(|name| Value::Text(name.clone())));
    }
    conditions
}

fn nanoseconds(time: Timestamp) -> i64 {
    i64::try_from(time.as_nanosecond()).unwrap_or(i64::MAX)
}

fn id(row: &SqlRow<'_>, column: usize) -> rusqlite::Result<TicketId> {
    parsed(row, column, TicketId::parse(row.get_ref(column)?.as_str()?))
}

fn parsed<T, E: std::error::Error + Send + Sync + 'static>(
    _row: &SqlRow<'_>,
    column: usize,
    value: Result<T, E>,
) -> rusqlite::Result<T> {
    value.map_err(|e| {
        rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Text, Box::new(e))
    })
}

fn event(row: &SqlRow<'_>) -> rusqlite::Result<(i64, Event)> {
    let text = |column: usize| -> rusqlite::Result<Option<String>> { row.get(column) };
    let lineage = text(8)?.unwrap_or_default();
    let event = Event {
        v: FORMAT_VERSION,
        id: parsed(row, 1, row.get::<_, String>(1)?.try_into())?,
        ts: parsed(row, 2, row.get_ref(2)?.as_str()?.parse::<Timestamp>())?,
        event: row.get(3)?,
        ticket: parsed(row, 4, text(4)?.map(TryInto::try_into).transpose())?,
        project: parsed(row, 5, text(5)?.map(TryInto::try_into).transpose())?,
        actor: row.get(6)?,
        session: parsed(row, 7, text(7)?.map(TryInto::try_into).transpose())?,
        lineage: lineage
            .split_whitespace()
            .filter_map(|s| signalbox_core::SessionId::parse(s).ok())
            .collect(),
        rev: row.get::<_, Option<i64>>(10)?.and_then(|rev| u64::try_from(rev).ok()),
        batch: None,
        data: parsed(row, 9, RawValue::from_string(row.get(9)?))?,
        crc: serde::de::IgnoredAny,
    };
    Ok((row.get(0)?, event))
}
