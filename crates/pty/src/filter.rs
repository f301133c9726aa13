//! What may reach the terminal of somebody who looks on.
//!
//! Only what is known to do nothing but show passes, and it is written anew from what was understood of it, so that
//! nothing depends on both terminals reading odd bytes alike. Everything else is dropped: the clipboard, titles,
//! whatever makes a terminal answer (the answer would be typed), print, move its window, or show something that we do
//! not model. Sequences pass when they are whole, so what passed can be cut off at any place.

use crate::parse::{Act, Parser, Sequence};

/// What passes beside what shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Allow {
    /// OSC 52, to set the clipboard. Asking for it never passes.
    pub clipboard: bool,
    /// OSC 0, 1 and 2.
    pub title: bool,
    /// OSC 8.
    pub links: bool,
}

/// Private modes that pass: how the screen behaves, and what is reported to the one at the keyboard.
const MODES: &[u16] = &[
    1, 5, 6, 7, 9, 12, 25, 47, 1000, 1001, 1002, 1003, 1004, 1005, 1006, 1007, 1015, 1016, 1047, 1048, 1049,
    2004, 2026,
];

/// A stream of output that is made harmless, cut wherever reads happen to cut it.
#[derive(Debug)]
pub struct Filter {
    parser: Parser,
    harmless: Harmless,
}

impl Filter {
    pub fn new(allow: Allow) -> Self {
        Self { parser: Parser::default(), harmless: Harmless::new(allow) }
    }

    /// What of it may be shown. The beginning of a sequence is kept until its end comes.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.parser.feed(bytes, &mut self.harmless);
        std::mem::take(&mut self.harmless.out)
    }
}

/// Writes down what is harmless.
#[derive(Debug)]
pub(crate) struct Harmless {
    allow: Allow,
    pub out: Vec<u8>,
}

impl Harmless {
    pub fn new(allow: Allow) -> Self {
        Self { allow, out: Vec::new() }
    }

    fn write(&mut self, sequence: &Sequence) {
        self.out.extend_from_slice(b"\x1b[");
        self.out.extend(sequence.private);
        for (place, parameter) in sequence.parameters.iter().enumerate() {
            if place > 0 {
                self.out.push(if parameter.is_sub { b':' } else { b';' });
            }
            if let Some(value) = parameter.value {
                self.out.extend_from_slice(value.to_string().as_bytes());
            }
        }
        self.out.extend_from_slice(&sequence.intermediates);
        self.out.push(sequence.last);
    }

    /// Only the modes that pass.
    fn write_modes(&mut self, sequence: &Sequence, passing: &[u16]) {
        let passes = |mode: &u16| passing.contains(mode);
        for mode in sequence.parameters.iter().filter_map(|parameter| parameter.value).filter(passes) {
            self.out.extend_from_slice(b"\x1b[");
            self.out.extend(sequence.private);
            self.out.extend_from_slice(mode.to_string().as_bytes());
            self.out.push(sequence.last);
        }
    }

    fn write_command(&mut self, number: &str, text: &[u8]) {
        self.out.extend_from_slice(b"\x1b]");
        self.out.extend_from_slice(number.as_bytes());
        self.out.push(b';');
        let text = String::from_utf8_lossy(text);
        self.out.extend(text.chars().filter(|c| !c.is_control()).collect::<String>().into_bytes());
        self.out.extend_from_slice(b"\x1b\\");
    }
}

impl Act for Harmless {
    fn text(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
    }

    fn control(&mut self, byte: u8) {
        // Bell, backspace, tab, line feeds, carriage return, shifts. Not ENQ, which is answered.
        if matches!(byte, 0x07..=0x0f) {
            self.out.push(byte);
        }
    }

    fn escape(&mut self, intermediates: &[u8], last: u8) {
        let passes = match intermediates {
            [] => matches!(last, b'7' | b'8' | b'=' | b'>' | b'D' | b'E' | b'H' | b'M' | b'c'),
            [b'#'] => last == b'8',
            [b'(' | b')'] => matches!(last, b'0' | b'A' | b'B'),
            _ => false,
        };
        if passes {
            self.out.push(0x1b);
            self.out.extend_from_slice(intermediates);
            self.out.push(last);
        }
    }

    fn sequence(&mut self, sequence: &Sequence) {
        let first = sequence.value(0);
        let passes = match (sequence.private, sequence.intermediates.as_slice(), sequence.last) {
            // What was scrolled away belongs to the one who looks on.
            (None | Some(b'?'), [], b'J' | b'K') => first < 3,
            (None, [], b'@'..=b'I' | b'L' | b'M' | b'P' | b'S' | b'X' | b'Z')
            | (None, [], b'`' | b'a' | b'b' | b'd'..=b'g' | b'm' | b'r')
            | (Some(b'>' | b'<' | b'='), [], b'u')
            | (None, [b' '], b'q')
            | (None, [b'!'], b'p') => true,
            // With parameters these are something else.
            (None, [], b's' | b'u') => sequence.parameters.is_empty(),
            (None, [], b'T') => sequence.parameters.len() < 2,
            (None, [], b'h' | b'l') => return self.write_modes(sequence, &[4, 20]),
            (Some(b'?'), [], b'h' | b'l') => return self.write_modes(sequence, MODES),
            (Some(b'>'), [], b'm') => first == 4,
            _ => false,
        };
        if passes {
            self.write(sequence);
        }
    }

    fn command(&mut self, command: &[u8]) {
        let Some(at) = command.iter().position(|byte| *byte == b';') else { return };
        let (number, text) = (&command[..at], &command[at + 1..]);
        match number {
            b"0" | b"1" | b"2" if self.allow.title => self.write_command("2", text),
            b"8" if self.allow.links => self.write_command("8", text),
            b"52" if self.allow.clipboard && !text.ends_with(b"?") => self.write_command("52", text),
            _ => {}
        }
    }

    fn string(&mut self) {}
}
