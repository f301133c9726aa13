//! What `echo` and `printf` print, where it can be known: it may be piped into a shell or name a program.

/// Whose backslashes these are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Escapes {
    /// `$'…'`
    Ansi,
    /// `echo -e` and `%b`: octal numbers start with a zero.
    Echo,
    /// The format of `printf`.
    Format,
}

/// Replaces backslash sequences.
pub(super) fn unescape(text: &str, escapes: Escapes) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(character) = rest.next() {
        let mut buffer = [0; 4];
        if character != '\\' {
            bytes.extend_from_slice(character.encode_utf8(&mut buffer).as_bytes());
            continue;
        }
        let Some(kind) = rest.next() else {
            bytes.push(b'\\');
            break;
        };
        let mut digits = |radix: u32, most: usize, start: u32| {
            let mut value = start;
            let mut taken = 0;
            while taken < most
                && let Some(digit) = rest.peek().and_then(|character| character.to_digit(radix))
            {
                value = value.wrapping_mul(radix).wrapping_add(digit);
                rest.next();
                taken += 1;
            }
            value
        };
        match kind {
            'n' => bytes.push(b'\n'),
            't' => bytes.push(b'\t'),
            'r' => bytes.push(b'\r'),
            'a' => bytes.push(7),
            'b' => bytes.push(8),
            'e' | 'E' => bytes.push(27),
            'f' => bytes.push(12),
            'v' => bytes.push(11),
            '\\' => bytes.push(b'\\'),
            '\'' if escapes != Escapes::Echo => bytes.push(b'\''),
            '"' if escapes != Escapes::Echo => bytes.push(b'"'),
            '?' if escapes == Escapes::Ansi => bytes.push(b'?'),
            'x' => bytes.push(digits(16, 2, 0).to_le_bytes()[0]),
            'u' | 'U' => {
                let value = digits(16, if kind == 'u' { 4 } else { 8 }, 0);
                let character = char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER);
                bytes.extend_from_slice(character.encode_utf8(&mut buffer).as_bytes());
            }
            '0' if escapes == Escapes::Echo => bytes.push(digits(8, 3, 0).to_le_bytes()[0]),
            '0'..='7' if escapes != Escapes::Echo => {
                let first = kind.to_digit(8).unwrap_or_default();
                bytes.push(digits(8, 2, first).to_le_bytes()[0]);
            }
            'c' if escapes == Escapes::Ansi => {
                if let Some(control) = rest.next() {
                    bytes.push((control as u32 as u8) & 0x1f);
                }
            }
            'c' => break,
            other => {
                bytes.push(b'\\');
                bytes.extend_from_slice(other.encode_utf8(&mut buffer).as_bytes());
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// What `echo` prints for these arguments. Shells disagree on backslashes: with `-e` they are replaced,
/// without it they are left, and the caller has to look at both where that matters.
pub(super) fn echo(arguments: &[String]) -> String {
    let mut replaces = false;
    let mut newline = true;
    let mut words = arguments;
    while let Some((first, rest)) = words.split_first() {
        let letters = first.strip_prefix('-').unwrap_or_default();
        if letters.is_empty() || !letters.chars().all(|letter| "neE".contains(letter)) {
            break;
        }
        newline &= !letters.contains('n');
        replaces = letters.contains('e') || replaces && !letters.contains('E');
        words = rest;
    }
    let mut text = words.join(" ");
    if replaces {
        text = unescape(&text, Escapes::Echo);
    }
    if newline {
        text.push('\n');
    }
    text
}

/// What `printf` prints, if the format holds nothing but `%s`, `%b`, `%d`, `%c`, `%q` and `%%`.
pub(super) fn printf(arguments: &[String]) -> Option<String> {
    let (format, values) = arguments.split_first()?;
    let mut values = values.iter();
    let mut text = String::new();
    loop {
        let before = values.len();
        let mut rest = format.as_str();
        while let Some(start) = rest.find('%') {
            text.push_str(&unescape(rest.get(..start)?, Escapes::Format));
            rest = rest.get(start + 1..)?;
            let kind = rest.chars().next()?;
            match kind {
                '%' => text.push('%'),
                's' | 'd' | 'i' | 'q' => text.push_str(values.next().map(String::as_str).unwrap_or_default()),
                'c' => text.extend(values.next().and_then(|value| value.chars().next())),
                'b' => {
                    text.push_str(&unescape(
                        values.next().map(String::as_str).unwrap_or_default(),
                        Escapes::Echo,
                    ));
                }
                _ => return None,
            }
            rest = rest.get(1..)?;
        }
        text.push_str(&unescape(rest, Escapes::Format));
        // The format is used again while there are values left.
        if values.len() == 0 || values.len() == before || text.len() > 65_536 {
            return Some(text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{echo, printf};

    fn words(text: &[&str]) -> Vec<String> {
        text.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn prints_as_bash_does() {
        assert_eq!(echo(&words(&["a", "b"])), "a b\n");
        assert_eq!(echo(&words(&["-ne", "\\x72\\0155"])), "rm");
        assert_eq!(echo(&words(&["\\x72"])), "\\x72\n");
        assert_eq!(printf(&words(&["\\x72\\155 %s\n", "a", "b"])).as_deref(), Some("rm a\nrm b\n"));
        assert_eq!(printf(&words(&["%5d"])), None);
        assert_eq!(printf(&words(&["%b", "\\0162"])).as_deref(), Some("r"));
    }
}
