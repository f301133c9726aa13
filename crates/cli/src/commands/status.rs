//! `sb status`: move a ticket along.

use signalbox_core::{Command, Status, Ticket};

use crate::context::Context;
use crate::{changes, glance, resolve, ticket_text};
use signalbox_desk::error::CommandError;

/// Without arguments it shows your current ticket, the daemon, the agents and what each is there for. `sb status review`
/// hands work in, `in-progress` claims, `open` releases or opens, `done` approves, `rework` sends back; each with the
/// conditions of that step.
#[derive(clap::Args)]
pub struct Arguments {
    /// The status, or a word for it: start, submit, wip, todo, finish …
    status: Option<String>,
    /// The ticket [default: your current one]
    id: Option<String>,
    /// A note, or the reason where one is needed
    #[arg(long, short)]
    message: Option<String>,
    /// Print JSON: the ticket, or without one everything
    #[arg(long)]
    json: bool,
}

pub fn run(cx: &Context, arguments: Arguments) -> Result<(), CommandError> {
    let (word, id) = match (arguments.status.as_deref(), arguments.id.as_deref()) {
        // People write it either way round.
        (Some(first), Some(second))
            if resolve::looks_like_id(first)
                || (Status::from_word(first).is_none() && Status::from_word(second).is_some()) =>
        {
            (second, Some(first))
        }
        (Some(first), None) if resolve::looks_like_id(first) => return show(cx, Some(first)),
        (Some(first), second) => (first, second),
        (None, _) => return everything(cx),
    };
    let to = resolve::status(word)?;
    let text = arguments.message.map(resolve::text_or_stdin).transpose()?;
    let command = |id| Command::Move { id, to, text: text.clone() };
    let (store, outcome, ticket) = changes::on_ticket(cx, id, &command)?;
    if ticket.status == Status::InProgress {
        resolve::set_current(cx, Some(&ticket.id))?;
    }
    let sentence = if outcome.events.is_empty() {
        format!("{} is {} already.", ticket.id, ticket.status)
    } else {
        format!("{} is now {}.", ticket.id, ticket.status)
    };
    changes::report(cx, &store, &outcome, &ticket, &sentence)
}

/// The current ticket, if there is one, and all that runs.
fn everything(cx: &Context) -> Result<(), CommandError> {
    let current = match cx.config() {
        Ok(_) => current(cx)?,
        // What runs is to be seen all the same.
        Err(error) => {
            cx.ui.warn(&error.message);
            None
        }
    };
    if cx.ui.json {
        let report = glance::report(cx)?;
        let ticket = current.map(|ticket| ticket.id);
        return cx.ui.json(&serde_json::json!({ "ticket": ticket, "daemon": report }));
    }
    if let Some(ticket) = current {
        cx.ui.data(&format!("{}\n", ticket_text::line(&ticket)))?;
    }
    glance::show(cx)
}

fn current(cx: &Context) -> Result<Option<Ticket>, CommandError> {
    let (_, index) = cx.index()?;
    let id = resolve::current(cx, &index)?;
    Ok(id.map(|id| index.ticket(&id)).transpose()?.flatten())
}

fn show(cx: &Context, id: Option<&str>) -> Result<(), CommandError> {
    let (store, index) = cx.index()?;
    let id = resolve::ticket_or_current(cx, &index, id)?;
    let Some(ticket) = index.ticket(&id)? else {
        return Err(CommandError::not_found("ticket.unknown", format!("there is no ticket {id}")));
    };
    if cx.ui.json {
        return changes::ticket_json(cx, &store, &index, &ticket);
    }
    cx.ui.data(&format!("{}\n", ticket_text::line(&ticket)))?;
    Ok(())
}
