//! A ticket, with what the planner has to know and the ticket does not say.

use crate::fact::Outcome;
use crate::id::TicketId;
use crate::role::Role;
use crate::status::Status;
use crate::ticket::{Attempt, Ticket};

/// One ticket as the planner sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item<'a> {
    pub ticket: &'a Ticket,
    /// What it still waits for.
    pub open_dependencies: Vec<TicketId>,
    /// The question about it that waits for a person's answer.
    pub escalation: Option<String>,
    /// The files it will change, as far as anybody knows: paths, folders or patterns that were predicted, and what its
    /// branch has changed so far.
    pub files: Vec<String>,
}

impl<'a> Item<'a> {
    pub fn of(
        ticket: &'a Ticket,
        open_dependencies: Vec<TicketId>,
        escalation: Option<String>,
        files: Vec<String>,
    ) -> Self {
        Self { ticket, open_dependencies, escalation, files }
    }

    pub fn id(&self) -> &'a TicketId {
        &self.ticket.id
    }

    /// Where it stands, or goes back to when nothing blocks it any more.
    pub(super) fn stands(&self) -> Status {
        self.ticket.prior_status.unwrap_or(self.ticket.status)
    }

    /// Whether somebody has it whom the orchestrator did not set to work.
    pub(super) fn is_somebodys(&self) -> bool {
        let ticket = self.ticket;
        let is_agents = ticket.work.last.is_some() && ticket.assignee_session == ticket.work.last;
        ticket.assignee.is_some() && !is_agents
    }

    /// The role that is needed next to get an open ticket on.
    pub(super) fn role(&self) -> Role {
        if self.ticket.needs_tests && self.ticket.work.tests.is_none() {
            Role::TestWriter
        } else {
            Role::Doer
        }
    }

    /// The attempts since a person last answered.
    fn recent(&self) -> impl DoubleEndedIterator<Item = &'a Attempt> {
        self.ticket.attempts.iter().skip(self.ticket.work.forgiven)
    }

    /// Those that count against the ticket.
    pub(super) fn counted(&self) -> impl DoubleEndedIterator<Item = &'a Attempt> {
        self.recent().filter(|attempt| attempt.report.counts())
    }

    /// Those that were to review what is handed in now, and came to nothing.
    pub(super) fn failed_reviews(&self) -> impl DoubleEndedIterator<Item = &'a Attempt> {
        let since = self.ticket.work.submission.as_ref().map(|submission| submission.at);
        self.recent().filter(move |attempt| {
            let report = &attempt.report;
            report.role == Some(Role::Reviewer)
                && report.outcome.counts()
                && since.is_none_or(|at| attempt.ts >= at)
        })
    }

    /// How often in a row an empty account has cut short an attempt.
    pub(super) fn cut_short(&self) -> usize {
        self.recent().rev().take_while(|attempt| attempt.report.outcome == Outcome::OutOfQuota).count()
    }
}
