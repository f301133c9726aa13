//! Words: quotes, parameters, substitutions, arithmetic.

use super::super::syntax::{Operation, Parameter, Piece, Word};
use super::{Parser, ends_word, in_name};

/// Where a piece of a word stands, which decides what ends it and what quotes mean in it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Within {
    /// A plain word.
    Bare,
    /// `"…"`
    Double,
    /// The body of a here-document, or arithmetic: up to the end of the text.
    Body,
    /// The operand of `${…}`.
    Braces,
    /// The operand of `${…}` in double quotes.
    QuotedBraces,
    /// `@(…)`
    Pattern,
}

impl Within {
    fn takes_quotes(self) -> bool {
        matches!(self, Self::Bare | Self::Braces | Self::Pattern)
    }
}

impl Parser<'_> {
    /// The word that stands here, if one does.
    pub(super) fn word(&mut self) -> Option<Word> {
        let start = self.at;
        let pieces = self.pieces(Within::Bare);
        if self.at == start {
            return None;
        }
        Some(Word { pieces, text: self.slice(start, self.at).to_owned() })
    }

    pub(super) fn pieces(&mut self, within: Within) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let mut plain = String::new();
        if !self.deeper() {
            return pieces;
        }
        while let Some(byte) = self.peek() {
            let start = self.at;
            match byte {
                b'\\' => self.escape(within, &mut plain, &mut pieces),
                b'\'' if within.takes_quotes() => {
                    flush(within, &mut plain, &mut pieces);
                    pieces.push(self.single_quoted());
                }
                b'"' if within == Within::Double => break,
                b'"' if within != Within::Body => {
                    flush(within, &mut plain, &mut pieces);
                    self.at += 1;
                    pieces.push(self.double_quoted());
                }
                b'`' => {
                    flush(within, &mut plain, &mut pieces);
                    pieces.push(self.backquoted(within));
                }
                b'$' => match self.dollar(within) {
                    Some(piece) => {
                        flush(within, &mut plain, &mut pieces);
                        pieces.push(piece);
                    }
                    None => plain.push('$'),
                },
                b'}' if matches!(within, Within::Braces | Within::QuotedBraces) => break,
                b')' if within == Within::Pattern => break,
                b'<' | b'>' if within == Within::Bare && self.peek_at(1) == Some(b'(') => {
                    flush(within, &mut plain, &mut pieces);
                    self.at += 2;
                    pieces.push(Piece::Process(self.inner_list()));
                }
                // zsh: `=(…)` is a temporary file with the output.
                b'=' if within == Within::Bare
                    && plain.is_empty()
                    && pieces.is_empty()
                    && self.looking_at("=(") =>
                {
                    self.at += 2;
                    pieces.push(Piece::Process(self.inner_list()));
                }
                b'?' | b'*' | b'+' | b'@' | b'!'
                    if matches!(within, Within::Bare | Within::Pattern) && self.peek_at(1) == Some(b'(') =>
                {
                    flush(within, &mut plain, &mut pieces);
                    self.at += 2;
                    let inner = self.pieces(Within::Pattern);
                    self.at += usize::from(self.peek() == Some(b')'));
                    pieces.push(Piece::ExtendedGlob(inner));
                }
                b'\r' if within == Within::Bare && matches!(self.peek_at(1), Some(b'\n') | None) => break,
                _ if within == Within::Bare && ends_word(byte) => break,
                _ => self.plain_run(within, &mut plain),
            }
            if self.at == start {
                // Each arm takes something; this is the guard against an endless loop should one ever not.
                self.at += 1;
            }
        }
        flush(within, &mut plain, &mut pieces);
        self.shallower();
        pieces
    }

    /// Takes text that means nothing special, in one go.
    fn plain_run(&mut self, within: Within, plain: &mut String) {
        let start = self.at;
        self.at += 1;
        while let Some(byte) = self.peek() {
            let special = match byte {
                b'\\' | b'\'' | b'"' | b'`' | b'$' | b'}' | b')' | b'\r' => true,
                b'?' | b'*' | b'+' | b'@' | b'!' => self.peek_at(1) == Some(b'('),
                _ => within == Within::Bare && ends_word(byte),
            };
            if special {
                break;
            }
            self.at += 1;
        }
        plain.push_str(self.slice(start, self.at));
    }

    fn escape(&mut self, within: Within, plain: &mut String, pieces: &mut Vec<Piece>) {
        let next = self.src.get(self.at + 1..).and_then(|rest| rest.chars().next());
        let Some(next) = next else {
            self.at += 1;
            plain.push('\\');
            return;
        };
        self.at += 1 + next.len_utf8();
        if next == '\n' {
            return;
        }
        let escapes = match within {
            Within::Bare | Within::Braces | Within::Pattern => true,
            Within::Double => matches!(next, '$' | '`' | '"' | '\\'),
            Within::QuotedBraces => matches!(next, '$' | '`' | '"' | '\\' | '}'),
            Within::Body => matches!(next, '$' | '`' | '\\'),
        };
        if escapes {
            flush(within, plain, pieces);
            pieces.push(Piece::Quoted(next.to_string()));
        } else {
            plain.push('\\');
            plain.push(next);
        }
    }

    fn single_quoted(&mut self) -> Piece {
        let start = self.at + 1;
        let rest = self.bytes.get(start..).unwrap_or_default();
        let end = if let Some(length) = rest.iter().position(|byte| *byte == b'\'') {
            start + length
        } else {
            self.note("a quote is not closed");
            self.bytes.len()
        };
        self.at = (end + 1).min(self.bytes.len());
        Piece::Quoted(self.slice(start, end).to_owned())
    }

    /// After the opening quote.
    fn double_quoted(&mut self) -> Piece {
        let pieces = self.pieces(Within::Double);
        if self.peek() == Some(b'"') {
            self.at += 1;
        } else {
            self.note("a quote is not closed");
        }
        Piece::Double(pieces)
    }

    fn backquoted(&mut self, within: Within) -> Piece {
        self.at += 1;
        let start = self.at;
        let mut code = String::new();
        let mut from = self.at;
        loop {
            match self.peek() {
                None => {
                    self.note("a backquote is not closed");
                    break;
                }
                Some(b'`') => break,
                Some(b'\\') => {
                    let drops = match self.peek_at(1) {
                        Some(b'`' | b'\\' | b'$') => true,
                        Some(b'"') => matches!(within, Within::Double | Within::QuotedBraces),
                        _ => false,
                    };
                    if drops {
                        code.push_str(self.slice(from, self.at));
                        from = self.at + 1;
                        self.at += 2;
                    } else {
                        self.at += 1;
                    }
                }
                Some(_) => self.at += 1,
            }
        }
        code.push_str(self.slice(from, self.at));
        let text = self.slice(start, self.at).to_owned();
        self.at = (self.at + 1).min(self.bytes.len());
        let mut inner = Parser::new(&code, self.depth + 1);
        let list = if inner.depth < super::DEEPEST { inner.script() } else { Default::default() };
        if let Some(problem) = inner.problem {
            self.note(problem);
        }
        if self.depth + 1 >= super::DEEPEST {
            self.note("it nests too deeply");
        }
        Piece::Substitution { list, text }
    }

    /// What starts with a dollar sign; nothing if the sign stands for itself.
    fn dollar(&mut self, within: Within) -> Option<Piece> {
        let start = self.at;
        self.at += 1;
        match self.peek() {
            Some(b'\'') if within.takes_quotes() => {
                self.at += 1;
                Some(self.ansi_quoted())
            }
            Some(b'"') if within.takes_quotes() => {
                self.at += 1;
                Some(self.double_quoted())
            }
            Some(b'(') => {
                if self.looking_at("((")
                    && let Some(end) =
                        self.arithmetic_end(self.at + 2).filter(|end| self.is_arithmetic(self.at + 2, *end))
                {
                    let pieces = self.arithmetic(self.at + 2, end);
                    self.at = end + 2;
                    return Some(Piece::Arithmetic(pieces));
                }
                self.at += 1;
                let from = self.at;
                let list = self.inner_list();
                let text = self.slice(from, self.at.saturating_sub(1)).to_owned();
                Some(Piece::Substitution { list, text })
            }
            Some(b'[') => {
                let from = self.at + 1;
                let length = self.near(from, |byte| byte == b']')?;
                let pieces = self.arithmetic(from, from + length);
                self.at = from + length + 1;
                Some(Piece::Arithmetic(pieces))
            }
            Some(b'{') => {
                self.at += 1;
                Some(self.braced(within, start))
            }
            Some(byte) if byte.is_ascii_alphabetic() || byte == b'_' => {
                let from = self.at;
                while self.peek().is_some_and(in_name) {
                    self.at += 1;
                }
                Some(self.plain_parameter(from, start))
            }
            Some(b'0'..=b'9' | b'@' | b'*' | b'#' | b'?' | b'$' | b'!' | b'-') => {
                let from = self.at;
                self.at += 1;
                Some(self.plain_parameter(from, start))
            }
            _ => None,
        }
    }

    fn plain_parameter(&self, from: usize, start: usize) -> Piece {
        Piece::Parameter(Box::new(Parameter {
            name: self.slice(from, self.at).to_owned(),
            indirect: false,
            subscript: None,
            operation: Operation::Plain,
            operand: Vec::new(),
            text: self.slice(start, self.at).to_owned(),
        }))
    }

    /// `${…}`, after the brace.
    fn braced(&mut self, within: Within, start: usize) -> Piece {
        let mut parameter = Parameter {
            name: String::new(),
            indirect: false,
            subscript: None,
            operation: Operation::Plain,
            operand: Vec::new(),
            text: String::new(),
        };
        let starts_name =
            |byte: Option<u8>| byte.is_some_and(|byte| in_name(byte) || byte == b'@' || byte == b'*');
        if self.peek() == Some(b'!') && starts_name(self.peek_at(1)) {
            parameter.indirect = true;
            self.at += 1;
        } else if self.peek() == Some(b'#') && starts_name(self.peek_at(1)) {
            parameter.operation = Operation::Length;
            self.at += 1;
        }
        let from = self.at;
        while self.peek().is_some_and(in_name) {
            self.at += 1;
        }
        if self.at == from && matches!(self.peek(), Some(b'@' | b'*' | b'#' | b'?' | b'$' | b'!' | b'-')) {
            self.at += 1;
        }
        parameter.name = self.slice(from, self.at).to_owned();
        if self.peek() == Some(b'[') {
            let from = self.at + 1;
            let length = self.near(from, |byte| byte == b']').unwrap_or_else(|| {
                self.note("a subscript is not closed");
                0
            });
            let text = self.slice(from, from + length).to_owned();
            parameter.subscript = Some(Word { pieces: self.arithmetic(from, from + length), text });
            self.at = (from + length + 1).min(self.bytes.len());
        }
        if parameter.operation != Operation::Length && self.peek() != Some(b'}') {
            parameter.operation = self.operation();
        }
        let inner = if within.takes_quotes() { Within::Braces } else { Within::QuotedBraces };
        parameter.operand = self.pieces(inner);
        if self.peek() == Some(b'}') {
            self.at += 1;
        } else {
            self.note("`${` is not closed");
        }
        parameter.text = self.slice(start, self.at).to_owned();
        Piece::Parameter(Box::new(parameter))
    }

    fn operation(&mut self) -> Operation {
        let (length, operation) = match (self.peek(), self.peek_at(1)) {
            (Some(b':'), Some(b'-')) => (2, Operation::Default { colon: true }),
            (Some(b':'), Some(b'=')) => (2, Operation::Assign { colon: true }),
            (Some(b':'), Some(b'+')) => (2, Operation::Alternative { colon: true }),
            (Some(b'-'), _) => (1, Operation::Default { colon: false }),
            (Some(b'='), _) => (1, Operation::Assign { colon: false }),
            (Some(b'+'), _) => (1, Operation::Alternative { colon: false }),
            (Some(b'#'), Some(b'#')) => (2, Operation::CutFront { longest: true }),
            (Some(b'#'), _) => (1, Operation::CutFront { longest: false }),
            (Some(b'%'), Some(b'%')) => (2, Operation::CutBack { longest: true }),
            (Some(b'%'), _) => (1, Operation::CutBack { longest: false }),
            // `${x:?…}` fails or yields the value, so for what follows it is the value.
            (Some(b':'), Some(b'?')) => (2, Operation::Plain),
            (Some(b'?'), _) => (1, Operation::Plain),
            _ => (0, Operation::Other),
        };
        self.at += length;
        operation
    }

    /// Where `((` that opened before `from` is closed by `))`. Nothing if these are two parentheses that are not
    /// closed together.
    pub(super) fn arithmetic_end(&self, from: usize) -> Option<usize> {
        let mut depth = 2_usize;
        let mut at = from;
        while let Some(&byte) = self.bytes.get(at) {
            match byte {
                b'\\' => at += 1,
                b'\'' => at = at + 1 + self.bytes.get(at + 1..)?.iter().position(|byte| *byte == b'\'')?,
                b'(' => depth += 1,
                b')' => {
                    depth -= 1;
                    if depth == 1 {
                        let closes = self.bytes.get(at + 1) == Some(&b')');
                        return closes.then_some(at);
                    }
                }
                _ => {}
            }
            at += 1;
        }
        None
    }

    /// Whether what is inside `((…))` can be arithmetic at all: a plain `sh` knows no arithmetic command and would run it.
    pub(super) fn is_arithmetic(&self, from: usize, to: usize) -> bool {
        !reads_like_command(self.slice(from, to))
    }

    /// The pieces of arithmetic between two places of the text.
    pub(super) fn arithmetic(&mut self, from: usize, to: usize) -> Vec<Piece> {
        self.apart(self.slice(from, to))
    }

    /// Parses text of its own as the body of a here-document.
    pub(super) fn apart(&mut self, text: &str) -> Vec<Piece> {
        if !text.contains(['$', '`', '\\']) {
            return vec![Piece::Quoted(text.to_owned())];
        }
        let mut inner = Parser::new(text, self.depth + 1);
        let pieces = inner.pieces(Within::Body);
        if let Some(problem) = inner.problem {
            self.note(problem);
        }
        pieces
    }

    /// `$'…'`, after the quote.
    fn ansi_quoted(&mut self) -> Piece {
        let start = self.at;
        loop {
            match self.peek() {
                None => {
                    self.note("a quote is not closed");
                    break;
                }
                Some(b'\'') => break,
                Some(b'\\') => self.at += 2,
                Some(_) => self.at += 1,
            }
        }
        self.at = self.at.min(self.bytes.len());
        let text =
            super::super::output::unescape(self.slice(start, self.at), super::super::output::Escapes::Ansi);
        self.at = (self.at + 1).min(self.bytes.len());
        // A NUL ends the string in bash.
        Piece::Quoted(text.split('\0').next().unwrap_or_default().to_owned())
    }
}

fn flush(within: Within, plain: &mut String, pieces: &mut Vec<Piece>) {
    if plain.is_empty() {
        return;
    }
    let text = std::mem::take(plain);
    pieces.push(if within.takes_quotes() { Piece::Bare(text) } else { Piece::Quoted(text) });
}

/// Whether commands are separated, or two names stand side by side, neither of which arithmetic ever has.
fn reads_like_command(text: &str) -> bool {
    if text.contains(';') || text.contains("{ ") {
        return true;
    }
    let mut words = text.split([' ', '\t', '\n']).filter(|word| !word.is_empty());
    let first = words.next().unwrap_or_default();
    let second = words.next().unwrap_or_default();
    let is_name = |word: &str| word.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic());
    let names_only = first.bytes().all(|byte| in_name(byte) || b"-./".contains(&byte));
    is_name(first)
        && names_only
        && (is_name(second) || second.starts_with(['-', '/', '.', '$', '~']) && second.len() > 1)
}
