//! A session began, came back, was cleared or compacted: who it is, what it may do, what there is for it to do.

use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use signalbox_core::{Mode, ProjectName, Role, SessionId, TicketId, Who};
use signalbox_drivers::{Answer, Incoming};
use signalbox_store::agents::Record;
use signalbox_store::charter::{self, Assigned};
use signalbox_store::session::{self, Session};
use signalbox_store::{Home, Index};

use super::{Caller, Trouble, speaker};
use crate::commands::context_text;
use crate::context::Context;
use crate::identity::{CAPABILITY, Unverified};
use crate::inside;
use crate::new_session;
use signalbox_desk::error::CommandError;

pub fn start(
    cx: &Context,
    caller: &Caller,
    incoming: &Incoming,
    source: Option<&str>,
    model: Option<&str>,
) -> Result<Answer, Trouble> {
    let begun = begin(cx, caller, incoming, source, model)?;
    hand_over(&begun.capability)?;
    Ok(Answer::Context(told(cx, &begun.session)?))
}

/// Begin a session that was never announced: hooks were installed while it ran, or the CLI skipped the start.
pub fn adopt(cx: &Context, caller: &Caller, incoming: &Incoming) -> Result<Session, Trouble> {
    Ok(begin(cx, caller, incoming, Some("adopted"), None)?.session)
}

struct Begun {
    session: Session,
    capability: String,
}

fn begin(
    cx: &Context,
    caller: &Caller,
    incoming: &Incoming,
    source: Option<&str>,
    model: Option<&str>,
) -> Result<Begun, Trouble> {
    if let Some(Unverified::OutOfSight(_)) = cx.identity()?.unverified {
        cx.who()?;
    }
    let home = cx.home()?;
    home.prepare().map_err(CommandError::from)?;
    let id = speaker::id(incoming)?;
    let directory = PathBuf::from(speaker::directory(incoming));
    let cli = caller.cli.map(ToOwned::to_owned);
    let (mut session, before) = new_session::describe(cx, &id, cli, &directory)?;
    let (capability, hash) = session::mint(&session.id);
    session.capability = hash;
    let inside = inside::agent(home);
    if let Some(agent) = &inside {
        take_role(cx, &mut session, agent)?;
    }
    let current = take_over_desk(home, &session.id, before.as_ref())?;
    session.charter = compile_charter(cx, &session, &directory, current.as_ref())?;
    let data = serde_json::json!({
        "cli": session.cli, "name": session.name, "source": source, "model": model,
        "cwd": incoming.cwd, "pid": session.process.as_ref().map(|process| process.pid),
        "mode": session.charter.mode, "role": session.charter.role,
        "agent": inside.as_ref().map(|agent| &agent.id), "transcript": incoming.transcript,
    });
    // The log first: no identity without a trace.
    let who = Who::Agent(session.agent());
    let noted = cx.store()?.note_event(&who, "session.started", None, Some(&session.project), &data);
    noted.map_err(CommandError::from)?;
    session::save(home, &session).map_err(CommandError::from)?;
    Ok(Begun { session, capability })
}

/// What whoever started the agent said it is for. It counts for a session that nobody has told anything yet.
fn take_role(cx: &Context, session: &mut Session, agent: &Record) -> Result<(), Trouble> {
    let role = agent.role.as_deref().and_then(Role::parse);
    let ticket = agent.ticket.as_ref();
    // Whoever the orchestrator set to work has its rights from the session that this one descends from.
    if agent.branch.is_some() {
        session::set_current_ticket(cx.home()?, session.id.as_str(), ticket).map_err(CommandError::from)?;
        return Ok(());
    }
    if session.assigned != Assigned::default() || role.is_none() && ticket.is_none() {
        return Ok(());
    }
    session.assigned.role = role;
    let mut data = serde_json::to_value(&session.assigned).map_err(CommandError::from)?;
    data["session"] = serde_json::json!(session.id);
    data["ticket"] = serde_json::json!(ticket);
    let noted = cx.store()?.note_event(&Who::System, "session.assigned", None, Some(&session.project), &data);
    noted.map_err(CommandError::from)?;
    session::set_current_ticket(cx.home()?, session.id.as_str(), ticket).map_err(CommandError::from)?;
    Ok(())
}

/// The charter as all the sources have it now.
pub fn compile_charter(
    cx: &Context,
    session: &Session,
    directory: &Path,
    ticket: Option<&TicketId>,
) -> Result<signalbox_core::Charter, CommandError> {
    let config = cx.config()?;
    let mut charter =
        charter::compile(cx.home()?, config, &session.project, directory, &session.assigned, ticket);
    if let Some(ticket) = ticket {
        let (index, _) = cx.store()?.read()?;
        charter.services = index.ticket(ticket)?.map(|ticket| ticket.services).unwrap_or_default();
    }
    Ok(charter)
}

/// What the log says was assigned to a session, for one whose record is lost.
pub fn assigned_by_log(index: &Index, id: &SessionId) -> Result<Assigned, CommandError> {
    let mut assigned = Assigned::default();
    for data in index.assignments(id)? {
        let Ok(data) = serde_json::from_str::<serde_json::Value>(&data) else { continue };
        let mode = data["new_mode"].as_str().or(data["mode"].as_str()).and_then(Mode::parse);
        // A change of mode says nothing of the rest.
        if data["new_mode"].is_null() {
            assigned = serde_json::from_value(data).unwrap_or_default();
        }
        assigned.mode = mode.or(assigned.mode);
    }
    Ok(assigned)
}

/// What the model is told.
fn told(cx: &Context, session: &Session) -> Result<String, Trouble> {
    let (index, _) = cx.store()?.read().map_err(CommandError::from)?;
    let charter = &session.charter;
    let current =
        charter.ticket.as_ref().map(|id| index.ticket(id)).transpose().map_err(CommandError::from)?;
    let project = Some(&session.project).filter(|project| **project != ProjectName::untracked());
    let who = Who::Agent(session.agent());
    let mut text = context_text(&index, &who, project, current.flatten().as_ref())?;
    text.push('\n');
    if let Some(broken) = &charter.broken {
        text.push_str(&format!("Nothing may run in this session until a person puts this right: {broken}\n"));
    }
    match charter.mode {
        Mode::Discussion => text.push_str(
            "Mode: discussion. Read, think and answer; change nothing. A person opens implementation mode with a phrase \
             such as \"go ahead\", or with `sb mode implementation`.\n",
        ),
        Mode::Implementation => text.push_str("Mode: implementation.\n"),
    }
    if charter.role != Role::Assistant {
        text.push_str(&format!("Role: {}.\n{}\n", charter.role, charter.role.prompt()));
    }
    if let Some(branch) = &charter.branch {
        text.push_str(&format!("Branch: {branch}, and no other.\n"));
    }
    if let Some(root) = charter.root.as_ref().filter(|_| charter.confined) {
        text.push_str(&format!("You write only in {root}.\n"));
    }
    Ok(text)
}

/// The session's current ticket; where it has none, that of the session before it in the same process.
fn take_over_desk(
    home: &Home,
    id: &SessionId,
    before: Option<&SessionId>,
) -> Result<Option<TicketId>, CommandError> {
    if let Some(current) = session::current_ticket(home, id.as_str())? {
        return Ok(Some(current));
    }
    let Some(before) = before else { return Ok(None) };
    let current = session::current_ticket(home, before.as_str())?;
    if current.is_some() {
        session::set_current_ticket(home, id.as_str(), current.as_ref())?;
    }
    Ok(current)
}

/// Hand the capability to the session's shell in the way the CLI offers.
fn hand_over(capability: &str) -> Result<(), CommandError> {
    let Some(path) = std::env::var_os("CLAUDE_ENV_FILE").filter(|path| !path.is_empty()) else {
        return Ok(());
    };
    let mut file =
        std::fs::OpenOptions::new().append(true).create(true).mode(0o600).open(Path::new(&path))?;
    // A capability is letters, digits and `._-`: nothing a shell acts on.
    file.write_all(format!("export {CAPABILITY}={capability}\n").as_bytes())?;
    Ok(())
}
