//! `sb reject`: send reviewed work back.

use signalbox_core::Command;

use crate::context::Context;
use crate::{changes, resolve};
use signalbox_desk::error::CommandError;

/// The assignee picks it up again, and it goes through review once more.
#[derive(clap::Args)]
pub struct Arguments {
    /// What must change, after an optional ticket id; `-` reads it from standard input
    #[arg(value_name = "[ID] REASON")]
    words: Vec<String>,
    /// Print the ticket as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(cx: &Context, arguments: Arguments) -> Result<(), CommandError> {
    let (id, reason) = match arguments.words.as_slice() {
        [only] if resolve::looks_like_id(only) => (Some(only.as_str()), String::new()),
        words => resolve::id_and_words(words),
    };
    let reason = resolve::text_or_stdin(reason)?;
    let (store, outcome, ticket) =
        changes::on_ticket(cx, id, &|id| Command::Reject { id, reason: reason.clone() })?;
    let ticket = changes::answer_by_verdict(cx, &store, ticket, &format!("Sent back: {reason}"))?;
    let to = ticket.assignee.as_deref().unwrap_or("whoever takes it");
    changes::report(cx, &store, &outcome, &ticket, &format!("{} goes back to {to} for rework.", ticket.id))
}
