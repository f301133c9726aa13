//! Who may review a ticket: nobody of a lineage that had to do with it.

use crate::refusal::Refusal;
use crate::ticket::{Ticket, Touch, TouchKind};
use crate::who::{Agent, Who};

/// Refuse a reviewer who is not independent, naming the event that disqualifies.
///
/// A session is out if it touched the ticket in any way but as its reviewer, if a session it descends from
/// worked on it, or if a session it started worked on it. Two sessions started by the same third one are
/// independent of each other: that is how a team reviews its own tickets. Humans may always review.
pub fn may_review(ticket: &Ticket, who: &Who) -> Result<(), Refusal> {
    let Who::Agent(agent) = who else { return Ok(()) };
    let Some((touch, relation)) =
        ticket.touches.iter().find_map(|touch| Some((touch, relation(touch, agent)?)))
    else {
        return Ok(());
    };
    let what = match touch.kind {
        TouchKind::Created => "filed it",
        TouchKind::Read => "read it before the review",
        TouchKind::Worked => "worked on it",
        TouchKind::Reviewed => "reviewed it",
    };
    Err(Refusal::new(
        "review.not-independent",
        format!(
            "{} may not review {}: {relation} {what} ({} at {})",
            agent.name,
            ticket.id,
            touch.name,
            crate::time::short(touch.ts)
        ),
    )
    .hint("Let a session that had nothing to do with it, or a human, review it.")
    .evidence([touch.event.clone()]))
}

fn relation(touch: &Touch, agent: &Agent) -> Option<String> {
    let worked = touch.kind == TouchKind::Worked;
    if touch.session == agent.session || touch.session.as_str() == agent.name {
        (touch.kind != TouchKind::Reviewed).then(|| "this session".to_owned())
    } else if worked && agent.lineage.contains(&touch.session) {
        Some(format!("the session it was started from ({})", touch.session))
    } else if worked && touch.lineage.contains(&agent.session) {
        Some(format!("a session it started ({})", touch.session))
    } else {
        None
    }
}
