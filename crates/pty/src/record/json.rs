//! Text as JSON strings, quickly: terminal output is long runs that need nothing, with an escape every so often.

use crate::sheet::{BLOCK, SHORT, Sheet, bits};

/// Append `text` as the inside of a JSON string.
pub(super) fn escape(text: &str, into: &mut Sheet) {
    let bytes = text.as_bytes();
    for start in (0..bytes.len()).step_by(BLOCK) {
        into.make_room();
        let (mut from, mut bits) = (start, bits(bytes, start, is_special));
        while bits != 0 {
            let at = start + bits.trailing_zeros() as usize;
            bits &= bits - 1;
            into.run(bytes, from, at);
            if let Some(&(escape, length)) = bytes.get(at).and_then(|byte| ESCAPES.get(usize::from(*byte))) {
                into.short(escape, length);
            }
            from = at + 1;
        }
        into.run(bytes, from, bytes.len().min(start + BLOCK));
    }
}

/// Whether a byte cannot be in a JSON string as it is.
fn is_special(byte: u8) -> bool {
    (byte < 0x20) | (byte == b'"') | (byte == b'\\')
}

/// How every such byte is written, and how long that is.
const ESCAPES: [([u8; SHORT], usize); 0x60] = {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut escapes = [([0; SHORT], 0); 0x60];
    let mut byte = 0;
    while byte < escapes.len() {
        escapes[byte] = match byte as u8 {
            b'"' => (*b"\\\"      ", 2),
            b'\\' => (*b"\\\\      ", 2),
            b'\n' => (*b"\\n      ", 2),
            b'\r' => (*b"\\r      ", 2),
            b'\t' => (*b"\\t      ", 2),
            _ => ([b'\\', b'u', b'0', b'0', DIGITS[byte >> 4 & 15], DIGITS[byte & 15], b' ', b' '], 6),
        };
        byte += 1;
    }
    escapes
};

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_parser_reads_the_same_text(text in any::<String>(), more in "[ -~\"\\\\\x1b\n\r\t\x00-\x1f]{0,300}") {
            let text = text + &more;
            let mut sheet = Sheet::default();
            sheet.push(b"\"");
            escape(&text, &mut sheet);
            sheet.push(b"\"");
            let bytes = sheet.bytes();
            prop_assert!(!bytes.contains(&b'\n'));
            prop_assert_eq!(serde_json::from_slice::<String>(bytes).unwrap(), text);
        }
    }
}
