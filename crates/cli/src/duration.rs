//! Times as people write them: `2026-11-15`, `14:30`, `2h ago`, `yesterday`.

use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, Zoned};
use signalbox_core::time::{Unit, counted};

use signalbox_desk::error::CommandError;

/// The moment a text means, seen from `now`.
pub fn moment(text: &str, now: Timestamp) -> Result<Timestamp, CommandError> {
    let trimmed = text.trim();
    if let Ok(exact) = trimmed.parse::<Timestamp>() {
        return Ok(exact);
    }
    let local = now.to_zoned(TimeZone::system());
    read(trimmed, &local).ok_or_else(|| {
        CommandError::usage("time.invalid", format!("`{text}` is not a time"))
            .hint("Write `2026-11-15T10:30:00Z`, `2026-11-15`, `2026-11-15 10:30`, `10:30`, `2h ago` or `yesterday`.")
    })
}

fn read(text: &str, now: &Zoned) -> Option<Timestamp> {
    match text {
        "now" => return Some(now.timestamp()),
        "today" => return Some(now.start_of_day().ok()?.timestamp()),
        "yesterday" => return Some(now.yesterday().ok()?.start_of_day().ok()?.timestamp()),
        _ => {}
    }
    if let Some(span) = ago(text) {
        return Some(now.checked_sub(span).ok()?.timestamp());
    }
    let civil = text
        .parse::<DateTime>()
        .ok()
        .or_else(|| text.replacen(' ', "T", 1).parse().ok())
        .or_else(|| text.parse::<Date>().ok().map(|date| date.to_datetime(Time::midnight())))
        .or_else(|| text.parse::<Time>().ok().map(|time| now.date().to_datetime(time)))?;
    Some(civil.to_zoned(now.time_zone().clone()).ok()?.timestamp())
}

/// `2h ago`, `30 min ago`, `3d`.
fn ago(text: &str) -> Option<Span> {
    let text = text.strip_suffix("ago").unwrap_or(text).trim();
    let (count, unit, _) = counted(text).filter(|(_, _, rest)| rest.is_empty())?;
    let span = Span::new();
    // Not in seconds: a day ago is the same time of day, also where a clock was changed in between.
    Some(match unit {
        Unit::Second => span.seconds(count),
        Unit::Minute => span.minutes(count),
        Unit::Hour => span.hours(count),
        Unit::Day => span.days(count),
        Unit::Week => span.weeks(count),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_as_people_write_them() {
        let now: Timestamp = "2026-11-15T12:00:00Z".parse().expect("a time");
        let local = now.to_zoned(TimeZone::UTC);
        for (text, want) in [
            ("2h ago", Some("2026-11-15T10:00:00Z")),
            ("30 min ago", Some("2026-11-15T11:30:00Z")),
            ("3d", Some("2026-11-12T12:00:00Z")),
            ("yesterday", Some("2026-11-14T00:00:00Z")),
            ("today", Some("2026-11-15T00:00:00Z")),
            ("2026-11-01", Some("2026-11-01T00:00:00Z")),
            ("2026-11-01 09:30", Some("2026-11-01T09:30:00Z")),
            ("10:15", Some("2026-11-15T10:15:00Z")),
            ("soon", None),
            ("", None),
            ("99999999999d", None),
        ] {
            assert_eq!(read(text, &local).map(|t| t.to_string()).as_deref(), want, "{text}");
        }
    }
}
