//! `sb override`: force a status.

use signalbox_core::Command;

use crate::context::Context;
use crate::{changes, resolve};
use signalbox_desk::error::CommandError;

/// For a human who knows better than the workflow. A hold is released, and dependencies are no longer waited
/// for. It is recorded with the reason.
#[derive(clap::Args)]
pub struct Arguments {
    /// The ticket
    id: String,
    /// The status it shall have
    status: String,
    /// Why
    reason: Vec<String>,
    /// Print the ticket as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(cx: &Context, arguments: Arguments) -> Result<(), CommandError> {
    let to = resolve::status(&arguments.status)?;
    let command = |id| Command::Override { id, to, reason: arguments.reason.join(" ") };
    let (store, outcome, ticket) = changes::on_ticket(cx, Some(&arguments.id), &command)?;
    changes::report(
        cx,
        &store,
        &outcome,
        &ticket,
        &format!("{} is {} by override.", ticket.id, ticket.status),
    )
}
