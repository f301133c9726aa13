//! What the commands that change one ticket have in common: say what happened, hand over the ticket.

use signalbox_core::{Command, Status, Ticket, TicketId, text};
use signalbox_store::{Index, Outcome, Store, StoreError, escalation};

use crate::context::Context;
use crate::resolve;
use crate::ticket_json::TicketJson;
use signalbox_desk::error::CommandError;

/// Carry out a command on the typed or the current ticket.
pub fn on_ticket(
    cx: &Context,
    typed: Option<&str>,
    command: &dyn Fn(TicketId) -> Command,
) -> Result<(Store, Outcome, Ticket), CommandError> {
    on_ticket_if(cx, typed, &|_, _| Ok(()), command)
}

/// The same, unless something that the rules do not see is against it.
pub fn on_ticket_if(
    cx: &Context,
    typed: Option<&str>,
    may: &dyn Fn(&Index, &TicketId) -> Result<(), StoreError>,
    command: &dyn Fn(TicketId) -> Command,
) -> Result<(Store, Outcome, Ticket), CommandError> {
    let store = cx.store()?;
    // The current ticket is looked up before the lock is taken; a typed id is looked up under it.
    let current = match typed {
        Some(_) => None,
        None => {
            let (index, _) = store.read()?;
            Some(resolve::ticket_or_current(cx, &index, None)?)
        }
    };
    let build = |index: &Index| -> Result<Command, StoreError> {
        let id = match (typed, &current) {
            (Some(typed), _) => resolve::ticket(index, typed)?,
            (None, Some(id)) => id.clone(),
            (None, None) => {
                return Err(signalbox_core::Refusal::usage("ticket.missing", "no ticket was named").into());
            }
        };
        may(index, &id)?;
        Ok(command(id))
    };
    let outcome = cx.execute(&store, &build)?;
    let ticket = outcome.ticket.clone().ok_or_else(|| {
        CommandError::new(
            signalbox_desk::error::Kind::Failure,
            "ticket.vanished",
            "the ticket is not in the index",
        )
        .hint("`sb index rebuild` makes the index anew.")
    })?;
    Ok((store, outcome, ticket))
}

/// Say what happened, and hand the ticket over as JSON where that was asked for.
pub fn report(
    cx: &Context,
    store: &Store,
    outcome: &Outcome,
    ticket: &Ticket,
    sentence: &str,
) -> Result<(), CommandError> {
    cx.ui.status(sentence);
    for other in &outcome.also {
        let what = if other.status == Status::Blocked { "is now blocked" } else { "is no longer blocked" };
        cx.ui.status(&format!("{} {what}: {}", other.id, text::one_line(&other.title)));
    }
    if cx.ui.json {
        let (index, _) = store.read()?;
        ticket_json(cx, store, &index, ticket)?;
    }
    Ok(())
}

/// A person has judged a ticket: a question that was about that alone is answered, and told so. Answers the ticket as it is
/// then.
pub fn answer_by_verdict(
    cx: &Context,
    store: &Store,
    ticket: Ticket,
    verdict: &str,
) -> Result<Ticket, CommandError> {
    let who = cx.who()?;
    if who.is_agent() || !ticket.escalated {
        return Ok(ticket);
    }
    for id in escalation::answer_by_verdict(store, who, &ticket.id, verdict)? {
        cx.ui.status(&format!("{id} is answered by that."));
    }
    Ok(store.read()?.0.ticket(&ticket.id)?.unwrap_or(ticket))
}

/// One ticket as JSON.
pub fn ticket_json(cx: &Context, store: &Store, index: &Index, ticket: &Ticket) -> Result<(), CommandError> {
    let board = index.surroundings([&ticket.id])?;
    let open = signalbox_core::open_dependencies(&board, ticket);
    cx.ui.json(&TicketJson::new(ticket, &open, &store.vault().path(ticket)))
}

/// The title as it may be shown.
pub fn title(ticket: &Ticket) -> String {
    text::one_line(&ticket.title).into_owned()
}
