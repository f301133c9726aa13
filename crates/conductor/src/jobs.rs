//! What takes long, each on a thread of its own, so that the loop goes on looking. All of it is gone with the process.

use std::collections::HashMap;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use signalbox_core::orchestra::Job;
use signalbox_core::{ProjectName, SessionId, TicketId};

use crate::error::Failed;
use crate::launch::Prepared;
use crate::red::Red;

/// What is being done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Doing {
    Prepare(TicketId),
    CheckTests(TicketId),
    End(SessionId),
    Clean(TicketId),
    /// Looking at commits that somebody put on main past the queue.
    Adopt,
    /// Looking where main is at the remote that merges.
    LookAtRemote,
}

impl Doing {
    /// The ticket that is made ready by it.
    pub fn ticket(&self) -> Option<&TicketId> {
        match self {
            Self::Prepare(ticket) | Self::CheckTests(ticket) => Some(ticket),
            Self::End(_) | Self::Clean(_) | Self::Adopt | Self::LookAtRemote => None,
        }
    }
}

/// What came of it.
pub enum Done {
    Prepared(Box<Result<Prepared, Failed>>),
    Checked(Result<Red, Failed>),
    /// Nothing that has to be written down.
    Other(Result<(), Failed>),
}

/// How long a ticket is left alone the first time that it could not be made ready.
const REST: SignedDuration = SignedDuration::from_secs(15);

struct Resting {
    why: String,
    until: Timestamp,
    times: u32,
}

/// The jobs that run now.
pub struct Jobs {
    running: Vec<Doing>,
    /// What could not be made ready for a reason that is not the ticket's, and when it is tried again.
    resting: HashMap<TicketId, Resting>,
    /// How often in a row workspaces could not be set up, and the end of what was printed the last time.
    set_ups: (u32, String),
    sender: Sender<(Doing, Done)>,
    receiver: Receiver<(Doing, Done)>,
}

impl Default for Jobs {
    fn default() -> Self {
        let (sender, receiver) = channel();
        Self { running: Vec::new(), resting: HashMap::new(), set_ups: Default::default(), sender, receiver }
    }
}

impl Jobs {
    /// Do it on a thread, unless it is being done already.
    pub fn begin(&mut self, doing: Doing, work: impl FnOnce() -> Done + Send + 'static) {
        if self.running.contains(&doing) {
            return;
        }
        self.running.push(doing.clone());
        let sender = self.sender.clone();
        let spawned = std::thread::Builder::new().name("job".to_owned()).spawn({
            let doing = doing.clone();
            move || {
                let done = work();
                let _ = sender.send((doing, done));
            }
        });
        if spawned.is_err() {
            // It is asked for again at the next look.
            self.running.retain(|other| *other != doing);
        }
    }

    /// What is done by now; waits so long for the first.
    pub fn finished(&mut self, wait: Duration) -> Vec<(Doing, Done)> {
        let mut all: Vec<_> = self.receiver.recv_timeout(wait).ok().into_iter().collect();
        all.extend(self.receiver.try_iter());
        self.running.retain(|doing| !all.iter().any(|(done, _)| done == doing));
        all
    }

    /// Leave a ticket alone for a while, longer every time.
    pub fn rest(&mut self, ticket: &TicketId, why: &str, now: Timestamp) {
        let times = self.resting.get(ticket).map_or(0, |before| before.times + 1);
        let pause = REST.saturating_mul(1 << times.min(6));
        let until = now.checked_add(pause).unwrap_or(now);
        self.resting.insert(ticket.clone(), Resting { why: why.to_owned(), until, times });
    }

    /// It went well.
    pub fn rested(&mut self, ticket: &TicketId) {
        self.resting.remove(ticket);
    }

    /// See how setting up a workspace went, if that is what was done.
    pub fn heed(&mut self, done: &Done) {
        let Done::Prepared(prepared) = done else { return };
        match prepared.as_ref() {
            Ok(prepared) if prepared.set_up => self.set_ups = Default::default(),
            Err(Failed::SetUp { output, .. }) => self.set_ups = (self.set_ups.0 + 1, output.clone()),
            _ => {}
        }
    }

    /// The end of what was printed when a workspace could not be set up.
    pub fn printed(&self) -> &str {
        &self.set_ups.1
    }

    /// A person has said that it is to be tried again: nothing that failed counts any more.
    pub fn begin_anew(&mut self) {
        self.set_ups = Default::default();
        self.resting.clear();
    }

    pub fn is_idle(&self) -> bool {
        self.running.is_empty()
    }

    /// As the planner knows them.
    pub fn seen(&self, project: &ProjectName) -> Vec<Job> {
        let seen = |doing: &Doing| match doing {
            Doing::Prepare(ticket) => Some(Job::Prepare(ticket.clone())),
            Doing::CheckTests(ticket) => Some(Job::CheckTests(ticket.clone())),
            Doing::End(session) => Some(Job::End(session.clone())),
            Doing::Clean(_) | Doing::Adopt | Doing::LookAtRemote => None,
        };
        let rests = self.resting.iter().map(|(ticket, resting)| Job::Rests {
            ticket: ticket.clone(),
            why: resting.why.clone(),
            until: resting.until,
        });
        let (project, times) = (project.clone(), self.set_ups.0);
        let fails = (times > 0).then_some(Job::CannotSetUp { project, times });
        self.running.iter().filter_map(seen).chain(rests).chain(fails).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_made_ready_rests_longer_every_time_until_it_can() {
        let mut jobs = Jobs::default();
        let ticket = TicketId::parse("sb_abc123").unwrap();
        let now = Timestamp::UNIX_EPOCH;
        let rest = |jobs: &Jobs| match jobs.seen(&ProjectName::untracked()).as_slice() {
            [Job::Rests { until, .. }] => Some(until.duration_since(now).as_secs()),
            _ => None,
        };
        for seconds in [15, 30, 60, 120] {
            jobs.rest(&ticket, "the disk is full", now);
            assert_eq!(rest(&jobs), Some(seconds));
        }
        jobs.rested(&ticket);
        assert_eq!(jobs.seen(&ProjectName::untracked()), []);
        jobs.rest(&ticket, "the disk is full", now);
        assert_eq!(rest(&jobs), Some(15));
    }
}
