//! What scrolls past unseen need not be drawn.
//!
//! Under a flood most lines are gone before anybody can look. Lines may be left out where it provably makes no
//! difference: if text does nothing but write, change how characters look and go to the next line; if all rows
//! scroll; if enough lines come before the place that the cursor stands in the last row, and enough after it that
//! everything that stood anywhere is scrolled away. Then what is left of all before is how characters look, and
//! that is known from the sequences alone.

use memchr::{memchr, memchr_iter, memmem, memrchr_iter};

use crate::parse::next_control;

/// Shorter text is not worth the look.
const SHORTEST: usize = 16 << 10;

/// Long bytes, parted behind their first line.
pub(super) fn after_a_line(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = memchr(b'\n', bytes).filter(|_| bytes.len() >= SHORTEST)?;
    Some(bytes.split_at(end + 1))
}

/// How many bytes may be left out. They end behind a carriage return and a line feed, so the cursor stands at the
/// beginning of the last row then.
pub(super) fn skippable(bytes: &[u8], rows: usize) -> Option<usize> {
    let simple = &bytes[..simple_length(bytes)];
    // From the end: as many line feeds as there are rows, and then the end of a line.
    let after = *memrchr_iter(b'\n', simple).take(rows).collect::<Vec<_>>().get(rows - 1)?;
    let place = memmem::rfind(&simple[..after], b"\r\n")? + 2;
    let before = memchr_iter(b'\n', &simple[..place]).take(rows).count();
    (before == rows).then_some(place)
}

/// How far the bytes do nothing but write, change looks and go to the next line. Whole sequences only.
fn simple_length(bytes: &[u8]) -> usize {
    let mut at = 0;
    while let Some(control) = next_control(bytes, at) {
        match bytes.get(control) {
            Some(0x1b) => match selection_length(&bytes[control..]) {
                Some(length) => at = control + length,
                None => return control,
            },
            Some(0x07..=0x0a | 0x0d) => at = control + 1,
            _ => return control,
        }
    }
    bytes.len()
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
    let is_reset = |at: &usize| {
        let rest = skipped.get(*at..).unwrap_or_default();
        rest.starts_with(b"\x1b[m") || rest.starts_with(b"\x1b[0m")
    };
    let reset = memrchr_iter(0x1b, skipped).find(is_reset).unwrap_or(0);
    let relevant = skipped.get(reset..).unwrap_or_default();
    memchr_iter(0x1b, relevant).filter_map(|at| {
        let rest = relevant.get(at..)?;
        rest.get(..selection_length(rest)?)
    })
}
