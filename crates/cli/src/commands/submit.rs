//! `sb submit`: hand work in for review.

use signalbox_core::Command;
use signalbox_core::work::Handed;

use crate::context::Context;
use crate::{changes, resolve};
use signalbox_desk::error::CommandError;

/// A note since the work began must say what was done; `-m` writes it in the same step.
#[derive(clap::Args)]
pub struct Arguments {
    /// The ticket [default: your current one]
    id: Option<String>,
    /// What was done; `-` reads it from standard input
    #[arg(long, short)]
    message: Option<String>,
    /// Print the ticket as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(cx: &Context, arguments: Arguments) -> Result<(), CommandError> {
    submit(cx, arguments.id.as_deref(), arguments.message)
}

/// Hand in the typed or the current ticket.
pub fn submit(cx: &Context, id: Option<&str>, message: Option<String>) -> Result<(), CommandError> {
    let note = message.map(resolve::text_or_stdin).transpose()?;
    let handed = commit(cx, id)?;
    let submit = |id| Command::Submit { id, note: note.clone(), handed: handed.clone() };
    let (store, outcome, ticket) = changes::on_ticket(cx, id, &submit)?;
    let sentence = if outcome.events.is_empty() {
        format!("{} is in review already.", ticket.id)
    } else if let Some(handed) = &handed {
        format!("{} is handed in as {}.", ticket.id, handed.commit)
    } else if cx.who()?.is_agent() {
        format!("{} is handed in. Someone who had nothing to do with it must review it.", ticket.id)
    } else {
        format!("{} is handed in and waits for review.", ticket.id)
    };
    changes::report(cx, &store, &outcome, &ticket, &sentence)
}

/// The commit that is handed in, where the project's work is merged by the queue.
fn commit(cx: &Context, typed: Option<&str>) -> Result<Option<Handed>, CommandError> {
    let (_, index) = cx.index()?;
    let id = match typed {
        Some(typed) => resolve::ticket(&index, typed)?,
        None => resolve::ticket_or_current(cx, &index, None)?,
    };
    let Some(ticket) = index.ticket(&id)? else { return Ok(None) };
    Ok(signalbox_conductor::handed(cx.home()?, cx.config()?, &ticket, &cx.directory()?)?)
}
