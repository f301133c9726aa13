//! Which moment it is that an agent CLI names when it says until when an account is empty.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan};
use signalbox_drivers::Resumes;

/// No account is empty for longer: the longest limits are those of a week.
const LONGEST: SignedDuration = SignedDuration::from_hours(8 * 24);

/// The moment, if it can be one.
pub fn until(resumes: &Resumes, now: Timestamp, here: &TimeZone) -> Option<Timestamp> {
    let at = match resumes {
        Resumes::At(seconds) => Timestamp::from_second(*seconds).ok()?,
        Resumes::Clock { day, hour, minute, zone } => {
            let zone = zone.as_ref().map_or_else(|| Some(here.clone()), |name| TimeZone::get(name).ok())?;
            let today = now.to_zoned(zone.clone()).date();
            let on = |date: Date| {
                let shown = date.at(*hour, *minute, 0, 0).to_zoned(zone.clone()).ok()?;
                Some(shown.timestamp())
            };
            let first = match day {
                Some((month, day)) => Date::new(today.year(), *month, *day).ok()?,
                None => today,
            };
            // A time that is past is tomorrow's, and a day that is past the next year's.
            let later = if day.is_some() { 1.year() } else { 1.day() };
            on(first).filter(|at| *at > now).or_else(|| on(first.checked_add(later).ok()?))?
        }
    };
    (at > now && at.duration_since(now) <= LONGEST).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_time_that_clocks_show_it() {
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        let clock = |day, hour, zone: Option<&str>| Resumes::Clock {
            day,
            hour,
            minute: 30,
            zone: zone.map(str::to_owned),
        };
        let now = at("2026-11-16T04:00:00Z");
        let said = |resumes: &Resumes| until(resumes, now, &TimeZone::UTC).map(|at| at.to_string());
        for (resumes, expected) in [
            (clock(None, 8, None), Some("2026-11-16T08:30:00Z")),
            (clock(None, 3, None), Some("2026-11-17T03:30:00Z")),
            (clock(None, 14, Some("Asia/Tokyo")), Some("2026-11-16T05:30:00Z")),
            (clock(Some((11, 20)), 9, Some("Europe/Berlin")), Some("2026-11-20T08:30:00Z")),
            (Resumes::At(now.as_second() + 5), Some("2026-11-16T04:00:05Z")),
            // Over, too far away, or nowhere.
            (Resumes::At(now.as_second()), None),
            (clock(Some((11, 10)), 9, None), None),
            (clock(Some((2, 30)), 9, None), None),
            (clock(None, 9, Some("Atlantis/Centre")), None),
        ] {
            assert_eq!(said(&resumes).as_deref(), expected, "{resumes:?}");
        }
        let silvester = at("2026-12-31T22:00:00Z");
        let soon = until(&clock(Some((1, 1)), 9, None), silvester, &TimeZone::UTC);
        assert_eq!(soon, Some(at("2027-01-01T09:30:00Z")));
    }
}
