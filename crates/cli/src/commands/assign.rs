//! `sb assign`: give a ticket to someone.

use signalbox_core::Command;

use crate::changes;
use crate::context::Context;
use signalbox_desk::error::CommandError;

/// Only they can then claim it. Without a name it is free again; work in progress goes back to the pool.
#[derive(clap::Args)]
pub struct Arguments {
    /// The ticket
    id: String,
    /// An agent's name or session, or `human`
    name: Option<String>,
    /// Print the ticket as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(cx: &Context, arguments: Arguments) -> Result<(), CommandError> {
    let command = |id| Command::Assign { id, assignee: arguments.name.clone() };
    let (store, outcome, ticket) = changes::on_ticket(cx, Some(&arguments.id), &command)?;
    let sentence = match &ticket.assignee {
        Some(name) => format!("{} belongs to {}.", ticket.id, signalbox_core::text::one_line(name)),
        None => format!("{} belongs to nobody.", ticket.id),
    };
    changes::report(cx, &store, &outcome, &ticket, &sentence)
}
