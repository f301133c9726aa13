//! An agent that was set to work on a ticket: the session that all its conversations descend from, with what it may do.
//!
//! It is there from the start and for every program, whether or not that has hooks. So its `sb` knows who asks, and no
//! conversation that it begins has more rights than it was given.

use signalbox_core::{ProjectName, Role, SessionId, Who};
use signalbox_store::agents::Record;
use signalbox_store::charter::{self, Assigned};
use signalbox_store::session::{self, Registered, Session};
use signalbox_store::{Home, Store, process};

use crate::run::{Failed, Started};

/// Write the session down, before its program runs: whoever is quick must not be taken for somebody else. Until the
/// program's process is known, the one above it stands for it.
pub(crate) fn register(started: &Started<'_>, record: &Record) -> Result<(), Failed> {
    let (home, config) = (started.home, started.config);
    let id = SessionId::parse(record.id.as_str()).map_err(std::io::Error::other)?;
    let project = record.project.clone().unwrap_or_else(ProjectName::untracked);
    let assigned = Assigned {
        role: record.role.as_deref().and_then(Role::parse),
        worktree: Some(record.cwd.clone()),
        branch: record.branch.clone(),
        mode: None,
    };
    let charter = charter::compile(home, config, &project, &record.cwd, &assigned, record.ticket.as_ref());
    let session = Session {
        name: record.name.clone().unwrap_or_else(|| record.id.to_string()),
        cli: record.driver.clone(),
        process: record.wrapper.clone(),
        confined_to: process::confined_to(),
        assigned,
        charter,
        ..Session::unstarted(id, project)
    };
    let vault = config.vault(home).map_err(std::io::Error::other)?;
    let store = Store::new(home.clone(), vault);
    let data = serde_json::json!({
        "cli": session.cli, "name": session.name, "source": "orchestrator", "cwd": record.cwd,
        "pid": session.process.as_ref().map(|process| process.pid), "mode": session.charter.mode,
        "role": session.charter.role, "agent": record.id,
    });
    // The log first: no identity without a trace.
    store.note_event(&Who::Agent(session.agent()), "session.started", None, Some(&session.project), &data)?;
    let mut given = serde_json::to_value(&session.assigned).map_err(std::io::Error::other)?;
    given["session"] = serde_json::json!(session.id);
    given["ticket"] = serde_json::json!(record.ticket);
    store.note_event(&Who::System, "session.assigned", None, Some(&session.project), &given)?;
    session::save(home, &session)?;
    session::set_current_ticket(home, session.id.as_str(), record.ticket.as_ref())?;
    Ok(())
}

/// Tie the program's own process to the session, unless a conversation of its own was quicker.
pub(crate) fn tie(home: &Home, record: &Record, running: Registered) -> Result<(), Failed> {
    let id = SessionId::parse(record.id.as_str()).map_err(std::io::Error::other)?;
    if let Some(session) = session::load(home, &id)? {
        session::save_if_free(home, &Session { process: Some(running), ..session })?;
    }
    Ok(())
}
