//! `sb check`: tick an acceptance criterion.

use signalbox_core::Command;

use crate::changes;
use crate::context::Context;
use signalbox_desk::error::CommandError;

/// `sb show` numbers the criteria; `sb edit ID --accept TEXT` adds one.
#[derive(clap::Args)]
pub struct Arguments {
    /// The criterion's number
    number: usize,
    /// The ticket [default: your current one]
    id: Option<String>,
    /// It is not met after all
    #[arg(long)]
    not: bool,
    /// Print the ticket as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(cx: &Context, arguments: Arguments) -> Result<(), CommandError> {
    let command = |id| Command::Check { id, criterion: arguments.number, met: !arguments.not };
    let (store, outcome, ticket) = changes::on_ticket(cx, arguments.id.as_deref(), &command)?;
    let met = ticket.acceptance.iter().filter(|criterion| criterion.met).count();
    let sentence = format!("{} of {} criteria of {} are met.", met, ticket.acceptance.len(), ticket.id);
    changes::report(cx, &store, &outcome, &ticket, &sentence)
}
