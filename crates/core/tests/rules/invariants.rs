//! What must be true after every step of every history. Nothing here asks the rules under test: statuses,
//! reviewers and touches are worked out again from the raw events.

use std::collections::{BTreeMap, BTreeSet};

use jiff::SignedDuration;
use proptest::prelude::*;
use serde_json::Value;
use signalbox_core::batch::{Kind, choose};
use signalbox_core::orchestra::{Fleet, Item, Limits, ProjectLimits, Step, plan};
use signalbox_core::work::Merge;
use signalbox_core::{
    Agent, Board, Cause, Command, Draft, Event, Fact, Refusal, Role, SessionId, Status, Ticket, TicketId,
    Who, decide, may_review, open_dependencies,
};

use crate::steps::start_as;
use crate::world::World;

pub type Verdict = Result<(), TestCaseError>;

/// The ways an agent may take a ticket. Everything else is a human's, or follows by itself.
const WAYS: [(Status, Status); 8] = [
    (Status::Backlog, Status::Open),
    (Status::Open, Status::InProgress),
    (Status::Rework, Status::InProgress),
    (Status::InProgress, Status::Review),
    (Status::Review, Status::Done),
    (Status::Review, Status::Rework),
    (Status::InProgress, Status::Open),
    (Status::Rework, Status::Open),
];

/// A refusal says what is wrong and what to do, and knows what it speaks of.
pub fn refusal_is_helpful(events: &[Event], refusal: &Refusal) -> Verdict {
    prop_assert!(!refusal.code.is_empty() && !refusal.message.is_empty());
    if let Some(hint) = &refusal.hint {
        prop_assert!(hint.ends_with('.'), "{hint}");
    }
    for id in &refusal.evidence {
        prop_assert!(events.iter().any(|event| event.id == *id), "there is no event {id}");
    }
    Ok(())
}

/// The asker's own events come first, then those of Signalbox itself, which only block and unblock.
pub fn drafts_are_in_order(before: &Board, who: &Who, drafts: &[Draft]) -> Verdict {
    let own = drafts.iter().take_while(|draft| draft.by == *who).count();
    for draft in &drafts[own..] {
        prop_assert_eq!(&draft.by, &Who::System);
        let Fact::Status(to, change) = &draft.fact else {
            return Err(TestCaseError::fail(format!("only statuses follow by themselves: {draft:?}")));
        };
        prop_assert!((*to == Status::Blocked) != (change.from == Status::Blocked), "{:?}", draft);
        prop_assert!(matches!(change.cause, Cause::Hold | Cause::Dependencies), "{:?}", draft);
    }
    for draft in &drafts[..own] {
        match &draft.fact {
            Fact::Status(to, change) if who.is_agent() => {
                prop_assert!(WAYS.contains(&(change.from, *to)), "{} skips a stage: {:?}", who.name(), draft);
            }
            Fact::Edited(_) if who.is_agent() => edits_are_modest(before, draft)?,
            Fact::Created(created) => prop_assert!(matches!(created.status, Status::Backlog | Status::Open)),
            Fact::Assigned(_) | Fact::Held(_) | Fact::Unheld(_) | Fact::Waived(_) => {
                prop_assert!(!who.is_agent());
            }
            Fact::AttemptStarted(_) => {
                prop_assert!(!who.is_agent());
                prop_assert_eq!(&before.ticket(&draft.ticket).unwrap().work.start, &None);
            }
            fact if fact.name().starts_with("merge.") || fact.name() == "attempt.tests-ready" => {
                prop_assert!(!who.is_agent(), "{:?}", draft);
            }
            _ => {}
        }
    }
    Ok(())
}

/// No agent makes a ticket wait for less, or answers a question that was put to a human.
fn edits_are_modest(before: &Board, draft: &Draft) -> Verdict {
    let Fact::Edited(edited) = &draft.fact else { return Ok(()) };
    prop_assert_ne!(edited.escalated, Some(false));
    let depended_on = &before.ticket(&draft.ticket).unwrap().depends_on;
    let kept = |now: &Vec<TicketId>| depended_on.iter().all(|id| now.contains(id));
    prop_assert!(
        edited.depends_on.as_ref().is_none_or(kept),
        "{} takes from {:?}",
        draft.by.name(),
        depended_on
    );
    Ok(())
}

/// Whatever is submitted comes with a note, or was noted since somebody took it up.
pub fn submissions_are_explained(past: &[Event], drafts: &[Draft]) -> Verdict {
    for draft in drafts {
        if let Fact::Status(Status::Review, change) = &draft.fact
            && change.cause == Cause::Work
            && change.note.is_none()
        {
            let mut own = past.iter().rev().filter(|event| event.ticket.as_ref() == Some(&draft.ticket));
            let last = own.find(|event| {
                event.event == "note.added" || (event.event == "status.in-progress" && !is_by_itself(event))
            });
            prop_assert_eq!(last.map(|event| event.event.as_str()), Some("note.added"));
        }
    }
    Ok(())
}

/// A block or its end, which nobody asked for.
fn is_by_itself(event: &Event) -> bool {
    event.actor == "sb" && matches!(data(event)["cause"].as_str(), Some("hold" | "dependencies"))
}

/// Where each ticket stands by its events, and where it was when it was blocked.
#[derive(Default)]
pub struct Path {
    status: BTreeMap<TicketId, Status>,
    before_block: BTreeMap<TicketId, Status>,
}

impl Path {
    /// Each change starts where the last one ended, and a block ends where it began, unless the assignee
    /// has left meanwhile.
    pub fn follow(&mut self, event: &Event) -> Verdict {
        let id = event.ticket.clone().unwrap();
        let data = data(event);
        let named = |field: &str| Status::from_word(data[field].as_str().unwrap_or_default());
        if event.event == "ticket.created" {
            self.status.insert(id, named("status").unwrap());
        } else if event.event == "ticket.released" {
            if let Some(before) = self.before_block.get_mut(&id)
                && matches!(before, Status::InProgress | Status::Rework | Status::Review)
            {
                *before = Status::Open;
            }
        } else if let Some(to) = event.event.strip_prefix("status.").and_then(Status::from_word) {
            let from = self.status.insert(id.clone(), to);
            prop_assert_eq!(from, named("from"), "{:?}", event);
            let before = self.before_block.remove(&id);
            if to == Status::Blocked {
                self.before_block.insert(id, from.unwrap());
            } else if is_by_itself(event) {
                prop_assert_eq!(before, Some(to), "{} came back elsewhere", id);
            }
        }
        Ok(())
    }

    pub fn agrees_with(&self, board: &Board) -> Verdict {
        for ticket in board.tickets() {
            prop_assert_eq!(self.status.get(&ticket.id), Some(&ticket.status));
            prop_assert_eq!(self.before_block.get(&ticket.id), ticket.prior_status.as_ref());
        }
        Ok(())
    }
}

/// What holds for every ticket of a board at any time.
pub fn board_is_sound(board: &Board) -> Verdict {
    for ticket in board.tickets() {
        let id = &ticket.id;
        if ticket.prior_status.unwrap_or(ticket.status) == Status::InProgress {
            prop_assert!(
                ticket.assignee.as_ref().is_some_and(|name| !name.trim().is_empty()),
                "{id} is nobody's"
            );
        }
        let waits = ticket.depends_on.iter().any(|dependency| {
            !ticket.waived.contains(dependency)
                && board.ticket(dependency).is_none_or(|dependency| dependency.status != Status::Done)
        });
        let must_wait = ticket.status != Status::Done && (waits || ticket.hold.is_some());
        prop_assert_eq!(ticket.status == Status::Blocked, must_wait, "{} waits: {}", id, waits);
        prop_assert_eq!(ticket.prior_status.is_some(), ticket.status == Status::Blocked, "{}", id);
        let in_review = ticket.prior_status.unwrap_or(ticket.status) == Status::Review;
        prop_assert!(in_review || ticket.reviewer.is_none(), "{} has a reviewer too early", id);
    }
    no_cycle(board)
}

/// What holds for every ticket on its way to main.
pub fn work_is_sound(board: &Board) -> Verdict {
    for ticket in board.tickets() {
        let (id, work) = (&ticket.id, &ticket.work);
        let stands = ticket.prior_status.unwrap_or(ticket.status);
        if let Some(start) = &work.start {
            let is_at_it = stands == Status::InProgress && start.role != Role::Reviewer;
            prop_assert!(is_at_it || stands == Status::Review, "{id} is {stands} and {start:?}");
            if is_at_it {
                prop_assert_eq!(ticket.assignee_session.as_ref(), Some(&start.session), "{}", id);
            }
        }
        if let Some(submission) = &work.submission {
            let are_tests = submission.role == Some(Role::TestWriter) && work.start.is_some();
            let is_in_order = stands == Status::Review || are_tests && stands == Status::InProgress;
            prop_assert!(is_in_order, "{id} is {stands} and {submission:?}");
        }
        match (&work.merge, &work.submission) {
            (None | Some(Merge::Landing(_)), _) => {}
            (Some(merge), Some(submission)) => {
                prop_assert_eq!(merge.commit(), submission.handed.commit.as_str(), "{}", id);
                prop_assert_eq!(stands, Status::Review, "{}", id);
            }
            (Some(merge), None) => {
                return Err(TestCaseError::fail(format!("{id} has nothing to merge: {merge:?}")));
            }
        }
        prop_assert_eq!(work.merge.is_some(), work.queued.is_some(), "{}", id);
        prop_assert!(work.landed.is_none() || ticket.status == Status::Done, "{id} is on main and {stands}");
        prop_assert!(work.forgiven <= ticket.attempts.len());
    }
    Ok(())
}

/// A ticket is done by landing only with the word that it landed, and by being approved only where nothing waits to land.
pub fn done_is_done(before: &Board, drafts: &[Draft]) -> Verdict {
    for (at, draft) in drafts.iter().enumerate() {
        let Fact::Status(Status::Done, change) = &draft.fact else { continue };
        if change.cause == Cause::Merge {
            let landed = at.checked_sub(1).map(|before| &drafts[before].fact);
            prop_assert!(matches!(landed, Some(Fact::MergeLanded(_))), "{draft:?}");
        }
        if change.cause == Cause::Review {
            prop_assert_eq!(&before.ticket(&draft.ticket).unwrap().work.submission, &None);
        }
    }
    Ok(())
}

/// Whatever the planner asks for, the rules allow, and something comes of it; and nothing is stuck that it could move.
pub fn plans_can_be_carried_out(board: &Board) -> Verdict {
    let item = |ticket| Item::of(ticket, open_dependencies(board, ticket), None, Vec::new());
    let items: Vec<Item<'_>> = board.tickets().map(item).collect();
    let projects = items.iter().map(|item| (item.ticket.project.clone(), ProjectLimits::default())).collect();
    let later = items.iter().map(|item| item.ticket.updated).max().unwrap_or_default()
        + SignedDuration::from_hours(9);
    let plan = plan(&items, &Fleet::default(), &Limits { agents: 99, projects }, later);
    prop_assert_eq!(plan.why.len(), items.len());
    for step in plan.steps {
        let (id, command) = match step {
            Step::Start { ticket, role, .. } => (ticket.clone(), start_as(ticket, role, "new")),
            Step::RecordEnd { ticket, report, ending } => {
                (ticket.clone(), Command::EndAttempt { id: ticket, report, ending })
            }
            Step::Enqueue { ticket } => (ticket.clone(), Command::Queue { id: ticket }),
            Step::CheckTests { ticket, .. } => {
                prop_assert_eq!(
                    board.ticket(&ticket).unwrap().work.start.as_ref().unwrap().role,
                    Role::TestWriter
                );
                continue;
            }
            Step::Escalate { .. } => continue,
            Step::End { .. } | Step::Withdraw { .. } => {
                return Err(TestCaseError::fail("there is nobody to end"));
            }
        };
        let drafts = decide(board, &Who::System, &command);
        prop_assert!(
            drafts.as_ref().is_ok_and(|drafts| !drafts.is_empty()),
            "{command:?} on {:?}: {drafts:?}",
            board.ticket(&id)
        );
    }
    for (id, why) in plan.why {
        // Where nobody is at work, nobody is waited for.
        let waits = matches!(
            why.code(),
            "working" | "finishing" | "ending" | "starting" | "claimed" | "needs-person"
        );
        prop_assert!(!waits, "{id} waits for nobody: {why}");
    }
    Ok(())
}

/// Taking away what waits for nothing, again and again, leaves nothing.
fn no_cycle(board: &Board) -> Verdict {
    let mut left: BTreeMap<&TicketId, &Vec<TicketId>> =
        board.tickets().map(|t| (&t.id, &t.depends_on)).collect();
    loop {
        let free: Vec<_> = left
            .iter()
            .filter(|(_, on)| on.iter().all(|id| !left.contains_key(id)))
            .map(|(id, _)| *id)
            .collect();
        if free.is_empty() {
            prop_assert!(left.is_empty(), "these wait for each other: {:?}", left);
            return Ok(());
        }
        left.retain(|id, _| !free.contains(id));
    }
}

/// Whoever took or judged a review was independent, and nobody independent is turned away.
pub fn reviews_are_independent(
    world: &World,
    before: &Board,
    known: usize,
    who: &Who,
    drafts: &[Draft],
) -> Verdict {
    let Who::Agent(agent) = who else { return Ok(()) };
    let past = &world.events[..known];
    for draft in drafts.iter().filter(|draft| draft.fact.name().starts_with("review.")) {
        if !matches!(draft.fact, Fact::ReviewReleased(_)) {
            let against = disqualifying(past, agent, &draft.ticket);
            prop_assert!(against.is_none(), "{} reviewed {} despite {:?}", agent.name, draft.ticket, against);
        }
    }
    for ticket in before.tickets() {
        let against = disqualifying(past, agent, &ticket.id).map(|event| &event.id);
        let refusal = may_review(ticket, who).err();
        prop_assert_eq!(refusal.as_ref().and_then(|r| r.evidence.first()), against, "{:?}", refusal);
    }
    Ok(())
}

/// The first event by which an agent is not independent of a ticket.
fn disqualifying<'a>(events: &'a [Event], agent: &Agent, ticket: &TicketId) -> Option<&'a Event> {
    let mut reviewer: Option<&SessionId> = None;
    let mut reviewers = BTreeSet::new();
    for event in events.iter().filter(|event| event.ticket.as_ref() == Some(ticket)) {
        let (name, by, data) = (event.event.as_str(), event.session.as_ref(), data(event));
        let verdict = name.starts_with("status.") && data["cause"] == "review";
        let as_reviewer = match name {
            "note.added" | "ticket.checked" => by.is_some() && by == reviewer,
            "ticket.read" => by.is_some_and(|session| reviewers.contains(session)),
            _ => verdict || name.starts_with("review."),
        };
        let only_saw = matches!(name, "ticket.created" | "ticket.read");
        let own = by == Some(&agent.session) && !as_reviewer;
        let related =
            by.is_some_and(|by| agent.lineage.contains(by) || event.lineage.contains(&agent.session));
        let assigned = data["assignee"].as_str().filter(|_| name == "ticket.assigned").is_some_and(|to| {
            to == agent.name || to == agent.session.as_str() || agent.lineage.iter().any(|s| s.as_str() == to)
        });
        if own || assigned || (related && !as_reviewer && !only_saw) {
            return Some(event);
        }
        match name {
            "review.started" => {
                reviewer = by;
                reviewers.extend(by);
            }
            "review.approved" | "review.rejected" | "review.released" => {
                reviewer = None;
                reviewers.extend(by);
            }
            _ if verdict => reviewers.extend(by),
            // Being blocked does not end a review, but being moved elsewhere does.
            "status.blocked" => {}
            _ if name.starts_with("status.") && !is_by_itself(event) => reviewer = None,
            "ticket.released" => reviewer = None,
            _ => {}
        }
    }
    None
}

/// An accepted `sb status` led to that status, or to being blocked on the way; an override led there. What was approved as a
/// commit is done when that commit is on main.
pub fn moves_arrive(world: &World, command: &Command) -> Verdict {
    let status = |id| world.board.ticket(id).unwrap().status;
    match command {
        Command::Move { id, to, .. } => {
            let is_approved = *to == Status::Done && !world.board.ticket(id).unwrap().work.wants_review();
            prop_assert!(status(id) == *to || status(id) == Status::Blocked || is_approved, "not {to}");
        }
        Command::Override { id, to, .. } => prop_assert_eq!(status(id), *to),
        _ => {}
    }
    Ok(())
}

/// Whatever a session is offered, it can take.
pub fn offers_hold(board: &Board, who: &Who) -> Verdict {
    let Some(batch) = choose(board.tickets(), who, 3) else { return Ok(()) };
    prop_assert!((1..=3).contains(&batch.tickets.len()));
    prop_assert!(batch.tickets.is_sorted_by_key(|ticket| (ticket.priority, ticket.created)));
    for ticket in batch.tickets {
        let id = ticket.id.clone();
        let (status, take) = match batch.kind {
            Kind::Open => (Status::Open, Command::Pick { id }),
            Kind::Review => (Status::Review, Command::Review { id }),
        };
        prop_assert_eq!(ticket.status, status);
        prop_assert!(decide(board, who, &take).is_ok(), "{} was offered {}", who.name(), ticket.id);
    }
    Ok(())
}

/// The rules need no more of the board than the named tickets, those that wait for them, and all that these
/// wait for in turn. The store relies on it to load a few tickets instead of all.
pub fn few_tickets_suffice(board: &Board, who: &Who, command: &Command) -> Verdict {
    let mut wanted: Vec<TicketId> = command.tickets().into_iter().cloned().collect();
    match command {
        Command::New(new) => wanted.push(new.id.clone()),
        Command::NewAll(all) => wanted.extend(all.iter().map(|new| new.id.clone())),
        _ => {}
    }
    let waiting: Vec<_> =
        wanted.iter().flat_map(|id| board.dependents(id)).map(|ticket| ticket.id.clone()).collect();
    wanted.extend(waiting);
    let mut part: BTreeMap<TicketId, Ticket> = BTreeMap::new();
    while let Some(id) = wanted.pop() {
        if let Some(ticket) = board.ticket(&id)
            && part.insert(id, ticket.clone()).is_none()
        {
            wanted.extend(ticket.depends_on.iter().cloned());
        }
    }
    let part: Board = part.into_values().collect();
    prop_assert_eq!(sorted(decide(&part, who, command)), sorted(decide(board, who, command)));
    Ok(())
}

/// What follows for several tickets follows in no particular order.
fn sorted(answer: Result<Vec<Draft>, Refusal>) -> Result<Vec<Draft>, Refusal> {
    answer.map(|mut drafts| {
        drafts.sort_by_key(|draft| (draft.by == Who::System).then(|| draft.ticket.clone()));
        drafts
    })
}

fn data(event: &Event) -> Value {
    serde_json::from_str(event.data.get()).unwrap()
}
