//! Expansion of words: what a program gets for `"$X"/{a,b}*`.

use super::braces::{self, Expanded};
use super::holes::hole_index;
use super::state::{State, UNSURE, Value};
use super::syntax::{Operation, Parameter, Piece, Word};
use super::text::{Field, Part};
use super::walk::Walker;
use std::rc::Rc;

/// Collects the fields of a word while its pieces are expanded.
struct Builder {
    fields: Vec<Field>,
    current: Field,
    /// Whether the current field exists even if it is empty.
    started: bool,
    splits: bool,
    separators: Option<String>,
    /// Parts that stand in the text as a character each.
    holes: Rc<Vec<Part>>,
}

impl Builder {
    fn literal(&mut self, text: &str) {
        self.started = true;
        if self.holes.is_empty() {
            self.plain(text);
            return;
        }
        let mut rest = text;
        while let Some((at, mark, index)) =
            rest.char_indices().find_map(|(at, mark)| Some((at, mark, hole_index(mark)?)))
        {
            self.plain(rest.get(..at).unwrap_or_default());
            if let Some(part) = self.holes.get(index).cloned() {
                self.current.push(part);
            }
            rest = rest.get(at + mark.len_utf8()..).unwrap_or_default();
        }
        self.plain(rest);
    }

    fn plain(&mut self, text: &str) {
        if !text.is_empty() {
            self.current.push_text(text);
        }
    }

    fn part(&mut self, part: Part) {
        self.started = true;
        self.current.push(part);
    }

    fn next_field(&mut self) {
        if self.started {
            self.fields.push(std::mem::take(&mut self.current));
            self.started = false;
        }
    }

    /// A value that came from a variable or substitution: unquoted it is split and its patterns count.
    fn value(&mut self, value: &Field, quoted: bool) {
        for part in &value.parts {
            match part {
                Part::Literal(text) if quoted || !self.splits => self.literal(text),
                Part::Literal(text) => self.split(text),
                other => self.part(other.clone()),
            }
        }
        if quoted {
            self.started = true;
        }
    }

    fn split(&mut self, text: &str) {
        let separators = self.separators.clone();
        let separates = |character: char| match &separators {
            Some(separators) => separators.contains(character),
            None => matches!(character, ' ' | '\t' | '\n'),
        };
        let mut word = String::new();
        for character in text.chars() {
            if separates(character) {
                if !word.is_empty() {
                    self.bare(&std::mem::take(&mut word));
                }
                self.next_field();
            } else {
                word.push(character);
            }
        }
        if !word.is_empty() {
            self.bare(&word);
        }
    }

    /// Unquoted text, whose patterns count.
    fn bare(&mut self, text: &str) {
        self.started = true;
        if !text.contains(['*', '?', '[']) {
            self.literal(text);
            return;
        }
        let mut rest = text;
        while let Some(start) = rest.find(['*', '?', '[']) {
            let (before, from) = rest.split_at(start);
            self.literal(before);
            let length = match from.strip_prefix('[') {
                // The first character inside may be the closing bracket itself.
                Some(inside) => {
                    let skipped = inside.len() - inside.trim_start_matches(['!', '^']).len();
                    let first =
                        inside.get(skipped..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
                    let close = inside.get(skipped + first..).and_then(|rest| rest.find(']'));
                    match close {
                        Some(close) => 1 + skipped + first + close + 1,
                        None => 0,
                    }
                }
                None => 1,
            };
            if length == 0 {
                self.literal("[");
                rest = from.get(1..).unwrap_or_default();
            } else {
                let (pattern, after) = from.split_at(length);
                self.part(Part::Pattern(pattern.to_owned()));
                rest = after;
            }
        }
        self.literal(rest);
    }
}

impl Walker<'_> {
    /// All fields that a word becomes.
    pub fn expand(&mut self, word: &Word, state: &mut State) -> Vec<Field> {
        let mut fields = Vec::new();
        self.expand_into(word, state, &mut fields);
        fields
    }

    pub fn expand_into(&mut self, word: &Word, state: &mut State, fields: &mut Vec<Field>) {
        if let [Piece::Bare(text)] = word.pieces.as_slice()
            && self.holes.is_empty()
            && !text.contains(['*', '?', '[', '{', '~'])
        {
            fields.push(Field::known(text.clone()));
            return;
        }
        let mut builder = self.builder(state, true);
        if braces::possible(&word.pieces) {
            for pieces in braces::expand(&word.pieces) {
                for (index, piece) in pieces.iter().enumerate() {
                    match piece {
                        Expanded::Bare(text) => self.bare(text, index == 0, state, &mut builder),
                        Expanded::Piece(piece) => self.piece(piece, false, false, state, &mut builder),
                        Expanded::Unknown => {
                            let mut unused = self.builder(state, true);
                            for piece in &word.pieces {
                                self.piece(piece, false, false, state, &mut unused);
                            }
                            builder.part(Part::Unknown(word.text.clone()));
                        }
                    }
                }
                builder.next_field();
            }
        } else {
            for (index, piece) in word.pieces.iter().enumerate() {
                self.piece(piece, index == 0, false, state, &mut builder);
            }
        }
        builder.next_field();
        fields.append(&mut builder.fields);
    }

    /// The one text that a word becomes where nothing is split, as in an assignment.
    pub fn expand_one(&mut self, word: &Word, state: &mut State) -> Field {
        self.expand_pieces(&word.pieces, state)
    }

    fn expand_pieces(&mut self, pieces: &[Piece], state: &mut State) -> Field {
        let mut builder = self.builder(state, false);
        for (index, piece) in pieces.iter().enumerate() {
            self.piece(piece, index == 0, false, state, &mut builder);
        }
        let mut fields = builder.fields;
        fields.push(builder.current);
        let mut joined = Field::default();
        for (index, field) in fields.into_iter().enumerate() {
            if index > 0 {
                joined.push(Part::Literal(" ".to_owned()));
            }
            for part in field.parts {
                joined.push(part);
            }
        }
        joined
    }

    fn builder(&self, state: &State, splits: bool) -> Builder {
        let separators = match state.variables.get("IFS") {
            Some(Value::Text(field)) => Some(field.text().unwrap_or_default()),
            _ => None,
        };
        let holes = Rc::clone(&self.holes);
        Builder { fields: Vec::new(), current: Field::default(), started: false, splits, separators, holes }
    }

    fn piece(&mut self, piece: &Piece, first: bool, quoted: bool, state: &mut State, builder: &mut Builder) {
        match piece {
            Piece::Bare(text) => self.bare(text, first, state, builder),
            Piece::Quoted(text) => builder.literal(text),
            Piece::Double(pieces) => {
                builder.started = true;
                for piece in pieces {
                    self.piece(piece, false, true, state, builder);
                }
            }
            Piece::Parameter(parameter) => self.parameter(parameter, quoted, state, builder),
            Piece::Substitution { list, text } => {
                let printed = self.printed_by(list, state, text);
                let value = match printed {
                    Some(printed) => Field::known(printed.trim_end_matches('\n')),
                    None => self.substituted(list, text, state),
                };
                builder.value(&value, quoted);
            }
            Piece::Process(list) => {
                let printed = self.printed_by(list, state, "");
                let number = 63_usize.saturating_sub(self.processes.len());
                self.processes.push(printed);
                builder.literal(&format!("/dev/fd/{number}"));
            }
            Piece::Arithmetic(pieces) | Piece::ExtendedGlob(pieces) => {
                let inside = self.expand_pieces(pieces, state);
                if matches!(piece, Piece::Arithmetic(_)) {
                    self.watch_subscripts("arithmetic", &inside);
                }
                let inside = inside.shown();
                // zsh: `*(e:'code':)` runs code for each file.
                let mut start = inside.chars();
                if start.next() == Some('e') && start.next().is_some_and(|mark| ":'\"{[<|".contains(mark)) {
                    self.opaque("a pattern that runs code", &inside);
                }
                builder.part(Part::Pattern("*".to_owned()));
            }
        }
    }

    fn bare(&mut self, text: &str, first: bool, state: &State, builder: &mut Builder) {
        let Some(after) = text.strip_prefix('~').filter(|_| first) else {
            builder.bare(text);
            return;
        };
        let (user, rest) = after.find('/').map_or((after, ""), |slash| after.split_at(slash));
        let home = match user {
            "" => match state.variables.get("HOME") {
                Some(Value::Text(home)) => Some(home.clone()),
                _ => self.at.home.map(Field::known),
            },
            "+" => state.cwd.as_deref().map(Field::known),
            "-" => state.previous.as_deref().map(Field::known),
            _ => None,
        };
        let home = home.unwrap_or_else(|| Field::unknown(format!("~{user}")));
        builder.value(&home, true);
        builder.bare(rest);
    }

    fn parameter(&mut self, parameter: &Parameter, quoted: bool, state: &mut State, builder: &mut Builder) {
        if let Some(subscript) = &parameter.subscript {
            self.expand_one(subscript, state);
        }
        let operand = self.expand_pieces(&parameter.operand, state);
        let unknown = || Field::unknown(parameter.text.clone());
        let mut values = self.values(parameter, state);
        // In zsh a list without a subscript is all of it.
        let whole = match state.variables.get(&parameter.name) {
            Some(Value::List(list)) if !quoted && parameter.subscript.is_none() => Some(list.clone()),
            _ => None,
        };
        let is_whole = whole.is_some();
        values = whole.or(values);
        let is_missing = |values: &Option<Vec<Field>>, colon: bool| {
            values.as_ref().map(|list| list.is_empty() || colon && list.iter().all(Field::is_empty))
        };
        match parameter.operation {
            Operation::Plain => {}
            Operation::Default { colon } | Operation::Assign { colon } => match is_missing(&values, colon) {
                Some(true) => values = Some(vec![operand.clone()]),
                Some(false) => {}
                None => {
                    // If nobody set it here or in the environment, its default is what counts.
                    let set_here = state.variables.contains_key(&parameter.name);
                    if !set_here && !is_special(&parameter.name) {
                        values = Some(vec![operand.clone()]);
                    }
                }
            },
            Operation::Alternative { colon } => match is_missing(&values, colon) {
                Some(true) => values = Some(Vec::new()),
                Some(false) => values = Some(vec![operand.clone()]),
                None => {}
            },
            Operation::CutFront { longest } => values = cut(values, &operand, longest, true),
            Operation::CutBack { longest } => values = cut(values, &operand, longest, false),
            Operation::Length => {
                builder.part(Part::Pattern("*".to_owned()));
                return;
            }
            Operation::Other => {
                if operand.start().starts_with("@P") {
                    let value: Vec<String> = values.iter().flatten().map(Field::shown).collect();
                    self.opaque(&format!("{} expands its value once more", parameter.text), &value.join(" "));
                }
                values = None;
            }
        }
        if matches!(parameter.operation, Operation::Assign { .. }) {
            state.set(
                &parameter.name,
                values.clone().map_or(Value::Unknown, |mut list| match list.pop() {
                    Some(only) if list.is_empty() => Value::Text(only),
                    _ => Value::Unknown,
                }),
            );
        }
        if matches!(
            parameter.name.as_str(),
            "$" | "?"
                | "#"
                | "!"
                | "RANDOM"
                | "SECONDS"
                | "BASHPID"
                | "PPID"
                | "UID"
                | "EUID"
                | "LINENO"
                | "EPOCHSECONDS"
        ) && parameter.operation == Operation::Plain
            && !state.variables.contains_key(&parameter.name)
        {
            builder.part(Part::Pattern("*".to_owned()));
            return;
        }
        let selects = |mark: &str| {
            parameter.name == mark
                || parameter.subscript.as_ref().is_some_and(|subscript| subscript.text == mark)
        };
        let apart = is_whole || selects("@") || selects("*") && !quoted;
        let list = values.unwrap_or_else(|| vec![unknown()]);
        for (index, value) in list.iter().enumerate() {
            if index > 0 {
                if apart && builder.splits {
                    builder.next_field();
                } else if selects("*") {
                    builder.value(&separator(state), true);
                } else {
                    builder.literal(" ");
                }
            }
            builder.value(value, quoted);
        }
    }

    /// What a parameter holds: one text, or several for arrays and positional parameters; nothing if unknown.
    fn values(&self, parameter: &Parameter, state: &State) -> Option<Vec<Field>> {
        if parameter.indirect {
            return None;
        }
        let name = parameter.name.as_str();
        match name {
            "@" | "*" => {
                return state.positional.as_ref().map(|fields| fields.iter().skip(1).cloned().collect());
            }
            _ => {}
        }
        if let Ok(number) = name.parse::<usize>() {
            return state.positional.as_ref().map(|fields| fields.get(number).cloned().into_iter().collect());
        }
        if state.variables.contains_key(UNSURE) {
            return None;
        }
        let subscript = parameter.subscript.as_ref().map(|subscript| subscript.text.as_str());
        let first = || subscript.is_none_or(|subscript| subscript == "0");
        let whole = matches!(subscript, Some("@" | "*"));
        match state.variables.get(name) {
            Some(Value::List(fields)) if whole => return Some(fields.clone()),
            Some(Value::List(fields)) if first() => return Some(fields.iter().take(1).cloned().collect()),
            // In zsh the count begins with one.
            Some(Value::List(fields)) => {
                let at = index(subscript?)?;
                let (here, before) = (fields.get(at), fields.get(at - 1));
                return here.filter(|here| Some(*here) == before).map(|here| vec![here.clone()]);
            }
            Some(Value::Unset) => return Some(Vec::new()),
            Some(Value::Unknown) => return None,
            // Another element of a text is nothing in bash, and a letter in zsh.
            _ if !whole && !first() => return None,
            Some(Value::Text(field)) => return Some(vec![field.clone()]),
            None => {}
        }
        let known = |text: String| Some(vec![Field::known(text)]);
        match name {
            "IFS" => known(" \t\n".to_owned()),
            "PWD" => state.cwd.as_deref().and_then(|cwd| known(cwd.to_owned())),
            "OLDPWD" => match &state.previous {
                Some(previous) => known(previous.to_string()),
                None => None,
            },
            "HOME" => match self.at.home {
                Some(home) => known(home.to_owned()),
                None => (self.at.variable)(name).and_then(known),
            },
            _ => (self.at.variable)(name).and_then(known),
        }
    }
}

/// A subscript that is a plain number; one that begins with a zero is another number than it looks like.
pub(super) fn index(subscript: &str) -> Option<usize> {
    subscript.parse::<usize>().ok().filter(|number| number.to_string() == subscript)
}

/// What stands between the words of `"$*"`: the first letter of `IFS`.
fn separator(state: &State) -> Field {
    match state.variables.get("IFS") {
        None | Some(Value::Unset) => Field::known(" "),
        Some(Value::Text(letters)) => match letters.text() {
            Some(letters) => Field::known(letters.chars().take(1).collect::<String>()),
            None => Field::unknown("$IFS"),
        },
        Some(Value::List(_) | Value::Unknown) => Field::unknown("$IFS"),
    }
}

/// Whether the shell itself sets it.
fn is_special(name: &str) -> bool {
    !name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        || matches!(
            name,
            "PWD" | "OLDPWD" | "RANDOM" | "IFS" | "REPLY" | "OPTARG" | "SHELL" | "PATH" | "USER"
        )
}

/// `${x#pattern}` and `${x%pattern}` where all is known and the pattern is plain text or `*` with plain text.
fn cut(values: Option<Vec<Field>>, operand: &Field, longest: bool, front: bool) -> Option<Vec<Field>> {
    let values = values?;
    let [only] = values.as_slice() else { return None };
    let text = only.text()?;
    let pattern = operand.shown();
    if operand.has_unknown() || pattern.contains(['?', '[']) {
        return None;
    }
    let (star_first, plain) = match pattern.strip_prefix('*') {
        Some(rest) => (true, rest),
        None => (false, pattern.as_str()),
    };
    let (star_last, plain) = match plain.strip_suffix('*') {
        Some(rest) => (true, rest),
        None => (false, plain),
    };
    if plain.contains('*') || plain.is_empty() {
        return None;
    }
    let cut = match (front, star_first, star_last) {
        (true, false, false) => text.strip_prefix(plain).unwrap_or(&text).to_owned(),
        (false, false, false) => text.strip_suffix(plain).unwrap_or(&text).to_owned(),
        (true, true, false) => {
            let at = if longest { text.rfind(plain) } else { text.find(plain) };
            at.and_then(|at| text.get(at + plain.len()..)).unwrap_or(&text).to_owned()
        }
        (false, false, true) => {
            let at = if longest { text.find(plain) } else { text.rfind(plain) };
            at.and_then(|at| text.get(..at)).unwrap_or(&text).to_owned()
        }
        _ => return None,
    };
    Some(vec![Field::known(cut)])
}
