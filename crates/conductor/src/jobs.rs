//! What takes long, each on a thread of its own, so that the loop goes on looking. All of it is gone with the process.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use signalbox_core::orchestra::Job;
use signalbox_core::{SessionId, TicketId};

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
}

/// What came of it.
pub enum Done {
    Prepared(Box<Result<Prepared, Failed>>),
    Checked(Result<Red, Failed>),
    /// Nothing that has to be written down.
    Other(Result<(), Failed>),
}

/// The jobs that run now.
pub struct Jobs {
    running: Vec<Doing>,
    sender: Sender<(Doing, Done)>,
    receiver: Receiver<(Doing, Done)>,
}

impl Default for Jobs {
    fn default() -> Self {
        let (sender, receiver) = channel();
        Self { running: Vec::new(), sender, receiver }
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

    pub fn is_idle(&self) -> bool {
        self.running.is_empty()
    }

    /// As the planner knows them.
    pub fn seen(&self) -> Vec<Job> {
        let seen = |doing: &Doing| match doing {
            Doing::Prepare(ticket) => Some(Job::Prepare(ticket.clone())),
            Doing::CheckTests(ticket) => Some(Job::CheckTests(ticket.clone())),
            Doing::End(session) => Some(Job::End(session.clone())),
            Doing::Clean(_) | Doing::Adopt => None,
        };
        self.running.iter().filter_map(seen).collect()
    }
}
