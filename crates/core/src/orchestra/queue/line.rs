//! Who stands in the merge queue, in which order, as the events tell it.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};

use crate::id::{ProjectName, TicketId};
use crate::orchestra::item::Item;
use crate::orchestra::why::{Stage, Why};
use crate::priority::Priority;
use crate::status::Status;
use crate::ticket::Ticket;
use crate::work::Merge;

/// One ticket in the queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub ticket: TicketId,
    pub merge: Merge,
    /// It is not held, nobody is asked about it, nor did a person take it elsewhere.
    pub goes_on: bool,
    pub is_urgent: bool,
}

/// What a remote made of a commit that was pushed to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reached {
    pub commit: String,
    pub tree: String,
}

/// All that the queue sees, anew at every step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// In the order in which they are served.
    pub entries: Vec<Entry>,
    /// Where main is.
    pub main: String,
    /// Which of the commits that [`asks_about`] named are in main's history.
    pub contained: BTreeSet<String>,
    /// Which of them are on main as another commit, because a remote merged them in its own way.
    pub merged: BTreeMap<String, Reached>,
    /// Whether anything may be begun, and main be moved: `ProjectLimits::lands`.
    pub lands: bool,
    /// The highest number of a run that any ticket of the project remembers.
    pub last_run: u64,
}

impl Seen {
    /// The queue of a project, from all its tickets: of those that are done the numbers of the runs are needed.
    pub fn of<'a>(
        tickets: impl IntoIterator<Item = &'a Ticket>,
        project: &ProjectName,
        main: &str,
        contained: BTreeSet<String>,
        lands: bool,
    ) -> Self {
        let mut line: Vec<&Ticket> = Vec::new();
        let mut last_run = 0;
        for ticket in tickets.into_iter().filter(|ticket| ticket.project == *project) {
            last_run = last_run.max(ticket.work.run);
            if stands_in_line(ticket) {
                line.push(ticket);
            }
        }
        line.sort_by_key(|ticket| place(ticket));
        let entries = line.into_iter().filter_map(Entry::of).collect();
        Self { entries, main: main.to_owned(), contained, merged: BTreeMap::new(), lands, last_run }
    }

    pub(super) fn entry(&self, ticket: &TicketId) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.ticket == *ticket)
    }
}

impl Entry {
    fn of(ticket: &Ticket) -> Option<Self> {
        Some(Self {
            ticket: ticket.id.clone(),
            merge: ticket.work.merge.clone()?,
            goes_on: ticket.status == Status::Review && !ticket.escalated,
            is_urgent: ticket.priority == Priority::P0,
        })
    }

    pub(super) fn commit(&self) -> &str {
        self.merge.commit()
    }

    /// Whether a run may take it. What a remote has is its own to merge.
    pub(super) fn waits(&self) -> bool {
        self.goes_on && !matches!(self.merge, Merge::Pushed(_))
    }
}

/// The commits that main may hold without anybody having said so: whoever was to say it was killed, or a remote merged them.
pub fn asks_about<'a>(tickets: impl IntoIterator<Item = &'a Ticket>) -> BTreeSet<String> {
    let merges = tickets.into_iter().filter_map(|ticket| ticket.work.merge.as_ref());
    merges
        .filter_map(|merge| match merge {
            Merge::Landing(at) => Some(at.to.clone()),
            Merge::Pushed(at) => Some(at.to.clone()),
            Merge::Queued(_) | Merge::Building(_) | Merge::Validated(_) => None,
        })
        .collect()
}

/// Whether a ticket is in the queue and not held. What is about to land, or is at a remote, is there whatever became of the
/// ticket, because it may be on main.
fn stands_in_line(ticket: &Ticket) -> bool {
    match &ticket.work.merge {
        Some(Merge::Landing(_) | Merge::Pushed(_)) => true,
        Some(_) => ticket.status == Status::Review,
        None => false,
    }
}

/// First come, first served, but for an outage.
fn place(ticket: &Ticket) -> (bool, Option<Timestamp>, TicketId) {
    (ticket.priority != Priority::P0, ticket.work.queued, ticket.id.clone())
}

/// How far a ticket is in the queue, and how many are before it; `None` where it is not in it.
pub fn why(board: &[Item<'_>], item: &Item<'_>, now: Timestamp) -> Option<Why> {
    let merge = item.ticket.work.merge.as_ref()?;
    let since = item.ticket.work.staged.unwrap_or(now);
    let time = now.duration_since(since).max(SignedDuration::ZERO);
    if let Merge::Pushed(at) = merge {
        return Some(Why::AtRemote { remote: at.remote.clone(), branch: at.branch.clone(), time });
    }
    let stage = Stage::of(merge);
    let mine = (stage == Stage::Queued, place(item.ticket));
    // Those of the same run are not before it but with it.
    let is_before = |other: &&Item<'_>| {
        let ticket = other.ticket;
        let Some(theirs) = ticket.work.merge.as_ref().filter(|_| stands_in_line(ticket)) else {
            return false;
        };
        let same_run = theirs.run().is_some() && theirs.run() == merge.run();
        ticket.project == item.ticket.project
            && !same_run
            && !matches!(theirs, Merge::Pushed(_))
            && (Stage::of(theirs) == Stage::Queued, place(ticket)) < mine
    };
    let before = board.iter().filter(is_before).count();
    Some(Why::InQueue { stage, before, time })
}
