//! Sums of use, totals turned into what was added, and money as text.

use proptest::prelude::*;
use signalbox_core::usage::{Meter, Sums, Usage, dollars, micros_of_dollars, micros_of_text, tokens};

fn used(input: u64, output: u64, cost: Option<u64>) -> Usage {
    Usage { input_tokens: input, output_tokens: output, cost_micros: cost, ..Usage::default() }
}

#[test]
fn totals_become_what_was_added() {
    let mut meter = Meter::default();
    assert_eq!(meter.read("a", &used(10, 5, Some(100))), used(10, 5, Some(100)));
    assert!(meter.read("a", &used(10, 5, Some(100))).is_zero(), "a total that is told again adds nothing");
    assert_eq!(meter.read("a", &used(30, 5, Some(150))), used(20, 0, Some(50)));
    assert_eq!(meter.read("b", &used(7, 0, None)), used(7, 0, None), "another conversation has its own");
    assert_eq!(meter.read("a", &used(4, 1, Some(20))), used(4, 1, Some(20)), "less is a new beginning");
    assert_eq!(meter.read("b", &used(9, 0, Some(30))), used(2, 0, Some(30)), "the cost came to be known");
}

#[test]
fn sums_are_kept_for_each_model() {
    let of = |model: Option<&str>, cost| Usage { model: model.map(Into::into), ..used(1, 2, cost) };
    let all = [of(Some("opus"), Some(5)), of(Some("haiku"), None), of(Some("opus"), Some(6)), of(None, None)];
    let sums: Sums = all.iter().collect();
    assert_eq!(sums.total, used(4, 8, Some(11)));
    assert_eq!(sums.models["opus"], Usage { model: Some("opus".into()), ..used(2, 4, Some(11)) });
    assert_eq!(sums.models["haiku"].cost_micros, None);
    assert_eq!(sums.models[""].tokens(), 3);
    let mut most = used(u64::MAX, 1, Some(u64::MAX));
    most.add(&used(1, 1, Some(1)));
    assert_eq!(most, used(u64::MAX, 2, Some(u64::MAX)));
}

#[test]
fn money() {
    for (text, want) in [
        ("$1.50", Some(1_500_000)),
        ("0.0123", Some(12_300)),
        ("$1,234", Some(1_234_000_000)),
        (".5", Some(500_000)),
        ("0.0000005", Some(1)),
        ("0.00000049", Some(0)),
        ("", None),
        ("$", None),
        (".", None),
        ("-1", None),
        ("1.2.3", None),
        ("1e3", None),
        ("99999999999999999999", None),
    ] {
        assert_eq!(micros_of_text(text), want, "{text}");
    }
    for (micros, want) in [
        (0, "$0.00"),
        (1, "$0.000001"),
        (100, "$0.0001"),
        (1_234, "$0.0012"),
        (9_949, "$0.0099"),
        (9_950, "$0.01"),
        (10_000, "$0.01"),
        (12_345_678, "$12.35"),
        (1_999_999, "$2.00"),
        (u64::MAX, "$18446744073709.55"),
    ] {
        assert_eq!(dollars(micros), want, "{micros}");
    }
    for (dollars, want) in
        [(0.1 + 0.2, Some(300_000)), (f64::NAN, None), (-0.01, None), (f64::INFINITY, None)]
    {
        assert_eq!(micros_of_dollars(dollars), want, "{dollars}");
    }
    for (count, want) in [
        (999, "999"),
        (1_000, "1.0k"),
        (12_345, "12.3k"),
        (999_949, "999.9k"),
        (999_950, "1.0M"),
        (u64::MAX, "18446744073709.6M"),
    ] {
        assert_eq!(tokens(count), want);
    }
}

proptest! {
    /// Whatever totals a CLI tells, what was added comes to the last total since the last beginning.
    #[test]
    fn what_was_added_comes_to_the_total(steps in prop::collection::vec((0..1_000u64, 0..1_000u64, prop::bool::weighted(0.1)), 1..50)) {
        let mut meter = Meter::default();
        let (mut total, mut sum, mut all) = (used(0, 0, Some(0)), used(0, 0, Some(0)), 0);
        for (tokens, cost, again) in steps {
            if again && total.input_tokens > 0 {
                total = used(0, 0, Some(0));
                sum = total.clone();
                meter.read("x", &total);
            }
            total.add(&used(tokens, 0, Some(cost)));
            all += tokens;
            sum.add(&meter.read("x", &total));
            prop_assert_eq!(&sum, &total);
        }
        prop_assert!(all >= total.input_tokens);
    }

    #[test]
    fn money_survives_being_written(micros in 0..10_000_000_000_u64) {
        let exact = format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000);
        prop_assert_eq!(micros_of_text(&exact), Some(micros));
        prop_assert_eq!(micros_of_dollars(exact.parse().unwrap()), Some(micros));
        let shown = micros_of_text(&dollars(micros)).unwrap();
        prop_assert!(shown.abs_diff(micros) <= (micros / 100).max(5_000));
    }
}
