//! Text as JSON strings, quickly: terminal output is long runs that need nothing, with an escape every so often.

/// Append `text` as the inside of a JSON string.
pub(super) fn escape(text: &str, into: &mut Vec<u8>) {
    let mut rest = text.as_bytes();
    while let Some(at) = first_special(rest) {
        let (plain, special) = rest.split_at(at);
        into.extend_from_slice(plain);
        let Some((byte, after)) = special.split_first() else { return };
        match byte {
            b'"' => into.extend_from_slice(b"\\\""),
            b'\\' => into.extend_from_slice(b"\\\\"),
            b'\n' => into.extend_from_slice(b"\\n"),
            b'\r' => into.extend_from_slice(b"\\r"),
            b'\t' => into.extend_from_slice(b"\\t"),
            byte => {
                let digit = |value: u8| if value < 10 { b'0' + value } else { b'a' + value - 10 };
                into.extend_from_slice(&[b'\\', b'u', b'0', b'0', digit(byte >> 4), digit(byte & 15)]);
            }
        }
        rest = after;
    }
    into.extend_from_slice(rest);
}

const ONES: u64 = u64::from_ne_bytes([0x01; 8]);
const HIGH: u64 = u64::from_ne_bytes([0x80; 8]);

/// Where the first byte stands that cannot be in a JSON string as it is.
fn first_special(bytes: &[u8]) -> Option<usize> {
    let (words, tail) = bytes.as_chunks::<8>();
    for (number, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        // A byte below a limit borrows from its high bit; a byte of a kind becomes zero, which is below one.
        let below = |word: u64, limit: u8| word.wrapping_sub(ONES * u64::from(limit)) & !word;
        let equal = |byte: u8| below(word ^ (ONES * u64::from(byte)), 1);
        let found = (below(word, 0x20) | equal(b'"') | equal(b'\\')) & HIGH;
        // The lowest bit is exact; those above it may be borrows.
        if found != 0 {
            return Some(number * 8 + (found.trailing_zeros() / 8) as usize);
        }
    }
    let found = tail.iter().position(|byte| matches!(byte, 0..0x20 | b'"' | b'\\'))?;
    Some(words.len() * 8 + found)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_parser_reads_the_same_text(text in any::<String>(), more in "[ -~\"\\\\\x1b\n\r\t\x00-\x1f]{0,64}") {
            let text = text + &more;
            let mut bytes = vec![b'"'];
            escape(&text, &mut bytes);
            bytes.push(b'"');
            prop_assert!(!bytes.contains(&b'\n'));
            prop_assert_eq!(serde_json::from_slice::<String>(&bytes).unwrap(), text);
        }
    }
}
