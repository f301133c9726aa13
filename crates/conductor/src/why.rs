//! Why a ticket is where it is, in the planner's own words, for every face.

use jiff::Timestamp;
use serde::Serialize;
use signalbox_core::orchestra::Why;
use signalbox_core::{ProjectName, Status, TicketId, text};
use signalbox_store::config::Config;
use signalbox_store::{Home, StoreError, clock};

use crate::control;
use crate::error::Failed;
use crate::fleet::Watched;
use crate::look::look;
use crate::site::Site;

/// Why a ticket is where it is.
#[derive(Debug, Clone, Serialize)]
pub struct Explained {
    pub ticket: TicketId,
    pub status: Status,
    /// One sentence.
    pub why: String,
    /// Whether a loop runs that could move it.
    pub loop_runs: bool,
}

/// One that waits to be merged.
#[derive(Debug, Clone, Serialize)]
pub struct Entry {
    pub ticket: TicketId,
    pub title: String,
    pub commit: String,
    /// `queued`, `building`, `validated` or `landing`.
    pub stage: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
    pub why: String,
}

/// Why this one is where it is.
pub fn why(
    home: &Home,
    config: &Config,
    project: &ProjectName,
    id: &TicketId,
) -> Result<Option<Explained>, Failed> {
    let site = Site::open(home, config, project)?;
    let mut watched = Watched::default();
    watched.find(&site)?;
    let (index, _) = site.store.read()?;
    let Some(ticket) = index.ticket(id).map_err(StoreError::from)? else { return Ok(None) };
    let loop_runs = is_running(home, project);
    let explain = |why: String| Some(Explained { ticket: id.clone(), status: ticket.status, why, loop_runs });
    if ticket.status == Status::Done {
        let landed = ticket.work.landed.as_ref();
        let words = Why::Done { landed: landed.map(|at| at.landed.clone()) };
        return Ok(explain(words.to_string()));
    }
    let agreed = site.agreed(&index)?;
    let asked = control::standing(&index, project, clock::now())?;
    let seen = look(&site, &index, &agreed, &asked, Vec::new(), &mut watched, clock::now())?;
    Ok(seen.plan.why.get(id).and_then(|why| explain(why.to_string())))
}

/// The accounts of a project's agents that are empty now, and until when.
pub fn empty_accounts(
    home: &Home,
    config: &Config,
    project: &ProjectName,
) -> Result<Vec<(String, Timestamp)>, Failed> {
    let site = Site::open(home, config, project)?;
    let mut watched = Watched::default();
    watched.find(&site)?;
    let (index, _) = site.store.read()?;
    let agreed = site.agreed(&index)?;
    let now = clock::now();
    let asked = control::standing(&index, project, now)?;
    let seen = look(&site, &index, &agreed, &asked, Vec::new(), &mut watched, now)?;
    let empty = seen.fleet.pools.into_iter().filter_map(|pool| Some((pool.name, pool.exhausted_until?)));
    Ok(empty.filter(|(_, until)| *until > now).collect())
}

/// Whether a loop runs for the project.
pub fn is_running(home: &Home, project: &ProjectName) -> bool {
    let path = home.run().join(format!("run-{project}.lock"));
    signalbox_store::lock::Lock::is_held(&path).unwrap_or(false)
}

/// What waits to be merged, in the order in which it will be.
pub fn queue(home: &Home, config: &Config, project: &ProjectName) -> Result<Vec<Entry>, Failed> {
    let site = Site::open(home, config, project)?;
    let mut watched = Watched::default();
    watched.find(&site)?;
    let (index, _) = site.store.read()?;
    let agreed = site.agreed(&index)?;
    let asked = control::standing(&index, project, clock::now())?;
    let seen = look(&site, &index, &agreed, &asked, Vec::new(), &mut watched, clock::now())?;
    let mut entries: Vec<Entry> = Vec::new();
    for ticket in &seen.tickets {
        let Some(merge) = &ticket.work.merge else { continue };
        entries.push(Entry {
            ticket: ticket.id.clone(),
            title: text::one_line(&ticket.title).into_owned(),
            commit: merge.commit().to_owned(),
            stage: merge.stage(),
            since: ticket.work.queued,
            why: seen.plan.why.get(&ticket.id).map(ToString::to_string).unwrap_or_default(),
        });
    }
    entries.sort_by_key(|entry| entry.since);
    Ok(entries)
}
