//! When somebody who asks again and again asks next.

use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;
use signalbox_core::pace::{Outcome, Pace};

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + second).unwrap()
}

fn seconds(wait: i64) -> SignedDuration {
    SignedDuration::from_secs(wait)
}

/// The waits after these outcomes, in seconds, for somebody who asks every 30.
fn waits(outcomes: &[Outcome], dice: f64) -> Vec<Option<i64>> {
    let mut pace = Pace::new(seconds(30));
    outcomes
        .iter()
        .map(|outcome| Some(pace.next(*outcome, at(0), dice)?.duration_since(at(0)).as_secs()))
        .collect()
}

#[test]
fn waits_grow_with_failures_and_shrink_at_once() {
    use Outcome::{Failed, Fine, Hopeless, Limited};
    let all =
        [Fine, Failed, Failed, Failed, Failed, Fine, Failed, Limited(None), Limited(Some(at(600))), Hopeless];
    let want = [30, 30, 30, 60, 120, 30, 30, 30, 600].map(Some);
    assert_eq!(waits(&all, 0.0), [&want[..], &[None]].concat());
    assert_eq!(waits(&[Fine], 1.0), [Some(36)]);
    // Long gone, or asked for less than usual.
    assert_eq!(waits(&[Limited(Some(at(-600))), Limited(Some(at(5)))], 0.0), [Some(30), Some(30)]);
    // As late as the other side wants, and not a fifth of an hour later.
    assert_eq!(waits(&[Limited(Some(at(7_200)))], 1.0), [Some(7_380)]);
}

fn outcome() -> impl Strategy<Value = Outcome> {
    prop_oneof![
        Just(Outcome::Fine),
        Just(Outcome::Failed),
        prop::option::of(-10_000i64..10_000).prop_map(|second| Outcome::Limited(second.map(at))),
    ]
}

proptest! {
    /// Never earlier than usual, never earlier than asked for, and never for ever.
    #[test]
    fn nobody_is_pestered_and_nobody_is_forgotten(
        every in 1..4_000i64, outcomes in prop::collection::vec((outcome(), 0.0..=1.0), 1..40),
    ) {
        let mut pace = Pace::new(seconds(every));
        let mut now = at(0);
        for (outcome, dice) in outcomes {
            let next = pace.next(outcome, now, dice).unwrap();
            let usual = seconds(every).min(SignedDuration::from_mins(15));
            prop_assert!(next >= now + usual, "{next} is too early");
            let mut latest = now + seconds(every).max(SignedDuration::from_mins(15)).mul_f64(1.2);
            if let Outcome::Limited(Some(until)) = outcome {
                prop_assert!(next >= until);
                latest = latest.max(until + SignedDuration::from_mins(4));
            }
            prop_assert!(next <= latest, "{next} is too late");
            prop_assert_eq!(pace.failures() == 0, outcome == Outcome::Fine);
            now = next;
        }
    }
}
