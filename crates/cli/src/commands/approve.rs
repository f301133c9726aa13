//! `sb approve`: accept reviewed work.

use signalbox_core::{Command, Status, TicketId};
use signalbox_store::{Index, StoreError, escalation};

use crate::changes;
use crate::context::Context;
use signalbox_desk::error::CommandError;

/// The reviewer must have had nothing to do with the work. What waited for the ticket is unblocked.
#[derive(clap::Args)]
pub struct Arguments {
    /// The ticket [default: your current one]
    id: Option<String>,
    /// What you found
    #[arg(long, short)]
    message: Option<String>,
    /// Print the ticket as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(cx: &Context, arguments: Arguments) -> Result<(), CommandError> {
    let command = |id| Command::Approve { id, note: arguments.message.clone() };
    let is_person = !cx.who()?.is_agent();
    let may = |index: &Index, id: &TicketId| -> Result<(), StoreError> {
        match index.ticket(id)?.filter(|_| is_person) {
            Some(ticket) => escalation::may_approve(index, &ticket),
            None => Ok(()),
        }
    };
    let (store, outcome, ticket) = changes::on_ticket_if(cx, arguments.id.as_deref(), &may, &command)?;
    let verdict =
        arguments.message.as_ref().map_or_else(|| "Approved.".to_owned(), |it| format!("Approved: {it}"));
    let ticket = changes::answer_by_verdict(cx, &store, ticket, &verdict)?;
    let sentence = match ticket.status {
        Status::Done => format!("{} is done.", ticket.id),
        _ => format!("{} is approved, and done when it is on main.", ticket.id),
    };
    changes::report(cx, &store, &outcome, &ticket, &sentence)
}
