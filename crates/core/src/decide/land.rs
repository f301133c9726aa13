//! From a ready ticket to main, as far as the rules go: what the orchestrator and the merge queue may write down.

use super::{Draft, Rules};
use crate::command::{Ending, MergeStep};
use crate::fact::{AttemptReport, Cause, Fact, Outcome, Reason, StatusChange};
use crate::id::TicketId;
use crate::refusal::Refusal;
use crate::role::Role;
use crate::status::Status;
use crate::ticket::Ticket;
use crate::work::{Landed, Merge, MergeFailed, MergeTrouble, Queued, Start};

impl Rules<'_> {
    /// Set an agent to work. Once it is written down nobody else is, until the attempt has ended.
    pub(super) fn start(&self, id: &TicketId, start: &Start) -> Result<Vec<Draft>, Refusal> {
        self.not_by_agents("set agents to work")?;
        let ticket = self.ticket(id)?;
        if ticket.status == Status::Blocked {
            return Err(self.blocked(ticket));
        }
        if let Some(why) = not_free_for(ticket, start.role) {
            let message = format!("{id} is {} and {why}; nobody is set to work on it", ticket.status);
            return Err(Refusal::new("start.not-ready", message).hint(format!("`sb why {id}` says more.")));
        }
        let started = self.draft(ticket, Fact::AttemptStarted(start.clone()));
        if start.role == Role::Reviewer {
            return Ok(vec![started]);
        }
        let change = StatusChange {
            assignee: Some(start.agent.clone()),
            assignee_session: Some(start.session.clone()),
            ..StatusChange::new(ticket.status, Cause::Work)
        };
        Ok(vec![self.draft(ticket, Fact::Status(Status::InProgress, Box::new(change))), started])
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
        let Some(start) = &ticket.work.start else { return Ok(Vec::new()) };
        let report = AttemptReport { role: Some(start.role), ..report.clone() };
        let mut drafts = vec![self.draft(ticket, Fact::Attempt(Box::new(report)))];
        if start.role == Role::Reviewer {
            // What it was to review stays where it is, for the next one to take.
            let took_it = ticket.reviewer.as_ref().is_some_and(|reviewer| reviewer.session.is_some());
            drafts.extend(took_it.then(|| self.draft(ticket, Fact::ReviewReleased(Reason::default()))));
            return Ok(drafts);
        }
        let is_in_review = ticket.prior_status.unwrap_or(ticket.status) == Status::Review;
        match ending {
            Ending::Submitted if is_in_review => {}
            Ending::TestsReady(tests) => {
                drafts.push(self.draft(ticket, Fact::TestsReady(tests.clone())));
                drafts.extend(self.back_to_pool(ticket, Cause::Release));
            }
            // What nobody handed in is nobody's: it would stay in progress for ever.
            Ending::Pool | Ending::Submitted => drafts.extend(self.back_to_pool(ticket, Cause::Release)),
        }
        Ok(drafts)
    }

    /// A ticket that somebody worked on is anybody's again.
    fn back_to_pool(&self, ticket: &Ticket, cause: Cause) -> Vec<Draft> {
        let released = self.draft(ticket, Fact::Released(Reason::default()));
        match (ticket.status, ticket.prior_status) {
            (Status::Blocked, Some(Status::InProgress | Status::Rework | Status::Review)) => vec![released],
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
        Ok(vec![self.draft(ticket, Fact::MergeQueued(Queued { commit }))])
    }

    /// Write down the next step of a merge, for all tickets that it is about, as one.
    pub(super) fn merge(&self, steps: &[(TicketId, MergeStep)]) -> Result<Vec<Draft>, Refusal> {
        self.not_by_agents("merge")?;
        let mut drafts = Vec::new();
        for (at, (id, step)) in steps.iter().enumerate() {
            let ticket = self.ticket(id)?;
            // Each step is judged by where the ticket is before all of them.
            let is_second = steps[..at].iter().any(|(before, _)| before == id);
            may_follow(ticket, step, is_second)?;
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
                MergeStep::Pushed(pushed) => {
                    drafts.push(self.draft(ticket, Fact::MergePushed(pushed.clone())));
                }
                MergeStep::Landed(landed) => drafts.extend(self.landed(ticket, landed)),
                MergeStep::Back { run } => drafts.extend(self.back(ticket, *run)),
                MergeStep::Failed(failed) => drafts.extend(self.failed(ticket, failed)),
            }
        }
        Ok(drafts)
    }

    /// What has reached main has, whatever became of the ticket meanwhile. Said twice, it is heard once.
    fn landed(&self, ticket: &Ticket, landed: &Landed) -> Vec<Draft> {
        if ticket.work.landed.as_ref().is_some_and(|before| before.landed == landed.landed) {
            return Vec::new();
        }
        let mut drafts = vec![self.draft(ticket, Fact::MergeLanded(landed.clone()))];
        if ticket.status != Status::Done {
            let note = Some(format!("On main as {}.", landed.landed));
            let change = StatusChange { note, ..StatusChange::new(ticket.status, Cause::Merge) };
            drafts.push(self.draft(ticket, Fact::Status(Status::Done, Box::new(change))));
        }
        drafts
    }

    /// Back to its place in the queue; or out of it, where a person took it elsewhere when it was about to land.
    fn back(&self, ticket: &Ticket, run: u64) -> Option<Draft> {
        let commit = ticket.work.merge.as_ref()?.commit().to_owned();
        let fact = match &ticket.work.submission {
            Some(submission) if submission.handed.commit == commit => Fact::MergeQueued(Queued { commit }),
            _ => Fact::MergeFailed(Box::new(MergeFailed {
                commit,
                run,
                why: MergeTrouble::Withdrawn,
                message: "a person took it elsewhere before it landed".to_owned(),
                output: String::new(),
                files: Vec::new(),
                diff: None,
            })),
        };
        Some(self.draft(ticket, fact))
    }

    fn failed(&self, ticket: &Ticket, failed: &MergeFailed) -> Vec<Draft> {
        let report = AttemptReport {
            blockers: failed.output.clone(),
            branch_kept: true,
            failure: Some(failed.fingerprint()),
            diff: failed.diff.clone(),
            role: ticket.work.submission.as_ref().and_then(|submission| submission.role),
            ..AttemptReport::new(Outcome::FailedMerge, failed.message.clone())
        };
        let mut drafts = vec![
            self.draft(ticket, Fact::MergeFailed(Box::new(failed.clone()))),
            self.draft(ticket, Fact::Attempt(Box::new(report))),
        ];
        drafts.extend(self.back_to_pool(ticket, Cause::Merge));
        drafts
    }

    fn not_by_agents(&self, what: &str) -> Result<(), Refusal> {
        self.who.must_be_human(what)
    }
}

/// Why nobody can be set to work on a ticket in this role, as it stands in a sentence.
fn not_free_for(ticket: &Ticket, role: Role) -> Option<&'static str> {
    let work = &ticket.work;
    if ticket.escalated {
        return Some("waits for a human's answer");
    }
    if work.is_landing() {
        return Some("is landing on main");
    }
    let unjudged = work.submission.as_ref().is_some_and(|submission| submission.approved_by.is_none());
    let is_pools = ticket.assignee.is_none() || work.last.is_some() && ticket.assignee_session == work.last;
    let is_free = match ticket.status {
        _ if work.start.is_some() => false,
        Status::Review => role == Role::Reviewer && unjudged && work.merge.is_none(),
        Status::Open => role != Role::Reviewer && ticket.assignee.is_none(),
        Status::Rework => role != Role::Reviewer && is_pools,
        _ => false,
    };
    (!is_free).then_some("is not free")
}

/// Whether a step comes after the one that the ticket is at. Each is about the commit that the queue has, and but for the
/// first about the run that has it: one that was thought dead and is not writes down nothing any more.
fn may_follow(ticket: &Ticket, step: &MergeStep, is_second: bool) -> Result<(), Refusal> {
    let (id, run) = (&ticket.id, ticket.work.run);
    // A held ticket keeps its place, and goes no further.
    let goes_on = ticket.status == Status::Review;
    let merge =
        ticket.work.merge.as_ref().filter(|merge| step.commit().is_none_or(|it| it == merge.commit()));
    let fits = match (step, merge) {
        _ if is_second => false,
        (MergeStep::Landed(_), _) => return Ok(()),
        (_, None) => {
            let message = format!("{id} is not in the merge queue any more");
            return Err(Refusal::new("merge.withdrawn", message)
                .hint("A person moved it meanwhile; `sb log` shows who."));
        }
        (MergeStep::Started(to), Some(at)) => {
            goes_on && to.run > run && !matches!(at, Merge::Landing(_) | Merge::Pushed(_))
        }
        (MergeStep::Validated(to), Some(Merge::Building(at))) => {
            goes_on && to.run == at.run && to.onto == at.onto
        }
        (MergeStep::Landing(to), Some(Merge::Validated(at))) => {
            let same = (&to.from, &to.to, &to.tree) == (&at.onto, &at.tip, &at.tree);
            goes_on && to.run == at.run && same
        }
        (MergeStep::Pushed(to), Some(Merge::Validated(at))) => {
            let same = (&to.from, &to.to, &to.tree) == (&at.onto, &at.tip, &at.tree);
            goes_on && to.run == at.run && same
        }
        (MergeStep::Failed(to), Some(at)) => at.run() == Some(to.run),
        (MergeStep::Back { run }, Some(at)) => at.run() == Some(*run),
        (MergeStep::Validated(_) | MergeStep::Landing(_) | MergeStep::Pushed(_), Some(_)) => false,
    };
    if fits {
        return Ok(());
    }
    let message = format!("{id} is further on, or with another run of the merge queue (the last is {run})");
    Err(Refusal::new("merge.out-of-turn", message).hint(format!("`sb why {id}` says where it is.")))
}
