//! `sb close`: mark a ticket done without review.

use signalbox_core::Command;

use crate::changes;
use crate::context::Context;
use signalbox_desk::error::CommandError;

/// From any status; it is recorded as an override. What waited for the ticket is unblocked.
#[derive(clap::Args)]
pub struct Arguments {
    /// The ticket
    id: String,
    /// Why, or what came of it
    note: Vec<String>,
    /// Print the ticket as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(cx: &Context, arguments: Arguments) -> Result<(), CommandError> {
    let note = Some(arguments.note.join(" ")).filter(|note| !note.is_empty());
    let command = |id| Command::Close { id, note: note.clone() };
    let (store, outcome, ticket) = changes::on_ticket(cx, Some(&arguments.id), &command)?;
    changes::report(cx, &store, &outcome, &ticket, &format!("{} is done.", ticket.id))
}
