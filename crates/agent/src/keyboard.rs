//! The last way in: a message is pasted into the input box and sent off, by the hands of the pump.
//!
//! What to do when is decided by [`Delivery`]; this only looks, types and tells. Every look comes after all output was
//! taken in, and every keystroke of ours is refused by the pump if the person typed since that look.

use std::time::Duration;

use jiff::Timestamp;
use signalbox_core::delivery::{Action, Activity, Delivery, Holds, Input, Reading, Timing};
use signalbox_core::inject::{Deferred, Fate, Waiting};
use signalbox_drivers::terminal::{Echo, InputBox, Sight, Terminal};
use signalbox_pty::pump::{Condition, Hold, NotTyped};
use signalbox_pty::{Handle, Paste, Safe};
use signalbox_store::clock;

use crate::look::Look;

/// Between two looks. A CLI draws a paste within some tens of milliseconds.
const TURN: Duration = Duration::from_millis(30);
/// How long the person's keystrokes are held back at the most, whatever goes wrong. Longer than a program may be silent and then
/// take to show something: what is let go before stands behind our text.
const HOLD: Duration = Duration::from_secs(16);
/// How long a program may print nothing after a key of the person's before it is taken for one that has nothing to show
/// for it.
const ANSWERED: Duration = Duration::from_secs(30);
/// So many characters of a text are enough to know it by.
const KNOWN_BY: usize = 60;
/// A shorter text than this may stand anywhere on the screen.
const TELLING: usize = 8;

/// So many rows and columns around the text in an input box belong to the CLI.
const MARGIN: usize = 6;

/// What became of it.
#[derive(Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It is over.
    Over(Fate),
    /// Nothing of it is in the CLI, and it may be tried again after so many tries.
    Later(Deferred, u32),
}

/// What the keyboard needs of the agent while it types.
pub trait Desk {
    /// Take in everything and say what is there now.
    fn look(&mut self) -> Look;
    /// Whether a prompt with this text was sent since the last question, as hooks tell.
    fn prompted(&mut self, text: &str) -> bool;
    /// Whether hooks tell of prompts. That is known from the first one on.
    fn hears_prompts(&self) -> bool;
    /// Whether the agent has ended.
    fn is_over(&self) -> bool;
}

/// Deliver one message. Returns when it is taken, given up or put off.
pub fn deliver(desk: &mut dyn Desk, handle: &Handle, terminal: &Terminal, waiting: &Waiting) -> Outcome {
    let text = Safe::new(&waiting.injection.text);
    let usual = Timing::default();
    // A box that looks empty may hold what the screen has not shown yet.
    let lag = jiff::SignedDuration::try_from(terminal.lag).unwrap_or(usual.quiet);
    let settle = jiff::SignedDuration::try_from(terminal.settle).unwrap_or(usual.settle);
    let timing = Timing { quiet: usual.quiet.max(lag), settle, ..usual };
    let mut delivery =
        Delivery::new(waiting.injection.id.clone(), timing, clock::now()).tried_before(waiting.tries > 0);
    // Before the time: a key that comes between the two must not look as old as the one before it.
    let seq = handle.input_seq();
    if let Some(at) = typed_at(handle) {
        delivery = delivery.person_typed_at(at);
    }
    let mut hands = Hands { handle, terminal, text: &text, hold: None, seq, is_behind: false };
    loop {
        let inputs = hands.see(desk, waiting);
        delivery.hears_prompts(desk.hears_prompts());
        for input in inputs {
            let mut input = input;
            // What was done is told at once, and may lead to more.
            loop {
                match delivery.step(&input, clock::now()) {
                    Action::Wait => break,
                    Action::Done(receipt) => return Outcome::Over(receipt.fate),
                    Action::Fail(reason) => {
                        let door = Some(signalbox_core::inject::Door::Keyboard);
                        return Outcome::Over(Fate::Failed { reason, door, detail: None });
                    }
                    Action::Defer(reason) => return Outcome::Later(reason, delivery.tries()),
                    Action::Release => {
                        hands.hold = None;
                        break;
                    }
                    Action::Paste => input = hands.paste(desk),
                    Action::Submit => input = hands.add(terminal.submit.as_bytes()),
                    Action::Withdraw => input = hands.withdraw(),
                }
            }
        }
        std::thread::sleep(TURN);
    }
}

/// Whether the screen may not show yet what the person typed last: the program is stopped, or has no time.
pub fn is_behind(handle: &Handle) -> bool {
    !handle.has_answered() && handle.last_input_at().is_some_and(|at| at.elapsed() < ANSWERED)
}

/// When the person typed last, by the clock on the wall.
fn typed_at(handle: &Handle) -> Option<Timestamp> {
    let ago = handle.last_input_at()?.elapsed();
    clock::now().checked_sub(jiff::SignedDuration::try_from(ago).ok()?).ok()
}

struct Hands<'a> {
    handle: &'a Handle,
    terminal: &'a Terminal,
    text: &'a Safe,
    hold: Option<Hold>,
    /// How often the person had typed when we last looked.
    seq: u64,
    /// The text stood behind another one when we last looked.
    is_behind: bool,
}

impl Hands<'_> {
    /// What happened since the last look, and what there is to see now.
    fn see(&mut self, desk: &mut dyn Desk, waiting: &Waiting) -> Vec<Input> {
        if desk.is_over() {
            return vec![Input::Exited];
        }
        let mut inputs = Vec::new();
        let seq = self.handle.input_seq();
        if seq != self.seq {
            inputs.push(if self.hold.is_some() { Input::PersonWaits } else { Input::PersonTyped });
            self.seq = seq;
        }
        let look = desk.look();
        if desk.prompted(&waiting.injection.text) {
            inputs.push(Input::Prompted);
        }
        // What is seen then is older than what was typed.
        if self.hold.is_some() && self.handle.is_silent() {
            inputs.push(Input::Silent);
            return inputs;
        }
        let reading = self.reading(&look);
        self.is_behind = reading.holds == Holds::Behind;
        inputs.push(Input::Reading(reading));
        inputs
    }

    fn reading(&self, look: &Look) -> Reading {
        let echo = self.terminal.echo(&look.seen.reading.input, self.text.as_str());
        // The box was empty and nobody else could type since: then what is out of sight is ours as well.
        let is_too_large = self.hold.is_some() && overflows(&look.seen.sight, self.text.as_str());
        let holds = match (&look.seen.reading.input, echo) {
            // The screen does not show yet what the person typed last.
            (InputBox::Empty | InputBox::Draft(_), _) if self.hold.is_none() && is_behind(self.handle) => {
                Holds::Unknown
            }
            (InputBox::Empty, _) => Holds::Empty,
            (InputBox::Hidden, _) => Holds::Hidden,
            // Nobody can make out such a box, but what is in it can be taken out again.
            (InputBox::Unknown, _) if is_too_large => Holds::Other,
            (InputBox::Unknown, _) => Holds::Unknown,
            (InputBox::Draft(_), Echo::Whole) => Holds::Ours,
            (InputBox::Draft(_), Echo::End) if is_too_large => Holds::Ours,
            (InputBox::Draft(_), Echo::Collapsed) => Holds::Collapsed,
            (InputBox::Draft(_), Echo::End | Echo::Partly) => Holds::Partly,
            (InputBox::Draft(_), Echo::Behind) => Holds::Behind,
            (InputBox::Draft(_), Echo::Other) => Holds::Other,
        };
        let shown = || count(&look.seen.sight.rows.concat(), self.text.as_str());
        let above = match &look.seen.reading.input {
            InputBox::Draft(draft) => shown().saturating_sub(count(draft, self.text.as_str())),
            InputBox::Empty => shown(),
            // What is in a box that nobody can make out may be all that is seen of it.
            InputBox::Hidden | InputBox::Unknown => 0,
        };
        Reading { holds, activity: look.activity(), above }
    }

    fn paste(&mut self, desk: &mut dyn Desk) -> Input {
        let how = if desk.look().seen.sight.marks_pastes { Paste::Bracketed } else { Paste::Unmarked };
        let condition = Condition::unchanged_since(self.seq).holding(HOLD);
        match self.handle.type_if(&self.text.paste(how), condition) {
            Ok(hold) => {
                self.hold = hold;
                Input::Typed
            }
            Err(NotTyped::Over) => Input::Exited,
            // A part of it is in the box: what is seen there decides.
            Err(NotTyped::Stuck { .. }) => Input::Typed,
            Err(_) => Input::NotTyped,
        }
    }

    /// Type more under the hold that there is.
    fn add(&mut self, bytes: &[u8]) -> Input {
        let Some(hold) = &self.hold else { return Input::NotTyped };
        match hold.type_more(bytes) {
            Ok(()) => Input::Typed,
            Err(NotTyped::Over) => Input::Exited,
            Err(_) => Input::NotTyped,
        }
    }

    fn withdraw(&mut self) -> Input {
        let bytes = if self.is_behind {
            // Not one more: what stands before it is somebody's.
            vec![0x7f; self.text.as_str().chars().count()]
        } else {
            (self.terminal.withdraw)(self.text.as_str())
        };
        if self.hold.is_some() && self.add(&bytes) == Input::Typed {
            return Input::Typed;
        }
        self.hold = None;
        match self.handle.type_if(&bytes, Condition::unchanged_since(self.seq).holding(HOLD)) {
            Ok(hold) => {
                self.hold = hold;
                Input::Typed
            }
            Err(NotTyped::Over) => Input::Exited,
            Err(_) => Input::NotTyped,
        }
    }
}

/// How often the beginning of a text stands somewhere, however lines are broken.
fn count(shown: &str, text: &str) -> u32 {
    let plain = |text: &str| text.chars().filter(|letter| !letter.is_whitespace()).collect::<String>();
    let wanted: String = plain(text).chars().take(KNOWN_BY).collect();
    if wanted.chars().count() < TELLING {
        return 0;
    }
    u32::try_from(plain(shown).matches(&wanted).count()).unwrap_or(u32::MAX)
}

/// Whether a text fills the screen, wherever the CLI has its margins.
fn overflows(sight: &Sight, text: &str) -> bool {
    let columns = usize::from(sight.columns).saturating_sub(MARGIN).max(1);
    let needed: usize = text.lines().map(|line| (line.chars().count() / columns) + 1).sum();
    needed + MARGIN > sight.rows.len()
}

impl Look {
    /// What the agent does, as far as typing is concerned: nothing is done on a guess.
    fn activity(&self) -> Activity {
        use signalbox_core::inject::Readiness;
        match self.assessment.readiness() {
            Readiness::Ready => Activity::Idle,
            Readiness::NotYet(Deferred::Busy) => Activity::Working,
            Readiness::NotYet(Deferred::Dialog) => Activity::Dialog,
            Readiness::NotYet(_) => Activity::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two crates know of it: what the pump holds back, and how long the machine waits.
    #[test]
    fn keys_are_held_back_for_longer_than_a_silent_program_is_waited_for() {
        let Timing { silence, show, .. } = Timing::default();
        assert!(jiff::SignedDuration::try_from(HOLD).expect("a short time") > silence + show);
    }
}
