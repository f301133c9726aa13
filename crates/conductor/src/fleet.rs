//! The agents that were set to work, as they are now: from their records, the log, and what they say themselves.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use signalbox_core::agent::State;
use signalbox_core::orchestra::{Empty, EndReason, Ended, Pool, Running, exhausted};
use signalbox_core::{AgentId, Event, Role, SessionId, TicketId};
use signalbox_store::agents::{self, Life, Record};
use signalbox_store::index::History;
use signalbox_store::{Index, StoreError, clock};

use crate::error::Failed;
use crate::site::Site;

/// How often an agent is asked what it does, and its workspace looked into. Both take a while.
const ASK_EVERY: Duration = Duration::from_secs(2);
const LOOK_EVERY: Duration = Duration::from_secs(10);
/// How far back it is looked for who said so: the longest limits are those of a week.
const LONGEST_LIMIT: SignedDuration = SignedDuration::from_hours(8 * 24);
const STOP_FAILURE: &str = "hook.stop-failure";
/// Where the reason of an agent's end stands in its record.
const ENDING: &str = "ending";

/// The agents as they were found last, and what was found out lately about each, so that it is not asked again every time.
#[derive(Default)]
pub struct Watched {
    found: Vec<(Record, Life)>,
    /// Which account each agent there ever was draws on.
    accounts: Vec<(SessionId, String)>,
    states: HashMap<AgentId, (Instant, bool)>,
    changes: HashMap<AgentId, (Instant, Vec<String>)>,
    /// What each ticket changes, as it was handed in with this commit.
    handed: HashMap<TicketId, (String, Vec<String>)>,
}

/// The agents of a project that the orchestrator set to work and that belong to an attempt under way, or still run.
pub fn agents(
    site: &Site,
    index: &Index,
    pool_of: &dyn Fn(Role) -> String,
    watched: &mut Watched,
    wanted: &dyn Fn(&SessionId) -> bool,
) -> Result<Vec<Running>, Failed> {
    let mut found = Vec::new();
    let records = std::mem::take(&mut watched.found);
    watched.accounts = records.iter().filter_map(|(record, _)| account(site, record, pool_of)).collect();
    for (record, life) in records {
        let is_ours = record.branch.is_some() && record.project.as_ref() == Some(&site.project);
        let (Some(ticket), Some(role)) = (&record.ticket, record.role.as_deref().and_then(Role::parse))
        else {
            continue;
        };
        let Ok(session) = SessionId::parse(record.id.as_str()) else { continue };
        if !is_ours || life != Life::Runs && !wanted(&session) {
            continue;
        }
        found.push(running(site, index, (&record, life), session, ticket, role, pool_of(role), watched)?);
    }
    Ok(found)
}

#[expect(clippy::too_many_arguments, reason = "each is one fact about the same agent")]
fn running(
    site: &Site,
    index: &Index,
    (record, life): (&Record, Life),
    session: SessionId,
    ticket: &TicketId,
    role: Role,
    pool: String,
    watched: &mut Watched,
) -> Result<Running, Failed> {
    let ended = match (life, &record.ended) {
        (Life::Runs, _) => None,
        _ if record.awaited => Some(Ended::NeverBegan),
        (_, Some(ended)) => Some(match (ended.code, ended.signal) {
            (Some(code), _) => Ended::Exit { code },
            (None, Some(number)) => Ended::Signal { number },
            (None, None) => Ended::Vanished,
        }),
        (_, None) => Some(Ended::Vanished),
    };
    let claims = claims(index, record)?;
    let alive = ended.is_none();
    let last = last_heard(index, record)?;
    Ok(Running {
        name: record.name.clone().unwrap_or_else(|| record.id.to_string()),
        since: record.started + claims.taken,
        active: (sign_of_life(record, last.as_ref()) + claims.taken).min(clock::now().max(record.started)),
        waits_for_person: alive && watched.waits(record),
        cut_short: last.as_ref().is_some_and(|event| empties(event).is_some()),
        claimed: claims.open,
        changed: if alive { watched.changed(site, record, ticket) } else { Vec::new() },
        ending: ending(record),
        session,
        ticket: ticket.clone(),
        role,
        pool,
        ended,
    })
}

/// The last that was heard of its conversations.
fn last_heard(index: &Index, record: &Record) -> Result<Option<Event>, Failed> {
    let mut newest: Option<Event> = None;
    for session in &record.sessions {
        let last = History { session: Some(session.to_string()), limit: Some(1), ..History::default() };
        let event = index.events(&last).map_err(StoreError::from)?.pop().map(|(_, event)| event);
        if event.as_ref().map(|event| event.ts) > newest.as_ref().map(|event| event.ts) {
            newest = event;
        }
    }
    Ok(newest)
}

/// When it was last heard of: its hooks tell, and while a tool runs also what it prints. A CLI without hooks tells by
/// printing alone.
fn sign_of_life(record: &Record, last: Option<&Event>) -> Timestamp {
    let printed = std::fs::metadata(&record.log)
        .and_then(|metadata| metadata.modified())
        .ok()
        .and_then(|at| Timestamp::try_from(at).ok());
    match last.filter(|event| event.event.starts_with("hook.")) {
        Some(event) if event.event == "hook.pre-tool" => printed.map_or(event.ts, |at| at.max(event.ts)),
        Some(event) => event.ts,
        None => printed.unwrap_or(record.started),
    }
    .max(record.started)
}

/// The account that an agent of ours draws on, by the session that its conversations descend from.
fn account(site: &Site, record: &Record, pool_of: &dyn Fn(Role) -> String) -> Option<(SessionId, String)> {
    let is_ours = record.branch.is_some() && record.project.as_ref() == Some(&site.project);
    let role = record.role.as_deref().and_then(Role::parse).filter(|_| is_ours)?;
    Some((SessionId::parse(record.id.as_str()).ok()?, pool_of(role)))
}

/// The time that people had it, and whether somebody has it now.
struct Claims {
    taken: SignedDuration,
    open: bool,
}

fn claims(index: &Index, record: &Record) -> Result<Claims, Failed> {
    let history = History {
        event: Some("agent.*claimed".to_owned()),
        since: Some(record.started),
        ..History::default()
    };
    let mut claims = Claims { taken: SignedDuration::ZERO, open: false };
    let mut since = None;
    for (_, event) in index.events(&history).map_err(StoreError::from)? {
        let data: serde_json::Value = serde_json::from_str(event.data.get()).unwrap_or_default();
        if data["agent"].as_str() != Some(record.id.as_str()) {
            continue;
        }
        match (event.event.as_str(), since) {
            ("agent.claimed", None) => since = Some(event.ts),
            ("agent.unclaimed", Some(begun)) => {
                claims.taken += event.ts.duration_since(begun);
                since = None;
            }
            _ => {}
        }
    }
    if let Some(begun) = since {
        claims.open = true;
        claims.taken += clock::now().duration_since(begun);
    }
    Ok(claims)
}

/// Why it was told to end.
fn ending(record: &Record) -> Option<EndReason> {
    serde_json::from_value(record.other.get(ENDING)?.clone()).ok()
}

/// Write down why an agent is ended, before it is.
pub fn write_ending(site: &Site, agent: &AgentId, reason: EndReason) -> Result<Option<Record>, Failed> {
    let value = serde_json::to_value(reason).map_err(StoreError::from)?;
    agents::update(&site.home, agent, |record| {
        record.other.entry(ENDING).or_insert(value);
    })
    .map_err(Failed::doing("write down why an agent is ended"))
}

impl Watched {
    /// Find all agents. This has to be before the log is read: what an agent wrote before its end is then known when its
    /// end is, and none is taken for one that ended without a word.
    pub fn find(&mut self, site: &Site) -> Result<(), Failed> {
        let records = agents::all(&site.home).map_err(Failed::doing("read the agents' records"))?;
        self.found.clear();
        for record in records {
            let life = record.life();
            // It may have written its last word after it was read, and gone before it was looked for.
            let again = if life == Life::Vanished {
                agents::load(&site.home, &record.id).map_err(Failed::doing("read an agent's record"))?
            } else {
                None
            };
            let record = again.unwrap_or(record);
            let life = if record.ended.is_some() { Life::Ended } else { life };
            self.found.push((record, life));
        }
        Ok(())
    }

    fn waits(&mut self, record: &Record) -> bool {
        if let Some((at, waits)) = self.states.get(&record.id)
            && at.elapsed() < ASK_EVERY
        {
            return *waits;
        }
        let state = signalbox_agent::attach::about(&record.socket).map(|about| about.state);
        let waits = matches!(state, Ok(State::WaitingPermission | State::WaitingAnswer));
        self.states.insert(record.id.clone(), (Instant::now(), waits));
        waits
    }

    /// The files that were handed in for a ticket. They are looked for once, because nobody changes them any more.
    pub fn handed(&mut self, site: &Site, ticket: &TicketId, commit: &str) -> Vec<String> {
        if let Some((known, files)) = self.handed.get(ticket)
            && known == commit
        {
            return files.clone();
        }
        // What cannot be seen is no reason to hold anybody up.
        let files = site.changed_files(ticket).unwrap_or_default();
        self.handed.insert(ticket.clone(), (commit.to_owned(), files.clone()));
        files
    }

    fn changed(&mut self, site: &Site, record: &Record, ticket: &TicketId) -> Vec<String> {
        if let Some((at, changes)) = self.changes.get(&record.id)
            && at.elapsed() < LOOK_EVERY
        {
            return changes.clone();
        }
        // What cannot be seen is no reason to hold anybody up.
        let changes = site.changed_files(ticket).unwrap_or_default();
        self.changes.insert(record.id.clone(), (Instant::now(), changes.clone()));
        changes
    }
}

/// The accounts that have nothing left, because an agent CLI said so. Whoever said it may have been ended since.
pub fn pools(index: &Index, watched: &Watched, now: Timestamp) -> Result<Vec<Pool>, Failed> {
    let history = History {
        event: Some(STOP_FAILURE.to_owned()),
        since: now.checked_sub(LONGEST_LIMIT).ok(),
        ..History::default()
    };
    let said = index.events(&history).map_err(StoreError::from)?;
    Ok(exhausted(said.into_iter().filter_map(|(_, event)| {
        let of = |(session, _): &&(SessionId, String)| {
            event.lineage.contains(session) || event.session.as_ref() == Some(session)
        };
        let (_, pool) = watched.accounts.iter().find(of)?;
        Some(Empty { pool: pool.clone(), said: event.ts, until: empties(&event)?.until })
    })))
}

/// That an account is empty, and until when, if that is what an event says.
struct Empties {
    until: Option<Timestamp>,
}

fn empties(event: &Event) -> Option<Empties> {
    let data: serde_json::Value = serde_json::from_str(event.data.get()).unwrap_or_default();
    let is_empty = matches!(data["error"].as_str(), Some("rate_limit" | "billing_error" | "quota"));
    let until = data["until"].as_str().and_then(|at| at.parse().ok());
    (event.event == STOP_FAILURE && is_empty).then_some(Empties { until })
}
