//! `sb switch`: make a ticket the current one.

use crate::context::Context;
use crate::{changes, resolve};
use signalbox_desk::error::CommandError;

/// Commands without an id are then about it, in this session or terminal. Its status stays as it is.
#[derive(clap::Args)]
pub struct Arguments {
    /// The ticket
    id: String,
    /// Print the ticket as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(cx: &Context, arguments: Arguments) -> Result<(), CommandError> {
    let (store, index) = cx.index()?;
    let id = resolve::ticket(&index, &arguments.id)?;
    let Some(ticket) = index.ticket(&id)? else {
        return Err(CommandError::not_found("ticket.unknown", format!("there is no ticket {id}")));
    };
    resolve::set_current(cx, Some(&id))?;
    cx.ui.status(&format!("Your current ticket is {id}: {}", changes::title(&ticket)));
    if cx.ui.json {
        changes::ticket_json(cx, &store, &index, &ticket)?;
    }
    Ok(())
}
