//! Keys pressed in a browser, as the bytes that a terminal would send for them.

use serde::Deserialize;
use signalbox_pty::{Paste, Safe};

/// What a browser says about the keyboard.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Typed {
    Key(Key),
    Text(String),
    Paste(String),
}

/// One key, by the name that browsers give it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Key {
    pub key: String,
    pub ctrl: bool,
    pub alt: bool,
    pub shift: bool,
}

/// What the program behind the terminal has asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Modes {
    pub application_cursor: bool,
    pub bracketed_paste: bool,
}

/// The longest text that is taken at once, in bytes.
const MOST: usize = 1 << 20;

/// The bytes; none for a key that a terminal does not send.
pub fn bytes(typed: &Typed, modes: Modes) -> Vec<u8> {
    match typed {
        Typed::Key(key) => key_bytes(key, modes).unwrap_or_default(),
        // What an input method composes; it comes without control characters.
        Typed::Text(text) => text.chars().filter(|c| !c.is_control()).collect::<String>().into_bytes(),
        Typed::Paste(text) if text.len() > MOST => Vec::new(),
        Typed::Paste(text) => {
            let how = if modes.bracketed_paste { Paste::Bracketed } else { Paste::Unmarked };
            Safe::new(text).paste(how)
        }
    }
}

fn key_bytes(key: &Key, modes: Modes) -> Option<Vec<u8>> {
    // As xterm numbers them.
    let modifiers = 1 + u8::from(key.shift) + 2 * u8::from(key.alt) + 4 * u8::from(key.ctrl);
    let letter = |letter: char| {
        if modifiers > 1 {
            format!("\x1b[1;{modifiers}{letter}")
        } else if modes.application_cursor {
            format!("\x1bO{letter}")
        } else {
            format!("\x1b[{letter}")
        }
    };
    let number = |number: u8| {
        if modifiers > 1 { format!("\x1b[{number};{modifiers}~") } else { format!("\x1b[{number}~") }
    };
    let function = |letter: char| {
        if modifiers > 1 { format!("\x1b[1;{modifiers}{letter}") } else { format!("\x1bO{letter}") }
    };
    let alt = |text: &str| if key.alt { format!("\x1b{text}") } else { text.to_owned() };
    let text = match key.key.as_str() {
        "ArrowUp" => letter('A'),
        "ArrowDown" => letter('B'),
        "ArrowRight" => letter('C'),
        "ArrowLeft" => letter('D'),
        "Home" => letter('H'),
        "End" => letter('F'),
        "Insert" => number(2),
        "Delete" => number(3),
        "PageUp" => number(5),
        "PageDown" => number(6),
        "F1" => function('P'),
        "F2" => function('Q'),
        "F3" => function('R'),
        "F4" => function('S'),
        "F5" => number(15),
        "F6" => number(17),
        "F7" => number(18),
        "F8" => number(19),
        "F9" => number(20),
        "F10" => number(21),
        "F11" => number(23),
        "F12" => number(24),
        "Enter" => alt("\r"),
        "Escape" => alt("\x1b"),
        "Backspace" => alt(if key.ctrl { "\x08" } else { "\x7f" }),
        "Tab" if key.shift => "\x1b[Z".to_owned(),
        "Tab" => alt("\t"),
        one if key.ctrl => alt(&control(one)?.to_string()),
        one if one.chars().count() == 1 => alt(one),
        _ => return None,
    };
    Some(text.into_bytes())
}

/// The control character of a key.
fn control(key: &str) -> Option<char> {
    let mut chars = key.chars();
    let c = chars.next().filter(|_| chars.next().is_none())?.to_ascii_lowercase();
    match c {
        'a'..='z' => char::from_u32(u32::from(c) - u32::from('a') + 1),
        ' ' | '@' | '2' => Some('\0'),
        '[' | '3' => Some('\x1b'),
        '\\' | '4' => Some('\x1c'),
        ']' | '5' => Some('\x1d'),
        '^' | '6' => Some('\x1e'),
        '_' | '/' | '7' => Some('\x1f'),
        '?' | '8' => Some('\x7f'),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_what_a_terminal_sends() {
        let key = |name: &str, held: &str| Key {
            key: name.to_owned(),
            ctrl: held.contains('c'),
            alt: held.contains('a'),
            shift: held.contains('s'),
        };
        for (name, held, want) in [
            ("a", "", "a"),
            ("A", "s", "A"),
            ("é", "", "é"),
            ("Enter", "", "\r"),
            ("Enter", "a", "\x1b\r"),
            ("Backspace", "", "\x7f"),
            ("Tab", "", "\t"),
            ("Tab", "s", "\x1b[Z"),
            ("Escape", "", "\x1b"),
            ("c", "c", "\x03"),
            ("C", "cs", "\x03"),
            ("d", "c", "\x04"),
            (" ", "c", "\0"),
            ("x", "a", "\x1bx"),
            ("ArrowUp", "", "\x1b[A"),
            ("ArrowLeft", "c", "\x1b[1;5D"),
            ("Delete", "", "\x1b[3~"),
            ("F1", "", "\x1bOP"),
            ("F5", "s", "\x1b[15;2~"),
            ("Shift", "s", ""),
            ("é", "c", ""),
        ] {
            let got = bytes(&Typed::Key(key(name, held)), Modes::default());
            assert_eq!(String::from_utf8_lossy(&got), want, "{name} with {held}");
        }
        let modes = Modes { application_cursor: true, bracketed_paste: true };
        assert_eq!(bytes(&Typed::Key(key("ArrowUp", "")), modes), b"\x1bOA");
        let paste = Typed::Paste("a\x1b[201~b\r\nc".to_owned());
        assert_eq!(bytes(&paste, modes), b"\x1b[200~a[201~b\nc\x1b[201~");
        assert_eq!(bytes(&paste, Modes::default()), b"a[201~b c");
        assert_eq!(bytes(&Typed::Text("k\x1b\u{9b}".to_owned()), modes), b"k");
    }
}
