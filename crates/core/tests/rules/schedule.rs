//! Schedules: the next time is the first that fits, on every day of the year that has them all and on those that have not.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;
use signalbox_core::schedule::Schedule;

/// Clocks are set at 2 and 3 in the morning.
const BERLIN: &str = "CET-1CEST,M3.5.0,M10.5.0/3";
/// By half an hour, on the other half of the world.
const LORD_HOWE: &str = "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0";

fn zone(rule: &str) -> TimeZone {
    TimeZone::posix(rule).unwrap()
}

/// The times that follow, as the wall shows them with what it is ahead of UTC.
fn times(schedule: &str, rule: &str, after: &str, count: usize) -> Vec<String> {
    let (schedule, zone) = (Schedule::parse(schedule).unwrap(), zone(rule));
    let mut at = zone.to_timestamp(after.parse::<DateTime>().unwrap()).unwrap();
    let mut found = Vec::new();
    for _ in 0..count {
        at = schedule.next_after(at, &zone).unwrap();
        found.push(at.to_zoned(zone.clone()).strftime("%a %m-%d %H:%M%:z").to_string());
    }
    found
}

#[test]
fn what_people_write() {
    for (schedule, expected) in [
        ("*/15 * * * *", ["Wed 06-10 10:15+00:00", "Wed 06-10 10:30+00:00"]),
        ("0 9-17/4 * * mon-fri", ["Wed 06-10 13:00+00:00", "Wed 06-10 17:00+00:00"]),
        ("30 8 * * SAT,Sun", ["Sat 06-13 08:30+00:00", "Sun 06-14 08:30+00:00"]),
        ("0 0 * * 7", ["Sun 06-14 00:00+00:00", "Sun 06-21 00:00+00:00"]),
        ("0 0 13 * fri", ["Fri 06-12 00:00+00:00", "Sat 06-13 00:00+00:00"]),
        ("5/20 10 * * *", ["Wed 06-10 10:05+00:00", "Wed 06-10 10:25+00:00"]),
        ("0 0 1 jan,JUL *", ["Wed 07-01 00:00+00:00", "Fri 01-01 00:00+00:00"]),
        ("0 12 29 2 *", ["Tue 02-29 12:00+00:00", "Sun 02-29 12:00+00:00"]),
        ("@hourly", ["Wed 06-10 11:00+00:00", "Wed 06-10 12:00+00:00"]),
        ("@daily", ["Thu 06-11 00:00+00:00", "Fri 06-12 00:00+00:00"]),
        ("@weekly", ["Sun 06-14 00:00+00:00", "Sun 06-21 00:00+00:00"]),
        ("@monthly", ["Wed 07-01 00:00+00:00", "Sat 08-01 00:00+00:00"]),
        ("@yearly", ["Fri 01-01 00:00+00:00", "Sat 01-01 00:00+00:00"]),
        ("@every 15m", ["Wed 06-10 10:15+00:00", "Wed 06-10 10:30+00:00"]),
        ("  @every 1h30m ", ["Wed 06-10 11:30+00:00", "Wed 06-10 13:00+00:00"]),
    ] {
        assert_eq!(times(schedule, "UTC0", "2026-06-10T10:00:00", 2), expected, "{schedule}");
    }
}

#[test]
fn clocks_that_are_set() {
    let spring = "2026-03-28T12:00:00";
    let autumn = "2026-10-24T12:00:00";
    for (schedule, after, expected) in [
        // Half past two is left out: it happens when the clocks are set, and the day after as ever.
        ("30 2 * * *", spring, ["Sun 03-29 03:00+02:00", "Mon 03-30 02:30+02:00"]),
        // It comes twice, and happens once.
        ("30 2 * * *", autumn, ["Sun 10-25 02:30+02:00", "Mon 10-26 02:30+01:00"]),
        ("0,30 2,3 29 3 *", spring, ["Sun 03-29 03:00+02:00", "Sun 03-29 03:30+02:00"]),
        ("0 3 * * *", autumn, ["Sun 10-25 03:00+01:00", "Mon 10-26 03:00+01:00"]),
    ] {
        assert_eq!(times(schedule, BERLIN, after, 2), expected, "{schedule}");
    }
    // What counts hours follows the real time.
    let expected = ["Sun 10-25 02:00+02:00", "Sun 10-25 02:00+01:00", "Sun 10-25 03:00+01:00"];
    assert_eq!(times("0 * * * *", BERLIN, "2026-10-25T01:00:00", 3), expected);
    let expected = ["Sun 03-29 01:00+01:00", "Sun 03-29 03:00+02:00", "Sun 03-29 04:00+02:00"];
    assert_eq!(times("0 * * * *", BERLIN, "2026-03-29T00:00:00", 3), expected);
}

#[test]
fn what_is_wrong_is_said_with_its_field() {
    for (schedule, why) in [
        ("", "it has 0 fields, and needs five: minute, hour, day of the month, month, day of the week"),
        ("* * * *", "it has 4 fields, and needs five"),
        ("60 * * * *", "the minute, which is the first field, cannot be `60`: it is a number from 0 to 59"),
        ("* 25 * * *", "the hour, which is the second field, cannot be `25`: it is a number from 0 to 23"),
        ("* * 0 * *", "the day of the month, which is the third field, cannot be `0`"),
        (
            "* * * foo *",
            "the month, which is the fourth field, cannot be `foo`: it is a number from 1 to 12 or a name from `jan` to `dec`",
        ),
        ("* * * * 8", "the day of the week, which is the fifth field, cannot be `8`"),
        ("5-1 * * * *", "cannot be `5-1`: it begins after it ends"),
        ("*/0 * * * *", "cannot be `*/0`: a step is a number from 1 to 59"),
        ("1,,2 * * * *", "cannot be ``"),
        ("-1 * * * *", "cannot be `-1`"),
        ("+1 * * * *", "cannot be `+1`"),
        ("0 0 30 2 *", "the months `2` have no day `30`, so it never happens"),
        ("@dayly", "did you mean `@daily`?"),
        ("@reboot", "the words are @hourly"),
        ("@every", "after `@every` comes a time"),
        ("@every 0s", "after `@every` comes a time"),
        ("@every soon", "after `@every` comes a time"),
    ] {
        let error = Schedule::parse(schedule).unwrap_err().to_string();
        assert!(error.contains(why), "{schedule}: {error}");
        assert!(error.starts_with(&format!("`{schedule}` is no schedule: ")), "{error}");
    }
}

/// One field: how it is written, and what fits.
#[derive(Debug, Clone)]
struct Part {
    text: String,
    fits: Vec<i8>,
}

fn part(least: i8, most: i8) -> impl Strategy<Value = Part> {
    let every = (1..most).prop_map(move |step| Part {
        text: if step == 1 { "*".into() } else { format!("*/{step}") },
        fits: (least..=most).step_by(usize::try_from(step).unwrap()).collect(),
    });
    let list = proptest::collection::vec(least..=most, 1..4).prop_map(|list| Part {
        text: list.iter().map(ToString::to_string).collect::<Vec<_>>().join(","),
        fits: list,
    });
    let range = (least..=most, least..=most).prop_map(|(a, b)| Part {
        text: format!("{}-{}", a.min(b), a.max(b)),
        fits: (a.min(b)..=a.max(b)).collect(),
    });
    prop_oneof![every, list, range]
}

struct Oracle {
    parts: [Part; 5],
    zone: TimeZone,
}

impl Oracle {
    fn is_on_wall(&self, wall: DateTime) -> bool {
        let [minute, hour, day, month, weekday] = &self.parts;
        let starred = |part: &Part| part.text.starts_with('*');
        let day_fits = day.fits.contains(&wall.day());
        let sunday = wall.weekday().to_sunday_zero_offset();
        let weekday_fits = weekday.fits.contains(&sunday) || (sunday == 0 && weekday.fits.contains(&7));
        let either = !starred(day) && !starred(weekday);
        minute.fits.contains(&wall.minute())
            && hour.fits.contains(&wall.hour())
            && month.fits.contains(&wall.month())
            && if either { day_fits || weekday_fits } else { day_fits && weekday_fits }
    }

    /// By what the rule says, one moment at a time.
    fn fits(&self, moment: Timestamp) -> bool {
        let minute = SignedDuration::from_secs(60);
        let wall = |at: Timestamp| at.to_zoned(self.zone.clone()).datetime();
        let (now, before) = (wall(moment), wall(moment - minute));
        if self.parts[1].text.starts_with('*') {
            return self.is_on_wall(now);
        }
        let mut skipped = before + minute;
        while skipped < now {
            if self.is_on_wall(skipped) {
                return true;
            }
            skipped += minute;
        }
        self.is_on_wall(now) && self.zone.to_timestamp(now).unwrap() == moment
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn next_is_the_first_that_fits(
        parts in (part(0, 59), part(0, 23), part(1, 31), part(1, 12), part(0, 7)),
        rule in prop_oneof![Just(BERLIN), Just(LORD_HOWE), Just("UTC0")],
        // Half of them begin less than two days before clocks are set.
        near in prop_oneof![Just("2026-03-27T10:00:00Z"), Just("2026-10-24T00:00:00Z"), Just("2026-04-03T20:00:00Z"), Just("2026-10-02T20:00:00Z")],
        minutes in 0i64..2_880,
        seconds in 0i64..60,
    ) {
        let parts = [parts.0, parts.1, parts.2, parts.3, parts.4];
        let text = parts.iter().map(|part| part.text.clone()).collect::<Vec<_>>().join(" ");
        let Ok(schedule) = Schedule::parse(&text) else {
            prop_assert!(text.contains("30") || text.contains("31"), "{text} is refused");
            return Ok(());
        };
        let oracle = Oracle { parts, zone: zone(rule) };
        let after = near.parse::<Timestamp>().unwrap() + SignedDuration::from_secs(minutes * 60 + seconds);
        let next = schedule.next_after(after, &oracle.zone).unwrap();
        prop_assert!(next > after);
        prop_assert!(oracle.fits(next), "{text} does not fit {next}");
        let mut at = after - SignedDuration::from_secs(seconds) + SignedDuration::from_secs(60);
        let far = next.min(after + SignedDuration::from_hours(96));
        while at < far {
            prop_assert!(!oracle.fits(at), "{text}: {at} comes before {next}");
            at += SignedDuration::from_secs(60);
        }
    }
}
