//! Lists, pipelines and simple commands.

use super::super::syntax::{AssignedValue, Assignment, Chain, Command, Join, List, Pipeline, Simple, Word};
use super::{Parser, in_name};

/// Words that end a list because they belong to the compound command around it.
const CLOSERS: [&str; 8] = ["then", "do", "done", "fi", "else", "elif", "esac", "}"];

impl Parser<'_> {
    /// Everything up to the end of the text. What closes nothing is stepped over.
    pub(super) fn script(&mut self) -> List {
        let mut all = List::default();
        loop {
            all.items.append(&mut self.list().items);
            if self.at >= self.bytes.len() {
                break;
            }
            self.note("something is closed that was not opened");
            let closer = self.reserved().len();
            self.at += closer.max(1);
        }
        // A here-document whose line never ended has an empty body.
        for pending in std::mem::take(&mut self.pending) {
            let _ = pending.body.set(Word::default());
        }
        all
    }

    /// Commands up to something that closes what is around them.
    pub(super) fn list(&mut self) -> List {
        let mut list = List::default();
        loop {
            self.skip_newlines();
            match self.peek() {
                None | Some(b')') => return list,
                Some(b';') if matches!(self.peek_at(1), Some(b';' | b'&' | b'|')) => return list,
                // An empty command is an error in bash and nothing in zsh.
                Some(b';' | b'|') => self.at += 1,
                Some(b'&') if self.peek_at(1) != Some(b'>') => self.at += 1,
                _ if CLOSERS.contains(&self.reserved()) => return list,
                _ => {
                    let chain = self.chain();
                    list.items.push(chain);
                }
            }
        }
    }

    fn chain(&mut self) -> Chain {
        let mut chain = Chain { first: self.pipeline(), rest: Vec::new(), background: false };
        loop {
            self.skip_blanks();
            let join = if self.looking_at("&&") {
                Join::And
            } else if self.looking_at("||") {
                Join::Or
            } else {
                break;
            };
            self.at += 2;
            self.skip_newlines();
            chain.rest.push((join, self.pipeline()));
        }
        match self.peek() {
            Some(b'&') if self.peek_at(1) != Some(b'>') => {
                self.at += 1;
                // zsh: `&!` and `&|` start it disowned.
                if matches!(self.peek(), Some(b'!' | b'|')) {
                    self.at += 1;
                }
                chain.background = true;
            }
            Some(b';') if !matches!(self.peek_at(1), Some(b';' | b'&' | b'|')) => self.at += 1,
            _ => {}
        }
        chain
    }

    fn pipeline(&mut self) -> Pipeline {
        let start = self.at;
        let mut commands = Vec::new();
        let mut negated = false;
        loop {
            self.skip_blanks();
            match self.reserved() {
                "!" => {
                    negated = true;
                    self.at += 1;
                }
                "time" => {
                    let before = self.at;
                    self.at += 4;
                    self.skip_blanks();
                    if self.looking_at("-p ") {
                        self.at += 2;
                    } else if self.peek() == Some(b'-') {
                        // With other options it is the program of that name.
                        self.at = before;
                        break;
                    }
                }
                _ => break,
            }
        }
        commands.extend(self.command());
        loop {
            self.skip_blanks();
            if self.peek() != Some(b'|') || self.peek_at(1) == Some(b'|') {
                break;
            }
            self.at += 1;
            if self.peek() == Some(b'&') {
                self.at += 1;
            }
            self.skip_newlines();
            commands.extend(self.command());
        }
        Pipeline { commands, negated, text: self.slice(start, self.at).trim().into() }
    }

    pub(super) fn command(&mut self) -> Option<Command> {
        if !self.deeper() {
            return None;
        }
        let start = self.at;
        let command = self.compound();
        let command = match command {
            Some(Command::Compound(compound, mut redirects)) => {
                while let Some(redirect) = self.redirect() {
                    redirects.push(redirect);
                    self.skip_blanks();
                }
                Some(Command::Compound(compound, redirects))
            }
            Some(other) => Some(other),
            None => self.simple(),
        };
        if command.is_none() && self.at == start && self.at < self.bytes.len() {
            self.note("a command is missing");
        }
        self.shallower();
        command
    }

    fn simple(&mut self) -> Option<Command> {
        let start = self.at;
        let mut simple = Simple::default();
        loop {
            if let Some(redirect) = self.redirect() {
                simple.redirects.push(redirect);
            } else if let Some(assignment) = self.assignment(&simple) {
                simple.assignments.push(assignment);
            } else if let Some(word) = self.word() {
                simple.words.push(word);
            } else {
                break;
            }
            self.skip_blanks();
        }
        if self.at == start {
            // Nothing was taken: a stray `(` is the only thing that can stand here.
            if self.peek() == Some(b'(') {
                self.note("a parenthesis stands in the way");
                self.at += 1;
            }
            return None;
        }
        simple.text = self.slice(start, self.at).trim().to_owned();
        if self.peek() == Some(b'(') {
            self.note("a parenthesis stands in the way");
        }
        Some(Command::Simple(simple))
    }

    /// `name=…`, `name+=…`, `name[…]=…` or `name=( … )`. After a program's name only arrays are taken here:
    /// there they are the only thing that a plain word cannot hold.
    fn assignment(&mut self, simple: &Simple) -> Option<Assignment> {
        let start = self.at;
        let rest = self.bytes.get(start..)?;
        if !rest.first().is_some_and(|byte| in_name(*byte) && !byte.is_ascii_digit()) {
            return None;
        }
        let length = rest.iter().take_while(|byte| in_name(**byte)).count();
        let mut end = start + length;
        let mut subscript = None;
        if self.bytes.get(end) == Some(&b'[') {
            let inside = end + 1;
            let close = inside + self.near(inside, |byte| matches!(byte, b']' | b'\n'))?;
            let after = self.bytes.get(close + 1);
            if self.bytes.get(close) != Some(&b']') || !matches!(after, Some(b'=' | b'+')) {
                return None;
            }
            subscript = Some((inside, close));
            end = close + 1;
        }
        let adds = self.bytes.get(end) == Some(&b'+');
        end += usize::from(adds);
        if self.bytes.get(end) != Some(&b'=') {
            return None;
        }
        let is_array = self.bytes.get(end + 1) == Some(&b'(');
        if !simple.words.is_empty() && !is_array {
            return None;
        }
        let name = self.slice(start, start + length).to_owned();
        let subscript = subscript.map(|(from, to)| Word {
            pieces: self.arithmetic(from, to),
            text: self.slice(from, to).to_owned(),
        });
        self.at = end + 1;
        let value = if is_array {
            self.at += 1;
            let mut words = Vec::new();
            loop {
                self.skip_newlines();
                match self.word() {
                    Some(word) => words.push(word),
                    None => break,
                }
            }
            self.close(")");
            AssignedValue::Array(words)
        } else {
            AssignedValue::Word(self.word().unwrap_or_default())
        };
        Some(Assignment { name, adds, value, subscript })
    }

    /// Takes what closes a compound command, or notes that it is not there.
    pub(super) fn close(&mut self, closer: &'static str) {
        self.skip_newlines();
        if closer == ")" && self.peek() == Some(b')') {
            self.at += 1;
        } else if closer != ")" && self.reserved() == closer {
            self.at += closer.len();
        } else {
            self.note("something is opened that is not closed");
        }
    }

    /// A list inside `$(…)`, `<(…)` and the like, up to and with its parenthesis.
    pub(super) fn inner_list(&mut self) -> List {
        if !self.deeper() {
            return List::default();
        }
        // Here-documents that wait outside start after the outer line, not after a line in here.
        let waiting = std::mem::take(&mut self.pending);
        let mut list = self.list();
        while self.at < self.bytes.len() && self.peek() != Some(b')') {
            self.note("something is closed that was not opened");
            self.at += self.reserved().len().max(1);
            list.items.append(&mut self.list().items);
        }
        self.close(")");
        self.pending.splice(0..0, waiting);
        self.shallower();
        list
    }
}
