//! Bytes from the terminal, as keys. A sequence may come in pieces.

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Key {
    Text(String),
    /// What stood between the marks of a bracketed paste.
    Paste(String),
    Enter,
    Newline,
    Backspace,
    Left,
    Right,
    Up,
    Down,
    Home,
    End,
    Escape,
    Tab,
    /// Ctrl with this letter.
    Control(char),
}

const PASTE: &[u8] = b"\x1b[200~";
const END: &[u8] = b"\x1b[201~";

#[derive(Debug, Default)]
pub(crate) struct Decoder {
    pending: Vec<u8>,
}

impl Decoder {
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Vec<Key> {
        self.pending.extend_from_slice(bytes);
        let mut keys = Vec::new();
        while let Some((key, used)) = first(&self.pending) {
            self.pending.drain(..used);
            match (key, keys.last_mut()) {
                (Some(Key::Text(more)), Some(Key::Text(text))) => text.push_str(&more),
                (Some(key), _) => keys.push(key),
                (None, _) => {}
            }
        }
        keys
    }

    /// Whether there is a lone Escape, which is a key where nothing follows soon.
    pub(crate) fn waits(&self) -> bool {
        self.pending == [0x1b]
    }

    /// Nothing followed.
    pub(crate) fn lapse(&mut self) -> Option<Key> {
        self.waits().then(|| {
            self.pending.clear();
            Key::Escape
        })
    }
}

/// The first key and its length; no key where the sequence means nothing here.
fn first(bytes: &[u8]) -> Option<(Option<Key>, usize)> {
    if bytes.starts_with(PASTE) {
        let rest = bytes.get(PASTE.len()..)?;
        let length = rest.windows(END.len()).position(|part| part == END)?;
        let text = String::from_utf8_lossy(rest.get(..length)?).replace("\r\n", "\n").replace('\r', "\n");
        return Some((Some(Key::Paste(text)), PASTE.len() + length + END.len()));
    }
    match *bytes {
        [] | [0x1b] | [0x1b, b'O'] => None,
        [0x1b, b'[', ref rest @ ..] => {
            let end = rest.iter().position(|byte| (0x40..=0x7e).contains(byte))?;
            let key = match (rest.get(..end)?, rest.get(end)?) {
                (_, b'A') => Some(Key::Up),
                (_, b'B') => Some(Key::Down),
                (_, b'C') => Some(Key::Right),
                (_, b'D') => Some(Key::Left),
                (_, b'H') | (b"1" | b"7", b'~') => Some(Key::Home),
                (_, b'F') | (b"4" | b"8", b'~') => Some(Key::End),
                _ => None,
            };
            Some((key, end + 3))
        }
        [0x1b, b'O', letter, ..] => Some((
            match letter {
                b'A' => Some(Key::Up),
                b'B' => Some(Key::Down),
                b'C' => Some(Key::Right),
                b'D' => Some(Key::Left),
                b'H' => Some(Key::Home),
                b'F' => Some(Key::End),
                _ => None,
            },
            3,
        )),
        [0x1b, ..] => Some((Some(Key::Escape), 1)),
        [b'\r', ..] => Some((Some(Key::Enter), 1)),
        [b'\n', ..] => Some((Some(Key::Newline), 1)),
        [b'\t', ..] => Some((Some(Key::Tab), 1)),
        [0x7f | 0x08, ..] => Some((Some(Key::Backspace), 1)),
        [control @ 0..=0x1f, ..] => Some((Some(Key::Control(char::from(control + 0x60))), 1)),
        [lead, ..] => {
            let length = match lead {
                0xf0.. => 4,
                0xe0.. => 3,
                0xc0.. => 2,
                _ => 1,
            };
            let text = std::str::from_utf8(bytes.get(..length)?);
            Some(text.map_or((None, 1), |text| (Some(Key::Text(text.to_owned())), length)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_may_be_cut_anywhere() {
        let bytes = "aü\x1b[A\x1b[200~x\r\ny\x1b[201~\r\x15".as_bytes();
        let whole = Decoder::default().feed(bytes);
        let want =
            [Key::Text("aü".into()), Key::Up, Key::Paste("x\ny".into()), Key::Enter, Key::Control('u')];
        assert_eq!(whole, want);
        for at in 0..bytes.len() {
            let mut decoder = Decoder::default();
            let mut keys = decoder.feed(&bytes[..at]);
            for key in decoder.feed(&bytes[at..]) {
                match (key, keys.last_mut()) {
                    (Key::Text(more), Some(Key::Text(text))) => text.push_str(&more),
                    (key, _) => keys.push(key),
                }
            }
            assert_eq!(keys, want, "cut at {at}");
        }
    }

    #[test]
    fn a_lone_escape_is_a_key_once_nothing_follows() {
        let mut decoder = Decoder::default();
        assert_eq!(decoder.feed(b"\x1b"), []);
        assert!(decoder.waits());
        assert_eq!(decoder.lapse(), Some(Key::Escape));
        assert!(!decoder.waits());
    }
}
