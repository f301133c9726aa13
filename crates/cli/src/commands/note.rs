//! `sb note`: write a note on a ticket.

use signalbox_core::Command;

use crate::context::Context;
use crate::{changes, resolve};
use signalbox_desk::error::CommandError;

/// Work can be handed in once a note says what was done.
#[derive(clap::Args)]
pub struct Arguments {
    /// The text, after an optional ticket id; `-` reads it from standard input
    #[arg(required = true, value_name = "[ID] TEXT")]
    words: Vec<String>,
    /// Print the ticket as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(cx: &Context, arguments: Arguments) -> Result<(), CommandError> {
    if let [only] = arguments.words.as_slice()
        && resolve::looks_like_id(only)
    {
        return Err(CommandError::usage("note.no-text", format!("what should be noted on {only}?"))
            .hint(format!("Write it after the id: `sb note {only} \"…\"`.")));
    }
    let (id, text) = resolve::id_and_words(&arguments.words);
    let text = resolve::text_or_stdin(text)?;
    let (store, outcome, ticket) =
        changes::on_ticket(cx, id, &|id| Command::Note { id, text: text.clone() })?;
    changes::report(cx, &store, &outcome, &ticket, &format!("Noted on {}.", ticket.id))
}
