//! The rules: what a command may do, given who asks and where the tickets stand.

mod create;
mod land;
mod manage;
mod review;
mod work;

use jiff::Timestamp;

use crate::board::Board;
use crate::command::Command;
use crate::dependencies::{belongs_blocked, open_dependencies};
use crate::event::{Event, FORMAT_VERSION};
use crate::fact::{Cause, Fact, StatusChange};
use crate::id::{EventId, ProjectName, TicketId};
use crate::refusal::Refusal;
use crate::status::Status;
use crate::ticket::Ticket;
use crate::who::Who;

/// An event to be: the store gives it an id and a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    pub ticket: TicketId,
    pub project: ProjectName,
    pub by: Who,
    pub fact: Fact,
}

impl Draft {
    /// The event it becomes.
    pub fn stamp(&self, id: EventId, ts: Timestamp) -> serde_json::Result<Event> {
        Ok(Event {
            v: FORMAT_VERSION,
            id,
            ts,
            event: self.fact.name().to_owned(),
            ticket: Some(self.ticket.clone()),
            project: Some(self.project.clone()),
            actor: self.by.name().to_owned(),
            session: self.by.session().cloned(),
            lineage: self.by.lineage().to_vec(),
            rev: None,
            batch: None,
            data: self.fact.data()?,
            crc: serde::de::IgnoredAny,
        })
    }
}

/// What the command would write, in order, or why it may not. An empty answer means that all is as asked
/// for already.
pub fn decide(board: &Board, who: &Who, command: &Command) -> Result<Vec<Draft>, Refusal> {
    let rules = Rules { board, who };
    let mut drafts = match command {
        Command::New(new) => rules.create(new, &[]),
        Command::NewAll(all) => rules.create_all(all),
        Command::Pick { id } => rules.pick(id),
        Command::Pop { candidates } => rules.pop(candidates),
        Command::Move { id, to, text } => rules.move_to(id, *to, text.as_deref()),
        Command::Submit { id, note, handed } => rules.submit(id, note.as_deref(), handed.as_ref()),
        Command::Note { id, text } => rules.note(id, text),
        Command::Release { id, reason, report } => rules.release(id, reason, report.as_ref()),
        Command::Review { id } => rules.review(id),
        Command::Approve { id, note } => rules.approve(id, note.as_deref()),
        Command::Reject { id, reason } => rules.reject(id, reason),
        Command::Check { id, criterion, met } => rules.check(id, *criterion, *met),
        Command::Edit { id, changes } => rules.edit(id, changes),
        Command::Escalate { hold, free } => rules.escalate(hold, free),
        Command::Assign { id, assignee } => rules.assign(id, assignee.as_deref()),
        Command::Hold { id, reason } => rules.hold(id, reason),
        Command::Unhold { id, note } => rules.unhold(id, note.as_deref()),
        Command::Override { id, to, reason } => rules.override_status(id, *to, reason),
        Command::Close { id, note } => rules.close(id, note.as_deref()),
        Command::Reopen { id, reason } => rules.reopen(id, reason),
        Command::Start { id, start } => rules.start(id, start),
        Command::EndAttempt { id, report, ending } => rules.end_attempt(id, report, ending),
        Command::Queue { id } => rules.queue(id),
        Command::Merge { steps } => rules.merge(steps),
    }?;
    settle(board, &mut drafts);
    Ok(drafts)
}

/// The rules see the board and the asker, and nothing else.
struct Rules<'a> {
    board: &'a Board,
    who: &'a Who,
}

impl<'a> Rules<'a> {
    fn ticket(&self, id: &TicketId) -> Result<&'a Ticket, Refusal> {
        self.board.ticket(id).ok_or_else(|| {
            Refusal::not_found("ticket.unknown", format!("there is no ticket {id}"))
                .hint("`sb list --all` shows every ticket.")
        })
    }

    fn draft(&self, ticket: &Ticket, fact: Fact) -> Draft {
        Draft { ticket: ticket.id.clone(), project: ticket.project.clone(), by: self.who.clone(), fact }
    }

    /// A status change by the asker.
    fn status(&self, ticket: &Ticket, to: Status, cause: Cause) -> Draft {
        self.draft(ticket, Fact::Status(to, Box::new(StatusChange::new(ticket.status, cause))))
    }

    fn human_only(&self, what: &str) -> Result<(), Refusal> {
        self.who.must_be_human(what)
    }
}

/// Add what follows by itself: tickets that must now be blocked, and those that need not be any longer.
fn settle(board: &Board, drafts: &mut Vec<Draft>) {
    let mut after = board.clone();
    let mut next = 0;
    let mut look_at = Vec::new();
    loop {
        while let Some(draft) = drafts.get(next) {
            // The stamp does not matter here: nothing below reads ids or times.
            if let Ok(event) = draft.stamp(EventId::new(0, [0; 10]), Timestamp::UNIX_EPOCH) {
                after.apply_fact(&event, &draft.fact);
            }
            look_at.push(draft.ticket.clone());
            look_at.extend(after.dependents(&draft.ticket).map(|ticket| ticket.id.clone()));
            next += 1;
        }
        let Some(id) = look_at.pop() else { return };
        if let Some(draft) = after.ticket(&id).and_then(|ticket| follow(&after, ticket)) {
            drafts.push(draft);
        }
    }
}

/// The block or unblock that a ticket is due, if any.
fn follow(board: &Board, ticket: &Ticket) -> Option<Draft> {
    let must_block = belongs_blocked(board, ticket);
    let is_blocked = ticket.status == Status::Blocked;
    if must_block == is_blocked {
        return None;
    }
    let to = if must_block { Status::Blocked } else { ticket.prior_status.unwrap_or(Status::Open) };
    let waits_on = open_dependencies(board, ticket);
    let cause =
        if ticket.hold.is_some() || ticket.depends_on.is_empty() { Cause::Hold } else { Cause::Dependencies };
    let reason = ticket.hold.as_ref().map(|hold| hold.reason.clone());
    let change = StatusChange { waits_on, reason, ..StatusChange::new(ticket.status, cause) };
    Some(Draft {
        ticket: ticket.id.clone(),
        project: ticket.project.clone(),
        by: Who::System,
        fact: Fact::Status(to, Box::new(change)),
    })
}
