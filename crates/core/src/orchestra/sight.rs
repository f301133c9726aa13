//! One look at everything: what each ticket needs, and which of them want somebody set to work.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

use super::fleet::{EndReason, Fleet, Job, Running};
use super::item::Item;
use super::limits::{Control, Limits, ProjectLimits, ReviewedBy, Trust};
use super::trouble::{self, Hypothesis, Question};
use super::why::Why;
use super::{Plan, Step, queue};
use crate::command::Ending;
use crate::escalation::OF_REVIEW;
use crate::fact::{AttemptReport, Outcome};
use crate::id::{ProjectName, SessionId, TicketId};
use crate::role::Role;
use crate::status::Status;
use crate::work::{Merge, Start};

/// How long an agent that was written down may take to show itself, when nobody is starting it: whoever was may have been
/// killed in between.
const ARRIVAL: SignedDuration = SignedDuration::from_secs(15);
/// An agent that handed in its work is ended when it has been quiet for so long,
const QUIET: SignedDuration = SignedDuration::from_secs(5);
/// or goes on for so long.
const LAST_WORDS: SignedDuration = SignedDuration::from_secs(60);

/// Of an attempt in which nothing ever ran.
const NEVER_BEGAN: &str = "The loop ended before the agent began.";

/// What is seen, and what follows from it so far.
pub(super) struct Sight<'a> {
    pub board: &'a [Item<'a>],
    pub fleet: &'a Fleet,
    pub limits: &'a Limits,
    pub now: Timestamp,
    /// The tickets that want somebody set to work.
    pub wanting: Vec<Wanting<'a>>,
    plan: Plan,
    /// What was asked already about a whole project.
    asked: Vec<(Question, &'a ProjectName)>,
}

/// A ticket that somebody could be set to work on now.
#[derive(Debug, Clone)]
pub(super) struct Wanting<'a> {
    pub item: &'a Item<'a>,
    pub limits: &'a ProjectLimits,
    pub role: Role,
}

impl<'a> Sight<'a> {
    pub fn new(board: &'a [Item<'a>], fleet: &'a Fleet, limits: &'a Limits, now: Timestamp) -> Self {
        let (wanting, asked) = (Vec::new(), Vec::new());
        Self { board, fleet, limits, now, wanting, plan: Plan::default(), asked }
    }

    pub fn into_plan(self) -> Plan {
        self.plan
    }

    /// That a ticket is where it is for this reason.
    pub fn because(&mut self, item: &Item<'_>, why: Why) {
        self.plan.why.insert(item.id().clone(), why);
    }

    pub fn step(&mut self, step: Step) {
        self.plan.steps.push(step);
    }

    /// That something changes then by time alone.
    pub fn wake(&mut self, at: Timestamp) {
        if at > self.now {
            self.plan.next = Some(self.plan.next.map_or(at, |next| next.min(at)));
        }
    }

    /// How long ago something was; no time at all where the clock was set back since.
    pub fn since(&self, at: Timestamp) -> SignedDuration {
        self.now.duration_since(at).max(SignedDuration::ZERO)
    }

    pub fn is_under_way(&self, job: &Job) -> bool {
        self.fleet.jobs.contains(job)
    }

    /// End the agents that work on what is not theirs any more.
    pub fn end_strays(&mut self) {
        let starts: BTreeMap<&TicketId, &SessionId> = self
            .board
            .iter()
            .filter_map(|item| Some((item.id(), &item.ticket.work.start.as_ref()?.session)))
            .collect();
        for agent in &self.fleet.agents {
            let is_its_own = starts.get(&agent.ticket) == Some(&&agent.session);
            if agent.is_alive() && !agent.claimed && !is_its_own {
                self.end(agent, EndReason::Stray);
            }
        }
    }

    fn end(&mut self, agent: &Running, reason: EndReason) {
        if !self.is_under_way(&Job::End(agent.session.clone())) {
            self.step(Step::End { agent: agent.session.clone(), reason });
        }
    }

    pub fn judge_all(&mut self) {
        for item in self.board {
            if let Some(why) = self.judge(item) {
                self.because(item, why);
            }
        }
    }

    /// Why a ticket is where it is; `None` where it wants somebody set to work.
    fn judge(&mut self, item: &'a Item<'a>) -> Option<Why> {
        let ticket = item.ticket;
        if ticket.status == Status::Done {
            if let Some(escalation) = item.escalation.clone() {
                self.step(Step::Withdraw { ticket: ticket.id.clone(), escalation });
            }
            let landed = ticket.work.landed.as_ref().map(|landed| landed.landed.clone());
            return Some(Why::Done { landed });
        }
        let Some(limits) = self.limits.projects.get(&ticket.project) else { return Some(Why::NotRun) };
        if let Some(start) = &ticket.work.start {
            return Some(self.attempt(item, limits, start));
        }
        if self.is_under_way(&Job::Prepare(ticket.id.clone())) {
            return Some(Why::Starting { role: item.role() });
        }
        match ticket.status {
            Status::Backlog => Some(Why::Backlog),
            Status::Blocked => Some(blocked(item)),
            Status::Open | Status::InProgress | Status::Rework if ticket.work.is_landing() => {
                queue::why(self.board, item, self.now)
            }
            Status::InProgress => Some(somebodys(item)),
            Status::Open | Status::Rework if item.is_somebodys() => Some(somebodys(item)),
            _ if ticket.escalated => Some(Why::Escalated { escalation: item.escalation.clone() }),
            Status::Review => self.in_review(item, limits),
            Status::Open | Status::Rework | Status::Done => self.wants(item, limits, item.role()),
        }
    }

    /// Somebody was set to work: is still at it, has to be ended, or has ended.
    fn attempt(&mut self, item: &Item<'_>, limits: &ProjectLimits, start: &Start) -> Why {
        let work = &item.ticket.work;
        let agent = self.fleet.agents.iter().find(|agent| agent.session == start.session);
        let Some(agent) = agent else {
            let arrives = work.started.unwrap_or(self.now).saturating_add(ARRIVAL).unwrap_or(self.now);
            let is_early = arrives > self.now && work.started.is_some_and(|started| started <= self.now);
            if is_early || self.is_under_way(&Job::Prepare(item.id().clone())) {
                self.wake(arrives);
                return Why::Starting { role: start.role };
            }
            let report = AttemptReport::new(Outcome::Stopped, NEVER_BEGAN);
            return self.over(item, limits, start, report);
        };
        if !agent.is_alive() {
            return self.over(item, limits, start, report_of(agent));
        }
        if agent.claimed {
            return Why::Claimed { agent: agent.name.clone() };
        }
        if let Some(reason) = self.must_end(item, limits, start, agent) {
            self.end(agent, reason);
            return Why::Ending { agent: agent.name.clone(), reason };
        }
        let (name, time) = (agent.name.clone(), self.since(agent.active));
        if is_finished(item, start) {
            Why::Finishing { agent: name }
        } else if agent.waits_for_person {
            Why::NeedsPerson { agent: name, time, left: limits.stall - time }
        } else {
            Why::Working { agent: name, role: start.role, time: self.since(agent.since) }
        }
    }

    fn must_end(
        &mut self,
        item: &Item<'_>,
        limits: &ProjectLimits,
        start: &Start,
        agent: &Running,
    ) -> Option<EndReason> {
        if limits.control == Control::Stopping {
            return Some(EndReason::Stopping);
        }
        if is_finished(item, start) {
            let handed_in = item.ticket.work.submission.as_ref().map_or(self.now, |submission| submission.at);
            let quiet = agent.active.max(handed_in);
            let is_over = self.is_past(quiet, QUIET) | self.is_past(handed_in, LAST_WORDS);
            return is_over.then_some(EndReason::Finished);
        }
        if item.ticket.status == Status::Blocked {
            return Some(EndReason::Blocked);
        }
        // Nobody tells it to go on when there is something again.
        if agent.cut_short || self.fleet.exhausted(&agent.pool, self.now).is_some() {
            return Some(EndReason::OutOfQuota);
        }
        if self.is_past(agent.since, limits.max_time) {
            return Some(EndReason::OverTime);
        }
        let reason = if agent.waits_for_person { EndReason::Unanswered } else { EndReason::Stalled };
        self.is_past(agent.active, limits.stall).then_some(reason)
    }

    /// Whether so much time has passed; if not, that is when to look again.
    fn is_past(&mut self, at: Timestamp, time: SignedDuration) -> bool {
        let then = at.saturating_add(time).unwrap_or(Timestamp::MAX);
        self.wake(then);
        then <= self.now
    }

    /// The attempt is over. If it came to something that goes on, else back to the pool.
    fn over(&mut self, item: &Item<'_>, limits: &ProjectLimits, start: &Start, report: AttemptReport) -> Why {
        let ticket = item.id().clone();
        let submission = item.ticket.work.submission.as_ref();
        let completed = || AttemptReport::new(Outcome::Completed, "");
        let (report, ending) = match (start.role, submission) {
            (Role::TestWriter, Some(submission)) => {
                if let Trust::Untrusted { why, .. } = &limits.trust {
                    return Why::Untrusted { why: why.clone() };
                }
                if let Some(why) = self.rests(item) {
                    return why;
                }
                if !self.is_under_way(&Job::CheckTests(ticket.clone())) {
                    self.step(Step::CheckTests { ticket, commit: submission.handed.commit.clone() });
                }
                return Why::CheckingTests;
            }
            (Role::Reviewer, Some(submission)) if submission.approved_by.is_some() => {
                (completed(), Ending::Submitted)
            }
            (Role::Reviewer, _) => (report, Ending::Submitted),
            (_, Some(_)) => (completed(), Ending::Submitted),
            (_, None) => (report, Ending::Pool),
        };
        self.step(Step::RecordEnd { ticket, report: Box::new(report), ending });
        Why::Ended
    }

    fn in_review(&mut self, item: &'a Item<'a>, limits: &'a ProjectLimits) -> Option<Why> {
        let work = &item.ticket.work;
        if let Some(merge) = &work.merge {
            let waits_for_remote = matches!(merge, Merge::Queued(_) | Merge::Validated(_));
            return match &limits.remote_question {
                Some(asked) if waits_for_remote => Some(Why::Escalated { escalation: Some(asked.clone()) }),
                _ => queue::why(self.board, item, self.now),
            };
        }
        let Some(submission) = &work.submission else { return Some(Why::ByHand) };
        let by = limits.gates.independent.filter(|_| submission.approved_by.is_none());
        match (by, &item.ticket.reviewer) {
            (None, _) => {
                self.step(Step::Enqueue { ticket: item.id().clone() });
                Some(Why::Enqueues)
            }
            (Some(_), Some(reviewer)) => Some(Why::BeingReviewed { by: reviewer.name.clone() }),
            (Some(by @ ReviewedBy::Human), None) => Some(Why::Unreviewed { by }),
            (Some(_), None) => self.wants(item, limits, Role::Reviewer),
        }
    }

    /// A ticket that wants somebody set to work, unless there is a reason against it.
    fn wants(&mut self, item: &'a Item<'a>, limits: &'a ProjectLimits, role: Role) -> Option<Why> {
        let is_review = role == Role::Reviewer;
        let question = if is_review { trouble::question_of_review } else { trouble::question };
        if let Some((question, hypothesis)) = question(item, limits) {
            let of = if is_review { OF_REVIEW } else { "" };
            return Some(self.ask(item, question, hypothesis, of));
        }
        if let Trust::Untrusted { why, hash } = &limits.trust {
            let project = &item.ticket.project;
            let key = format!("{}/{project}/{hash}", Question::Trust.as_str());
            self.ask_about_project(project, Question::Trust, key);
            return Some(Why::Untrusted { why: why.clone() });
        }
        if !limits.starts(role) {
            return Some(Why::Control { control: limits.control });
        }
        let (attempts, until) = if is_review {
            let failed = || item.failed_reviews();
            (failed().count(), trouble::not_before(failed(), limits, self.now))
        } else {
            (item.counted().count(), trouble::not_before(item.counted(), limits, self.now))
        };
        if let Some(until) = until {
            self.wake(until);
            return Some(Why::BackOff { attempts, until, left: until.duration_since(self.now) });
        }
        // Whoever had it before may still be at it, in the same workspace.
        if let Some(agent) =
            self.fleet.agents.iter().find(|agent| agent.ticket == *item.id() && agent.is_alive())
        {
            let (agent, reason) = (agent.name.clone(), EndReason::Stray);
            return Some(Why::Ending { agent, reason });
        }
        if let Some(why) = self.cannot_set_up(item, limits, role) {
            return Some(why);
        }
        if let Some(why) = self.rests(item) {
            return Some(why);
        }
        let pool = limits.pool(role).unwrap_or_default();
        if let Some(until) = self.fleet.exhausted(pool, self.now) {
            self.wake(until);
            return Some(Why::OutOfQuota {
                pool: pool.to_owned(),
                until,
                left: until.duration_since(self.now),
            });
        }
        self.wanting.push(Wanting { item, limits, role });
        None
    }

    /// What could not be done for it just now, and is tried again later.
    fn rests(&mut self, item: &Item<'_>) -> Option<Why> {
        let (why, until) = self.fleet.jobs.iter().find_map(|job| match job {
            Job::Rests { ticket, why, until } if ticket == item.id() && *until > self.now => {
                Some((why, *until))
            }
            _ => None,
        })?;
        self.wake(until);
        Some(Why::Unready { why: why.clone(), left: until.duration_since(self.now) })
    }

    /// That no workspace can be made ready. A reviewer looks at what is there, in one that needs no setting up.
    fn cannot_set_up(&mut self, item: &'a Item<'a>, limits: &ProjectLimits, role: Role) -> Option<Why> {
        if role == Role::Reviewer {
            return None;
        }
        if let Some(asked) = &limits.setup_question {
            return Some(Why::Escalated { escalation: Some(asked.clone()) });
        }
        let project = &item.ticket.project;
        let fails = |job: &Job| match job {
            Job::CannotSetUp { project: of, times } => of == project && *times >= trouble::SET_UPS,
            _ => false,
        };
        let question = Question::SetUp;
        self.fleet.jobs.iter().any(fails).then(|| {
            self.ask_about_project(project, question, format!("{}/{project}", question.as_str()));
            Why::Asking { question }
        })
    }

    fn ask(&mut self, item: &Item<'_>, question: Question, hypothesis: Hypothesis, of: &str) -> Why {
        let ticket = item.ticket;
        self.step(Step::Escalate {
            project: ticket.project.clone(),
            ticket: Some(ticket.id.clone()),
            question,
            hypothesis,
            key: format!("{of}{}/{}/{}", question.as_str(), ticket.id, ticket.attempts.len()),
        });
        Why::Asking { question }
    }

    /// Once for the whole project.
    fn ask_about_project(&mut self, project: &'a ProjectName, question: Question, key: String) {
        if self.asked.contains(&(question, project)) {
            return;
        }
        self.asked.push((question, project));
        self.step(Step::Escalate {
            project: project.clone(),
            ticket: None,
            question,
            hypothesis: Hypothesis::Environment,
            key,
        });
    }
}

/// Whether an agent has done what it was set to do.
fn is_finished(item: &Item<'_>, start: &Start) -> bool {
    let submission = item.ticket.work.submission.as_ref();
    match start.role {
        Role::Reviewer => submission.is_some_and(|submission| submission.approved_by.is_some()),
        Role::TestWriter => submission.is_some(),
        _ => submission.is_some() || item.stands() == Status::Review,
    }
}

fn blocked(item: &Item<'_>) -> Why {
    let waits_for = item.open_dependencies.clone();
    match &item.ticket.hold {
        Some(hold) => Why::Held { reason: hold.reason.clone(), waits_for },
        None => Why::Waits { waits_for },
    }
}

fn somebodys(item: &Item<'_>) -> Why {
    Why::Somebodys { name: item.ticket.assignee.clone().unwrap_or_else(|| "nobody".to_owned()) }
}

/// What is known of an attempt whose agent has ended and handed in nothing.
fn report_of(agent: &Running) -> AttemptReport {
    use super::fleet::Ended;
    let how = agent.ended.map(|ended| ended.to_string()).unwrap_or_default();
    let (outcome, summary) = match (agent.ending, agent.ended) {
        (_, Some(Ended::NeverBegan)) => (Outcome::Stopped, NEVER_BEGAN.to_owned()),
        (Some(reason @ (EndReason::Stalled | EndReason::Unanswered)), _) => (Outcome::Stalled, words(reason)),
        (Some(reason @ EndReason::OverTime), _) => (Outcome::Failed, words(reason)),
        (Some(reason @ EndReason::OutOfQuota), _) => (Outcome::OutOfQuota, words(reason)),
        (Some(reason @ (EndReason::Blocked | EndReason::Stray | EndReason::Stopping)), _) => {
            (Outcome::Stopped, words(reason))
        }
        (_, Some(Ended::Exit { code: 0 })) => {
            (Outcome::Failed, "It ended and had handed in nothing.".to_owned())
        }
        _ => (Outcome::Crashed, format!("It ended without a word ({how}).")),
    };
    let failure = outcome.counts().then(|| format!("{}: {summary}", outcome.as_str()));
    AttemptReport { failure, ..AttemptReport::new(outcome, summary) }
}

fn words(reason: EndReason) -> String {
    format!("It was ended, because {reason}.")
}
