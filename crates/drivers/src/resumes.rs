//! When an account has something again, as the agent CLIs say it to people: `resets 8:30pm (Asia/Tokyo)`,
//! `resets Feb 16, 11am (Europe/Berlin)`, `usage limit reached|1749924000`.

const MONTHS: &[&str] = &["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// A time as it was said. Which one that is depends on the day and the place it was said at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resumes {
    /// So many seconds after 1970.
    At(i64),
    /// When clocks show this the next time, or on that day.
    Clock {
        /// Month and day.
        day: Option<(i8, i8)>,
        hour: i8,
        minute: i8,
        /// `Asia/Tokyo`; the machine's own where none is named.
        zone: Option<String>,
    },
}

impl Resumes {
    /// The time that a message names, if it is one about a limit.
    pub fn parse(message: &str) -> Option<Self> {
        let text = message.to_ascii_lowercase();
        let seconds = text.split_once("limit reached|").and_then(|(_, rest)| {
            let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
            digits.parse().ok()
        });
        if let Some(seconds) = seconds {
            return Some(Self::At(seconds));
        }
        let at = text.find("reset")?;
        let zone = message.get(at..).and_then(|rest| rest.split_once('(')?.1.split_once(')'));
        let zone = zone.map(|(zone, _)| zone.trim().to_owned()).filter(|zone| is_zone(zone));
        let rest = text.get(at..)?.split('(').next().unwrap_or_default();
        let mut words = rest.split([' ', ',', '\n']).filter(|word| !word.is_empty()).skip(1).peekable();
        words.next_if_eq(&"at");
        let month = words.peek().and_then(|word| {
            let short = word.get(..3)?;
            MONTHS.iter().position(|month| *month == short).and_then(|month| i8::try_from(month + 1).ok())
        });
        let day = match month {
            Some(month) => {
                words.next();
                Some((month, words.next()?.parse().ok()?))
            }
            None => None,
        };
        words.next_if_eq(&"at");
        let time = words.next()?;
        let (hour, minute) = clock(time, words.next())?;
        Some(Self::Clock { day, hour, minute, zone })
    }
}

/// `8:30pm`, `11am`, `9:30 am`, `20:30`
fn clock(word: &str, next: Option<&str>) -> Option<(i8, i8)> {
    let number = word.trim_end_matches(|c: char| !c.is_ascii_digit());
    let half = match word.get(number.len()..).unwrap_or_default().trim_end_matches('.') {
        "" => next.and_then(|next| next.get(..2)).filter(|half| matches!(*half, "am" | "pm")).unwrap_or(""),
        half => half,
    };
    let (hour, minute) = number.split_once(':').map_or((number, None), |(hour, minute)| (hour, Some(minute)));
    let (hour, minute): (i8, i8) =
        (hour.parse().ok()?, minute.map_or(Some(0), |minute| minute.parse().ok())?);
    let hour = match half {
        "am" if (1..=12).contains(&hour) => hour % 12,
        "pm" if (1..=12).contains(&hour) => hour % 12 + 12,
        // A number alone may be anything.
        "" if number.contains(':') => hour,
        _ => return None,
    };
    ((0..24).contains(&hour) && (0..60).contains(&minute)).then_some((hour, minute))
}

fn is_zone(word: &str) -> bool {
    let known = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '_' | '-' | '+');
    word == "UTC" || word.contains('/') && !word.starts_with('/') && word.chars().all(known)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(day: Option<(i8, i8)>, hour: i8, minute: i8, zone: Option<&str>) -> Option<Resumes> {
        Some(Resumes::Clock { day, hour, minute, zone: zone.map(str::to_owned) })
    }

    #[test]
    fn what_the_clis_have_been_seen_to_say() {
        for (message, expected) in [
            (
                "You've hit your session limit · resets 8:30pm (Asia/Tokyo)",
                shown(None, 20, 30, Some("Asia/Tokyo")),
            ),
            (
                "You've hit your limit · resets 12:50am (America/Los_Angeles)\n/login to switch",
                shown(None, 0, 50, Some("America/Los_Angeles")),
            ),
            (
                "You've hit your limit · resets Feb 16, 11am (Europe/Berlin)",
                shown(Some((2, 16)), 11, 0, Some("Europe/Berlin")),
            ),
            ("5-hour limit reached ∙ resets 3pm", shown(None, 15, 0, None)),
            ("You’ve hit your limit. Limits will reset at 9:30 AM.", shown(None, 9, 30, None)),
            ("resets 20:30 (UTC)", shown(None, 20, 30, Some("UTC"))),
            ("Claude AI usage limit reached|1749924000", Some(Resumes::At(1_749_924_000))),
        ] {
            assert_eq!(Resumes::parse(message), expected, "{message}");
        }
        for message in [
            "API Error: Request rejected (429) · boom-429",
            "",
            "resets",
            "resets soon",
            "resets 25:00",
            "resets 13pm",
            "resets 3:99pm",
            "it resets 3 things",
            "resets Feb x, 11am",
            "usage limit reached|soon",
            "resets ü",
        ] {
            assert_eq!(Resumes::parse(message), None, "{message}");
        }
        // What is no name of a place is none that is looked for.
        assert_eq!(Resumes::parse("resets 3pm (../../etc/passwd)"), shown(None, 15, 0, None));
    }
}
