//! The machine itself: what follows from where a delivery stands and what was seen of it.

use jiff::{SignedDuration, Timestamp};

use super::stage::{Seen, Stage};
use super::{Action, Activity, Holds, Input, Phase, Reading, Timing};
use crate::id::EventId;
use crate::inject::{Deferred, Door, Failure, Fate, Receipt};

/// How often one pasted text is taken out of the box before it is left to the person. Each time more patience is had with
/// a CLI that may only be slow; all of it together takes a minute and a half.
const MOST_WITHDRAWS: u32 = 5;

/// How long the text must be seen above an empty box to have been taken.
const CERTAIN: SignedDuration = SignedDuration::from_millis(300);

/// The machine.
#[derive(Debug, Clone)]
pub struct Delivery {
    injection: EventId,
    timing: Timing,
    stage: Stage,
    tries: u32,
    /// An earlier delivery has pasted it too.
    was_tried: bool,
    /// When something was last typed.
    typed_at: Option<Timestamp>,
    /// The person's keystrokes are being held back.
    holding: bool,
    person_at: Option<Timestamp>,
    /// Of this try.
    seen: Seen,
    last_reason: Deferred,
    trouble: Failure,
}

impl Delivery {
    pub fn new(injection: EventId, timing: Timing, now: Timestamp) -> Self {
        Self {
            injection,
            timing,
            stage: Stage::Waiting { since: now },
            tries: 0,
            was_tried: false,
            typed_at: None,
            holding: false,
            person_at: None,
            seen: Seen::default(),
            last_reason: Deferred::UnknownState,
            trouble: Failure::NotShown,
        }
    }

    /// When the person last typed, where that was before.
    #[must_use]
    pub fn person_typed_at(mut self, at: Timestamp) -> Self {
        self.person_at = Some(at);
        self
    }

    /// Whether the CLI tells by a hook of every prompt, as far as is known by now.
    pub fn hears_prompts(&mut self, hears: bool) {
        self.timing.hears_prompts = hears;
    }

    /// An earlier delivery may have pasted it: a hook that tells of it now is that one's, and late.
    #[must_use]
    pub fn tried_before(self, was_tried: bool) -> Self {
        Self { was_tried, ..self }
    }

    pub fn phase(&self) -> Phase {
        match &self.stage {
            Stage::Waiting { .. } | Stage::Pasting { .. } => Phase::Waiting,
            Stage::Pasted { .. } | Stage::Stranded => Phase::Pasted,
            Stage::Submitting { .. } => Phase::Verified,
            Stage::Submitted { .. } => Phase::Submitted,
            Stage::Ended(Action::Done(_)) => Phase::Taken,
            Stage::Withdrawing { .. } | Stage::Ended(_) => Phase::Withdrawn,
        }
    }

    /// How often it was pasted.
    pub fn tries(&self) -> u32 {
        self.tries
    }

    /// Take in what is told, and answer what to do. After the end the answer stays the same.
    pub fn step(&mut self, input: &Input, now: Timestamp) -> Action {
        self.note(input, now);
        let reading = if let Input::Reading(reading) = input { Some(*reading) } else { None };
        match (self.stage.clone(), input) {
            (Stage::Ended(end), _) => self.end(end),
            (_, Input::Exited) => self.exited(),
            // The hook of an earlier try came late.
            (Stage::Waiting { .. }, _) if self.seen.prompted && (self.was_tried || self.tries > 0) => {
                self.taken()
            }
            (stage, Input::Silent) if self.typed_at.is_some_and(|at| now < at + self.timing.silence) => {
                self.stage = stage.from(now);
                Action::Wait
            }
            (Stage::Waiting { since }, _) => self.waiting(since, reading, now),
            (Stage::Pasting { .. }, Input::NotTyped) => self.end(Action::Defer(Deferred::PersonTyping)),
            (Stage::Pasting { since }, input) => {
                // Without an answer it counts as typed: what is seen decides.
                if *input == Input::Typed || now >= since + self.timing.show {
                    self.stage = Stage::Pasted { since: now };
                }
                Action::Wait
            }
            (_, _) if self.seen.prompted && self.is_gone(reading) => self.taken(),
            (Stage::Pasted { since }, _) => self.pasted(since, reading, now),
            (Stage::Submitting { .. }, Input::NotTyped) => {
                self.seen.submits -= 1;
                self.stage = Stage::Pasted { since: now };
                Action::Wait
            }
            (Stage::Submitting { since }, input) => {
                if *input == Input::Typed || now >= since + self.timing.show {
                    self.stage = Stage::Submitted { since: now };
                }
                Action::Wait
            }
            (Stage::Submitted { since }, _) => self.submitted(since, reading, now),
            (Stage::Withdrawing { .. }, Input::NotTyped) => self.strand(now),
            (Stage::Withdrawing { since, .. }, Input::Typed) => {
                self.stage = Stage::Withdrawing { since, typed: true };
                Action::Wait
            }
            (Stage::Withdrawing { since, typed }, _) => self.withdrawing(since, typed, reading, now),
            (Stage::Stranded, _) => self.stranded(reading, now),
        }
    }

    fn note(&mut self, input: &Input, now: Timestamp) {
        match input {
            Input::PersonTyped => {
                self.person_at = Some(now);
                self.seen.person_typed = true;
            }
            Input::PersonWaits => {
                self.person_at = Some(now);
                self.seen.person_waits = true;
            }
            Input::Prompted => self.seen.prompted = true,
            // It may come late, when nobody waits for it any more.
            Input::NotTyped => self.seen.person_typed = true,
            Input::Reading(reading) => {
                // What happens after the person has typed, or after we took it out, may have another cause. So may
                // work that begins while the text still stands in the box.
                let is_gone = !matches!(
                    reading.holds,
                    Holds::Ours | Holds::Collapsed | Holds::Partly | Holds::Behind | Holds::Unknown
                );
                self.seen.behind |= reading.holds == Holds::Behind && !self.seen.person_typed;
                let sent = self.seen.submits > 0 && is_gone && !self.seen.person_typed;
                let works = reading.activity == Activity::Working;
                self.seen.worked |= sent && works && self.seen.withdraws == 0;
                self.seen.emptied |= sent && reading.holds == Holds::Empty && self.seen.withdraws == 0;
                self.seen.stirred |= works && self.seen.withdraws > 0;
                // A picture that is only half drawn may show the box twice.
                if reading.holds == Holds::Empty && reading.above > self.seen.above_before {
                    let since = *self.seen.above_since.get_or_insert(now);
                    self.seen.above |= now >= since + CERTAIN;
                } else {
                    self.seen.above_since = None;
                }
            }
            Input::Typed => self.typed_at = Some(now),
            Input::Silent | Input::Exited | Input::Tick => {}
        }
    }

    fn waiting(&mut self, since: Timestamp, reading: Option<Reading>, now: Timestamp) -> Action {
        if self.tries > 0 && !self.seen.person_typed && reading.is_some_and(Reading::is_ours) {
            // A try that was given up shows after all.
            self.seen.stranded = None;
            return self.strand(now);
        }
        if let Some(reading) = reading
            && now >= since
        {
            match self.why_not(reading, now) {
                None => {
                    self.tries += 1;
                    self.holding = true;
                    self.seen = Seen { above_before: reading.above, ..Seen::default() };
                    self.stage = Stage::Pasting { since: now };
                    return Action::Paste;
                }
                Some(reason) => self.last_reason = reason,
            }
        }
        if now >= since + self.timing.patience {
            self.end(Action::Defer(self.last_reason))
        } else {
            Action::Wait
        }
    }

    /// What keeps the text from being pasted.
    fn why_not(&self, reading: Reading, now: Timestamp) -> Option<Deferred> {
        match (reading.activity, reading.holds) {
            (Activity::Dialog, _) => Some(Deferred::Dialog),
            (Activity::Working, _) => Some(Deferred::Busy),
            (Activity::Unknown, _) | (_, Holds::Hidden | Holds::Unknown) => Some(Deferred::UnknownState),
            (
                Activity::Idle,
                Holds::Ours | Holds::Collapsed | Holds::Partly | Holds::Behind | Holds::Other,
            ) => Some(Deferred::Draft),
            (Activity::Idle, Holds::Empty) if !self.person_is_quiet(now) => Some(Deferred::PersonTyping),
            (Activity::Idle, Holds::Empty) => None,
        }
    }

    fn pasted(&mut self, since: Timestamp, reading: Option<Reading>, now: Timestamp) -> Action {
        let late = now >= since + self.timing.show;
        // Somebody types, or the hook of an earlier try came late: then it must not be sent.
        let stop = self.seen.person_typed || self.seen.person_waits || self.seen.prompted;
        let Some(reading) = reading else {
            // Nobody looks: leave the box to the person until somebody does.
            return if now >= since + self.timing.show * 2 { self.strand(now) } else { Action::Wait };
        };
        match (reading.holds, reading.activity) {
            (_, Activity::Dialog) => self.strand(now),
            (Holds::Ours | Holds::Collapsed, Activity::Idle) if !stop => {
                if now < *self.seen.shown.get_or_insert(now) + self.timing.settle {
                    return Action::Wait;
                }
                self.seen.submits += 1;
                self.stage = Stage::Submitting { since: now };
                Action::Submit
            }
            (Holds::Ours | Holds::Collapsed, Activity::Idle | Activity::Working) if stop || late => {
                self.withdraw(Failure::NotTaken, now)
            }
            (Holds::Other | Holds::Partly | Holds::Behind | Holds::Empty, _) if self.seen.person_typed => {
                self.strand(now)
            }
            (Holds::Behind, _) if self.is_left(reading) => self.withdraw(Failure::NotShown, now),
            _ if late && self.is_left(reading) => self.withdraw(Failure::NotShown, now),
            // A slow CLI may still show it.
            (Holds::Empty, Activity::Idle | Activity::Working) if late => {
                self.trouble = Failure::NotShown;
                self.strand(now)
            }
            _ if late => self.strand(now),
            _ => Action::Wait,
        }
    }

    fn submitted(&mut self, since: Timestamp, reading: Option<Reading>, now: Timestamp) -> Action {
        let Seen { prompted, worked, above, emptied, submits, .. } = self.seen;
        let person = self.seen.person_typed || self.seen.person_waits;
        let late = now >= since + self.timing.take;
        let is_empty = reading.is_some_and(|reading| reading.holds == Holds::Empty);
        // An interrupted turn puts the text back into the box; it was taken all the same.
        if emptied && worked || is_empty && above || late && prompted {
            return self.taken();
        }
        if now >= since + self.timing.stranded {
            return self.end(Action::Fail(Failure::Unconfirmed));
        }
        let Some(reading) = reading else { return Action::Wait };
        let is_ours = reading.is_ours();
        // The person may need the keyboard now, for a dialog for instance. A picture that is only half drawn tells nothing.
        let is_drawn = reading.holds != Holds::Unknown || now >= since + self.timing.show;
        if self.holding && (!is_ours && is_drawn || reading.activity == Activity::Dialog || late) {
            return self.release();
        }
        let unsent = is_ours && reading.activity == Activity::Idle && !prompted && !above;
        // The CLI needs a moment to take it out of the box.
        if unsent && now >= since + self.timing.resubmit {
            if !person && !worked && submits < self.timing.submits {
                self.seen.submits += 1;
                self.stage = Stage::Submitting { since: now };
                return Action::Submit;
            }
            if person {
                return self.withdraw(Failure::NotTaken, now);
            }
        }
        // Whatever the CLI is busy with, it has not taken this.
        if late && (is_ours || !worked && !above) && self.is_left(reading) {
            return self.withdraw(Failure::NotTaken, now);
        }
        if late && !is_ours && !worked && !above {
            return self.end(Action::Fail(Failure::Unconfirmed));
        }
        Action::Wait
    }

    fn withdrawing(
        &mut self,
        since: Timestamp,
        typed: bool,
        reading: Option<Reading>,
        now: Timestamp,
    ) -> Action {
        let holds = reading.map(|reading| reading.holds);
        // What stands there now is what stood before it.
        let is_somebodys = self.seen.behind && matches!(holds, Some(Holds::Other | Holds::Partly));
        if typed && (is_somebodys || holds == Some(Holds::Empty)) {
            self.seen.withdrawn = true;
            self.seen.person_typed |= is_somebodys;
            // If it was submitted before, it may have been taken in the last moment: that must show first.
            return if self.seen.submits > 0 { self.strand(now) } else { self.again(now) };
        }
        if now >= since + self.timing.show { self.strand(now) } else { Action::Wait }
    }

    /// The person has the keyboard, and it is to be seen what becomes of the text.
    fn stranded(&mut self, reading: Option<Reading>, now: Timestamp) -> Action {
        let since = *self.seen.stranded.get_or_insert(now);
        if now >= since + self.timing.stranded {
            return self.end(Action::Fail(Failure::LeftInBox));
        }
        let Some(reading) = reading else { return Action::Wait };
        let quiet = self.person_is_quiet(now);
        match (reading.holds, reading.activity) {
            _ if self.is_left(reading) => {
                self.seen.gone = None;
                self.seen.withdrawn = false;
                match self.withdraws_from() {
                    Some(from) if quiet && now >= from => self.withdraw(self.trouble, now),
                    None if now >= self.gives_up_at() => self.end(Action::Fail(Failure::LeftInBox)),
                    _ => Action::Wait,
                }
            }
            (Holds::Empty, Activity::Idle | Activity::Working) => {
                let Seen { above, worked, withdrawn, stirred, submits, person_typed, .. } = self.seen;
                if above || worked {
                    return self.taken();
                }
                let gone = *self.seen.gone.get_or_insert(now);
                // What never was in the box may only be late, and so may the hook that tells of what was sent.
                let unseen = submits == 0 && !withdrawn;
                let long = if unseen || submits > 0 { self.timing.take } else { self.timing.show };
                if now < gone + long {
                    Action::Wait
                } else if self.timing.hears_prompts || (withdrawn || unseen && !person_typed) && !stirred {
                    // Had it been sent, something would have told by now.
                    self.again(now)
                } else {
                    self.end(Action::Fail(Failure::Unconfirmed))
                }
            }
            (Holds::Other, _)
                if !self.seen.person_typed && self.seen.withdraws > 0 && !self.seen.withdrawn =>
            {
                self.seen.gone = None;
                if now < self.gives_up_at() {
                    Action::Wait
                } else {
                    self.end(Action::Fail(Failure::LeftInBox))
                }
            }
            // The person writes something new, after we took ours out. What was submitted before may have been taken in the last
            // moment: the hook that would tell of it gets its time.
            (Holds::Other, Activity::Idle)
                if self.seen.withdrawn && !self.seen.worked && !self.seen.above =>
            {
                let gone = *self.seen.gone.get_or_insert(now);
                match self.seen.submits {
                    1.. if now < gone + self.timing.take => Action::Wait,
                    1.. if !self.timing.hears_prompts => self.end(Action::Fail(Failure::Unconfirmed)),
                    _ => self.end(Action::Defer(Deferred::PersonTyping)),
                }
            }
            _ => {
                self.seen.gone = None;
                Action::Wait
            }
        }
    }

    /// Whether our text stands in the box, where it can be taken out. The box was empty and nobody typed since: then
    /// whatever stands in it is ours, however the CLI shows it.
    fn is_left(&self, reading: Reading) -> bool {
        let nobody_typed = !self.seen.person_typed && !self.seen.withdrawn;
        match (reading.holds, reading.activity) {
            (_, Activity::Dialog) => false,
            (Holds::Ours | Holds::Collapsed, _) => true,
            (Holds::Behind, _) => nobody_typed,
            (Holds::Partly | Holds::Unknown, Activity::Idle | Activity::Working) => {
                nobody_typed && !self.seen.behind
            }
            // Once: where that does not help it may be somebody's after all.
            (Holds::Other, Activity::Idle | Activity::Working) => {
                nobody_typed && !self.seen.behind && self.seen.withdraws == 0
            }
            _ => false,
        }
    }

    /// From when on it may be taken out once more; `None` where that was tried often enough.
    fn withdraws_from(&self) -> Option<Timestamp> {
        (self.seen.withdraws < MOST_WITHDRAWS).then(|| self.gives_up_at())
    }

    /// When the last withdrawal has had time to show.
    fn gives_up_at(&self) -> Timestamp {
        let pause = self.timing.show * 2_i32.saturating_pow(self.seen.withdraws.saturating_sub(1).min(8));
        self.seen.withdrew.map_or(Timestamp::MIN, |at| at + pause)
    }

    fn withdraw(&mut self, trouble: Failure, now: Timestamp) -> Action {
        self.trouble = trouble;
        self.seen.withdraws += 1;
        self.seen.withdrew = Some(now);
        self.holding = true;
        self.stage = Stage::Withdrawing { since: now, typed: false };
        Action::Withdraw
    }

    /// Nothing of it is in the box: let the person type, and try again later if that makes sense.
    fn again(&mut self, now: Timestamp) -> Action {
        if self.seen.prompted {
            return self.taken();
        }
        if self.seen.person_typed || self.seen.person_waits {
            return self.end(Action::Defer(Deferred::PersonTyping));
        }
        if self.tries >= self.timing.tries {
            return self.end(Action::Fail(self.trouble));
        }
        let back_off = self.timing.back_off * 2_i32.saturating_pow(self.tries.saturating_sub(1).min(8));
        self.last_reason = Deferred::Retrying;
        self.stage = Stage::Waiting { since: now + back_off };
        self.release()
    }

    fn strand(&mut self, now: Timestamp) -> Action {
        self.seen.stranded.get_or_insert(now);
        self.stage = Stage::Stranded;
        self.release()
    }

    fn release(&mut self) -> Action {
        if std::mem::take(&mut self.holding) {
            self.seen.person_typed |= self.seen.person_waits;
            Action::Release
        } else {
            Action::Wait
        }
    }

    fn taken(&mut self) -> Action {
        let fate = Fate::Delivered { door: Door::Keyboard, tries: self.tries };
        self.end(Action::Done(Receipt::new(&self.injection, fate)))
    }

    fn exited(&mut self) -> Action {
        let unsure =
            self.seen.submits > 0 || matches!(self.stage, Stage::Stranded) && !self.timing.hears_prompts;
        match self.stage {
            Stage::Waiting { .. } | Stage::Pasting { .. } => self.end(Action::Defer(Deferred::Exited)),
            _ if self.seen.prompted => self.taken(),
            _ if unsure => self.end(Action::Fail(Failure::Unconfirmed)),
            _ => self.end(Action::Defer(Deferred::Exited)),
        }
    }

    /// What was held back goes first.
    fn end(&mut self, end: Action) -> Action {
        self.stage = Stage::Ended(end.clone());
        match self.release() {
            Action::Release => Action::Release,
            _ => end,
        }
    }

    fn person_is_quiet(&self, now: Timestamp) -> bool {
        self.person_at.is_none_or(|at| now >= at + self.timing.quiet)
    }

    /// Whether a look shows the box without our text.
    fn is_gone(&self, reading: Option<Reading>) -> bool {
        reading.is_some_and(|reading| matches!(reading.holds, Holds::Empty | Holds::Hidden | Holds::Other))
    }
}
