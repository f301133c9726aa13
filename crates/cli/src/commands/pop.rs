//! `sb pop`: claim the most urgent ready ticket and show it, in one step.

use signalbox_core::{Command, TicketId};
use signalbox_store::index::Filter;
use signalbox_store::{Index, StoreError};

use crate::context::Context;
use crate::resolve;
use signalbox_desk::error::CommandError;

/// However many ask at once, each gets another ticket.
#[derive(clap::Args)]
pub struct Arguments {
    /// Only of this project; `*` for any [default: the one of the current directory]
    #[arg(long)]
    project: Option<String>,
    /// Print the ticket as JSON, as `sb show` does
    #[arg(long)]
    json: bool,
}

pub fn run(cx: &Context, arguments: Arguments) -> Result<(), CommandError> {
    pop(cx, arguments.project.as_deref())
}

/// Claim and show.
pub fn pop(cx: &Context, project: Option<&str>) -> Result<(), CommandError> {
    let store = cx.store()?;
    // A few, because the rules may know better than the filter.
    let filter = Filter { limit: Some(8), ..super::ready::filter(cx, project)? };
    let build = |index: &Index| -> Result<Command, StoreError> {
        let candidates = index.list(&filter)?.iter().filter_map(|row| TicketId::parse(row.id).ok()).collect();
        Ok(Command::Pop { candidates })
    };
    let outcome = cx.execute(&store, &build)?;
    let Some(ticket) = &outcome.ticket else { return Ok(()) };
    resolve::set_current(cx, Some(&ticket.id))?;
    cx.ui.status(&format!("Claimed {}.", ticket.id));
    let (index, _) = store.read()?;
    let board = index.surroundings([&ticket.id])?;
    super::show::print(cx, &store, ticket, &board, &index.changes(&ticket.id)?)
}
