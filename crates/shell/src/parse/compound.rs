//! Compound commands: groups, conditions, loops, cases, functions.

use super::super::syntax::{Command, Compound, List, Word};
use super::{Parser, in_name};
use std::rc::Rc;

impl Parser<'_> {
    pub(super) fn compound(&mut self) -> Option<Command> {
        let made = |compound| Some(Command::Compound(compound, Vec::new()));
        if self.peek() == Some(b'(') {
            if self.looking_at("((")
                && let Some(end) =
                    self.arithmetic_end(self.at + 2).filter(|end| self.is_arithmetic(self.at + 2, *end))
            {
                let pieces = self.arithmetic(self.at + 2, end);
                let text = self.slice(self.at, end + 2).to_owned();
                self.at = end + 2;
                return made(Compound::Test(vec![Word { pieces, text }]));
            }
            self.at += 1;
            let list = self.list();
            self.close(")");
            return made(Compound::Subshell(list));
        }
        let keyword = self.reserved();
        match keyword {
            "{" => {
                self.at += 1;
                let list = self.list();
                self.close("}");
                made(Compound::Group(list))
            }
            "if" => {
                let compound = self.conditional();
                made(compound)
            }
            "while" | "until" => {
                self.at += 5;
                let mut condition = self.list();
                if keyword == "until"
                    && let Some(last) = condition.items.last_mut()
                {
                    last.first.negated = true;
                    last.rest.iter_mut().for_each(|(_, pipeline)| pipeline.negated = true);
                }
                let body = self.body();
                made(Compound::Loop { arithmetic: None, condition, body })
            }
            "for" | "select" | "foreach" => {
                self.at += keyword.len();
                let compound = self.iteration();
                made(compound)
            }
            "case" => {
                self.at += 4;
                let compound = self.selection();
                made(compound)
            }
            "[[" => {
                let words = self.test_words();
                made(Compound::Test(words))
            }
            "coproc" => {
                self.at += 6;
                self.skip_blanks();
                // `coproc NAME { …; }` names it; without a compound command after it the word is the program.
                let before = self.at;
                let name = self.word();
                self.skip_blanks();
                if name.is_none()
                    || !(matches!(self.reserved(), "{" | "while" | "for") || self.peek() == Some(b'('))
                {
                    self.at = before;
                }
                let inner = self.command()?;
                made(Compound::Coprocess(Box::new(inner)))
            }
            "function" => {
                self.at += 8;
                self.skip_blanks();
                let name = self.word().map(|word| word.text).unwrap_or_default();
                self.skip_blanks();
                if self.looking_at("()") {
                    self.at += 2;
                }
                self.function(name)
            }
            _ => self.named_function(),
        }
    }

    /// `name ( ) …`
    fn named_function(&mut self) -> Option<Command> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let length = rest.iter().take_while(|byte| in_name(**byte) || b"-.:+@%,/~".contains(byte)).count();
        let blanks = |from: usize| {
            let skipped = rest.get(from..).unwrap_or_default();
            from + skipped.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
        };
        let open = blanks(length);
        if length == 0 || rest.get(open) != Some(&b'(') {
            return None;
        }
        let close = blanks(open + 1);
        if rest.get(close) != Some(&b')') {
            return None;
        }
        let name = self.slice(self.at, self.at + length).to_owned();
        self.at += close + 1;
        self.function(name)
    }

    fn function(&mut self, name: String) -> Option<Command> {
        self.skip_newlines();
        let body = self.command()?;
        Some(Command::Function { name, body: Rc::new(body) })
    }

    fn conditional(&mut self) -> Compound {
        let mut arms = Vec::new();
        let mut otherwise = None;
        self.at += 2;
        loop {
            let condition = self.list();
            self.close("then");
            let then = self.list();
            arms.push((condition, then));
            match self.reserved() {
                "elif" => self.at += 4,
                "else" => {
                    self.at += 4;
                    otherwise = Some(self.list());
                    self.close("fi");
                    break;
                }
                _ => {
                    self.close("fi");
                    break;
                }
            }
        }
        Compound::If(arms, otherwise)
    }

    fn iteration(&mut self) -> Compound {
        self.skip_blanks();
        if self.looking_at("((") {
            let from = self.at + 2;
            let end = self.arithmetic_end(from).unwrap_or(self.bytes.len());
            let arithmetic =
                Word { pieces: self.arithmetic(from, end), text: self.slice(from, end).to_owned() };
            self.at = (end + 2).min(self.bytes.len());
            let body = self.body();
            return Compound::Loop { arithmetic: Some(arithmetic), condition: List::default(), body };
        }
        let name = self.word().map(|word| word.text).unwrap_or_default();
        self.skip_newlines();
        let mut words = None;
        if self.reserved() == "in" {
            self.at += 2;
            words = Some(self.words());
        } else if self.peek() == Some(b'(') {
            // zsh: `for x (a b) command`
            self.at += 1;
            words = Some(self.words());
            self.close(")");
        }
        let body = self.body();
        Compound::For { name, words, body }
    }

    fn words(&mut self) -> Vec<Word> {
        let mut words = Vec::new();
        loop {
            self.skip_blanks();
            match self.word() {
                Some(word) => words.push(word),
                None => return words,
            }
        }
    }

    /// `do … done`, `{ … }`, or in zsh one single command.
    fn body(&mut self) -> List {
        self.skip_newlines();
        if self.peek() == Some(b';') {
            self.at += 1;
            self.skip_newlines();
        }
        match self.reserved() {
            "do" => {
                self.at += 2;
                let list = self.list();
                self.close("done");
                list
            }
            "{" => {
                self.at += 1;
                let list = self.list();
                self.close("}");
                list
            }
            _ => {
                self.note("a loop has no body");
                List::default()
            }
        }
    }

    fn selection(&mut self) -> Compound {
        self.skip_blanks();
        let subject = self.word().unwrap_or_default();
        self.skip_newlines();
        if self.reserved() == "in" {
            self.at += 2;
        } else {
            self.note("a case has no `in`");
        }
        let mut arms = Vec::new();
        loop {
            self.skip_newlines();
            if self.reserved() == "esac" {
                self.at += 4;
                break;
            }
            if self.peek() == Some(b'(') {
                self.at += 1;
            }
            let mut patterns = Vec::new();
            loop {
                self.skip_blanks();
                let Some(pattern) = self.word() else { break };
                patterns.push(pattern);
                self.skip_blanks();
                if self.peek() == Some(b'|') {
                    self.at += 1;
                }
            }
            if self.peek() != Some(b')') {
                self.note("a case has no end");
                break;
            }
            self.at += 1;
            let body = self.list();
            arms.push((patterns, body));
            if self.looking_at(";;&") {
                self.at += 3;
            } else if self.peek() == Some(b';') {
                self.at += 2;
            }
        }
        Compound::Case { subject, arms }
    }

    /// The words of `[[ … ]]`; operators between them are of no interest here.
    fn test_words(&mut self) -> Vec<Word> {
        self.at += 2;
        let mut words = Vec::new();
        loop {
            self.skip_newlines();
            if self.reserved() == "]]" {
                self.at += 2;
                return words;
            }
            match self.word() {
                Some(word) => words.push(word),
                None if self.at >= self.bytes.len() => {
                    self.note("`[[` is not closed");
                    return words;
                }
                None => self.at += 1,
            }
        }
    }
}
