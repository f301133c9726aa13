//! The order of work, and the one batch of one kind that a session is offered.

use std::cmp::Reverse;

use jiff::Timestamp;

use crate::id::TicketId;
use crate::independence::may_review;
use crate::priority::Priority;
use crate::status::Status;
use crate::ticket::Ticket;
use crate::who::Who;

/// What kind of work a batch is. Never both: an agent gets one job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Open,
    Review,
}

/// What a session is offered, most urgent first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batch<'a> {
    pub kind: Kind,
    pub tickets: Vec<&'a Ticket>,
}

/// Work is taken by priority, then by age.
pub fn order(ticket: &Ticket) -> (Priority, Timestamp, &TicketId) {
    (ticket.priority, ticket.created, &ticket.id)
}

/// Choose between the open tickets and those in review, of what this asker may take.
///
/// The kind whose most urgent ticket scores higher wins; review gets half a step of priority on top,
/// because a cleared review frees others to go on.
pub fn choose<'a>(
    tickets: impl IntoIterator<Item = &'a Ticket>,
    who: &Who,
    most: usize,
) -> Option<Batch<'a>> {
    let (mut open, mut review) = (Vec::new(), Vec::new());
    for ticket in tickets {
        if ticket.is_ready_for(who) {
            open.push(ticket);
        } else if ticket.status == Status::Review
            && ticket.work.wants_review()
            && (ticket.reviewer.is_none() || ticket.is_reviewed_by(who))
            && may_review(ticket, who).is_ok()
        {
            review.push(ticket);
        }
    }
    open.sort_by(|a, b| order(a).cmp(&order(b)));
    review.sort_by(|a, b| order(a).cmp(&order(b)));
    // Twice the priority, so that half a step is a whole number; lower is more urgent.
    let score =
        |tickets: &[&Ticket], boost: i32| tickets.first().map(|t| Reverse(t.priority as i32 * 2 - boost));
    let review_wins = score(&review, 1) > score(&open, 0);
    let (kind, mut tickets) = if review_wins { (Kind::Review, review) } else { (Kind::Open, open) };
    tickets.truncate(most);
    (!tickets.is_empty()).then_some(Batch { kind, tickets })
}
