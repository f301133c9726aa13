//! Sessions as people name them.

use std::path::PathBuf;

use signalbox_core::{Charter, Mode, ProjectName, Role, SessionId};
use signalbox_store::charter::{self, Assigned};
use signalbox_store::project;
use signalbox_store::session::{self, Session};

use crate::context::Context;
use crate::hook::compile_charter;
use signalbox_desk::error::CommandError;

/// Every session that is remembered, the newest first.
pub fn all(cx: &Context) -> Result<Vec<Session>, CommandError> {
    let home = cx.home()?;
    let mut found = Vec::new();
    for id in session::ids(home)? {
        if let Ok(id) = SessionId::parse(&id) {
            found.extend(session::load(home, &id)?);
        }
    }
    found.sort_by(|a, b| b.started.cmp(&a.started).then_with(|| a.id.cmp(&b.id)));
    Ok(found)
}

/// Whether it may still be at work.
pub fn runs(session: &Session) -> bool {
    session.ended.is_none() && !session::is_gone(session) && !is_prepared(session)
}

/// Whether a person has said what it may do, and it has not begun yet: it was never handed a capability.
pub fn is_prepared(session: &Session) -> bool {
    session.capability.is_empty()
}

/// The session of exactly this id or name: a beginning may be the whole id of another that is yet to start.
pub fn called(cx: &Context, typed: &str) -> Result<Option<Session>, CommandError> {
    Ok(all(cx)?.into_iter().find(|session| session.id.as_str() == typed || session.name == typed))
}

/// The session that a person typed: its id, its name, or an unambiguous beginning of either.
pub fn find(cx: &Context, typed: &str) -> Result<Option<Session>, CommandError> {
    let all = all(cx)?;
    if let Some(exact) = all.iter().find(|session| session.id.as_str() == typed || session.name == typed) {
        return Ok(Some(exact.clone()));
    }
    let begins =
        |session: &&Session| session.id.as_str().starts_with(typed) || session.name.starts_with(typed);
    let mut fitting = all.iter().filter(begins);
    let first = fitting.next().cloned();
    match fitting.next() {
        Some(_) if !typed.is_empty() => Err(CommandError::precondition(
            "session.ambiguous",
            format!("more than one session begins with `{typed}`"),
        )
        .hint("`sb session list` shows them; type more of the id.")),
        _ => Ok(first.filter(|_| !typed.is_empty())),
    }
}

/// The session that is meant: the one that was typed, the asker's own, or the only one that runs in this project.
pub fn meant(cx: &Context, typed: Option<&str>) -> Result<Session, CommandError> {
    if let Some(typed) = typed {
        return find(cx, typed)?.ok_or_else(|| {
            CommandError::not_found("session.unknown", format!("there is no session `{typed}`"))
                .hint("`sb session list --all` shows those that are known.")
        });
    }
    if let Some(own) = cx.identity()?.who.session() {
        return session::load(cx.home()?, own)?.ok_or_else(|| {
            CommandError::not_found("session.unregistered", format!("session {own} was never registered"))
                .hint("A session is registered when its hooks run: `sb hooks install`.")
        });
    }
    let project = cx.project()?.unwrap_or_else(ProjectName::untracked);
    let mut running = all(cx)?;
    running.retain(|session| runs(session) && session.project == project && session.subagent.is_none());
    match running.len() {
        1 => running.pop().ok_or_else(|| CommandError::not_found("session.none", "no session runs here")),
        0 => Err(CommandError::not_found("session.none", "no session runs in this project")
            .hint("Name one with its id; `sb session list` shows all that run.")),
        _ => Err(CommandError::precondition("session.several", "several sessions run in this project")
            .hint("Say which with its id; `sb session list` shows them.")),
    }
}

/// Compile a session's charter anew, and keep it.
pub fn refreshed(cx: &Context, mut session: Session) -> Result<Session, CommandError> {
    let registered = cx.config()?.projects.get(session.project.as_str()).map(|project| project.path.clone());
    let folder =
        session.assigned.worktree.clone().or_else(|| session.charter.root.as_ref().map(PathBuf::from));
    let folder = folder.or(registered).map_or_else(|| cx.directory(), Ok)?;
    let ticket = session.charter.ticket.clone();
    session.charter = compile_charter(cx, &session, &folder, ticket.as_ref())?;
    session::save(cx.home()?, &session)?;
    Ok(session)
}

/// Bring what a session may do to its subagents, but for those that a person gave something else.
pub fn pass_on(cx: &Context, before: &Assigned, session: &Session) -> Result<(), CommandError> {
    // The mode is its parent's at every call.
    let given = |assigned: &Assigned| Assigned { mode: None, ..assigned.clone() };
    for mut below in all(cx)? {
        if below.subagent.is_some() && below.lineage.last() == Some(&session.id) {
            if given(&below.assigned) == given(before) {
                below.assigned.clone_from(&session.assigned);
            }
            refreshed(cx, below)?;
        }
    }
    Ok(())
}

/// The charter that a call is tried against: a session's, or that of one that would start here now.
pub fn supposed(
    cx: &Context,
    typed: Option<&str>,
    role: Option<&str>,
    mode: Option<&str>,
) -> Result<Charter, CommandError> {
    let unknown =
        |what: &str, word: &str| CommandError::usage("rules.unknown", format!("there is no {what} `{word}`"));
    let role = role.map(|word| Role::parse(word).ok_or_else(|| unknown("role", word))).transpose()?;
    let mode = mode.map(|word| Mode::parse(word).ok_or_else(|| unknown("mode", word))).transpose()?;
    let known = match typed {
        Some(typed) => Some(meant(cx, Some(typed))?),
        None => meant(cx, None).ok(),
    };
    let here = cx.directory()?;
    let mut charter = match known {
        Some(session) => {
            // It may be older than the configuration.
            let name = &session.name;
            cx.ui.status(&format!("By the charter of {name}; `sb session refresh {name}` makes it anew."));
            session.charter
        }
        None => {
            let project = cx.project()?.unwrap_or_else(ProjectName::untracked);
            charter::compile(cx.home()?, cx.config()?, &project, &here, &Assigned::default(), None)
        }
    };
    charter.mode = mode.unwrap_or(charter.mode);
    if let Some(role) = role {
        charter.role = role;
        // Whoever nobody watches has a worktree and a branch.
        if !role.is_watched() {
            charter.confined = true;
            charter.branch = charter.branch.or_else(|| project::branch(&here));
        }
    }
    Ok(charter)
}
