//! Claiming tickets, working on them and handing them in.

use super::{Draft, Rules};
use crate::fact::{AttemptReport, Cause, Fact, Noted, Outcome, Reason, StatusChange};
use crate::id::TicketId;
use crate::refusal::Refusal;
use crate::role::Role;
use crate::status::Status;
use crate::text;
use crate::ticket::Ticket;
use crate::work::Handed;

impl Rules<'_> {
    pub(super) fn pick(&self, id: &TicketId) -> Result<Vec<Draft>, Refusal> {
        let ticket = self.ticket(id)?;
        let mine = ticket.is_assigned_to(self.who);
        match ticket.status {
            Status::Open | Status::Rework if ticket.assignee.is_none() || mine || !self.who.is_agent() => {
                Ok(vec![self.claim(ticket)])
            }
            Status::InProgress if mine => Ok(Vec::new()),
            Status::Open | Status::Rework | Status::InProgress => Err(self.taken(ticket)),
            Status::Backlog => {
                Err(Refusal::new("pick.backlog", format!("{id} is in the backlog, not yet scoped for work"))
                    .hint(format!("Open it first: `sb status open {id}`.")))
            }
            Status::Review => {
                Err(Refusal::new("pick.in-review", format!("{id} is submitted and waits for review"))
                    .hint(format!("Review it with `sb review {id}`, or take other work: `sb ready`.")))
            }
            Status::Done => Err(Refusal::new("pick.done", format!("{id} is done"))
                .hint(format!("A human can reopen it: `sb reopen {id} REASON`."))),
            Status::Blocked => Err(self.blocked(ticket)),
        }
    }

    pub(super) fn pop(&self, candidates: &[TicketId]) -> Result<Vec<Draft>, Refusal> {
        let first = candidates
            .iter()
            .filter_map(|id| self.board.ticket(id))
            .find(|ticket| ticket.is_ready_for(self.who))
            .ok_or_else(|| {
                Refusal::not_found("pop.nothing-ready", "no ticket is ready to be claimed").hint(
                    "`sb list` shows what is in progress, in review or blocked; `sb new TITLE` files one.",
                )
            })?;
        Ok(vec![self.claim(first)])
    }

    pub(super) fn move_to(
        &self,
        id: &TicketId,
        to: Status,
        text: Option<&str>,
    ) -> Result<Vec<Draft>, Refusal> {
        let ticket = self.ticket(id)?;
        let to_note = text.map(ToOwned::to_owned);
        match to {
            // Whoever says "start" on a ticket in review, or the like, gets the reason from `pick`.
            Status::InProgress => self.pick(id),
            Status::Review => self.submit(id, to_note.as_deref(), None),
            Status::Done => self.approve(id, to_note.as_deref()),
            Status::Rework => self.reject(id, text.unwrap_or_default()),
            Status::Open if ticket.status == Status::Open => Ok(Vec::new()),
            Status::Open if ticket.status == Status::Backlog => {
                Ok(vec![self.status(ticket, Status::Open, Cause::Work)])
            }
            // Releasing would let go of the review only, and leave the ticket where it is.
            Status::Open if ticket.status == Status::Review => Err(Refusal::new(
                "status.no-way-back",
                format!("{id} is in review, and the workflow leads from there to done or to rework"),
            )
            .hint(format!(
                "Send it back: `sb reject {id} REASON`; or let go of its review: `sb release {id}`. A human can override: `sb override {id} open REASON`."
            ))),
            Status::Open => self.release(id, text.unwrap_or_default(), None),
            Status::Backlog if ticket.status == Status::Backlog => Ok(Vec::new()),
            Status::Backlog => Err(Refusal::new(
                "status.no-way-back",
                format!("{id} is {}, and the workflow leads from the backlog, not into it", ticket.status),
            )
            .hint(format!("A human can override: `sb override {id} backlog REASON`."))),
            Status::Blocked => Err(Refusal::new(
                "status.blocked-by-itself",
                "a ticket is blocked by what it waits for, not by setting its status",
            )
            .hint(format!(
                "Name the dependency: `sb edit {id} --depends-on OTHER`; or a human holds it: `sb hold {id} REASON`."
            ))),
        }
    }

    pub(super) fn submit(
        &self,
        id: &TicketId,
        note: Option<&str>,
        handed: Option<&Handed>,
    ) -> Result<Vec<Draft>, Refusal> {
        let ticket = self.ticket(id)?;
        match ticket.status {
            Status::InProgress => {}
            Status::Review if handed.is_some_and(|handed| ticket.work.is_newer(handed)) => {
                return self.hand_in_again(ticket, note, handed);
            }
            // A note that comes too late for the submission must not be lost without a word.
            Status::Review if note.is_some() => return self.note(id, note.unwrap_or_default()),
            Status::Review => return Ok(Vec::new()),
            Status::Blocked => return Err(self.blocked(ticket)),
            Status::Backlog | Status::Open | Status::Rework | Status::Done => {
                return Err(Refusal::new(
                    "submit.not-in-progress",
                    format!("{id} is {}; only work in progress can be submitted for review", ticket.status),
                )
                .hint(format!("Take it first: `sb pick {id}`.")));
            }
        }
        if self.who.is_agent() && !ticket.is_assigned_to(self.who) {
            return Err(self.taken(ticket));
        }
        // Whoever was set to work hands in a commit: approved without one, the ticket would be done and nothing on main.
        if handed.is_none() && ticket.work.start.is_some() {
            let message = format!("{id} is handed in as a commit, because that is what gets to main");
            return Err(Refusal::new("submit.no-commit", message)
                .hint("Commit the work and run `sb submit` in its workspace."));
        }
        let note = note.map(|n| text::required("note", n)).transpose()?;
        if note.is_none() && !ticket.noted {
            return Err(Refusal::new(
                "submit.no-note",
                format!("{id} cannot go to review: no note was written since the work on it began"),
            )
            .hint("Say what was done: `sb note \"…\"`, or submit with it: `sb submit -m \"…\"`."));
        }
        let submitted = handed.map(|handed| self.draft(ticket, Fact::Submitted(handed.clone())));
        // Tests are not reviewed but run: they must fail.
        if submitted.is_some()
            && ticket.work.start.as_ref().is_some_and(|start| start.role == Role::TestWriter)
        {
            let said = note.map(|text| self.draft(ticket, Fact::Noted(Noted { text })));
            return Ok(said.into_iter().chain(submitted).collect());
        }
        let change = StatusChange { note, ..StatusChange::new(ticket.status, Cause::Work) };
        let moved = self.draft(ticket, Fact::Status(Status::Review, Box::new(change)));
        Ok(std::iter::once(moved).chain(submitted).collect())
    }

    /// A newer commit takes the place of the one that was handed in. What was approved was the other one.
    fn hand_in_again(
        &self,
        ticket: &Ticket,
        note: Option<&str>,
        handed: Option<&Handed>,
    ) -> Result<Vec<Draft>, Refusal> {
        if self.who.is_agent() && !ticket.is_assigned_to(self.who) {
            return Err(self.taken(ticket));
        }
        if ticket.work.merge.is_some() {
            let message = format!("{} is being merged, as it was handed in before", ticket.id);
            return Err(Refusal::new("submit.merging", message)
                .hint("Wait for the outcome; what is left to do is another ticket."));
        }
        let said = note.map(|text| text::required("note", text)).transpose()?;
        let said = said.map(|text| self.draft(ticket, Fact::Noted(Noted { text })));
        let submitted = handed.map(|handed| self.draft(ticket, Fact::Submitted(handed.clone())));
        Ok(said.into_iter().chain(submitted).collect())
    }

    pub(super) fn note(&self, id: &TicketId, text: &str) -> Result<Vec<Draft>, Refusal> {
        let ticket = self.ticket(id)?;
        Ok(vec![self.draft(ticket, Fact::Noted(Noted { text: text::required("note", text)? }))])
    }

    /// Let go of a claim or of a review; with a report, the attempt is counted.
    pub(super) fn release(
        &self,
        id: &TicketId,
        reason: &str,
        report: Option<&AttemptReport>,
    ) -> Result<Vec<Draft>, Refusal> {
        let ticket = self.ticket(id)?;
        let reason = Reason { reason: text::body("reason", reason)? };
        if ticket.status == Status::Review && ticket.reviewer.is_some() {
            if self.who.is_agent() && !ticket.is_reviewed_by(self.who) {
                return Err(Refusal::new(
                    "release.not-yours",
                    format!("{id} is being reviewed by someone else"),
                )
                .hint("The reviewer or a human can release it."));
            }
            return Ok(vec![self.draft(ticket, Fact::ReviewReleased(reason))]);
        }
        let stands = if ticket.status == Status::Blocked { ticket.prior_status } else { Some(ticket.status) };
        let held = stands.is_some_and(Status::is_claimed)
            || (ticket.assignee.is_some() && stands == Some(Status::Open));
        if !held {
            return Err(Refusal::new(
                "release.not-claimed",
                format!("{id} is {}, and nobody has claimed it", ticket.status),
            )
            .hint(format!("`sb show {id}` shows where it stands.")));
        }
        if self.who.is_agent() && !ticket.is_assigned_to(self.who) {
            return Err(self.taken(ticket));
        }
        let mut drafts = Vec::new();
        let unsaid = ticket.work.start.as_ref().map(|_| self.unsaid(&reason));
        if let Some(report) = report.or(unsaid.as_ref()) {
            let report = AttemptReport {
                outcome: self.outcome_of(ticket, report.outcome),
                summary: text::body("summary", &report.summary)?,
                blockers: text::body("blockers", &report.blockers)?,
                learnings: text::body("learnings", &report.learnings)?,
                role: ticket.work.start.as_ref().map(|start| start.role),
                ..report.clone()
            };
            drafts.push(self.draft(ticket, Fact::Attempt(Box::new(report))));
        }
        drafts.push(self.draft(ticket, Fact::Released(reason)));
        if ticket.status.is_claimed() {
            drafts.push(self.status(ticket, Status::Open, Cause::Release));
        }
        Ok(drafts)
    }

    /// The report of one who was set to work and lets go without one: an attempt that leaves no trace would be made for
    /// ever.
    fn unsaid(&self, reason: &Reason) -> AttemptReport {
        let outcome = if self.who.is_agent() { Outcome::Failed } else { Outcome::Stopped };
        let silent = reason.reason.is_empty();
        AttemptReport::new(outcome, if silent { "It was let go of without a word." } else { &reason.reason })
    }

    /// What an agent that was set to work may say of itself. If it lets go, it neither completed the work nor was stopped.
    fn outcome_of(&self, ticket: &Ticket, said: Outcome) -> Outcome {
        let is_set_to_work = self.who.is_agent() && ticket.work.start.is_some();
        if is_set_to_work && matches!(said, Outcome::Completed | Outcome::Stopped) {
            Outcome::Failed
        } else {
            said
        }
    }

    fn claim(&self, ticket: &Ticket) -> Draft {
        let change = StatusChange {
            assignee: Some(self.who.name().to_owned()),
            assignee_session: self.who.session().cloned(),
            ..StatusChange::new(ticket.status, Cause::Work)
        };
        self.draft(ticket, Fact::Status(Status::InProgress, Box::new(change)))
    }

    fn taken(&self, ticket: &Ticket) -> Refusal {
        let by = ticket.assignee.as_deref().unwrap_or("nobody");
        let session = ticket.assignee_session.as_ref().map(|s| format!(" (session {s})")).unwrap_or_default();
        Refusal::new(
            "ticket.not-yours",
            format!("{} is {} and belongs to {by}{session}", ticket.id, ticket.status),
        )
        .hint("Take other work: `sb ready`. A human can hand it over: `sb assign ID NAME`.")
    }

    pub(super) fn blocked(&self, ticket: &Ticket) -> Refusal {
        let waits = crate::dependencies::open_dependencies(self.board, ticket);
        let shown: Vec<_> = waits.iter().map(TicketId::as_str).collect();
        let (why, hint) = match (&ticket.hold, shown.is_empty()) {
            (Some(hold), true) => (
                format!("held by a human: {}", hold.reason),
                format!("A human can release it: `sb unhold {}`.", ticket.id),
            ),
            (Some(hold), false) => (
                format!("held by a human ({}) and waiting for {}", hold.reason, shown.join(", ")),
                "Both must go away first.".to_owned(),
            ),
            (None, _) => (
                format!("waiting for {}", shown.join(", ")),
                "Work on that first; this one opens by itself when it is done.".to_owned(),
            ),
        };
        Refusal::new("ticket.blocked", format!("{} is blocked, {why}", ticket.id)).hint(hint)
    }
}
