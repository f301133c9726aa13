//! The one object that stands for a ticket in every JSON answer.

use std::path::Path;

use serde::Serialize;
use signalbox_core::{Criterion, Hold, Ticket, TicketId, time};
use signalbox_store::Store;

use crate::context::Context;
use signalbox_desk::error::CommandError;

/// Field names and their order are a contract: `docs/reference/json.md`.
#[derive(Debug, Serialize)]
pub struct TicketJson<'a> {
    id: &'a TicketId,
    title: &'a str,
    project: &'a str,
    status: &'a str,
    prior_status: Option<&'a str>,
    assignee: Option<&'a str>,
    priority: &'a str,
    depends_on: &'a [TicketId],
    /// The dependencies it still waits for.
    blocked_by: Vec<TicketId>,
    hold: Option<&'a Hold>,
    tags: &'a [String],
    initiative: Option<&'a str>,
    area: Option<&'a str>,
    slug: Option<&'a str>,
    needs_tests: bool,
    attempts: usize,
    last_outcome: Option<&'a str>,
    escalated: bool,
    acceptance: &'a [Criterion],
    created: String,
    updated: String,
    rev: u64,
    path: &'a Path,
    completion_notes: Option<&'a str>,
    reviewer: Option<&'a str>,
    waived: &'a [TicketId],
    branch: Option<&'a str>,
    services: &'a [String],
    submodule: Option<&'a str>,
    files: &'a [String],
}

impl<'a> TicketJson<'a> {
    /// `open` are the dependencies that are not done; those a human waived are left out.
    pub fn new(ticket: &'a Ticket, open: &[TicketId], path: &'a Path) -> Self {
        Self {
            id: &ticket.id,
            title: &ticket.title,
            project: ticket.project.as_str(),
            status: ticket.status.as_str(),
            prior_status: ticket.prior_status.map(signalbox_core::Status::as_str),
            assignee: ticket.assignee.as_deref(),
            priority: ticket.priority.as_str(),
            depends_on: &ticket.depends_on,
            blocked_by: open.iter().filter(|id| !ticket.waived.contains(id)).cloned().collect(),
            hold: ticket.hold.as_ref(),
            tags: &ticket.tags,
            initiative: ticket.initiative.as_deref(),
            area: ticket.area.as_deref(),
            slug: ticket.slug.as_deref(),
            needs_tests: ticket.needs_tests,
            attempts: ticket.attempts.len(),
            last_outcome: ticket.last_outcome.map(signalbox_core::Outcome::as_str),
            escalated: ticket.escalated,
            acceptance: &ticket.acceptance,
            created: time::exact(ticket.created),
            updated: time::exact(ticket.updated),
            rev: ticket.rev,
            path,
            completion_notes: ticket.completion_notes.as_deref(),
            reviewer: ticket.reviewer.as_ref().map(|r| r.name.as_str()),
            waived: &ticket.waived,
            branch: ticket.branch.as_deref(),
            services: &ticket.services,
            submodule: ticket.submodule.as_deref(),
            files: &ticket.files,
        }
    }
}

/// Several tickets as one array. `open` says which dependencies of a ticket are not done.
pub fn print_all<'a>(
    cx: &Context,
    store: &Store,
    tickets: impl Iterator<Item = &'a Ticket>,
    open: impl Fn(&Ticket) -> Vec<TicketId>,
) -> Result<(), CommandError> {
    let rows: Vec<_> = tickets.map(|ticket| (ticket, open(ticket), store.vault().path(ticket))).collect();
    let objects: Vec<_> =
        rows.iter().map(|(ticket, open, path)| TicketJson::new(ticket, open, path)).collect();
    cx.ui.json(&objects)
}
