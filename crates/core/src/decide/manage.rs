//! What only a human may do: assign, hold, override, close, reopen.

use super::{Draft, Rules};
use crate::dependencies::open_dependencies;
use crate::fact::{Assigned, Cause, Edited, Fact, Reason, Remark, StatusChange, Waived};
use crate::id::TicketId;
use crate::refusal::Refusal;
use crate::status::Status;
use crate::text;

impl Rules<'_> {
    pub(super) fn assign(&self, id: &TicketId, assignee: Option<&str>) -> Result<Vec<Draft>, Refusal> {
        self.human_only("assign a ticket to someone")?;
        let ticket = self.ticket(id)?;
        let assignee = assignee.map(str::trim).filter(|name| !name.is_empty());
        if let Some(name) = assignee
            && (name.chars().count() > 100 || name.chars().any(char::is_control))
        {
            return Err(Refusal::usage(
                "assignee.invalid",
                "an assignee's name is one line of at most 100 characters",
            ));
        }
        if ticket.status == Status::Done {
            return Err(Refusal::new("assign.done", format!("{id} is done"))
                .hint(format!("Reopen it first: `sb reopen {id} REASON`.")));
        }
        if ticket.assignee.as_deref() == assignee {
            return Ok(Vec::new());
        }
        // Work in progress has exactly one assignee: taking it away is a release. So is it for open tickets,
        // but nothing was claimed yet in the backlog, and in review the claim is over.
        let stands = ticket.prior_status.unwrap_or(ticket.status);
        if assignee.is_none() && (stands.is_claimed() || stands == Status::Open) {
            return self.release(id, "unassigned", None);
        }
        Ok(vec![self.draft(ticket, Fact::Assigned(Assigned { assignee: assignee.map(ToOwned::to_owned) }))])
    }

    /// Have tickets wait for a human's answer, and others no longer. Which, and who may say so, the escalation decides.
    pub(super) fn escalate(&self, hold: &[TicketId], free: &[TicketId]) -> Result<Vec<Draft>, Refusal> {
        if hold.is_empty() && free.is_empty() {
            return Ok(Vec::new());
        }
        self.human_only("decide what waits for a human")?;
        let mut drafts: Vec<Draft> = Vec::new();
        for (ids, escalated) in [(hold, true), (free, false)] {
            for id in ids {
                let ticket = self.ticket(id)?;
                let is_over = escalated && ticket.status == Status::Done;
                let is_told = drafts.iter().any(|draft| draft.ticket == *id);
                if ticket.escalated != escalated && !is_over && !is_told {
                    let edited = Edited { escalated: Some(escalated), ..Edited::default() };
                    drafts.push(self.draft(ticket, Fact::Edited(Box::new(edited))));
                }
            }
        }
        Ok(drafts)
    }

    pub(super) fn hold(&self, id: &TicketId, reason: &str) -> Result<Vec<Draft>, Refusal> {
        self.human_only("put a ticket on hold")?;
        let ticket = self.ticket(id)?;
        let reason = text::required("reason", reason)?;
        if ticket.status == Status::Done {
            return Err(Refusal::new(
                "hold.done",
                format!("{id} is done, and there is nothing left to hold"),
            )
            .hint(format!("Reopen it first: `sb reopen {id} REASON`.")));
        }
        Ok(vec![self.draft(ticket, Fact::Held(Reason { reason }))])
    }

    pub(super) fn unhold(&self, id: &TicketId, note: Option<&str>) -> Result<Vec<Draft>, Refusal> {
        self.human_only("release a hold")?;
        let ticket = self.ticket(id)?;
        if ticket.hold.is_none() {
            return Err(Refusal::new("unhold.not-held", format!("{id} is not on hold"))
                .hint(format!("`sb show {id}` says what it waits for.")));
        }
        let note = note.map(|n| text::body("note", n)).transpose()?.filter(|n| !n.is_empty());
        Ok(vec![self.draft(ticket, Fact::Unheld(Remark { note }))])
    }

    pub(super) fn override_status(
        &self,
        id: &TicketId,
        to: Status,
        reason: &str,
    ) -> Result<Vec<Draft>, Refusal> {
        self.human_only("override the workflow")?;
        let ticket = self.ticket(id)?;
        if to == Status::Blocked {
            return Err(Refusal::new(
                "override.blocked",
                "a ticket is blocked by a hold or a dependency, not by its status",
            )
            .hint(format!("Hold it: `sb hold {id} REASON`.")));
        }
        if ticket.status == to {
            return Ok(Vec::new());
        }
        let reason = Some(text::body("reason", reason)?).filter(|r| !r.is_empty());
        let mut drafts = Vec::new();
        if ticket.hold.is_some() {
            drafts.push(self.draft(ticket, Fact::Unheld(Remark { note: Some("overridden".to_owned()) })));
        }
        let waits_on = open_dependencies(self.board, ticket);
        if !waits_on.is_empty() && to != Status::Done {
            let depends_on = ticket.waived.iter().cloned().chain(waits_on).collect();
            drafts.push(self.draft(ticket, Fact::Waived(Waived { depends_on })));
        }
        let mut change = StatusChange { reason, ..StatusChange::new(ticket.status, Cause::Override) };
        if to == Status::InProgress && ticket.assignee.is_none() {
            change.assignee = Some(self.who.name().to_owned());
        }
        drafts.push(self.draft(ticket, Fact::Status(to, Box::new(change))));
        Ok(drafts)
    }

    pub(super) fn close(&self, id: &TicketId, note: Option<&str>) -> Result<Vec<Draft>, Refusal> {
        self.human_only("close a ticket without review")?;
        let ticket = self.ticket(id)?;
        if ticket.status == Status::Done {
            return Ok(Vec::new());
        }
        let note = note.map(|n| text::body("note", n)).transpose()?.filter(|n| !n.is_empty());
        let change = StatusChange { note, ..StatusChange::new(ticket.status, Cause::Override) };
        Ok(vec![self.draft(ticket, Fact::Status(Status::Done, Box::new(change)))])
    }

    pub(super) fn reopen(&self, id: &TicketId, reason: &str) -> Result<Vec<Draft>, Refusal> {
        self.human_only("reopen a ticket")?;
        let ticket = self.ticket(id)?;
        if ticket.status != Status::Done {
            return Err(Refusal::new("reopen.not-done", format!("{id} is {}, not done", ticket.status))
                .hint(format!("To move it elsewhere: `sb override {id} STATUS REASON`.")));
        }
        let reason = Some(text::body("reason", reason)?).filter(|r| !r.is_empty());
        let change = StatusChange { reason, ..StatusChange::new(ticket.status, Cause::Reopen) };
        Ok(vec![self.draft(ticket, Fact::Status(Status::Open, Box::new(change)))])
    }
}
