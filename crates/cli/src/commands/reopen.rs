//! `sb reopen`: bring a done ticket back.

use signalbox_core::Command;

use crate::changes;
use crate::context::Context;
use signalbox_desk::error::CommandError;

/// It is open again and belongs to nobody. What depends on it and is not done is blocked again.
#[derive(clap::Args)]
pub struct Arguments {
    /// The ticket
    id: String,
    /// Why
    reason: Vec<String>,
    /// Print the ticket as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(cx: &Context, arguments: Arguments) -> Result<(), CommandError> {
    let command = |id| Command::Reopen { id, reason: arguments.reason.join(" ") };
    let (store, outcome, ticket) = changes::on_ticket(cx, Some(&arguments.id), &command)?;
    changes::report(cx, &store, &outcome, &ticket, &format!("{} is {} again.", ticket.id, ticket.status))
}
