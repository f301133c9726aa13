//! How a time is written: always to the millisecond, so that the order of texts is the order of times.

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

#[cfg(test)]
mod tests {
    use super::*;

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
