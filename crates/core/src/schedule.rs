//! When something happens again and again: five fields as cron has them, `@daily` and its like, `@every 15m`.
//!
//! Where clocks are set forward, what has a fixed hour within the time that is left out happens when they are set;
//! where they are set back, it happens once. What happens every hour, or every few, follows the real time in both.

use std::fmt;

use jiff::civil::{Date, DateTime};
use jiff::tz::{AmbiguousOffset, TimeZone};
use jiff::{SignedDuration, Timestamp};

/// A rule that says when something happens next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    text: String,
    rule: Rule,
}

/// What is wrong with a schedule, with the field that is meant and what it may be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is no schedule: {why}")]
pub struct ScheduleError {
    pub text: String,
    pub why: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Rule {
    Every(SignedDuration),
    Fields(Fields),
}

/// One bit a value.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Fields {
    minutes: u64,
    hours: u64,
    days: u64,
    months: u64,
    weekdays: u64,
    /// Both days are restricted: then either of them is enough, as it is in cron.
    either_day: bool,
    /// The hour is said, not counted.
    is_fixed: bool,
}

struct Field {
    name: &'static str,
    place: &'static str,
    least: u32,
    most: u32,
    /// Names for `least` and what comes after it.
    names: &'static [&'static str],
}

const MONTHS: &[&str] = &["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const WEEKDAYS: &[&str] = &["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

const FIELDS: [Field; 5] = [
    Field { name: "minute", place: "first", least: 0, most: 59, names: &[] },
    Field { name: "hour", place: "second", least: 0, most: 23, names: &[] },
    Field { name: "day of the month", place: "third", least: 1, most: 31, names: &[] },
    Field { name: "month", place: "fourth", least: 1, most: 12, names: MONTHS },
    Field { name: "day of the week", place: "fifth", least: 0, most: 7, names: WEEKDAYS },
];

const SHORTHANDS: &[(&str, &str)] = &[
    ("@hourly", "0 * * * *"),
    ("@daily", "0 0 * * *"),
    ("@midnight", "0 0 * * *"),
    ("@weekly", "0 0 * * 0"),
    ("@monthly", "0 0 1 * *"),
    ("@yearly", "0 0 1 1 *"),
    ("@annually", "0 0 1 1 *"),
];

/// February has a 29th every eight years at the least.
const DAYS_AHEAD: u32 = 366 * 9;
/// More than there are changes of the clock in that time, and minutes that come twice.
const TURNS: u32 = 2_000;
/// How many days each month has at the most.
const LENGTHS: [u32; 12] = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

impl Schedule {
    pub fn parse(text: &str) -> Result<Self, ScheduleError> {
        let text = text.trim();
        let wrong = |why: String| ScheduleError { text: text.to_owned(), why };
        let rule = match text.split_once(char::is_whitespace) {
            Some(("@every", length)) => Rule::Every(every(length.trim()).map_err(wrong)?),
            _ if text == "@every" => return Err(wrong(every_needs_time())),
            _ if text.starts_with('@') => {
                let found = SHORTHANDS.iter().find(|(name, _)| *name == text);
                let (_, fields) = found.ok_or_else(|| wrong(unknown_word(text)))?;
                Rule::Fields(Fields::parse(fields).map_err(wrong)?)
            }
            _ => Rule::Fields(Fields::parse(text).map_err(wrong)?),
        };
        Ok(Self { text: text.to_owned(), rule })
    }

    /// The first time after `after`; `None` where there is none within years.
    pub fn next_after(&self, after: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
        match &self.rule {
            Rule::Every(length) => after.checked_add(*length).ok(),
            Rule::Fields(fields) => fields.next_after(after, zone),
        }
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn every(text: &str) -> Result<SignedDuration, String> {
    let length: SignedDuration = text.parse().map_err(|_| every_needs_time())?;
    if length < SignedDuration::from_secs(1) { Err(every_needs_time()) } else { Ok(length) }
}

fn every_needs_time() -> String {
    "after `@every` comes a time of at least a second, as in `@every 15m` or `@every 1h30m`".to_owned()
}

fn unknown_word(text: &str) -> String {
    let names = || SHORTHANDS.iter().map(|(name, _)| *name).chain(["@every"]);
    match crate::nearest(text, names()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("the words are {}", names().collect::<Vec<_>>().join(", ")),
    }
}

impl Fields {
    fn parse(text: &str) -> Result<Self, String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let [minute, hour, day, month, weekday] = words.as_slice() else {
            let order = FIELDS.iter().map(|field| field.name).collect::<Vec<_>>().join(", ");
            return Err(format!("it has {} fields, and needs five: {order}", words.len()));
        };
        let [minutes, hours, days, months, weekdays] = &FIELDS;
        let weekday_bits = weekdays.bits(weekday)?;
        let fields = Self {
            minutes: minutes.bits(minute)?,
            hours: hours.bits(hour)?,
            days: days.bits(day)?,
            months: months.bits(month)?,
            // Sunday is 0 and 7.
            weekdays: (weekday_bits | weekday_bits >> 7) & 0x7f,
            either_day: !day.starts_with('*') && !weekday.starts_with('*'),
            is_fixed: !hour.starts_with('*'),
        };
        let first_day = fields.days.trailing_zeros();
        let exists = LENGTHS
            .iter()
            .zip(1u32..)
            .any(|(length, month)| has(fields.months, month) && first_day <= *length);
        if !exists && !fields.either_day {
            return Err(format!("the months `{month}` have no day `{day}`, so it never happens"));
        }
        Ok(fields)
    }

    fn next_after(&self, after: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
        // Between two changes of the clock, times on the wall and moments go together.
        let (mut from, mut offset) = (after, zone.to_offset(after));
        let mut seen = offset.to_datetime(after);
        for _ in 0..TURNS {
            let next = self.next_on_wall(seen)?;
            let moment = offset.to_timestamp(next).ok()?;
            let Some(change) = zone.following(from).next().filter(|change| change.timestamp() <= moment)
            else {
                if moment <= after || (self.is_fixed && comes_again(zone, next, moment)) {
                    seen = next;
                    continue;
                }
                return Some(moment);
            };
            from = change.timestamp();
            offset = change.offset();
            let set_to = offset.to_datetime(from);
            // It would have been within the time that is left out.
            if self.is_fixed && next < set_to {
                return Some(from);
            }
            seen = set_to.checked_sub(SignedDuration::from_secs(60)).ok()?;
        }
        None
    }

    /// The first minute on the wall after that one.
    fn next_on_wall(&self, seen: DateTime) -> Option<DateTime> {
        let mut date = seen.date();
        let mut from = i16::from(seen.hour()) * 60 + i16::from(seen.minute()) + 1;
        for _ in 0..DAYS_AHEAD {
            if self.is_day(date)
                && let Some((hour, minute)) = (from..24 * 60).map(on_wall).find(|at| self.is_time(*at))
            {
                return Some(date.at(hour, minute, 0, 0));
            }
            date = date.tomorrow().ok()?;
            from = 0;
        }
        None
    }

    fn is_day(&self, date: Date) -> bool {
        let day = has(self.days, date.day());
        let weekday = has(self.weekdays, date.weekday().to_sunday_zero_offset());
        has(self.months, date.month()) && if self.either_day { day || weekday } else { day && weekday }
    }

    fn is_time(&self, (hour, minute): (i8, i8)) -> bool {
        has(self.hours, hour) && has(self.minutes, minute)
    }
}

fn on_wall(minute_of_day: i16) -> (i8, i8) {
    let part = |number: i16| i8::try_from(number).unwrap_or(0);
    (part(minute_of_day / 60), part(minute_of_day % 60))
}

/// Whether the clock has shown this time before, because it was set back.
fn comes_again(zone: &TimeZone, wall: DateTime, moment: Timestamp) -> bool {
    match zone.to_ambiguous_timestamp(wall).offset() {
        AmbiguousOffset::Fold { before, .. } => before.to_timestamp(wall).is_ok_and(|first| first != moment),
        AmbiguousOffset::Unambiguous { .. } | AmbiguousOffset::Gap { .. } => false,
    }
}

fn has(bits: u64, number: impl TryInto<u32>) -> bool {
    number.try_into().is_ok_and(|number: u32| bits.checked_shr(number).unwrap_or(0) & 1 == 1)
}

impl Field {
    fn bits(&self, text: &str) -> Result<u64, String> {
        let mut bits = 0;
        for part in text.split(',') {
            let (range, step) = match part.split_once('/') {
                Some((range, step)) => (range, Some(self.step(part, step)?)),
                None => (part, None),
            };
            let (from, to) = match range.split_once('-') {
                _ if range == "*" => (self.least, self.most),
                Some((from, to)) => (self.value(part, from)?, self.value(part, to)?),
                None => {
                    let from = self.value(part, range)?;
                    (from, if step.is_some() { self.most } else { from })
                }
            };
            if from > to {
                return Err(self.wrong(part, "it begins after it ends"));
            }
            bits |= (from..=to).step_by(step.unwrap_or(1)).fold(0, |bits, number| bits | 1 << number);
        }
        Ok(bits)
    }

    fn value(&self, part: &str, word: &str) -> Result<u32, String> {
        let named = self.names.iter().zip(self.least..).find(|(name, _)| name.eq_ignore_ascii_case(word));
        let number = named.map(|(_, number)| number).or_else(|| number(word));
        number
            .filter(|number| (self.least..=self.most).contains(number))
            .ok_or_else(|| self.wrong(part, &self.may_be()))
    }

    fn step(&self, part: &str, word: &str) -> Result<usize, String> {
        let step = number(word).filter(|step| (1..=self.most).contains(step));
        let step = step.and_then(|step| usize::try_from(step).ok());
        step.ok_or_else(|| self.wrong(part, &format!("a step is a number from 1 to {}", self.most)))
    }

    fn may_be(&self) -> String {
        let names = match (self.names.first(), self.names.last()) {
            (Some(first), Some(last)) => format!(" or a name from `{first}` to `{last}`"),
            _ => String::new(),
        };
        format!(
            "it is a number from {} to {}{names}, `*`, `a-b`, `*/n` or a list of these",
            self.least, self.most
        )
    }

    fn wrong(&self, part: &str, why: &str) -> String {
        format!("the {}, which is the {} field, cannot be `{part}`: {why}", self.name, self.place)
    }
}

/// Digits alone: no sign, no spaces.
fn number(word: &str) -> Option<u32> {
    if word.bytes().all(|byte| byte.is_ascii_digit()) { word.parse().ok() } else { None }
}
