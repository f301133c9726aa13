//! Independent review: taking a ticket for review, approving it, sending it back.

use super::{Draft, Rules};
use crate::fact::{Approved, AttemptReport, Cause, Fact, Outcome, Reason, StatusChange};
use crate::id::TicketId;
use crate::independence::may_review;
use crate::refusal::Refusal;
use crate::status::Status;
use crate::text;
use crate::ticket::Ticket;

impl Rules<'_> {
    pub(super) fn review(&self, id: &TicketId) -> Result<Vec<Draft>, Refusal> {
        let ticket = self.reviewable(id)?;
        if ticket.is_reviewed_by(self.who) {
            return Ok(Vec::new());
        }
        Ok(vec![self.draft(ticket, Fact::ReviewStarted)])
    }

    pub(super) fn approve(&self, id: &TicketId, note: Option<&str>) -> Result<Vec<Draft>, Refusal> {
        let ticket = self.reviewable(id)?;
        let note = note.map(|n| text::required("note", n)).transpose()?;
        let change = StatusChange { note: note.clone(), ..StatusChange::new(ticket.status, Cause::Review) };
        let commit = ticket.work.submission.as_ref().map(|submission| submission.handed.commit.clone());
        let is_merged_by_queue = commit.is_some();
        let mut drafts = self.review(id)?;
        drafts.push(self.draft(ticket, Fact::ReviewApproved(Approved { note, commit })));
        // What was handed in as a commit is done when that commit is on main.
        if !is_merged_by_queue {
            drafts.push(self.draft(ticket, Fact::Status(Status::Done, Box::new(change))));
        }
        Ok(drafts)
    }

    pub(super) fn reject(&self, id: &TicketId, reason: &str) -> Result<Vec<Draft>, Refusal> {
        let ticket = self.reviewable(id)?;
        if reason.trim().is_empty() {
            return Err(Refusal::usage("reject.no-reason", format!("sending {id} back needs a reason"))
                .hint(format!("Say what must change: `sb reject {id} \"…\"`.")));
        }
        let reason = text::required("reason", reason)?;
        let change =
            StatusChange { reason: Some(reason.clone()), ..StatusChange::new(ticket.status, Cause::Review) };
        let mut drafts = self.review(id)?;
        drafts.push(self.draft(ticket, Fact::ReviewRejected(Reason { reason: reason.clone() })));
        if let Some(submission) = &ticket.work.submission {
            let report = AttemptReport {
                role: submission.role,
                branch_kept: true,
                ..AttemptReport::new(Outcome::FailedReview, reason)
            };
            drafts.push(self.draft(ticket, Fact::Attempt(Box::new(report))));
        }
        drafts.push(self.draft(ticket, Fact::Status(Status::Rework, Box::new(change))));
        Ok(drafts)
    }

    /// The ticket, if it is in review, free for this reviewer, and the reviewer independent.
    fn reviewable(&self, id: &TicketId) -> Result<&Ticket, Refusal> {
        let ticket = self.ticket(id)?;
        match ticket.status {
            Status::Review => {}
            Status::Blocked => return Err(self.blocked(ticket)),
            Status::Backlog | Status::Open | Status::InProgress | Status::Rework | Status::Done => {
                let hint = if self.who.is_agent() {
                    "`sb list --status review` shows what waits for review.".to_owned()
                } else {
                    format!(
                        "`sb list --status review` shows what does; `sb close {id}` or `sb override {id} STATUS REASON` skip the review, and it is recorded."
                    )
                };
                return Err(Refusal::new(
                    "review.not-in-review",
                    format!("{id} is {}, not waiting for review", ticket.status),
                )
                .hint(hint));
            }
        }
        if let Some(merge) = &ticket.work.merge {
            let message = format!("{id} is in the merge queue already ({})", merge.words());
            return Err(
                Refusal::new("review.merging", message).hint(format!("`sb why {id}` says how far it is."))
            );
        }
        may_review(ticket, self.who)?;
        if let Some(reviewer) =
            ticket.reviewer.as_ref().filter(|_| self.who.is_agent() && !ticket.is_reviewed_by(self.who))
        {
            return Err(Refusal::new("review.taken", format!("{id} is being reviewed by {}", reviewer.name))
                .hint("Take another: `sb list --status review`. A human can free it: `sb release ID`."));
        }
        Ok(ticket)
    }
}
