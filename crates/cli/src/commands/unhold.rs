//! `sb unhold`: release a hold.

use signalbox_core::{Command, Status};

use crate::changes;
use crate::context::Context;
use signalbox_desk::error::CommandError;

/// The ticket goes back to where it was, unless it still waits for another.
#[derive(clap::Args)]
pub struct Arguments {
    /// The ticket
    id: String,
    /// What changed
    note: Vec<String>,
    /// Print the ticket as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(cx: &Context, arguments: Arguments) -> Result<(), CommandError> {
    let note = Some(arguments.note.join(" ")).filter(|note| !note.is_empty());
    let command = |id| Command::Unhold { id, note: note.clone() };
    let (store, outcome, ticket) = changes::on_ticket(cx, Some(&arguments.id), &command)?;
    let sentence = if ticket.status == Status::Blocked {
        format!("{} is no longer on hold, but still waits for another ticket.", ticket.id)
    } else {
        format!("{} is no longer on hold; it is {}.", ticket.id, ticket.status)
    };
    changes::report(cx, &store, &outcome, &ticket, &sentence)
}
