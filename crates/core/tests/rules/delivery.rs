//! One delivery by keyboard: what it must never do whatever it is told, and what comes of it in a small world.

use std::cmp::Ordering;

use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;
use signalbox_core::EventId;
use signalbox_core::delivery::{Action, Activity, Delivery, Holds, Input, Phase, Reading, Timing};
use signalbox_core::inject::{Deferred, Failure, Fate};

fn at(millis: i64) -> Timestamp {
    Timestamp::from_millisecond(1_763_000_000_000 + millis).unwrap()
}

fn new(timing: Timing) -> Delivery {
    Delivery::new(EventId::new(1, [0; 10]), timing, at(0))
}

fn look(holds: Holds, activity: Activity) -> Input {
    Input::Reading(Reading { holds, activity, above: 0 })
}

const EMPTY: Input = Input::Reading(Reading { holds: Holds::Empty, activity: Activity::Idle, above: 0 });
const OURS: Input = Input::Reading(Reading { holds: Holds::Ours, activity: Activity::Idle, above: 0 });
const TAKEN: Input = Input::Reading(Reading { holds: Holds::Empty, activity: Activity::Working, above: 0 });

/// Feed it one by one, 100 ms apart, and list what it wants to do.
fn play(timing: Timing, inputs: &[Input]) -> Vec<Action> {
    let mut delivery = new(timing);
    let mut now = 0;
    let mut actions = Vec::new();
    for input in inputs {
        now += 100;
        let action = delivery.step(input, at(now));
        if action != Action::Wait && actions.last() != Some(&action) {
            actions.push(action);
        }
    }
    actions
}

fn names(actions: &[Action]) -> Vec<String> {
    actions
        .iter()
        .map(|action| match action {
            Action::Done(receipt) => receipt.to_string(),
            other => format!("{other:?}"),
        })
        .collect()
}

fn check(inputs: &[Input], want: &[&str]) {
    let found = names(&play(Timing::default(), inputs));
    assert_eq!(found, want, "{inputs:#?}");
}

#[test]
fn the_straight_way() {
    let way = [EMPTY, Input::Typed, EMPTY, OURS, Input::Typed, OURS, TAKEN, Input::Tick];
    check(&way, &["Paste", "Submit", "Release", "delivered through the keyboard"]);
    let mut delivery = new(Timing::default());
    let mut phases = vec![delivery.phase()];
    for (n, input) in (1..).zip(&way) {
        delivery.step(input, at(n * 100));
        phases.push(delivery.phase());
    }
    phases.dedup();
    assert_eq!(phases, [Phase::Waiting, Phase::Pasted, Phase::Verified, Phase::Submitted, Phase::Taken]);
}

#[test]
fn the_hook_is_proof_enough_once_the_box_is_empty() {
    check(
        &[EMPTY, Input::Typed, OURS, Input::Typed, Input::Prompted, EMPTY, Input::Tick],
        &["Paste", "Submit", "Release", "delivered through the keyboard"],
    );
}

#[test]
fn an_empty_box_alone_proves_nothing() {
    let mut way = vec![EMPTY, Input::Typed, OURS, Input::Typed];
    way.extend(vec![EMPTY; 110]);
    check(&way, &["Paste", "Submit", "Release", "Fail(Unconfirmed)"]);
}

#[test]
fn the_text_above_the_box_counts_only_if_it_was_not_there_before() {
    let seen = |holds, above| Input::Reading(Reading { holds, activity: Activity::Idle, above });
    let way = |before, after| {
        let start = vec![seen(Holds::Empty, before), Input::Typed, seen(Holds::Ours, before), Input::Typed];
        [start, vec![seen(Holds::Empty, after); 110]].concat()
    };
    check(&way(1, 2), &["Paste", "Submit", "Release", "delivered through the keyboard"]);
    check(&way(1, 1), &["Paste", "Submit", "Release", "Fail(Unconfirmed)"]);
}

#[test]
fn what_keeps_it_from_being_pasted() {
    for (reading, reason) in [
        (look(Holds::Other, Activity::Idle), Deferred::Draft),
        (look(Holds::Empty, Activity::Working), Deferred::Busy),
        (look(Holds::Empty, Activity::Dialog), Deferred::Dialog),
        (look(Holds::Empty, Activity::Unknown), Deferred::UnknownState),
        (look(Holds::Unknown, Activity::Idle), Deferred::UnknownState),
        (look(Holds::Hidden, Activity::Idle), Deferred::UnknownState),
    ] {
        check(&vec![reading; 30], &[&format!("Defer({reason:?})")]);
    }
    let typing: Vec<Input> = (0..15).flat_map(|_| [Input::PersonTyped, EMPTY]).collect();
    check(&typing, &["Defer(PersonTyping)"]);
    check(&[EMPTY, Input::NotTyped, Input::Tick], &["Paste", "Release", "Defer(PersonTyping)"]);
}

#[test]
fn the_person_comes_first() {
    check(
        &[EMPTY, Input::Typed, Input::PersonWaits, OURS, Input::Typed, EMPTY, Input::Tick],
        &["Paste", "Withdraw", "Release", "Defer(PersonTyping)"],
    );
}

#[test]
fn a_dialog_is_never_answered() {
    let dialog = look(Holds::Ours, Activity::Dialog);
    let mut way = vec![EMPTY, Input::Typed, dialog.clone(), dialog];
    // The person answers it, and the text still stands there.
    way.extend([Input::PersonTyped, OURS]);
    way.extend(vec![OURS; 20]);
    way.extend([Input::Typed, EMPTY, Input::Tick]);
    check(&way, &["Paste", "Release", "Withdraw", "Release", "Defer(PersonTyping)"]);
}

#[test]
fn a_lost_return_is_pressed_again_and_only_while_the_text_is_seen_in_the_box() {
    let mut way = vec![EMPTY, Input::Typed, OURS, Input::Typed];
    way.extend(vec![OURS; 12]);
    way.extend([Input::Typed, TAKEN, Input::Tick]);
    let found = play(Timing::default(), &way);
    let submits = found.iter().filter(|action| **action == Action::Submit).count();
    assert!(matches!(found.last(), Some(Action::Done(_))), "{found:?}");
    assert_eq!(submits, 1, "equal neighbours are listed once: {found:?}");
}

#[test]
fn a_return_waits_until_the_text_has_been_shown_for_long_enough() {
    let timing = Timing { settle: SignedDuration::from_millis(400), ..Timing::default() };
    let submitted_at = |shown_after: usize| {
        let mut way = vec![EMPTY, Input::Typed];
        way.extend(vec![EMPTY; shown_after]);
        way.extend(vec![OURS; 10]);
        let mut delivery = new(timing);
        let mut steps = (1..).zip(&way);
        steps.find_map(|(n, input)| (delivery.step(input, at(n * 100)) == Action::Submit).then_some(n))
    };
    assert_eq!(submitted_at(0), Some(3 + 4), "400 ms after the first look that shows it");
    assert_eq!(submitted_at(9), Some(3 + 9 + 4), "however late it is shown");
    // Nobody need wait for that: a person who types meanwhile comes first.
    let way = [EMPTY, Input::Typed, OURS, Input::PersonWaits, OURS, Input::Typed, EMPTY, Input::Tick];
    assert_eq!(names(&play(timing, &way)), ["Paste", "Withdraw", "Release", "Defer(PersonTyping)"]);
}

#[test]
fn what_the_cli_shows_otherwise_is_taken_out_and_tried_again_a_few_times() {
    let mut delivery = new(Timing::default());
    let mut now = 0;
    let mut actions = Vec::new();
    let mut shown = EMPTY;
    for _ in 0..400 {
        now += 100;
        let action = delivery.step(&shown, at(now));
        match action {
            Action::Paste => shown = look(Holds::Other, Activity::Idle),
            Action::Withdraw => shown = EMPTY,
            _ => {}
        }
        if matches!(action, Action::Paste | Action::Withdraw) {
            delivery.step(&Input::Typed, at(now));
        }
        if action != Action::Wait && actions.last() != Some(&action) {
            actions.push(action);
        }
    }
    let round = ["Paste", "Withdraw", "Release"];
    assert_eq!(names(&actions), [&round[..], &round, &round, &["Fail(NotShown)"]].concat());
    assert_eq!(delivery.tries(), 3);
}

/// A CLI that shows one thing after the paste, and for ever, whatever is typed.
fn frozen(shows: Input) -> (Vec<Action>, i64) {
    let mut delivery = new(Timing::default());
    let mut actions = Vec::new();
    let mut shown = EMPTY;
    for now in (100..).step_by(100) {
        let action = delivery.step(&shown, at(now));
        if matches!(action, Action::Paste | Action::Submit | Action::Withdraw) {
            shown = shows.clone();
            delivery.step(&Input::Typed, at(now));
        }
        let is_over = matches!(action, Action::Done(_) | Action::Fail(_) | Action::Defer(_));
        if action != Action::Wait {
            actions.push(action);
        }
        if is_over {
            return (actions, now);
        }
    }
    unreachable!("it goes on for ever")
}

#[test]
fn nothing_of_ours_stands_in_a_box_for_long() {
    use Activity::{Idle, Unknown, Working};
    for (holds, activity) in [
        (Holds::Ours, Idle),
        (Holds::Ours, Working),
        (Holds::Ours, Unknown),
        (Holds::Collapsed, Working),
        (Holds::Partly, Idle),
        (Holds::Partly, Working),
        (Holds::Behind, Idle),
        (Holds::Unknown, Idle),
    ] {
        let (actions, end) = frozen(look(holds, activity));
        let withdraws = actions.iter().filter(|action| **action == Action::Withdraw).count();
        assert_eq!(withdraws, 5, "{holds:?} {activity:?}: {actions:?}");
        assert_eq!(actions.last(), Some(&Action::Fail(Failure::LeftInBox)), "{holds:?} {activity:?}");
        assert!(end < 120_000, "{holds:?} {activity:?} took {end} ms");
    }
    // What does not look like it at all may be somebody's, once it was tried.
    let (actions, end) = frozen(look(Holds::Other, Idle));
    assert_eq!(actions.iter().filter(|action| **action == Action::Withdraw).count(), 1, "{actions:?}");
    assert_eq!(actions.last(), Some(&Action::Fail(Failure::LeftInBox)));
    assert!(end < 20_000, "took {end} ms");
}

#[test]
fn what_was_pasted_behind_a_draft_is_taken_out_and_the_draft_is_left() {
    let behind = look(Holds::Behind, Activity::Idle);
    let draft = look(Holds::Other, Activity::Idle);
    check(
        &[EMPTY, Input::Typed, behind, Input::Typed, draft.clone(), draft],
        &["Paste", "Withdraw", "Release", "Defer(PersonTyping)"],
    );
}

#[test]
fn what_is_shown_late_is_taken_out_and_sent_anew() {
    // After it was taken for late, and after it was given up.
    for late in [35, 120, 135] {
        let mut delivery = new(Timing::default());
        let (mut shown, mut pasted_at) = (EMPTY, None);
        let mut actions = Vec::new();
        for n in 0..600 {
            if pasted_at.is_some_and(|at| n == at + late) {
                shown = OURS;
            }
            let action = delivery.step(&shown, at(n * 100));
            match action {
                Action::Paste if pasted_at.is_none() => pasted_at = Some(n),
                Action::Paste => shown = OURS,
                Action::Withdraw => shown = EMPTY,
                Action::Submit => shown = TAKEN,
                _ => {}
            }
            if matches!(action, Action::Paste | Action::Submit | Action::Withdraw) {
                delivery.step(&Input::Typed, at(n * 100));
            }
            if action != Action::Wait && actions.last() != Some(&action) {
                actions.push(action);
            }
        }
        let names = names(&actions);
        let ends = names.last().map(String::as_str);
        assert_eq!(ends, Some("delivered through the keyboard, at the 2. try"), "after {late}: {names:?}");
        assert!(names.contains(&"Withdraw".to_owned()), "after {late}: {names:?}");
    }
}

#[test]
fn after_the_end_of_the_cli_it_is_known_whether_it_may_be_tried_again() {
    check(&[Input::Exited], &["Defer(Exited)"]);
    check(&[EMPTY, Input::Typed, Input::Exited, Input::Tick], &["Paste", "Release", "Defer(Exited)"]);
    check(
        &[EMPTY, Input::Typed, OURS, Input::Typed, Input::Exited, Input::Tick],
        &["Paste", "Submit", "Release", "Fail(Unconfirmed)"],
    );
}

fn any_input() -> impl Strategy<Value = Input> {
    use Activity::{Dialog, Idle, Unknown, Working};
    let holds = prop::sample::select(vec![
        Holds::Empty,
        Holds::Empty,
        Holds::Ours,
        Holds::Ours,
        Holds::Collapsed,
        Holds::Partly,
        Holds::Behind,
        Holds::Other,
        Holds::Hidden,
        Holds::Unknown,
    ]);
    let activity = prop::sample::select(vec![Idle, Idle, Idle, Working, Dialog, Unknown]);
    prop_oneof![
        12 => (holds, activity, 0..2u32)
            .prop_map(|(holds, activity, above)| Input::Reading(Reading { holds, activity, above })),
        5 => Just(Input::Typed),
        1 => Just(Input::NotTyped),
        1 => Just(Input::PersonTyped),
        1 => Just(Input::PersonWaits),
        1 => Just(Input::Prompted),
        1 => Just(Input::Tick),
    ]
}

/// What is known from outside of the machine.
#[derive(Default)]
struct Watcher {
    held: bool,
    person_since_paste: bool,
    person_reached_it: bool,
    person_at: Option<i64>,
    prompted: bool,
    after_withdraw: bool,
    pastes: u32,
    submits_of_paste: u32,
    attempt_ended: Option<i64>,
    above_at_paste: u32,
    emptied: bool,
    worked: bool,
    above: bool,
    ended: Option<Action>,
}

impl Watcher {
    fn watch(
        &mut self,
        input: &Input,
        action: &Action,
        now: i64,
        timing: &Timing,
    ) -> Result<(), TestCaseError> {
        match input {
            Input::PersonTyped | Input::PersonWaits => {
                self.person_since_paste = true;
                self.person_reached_it |= *input == Input::PersonTyped;
                self.person_at = Some(now);
            }
            Input::Prompted => self.prompted = self.pastes > 0,
            Input::NotTyped if self.submits_of_paste > 0 => self.person_since_paste = true,
            _ => {}
        }
        let reading = if let Input::Reading(reading) = input { Some(*reading) } else { None };
        if let Some(reading) = reading.filter(|_| self.pastes > 0) {
            self.emptied |= reading.holds == Holds::Empty;
            self.worked |= self.submits_of_paste > 0 && reading.activity == Activity::Working;
            self.above |= reading.above > self.above_at_paste;
        }
        if let Some(end) = &self.ended {
            prop_assert_eq!(end, action, "the end is the end");
            return Ok(());
        }
        if self.after_withdraw && *action != Action::Wait {
            prop_assert_eq!(action, &Action::Release, "after a withdrawal");
        }
        match action {
            Action::Wait => {}
            Action::Paste => {
                let reading = reading.unwrap();
                prop_assert_eq!((reading.holds, reading.activity), (Holds::Empty, Activity::Idle));
                let quiet = i64::try_from(timing.quiet.as_millis()).unwrap();
                prop_assert!(self.person_at.is_none_or(|at| now - at >= quiet), "the person is typing");
                if let Some(ended) = self.attempt_ended {
                    let back_off = i64::try_from(timing.back_off.as_millis()).unwrap();
                    prop_assert!(now - ended >= back_off << (self.pastes - 1), "too soon");
                }
                self.pastes += 1;
                prop_assert!(self.pastes <= timing.tries);
                self.held = true;
                self.person_since_paste = false;
                self.person_reached_it = false;
                self.submits_of_paste = 0;
                self.above_at_paste = reading.above;
                (self.emptied, self.worked, self.above) = (false, false, false);
            }
            Action::Submit => {
                let reading = reading.unwrap();
                prop_assert!(matches!(reading.holds, Holds::Ours | Holds::Collapsed));
                prop_assert_eq!(reading.activity, Activity::Idle);
                prop_assert!(!self.person_since_paste && !self.prompted);
                self.submits_of_paste += 1;
                prop_assert!(self.submits_of_paste <= timing.submits);
            }
            Action::Withdraw => {
                let reading = reading.unwrap();
                prop_assert!(!matches!(reading.holds, Holds::Empty | Holds::Hidden));
                prop_assert_ne!(reading.activity, Activity::Dialog);
                if matches!(reading.holds, Holds::Partly | Holds::Other | Holds::Unknown) {
                    prop_assert!(matches!(reading.activity, Activity::Idle | Activity::Working));
                }
                if !matches!(reading.holds, Holds::Ours | Holds::Collapsed) {
                    prop_assert!(!self.person_reached_it, "that is not ours");
                }
                self.held = true;
                self.after_withdraw = true;
            }
            Action::Release => {
                prop_assert!(self.held, "nothing is held");
                self.held = false;
                self.after_withdraw = false;
                self.attempt_ended = Some(now);
            }
            Action::Done(_) | Action::Fail(_) | Action::Defer(_) => {
                prop_assert!(!self.held, "the person's keystrokes are still held back");
                if matches!(action, Action::Done(_)) {
                    let proven = self.prompted || self.emptied && (self.worked || self.above);
                    prop_assert!(self.pastes > 0 && proven, "nothing proves that it was taken");
                }
                self.ended = Some(action.clone());
            }
        }
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]

    /// Whatever it is told, in whatever order.
    #[test]
    fn it_never_does_what_it_must_not(
        inputs in prop::collection::vec((any_input(), 0..2_000i64), 0..60),
        exits in prop::bool::weighted(0.1),
        hears_prompts in prop::bool::ANY,
    ) {
        let timing = Timing { hears_prompts, ..Timing::default() };
        let mut delivery = new(timing);
        let mut watcher = Watcher::default();
        let mut now = 0;
        let tell = |delivery: &mut Delivery, watcher: &mut Watcher, input: &Input, now: i64| {
            let action = delivery.step(input, at(now));
            watcher.watch(input, &action, now, &timing)
        };
        for (input, pause) in &inputs {
            now += pause;
            tell(&mut delivery, &mut watcher, input, now)?;
        }
        if exits {
            tell(&mut delivery, &mut watcher, &Input::Exited, now)?;
        }
        // It ends, whatever comes.
        for _ in 0..40 {
            now += 60_000;
            tell(&mut delivery, &mut watcher, &Input::Tick, now)?;
        }
        prop_assert!(watcher.ended.is_some(), "{:?}", delivery);
    }
}

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

/// A CLI with an input box, as it would be with us (`text`, `sent`) and without (`own`, `own_sent`).
#[derive(Default)]
struct World {
    text: String,
    sent: Vec<String>,
    own: String,
    own_sent: Vec<String>,
    held: Option<Vec<Doing>>,
    keys: u64,
    working_until: i64,
    /// While one is open, keystrokes go there.
    dialog: bool,
    /// When the agent will ask for something.
    dialog_at: Option<i64>,
    into_dialog: u32,
    /// What was typed and is not shown yet, and when it will be.
    echo_at: i64,
    shown: String,
    prompts: usize,
}

impl World {
    fn person(&mut self, doing: Doing, now: i64) -> Option<Input> {
        if matches!(doing, Doing::Nothing) {
            return None;
        }
        if let Some(held) = &mut self.held {
            held.push(doing);
            return Some(Input::PersonWaits);
        }
        self.keys += 1;
        self.press(doing, now);
        Some(Input::PersonTyped)
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
            self.sent.push(std::mem::take(&mut self.text));
            self.working_until = now + 700;
            self.dialog_at = self.sent.len().is_multiple_of(3).then_some(now + 300);
        }
    }

    fn look(&mut self, now: i64) -> (Reading, u64) {
        if now >= self.echo_at {
            self.shown.clone_from(&self.text);
        }
        if self.dialog_at.is_some_and(|at| now >= at) {
            self.dialog_at = None;
            self.dialog = true;
        }
        let holds = match self.shown.as_str() {
            _ if self.dialog => Holds::Hidden,
            "" => Holds::Empty,
            MESSAGE => Holds::Ours,
            _ => Holds::Other,
        };
        let activity = match self.dialog {
            true => Activity::Dialog,
            false if now < self.working_until => Activity::Working,
            false => Activity::Idle,
        };
        let above = u32::try_from(self.sent.iter().filter(|text| *text == MESSAGE).count()).unwrap();
        (Reading { holds, activity, above }, self.keys)
    }

    fn release(&mut self, now: i64) {
        for doing in self.held.take().unwrap_or_default() {
            self.keys += 1;
            self.press(doing, now);
        }
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

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    /// A person types, erases, sends, opens menus and answers dialogs while a message is delivered to a CLI that shows things late and loses
    /// returns. The message arrives once or not at all, the receipt is true, and the person's own text and
    /// prompts are what they would have been.
    #[test]
    fn drafts_stay_whole_and_messages_arrive_once(
        doings in prop::collection::vec((doing(), 0..8i64, prop::bool::weighted(0.1), prop::bool::weighted(0.02)), 200..400),
        quiet_from in 50..200usize,
        hears_prompts in prop::bool::ANY,
    ) {
        let timing = Timing { hears_prompts, quiet: SignedDuration::from_millis(300), ..Timing::default() };
        let mut world = World::default();
        let mut delivery = new(timing);
        let mut now = 0;
        let mut outcome = None;
        for (n, (doing, delay, loses_return, wakes)) in
            doings.into_iter().chain(std::iter::repeat_n((Doing::Nothing, 1, false, false), 800)).enumerate()
        {
            now += 50;
            if wakes && now >= world.working_until {
                world.working_until = now + 300;
            }
            // In the end the person sends what they have, so that nothing stands in the way.
            let doing = match n.cmp(&quiet_from) {
                Ordering::Less => doing,
                Ordering::Equal => Doing::Enter,
                Ordering::Greater if n % 20 == 0 && (world.dialog || !world.own.is_empty()) => Doing::Enter,
                Ordering::Greater => Doing::Nothing,
            };
            let mut inputs: Vec<Input> = world.person(doing, now).into_iter().collect();
            if hears_prompts && world.prompts < world.sent.len() {
                let ours = world.sent[world.prompts] == MESSAGE;
                world.prompts += 1;
                inputs.extend(ours.then_some(Input::Prompted));
            }
            let (reading, seen) = world.look(now);
            inputs.push(Input::Reading(reading));
            for input in inputs {
                let action = delivery.step(&input, at(now));
                let types = matches!(action, Action::Paste | Action::Submit | Action::Withdraw);
                world.into_dialog += u32::from(types && world.dialog && world.keys == seen);
                let free = world.keys == seen && world.held.as_ref().is_none_or(Vec::is_empty);
                match action {
                    Action::Wait => {}
                    Action::Release => world.release(now),
                    Action::Defer(_) => delivery = Delivery::new(EventId::new(1, [0; 10]), timing, at(now)),
                    Action::Done(_) | Action::Fail(_) => {
                        outcome.get_or_insert(action);
                    }
                    Action::Paste if free => {
                        world.text.push_str(MESSAGE);
                        world.echo_at = now + delay * 50;
                        world.held = Some(Vec::new());
                        delivery.step(&Input::Typed, at(now));
                    }
                    Action::Submit if free => {
                        if !loses_return {
                            world.enter(now);
                            world.echo_at = now + delay * 50;
                        }
                        delivery.step(&Input::Typed, at(now));
                    }
                    // The box holds what we see of it, whoever is waiting to type.
                    Action::Withdraw if world.keys == seen => {
                        prop_assert_eq!(world.text.as_str(), MESSAGE, "that was not ours to take out");
                        world.text.clear();
                        world.held.get_or_insert_default();
                        delivery.step(&Input::Typed, at(now));
                    }
                    Action::Paste | Action::Submit | Action::Withdraw => {
                        delivery.step(&Input::NotTyped, at(now));
                    }
                }
            }
        }
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
