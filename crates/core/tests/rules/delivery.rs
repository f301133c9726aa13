//! One delivery by keyboard: the ways it goes, and what it must never do whatever it is told.

use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;
use signalbox_core::EventId;
use signalbox_core::delivery::{Action, Activity, Delivery, Holds, Input, Phase, Reading, Timing};
use signalbox_core::inject::{Deferred, Failure};

pub fn at(millis: i64) -> Timestamp {
    Timestamp::from_millisecond(1_763_000_000_000 + millis).unwrap()
}

pub fn new(timing: Timing) -> Delivery {
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
        if action != Action::Wait && (actions.last() != Some(&action) || action == Action::Submit) {
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
fn a_cli_that_prints_nothing_is_not_late() {
    let mut way = vec![EMPTY, Input::Typed];
    // Longer than a paste may take to show, and than a text may stay in the box.
    way.extend(vec![Input::Silent; 60]);
    way.extend([OURS, Input::Typed]);
    way.extend(vec![Input::Silent; 60]);
    way.extend([OURS, TAKEN, Input::Tick]);
    check(&way, &["Paste", "Submit", "Release", "delivered through the keyboard"]);
    // But not for ever.
    let mut way = vec![EMPTY, Input::Typed];
    way.extend(vec![Input::Silent; 200]);
    check(&way, &["Paste", "Release"]);
}

#[test]
fn a_return_that_was_lost_is_sent_again_though_the_picture_was_half_drawn_meanwhile() {
    let mut way = vec![EMPTY, Input::Typed, OURS, Input::Typed, OURS, look(Holds::Unknown, Activity::Idle)];
    way.extend(vec![OURS; 20]);
    way.extend([Input::Typed, TAKEN, Input::Tick]);
    check(&way, &["Paste", "Submit", "Submit", "Release", "delivered through the keyboard"]);
}

#[test]
fn a_hook_that_comes_late_tells_of_the_try_before() {
    let timing = Timing { hears_prompts: true, ..Timing::default() };
    let mut way = vec![EMPTY, Input::Typed, OURS, Input::Typed, Input::PersonWaits];
    way.extend(vec![OURS; 25]);
    // It was sent in the last moment before it was taken out, and the person writes something else.
    way.extend([Input::Typed, EMPTY, Input::PersonTyped]);
    way.extend(vec![look(Holds::Other, Activity::Idle); 90]);
    let sent = [way.clone(), vec![Input::Prompted, EMPTY, Input::Tick]].concat();
    let want = ["Paste", "Submit", "Withdraw", "Release", "delivered through the keyboard"];
    assert_eq!(names(&play(timing, &sent)), want);
    // Nobody tells of it for so long that it was not sent.
    way.extend(vec![look(Holds::Other, Activity::Idle); 20]);
    let want = ["Paste", "Submit", "Withdraw", "Release", "Defer(PersonTyping)"];
    assert_eq!(names(&play(timing, &way)), want);
    // Where no hook can tell, nobody knows.
    let want = ["Paste", "Submit", "Withdraw", "Release", "Fail(Unconfirmed)"];
    assert_eq!(names(&play(Timing::default(), &way)), want);
    // The next delivery of the same message hears of it too.
    let next = |was_tried| {
        let mut next = new(timing).tried_before(was_tried);
        next.step(&Input::Prompted, at(0));
        names(&[next.step(&EMPTY, at(100))])
    };
    assert_eq!(next(true), ["delivered through the keyboard"]);
    assert_eq!(next(false), ["Paste"]);
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
        if action != Action::Wait && (actions.last() != Some(&action) || action == Action::Submit) {
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
            if action != Action::Wait && (actions.last() != Some(&action) || action == Action::Submit) {
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
        1 => Just(Input::Silent),
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
