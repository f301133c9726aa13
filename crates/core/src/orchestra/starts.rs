//! Who is set to work, where more tickets want it than there is room for.
//!
//! Between projects, the one with the smallest share of its room in use goes first, and among equals the one that was
//! served longest ago. Within a project the most urgent ticket goes first, then the oldest; half a day of waiting is worth
//! a step of priority, so that nothing waits for ever, and only an outage is never overtaken. A ticket that would change
//! what another is changing waits for a while, unless nobody at all is at work.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};

use super::Step;
use super::fleet::Job;
use super::item::Item;
use super::overlap::overlap;
use super::sight::{Sight, Wanting};
use super::why::Why;
use crate::fact::Outcome;
use crate::id::{ProjectName, TicketId};
use crate::priority::Priority;
use crate::role::Role;
use crate::ticket::Ticket;

/// How much waiting is worth one step of priority.
const STEP: SignedDuration = SignedDuration::from_hours(12);

/// Choose whom to set to work, and say of all others what they wait for.
pub(super) fn choose(sight: &mut Sight<'_>) {
    let mut room = Room::seen(sight);
    let mut wanting = std::mem::take(&mut sight.wanting);
    wanting.sort_by_key(|one| rank(one.item.ticket));
    let mut delayed: Vec<(Wanting<'_>, Why)> = Vec::new();
    let mut waiting: Vec<Wanting<'_>> = Vec::new();
    while let Some(next) = next(&wanting, &room) {
        let one = wanting.remove(next);
        if !room.has_room(&one) {
            waiting.push(one);
        } else if let Some(why) = room.in_the_way(sight, &one) {
            delayed.push((one, why));
        } else {
            start(sight, &mut room, &one);
        }
    }
    for (one, why) in delayed {
        let is_idle = room.running(&one.item.ticket.project) == 0;
        if is_idle && room.has_room(&one) {
            start(sight, &mut room, &one);
        } else {
            sight.because(one.item, why);
        }
    }
    for (before, one) in waiting.iter().enumerate() {
        let project = &one.item.ticket.project;
        let overall = room.running(project) < one.limits.concurrency;
        let running = if overall { room.total } else { room.running(project) };
        let before =
            waiting[..before].iter().filter(|other| overall || other.item.ticket.project == *project).count();
        sight.because(one.item, Why::NoRoom { running, before, overall });
    }
}

fn start<'a>(sight: &mut Sight<'_>, room: &mut Room<'a>, one: &Wanting<'a>) {
    let ticket = one.item.ticket;
    let last = ticket.attempts.last().filter(|attempt| attempt.report.role == Some(one.role));
    let resume = last.is_some_and(|attempt| attempt.report.outcome == Outcome::OutOfQuota);
    sight.step(Step::Start { ticket: ticket.id.clone(), role: one.role, resume });
    sight.because(one.item, Why::Starts { role: one.role });
    room.take(one.item.ticket, one.role, &one.item.files);
}

/// The order within a project.
fn rank(ticket: &Ticket) -> (bool, Timestamp, Reverse<Priority>, TicketId) {
    let steps = i32::try_from(ticket.priority as usize).unwrap_or_default();
    let due = ticket.created.saturating_add(STEP * steps).unwrap_or(Timestamp::MAX);
    (ticket.priority != Priority::P0, due, Reverse(ticket.priority), ticket.id.clone())
}

/// The one whose turn it is, of tickets in their own order.
fn next(wanting: &[Wanting<'_>], room: &Room<'_>) -> Option<usize> {
    let mut firsts: BTreeMap<&ProjectName, (usize, &Wanting<'_>)> = BTreeMap::new();
    for (at, one) in wanting.iter().enumerate() {
        firsts.entry(&one.item.ticket.project).or_insert((at, one));
    }
    let turn = |(project, (_, one)): &(&ProjectName, (usize, &Wanting<'_>))| {
        // In thousandths, rounded: shares of small numbers.
        let share = room.running(project) * 1000 / one.limits.concurrency.max(1);
        let outage = one.item.ticket.priority != Priority::P0;
        (share, outage, room.served.get(project).copied(), rank(one.item.ticket))
    };
    firsts.into_iter().min_by_key(turn).map(|(_, (at, _))| at)
}

/// What is in use.
struct Room<'a> {
    limit: usize,
    total: usize,
    busy: BTreeMap<ProjectName, BTreeSet<TicketId>>,
    /// When somebody was last set to work in a project.
    served: BTreeMap<ProjectName, Timestamp>,
    changes: Vec<Changes<'a>>,
}

/// The files that a ticket is changing, on the way to main or in a workspace.
struct Changes<'a> {
    project: ProjectName,
    ticket: TicketId,
    files: Vec<&'a [String]>,
}

impl<'a> Room<'a> {
    fn seen(sight: &Sight<'a>) -> Self {
        let mut room = Self {
            limit: sight.limits.agents,
            total: 0,
            busy: BTreeMap::new(),
            served: BTreeMap::new(),
            changes: Vec::new(),
        };
        // An agent of a ticket that is not on the board takes room all the same.
        let alive: BTreeSet<&TicketId> =
            sight.fleet.agents.iter().filter(|agent| agent.is_alive()).map(|agent| &agent.ticket).collect();
        let mut unknown = alive.clone();
        for item in sight.board {
            unknown.remove(item.id());
            room.see(sight, item, alive.contains(item.id()));
        }
        room.total += unknown.len();
        room
    }

    fn see(&mut self, sight: &Sight<'a>, item: &'a Item<'a>, has_agent: bool) {
        let ticket = item.ticket;
        let last = ticket.attempts.last().map(|attempt| attempt.ts).max(ticket.work.started);
        if let Some(last) = last {
            let served = self.served.entry(ticket.project.clone()).or_insert(last);
            *served = last.max(*served);
        }
        let arrives = ticket.work.start.as_ref().is_some_and(|start| {
            !sight.fleet.agents.iter().any(|agent| agent.session == start.session && !agent.is_alive())
        });
        let is_busy = has_agent || arrives || sight.is_under_way(&Job::Prepare(ticket.id.clone()));
        if is_busy && self.busy.entry(ticket.project.clone()).or_default().insert(ticket.id.clone()) {
            self.total += 1;
        }
        // What was handed in is in the way until it has landed.
        if is_busy || ticket.work.start.is_some() || ticket.work.submission.is_some() {
            let agents =
                sight.fleet.agents.iter().filter(|agent| agent.ticket == ticket.id && agent.is_alive());
            let mut files: Vec<&'a [String]> = agents.map(|agent| agent.changed.as_slice()).collect();
            files.push(&item.files);
            self.changes.push(Changes { project: ticket.project.clone(), ticket: ticket.id.clone(), files });
        }
    }

    fn running(&self, project: &ProjectName) -> usize {
        self.busy.get(project).map_or(0, BTreeSet::len)
    }

    fn has_room(&self, one: &Wanting<'_>) -> bool {
        self.total < self.limit && self.running(&one.item.ticket.project) < one.limits.concurrency
    }

    /// That somebody changes what this ticket would change. A reviewer changes nothing.
    fn in_the_way(&self, sight: &mut Sight<'_>, one: &Wanting<'_>) -> Option<Why> {
        let ticket = one.item.ticket;
        let until = ticket.updated.saturating_add(one.limits.overlap).unwrap_or(Timestamp::MAX);
        if one.role == Role::Reviewer || until <= sight.now || ticket.updated > sight.now {
            return None;
        }
        let others =
            self.changes.iter().filter(|other| other.project == ticket.project && other.ticket != ticket.id);
        let (other, file) = others
            .flat_map(|other| other.files.iter().map(move |files| (other, *files)))
            .find_map(|(other, files)| Some((other, overlap(&one.item.files, files)?)))?;
        sight.wake(until);
        let left = until.duration_since(sight.now);
        Some(Why::Overlaps { with: other.ticket.clone(), file: file.to_owned(), left })
    }

    fn take(&mut self, ticket: &Ticket, role: Role, files: &'a [String]) {
        self.total += 1;
        self.busy.entry(ticket.project.clone()).or_default().insert(ticket.id.clone());
        if role != Role::Reviewer {
            let (project, ticket) = (ticket.project.clone(), ticket.id.clone());
            self.changes.push(Changes { project, ticket, files: vec![files] });
        }
    }
}
