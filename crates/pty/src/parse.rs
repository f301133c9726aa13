//! Splits what a program writes into text and sequences, wherever reads happen to cut it.
//!
//! Follows what xterm does: control characters act inside of sequences too, CAN and SUB break one off, ESC begins
//! another. Nothing is ever kept without a bound. The 8-bit forms of sequences are text that shows nothing.

/// Sequences have at most this many parameters; the rest of them is dropped.
const MOST_PARAMETERS: usize = 32;
/// What is kept of an operating system command. Longer ones are only known to have been there.
const LONGEST_COMMAND: usize = 64 << 10;

/// What is done with the parts.
pub(crate) trait Act {
    /// Something to show, without any control character.
    fn text(&mut self, text: &str);
    /// A control character other than ESC.
    fn control(&mut self, byte: u8);
    /// `ESC`, intermediates, and the last byte.
    fn escape(&mut self, intermediates: &[u8], last: u8);
    fn sequence(&mut self, sequence: &Sequence);
    /// An operating system command: what stood between `ESC ]` and its end.
    fn command(&mut self, command: &[u8]);
    /// A string that is for the terminal alone (DCS, SOS, PM, APC), or a command too long to keep.
    fn string(&mut self);
}

/// A control sequence: `ESC [`, a private mark, parameters, intermediates, and the last byte.
#[derive(Debug, Default, Clone)]
pub(crate) struct Sequence {
    /// One of `<`, `=`, `>`, `?`.
    pub private: Option<u8>,
    pub parameters: Vec<Parameter>,
    pub intermediates: Vec<u8>,
    pub last: u8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Parameter {
    /// `None` where nothing stands.
    pub value: Option<u16>,
    /// A colon stands before it, and not a semicolon: it belongs to the one before.
    pub is_sub: bool,
}

impl Sequence {
    /// A parameter by its place; `otherwise` where it is missing or 0.
    pub fn count(&self, place: usize, otherwise: u16) -> u16 {
        match self.value(place) {
            0 => otherwise,
            value => value,
        }
    }

    /// A parameter by its place; 0 where it is missing.
    pub fn value(&self, place: usize) -> u16 {
        self.parameters.get(place).and_then(|parameter| parameter.value).unwrap_or(0)
    }

    fn clear(&mut self) {
        self.private = None;
        self.parameters.clear();
        self.intermediates.clear();
    }
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum State {
    #[default]
    Ground,
    Escape,
    Sequence,
    /// Malformed: it is read to its end and forgotten.
    Ignored,
    Command,
    String,
    /// `ESC` in a command or string, which mostly ends it.
    CommandEscape,
    StringEscape,
}

#[derive(Debug, Default)]
pub(crate) struct Parser {
    state: State,
    /// The beginning of a character, while in the ground state.
    held: Vec<u8>,
    sequence: Sequence,
    intermediates: Vec<u8>,
    command: Vec<u8>,
    is_too_long: bool,
}

impl Parser {
    /// Whether nothing is left half read.
    pub fn is_between(&self) -> bool {
        self.state == State::Ground && self.held.is_empty()
    }

    pub fn feed(&mut self, bytes: &[u8], act: &mut impl Act) {
        let mut rest = bytes;
        while let Some((first, after)) = rest.split_first() {
            if self.state == State::Ground {
                let length = printable(rest);
                if length > 0 {
                    let (text, others) = rest.split_at(length);
                    self.text(text, others.is_empty(), act);
                    rest = others;
                    continue;
                }
                self.break_off_character(act);
            } else if self.state == State::Command && !self.is_too_long {
                // Long commands are worth a stride.
                let length = rest.iter().take_while(|byte| **byte >= 0x20).count();
                if length > 0 {
                    let (data, others) = rest.split_at(length);
                    self.keep(data);
                    rest = others;
                    continue;
                }
            }
            self.step(*first, act);
            rest = after;
        }
    }

    fn keep(&mut self, data: &[u8]) {
        if self.command.len() + data.len() > LONGEST_COMMAND {
            self.is_too_long = true;
            self.command.clear();
        } else if !self.is_too_long {
            self.command.extend_from_slice(data);
        }
    }

    fn step(&mut self, byte: u8, act: &mut impl Act) {
        match (self.state, byte) {
            (State::CommandEscape, _) => {
                self.end_command(act);
                self.after_escape(byte, act);
            }
            (State::StringEscape, _) => {
                act.string();
                self.after_escape(byte, act);
            }
            (State::Command, 0x07) => {
                self.state = State::Ground;
                self.end_command(act);
            }
            // BEL ends no string but a command.
            (State::Command, 0x1b) => self.state = State::CommandEscape,
            (State::String, 0x1b) => self.state = State::StringEscape,
            (_, 0x18 | 0x1a) => {
                if matches!(self.state, State::Command | State::String) {
                    act.string();
                }
                self.state = State::Ground;
            }
            (State::Command, _) => self.keep(&[byte]),
            // Text in the ground state is dealt with elsewhere.
            (State::String, _) | (_, 0x7f) | (State::Ground, 0x20..) => {}
            (_, 0x1b) => self.begin_escape(),
            (_, ..0x20) => act.control(byte),
            (State::Escape, _) => self.after_escape(byte, act),
            (State::Sequence, _) => self.in_sequence(byte, act),
            (State::Ignored, _) => {
                if (0x40..=0x7e).contains(&byte) {
                    self.state = State::Ground;
                }
            }
        }
    }

    fn begin_escape(&mut self) {
        self.state = State::Escape;
        self.intermediates.clear();
    }

    /// The byte after `ESC`, or after its intermediates.
    fn after_escape(&mut self, byte: u8, act: &mut impl Act) {
        if matches!(self.state, State::CommandEscape | State::StringEscape) {
            self.begin_escape();
            // The usual end of a string, which does nothing by itself.
            if byte == b'\\' {
                self.state = State::Ground;
                return;
            }
            self.step(byte, act);
            return;
        }
        let is_first = self.intermediates.is_empty();
        self.state = match byte {
            b'[' if is_first => {
                self.sequence.clear();
                State::Sequence
            }
            b']' if is_first => {
                self.command.clear();
                self.is_too_long = false;
                State::Command
            }
            b'P' | b'X' | b'^' | b'_' if is_first => State::String,
            0x20..=0x2f => {
                if self.intermediates.len() < 2 {
                    self.intermediates.push(byte);
                }
                State::Escape
            }
            0x30..=0x7e => {
                act.escape(&self.intermediates, byte);
                State::Ground
            }
            _ => State::Ground,
        };
    }

    fn in_sequence(&mut self, byte: u8, act: &mut impl Act) {
        let Sequence { private, parameters, intermediates, last } = &mut self.sequence;
        match byte {
            b'0'..=b'9' if intermediates.is_empty() => {
                if parameters.is_empty() {
                    parameters.push(Parameter::default());
                }
                if let Some(parameter) = parameters.last_mut() {
                    let value = parameter.value.unwrap_or(0).saturating_mul(10);
                    parameter.value = Some(value.saturating_add(u16::from(byte - b'0')));
                }
            }
            b';' | b':' if intermediates.is_empty() => {
                if parameters.is_empty() {
                    parameters.push(Parameter::default());
                }
                if parameters.len() < MOST_PARAMETERS {
                    parameters.push(Parameter { value: None, is_sub: byte == b':' });
                } else {
                    self.state = State::Ignored;
                }
            }
            b'<'..=b'?' if private.is_none() && parameters.is_empty() && intermediates.is_empty() => {
                *private = Some(byte);
            }
            0x20..=0x2f if intermediates.len() < 2 => intermediates.push(byte),
            0x40..=0x7e => {
                *last = byte;
                self.state = State::Ground;
                act.sequence(&self.sequence);
            }
            _ => self.state = State::Ignored,
        }
    }

    fn end_command(&mut self, act: &mut impl Act) {
        if self.is_too_long {
            act.string();
        } else {
            act.command(&self.command);
        }
    }

    /// Bytes of 0x20 and above without DEL, and whether they are the last for now.
    fn text(&mut self, bytes: &[u8], is_last: bool, act: &mut impl Act) {
        if self.held.is_empty()
            && let Ok(text) = std::str::from_utf8(bytes)
        {
            if text.is_ascii() {
                act.text(text);
            } else {
                visible(text, act);
            }
            return;
        }
        let mut all = std::mem::take(&mut self.held);
        all.extend_from_slice(bytes);
        let mut rest = all.as_slice();
        for chunk in all.utf8_chunks() {
            visible(chunk.valid(), act);
            rest = rest.get(chunk.valid().len() + chunk.invalid().len()..).unwrap_or_default();
            if chunk.invalid().is_empty() {
                continue;
            }
            let may_go_on =
                std::str::from_utf8(chunk.invalid()).is_err_and(|error| error.error_len().is_none());
            if is_last && rest.is_empty() && may_go_on {
                self.held = chunk.invalid().to_vec();
            } else {
                act.text("\u{fffd}");
            }
        }
    }

    /// A character was begun and something else came.
    fn break_off_character(&mut self, act: &mut impl Act) {
        if !self.held.is_empty() {
            self.held.clear();
            act.text("\u{fffd}");
        }
    }
}

/// Text without the control characters that are written as two bytes.
fn visible(text: &str, act: &mut impl Act) {
    for part in text.split(|c: char| ('\u{80}'..='\u{9f}').contains(&c)) {
        if !part.is_empty() {
            act.text(part);
        }
    }
}

/// How many bytes from the beginning are neither control characters nor DEL.
fn printable(bytes: &[u8]) -> usize {
    const BLOCK: usize = 16;
    let mut length = 0;
    for block in bytes.chunks_exact(BLOCK) {
        // Looked at as a whole, so that it is one instruction or two.
        if block.iter().fold(false, |found, byte| found | (*byte < 0x20) | (*byte == 0x7f)) {
            break;
        }
        length += BLOCK;
    }
    let rest = bytes.get(length..).unwrap_or_default();
    length + rest.iter().take_while(|byte| **byte >= 0x20 && **byte != 0x7f).count()
}
