//! How one event changes one ticket. Total: whatever the log holds, the fold goes on.

use crate::event::Event;
use crate::fact::{Cause, Created, Edited, Fact, StatusChange};
use crate::id::{ProjectName, SessionId};
use crate::status::Status;
use crate::ticket::{Attempt, Criterion, Hold, Reviewer, Ticket, Touch, TouchKind};
use crate::who::Who;

/// The ticket after the event. `None` where the event concerns no ticket.
///
/// Transitions are not judged here: that was [`crate::decide`]'s work when the event was written, and a
/// log with a damaged line must still fold to the best that the rest tells.
pub(crate) fn apply(before: Option<Ticket>, event: &Event, fact: &Fact) -> Option<Ticket> {
    let id = event.ticket.clone()?;
    let project = event.project.clone().unwrap_or_else(ProjectName::untracked);
    let mut ticket = before.unwrap_or_else(|| Ticket::unknown(id, project.clone(), event.ts));
    touch(&mut ticket, event, fact);
    match fact {
        Fact::Created(created) => create(&mut ticket, project, event, created),
        Fact::Edited(edited) => edit(&mut ticket, edited),
        Fact::Assigned(assigned) => {
            ticket.assignee.clone_from(&assigned.assignee);
            ticket.assignee_session = None;
        }
        Fact::Released(_) => {
            ticket.assignee = None;
            ticket.assignee_session = None;
            if ticket.prior_status.is_some_and(|prior| prior.is_claimed() || prior == Status::Review) {
                ticket.prior_status = Some(Status::Open);
                ticket.reviewer = None;
            }
        }
        Fact::Held(held) => ticket.hold = Some(Hold { reason: held.reason.clone(), since: event.ts }),
        Fact::Unheld(_) => ticket.hold = None,
        Fact::Waived(waived) => ticket.waived.clone_from(&waived.depends_on),
        Fact::Checked(checked) => {
            if let Some(criterion) =
                checked.criterion.checked_sub(1).and_then(|i| ticket.acceptance.get_mut(i))
            {
                criterion.met = checked.met;
            }
        }
        Fact::Status(to, change) => move_to(&mut ticket, *to, change),
        Fact::Noted(_) => ticket.noted = true,
        Fact::ReviewStarted => {
            ticket.reviewer = Some(Reviewer { name: event.actor.clone(), session: event.session.clone() });
        }
        Fact::ReviewApproved(_) | Fact::ReviewRejected(_) | Fact::ReviewReleased(_) => ticket.reviewer = None,
        Fact::Attempt(report) => {
            ticket.last_outcome = Some(report.outcome);
            // What the loop writes down was made by whom it set to work.
            let start = ticket.work.start.as_ref().filter(|_| event.actor == Who::System.name());
            ticket.attempts.push(Attempt {
                by: start.map_or_else(|| event.actor.clone(), |start| start.agent.clone()),
                ts: event.ts,
                report: (**report).clone(),
            });
        }
        Fact::AttemptStarted(start) => ticket.branch = Some(start.branch.clone()),
        Fact::Read
        | Fact::TestsReady(_)
        | Fact::Submitted(_)
        | Fact::MergeQueued(_)
        | Fact::MergeStarted(_)
        | Fact::MergeValidated(_)
        | Fact::MergeLanding(_)
        | Fact::MergePushed(_)
        | Fact::MergeLanded(_)
        | Fact::MergeFailed(_) => {}
    }
    ticket.work.apply(fact, &event.actor, event.session.as_ref(), event.ts);
    if fact.changes_ticket() {
        ticket.rev = event.rev.unwrap_or(0).max(ticket.rev + 1);
        ticket.updated = event.ts;
    }
    Some(ticket)
}

fn create(ticket: &mut Ticket, project: ProjectName, event: &Event, created: &Created) {
    ticket.title.clone_from(&created.title);
    ticket.project = project;
    ticket.status = created.status;
    ticket.priority = created.priority;
    ticket.depends_on.clone_from(&created.depends_on);
    ticket.tags.clone_from(&created.tags);
    ticket.initiative.clone_from(&created.initiative);
    ticket.area.clone_from(&created.area);
    ticket.slug.clone_from(&created.slug);
    ticket.needs_tests = created.needs_tests;
    ticket.acceptance = criteria(&created.acceptance, &[]);
    ticket.branch.clone_from(&created.branch);
    ticket.services.clone_from(&created.services);
    ticket.submodule.clone_from(&created.submodule);
    ticket.files.clone_from(&created.files);
    ticket.created = event.ts;
}

fn edit(ticket: &mut Ticket, edited: &Edited) {
    fn set<T: Clone>(field: &mut T, value: Option<&T>) {
        if let Some(value) = value {
            field.clone_from(value);
        }
    }
    fn set_or_clear(field: &mut Option<String>, value: Option<&String>) {
        if let Some(value) = value {
            *field = Some(value.clone()).filter(|text| !text.is_empty());
        }
    }
    set(&mut ticket.title, edited.title.as_ref());
    set(&mut ticket.priority, edited.priority.as_ref());
    set(&mut ticket.tags, edited.tags.as_ref());
    set(&mut ticket.needs_tests, edited.needs_tests.as_ref());
    set(&mut ticket.escalated, edited.escalated.as_ref());
    if edited.escalated == Some(false) {
        ticket.work.forgiven = ticket.attempts.len();
    }
    set(&mut ticket.services, edited.services.as_ref());
    set(&mut ticket.files, edited.files.as_ref());
    set_or_clear(&mut ticket.initiative, edited.initiative.as_ref());
    set_or_clear(&mut ticket.area, edited.area.as_ref());
    set_or_clear(&mut ticket.slug, edited.slug.as_ref());
    set_or_clear(&mut ticket.branch, edited.branch.as_ref());
    set_or_clear(&mut ticket.submodule, edited.submodule.as_ref());
    if let Some(depends_on) = &edited.depends_on {
        ticket.depends_on.clone_from(depends_on);
        ticket.waived.retain(|id| depends_on.contains(id));
    }
    if let Some(texts) = &edited.acceptance {
        ticket.acceptance = criteria(texts, &ticket.acceptance);
    }
}

/// Criteria from their texts; one that stood before keeps its tick.
fn criteria(texts: &[String], before: &[Criterion]) -> Vec<Criterion> {
    let was_met = |text: &String| before.iter().any(|c| c.met && &c.text == text);
    texts.iter().map(|text| Criterion { text: text.clone(), met: was_met(text) }).collect()
}

fn move_to(ticket: &mut Ticket, to: Status, change: &StatusChange) {
    ticket.status = to;
    ticket.prior_status = match (to, change.from) {
        // No writer does this, but a log may hold it, and a ticket that goes back to `blocked` never leaves.
        (Status::Blocked, Status::Blocked) => ticket.prior_status,
        (Status::Blocked, from) => Some(from),
        _ => None,
    };
    let returns_from_block = change.returns();
    match to {
        Status::InProgress => {
            if let Some(assignee) = &change.assignee {
                ticket.assignee = Some(assignee.clone());
                ticket.assignee_session.clone_from(&change.assignee_session);
            }
            if !returns_from_block {
                ticket.noted = false;
            }
        }
        Status::Open | Status::Backlog => {
            if matches!(change.cause, Cause::Release | Cause::Reopen | Cause::Override | Cause::Merge) {
                ticket.assignee = None;
                ticket.assignee_session = None;
                ticket.noted = false;
            }
        }
        Status::Done => ticket.completion_notes = change.note.clone().or(ticket.completion_notes.take()),
        Status::Review | Status::Rework | Status::Blocked => {}
    }
    if !returns_from_block && to != Status::Blocked {
        ticket.reviewer = None;
    }
    if change.cause == Cause::Reopen {
        ticket.waived.clear();
    }
    if change.from == Status::Done {
        ticket.work.forgiven = ticket.attempts.len();
    }
    if to == Status::Done {
        ticket.hold = None;
    }
}

/// Remember that the event's session had to do with the ticket.
fn touch(ticket: &mut Ticket, event: &Event, fact: &Fact) {
    if let Some(session) = &event.session {
        let kind = touch_kind(ticket, session, fact);
        remember(ticket, session.clone(), event.lineage.clone(), kind, event);
    }
    // Being assigned counts too, and a human assigns by session or by name.
    if let Fact::Assigned(assigned) = fact
        && let Some(session) = assigned.assignee.as_deref().and_then(|name| SessionId::parse(name).ok())
    {
        remember(ticket, session, Vec::new(), TouchKind::Worked, event);
    }
}

fn touch_kind(ticket: &Ticket, session: &SessionId, fact: &Fact) -> TouchKind {
    let reviews = ticket.reviewer.as_ref().is_some_and(|r| r.session.as_ref() == Some(session));
    let reviewed = ticket.touches.iter().any(|t| t.kind == TouchKind::Reviewed && &t.session == session);
    match fact {
        Fact::ReviewStarted | Fact::ReviewApproved(_) | Fact::ReviewRejected(_) | Fact::ReviewReleased(_) => {
            TouchKind::Reviewed
        }
        Fact::Status(_, change) if change.cause == Cause::Review => TouchKind::Reviewed,
        Fact::Read if reviewed => TouchKind::Reviewed,
        Fact::Noted(_) | Fact::Checked(_) if reviews => TouchKind::Reviewed,
        Fact::Read => TouchKind::Read,
        Fact::Created(_) => TouchKind::Created,
        _ => TouchKind::Worked,
    }
}

fn remember(
    ticket: &mut Ticket,
    session: SessionId,
    lineage: Vec<SessionId>,
    kind: TouchKind,
    event: &Event,
) {
    // An assignment knows only the session; what the session then does itself tells its lineage as well.
    if !ticket.touches.iter().any(|t| t.session == session && t.kind == kind && t.lineage == lineage) {
        ticket.touches.push(Touch {
            session,
            lineage,
            kind,
            event: event.id.clone(),
            name: event.event.clone(),
            ts: event.ts,
        });
    }
}
