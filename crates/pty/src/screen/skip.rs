//! What scrolls past unseen need not be drawn.
//!
//! Under a flood most lines are gone before anybody can look. Lines may be left out where it provably makes no
//! difference: if text does nothing but write, change how characters look and go to the next line; if all rows
//! scroll; if enough lines come before the place that the cursor stands in the last row, and enough after it that
//! everything that stood anywhere is scrolled away. Then what is left of all before is how characters look, and
//! that is known from the sequences alone.

use memchr::{memchr, memchr_iter, memmem};

/// Shorter text is not worth the look.
const SHORTEST: usize = 16 << 10;

/// How many bytes may be left out. They end behind a carriage return and a line feed, so the cursor stands at the
/// beginning of the last row then.
pub(super) fn skippable(bytes: &[u8], rows: usize) -> Option<usize> {
    if bytes.len() < SHORTEST {
        return None;
    }
    let simple = &bytes[..simple_length(bytes)];
    // From the end: as many line feeds as there are rows, and then the end of a line.
    let after = *memchr::memrchr_iter(b'\n', simple).take(rows).collect::<Vec<_>>().get(rows - 1)?;
    let place = memmem::rfind(&simple[..after], b"\r\n")? + 2;
    let before = memchr_iter(b'\n', &simple[..place]).take(rows).count();
    (before == rows).then_some(place)
}

/// How far the bytes do nothing but write, change looks and go to the next line. Whole sequences only.
fn simple_length(bytes: &[u8]) -> usize {
    let mut length = 0;
    while let Some(rest) = bytes.get(length..).filter(|rest| !rest.is_empty()) {
        let next = memchr(0x1b, rest).unwrap_or(rest.len());
        let text = &rest[..next];
        if let Some(bad) = first_bad(text) {
            return length + bad;
        }
        length += next;
        if let Some(sequence) = rest.get(next..).filter(|sequence| !sequence.is_empty()) {
            let Some(used) = selection_length(sequence) else { return length };
            length += used;
        }
    }
    length
}

/// Where the first control character stands that does more than that.
fn first_bad(text: &[u8]) -> Option<usize> {
    let is_bad = |byte: &u8| *byte < 0x20 && !matches!(*byte, 0x07..=0x0a | 0x0d);
    // All at once first: there is hardly ever one.
    if text.iter().fold(false, |found, byte| found | is_bad(byte)) {
        text.iter().position(is_bad)
    } else {
        None
    }
}

/// How long `ESC [ ... m` is; `None` if it is something else or not whole.
fn selection_length(bytes: &[u8]) -> Option<usize> {
    let inside = bytes.strip_prefix(b"\x1b[")?;
    let length = inside.iter().position(|byte| !matches!(byte, b'0'..=b'9' | b';' | b':'))?;
    (inside.get(length) == Some(&b'm')).then_some(length + 3)
}

/// The sequences in skippable bytes that still say how characters look at their end.
pub(super) fn selections(skipped: &[u8]) -> impl Iterator<Item = &[u8]> {
    // What came before everything was set back makes no difference.
    let reset =
        [&b"\x1b[m"[..], b"\x1b[0m"].into_iter().filter_map(|reset| memmem::rfind(skipped, reset)).max();
    let relevant = skipped.get(reset.unwrap_or(0)..).unwrap_or_default();
    memchr_iter(0x1b, relevant).filter_map(|at| {
        let rest = relevant.get(at..)?;
        rest.get(..selection_length(rest)?)
    })
}
