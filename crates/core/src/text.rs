//! Text from outside: what may be stored, and what may reach a terminal.
//!
//! Text is stored as it came. What a terminal could take for a command is made visible only where it is
//! shown, so that a file never differs from what was said.

use std::borrow::Cow;

use crate::refusal::Refusal;

/// The longest body, note or reason, in bytes.
pub const MOST_TEXT: usize = 1024 * 1024;
/// The longest title, in characters.
pub const MOST_TITLE: usize = 300;

/// A character that a terminal acts on, or that reorders what a person reads.
fn is_dangerous(c: char) -> bool {
    c.is_control() || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// One line that is safe to print: control characters are shown as `\x1b`, line breaks too.
pub fn one_line(text: &str) -> Cow<'_, str> {
    visible(text, |_| false)
}

/// Text that is safe to print: as [`one_line`], but line breaks and tabs stay.
pub fn many_lines(text: &str) -> Cow<'_, str> {
    visible(text, |c| matches!(c, '\n' | '\t'))
}

fn visible(text: &str, keep: impl Fn(char) -> bool) -> Cow<'_, str> {
    // Nearly all text is harmless, and most of it plain.
    let plain = text.bytes().all(|b| (b' '..=b'~').contains(&b));
    if plain || !text.chars().any(|c| is_dangerous(c) && !keep(c)) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        if is_dangerous(c) && !keep(c) {
            match c {
                '\n' => safe.push_str("\\n"),
                '\r' => safe.push_str("\\r"),
                '\t' => safe.push_str("\\t"),
                c if (c as u32) < 0x100 => safe.push_str(&format!("\\x{:02x}", c as u32)),
                c => safe.push_str(&format!("\\u{{{:x}}}", c as u32)),
            }
        } else {
            safe.push(c);
        }
    }
    Cow::Owned(safe)
}

/// A title as it will be stored, or why it cannot be one.
pub fn title(text: &str) -> Result<String, Refusal> {
    let text = text.trim();
    if text.is_empty() {
        return Err(Refusal::usage("title.empty", "a ticket needs a title")
            .hint("Say in a few words what should be true when it is done: `sb new \"Limit logins to 5 a minute\"`."));
    }
    if text.contains(['\n', '\r']) {
        return Err(Refusal::usage("title.multi-line", "a title is one line, and this one has a line break")
            .hint("Put the rest into the body: `sb new TITLE --body TEXT`, or `--body -` to read it from standard input."));
    }
    let length = text.chars().count();
    if length > MOST_TITLE {
        return Err(Refusal::usage(
            "title.too-long",
            format!("a title has at most {MOST_TITLE} characters, and this one has {length}"),
        )
        .hint("Put the rest into the body with `--body`."));
    }
    Ok(text.to_owned())
}

/// A body, note or reason as it will be stored, or why it cannot be one.
pub fn body(what: &'static str, text: &str) -> Result<String, Refusal> {
    if text.len() > MOST_TEXT {
        return Err(Refusal::usage(
            "text.too-long",
            format!("the {what} has {} bytes; a ticket takes at most {MOST_TEXT} at once", text.len()),
        )
        .hint("Put the long text into a file of the repository and name the file in the ticket."));
    }
    Ok(text.trim_end().to_owned())
}

/// A body, note or reason that must say something.
pub fn required(what: &'static str, text: &str) -> Result<String, Refusal> {
    let text = body(what, text)?;
    if text.trim().is_empty() {
        return Err(Refusal::usage("text.empty", format!("the {what} is empty"))
            .hint("Say what happened in a sentence or two."));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_a_terminal_acts_on_gets_through() {
        let hostile = "a\u{1b}]52;c;eA==\u{7}b\u{9b}31mc\u{7f}\r\u{202e}d\0";
        let shown = one_line(hostile);
        assert_eq!(shown, "a\\x1b]52;c;eA==\\x07b\\x9b31mc\\x7f\\r\\u{202e}d\\x00");
        assert!(!shown.chars().any(is_dangerous));
        assert_eq!(many_lines("a\n\tb\u{1b}"), "a\n\tb\\x1b");
        assert_eq!(one_line("naïve — 日本"), "naïve — 日本");
    }

    #[test]
    fn titles() {
        assert_eq!(title("  Fix login ").as_deref(), Ok("Fix login"));
        for (bad, code) in [("", "title.empty"), (" \t", "title.empty"), ("a\nb", "title.multi-line")] {
            assert_eq!(title(bad).map_err(|r| r.code), Err(code));
        }
        assert_eq!(title(&"x".repeat(301)).map_err(|r| r.code), Err("title.too-long"));
        assert!(body("note", &"x".repeat(MOST_TEXT + 1)).is_err());
        assert!(required("reason", " \n").is_err());
    }
}
