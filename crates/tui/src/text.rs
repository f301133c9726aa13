//! Text that keeps its columns: cleaned of what a terminal acts on or measures in its own way, clipped and wrapped.

use std::borrow::Cow;

use jiff::Timestamp;
use signalbox_core::text::one_line;
use signalbox_core::time;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Text for one line of the terminal.
///
/// The desk cleans what it hands out; this is the last door, and it also takes away what makes terminals disagree about
/// the width of a character: joined emoji become their first part, and the marks that choose a look are dropped.
pub fn plain(text: &str) -> Cow<'_, str> {
    let safe = one_line(text);
    if safe.is_ascii() || !safe.chars().any(is_disputed) {
        return safe;
    }
    let mut kept = String::with_capacity(safe.len());
    let mut is_joined = false;
    for c in safe.chars() {
        if c == '\u{200d}' {
            is_joined = true;
        } else if !is_disputed(c) && !std::mem::take(&mut is_joined) {
            kept.push(c);
        }
    }
    Cow::Owned(kept)
}

/// Characters about whose width terminals do not agree.
fn is_disputed(c: char) -> bool {
    let is_mark = matches!(c, '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}' | '\u{fe00}'..='\u{fe0f}');
    is_mark || matches!(c, '\u{1f3fb}'..='\u{1f3ff}' | '\u{e0000}'..='\u{e01ef}')
}

/// How many columns a text takes that was cleaned.
pub fn width(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.width() }
}

/// At most so many columns of a text; what is cut ends in `…`.
pub fn clip(text: &str, most: usize) -> Cow<'_, str> {
    if text.len() <= most || text.width() <= most {
        return Cow::Borrowed(text);
    }
    let mut used = 0;
    let mut kept = String::new();
    for c in text.chars() {
        let wide = c.width().unwrap_or(0);
        if used + wide + 1 > most {
            break;
        }
        used += wide;
        kept.push(c);
    }
    if most > 0 {
        kept.push('…');
    }
    Cow::Owned(kept)
}

/// The lines of a text, each at most so wide, broken between words where that is possible.
pub fn wrap(text: &str, most: usize) -> Vec<String> {
    let most = most.max(1);
    let mut lines = Vec::new();
    for line in text.split('\n') {
        let line = plain_tabs(line);
        let mut current = String::new();
        let mut used = 0;
        for word in line.split_inclusive(' ') {
            let wide = word.trim_end().width();
            if used > 0 && used + wide > most {
                lines.push(std::mem::take(&mut current).trim_end().to_owned());
                used = 0;
            }
            for c in word.chars() {
                let wide = c.width().unwrap_or(0);
                if used + wide > most {
                    // A blank that no longer fits is where the line breaks anyway.
                    if c == ' ' {
                        continue;
                    }
                    lines.push(std::mem::take(&mut current));
                    used = 0;
                }
                used += wide;
                current.push(c);
            }
        }
        lines.push(current.trim_end().to_owned());
    }
    lines
}

/// One line of text with its tabs as blanks.
fn plain_tabs(line: &str) -> String {
    plain(&line.replace('\t', "    ")).into_owned()
}

/// How long ago a moment was that the desk handed out as text.
pub fn age(since: &str, now: Timestamp) -> String {
    since.parse().map(|since| time::age(since, now)).unwrap_or_default()
}

/// A moment as a clock shows it in a feed: the day too where it is not today's.
pub fn clock(at: &str, now: Timestamp) -> String {
    let today = time::short(now);
    match (at.get(..10), at.get(11..19)) {
        (Some(day), Some(clock)) if today.starts_with(day) => clock.to_owned(),
        (Some(day), Some(clock)) => {
            format!("{} {}", day.get(5..).unwrap_or(day), clock.get(..5).unwrap_or(clock))
        }
        _ => at.to_owned(),
    }
}

/// A span of time in one or two units: `45s`, `12m`, `3h 20m`, `2d 4h`.
pub fn span(seconds: u64) -> String {
    let two = |big: u64, unit: char, small: u64, little: char| {
        if small == 0 { format!("{big}{unit}") } else { format!("{big}{unit} {small}{little}") }
    };
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3600 => format!("{}m", seconds / 60),
        3600..86_400 => two(seconds / 3600, 'h', seconds % 3600 / 60, 'm'),
        _ => two(seconds / 86_400, 'd', seconds % 86_400 / 3600, 'h'),
    }
}

/// An amount of money from millionths of a dollar.
pub fn money(micros: u64) -> String {
    let cents = micros.div_ceil(10_000);
    format!("${}.{:02}", cents / 100, cents % 100)
}

/// A large number in short: `950`, `12k`, `3.4M`.
pub fn amount(number: u64) -> String {
    match number {
        0..10_000 => number.to_string(),
        10_000..1_000_000 => format!("{}k", number / 1_000),
        _ => format!("{}.{}M", number / 1_000_000, number % 1_000_000 / 100_000),
    }
}

/// `1 ticket`, `2 tickets`.
pub fn counted(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_hostile_or_disputed_is_gone() {
        let shown = plain("a\u{1b}]52;c;eA==\u{7}b\u{202e}c");
        assert_eq!(shown, "a\\x1b]52;c;eA==\\x07b\\u{202e}c");
        assert_eq!(plain("👩\u{200d}👧\u{200d}👦 family"), "👩 family");
        assert_eq!(plain("❤\u{fe0f} 👍\u{1f3fd}"), "❤ 👍");
        assert_eq!(plain("日本 שלום é"), "日本 שלום é");
    }

    #[test]
    fn clipped_text_fits() {
        assert_eq!(clip("short", 5), "short");
        assert_eq!(clip("a long one", 5), "a lo…");
        assert_eq!(clip("日本語日本語", 5), "日本…");
        assert_eq!(clip("日本語", 1), "…");
        assert_eq!(clip("x", 0), "");
    }

    #[test]
    fn lines_break_between_words() {
        assert_eq!(wrap("one two three", 8), ["one two", "three"]);
        assert_eq!(wrap("abcdefghij", 4), ["abcd", "efgh", "ij"]);
        assert_eq!(wrap("", 4), [""]);
        assert_eq!(wrap("a\n\nb", 4), ["a", "", "b"]);
        assert_eq!(wrap("日本語", 4), ["日本", "語"]);
    }

    #[test]
    fn figures_are_short() {
        assert_eq!(
            [span(5), span(65), span(3_600), span(12_000), span(190_000)],
            ["5s", "1m", "1h", "3h 20m", "2d 4h"]
        );
        assert_eq!([money(0), money(1), money(1_234_567)], ["$0.00", "$0.01", "$1.24"]);
        assert_eq!([amount(950), amount(12_300), amount(3_450_000)], ["950", "12k", "3.4M"]);
    }

    proptest! {
        #[test]
        fn nothing_is_wider_than_its_place(text in "\\PC{0,60}|[ -~\t\n]{0,80}", most in 1_usize..30) {
            let most = most.max(2);
            for line in wrap(&text, most) {
                prop_assert!(width(&line) <= most, "{line:?}");
                prop_assert!(!line.chars().any(char::is_control));
            }
            prop_assert!(width(&clip(&plain(&text), most)) <= most);
        }
    }
}
