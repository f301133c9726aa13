//! `sb show`: one ticket with its story.

use signalbox_core::{Board, Event, Ticket, dependency_tree, open_dependencies};
use signalbox_store::Store;

use crate::context::Context;
use crate::ticket_json::TicketJson;
use crate::{resolve, ticket_text};
use signalbox_desk::error::CommandError;

/// State, dependencies, attempts and history. When an agent reads a ticket, that is recorded: it can no longer
/// review it.
#[derive(clap::Args)]
pub struct Arguments {
    /// The ticket's id or its beginning [default: your current ticket]
    id: Option<String>,
    /// Print JSON: the ticket with `body`, `history`, `dependencies` and `attempt_reports`
    #[arg(long)]
    json: bool,
}

pub fn run(cx: &Context, arguments: Arguments) -> Result<(), CommandError> {
    let (store, index) = cx.index()?;
    let id = resolve::ticket_or_current(cx, &index, arguments.id.as_deref())?;
    let board = index.surroundings([&id])?;
    let history = index.changes(&id)?;
    let Some(ticket) = board.ticket(&id) else {
        return Err(CommandError::not_found("ticket.unknown", format!("there is no ticket {id}")));
    };
    record_read(cx, &store, ticket)?;
    print(cx, &store, ticket, &board, &history)
}

/// Reading counts as having to do with a ticket.
pub fn record_read(cx: &Context, store: &Store, ticket: &Ticket) -> Result<(), CommandError> {
    let identity = cx.identity()?;
    if identity.who.is_agent() && identity.unverified.is_none() {
        let nothing = serde_json::Map::new();
        store.note_event(&identity.who, "ticket.read", Some(&ticket.id), Some(&ticket.project), &nothing)?;
    }
    Ok(())
}

/// A ticket with everything about it, as text or JSON.
pub fn print(
    cx: &Context,
    store: &Store,
    ticket: &Ticket,
    board: &Board,
    history: &[Event],
) -> Result<(), CommandError> {
    let path = store.vault().path(ticket);
    if !cx.ui.json {
        cx.ui.data(&ticket_text::whole(&cx.ui, ticket, board, history, &path))?;
        return Ok(());
    }
    let open = open_dependencies(board, ticket);
    let mut object = serde_json::to_value(TicketJson::new(ticket, &open, &path))?;
    if let Some(object) = object.as_object_mut() {
        let tree: Vec<_> = dependency_tree(board, &ticket.id)
            .into_iter()
            .map(|(depth, id)| {
                let dependency = board.ticket(&id);
                serde_json::json!({
                    "id": id, "depth": depth,
                    "status": dependency.map(|d| d.status), "title": dependency.map(|d| &d.title),
                })
            })
            .collect();
        object.insert("body".into(), body(history).into());
        object.insert("dependencies".into(), tree.into());
        object.insert("attempt_reports".into(), serde_json::to_value(&ticket.attempts)?);
        if !ticket.work.is_untouched() {
            object.insert("work".into(), serde_json::to_value(&ticket.work)?);
        }
        object.insert("history".into(), serde_json::to_value(history)?);
    }
    cx.ui.json(&object)
}

/// What the ticket was filed with.
pub fn body(history: &[Event]) -> String {
    let filed =
        history.first().and_then(|event| serde_json::from_str::<serde_json::Value>(event.data.get()).ok());
    filed.and_then(|data| data["body"].as_str().map(ToOwned::to_owned)).unwrap_or_default()
}
