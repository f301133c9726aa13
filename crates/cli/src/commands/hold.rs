//! `sb hold`: block a ticket with a reason.

use signalbox_core::Command;

use crate::changes;
use crate::context::Context;
use signalbox_desk::error::CommandError;

/// It stays blocked until a human releases it with `sb unhold`, and then goes back to where it was.
#[derive(clap::Args)]
pub struct Arguments {
    /// The ticket
    id: String,
    /// Why
    #[arg(required = true)]
    reason: Vec<String>,
    /// Print the ticket as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(cx: &Context, arguments: Arguments) -> Result<(), CommandError> {
    let command = |id| Command::Hold { id, reason: arguments.reason.join(" ") };
    let (store, outcome, ticket) = changes::on_ticket(cx, Some(&arguments.id), &command)?;
    changes::report(cx, &store, &outcome, &ticket, &format!("{} is on hold.", ticket.id))
}
