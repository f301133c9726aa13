//! A commit on a ticket that was handed in takes the place of the one before it: an agent that commits once more after
//! `sb submit` means that to be judged.

use signalbox_core::call::{Action, ToolCall};
use signalbox_core::{Command, Status, Who};
use signalbox_store::session::Session;

use super::Trouble;
use crate::context::Context;
use signalbox_desk::error::CommandError;

/// Hand in the newest commit, if the call may have made one and the ticket waits for its review.
pub fn hand_in(cx: &Context, session: &Session, call: &ToolCall) -> Result<(), Trouble> {
    let Action::Shell { command } = &call.action else { return Ok(()) };
    let (Some(ticket), Some(_), true) =
        (&session.charter.ticket, &session.charter.branch, command.contains("commit"))
    else {
        return Ok(());
    };
    let Some(root) = session.charter.root.as_deref() else { return Ok(()) };
    let store = cx.store()?;
    let (index, _) = store.read().map_err(CommandError::from)?;
    let found = index.ticket(ticket).map_err(CommandError::from)?;
    let Some(found) = found.filter(|found| found.status == Status::Review && found.work.merge.is_none())
    else {
        return Ok(());
    };
    let handed = signalbox_conductor::handed(cx.home()?, cx.config()?, &found, root.as_ref());
    let Some(handed) = handed.ok().flatten().filter(|handed| found.work.is_newer(handed)) else {
        return Ok(());
    };
    let submit = Command::Submit { id: ticket.clone(), note: None, handed: Some(handed) };
    // What may not be handed in any more is no reason to disturb the agent.
    let _ = store.execute(&Who::Agent(session.agent()), &|_| Ok(submit.clone()));
    Ok(())
}
