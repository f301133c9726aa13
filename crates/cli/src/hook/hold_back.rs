//! Not finished yet: a stop, a completed task or an idle teammate is held back until the tickets are in order. The
//! same list of what is missing holds nobody back more than twice.

use serde_json::json;
use signalbox_core::discipline::{self, Duty};
use signalbox_core::{SessionId, Status, Ticket, Who};
use signalbox_drivers::{Answer, HookKind, Incoming};
use signalbox_store::index::Filter;
use signalbox_store::session::{self, Held, Session};

use super::{Caller, Trouble, record, speaker, subagent};
use crate::context::Context;
use signalbox_desk::error::CommandError;

/// How often the same list holds a session back.
const MOST_TIMES: u32 = 2;

/// The turn is over. A session that a person watches is theirs to stop.
pub fn stop(
    cx: &Context,
    caller: &Caller,
    incoming: &Incoming,
    again: bool,
    paused: bool,
) -> Result<Answer, Trouble> {
    let session = speaker::find(cx, caller, incoming)?;
    let data = record::fields(json!({ "again": again, "paused": paused }));
    record::write(cx.home()?, &session, HookKind::Stop, data)?;
    if paused || session.charter.role.is_watched() {
        return Ok(Answer::Nothing);
    }
    let tickets = work_of(cx, &session, |owner| *owner == session.id)?;
    hold(cx, session, &discipline::missing(Duty::Stop, &tickets))
}

/// A task of the CLI's own list is marked as completed. Where it names a ticket, the ticket must be as far.
pub fn task(
    cx: &Context,
    caller: &Caller,
    incoming: &Incoming,
    id: &str,
    words: &str,
) -> Result<Answer, Trouble> {
    let session = speaker::find(cx, caller, incoming)?;
    record::write(cx.home()?, &session, HookKind::TaskCompleted, record::fields(json!({ "task": id })))?;
    let (index, _) = cx.store()?.read().map_err(CommandError::from)?;
    let mut tickets = Vec::new();
    for id in subagent::ticket_ids(words) {
        tickets.extend(index.ticket(&id).map_err(CommandError::from)?);
    }
    hold(cx, session, &discipline::missing(Duty::Task, &tickets))
}

/// A teammate has nothing left to do. Its hooks carry the lead's session; its own are known by its name.
pub fn teammate(cx: &Context, caller: &Caller, incoming: &Incoming, name: &str) -> Result<Answer, Trouble> {
    let lead = speaker::main_session(cx, caller, incoming)?;
    let home = cx.home()?;
    let mut own: Vec<Session> = Vec::new();
    for id in session::ids(home).map_err(CommandError::from)? {
        if let Ok(id) = SessionId::parse(&id)
            && let Some(session) = session::load(home, &id).map_err(CommandError::from)?
            && session.subagent.as_deref() == Some(name)
            && session.lineage.last() == Some(&lead.id)
        {
            own.push(session);
        }
    }
    record::write(home, &lead, HookKind::TeammateIdle, record::fields(json!({ "teammate": name })))?;
    let tickets = work_of(cx, &lead, |owner| own.iter().any(|session| session.id == *owner))?;
    let missing = discipline::missing(Duty::Idle, &tickets);
    match own.pop() {
        Some(session) => hold(cx, session, &missing),
        None => Ok(Answer::Nothing),
    }
}

/// The tickets that somebody has on their desk.
fn work_of(
    cx: &Context,
    session: &Session,
    is_own: impl Fn(&SessionId) -> bool,
) -> Result<Vec<Ticket>, Trouble> {
    let (index, _) = cx.store()?.read().map_err(CommandError::from)?;
    let filter = Filter {
        project: Some(session.project.clone()),
        statuses: vec![Status::InProgress, Status::Rework, Status::Review],
        ..Filter::default()
    };
    let mut tickets = index.tickets(&filter).map_err(CommandError::from)?;
    tickets.retain(|ticket| {
        let worker = ticket.assignee_session.as_ref().is_some_and(&is_own);
        let reviewer = ticket.reviewer.as_ref().and_then(|r| r.session.as_ref()).is_some_and(&is_own);
        if ticket.status == Status::Review { reviewer } else { worker }
    });
    Ok(tickets)
}

fn hold(cx: &Context, mut session: Session, missing: &[String]) -> Result<Answer, Trouble> {
    let home = cx.home()?;
    let save = |session: &Session| session::save(home, session).map_err(CommandError::from);
    if missing.is_empty() {
        if session.held.take().is_some() {
            save(&session)?;
        }
        return Ok(Answer::Nothing);
    }
    let times = session.held.as_ref().filter(|held| held.missing == missing).map_or(0, |held| held.times);
    let lets_go = times >= MOST_TIMES;
    session.held = (!lets_go).then(|| Held { missing: missing.to_vec(), times: times + 1 });
    save(&session)?;
    let name = if lets_go { "session.let-go" } else { "session.held-back" };
    record::named(home, &session, name, &record::fields(json!({ "missing": missing, "times": times + 1 })))?;
    if lets_go {
        return Ok(Answer::Nothing);
    }
    let list: String = missing.iter().map(|line| format!("- {line}\n")).collect();
    let who = Who::Agent(session.agent());
    Ok(Answer::HoldBack(format!("Signalbox: {} is not finished yet. What is missing:\n{list}", who.name())))
}
