//! From a ready ticket to main, as far as the rules go: what the orchestrator and the merge queue may write down.

use super::{Draft, Rules};
use crate::command::{Ending, MergeStep};
use crate::fact::{AttemptReport, Cause, Fact, Outcome, StatusChange};
use crate::id::TicketId;
use crate::refusal::Refusal;
use crate::status::Status;
use crate::ticket::Ticket;
use crate::work::{Merge, Start};

impl Rules<'_> {
    /// Set an agent to work. Once it is written down nobody else is, until the attempt has ended.
    pub(super) fn start(&self, id: &TicketId, start: &Start) -> Result<Vec<Draft>, Refusal> {
        self.not_by_agents("set agents to work")?;
        let ticket = self.ticket(id)?;
        match ticket.status {
            Status::Open if !ticket.escalated && ticket.assignee.is_none() => {}
            Status::Rework if !ticket.escalated => {}
            Status::Blocked => return Err(self.blocked(ticket)),
            _ => {
                let why = if ticket.escalated { "waits for a human's answer" } else { "is not free" };
                let message = format!("{id} is {} and {why}; nobody is set to work on it", ticket.status);
                return Err(
                    Refusal::new("start.not-ready", message).hint(format!("`sb why {id}` says more."))
                );
            }
        }
        let change = StatusChange {
            assignee: Some(start.agent.clone()),
            assignee_session: Some(start.session.clone()),
            ..StatusChange::new(ticket.status, Cause::Work)
        };
        Ok(vec![
            self.draft(ticket, Fact::Status(Status::InProgress, Box::new(change))),
            self.draft(ticket, Fact::AttemptStarted(start.clone())),
        ])
    }

    /// Write down how an attempt ended, and where the ticket goes from there.
    pub(super) fn end_attempt(
        &self,
        id: &TicketId,
        report: &AttemptReport,
        ending: &Ending,
    ) -> Result<Vec<Draft>, Refusal> {
        self.not_by_agents("end an attempt")?;
        let ticket = self.ticket(id)?;
        if ticket.work.start.is_none() {
            return Ok(Vec::new());
        }
        let role = ticket.work.start.as_ref().map(|start| start.role);
        let report = AttemptReport { role, ..report.clone() };
        let mut drafts = vec![self.draft(ticket, Fact::Attempt(Box::new(report)))];
        match ending {
            Ending::Submitted => {}
            Ending::TestsReady(tests) => {
                drafts.push(self.draft(ticket, Fact::TestsReady(tests.clone())));
                drafts.extend(self.back_to_pool(ticket, Cause::Release));
            }
            Ending::Pool => drafts.extend(self.back_to_pool(ticket, Cause::Release)),
        }
        Ok(drafts)
    }

    /// A ticket that somebody worked on is anybody's again.
    fn back_to_pool(&self, ticket: &Ticket, cause: Cause) -> Vec<Draft> {
        let released = self.draft(ticket, Fact::Released(crate::fact::Reason::default()));
        let stands = if ticket.status == Status::Blocked { ticket.prior_status } else { Some(ticket.status) };
        match (ticket.status, stands) {
            (Status::Blocked, Some(Status::InProgress | Status::Rework)) => vec![released],
            (Status::InProgress | Status::Rework | Status::Review, _) => {
                vec![released, self.status(ticket, Status::Open, cause)]
            }
            _ => Vec::new(),
        }
    }

    /// Put what was handed in into the merge queue.
    pub(super) fn queue(&self, id: &TicketId) -> Result<Vec<Draft>, Refusal> {
        self.not_by_agents("put work into the merge queue")?;
        let ticket = self.ticket(id)?;
        let Some(submission) = ticket.work.submission.as_ref().filter(|_| ticket.status == Status::Review)
        else {
            let message = format!("{id} is {}, and nothing of it waits to be merged", ticket.status);
            return Err(Refusal::new("merge.nothing", message).hint(format!("`sb why {id}` says more.")));
        };
        if ticket.work.merge.is_some() {
            return Ok(Vec::new());
        }
        let commit = submission.handed.commit.clone();
        Ok(vec![self.draft(ticket, Fact::MergeQueued(crate::work::Queued { commit }))])
    }

    /// Write down the next step of a merge, for all tickets that it is about, as one.
    pub(super) fn merge(&self, steps: &[(TicketId, MergeStep)]) -> Result<Vec<Draft>, Refusal> {
        self.not_by_agents("merge")?;
        let mut drafts = Vec::new();
        for (id, step) in steps {
            let ticket = self.ticket(id)?;
            self.still_queued(ticket, step)?;
            match step {
                MergeStep::Started(building) => {
                    drafts.push(self.draft(ticket, Fact::MergeStarted(building.clone())));
                }
                MergeStep::Validated(validated) => {
                    drafts.push(self.draft(ticket, Fact::MergeValidated(validated.clone())));
                }
                MergeStep::Landing(landing) => {
                    drafts.push(self.draft(ticket, Fact::MergeLanding(landing.clone())));
                }
                MergeStep::Landed(landed) => {
                    drafts.push(self.draft(ticket, Fact::MergeLanded(landed.clone())));
                    let note = Some(format!("On main as {}.", landed.landed));
                    let change = StatusChange { note, ..StatusChange::new(ticket.status, Cause::Merge) };
                    drafts.push(self.draft(ticket, Fact::Status(Status::Done, Box::new(change))));
                }
                MergeStep::Back => {
                    let Some(submission) = &ticket.work.submission else { continue };
                    let commit = submission.handed.commit.clone();
                    drafts.push(self.draft(ticket, Fact::MergeQueued(crate::work::Queued { commit })));
                }
                MergeStep::Failed(failed) => {
                    drafts.push(self.draft(ticket, Fact::MergeFailed(Box::new(failed.clone()))));
                    let report = AttemptReport {
                        blockers: failed.output.clone(),
                        branch_kept: true,
                        failure: Some(failed.fingerprint()),
                        role: ticket.work.submission.as_ref().and_then(|submission| submission.role),
                        ..AttemptReport::new(Outcome::FailedMerge, failed.message.clone())
                    };
                    drafts.push(self.draft(ticket, Fact::Attempt(Box::new(report))));
                    drafts.extend(self.back_to_pool(ticket, Cause::Merge));
                }
            }
        }
        Ok(drafts)
    }

    /// A step is about the commit that the queue has. If a person moved the ticket meanwhile, nothing of it counts; but
    /// what has reached main has.
    fn still_queued(&self, ticket: &Ticket, step: &MergeStep) -> Result<(), Refusal> {
        let commit = step.commit();
        let queued = ticket.work.merge.as_ref().map(Merge::commit);
        if matches!(step, MergeStep::Landed(_)) || queued.is_some() && (commit.is_none() || queued == commit)
        {
            return Ok(());
        }
        let message = format!("{} is not in the merge queue any more", ticket.id);
        Err(Refusal::new("merge.withdrawn", message).hint("A person moved it meanwhile; `sb log` shows who."))
    }

    fn not_by_agents(&self, what: &str) -> Result<(), Refusal> {
        self.who.must_be_human(what)
    }
}
