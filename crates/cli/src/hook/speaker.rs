//! Whose hook this is. The payload names a conversation; the process that calls says which of its sessions.

use std::path::Path;

use signalbox_core::{SessionId, Who};
use signalbox_drivers::Incoming;
use signalbox_store::process;
use signalbox_store::session::{self, Session};

use super::{Caller, Trouble, guard, start, subagent};
use crate::context::Context;

/// The session's id as the payload has it.
pub fn id(incoming: &Incoming) -> Result<SessionId, Trouble> {
    let id = SessionId::parse(&incoming.session).map_err(|error| Trouble::Session(error.to_string()))?;
    // An agent of that name would pass for the human, and what is assigned to the human would be its own.
    if [Who::Human, Who::System].iter().any(|who| who.name().eq_ignore_ascii_case(id.as_str())) {
        return Err(Trouble::Session(format!("no session may be called `{id}`")));
    }
    Ok(id)
}

/// The session this hook speaks for, a subagent's own where it is one's. One that is not known yet is begun.
pub fn find(cx: &Context, caller: &Caller, incoming: &Incoming) -> Result<Session, Trouble> {
    let main = main_session(cx, caller, incoming)?;
    match &incoming.subagent {
        Some(subagent) => subagent::session_of(cx, &main, subagent),
        None => Ok(main),
    }
}

/// The conversation's own session.
pub fn main_session(cx: &Context, caller: &Caller, incoming: &Incoming) -> Result<Session, Trouble> {
    let id = id(incoming)?;
    let home = cx.home()?;
    let read = |error: std::io::Error| {
        Trouble::Session(format!("the record of session {id} cannot be read: {error}"))
    };
    let known = session::load_strictly(home, &id).map_err(read)?;
    if let Some(session) = known.as_ref().filter(|session| session.ended.is_none() && calls_directly(session))
    {
        return Ok(session.clone());
    }
    guard::watch();
    // Not the process it was begun by: a copy of the conversation, or a wrapped hook.
    for above in process::ancestors() {
        if let Some(other) = session::of_process(home, &above).map_err(read)?
            && let Some(session) = session::load_strictly(home, &other).map_err(read)?
            && session.ended.is_none()
        {
            return Ok(session);
        }
    }
    match known {
        Some(session) if session.ended.is_none() && session.process.is_none() => Ok(session),
        _ => start::adopt(cx, caller, incoming),
    }
}

/// Whether the session's own process calls, itself or through one shell.
fn calls_directly(session: &Session) -> bool {
    let Some(registered) = &session.process else { return false };
    let parent = std::os::unix::process::parent_id();
    parent == registered.pid || process::process(parent).is_some_and(|shell| shell.parent == registered.pid)
}

/// Where the agent is. A folder that no longer exists is still a name that paths are relative to.
pub fn directory(incoming: &Incoming) -> String {
    let here = || std::env::current_dir().ok();
    let folder = incoming.cwd.clone().filter(|cwd| cwd.is_absolute()).or_else(here);
    folder.as_deref().unwrap_or(Path::new("/")).to_string_lossy().into_owned()
}
