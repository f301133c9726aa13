//! Who a session is that starts now: as far as the system itself shows it. Its own word counts for nothing but its id.
//!
//! The one aim is that nobody gets a clean name who has a past: not by calling the hook again, not by resuming,
//! forking or clearing a conversation, not by starting the next one from inside the last.

use std::path::Path;

use signalbox_core::{Agent, AgentId, Charter, ProjectName, SessionId};
use signalbox_store::agents;
use signalbox_store::charter::Assigned;
use signalbox_store::index::History;
use signalbox_store::process::{self, Process};
use signalbox_store::session::{self, Registered, Session};
use signalbox_store::{Home, Index, clock, project};

use crate::context::Context;
use crate::hook::assigned_by_log;
use crate::identity::{self, CAPABILITY};
use signalbox_desk::error::CommandError;

/// The session without its capability, and the one that its process was known as before.
pub fn describe(
    cx: &Context,
    id: &SessionId,
    cli: Option<String>,
    directory: &Path,
) -> Result<(Session, Option<SessionId>), CommandError> {
    let (home, config) = (cx.home()?, cx.config()?);
    forget_dead_processes(home)?;
    let ancestors = process::ancestors();
    let caller = caller(cx, &ancestors)?;
    let present = match caller {
        Some(caller) => session::of_process(home, caller)?,
        None => None,
    };
    let (id, parent) = own_id(home, id, &ancestors, caller, present.is_some())?;
    let known = session::load(home, &id)?;
    let cli =
        cli.or_else(|| caller.map(|c| identity::program(config, c))).unwrap_or_else(|| "agent".to_owned());
    // It becomes part of the agent's name, which stands in files and on terminals.
    let cli = ProjectName::from_directory(&cli).to_string();
    let lineage = lineage(cx, &id, parent.as_ref(), &ancestors, caller, present.as_ref(), known.as_ref())?;
    let assigned = assigned(cx, &id, known.as_ref(), &lineage)?;
    let before = present.filter(|present| *present != id);
    // A process that is a living session stays that session, whatever the hook is told by hand.
    let taken = match &before {
        Some(before) => session::load(home, before)?.is_some_and(|session| session.ended.is_none()),
        None => false,
    };
    let session = Session {
        name: match &known {
            Some(known) => known.name.clone(),
            None => agents_name(home, &lineage)?.unwrap_or_else(|| name(&cli, &id)),
        },
        id,
        lineage,
        project: project::detect(config, directory).unwrap_or_else(ProjectName::untracked),
        started: known.map_or_else(clock::now, |session| session.started),
        capability: String::new(),
        process: caller
            .filter(|c| !taken && (c.pid > 1 || config.is_agent_program(&cli)))
            .map(|c| Registered { pid: c.pid, started: c.started }),
        ended: None,
        confined_to: process::confined_to(),
        cli,
        subagent: None,
        handed: None,
        held: None,
        assigned,
        charter: Charter::default(),
    };
    Ok((session, before))
}

/// What it was given. A session that was given nothing gets what was given to whom it descends from: nobody gets rid
/// of a role or a mode by starting another agent, clearing the conversation or taking it up elsewhere.
fn assigned(
    cx: &Context,
    id: &SessionId,
    known: Option<&Session>,
    lineage: &[SessionId],
) -> Result<Assigned, CommandError> {
    let mut found = known.map(|known| known.assigned.clone()).unwrap_or_default();
    let (home, (index, _)) = (cx.home()?, cx.store()?.read()?);
    let mut ids = known.is_none().then_some(id).into_iter().chain(lineage.iter().rev());
    while found == Assigned::default()
        && let Some(id) = ids.next()
    {
        found = match session::load(home, id)? {
            Some(session) => session.assigned,
            None => assigned_by_log(&index, id)?,
        };
    }
    Ok(found)
}

/// The process that is the agent: the nearest that runs a known agent CLI, however the hook was wrapped; else
/// the nearest that is not just a shell for one command line.
fn caller<'a>(cx: &Context, ancestors: &'a [Process]) -> Result<Option<&'a Process>, CommandError> {
    for ancestor in ancestors {
        let program = identity::program(cx.config()?, ancestor);
        if cx.config()?.is_agent_program(&program) {
            return Ok(Some(ancestor));
        }
        if session::of_process(cx.home()?, ancestor)?.is_some() {
            break;
        }
    }
    Ok(ancestors.iter().find(|ancestor| !process::is_passing_shell(ancestor)))
}

/// The id under which the session is known, and the one it was made from. Agent CLIs announce a forked
/// conversation under the old id, and one conversation can be resumed while it still runs elsewhere.
fn own_id(
    home: &Home,
    id: &SessionId,
    ancestors: &[Process],
    caller: Option<&Process>,
    caller_is_known: bool,
) -> Result<(SessionId, Option<SessionId>), CommandError> {
    let other = session::load(home, id)?.and_then(|session| session.process).filter(|other| {
        process::is_running(other.pid, other.started) && !ancestors.iter().any(|a| a.pid == other.pid)
    });
    let derived = match (other, caller) {
        (Some(_), Some(caller)) => SessionId::parse(&format!("{id}.{}", caller.pid)).ok(),
        (Some(_), None) => {
            return Err(CommandError::precondition("session.taken", format!("session {id} runs elsewhere"))
                .hint("A session has one identity; start a new one."));
        }
        (None, _) if !caller_is_known => forked_id().filter(|forked| forked != id),
        (None, _) => None,
    };
    Ok(match derived {
        Some(derived) => (derived, Some(id.clone())),
        None => (id.clone(), None),
    })
}

/// Claude Code names the folder of the variables' file after the conversation's real id.
fn forked_id() -> Option<SessionId> {
    let file = std::env::var_os("CLAUDE_ENV_FILE")?;
    let parts: Vec<_> =
        Path::new(&file).components().map(|part| part.as_os_str().to_string_lossy()).collect();
    let at = parts.iter().position(|part| part == "session-env")?;
    // The last part is the file itself.
    parts.get(at + 1).filter(|_| parts.len() > at + 2).and_then(|id| SessionId::parse(id).ok())
}

/// Whom the session descends from. A second session of one process descends from the first.
fn lineage(
    cx: &Context,
    id: &SessionId,
    parent: Option<&SessionId>,
    ancestors: &[Process],
    caller: Option<&Process>,
    present: Option<&SessionId>,
    known: Option<&Session>,
) -> Result<Vec<SessionId>, CommandError> {
    let home = cx.home()?;
    let (index, _) = cx.store()?.read()?;
    // A session that comes back keeps its lineage; whoever brings it back is added.
    let mut lineage = match known {
        Some(known) => known.lineage.clone(),
        None => as_recorded(&index, id)?.map(|agent| agent.lineage).unwrap_or_default(),
    };
    let mut from = Vec::new();
    if let Some(parent) = parent {
        from.push(as_known(home, &index, parent)?);
    }
    match present {
        Some(present) => from.push(as_known(home, &index, present)?),
        None => from.extend(started_from(cx, &index, ancestors, caller)?),
    }
    for ancestor in from.iter().flat_map(identity::descends_from) {
        if ancestor != *id && !lineage.contains(&ancestor) {
            lineage.push(ancestor);
        }
    }
    Ok(lineage)
}

/// Whom an unknown process comes from: what it did before it was known, the agent above it, and the one whose
/// capability it inherited. They may differ: a background service of a CLI stands above what another agent started.
fn started_from(
    cx: &Context,
    index: &Index,
    ancestors: &[Process],
    caller: Option<&Process>,
) -> Result<Vec<Agent>, CommandError> {
    let (home, config) = (cx.home()?, cx.config()?);
    let mut from = Vec::new();
    if let Ok(word) = std::env::var(CAPABILITY) {
        from.extend(session::minted_for(home, &word)?.map(|session| session.agent()));
    }
    let is_caller = |process: &Process| caller.is_some_and(|caller| caller.pid == process.pid);
    let beyond: Vec<Process> = ancestors.iter().skip_while(|a| !is_caller(a)).skip(1).cloned().collect();
    from.extend(identity::agents_among(home, config, &beyond)?.into_iter().next().map(|above| above.agent));
    let own = identity::agents_among(home, config, caller.map_or(&[], std::slice::from_ref))?;
    if let Some(own) = own.first() {
        from.extend(as_recorded(index, &own.agent.session)?);
    }
    Ok(from)
}

/// A session as its record or the log knows it.
fn as_known(home: &Home, index: &Index, id: &SessionId) -> Result<Agent, CommandError> {
    if let Some(session) = session::load(home, id)? {
        return Ok(session.agent());
    }
    let nameless = || Agent { name: id.to_string(), session: id.clone(), lineage: Vec::new() };
    Ok(as_recorded(index, id)?.unwrap_or_else(nameless))
}

/// A session as the log knows it, if it ever did anything: its record may be gone, or it never had one.
fn as_recorded(index: &Index, session: &SessionId) -> Result<Option<Agent>, CommandError> {
    let last = History { session: Some(session.to_string()), limit: Some(1), ..History::default() };
    let event = index.events(&last)?.pop();
    Ok(event.map(|(_, event)| Agent { name: event.actor, session: session.clone(), lineage: event.lineage }))
}

/// The name of the agent that was set to work and whose conversation this is: people know it by no other.
fn agents_name(home: &Home, lineage: &[SessionId]) -> Result<Option<String>, CommandError> {
    for id in lineage.iter().rev().filter_map(|session| AgentId::parse(session.as_str()).ok()) {
        if let Some(record) = agents::load(home, &id)?.filter(|record| record.branch.is_some()) {
            return Ok(record.name);
        }
    }
    Ok(None)
}

/// A name for people: the session's own where it is short, else the CLI's with the session's beginning.
fn name(cli: &str, id: &SessionId) -> String {
    let id = id.as_str();
    if id.len() <= 16 { id.to_owned() } else { format!("{cli}-{}", id.get(..8).unwrap_or(id)) }
}

fn forget_dead_processes(home: &Home) -> Result<(), CommandError> {
    for path in session::dead_processes(home)? {
        signalbox_store::files::remove(&path)?;
    }
    Ok(())
}
