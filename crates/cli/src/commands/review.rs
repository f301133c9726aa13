//! `sb review`: take a ticket for review, or hand in one's own.

use signalbox_core::{Command, Status};

use crate::context::Context;
use crate::{changes, resolve};
use signalbox_desk::error::CommandError;

/// With the id of a ticket in review: take it and show it. Without an id, or with that of a ticket you are
/// working on: hand it in, as `sb submit` does.
#[derive(clap::Args)]
pub struct Arguments {
    /// The ticket
    id: Option<String>,
    /// When handing in: what was done
    #[arg(long, short)]
    message: Option<String>,
    /// Print the ticket as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(cx: &Context, arguments: Arguments) -> Result<(), CommandError> {
    let (_, index) = cx.index()?;
    let id = resolve::ticket_or_current(cx, &index, arguments.id.as_deref())?;
    let who = &cx.identity()?.who;
    let own = index
        .ticket(&id)?
        .is_some_and(|ticket| ticket.status == Status::InProgress && ticket.is_assigned_to(who));
    drop(index);
    if own || arguments.message.is_some() {
        return super::submit::submit(cx, Some(id.as_str()), arguments.message);
    }
    let (store, outcome, ticket) = changes::on_ticket(cx, Some(id.as_str()), &|id| Command::Review { id })?;
    resolve::set_current(cx, Some(&ticket.id))?;
    if !outcome.events.is_empty() {
        cx.ui.status(&format!("You are reviewing {}.", ticket.id));
    }
    cx.ui.hint(&format!("Decide with `sb approve {0}` or `sb reject {0} \"what must change\"`.", ticket.id));
    let (index, _) = store.read()?;
    let board = index.surroundings([&ticket.id])?;
    super::show::print(cx, &store, &ticket, &board, &index.changes(&ticket.id)?)
}
