//! What scrolls past unseen need not be drawn.
//!
//! Under a flood most lines are gone before anybody can look. Lines may be left out where it provably makes no
//! difference: if text does nothing but write, change how characters look and go to the next line; if all rows
//! scroll; if enough lines come before the place that the cursor stands in the last row, and enough after it that
//! everything that stood anywhere is scrolled away. Then what is left of all before is how characters look, and
//! that is known from the sequences alone.

use memchr::{memchr, memchr_iter, memmem, memrchr_iter};

use crate::sheet::{BLOCK, SHORT, Sheet, bits};

/// Shorter text is not worth the look.
const SHORTEST: usize = 16 << 10;

/// Long bytes, parted behind their first line.
pub(super) fn after_a_line(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = memchr(b'\n', bytes).filter(|_| bytes.len() >= SHORTEST)?;
    Some(bytes.split_at(end + 1))
}

/// How many bytes may be left out. They end behind a carriage return and a line feed, so the cursor stands at the
/// beginning of the last row then. Their text, without any sequence, is left in `text`.
pub(super) fn skippable(bytes: &[u8], rows: usize, text: &mut Sheet) -> Option<usize> {
    let mut bytes = bytes;
    loop {
        let place = place_before(bytes, rows)?;
        text.clear();
        let simple = simple_length(bytes.get(..place)?, text);
        let length = text.bytes().len();
        let simple = if simple == place { simple + simple_length(bytes.get(place..)?, text) } else { simple };
        text.truncate(length);
        if simple == bytes.len() {
            return Some(place);
        }
        // Up to there all is simple, so this comes to an end at the next look.
        bytes = bytes.get(..simple)?;
    }
}

/// A place behind the end of a line, with as many line feeds before and after it as there are rows.
fn place_before(bytes: &[u8], rows: usize) -> Option<usize> {
    let after = memrchr_iter(b'\n', bytes).nth(rows.checked_sub(1)?)?;
    let place = memmem::rfind(bytes.get(..after)?, b"\r\n")? + 2;
    let before = memchr_iter(b'\n', bytes.get(..place)?).take(rows).count();
    (before == rows).then_some(place)
}

/// How far the bytes do nothing but write, change looks and go to the next line, whole sequences only. What they write
/// is appended to `text`: it is needed for the plain log, and to go through them twice takes twice as long.
fn simple_length(bytes: &[u8], text: &mut Sheet) -> usize {
    let mut from = 0;
    'all: for start in (0..bytes.len()).step_by(BLOCK) {
        text.make_room();
        let mut bits = bits(bytes, start, |byte| byte < 0x20);
        while bits != 0 {
            let at = start + bits.trailing_zeros() as usize;
            bits &= bits - 1;
            // None is inside of a sequence, or it would not be whole.
            text.run(bytes, from, at);
            from = at;
            let rest = bytes.get(at..).unwrap_or_default();
            from += match rest.first() {
                Some(byte @ (b'\t' | b'\n')) => {
                    text.short([*byte; SHORT], 1);
                    1
                }
                Some(0x07 | 0x08 | b'\r') => 1,
                Some(0x1b) => match selection_length(rest) {
                    Some(length) => length,
                    None => break 'all,
                },
                _ => break 'all,
            };
        }
        let end = bytes.len().min(start + BLOCK);
        if from < end {
            text.run(bytes, from, end);
            from = end;
        }
    }
    from
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
