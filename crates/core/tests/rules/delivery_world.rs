//! Deliveries by keyboard in a small world: a person and a CLI that is slow, loses returns and stops reading.

use std::cmp::Ordering;
use std::collections::VecDeque;

use jiff::SignedDuration;
use proptest::prelude::*;
use signalbox_core::EventId;
use signalbox_core::delivery::{Action, Activity, Delivery, Holds, Input, Reading, Timing};
use signalbox_core::inject::{Failure, Fate};

use crate::delivery::{at, new};

const MESSAGE: &str = "OURS";

/// What the person does next.
#[derive(Debug, Clone, Copy)]
enum Doing {
    Nothing,
    Key(char),
    Erase,
    Enter,
    /// A slash command that opens a menu; the next return closes it.
    Menu,
}

/// What is on its way to the CLI.
#[derive(Debug, Clone, Copy)]
enum Coming {
    Person(Doing),
    Paste,
    Submit,
    Withdraw,
}

/// A CLI with an input box, as it would be with us (`text`, `sent`) and without (`own`, `own_sent`).
#[derive(Default)]
struct World {
    text: String,
    sent: Vec<String>,
    own: String,
    own_sent: Vec<String>,
    held: Option<Vec<Doing>>,
    keys: u64,
    pressed_at: i64,
    /// When a key of the person's was last passed on, when something was typed for them, and when the CLI last printed something.
    passed_at: i64,
    typed_at: i64,
    printed_at: i64,
    /// What the CLI has not read yet, and until when it reads nothing.
    coming: Vec<Coming>,
    stalled_until: i64,
    working_until: i64,
    /// While one is open, keystrokes go there.
    dialog: bool,
    /// When the agent will ask for something.
    dialog_at: Option<i64>,
    into_dialog: u32,
    /// What was typed and is not shown yet, and when it will be.
    echo_at: i64,
    shown: String,
    shown_above: u32,
    /// When the hooks of what was sent tell of it, in their order.
    hooks: VecDeque<(i64, bool)>,
    hook_lag: i64,
    waits_for_hooks: bool,
    /// When the last turn begins.
    begins_at: i64,
    /// Something of the person's was taken out of the box.
    took_theirs: bool,
}

impl World {
    fn person(&mut self, doing: Doing, now: i64) -> Option<Input> {
        if matches!(doing, Doing::Nothing) {
            return None;
        }
        self.pressed_at = now;
        if let Some(held) = &mut self.held {
            held.push(doing);
            return Some(Input::PersonWaits);
        }
        self.keys += 1;
        self.take(Coming::Person(doing), now);
        Some(Input::PersonTyped)
    }

    /// Something is typed. The CLI reads it when it reads again.
    fn take(&mut self, coming: Coming, now: i64) {
        match coming {
            Coming::Person(_) => self.passed_at = now,
            Coming::Paste | Coming::Submit | Coming::Withdraw => self.typed_at = now,
        }
        self.coming.push(coming);
        self.read(now);
    }

    fn read(&mut self, now: i64) {
        if now < self.stalled_until {
            return;
        }
        let mut submitted = None;
        for coming in std::mem::take(&mut self.coming) {
            match coming {
                Coming::Person(doing) => self.press(doing, now),
                Coming::Paste => self.text.push_str(MESSAGE),
                // Gemini CLI takes a second return that it reads at once for what stood there at the first.
                Coming::Submit => {
                    self.text =
                        if self.text.is_empty() { submitted.unwrap_or_default() } else { self.text.clone() };
                    submitted = Some(self.text.clone());
                    self.enter(now);
                }
                // A return before it may have been read in the last moment. Nothing else may stand there.
                Coming::Withdraw => {
                    self.took_theirs |= !matches!(self.text.as_str(), MESSAGE | "");
                    self.text.clear();
                }
            }
        }
    }

    fn press(&mut self, doing: Doing, now: i64) {
        if self.dialog {
            self.dialog = !matches!(doing, Doing::Enter);
            return;
        }
        match doing {
            Doing::Nothing => {}
            Doing::Menu => self.dialog = true,
            Doing::Key(c) => {
                self.text.push(c);
                self.own.push(c);
            }
            Doing::Erase => {
                self.text.pop();
                self.own.pop();
            }
            Doing::Enter => {
                self.enter(now);
                if !self.own.is_empty() {
                    self.own_sent.push(std::mem::take(&mut self.own));
                }
            }
        }
    }

    fn enter(&mut self, now: i64) {
        if !self.text.is_empty() {
            self.hooks.push_back((now + self.hook_lag, self.text == MESSAGE));
            self.sent.push(std::mem::take(&mut self.text));
            // Some show and do nothing before their hook has ended. That of the person's own prompts is over before they are quiet.
            let waits = self.waits_for_hooks && self.sent.last().is_some_and(|text| text == MESSAGE);
            self.begins_at = now + if waits { self.hook_lag } else { 0 };
            self.working_until = self.begins_at + 700;
            self.dialog_at = self.sent.len().is_multiple_of(3).then_some(self.begins_at + 300);
        }
    }

    fn look(&mut self, now: i64) -> (Reading, u64) {
        self.read(now);
        if now >= self.echo_at && now >= self.stalled_until {
            self.printed_at = now;
            self.shown.clone_from(&self.text);
            let begun = self.sent.len() - usize::from(now < self.begins_at).min(self.sent.len());
            let ours = self.sent.iter().take(begun).filter(|text| *text == MESSAGE).count();
            self.shown_above = u32::try_from(ours).unwrap();
        }
        if self.dialog_at.is_some_and(|at| now >= at) {
            self.dialog_at = None;
            self.dialog = true;
        }
        let is_behind = self.printed_at <= self.passed_at;
        let holds = match self.shown.as_str() {
            _ if self.dialog => Holds::Hidden,
            _ if self.held.is_none() && is_behind => Holds::Unknown,
            "" => Holds::Empty,
            MESSAGE => Holds::Ours,
            _ => Holds::Other,
        };
        let activity = match self.dialog {
            true => Activity::Dialog,
            false if (self.begins_at..self.working_until).contains(&now) => Activity::Working,
            false => Activity::Idle,
        };
        (Reading { holds, activity, above: self.shown_above }, self.keys)
    }

    fn release(&mut self, now: i64) {
        for doing in self.held.take().unwrap_or_default() {
            self.keys += 1;
            self.take(Coming::Person(doing), now);
        }
    }

    /// What the next hook tells, if it is time.
    fn hook(&mut self, now: i64) -> Option<Input> {
        let (_, ours) = self.hooks.pop_front_if(|(at, _)| *at <= now)?;
        ours.then_some(Input::Prompted)
    }
}

fn doing() -> impl Strategy<Value = Doing> {
    prop_oneof![
        30 => Just(Doing::Nothing),
        6 => prop::char::range('a', 'e').prop_map(Doing::Key),
        2 => Just(Doing::Erase),
        1 => Just(Doing::Enter),
        1 => Just(Doing::Menu),
    ]
}

/// How the CLI is at one moment: how late it shows things, whether it loses a return, begins to work by itself, and stops reading
/// for so many turns.
fn moment() -> impl Strategy<Value = (i64, bool, bool, i64)> {
    let stall = prop_oneof![200 => Just(0), 1 => 10..100i64];
    (0..8i64, prop::bool::weighted(0.1), prop::bool::weighted(0.02), stall)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    /// A person types, erases, sends, opens menus and answers dialogs while a message is delivered to a CLI that shows things late, loses
    /// returns, reads nothing for seconds and whose hooks take as long. The message arrives once or not at all, the receipt is true,
    /// and the person's own text and prompts are what they would have been.
    #[test]
    fn drafts_stay_whole_and_messages_arrive_once(
        doings in prop::collection::vec((doing(), moment()), 200..400),
        quiet_from in 50..200usize,
        hears_prompts in prop::bool::ANY,
        hook_lag in prop_oneof![0..500i64, 0..9_000i64],
        waits_for_hooks in prop::bool::ANY,
    ) {
        let timing = Timing { hears_prompts, quiet: SignedDuration::from_millis(300), ..Timing::default() };
        let mut world = World { hook_lag, waits_for_hooks, ..World::default() };
        let mut delivery = new(timing);
        let mut now = 0;
        let mut outcome = None;
        let rest = std::iter::repeat_n((Doing::Nothing, (1, false, false, 0)), 1_200);
        for (n, (doing, (delay, loses_return, wakes, stall))) in doings.into_iter().chain(rest).enumerate() {
            now += 50;
            if wakes && now >= world.working_until {
                (world.begins_at, world.working_until) = (now, now + 300);
            }
            world.stalled_until = world.stalled_until.max(if stall > 0 { now + stall * 50 } else { 0 });
            // In the end the person sends what they have, so that nothing stands in the way.
            let doing = match n.cmp(&quiet_from) {
                Ordering::Less => doing,
                Ordering::Equal => Doing::Enter,
                Ordering::Greater if n % 20 == 0 && (world.dialog || !world.own.is_empty()) => Doing::Enter,
                Ordering::Greater => Doing::Nothing,
            };
            let mut inputs: Vec<Input> = world.person(doing, now).into_iter().collect();
            if hears_prompts {
                inputs.extend(world.hook(now));
            }
            let (reading, seen) = world.look(now);
            let is_silent = world.held.is_some() && world.printed_at <= world.typed_at;
            inputs.push(if is_silent { Input::Silent } else { Input::Reading(reading) });
            for input in inputs {
                let action = delivery.step(&input, at(now));
                let types = matches!(action, Action::Paste | Action::Submit | Action::Withdraw);
                world.into_dialog += u32::from(types && world.dialog && world.keys == seen);
                let free = world.keys == seen && world.held.as_ref().is_none_or(Vec::is_empty);
                match action {
                    Action::Wait => {}
                    Action::Release => world.release(now),
                    Action::Defer(_) => {
                        let was_tried = delivery.tries() > 0;
                        delivery = Delivery::new(EventId::new(1, [0; 10]), timing, at(now))
                            .person_typed_at(at(world.pressed_at))
                            .tried_before(was_tried);
                    }
                    Action::Done(_) | Action::Fail(_) => {
                        outcome.get_or_insert(action);
                    }
                    Action::Paste if free => {
                        world.echo_at = now + delay * 50;
                        world.held = Some(Vec::new());
                        world.take(Coming::Paste, now);
                        delivery.step(&Input::Typed, at(now));
                    }
                    Action::Submit if free => {
                        if !loses_return {
                            world.echo_at = now + delay * 50;
                            world.take(Coming::Submit, now);
                        }
                        delivery.step(&Input::Typed, at(now));
                    }
                    // The box holds what we see of it, whoever is waiting to type.
                    Action::Withdraw if world.keys == seen => {
                        world.held.get_or_insert_default();
                        world.take(Coming::Withdraw, now);
                        delivery.step(&Input::Typed, at(now));
                    }
                    Action::Paste | Action::Submit | Action::Withdraw => {
                        delivery.step(&Input::NotTyped, at(now));
                    }
                }
            }
        }
        prop_assert!(!world.took_theirs, "that was not ours to take out");
        prop_assert_eq!(world.into_dialog, 0, "it typed into a dialog");
        let ours = world.sent.iter().filter(|text| *text == MESSAGE).count();
        match &outcome {
            Some(Action::Done(receipt)) => {
                prop_assert_eq!(ours, 1, "said to be delivered");
                let delivered = matches!(receipt.fate, Fate::Delivered { .. });
                prop_assert!(delivered);
            }
            Some(Action::Fail(Failure::Unconfirmed)) => prop_assert!(ours <= 1),
            Some(Action::Fail(_)) => prop_assert_eq!(ours, 0, "said not to be delivered"),
            other => return Err(TestCaseError::fail(format!("no outcome: {other:?}, {delivery:?}"))),
        }
        let others: Vec<&String> = world.sent.iter().filter(|text| *text != MESSAGE).collect();
        prop_assert_eq!(others, world.own_sent.iter().collect::<Vec<_>>(), "a prompt was changed");
        prop_assert_eq!(world.text, world.own, "a draft was changed");
    }
}
