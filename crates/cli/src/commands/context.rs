//! `sb context`: who you are, your ticket, and what you could take.

use signalbox_core::batch::{self, Kind};
use signalbox_core::text::one_line;
use signalbox_core::{ProjectName, Status, Ticket, Who};
use signalbox_store::Index;
use signalbox_store::index::Filter;

use crate::context::Context;
use crate::{changes, resolve, ticket_text};
use signalbox_desk::error::CommandError;

/// What an agent is told when its session starts; also for people. One batch of one kind of work is offered:
/// tickets to work on, or tickets to review, whichever is more urgent.
#[derive(clap::Args)]
pub struct Arguments {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// How many tickets a batch has at the most.
const BATCH: usize = 5;

pub fn run(cx: &Context, _: Arguments) -> Result<(), CommandError> {
    let (_, index) = cx.index()?;
    let who = &cx.identity()?.who;
    let project = cx.project()?;
    let current = resolve::current(cx, &index)?.map(|id| index.ticket(&id)).transpose()?.flatten();
    if cx.ui.json {
        let tickets = candidates(&index, project.as_ref())?;
        let batch = batch::choose(&tickets, who, BATCH);
        return cx.ui.json(&serde_json::json!({
            "actor": who.name(),
            "session": who.session(),
            "lineage": who.lineage(),
            "project": project,
            "ticket": current.as_ref().map(|ticket| &ticket.id),
            "batch": batch.as_ref().map(|batch| serde_json::json!({
                "kind": match batch.kind { Kind::Open => "open", Kind::Review => "review" },
                "tickets": batch.tickets.iter().map(|ticket| &ticket.id).collect::<Vec<_>>(),
            })),
        }));
    }
    cx.ui.data(&text(&index, who, project.as_ref(), current.as_ref())?)?;
    Ok(())
}

/// The context as a text, for a person or a model.
pub fn text(
    index: &Index,
    who: &Who,
    project: Option<&ProjectName>,
    current: Option<&Ticket>,
) -> Result<String, CommandError> {
    let place = project.map_or("no project".to_owned(), ToString::to_string);
    let session = who.session().map(|session| format!(", session {session}")).unwrap_or_default();
    let mut text = format!("Signalbox — {place} — you are {}{session}\n", one_line(who.name()));
    if let Some(ticket) = current {
        text.push_str(&format!("\nYour current ticket: {}\n", ticket_text::line(ticket)));
        for command in next_commands(ticket, who) {
            text.push_str(&format!("  {command}\n"));
        }
    }
    let tickets = candidates(index, project)?;
    match batch::choose(&tickets, who, BATCH) {
        None => text.push_str("\nNothing is ready to be worked on or reviewed.\n"),
        Some(batch) => {
            let (heading, command) = match batch.kind {
                Kind::Open => {
                    ("Ready to be worked on:", "Claim one with `sb pick ID`, or the first with `sb pop`.")
                }
                Kind::Review => (
                    "Waiting for review:",
                    "Take one with `sb review ID`; reading it with `sb show` first would disqualify you.",
                ),
            };
            text.push_str(&format!("\n{heading}\n"));
            for ticket in &batch.tickets {
                text.push_str(&format!("  {}  {}  {}\n", ticket.id, ticket.priority, changes::title(ticket)));
            }
            text.push_str(&format!("{command}\n"));
        }
    }
    Ok(text)
}

/// The most urgent tickets that could be worked on or reviewed.
fn candidates(index: &Index, project: Option<&ProjectName>) -> Result<Vec<Ticket>, CommandError> {
    let mut tickets = Vec::new();
    for status in [Status::Open, Status::Review] {
        let filter = Filter {
            project: project.cloned(),
            statuses: vec![status],
            limit: Some(50),
            ..Filter::default()
        };
        tickets.extend(index.tickets(&filter)?);
    }
    Ok(tickets)
}

/// What can be done with a ticket from where it is.
pub fn next_commands(ticket: &Ticket, who: &Who) -> Vec<String> {
    let id = &ticket.id;
    let mine = ticket.is_assigned_to(who);
    let mut commands: Vec<(String, &str)> = match ticket.status {
        Status::Backlog => vec![(format!("sb status open {id}"), "scope it for work")],
        Status::Open => vec![(format!("sb pick {id}"), "claim it")],
        Status::InProgress if mine => vec![
            ("sb note \"…\"".to_owned(), "say what you did or found"),
            ("sb submit".to_owned(), "hand it in for review"),
            ("sb release --outcome failed …".to_owned(), "give up and leave a report"),
        ],
        Status::InProgress => vec![(format!("sb show {id}"), "read how it goes")],
        Status::Review if ticket.is_reviewed_by(who) => vec![
            (format!("sb approve {id}"), "accept the work"),
            (format!("sb reject {id} \"…\""), "send it back with a reason"),
        ],
        Status::Review => vec![(format!("sb review {id}"), "review it, if you are independent")],
        Status::Rework if mine => vec![(format!("sb pick {id}"), "take it up again")],
        Status::Rework | Status::Blocked => vec![(format!("sb show {id}"), "see what it waits for")],
        Status::Done => vec![("sb pop".to_owned(), "take the next one")],
    };
    if !who.is_agent() {
        match ticket.status {
            Status::Blocked if ticket.hold.is_some() => {
                commands.push((format!("sb unhold {id}"), "release the hold"));
            }
            Status::Done => commands.push((format!("sb reopen {id} \"…\""), "bring it back")),
            _ => {}
        }
    }
    commands.into_iter().map(|(command, meaning)| format!("{command:32} {meaning}")).collect()
}
