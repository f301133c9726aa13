//! `sb pick`: claim a ticket.

use signalbox_core::Command;

use crate::context::Context;
use crate::{changes, resolve};
use signalbox_desk::error::CommandError;

/// The ticket becomes yours and your current one. However many try at once, one gets it.
#[derive(clap::Args)]
pub struct Arguments {
    /// The ticket's id or its beginning [default: the most urgent ready one]
    id: Option<String>,
    /// Print the ticket as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(cx: &Context, arguments: Arguments) -> Result<(), CommandError> {
    let Some(id) = &arguments.id else {
        // Work that was sent back, or that one is at already, comes before new work.
        let (_, index) = cx.index()?;
        return match resolve::current(cx, &index)?.map(|id| index.ticket(&id)).transpose()?.flatten() {
            Some(ticket) if ticket.status.is_claimed() && ticket.is_assigned_to(&cx.identity()?.who) => {
                pick(cx, ticket.id.as_str())
            }
            _ => super::pop::pop(cx, None),
        };
    };
    pick(cx, id)
}

fn pick(cx: &Context, id: &str) -> Result<(), CommandError> {
    let (store, outcome, ticket) = changes::on_ticket(cx, Some(id), &|id| Command::Pick { id })?;
    resolve::set_current(cx, Some(&ticket.id))?;
    let sentence = if outcome.events.is_empty() {
        format!("{} is yours already.", ticket.id)
    } else {
        format!("Claimed {}: {}", ticket.id, changes::title(&ticket))
    };
    changes::report(cx, &store, &outcome, &ticket, &sentence)?;
    cx.ui.hint("Write down what you do with `sb note \"…\"`, and hand it in with `sb submit`.");
    Ok(())
}
