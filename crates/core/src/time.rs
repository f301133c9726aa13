//! How a time is written: always to the millisecond, so that the order of texts is the order of times. And how people
//! write for how long something is: `30m`, `1h 30m`.

use std::time::Duration;

use jiff::Timestamp;
use serde::Serializer;

/// `2026-11-15T10:30:00.000Z`
pub fn exact(time: Timestamp) -> String {
    format!("{time:.3}")
}

/// `2026-11-15T10:30:00Z`, for people.
pub fn short(time: Timestamp) -> String {
    format!("{time:.0}")
}

pub(crate) fn serialize<S: Serializer>(time: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("{time:.3}"))
}

/// How long ago, in one unit: `5m`, `3h`, `2d`.
pub fn age(since: Timestamp, now: Timestamp) -> String {
    let seconds = (now.as_second() - since.as_second()).max(0);
    let (count, unit) = match seconds {
        0..60 => (seconds, 's'),
        60..3600 => (seconds / 60, 'm'),
        3600..86_400 => (seconds / 3600, 'h'),
        _ => (seconds / 86_400, 'd'),
    };
    let mut text = count.to_string();
    text.push(unit);
    text
}

/// What lengths of time are counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    Second,
    Minute,
    Hour,
    Day,
    Week,
}

impl Unit {
    fn from_word(word: &str) -> Option<Self> {
        Some(match word {
            "s" | "sec" | "second" | "seconds" => Self::Second,
            "m" | "min" | "minute" | "minutes" => Self::Minute,
            "h" | "hour" | "hours" => Self::Hour,
            "d" | "day" | "days" => Self::Day,
            "w" | "week" | "weeks" => Self::Week,
            _ => return None,
        })
    }

    fn seconds(self) -> u64 {
        match self {
            Self::Second => 1,
            Self::Minute => 60,
            Self::Hour => 60 * 60,
            Self::Day => 24 * 60 * 60,
            Self::Week => 7 * 24 * 60 * 60,
        }
    }
}

/// The number and unit that a text begins with, and what follows: `30 min`, `2h`.
pub fn counted(text: &str) -> Option<(u32, Unit, &str)> {
    let digits = text.find(|c: char| !c.is_ascii_digit())?;
    let (count, rest) = text.split_at(digits);
    let count = count.parse().ok().filter(|n| *n < 100_000)?;
    let rest = rest.trim_start();
    let (unit, rest) = rest.split_at(rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len()));
    Some((count, Unit::from_word(unit)?, rest.trim_start()))
}

/// For how long: `30m`, `10 min`, `1h30m`, `2 days`.
pub fn length(text: &str) -> Option<Duration> {
    let mut rest = text.trim();
    let mut seconds: u64 = 0;
    loop {
        let (count, unit, after) = counted(rest)?;
        seconds = seconds.checked_add(u64::from(count) * unit.seconds())?;
        if after.is_empty() {
            return Some(Duration::from_secs(seconds));
        }
        rest = after;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_is_in_one_unit_and_never_negative() {
        let now: Timestamp = "2026-11-15T12:00:00Z".parse().expect("a time");
        for (since, want) in [
            ("2026-11-15T11:59:01Z", "59s"),
            ("2026-11-15T11:59:00Z", "1m"),
            ("2026-11-15T09:00:00Z", "3h"),
            ("2026-11-12T09:00:00Z", "3d"),
            ("2026-11-16T09:00:00Z", "0s"),
        ] {
            assert_eq!(age(since.parse().expect("a time"), now), want, "{since}");
        }
    }

    #[test]
    fn lengths_as_people_write_them() {
        for (text, want) in [
            ("30m", Some(1_800)),
            ("10 min", Some(600)),
            ("1h30m", Some(5_400)),
            (" 1h 30m ", Some(5_400)),
            ("2 days", Some(172_800)),
            ("1w", Some(604_800)),
            ("0s", Some(0)),
            ("", None),
            ("30", None),
            ("m", None),
            ("-5m", None),
            ("1.5h", None),
            ("5 parsecs", None),
            ("99999999999h", None),
        ] {
            assert_eq!(length(text).map(|length| length.as_secs()), want, "{text}");
        }
    }

    #[test]
    fn texts_sort_as_times_do() {
        let millis = [0, 1, 10, 999, 1_000, 1_450, 1_443, 60_000];
        let mut texts: Vec<_> =
            millis.iter().filter_map(|m| Timestamp::from_millisecond(*m).ok()).map(exact).collect();
        texts.sort();
        let mut sorted = millis;
        sorted.sort_unstable();
        let times: Vec<_> =
            texts.iter().filter_map(|t| t.parse::<Timestamp>().ok()).map(Timestamp::as_millisecond).collect();
        assert_eq!(times, sorted);
        assert_eq!(short(Timestamp::UNIX_EPOCH), "1970-01-01T00:00:00Z");
    }
}
