//! Messages in a queue of the CLI's own. One has arrived when the CLI tells of it as a prompt, and not before: a CLI may
//! leave its queue alone for as long as it likes, and Codex does so after an interrupted turn, until the next prompt.

use jiff::{SignedDuration, Timestamp};
use signalbox_core::agent::State;
use signalbox_core::inject::{Deferred, Door, Failure, Fate};
use signalbox_store::outbox::{Claim, Outbox};

/// How long an idle CLI may leave its queue alone. Codex looks into it every ten seconds.
const LONG: SignedDuration = SignedDuration::from_secs(60);

/// What is in the queue, and whether the CLI looks into it.
#[derive(Debug, Default)]
pub struct Handed {
    claims: Vec<Claim>,
    /// The last turn was interrupted, and there was no prompt since.
    is_shut: bool,
    /// Since when the CLI could have taken one.
    idle: Option<Timestamp>,
}

impl Handed {
    /// Whether the CLI takes nothing from its queue now.
    pub fn is_shut(&self) -> bool {
        self.is_shut
    }

    pub fn add(&mut self, claim: Claim) {
        self.claims.push(claim);
        self.idle = None;
    }

    pub fn interrupted(&mut self) {
        self.is_shut = true;
    }

    /// The CLI tells of a prompt.
    pub fn prompted(&mut self, prompt: &str, outbox: &Outbox) {
        self.is_shut = false;
        self.idle = None;
        let is_told = |claim: &Claim| tells_of(prompt, &claim.waiting.injection.text);
        // The first: the same may have been said twice.
        if let Some(at) = self.claims.iter().position(is_told) {
            // What cannot be written down now is settled at the next start.
            let _ = outbox.finish(&self.claims.remove(at), Fate::Delivered { door: Door::Queue, tries: 1 });
        }
    }

    /// Say so where they are not taken.
    pub fn look(&mut self, state: State, now: Timestamp, outbox: &Outbox) {
        for claim in self.claims.iter_mut().filter(|_| self.is_shut) {
            let _ = outbox.keep_waiting(claim, Deferred::InQueue, Door::Queue);
        }
        if self.is_shut || state != State::Idle {
            self.idle = None;
        } else if now.duration_since(*self.idle.get_or_insert(now)) > LONG {
            self.give_up("it is in the CLI's own queue", outbox);
        }
    }

    /// The CLI has ended.
    pub fn end(&mut self, outbox: &Outbox) {
        self.give_up("it is in the CLI's own queue, for when the conversation is resumed", outbox);
    }

    fn give_up(&mut self, detail: &str, outbox: &Outbox) {
        for claim in self.claims.drain(..) {
            let (reason, detail) = (Failure::Unconfirmed, Some(detail.to_owned()));
            let _ = outbox.finish(&claim, Fate::Failed { reason, door: Some(Door::Queue), detail });
        }
    }
}

/// Whether a prompt is or contains this text, as far as the log keeps it.
pub fn tells_of(prompt: &str, text: &str) -> bool {
    const KEPT: usize = 1_000;
    let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let wanted: String = plain(text).chars().take(KEPT).collect();
    plain(prompt).contains(&wanted)
}
