//! The queue of one agent: bounded, by priority and then by age, nothing leaves it without a receipt.

use jiff::Timestamp;

use super::{Deferred, Failure, Fate, Injection, Receipt, Waiting};
use crate::id::EventId;

/// What waits for one agent, the next one first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Queue {
    waiting: Vec<Waiting>,
    most: usize,
}

/// Whether something can be delivered now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readiness {
    Ready,
    NotYet(Deferred),
}

/// What to do now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    Nothing,
    /// Deliver this one; it is no longer in the queue.
    Deliver(Waiting),
    /// The first one has to wait. The receipt is there where it waits for something else than before.
    Wait(Option<Receipt>),
}

impl Queue {
    pub fn new(most: usize) -> Self {
        Self { waiting: Vec::new(), most: most.max(1) }
    }

    /// A queue of what waits already. It may be longer than allowed; it only does not grow then.
    pub fn of(waiting: Vec<Waiting>, most: usize) -> Self {
        let mut queue = Self { waiting, most: most.max(1) };
        queue.waiting.sort_by(|a, b| a.injection.order().cmp(&b.injection.order()));
        queue
    }

    /// In the order of delivery.
    pub fn waiting(&self) -> &[Waiting] {
        &self.waiting
    }

    pub fn get(&self, id: &EventId) -> Option<&Waiting> {
        self.waiting.iter().find(|waiting| waiting.injection.id == *id)
    }

    /// Add a message, and say what that means for it and for others. One that waits already stays as it is.
    pub fn push(&mut self, injection: Injection, now: Timestamp) -> Vec<Receipt> {
        if self.get(&injection.id).is_some() {
            return Vec::new();
        }
        let mut receipts = self.expire(now);
        if injection.expires_at() <= now {
            receipts.push(expired(&injection.clone().into(), now));
            return receipts;
        }
        if injection.key.is_some() {
            let by = injection.id.clone();
            receipts.extend(self.remove_where(
                |waiting| waiting.injection.key == injection.key,
                |_| Fate::Superseded { by: by.clone() },
            ));
        }
        if self.waiting.len() >= self.most {
            match self.least_important() {
                Some(victim) if victim.injection.priority >= injection.priority => {
                    let victim = victim.injection.id.clone();
                    receipts.extend(self.remove(&victim).map(|_| failed(&victim, Failure::Evicted)));
                }
                _ => {
                    receipts.push(failed(&injection.id, Failure::Full));
                    return receipts;
                }
            }
        }
        receipts.push(queued(&injection));
        let at = self.waiting.partition_point(|other| other.injection.order() < injection.order());
        self.waiting.insert(at, injection.into());
        receipts
    }

    /// Take out what has waited too long.
    pub fn expire(&mut self, now: Timestamp) -> Vec<Receipt> {
        self.remove_where(
            |waiting| waiting.injection.expires_at() <= now,
            |waiting| expired(waiting, now).fate,
        )
    }

    /// The next one, if it can be delivered. What has expired is not; see [`Queue::expire`].
    pub fn next(&mut self, now: Timestamp, readiness: Readiness) -> Next {
        let Some(at) = self.waiting.iter().position(|waiting| waiting.injection.expires_at() > now) else {
            return Next::Nothing;
        };
        match readiness {
            Readiness::Ready => Next::Deliver(self.waiting.remove(at)),
            Readiness::NotYet(reason) => {
                let id = self.waiting[at].injection.id.clone();
                Next::Wait(self.defer(&id, reason))
            }
        }
    }

    /// Note what one waits for; a receipt only where that is news.
    pub fn defer(&mut self, id: &EventId, reason: Deferred) -> Option<Receipt> {
        let waiting = self.waiting.iter_mut().find(|waiting| waiting.injection.id == *id)?;
        if waiting.deferred.replace(reason) == Some(reason) {
            return None;
        }
        Some(Receipt::new(id, Fate::Deferred { reason, door: None }))
    }

    /// Take one out; what becomes of it is the caller's to say.
    pub fn remove(&mut self, id: &EventId) -> Option<Waiting> {
        let at = self.waiting.iter().position(|waiting| waiting.injection.id == *id)?;
        Some(self.waiting.remove(at))
    }

    /// The lowest priority, and of that the oldest.
    fn least_important(&self) -> Option<&Waiting> {
        let lowest = self.waiting.last()?.injection.priority;
        self.waiting.iter().find(|waiting| waiting.injection.priority == lowest)
    }

    fn remove_where(
        &mut self,
        leaves: impl Fn(&Waiting) -> bool,
        fate: impl Fn(&Waiting) -> Fate,
    ) -> Vec<Receipt> {
        let (gone, stays) = std::mem::take(&mut self.waiting).into_iter().partition(leaves);
        self.waiting = stays;
        let gone: Vec<Waiting> = gone;
        gone.iter().map(|waiting| Receipt::new(&waiting.injection.id, fate(waiting))).collect()
    }
}

fn queued(injection: &Injection) -> Receipt {
    let Injection { priority, ttl_seconds, key, from, text, .. } = injection.clone();
    Receipt::new(&injection.id, Fate::Queued { priority, ttl_seconds, key, from, text })
}

fn expired(waiting: &Waiting, now: Timestamp) -> Receipt {
    // A clock that was set back has let nobody wait.
    let waited = now.duration_since(waiting.injection.queued_at).as_secs().max(0);
    let fate = Fate::Expired { waited_seconds: waited.unsigned_abs(), reason: waiting.deferred };
    Receipt::new(&waiting.injection.id, fate)
}

fn failed(id: &EventId, reason: Failure) -> Receipt {
    Receipt::new(id, Fate::Failed { reason, door: None, detail: None })
}
