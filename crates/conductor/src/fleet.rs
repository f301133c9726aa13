//! The agents that were set to work, as they are now: from their records, the log, and what they say themselves.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use signalbox_core::agent::State;
use signalbox_core::orchestra::{EndReason, Ended, Pool, Running};
use signalbox_core::{AgentId, Event, Role, SessionId, TicketId};
use signalbox_store::agents::{self, Life, Record};
use signalbox_store::index::History;
use signalbox_store::{Index, StoreError, clock};

use crate::error::Failed;
use crate::site::Site;

/// How often an agent is asked what it does, and its workspace looked into. Both take a while.
const ASK_EVERY: Duration = Duration::from_secs(2);
const LOOK_EVERY: Duration = Duration::from_secs(10);
/// How long an account is left alone that has nothing left, where nobody says until when; every further time doubles it.
const REST: i64 = 5 * 60;
const LONGEST_REST: i64 = 5 * 60 * 60;
/// Where the reason of an agent's end stands in its record.
const ENDING: &str = "ending";

/// The agents as they were found last, and what was found out lately about each, so that it is not asked again every time.
#[derive(Default)]
pub struct Watched {
    found: Vec<(Record, Life)>,
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
    for (record, life) in std::mem::take(&mut watched.found) {
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
    Ok(Running {
        name: record.name.clone().unwrap_or_else(|| record.id.to_string()),
        since: record.started + claims.taken,
        active: (sign_of_life(index, record)? + claims.taken).min(clock::now().max(record.started)),
        waits_for_person: alive && watched.waits(record),
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

/// When it was last heard of: its hooks tell, and while a tool runs also what it prints. A CLI without hooks tells by
/// printing alone.
fn sign_of_life(index: &Index, record: &Record) -> Result<Timestamp, Failed> {
    let printed = std::fs::metadata(&record.log)
        .and_then(|metadata| metadata.modified())
        .ok()
        .and_then(|at| Timestamp::try_from(at).ok());
    let mut newest: Option<Event> = None;
    for session in &record.sessions {
        let last = History { session: Some(session.to_string()), limit: Some(1), ..History::default() };
        let event = index.events(&last).map_err(StoreError::from)?.pop().map(|(_, event)| event);
        if event.as_ref().map(|event| event.ts) > newest.as_ref().map(|event| event.ts) {
            newest = event;
        }
    }
    let by_hooks = newest.filter(|event| event.event.starts_with("hook."));
    Ok(match by_hooks {
        Some(event) if event.event == "hook.pre-tool" => printed.map_or(event.ts, |at| at.max(event.ts)),
        Some(event) => event.ts,
        None => printed.unwrap_or(record.started),
    }
    .max(record.started))
}

/// The time that people had it, and whether somebody has it now.
struct Claims {
    taken: jiff::SignedDuration,
    open: bool,
}

fn claims(index: &Index, record: &Record) -> Result<Claims, Failed> {
    let history = History {
        event: Some("agent.*claimed".to_owned()),
        since: Some(record.started),
        ..History::default()
    };
    let mut claims = Claims { taken: jiff::SignedDuration::ZERO, open: false };
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

/// The accounts that have nothing left: an agent CLI said so, and since then nobody was served from it.
pub fn pools(index: &Index, agents: &[Running], now: Timestamp) -> Result<Vec<Pool>, Failed> {
    let history = History {
        event: Some("hook.stop-failure".to_owned()),
        since: now.checked_sub(jiff::SignedDuration::from_secs(LONGEST_REST)).ok(),
        ..History::default()
    };
    let mut pools: Vec<(Pool, i64)> = Vec::new();
    for (_, event) in index.events(&history).map_err(StoreError::from)? {
        let data: serde_json::Value = serde_json::from_str(event.data.get()).unwrap_or_default();
        let is_empty = matches!(data["error"].as_str(), Some("rate_limit" | "billing_error" | "quota"));
        let of = |agent: &&Running| {
            event.lineage.contains(&agent.session) || event.session.as_ref() == Some(&agent.session)
        };
        let Some(agent) = agents.iter().find(of).filter(|_| is_empty) else { continue };
        let known = pools.iter_mut().find(|(pool, _)| pool.name == agent.pool);
        let rest = known.as_ref().map_or(REST, |(_, rest)| (rest * 2).min(LONGEST_REST));
        let until = data["until"].as_str().and_then(|at| at.parse().ok());
        let until = until.unwrap_or(event.ts + jiff::SignedDuration::from_secs(rest));
        match known {
            Some((pool, known)) => {
                pool.exhausted_until = Some(until);
                *known = rest;
            }
            None => {
                pools.push((Pool { name: agent.pool.clone(), exhausted_until: Some(until) }, rest));
            }
        }
    }
    Ok(pools.into_iter().map(|(pool, _)| pool).collect())
}
