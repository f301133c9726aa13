//! What a person types, as far as it must be understood: where one key ends and the next begins.
//!
//! Typing for the person may only happen between two keys. And a terminal answers questions, reports the
//! mouse and its focus on the same line as keys; that is not the person's typing.

use std::time::{Duration, Instant};

/// A sequence that does not go on for so long is over: it was the Escape key, or was cut off.
const KEY_LASTS: Duration = Duration::from_millis(100);
/// A paste that does not go on for so long will not end.
const PASTE_LASTS: Duration = Duration::from_secs(5);
/// More of a sequence need not be kept to know what it is.
const KEPT: usize = 32;
const PASTE_END: &[u8] = b"\x1b[201~";

/// Follows one source of keystrokes.
#[derive(Debug, Default)]
pub(super) struct Keys {
    state: State,
    /// What a control sequence holds so far.
    held: Vec<u8>,
    last: Option<Instant>,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum State {
    #[default]
    Between,
    /// So many bytes of a character are still to come.
    Character(u8),
    Escape,
    Control,
    /// `ESC O` and one byte: keys of the keypad and F1 to F4.
    Single,
    /// An answer of the terminal, up to its end.
    Answer,
    AnswerEscape,
    /// Three bytes after `ESC [ M`.
    OldMouse(u8),
    /// So many bytes of what ends a paste have been seen.
    Paste(usize),
}

impl Keys {
    /// Follow these bytes. Whether any of them is a key, a click or pasted text.
    pub fn follow(&mut self, bytes: &[u8], now: Instant) -> bool {
        if self.is_between(now) {
            self.state = State::Between;
        }
        self.last = Some(now);
        let mut is_typing = false;
        for byte in bytes {
            is_typing |= self.step(*byte);
        }
        is_typing
    }

    /// Whether the last key is over and no other has begun.
    pub fn is_between(&self, now: Instant) -> bool {
        let lasts = match self.state {
            State::Between => return true,
            State::Paste(_) => PASTE_LASTS,
            _ => KEY_LASTS,
        };
        self.last.is_none_or(|last| now.saturating_duration_since(last) > lasts)
    }

    /// Whether this byte ends something that was typed.
    fn step(&mut self, byte: u8) -> bool {
        let (next, is_typing) = match self.state {
            State::Between => self.first(byte),
            State::Character(left) => match (byte, left) {
                (0x80..=0xbf, 2..) => (State::Character(left - 1), false),
                (0x80..=0xbf, _) => (State::Between, true),
                _ => self.first(byte),
            },
            State::Escape => match byte {
                b'[' => {
                    self.held.clear();
                    (State::Control, false)
                }
                b'O' => (State::Single, false),
                b']' | b'P' | b'_' | b'^' | b'X' => (State::Answer, false),
                // Escape twice: the first was the key, the second may begin something.
                0x1b => (State::Escape, true),
                _ => (State::Between, true),
            },
            State::Control => match byte {
                b'@'..=b'~' => return self.end_control(byte),
                0x1b => (State::Escape, true),
                _ => {
                    if self.held.len() < KEPT {
                        self.held.push(byte);
                    }
                    (State::Control, false)
                }
            },
            State::Single => (State::Between, true),
            State::Answer => match byte {
                0x07 => (State::Between, false),
                0x1b => (State::AnswerEscape, false),
                _ => (State::Answer, false),
            },
            State::AnswerEscape if byte == b'\\' => (State::Between, false),
            State::AnswerEscape => (State::Answer, false),
            State::OldMouse(left) => {
                if left == 3 {
                    self.held.clear();
                    self.held.push(byte);
                }
                let button = self.held.first().map_or(0, |first| first.wrapping_sub(32));
                let next = if left > 1 { State::OldMouse(left - 1) } else { State::Between };
                (next, left == 1 && !is_motion(u32::from(button)))
            }
            State::Paste(seen) => {
                let seen =
                    if PASTE_END.get(seen) == Some(&byte) { seen + 1 } else { usize::from(byte == 0x1b) };
                (if seen == PASTE_END.len() { State::Between } else { State::Paste(seen) }, true)
            }
        };
        self.state = next;
        is_typing
    }

    fn first(&self, byte: u8) -> (State, bool) {
        match byte {
            0x1b => (State::Escape, false),
            0xc2..=0xdf => (State::Character(1), false),
            0xe0..=0xef => (State::Character(2), false),
            0xf0..=0xf4 => (State::Character(3), false),
            _ => (State::Between, true),
        }
    }

    fn end_control(&mut self, last: u8) -> bool {
        self.state = match (self.held.as_slice(), last) {
            (b"200", b'~') => State::Paste(0),
            (b"", b'M') => State::OldMouse(3),
            _ => State::Between,
        };
        match (self.held.as_slice(), last) {
            ([b'<', rest @ ..], b'M' | b'm') => {
                let digits = rest.iter().take_while(|byte| byte.is_ascii_digit());
                let button = digits
                    .fold(0u32, |sum, digit| sum.saturating_mul(10).saturating_add(u32::from(digit - b'0')));
                !is_motion(button)
            }
            // Focus came or went; where the mouse is follows. Answers: what terminal this is, where the cursor
            // stands, which modes are on, how large it is.
            (b"", b'I' | b'O' | b'M') | ([b'?' | b'>' | b'=', ..], _) | (_, b'n' | b't' | b'y') => false,
            // F3 with Shift or the like looks like an answer in the first row.
            (held, b'R') => held.starts_with(b"1;") && held.len() < 5,
            _ => true,
        }
    }
}

/// The pointer moved, and nothing was pressed.
fn is_motion(button: u32) -> bool {
    button & 32 != 0 && button & 64 == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether the bytes hold typing, and whether they end between two keys.
    fn seen(bytes: &[u8]) -> (bool, bool) {
        let now = Instant::now();
        let mut whole = Keys::default();
        let typed = whole.follow(bytes, now);
        let mut split = Keys::default();
        let typed_split = bytes.iter().filter(|byte| split.follow(&[**byte], now)).count() > 0;
        assert_eq!((typed, whole.state), (typed_split, split.state), "{bytes:?} split into bytes");
        (typed, whole.is_between(now))
    }

    #[test]
    fn keys_are_typing_and_answers_are_not() {
        for key in
            ["a", "é", "😀", "\x1b[A", "\x1bOP", "\x1bb", "\x03", "\x1b[97;5u", "\x1b[1;2R", "\x1b[<0;3;4M"]
        {
            assert_eq!(seen(key.as_bytes()), (true, true), "{key:?}");
        }
        assert_eq!(seen(b"\x1b[M !!"), (true, true));
        for answer in [
            "\x1b[I",
            "\x1b[O",
            "\x1b[?62;c",
            "\x1b[>1;2c",
            "\x1b[24;80R",
            "\x1b[?1u",
            "\x1b[?2026;2$y",
            "\x1b]11;rgb:0/0/0\x07",
            "\x1b]11;rgb:0/0/0\x1b\\",
            "\x1bP>|x\x1b\\",
            "\x1b[<35;3;4M",
            "\x1b[MC!!",
            "\x1b[?997;1n",
            "\x1b[8;24;80t",
        ] {
            assert_eq!(seen(answer.as_bytes()), (false, true), "{answer:?}");
        }
    }

    #[test]
    fn inside_is_inside() {
        for part in
            [&b"\x1b"[..], b"\x1b[", b"\x1b[1;", b"\x1bO", b"\xc3", b"\xf0\x9f", b"\x1b]11;", b"\x1b[M!"]
        {
            assert_eq!(seen(part), (false, false), "{part:?}");
        }
        assert_eq!(seen(b"\x1b[200~half"), (true, false));
        assert_eq!(seen(b"\x1b[200~half\x1b[20\x1b[201"), (true, false));
        assert_eq!(seen(b"\x1b[200~whole\x1b\x1b[201~"), (true, true));
    }

    #[test]
    fn what_does_not_go_on_is_over() {
        let now = Instant::now();
        let mut keys = Keys::default();
        keys.follow(b"\x1b", now);
        assert!(!keys.is_between(now + KEY_LASTS));
        assert!(keys.is_between(now + KEY_LASTS * 2));
        keys.follow(b"\x1b[200~x", now + KEY_LASTS * 2);
        assert!(!keys.is_between(now + PASTE_LASTS));
        assert!(keys.is_between(now + PASTE_LASTS * 2));
    }
}
