//! How far an agent is, how long it may take, and when it has done nothing for too long.

use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;
use signalbox_core::goal::{Allowance, GoalStatus, Stall};

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + second).unwrap()
}

fn seconds(wait: i64) -> SignedDuration {
    SignedDuration::from_secs(wait)
}

#[test]
fn what_a_program_says_by_its_exit_code() {
    use GoalStatus::{Completed, Errored, Failed, InProgress, Pending};
    for (code, want) in [
        (Some(0), Completed),
        (Some(1), Pending),
        (Some(2), InProgress),
        (Some(3), Errored),
        (Some(4), Failed),
        (Some(5), Errored),
        (Some(125), Errored),
        (Some(126), Failed),
        (Some(127), Failed),
        (Some(255), Failed),
        (Some(-1), Errored),
        (None, Errored),
    ] {
        assert_eq!(GoalStatus::from_exit(code), want, "{code:?}");
    }
}

#[test]
fn names_and_ends() {
    for status in GoalStatus::ALL {
        assert_eq!(GoalStatus::from_word(status.as_str()), Some(status));
        assert_eq!(serde_json::to_value(status).unwrap(), status.as_str());
    }
    assert_eq!(GoalStatus::from_word(" In_Progress "), Some(GoalStatus::InProgress));
    assert_eq!(GoalStatus::from_word("done"), None);
    let ends: Vec<_> = GoalStatus::ALL.into_iter().filter(|status| status.is_final()).collect();
    assert_eq!(ends, [GoalStatus::Completed, GoalStatus::Failed, GoalStatus::TimedOut]);
}

#[test]
fn the_clock_stands_still_while_a_person_has_it() {
    let mut allowance = Allowance::new(seconds(100), at(0));
    assert_eq!(allowance.ends(), Some(at(100)));
    allowance.freeze(at(40));
    allowance.freeze(at(50));
    assert_eq!((allowance.used(at(9_999)), allowance.ends()), (seconds(40), None));
    assert!(!allowance.is_over(at(9_999)));
    allowance.thaw(at(10_000));
    allowance.thaw(at(10_050));
    assert_eq!(allowance.ends(), Some(at(10_060)));
    assert!(!allowance.is_over(at(10_059)) && allowance.is_over(at(10_060)));
}

#[test]
fn a_stall_is_told_once_each_time() {
    let mut stall = Stall::new(seconds(60));
    for (idle_since, now, want) in [
        (Some(0), 59, None),
        (Some(0), 60, Some(60)),
        (Some(0), 500, None),
        (None, 501, None),
        (Some(510), 530, None),
        (Some(510), 580, Some(70)),
    ] {
        assert_eq!(stall.look(idle_since.map(at), at(now)), want.map(seconds), "at {now}");
    }
}

proptest! {
    /// Whatever happens to it, no more is used than passed while it ran, and writing it down changes nothing.
    #[test]
    fn an_allowance_counts_what_ran(steps in prop::collection::vec((0..3u8, 0..1_000i64), 0..30)) {
        let mut allowance = Allowance::new(seconds(5_000), at(0));
        let (mut now, mut runs, mut ran) = (0, true, 0);
        for (step, wait) in steps {
            now += wait;
            ran += if runs { wait } else { 0 };
            match step {
                0 => { allowance.freeze(at(now)); runs = false; }
                1 => { allowance.thaw(at(now)); runs = true; }
                _ => allowance = serde_json::from_str(&serde_json::to_string(&allowance).unwrap()).unwrap(),
            }
            prop_assert_eq!(allowance.used(at(now)), seconds(ran));
            prop_assert_eq!(allowance.is_over(at(now)), ran >= 5_000);
            prop_assert_eq!(allowance.ends().is_some(), runs);
        }
    }
}
