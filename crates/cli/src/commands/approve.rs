//! `sb approve`: accept reviewed work.

use signalbox_core::Command;

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
    let (store, outcome, ticket) = changes::on_ticket(cx, arguments.id.as_deref(), &command)?;
    changes::report(cx, &store, &outcome, &ticket, &format!("{} is done.", ticket.id))
}
