//! Foreign text, made harmless and short before it is passed on.
//!
//! What a terminal could take for a command is left out, not shown: this is for agents to read, and a log full of
//! visible colour codes says less than one without.

/// What stands where something was left out.
const LEFT_OUT: char = '…';

/// The text without escape sequences and control characters. Line breaks and tabs stay; of a line that overwrites
/// itself, as progress bars do, stays what was written last.
pub(crate) fn clean(text: &str) -> String {
    let mut cleaned = String::with_capacity(text.len());
    let mut line_begins = 0;
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\u{1b}' | '\u{90}'..='\u{9f}' => skip_sequence(c, &mut rest),
            '\n' => {
                cleaned.push('\n');
                line_begins = cleaned.len();
            }
            '\r' if rest.peek().is_some_and(|next| !matches!(next, '\n' | '\r')) => {
                cleaned.truncate(line_begins);
            }
            '\t' => cleaned.push('\t'),
            c if c.is_control() || reorders(c) => {}
            c => cleaned.push(c),
        }
    }
    cleaned
}

/// Characters that make a person read another text than a program does.
fn reorders(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// The rest of an escape sequence. It never reaches over the end of the line: one that is not closed must not hide
/// what follows.
fn skip_sequence(first: char, rest: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    let kind = if first == '\u{1b}' {
        match rest.next_if(|c| *c != '\n') {
            Some(kind) => kind,
            None => return,
        }
    } else {
        // The eight-bit forms stand for ESC and the letter 0x40 below.
        char::from_u32(first as u32 - 0x40).unwrap_or(first)
    };
    match kind {
        '[' => {
            while rest.next_if(|c| matches!(c, ' '..='?')).is_some() {}
            rest.next_if(|c| matches!(c, '@'..='~'));
        }
        ']' | 'P' | 'X' | '^' | '_' => {
            while let Some(c) = rest.next_if(|c| *c != '\n') {
                match c {
                    '\u{7}' | '\u{9c}' => return,
                    '\u{1b}' if rest.next_if_eq(&'\\').is_some() => return,
                    _ => {}
                }
            }
        }
        ' '..='/' => {
            rest.next_if(|c| *c != '\n');
        }
        _ => {}
    }
}

/// One line of at most so many characters.
pub(crate) fn line(text: &str, most: usize) -> String {
    let cleaned = clean(text);
    shortened(&cleaned.split_whitespace().collect::<Vec<_>>().join(" "), most)
}

/// Several lines of at most so many characters together.
pub(crate) fn block(text: &str, most: usize) -> String {
    shortened(clean(text).trim(), most)
}

/// At most so many characters; what is left out shows.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(1)).chain([LEFT_OUT]).collect()
}

/// The last lines, at most so many and at most so many characters each, without empty ones at the end.
pub(crate) fn tail(text: &str, lines: usize, width: usize) -> String {
    let cleaned = clean(text);
    let all: Vec<&str> = cleaned.trim_end().lines().collect();
    let kept = all.get(all.len().saturating_sub(lines)..).unwrap_or_default();
    kept.iter().map(|line| shortened(line.trim_end(), width)).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_a_terminal_acts_on_is_left() {
        for (text, want) in [
            ("plain\n\ttext — ü", "plain\n\ttext — ü"),
            ("\u{1b}[1;31merror\u{1b}[0m: x", "error: x"),
            ("a\u{1b}]52;c;eA==\u{7}b\u{1b}]0;t\u{1b}\\c\u{9b}31md", "abcd"),
            ("open \u{1b}]0;never closed\nnext", "open \nnext"),
            ("\u{1b}", ""),
            ("\u{1b}(Bx\u{1b}cy", "xy"),
            ("10%\r50%\rdone\r\nnext\r", "done\nnext"),
            ("a\r\r\nb", "a\nb"),
            ("x\u{202e}y\u{7f}\0z\u{feff}", "xyz"),
        ] {
            assert_eq!(clean(text), want, "{text:?}");
        }
    }

    #[test]
    fn text_is_short() {
        assert_eq!(line(" two\n words ", 20), "two words");
        assert_eq!(line("üüüüü", 3), "üü…");
        assert_eq!(block("\na\n\nb\n", 9), "a\n\nb");
        assert_eq!(tail("a\nb\nccccc\n\n", 2, 4), "b\nccc…");
        assert_eq!(tail("", 2, 4), "");
    }
}
