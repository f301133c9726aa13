//! `sb at`: tickets as they were at a past moment.

use std::collections::BTreeSet;

use jiff::Timestamp;
use signalbox_core::{Board, Event, Status, Ticket, TicketId, batch, time};
use signalbox_store::index::{History, Listing};
use signalbox_store::{Index, clock};

use crate::context::Context;
use crate::{duration, resolve, ticket_json, ticket_text};
use signalbox_desk::error::CommandError;

/// The log is replayed up to that moment: `sb at yesterday list`, `sb at "2026-11-15 10:30" show a7K`.
#[derive(clap::Args)]
pub struct Arguments {
    /// The moment: `2h ago`, `yesterday`, `2026-11-15`, `2026-11-15T10:30:00Z`
    time: String,
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// The tickets there were, but for those that were done
    List {
        /// Only this project; `*` for all [default: the one of the current directory]
        #[arg(long)]
        project: Option<String>,
        /// Also what was done
        #[arg(long, short)]
        all: bool,
        /// Print the tickets as a JSON array
        #[arg(long)]
        json: bool,
    },
    /// One ticket as it was
    Show {
        /// The ticket
        id: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

pub fn run(cx: &Context, arguments: Arguments) -> Result<(), CommandError> {
    let then = duration::moment(&arguments.time, clock::now())?;
    let (store, index) = cx.index()?;
    match arguments.what {
        What::Show { id, .. } => {
            let id = resolve::ticket(&index, &id)?;
            let (board, history) = replay(&index, then, Some(&id))?;
            let Some(ticket) = board.ticket(&id) else {
                return Err(CommandError::not_found(
                    "ticket.not-yet",
                    format!("there was no {id} at {} yet", time::short(then)),
                ));
            };
            super::show::record_read(cx, &store, ticket)?;
            let history: Vec<Event> =
                history.into_iter().filter(|event| event.ticket.as_ref() == Some(&id)).collect();
            super::show::print(cx, &store, ticket, &board, &history)
        }
        What::List { project, all, .. } => {
            let project = cx.project_filter(project.as_deref())?;
            let (board, _) = replay(&index, then, None)?;
            let mut tickets: Vec<_> = board
                .tickets()
                .filter(|ticket| all || ticket.status != Status::Done)
                .filter(|ticket| project.as_ref().is_none_or(|project| *project == ticket.project))
                .collect();
            tickets.sort_by(|a, b| batch::order(a).cmp(&batch::order(b)));
            if cx.ui.json {
                let open = |ticket: &Ticket| signalbox_core::open_dependencies(&board, ticket);
                return ticket_json::print_all(cx, &store, tickets.iter().copied(), open);
            }
            let mut rows = Listing::default();
            for ticket in &tickets {
                rows.push(&(*ticket).into());
            }
            if rows.is_empty() {
                cx.ui.status("There was no ticket like that then.");
            }
            cx.ui.data(&ticket_text::list(&cx.ui, &rows, project.is_none(), then))?;
            Ok(())
        }
    }
}

/// The board as it was: all of it, or one ticket and what it depended on.
fn replay(
    index: &Index,
    then: Timestamp,
    only: Option<&TicketId>,
) -> Result<(Board, Vec<Event>), CommandError> {
    let mut board = Board::default();
    let mut all = Vec::new();
    let mut wanted = vec![only.cloned()];
    let mut seen = BTreeSet::new();
    while let Some(ticket) = wanted.pop() {
        let history =
            History { ticket: ticket.clone(), until: Some(then), changes_only: true, ..History::default() };
        for (_, event) in index.events(&history)? {
            board.apply(&event)?;
            all.push(event);
        }
        // What it depended on then, which need not be what it depends on now.
        let dependencies = ticket.and_then(|id| board.ticket(&id)).map(|ticket| ticket.depends_on.clone());
        for dependency in dependencies.unwrap_or_default() {
            if seen.insert(dependency.clone()) && Some(&dependency) != only {
                wanted.push(Some(dependency));
            }
        }
    }
    Ok((board, all))
}
