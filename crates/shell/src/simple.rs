//! Simple commands: assignments, redirections, and the way to what is run.

use super::effect::{Change, Effect, Place};
use super::place::is_sink;
use super::programs;
use super::state::{Outcome, State, States, Value};
use super::syntax::{AssignedValue, Assignment, List, Redirect, RedirectKind, Simple};
use super::text::{Field, Part};
use super::walk::{Input, Walker};
use std::rc::Rc;

/// A variable that holds more bytes than this is not followed.
const LARGEST_VALUE: usize = 8 * 1024;

impl Walker<'_> {
    pub fn simple(&mut self, simple: &Simple, states: States) -> Outcome {
        let mut outcome = Outcome::default();
        let several = states.0.len() > 1;
        let mut emitted = self.emitted();
        for state in states.0 {
            let next = if several {
                let around = std::mem::take(&mut self.effects);
                let next = self.simple_in(simple, state);
                let made = std::mem::replace(&mut self.effects, around);
                self.emit_new(made, &mut emitted);
                self.output = None;
                next
            } else {
                self.simple_in(simple, state)
            };
            outcome.good.merge(next.good);
            outcome.bad.merge(next.bad);
        }
        outcome
    }

    fn simple_in(&mut self, simple: &Simple, mut state: State) -> Outcome {
        if !self.step() {
            return Outcome::either(States::one(state));
        }
        let outer_processes = std::mem::take(&mut self.processes);
        let redirects = !simple.redirects.is_empty();
        let outer_input = redirects.then(|| self.input.clone());
        let mut fields = Vec::with_capacity(simple.words.len());
        for word in &simple.words {
            self.expand_into(word, &mut state, &mut fields);
        }
        // Two that know the same variables would make each assignment copy them all.
        let before = (!simple.assignments.is_empty() && !fields.is_empty()).then(|| state.clone());
        for assignment in &simple.assignments {
            self.assign(assignment, &mut state);
        }
        let mut into_files = true;
        for redirect in &simple.redirects {
            into_files &= self.redirect(redirect, &mut state);
        }
        let printed_before = if redirects { self.output.clone() } else { None };
        let outcome = if fields.is_empty() {
            Outcome::either(States::one(state))
        } else {
            let mut outcome = self.invoke(fields, state, &simple.text);
            if let Some(before) = before {
                restore(&mut outcome, &before, simple);
            }
            outcome
        };
        let to_stdout = |redirect: &&Redirect| {
            matches!(
                redirect.kind,
                RedirectKind::Write | RedirectKind::DuplicateOutput | RedirectKind::ReadWrite
            ) && !redirect.errors_only
        };
        if let Some(redirect) = simple.redirects.iter().find(to_stdout) {
            // Into a file it prints nothing that anybody else reads.
            let gone = into_files && matches!(redirect.kind, RedirectKind::Write);
            self.output = if gone { printed_before } else { None };
        }
        if let Some(input) = outer_input {
            self.input = input;
        }
        self.processes = outer_processes;
        outcome
    }

    fn assign(&mut self, assignment: &Assignment, state: &mut State) {
        let subscript = assignment.subscript.as_ref().map(|subscript| self.expand_one(subscript, state));
        if matches!(assignment.name.as_str(), "BASH_CMDS" | "BASH_ALIASES") {
            self.assign_program(assignment, subscript.as_ref(), state);
            return;
        }
        let earlier = state.variables.get(&assignment.name).cloned();
        let value = match &assignment.value {
            AssignedValue::Word(word) => {
                let field = self.expand_one(word, state);
                match (subscript, assignment.adds, earlier) {
                    (Some(subscript), adds, earlier) => with_element(earlier, &subscript, field, adds),
                    // The others stay.
                    (None, false, Some(Value::List(list))) => {
                        with_element(Some(Value::List(list)), &Field::known("0"), field, false)
                    }
                    (None, false, _) => Value::Text(field),
                    (None, true, Some(Value::Text(all))) => Value::Text(appended(all, field)),
                    (None, true, _) => Value::Unknown,
                }
            }
            AssignedValue::Array(words) => {
                let mut list = match (assignment.adds, earlier) {
                    (true, Some(Value::List(list))) => list,
                    _ => Vec::new(),
                };
                for word in words {
                    list.append(&mut self.expand(word, state));
                }
                // `([5]=a)` says where each of them goes.
                let placed = |field: &Field| field.shown().starts_with('[') && field.shown().contains("]=");
                if list.iter().any(placed) { Value::Unknown } else { Value::List(list) }
            }
        };
        self.set_variable(&assignment.name, value, state);
    }

    /// Sets a variable, and follows what a variable of this name makes programs run.
    pub fn set_variable(&mut self, name: &str, value: Value, state: &mut State) {
        if let Value::Text(field) = &value {
            self.watch_subscripts("a variable", field);
            programs::environment::watch(self, name, field, state);
            if name.starts_with("BASH_CMDS[") && !state.variables.contains_key("BASH_CMDS") {
                state.set("BASH_CMDS", Value::Unset);
            }
            let alias = name.strip_prefix("BASH_ALIASES[").map(|name| name.trim_end_matches(']'));
            if let Some(alias) = alias {
                match field.text() {
                    Some(code) => self.alias(alias, &code, state),
                    None => self.hidden("an alias is not known", &field.shown(), field.is_foreign()),
                }
            }
        }
        // Values that double with each assignment must not fill the memory.
        let too_large = match &value {
            Value::Text(field) => field.length() > LARGEST_VALUE,
            Value::List(list) => {
                list.len() > 500 || list.iter().map(Field::length).sum::<usize>() > LARGEST_VALUE
            }
            Value::Unset | Value::Unknown => false,
        };
        state.set(name, if too_large { Value::Unknown } else { value });
    }

    /// A subscript is arithmetic, and arithmetic runs the substitutions in a text that was quoted before.
    pub fn watch_subscripts(&mut self, what: &str, field: &Field) {
        let mut inside = false;
        for part in &field.parts {
            let Part::Literal(text) = part else { continue };
            let after = match text.split_once('[') {
                Some((_, after)) => after,
                None if inside => text,
                None => continue,
            };
            inside = true;
            if after.contains("$(") || after.contains('`') {
                self.opaque(&format!("{what} holds a subscript that runs code"), &field.shown());
                return;
            }
        }
    }

    /// Says whether what it takes is surely gone: in a file, not in `/dev/stdout` or in a process.
    pub fn redirect(&mut self, redirect: &Redirect, state: &mut State) -> bool {
        if let Some(name) = &redirect.descriptor {
            state.set(name, Value::Text(Field { parts: vec![Part::Pattern("*".to_owned())] }));
        }
        match &redirect.kind {
            RedirectKind::Heredoc(body) => {
                if let Some(body) = body.get() {
                    let field = self.expand_one(body, state);
                    self.input = feed(field);
                }
            }
            RedirectKind::HereString => {
                let mut field = self.expand_one(&redirect.target, state);
                field.push(Part::Literal("\n".to_owned()));
                self.input = feed(field);
            }
            RedirectKind::DuplicateInput => {
                self.expand_one(&redirect.target, state);
                self.input = Input::Unknown(redirect.target.text.as_str().into());
            }
            RedirectKind::DuplicateOutput => {
                let field = self.expand_one(&redirect.target, state);
                let shown = field.shown();
                let is_descriptor = shown.trim_end_matches('-').bytes().all(|byte| byte.is_ascii_digit());
                let is_number = redirect.target.text.contains('$')
                    && matches!(field.parts.as_slice(), [Part::Pattern(_)]);
                if !is_descriptor && !is_number {
                    self.write_to(&field, state, Change::Content);
                }
            }
            RedirectKind::Read => {
                let field = self.redirect_target(redirect, state);
                self.read_from(&field, state);
                let shown = field.shown();
                match self.process_output(&shown) {
                    Some(Some(printed)) => self.input = Input::Text(printed.into()),
                    Some(None) if shown != "/dev/fd/0" => {
                        self.input = Input::Unknown(redirect.target.text.as_str().into());
                    }
                    None if shown != "/dev/stdin" => self.input = Input::File(shown.into()),
                    _ => {}
                }
            }
            RedirectKind::ReadWrite | RedirectKind::Write => {
                let field = self.redirect_target(redirect, state);
                self.write_to(&field, state, Change::Content);
                let place = self.target(&field, state).place;
                return matches!(place, Place::At(path) if path == "/dev/null" || !is_sink(&path));
            }
        }
        true
    }

    fn redirect_target(&mut self, redirect: &Redirect, state: &mut State) -> Field {
        let mut fields = self.expand(&redirect.target, state);
        match fields.len() {
            1 => fields.pop().unwrap_or_default(),
            _ => Field::unknown(redirect.target.text.clone()),
        }
    }

    /// A file is written, unless it is one of those that keep nothing.
    pub fn write_to(&mut self, field: &Field, state: &State, change: Change) {
        let target = self.target(field, state);
        match &target.place {
            Place::At(path) if path.starts_with("/dev/tcp/") || path.starts_with("/dev/udp/") => {
                let to = path.split('/').nth(3).map(str::to_owned);
                self.effects.push(Effect::Network { program: "/dev/tcp".to_owned(), to });
            }
            Place::At(path) if is_sink(path) => {}
            _ => self.effects.push(Effect::Write(target, change)),
        }
    }

    pub fn read_from(&mut self, field: &Field, state: &State) {
        let target = self.target(field, state);
        match &target.place {
            Place::At(path) if path.starts_with("/dev/tcp/") || path.starts_with("/dev/udp/") => {
                let to = path.split('/').nth(3).map(str::to_owned);
                self.effects.push(Effect::Network { program: "/dev/tcp".to_owned(), to });
            }
            Place::At(path) if is_sink(path) => {}
            _ => self.effects.push(Effect::Read(target)),
        }
    }

    /// Runs what the fields say: a function, a builtin or a program.
    pub fn invoke(&mut self, fields: Vec<Field>, state: State, text: &str) -> Outcome {
        let unchanged = |state: State| Outcome::either(States::one(state));
        let Some(name) = fields.first() else { return unchanged(state) };
        let Some(name) = name.text() else {
            self.unknown_program(fields, &state, text);
            return unchanged(state);
        };
        self.hashed(&name, &fields, &state, text);
        if let Some(body) = state.functions.get(&name).map(Rc::clone) {
            let mut inner = state.clone();
            inner.positional = Some(Rc::new(fields.clone()));
            inner.begin_function();
            let mut after = Outcome::either(States::one(state.clone()));
            self.nested(text, |walker| after = walker.command(&body, States::one(inner)));
            for state_after in after.good.0.iter_mut().chain(after.bad.0.iter_mut()) {
                state_after.positional.clone_from(&state.positional);
                state_after.end_function(&state);
            }
            if programs::is_known(&name) {
                // The definition may sit in a branch that was not taken.
                self.program(name, fields, &state, text);
            }
            return after;
        }
        if matches!(
            name.as_str(),
            "let"
                | "declare"
                | "typeset"
                | "local"
                | "export"
                | "readonly"
                | "read"
                | "unset"
                | "printf"
                | "test"
                | "["
                | "wait"
        ) {
            for field in fields.iter().skip(1) {
                self.watch_subscripts(&name, field);
            }
        }
        match self.builtin(&name, fields, state, text) {
            Ok(outcome) => outcome,
            Err((fields, state)) => {
                self.program(name, fields, &state, text);
                unchanged(state)
            }
        }
    }

    /// The words say what is done, but not by which program.
    fn unknown_program(&mut self, fields: Vec<Field>, state: &State, text: &str) {
        let words: Vec<String> = fields.iter().map(Field::shown).collect();
        let first = fields.first();
        // In the definition of a function: what it is called with is followed where it is called.
        let positional = first.is_some_and(
            |name| matches!(name.parts.first(), Some(Part::Unknown(source)) if is_positional(source)),
        );
        let base = first.and_then(Field::base_name).filter(|base| !base.is_empty());
        let named = base.is_some();
        self.hidden("which program runs is not known", &words.join(" "), !positional && !named);
        if let Some(base) = base.filter(|base| programs::is_known(base)) {
            self.program(base, fields, state, text);
        }
        self.output = None;
    }

    fn program(&mut self, name: String, mut fields: Vec<Field>, state: &State, text: &str) {
        if !self.step() {
            return;
        }
        fields.remove(0);
        let printed = programs::run(self, name, fields, state, text);
        self.print(printed.as_deref());
    }

    /// What is known of the output of a substitution that could not be worked out.
    pub fn substituted(&self, list: &List, text: &str, state: &State) -> Field {
        let unknown = Field::unknown(format!("$({text})"));
        let [chain] = list.items.as_slice() else { return unknown };
        let ([super::syntax::Command::Simple(simple)], []) =
            (chain.first.commands.as_slice(), chain.rest.as_slice())
        else {
            return unknown;
        };
        let mut words = simple.words.iter().map(|word| word.text.as_str());
        match words.next() {
            Some("mktemp") => {
                let options_only = words.all(|word| {
                    matches!(word, "-d" | "-u" | "-t" | "--directory") || word.starts_with("--suffix=")
                });
                let in_tmp = options_only && !state.variables.contains_key("TMPDIR");
                let folder = (self.at.variable)("TMPDIR").filter(|folder| folder.starts_with('/'));
                if in_tmp && !state.functions.contains_key("mktemp") {
                    let folder = folder.unwrap_or_else(|| "/tmp".to_owned());
                    let folder = folder.trim_end_matches('/');
                    return Field {
                        parts: vec![Part::Literal(format!("{folder}/tmp.")), Part::Pattern("*".to_owned())],
                    };
                }
                unknown
            }
            // None of these prints a slash.
            Some("nproc" | "id" | "basename" | "whoami") if state.functions.is_empty() => {
                Field { parts: vec![Part::Pattern("*".to_owned())] }
            }
            Some("date")
                if state.functions.is_empty()
                    && words.all(|word| {
                        word.starts_with('+') && !word.contains(['/', '$', '`', 'D', 'x', 'c'])
                    }) =>
            {
                Field { parts: vec![Part::Pattern("*".to_owned())] }
            }
            _ => unknown,
        }
    }
}

/// `$1`, `$@`, `${2:-x}`
fn is_positional(source: &str) -> bool {
    let name = source.trim_start_matches(['$', '{', '"']);
    name.starts_with(|first: char| first.is_ascii_digit() || first == '@' || first == '*')
}

/// What an array holds after `x[1]=…` or `x[1]+=…`.
fn with_element(earlier: Option<Value>, subscript: &Field, field: Field, adds: bool) -> Value {
    let mut list = match earlier {
        Some(Value::List(list)) => list,
        Some(Value::Text(text)) => vec![text],
        None | Some(Value::Unset) => Vec::new(),
        Some(Value::Unknown) => return Value::Unknown,
    };
    match subscript.text().and_then(|text| super::expand::index(&text)) {
        Some(at) if at == list.len() => list.push(field),
        Some(at) => match list.get_mut(at) {
            Some(element) if adds => *element = appended(std::mem::take(element), field),
            Some(element) => *element = field,
            None => return Value::Unknown,
        },
        None => return Value::Unknown,
    }
    Value::List(list)
}

fn appended(mut all: Field, more: Field) -> Field {
    for part in more.parts {
        all.push(part);
    }
    all
}

fn feed(field: Field) -> Input {
    match field.text() {
        Some(text) => Input::Text(text.into()),
        None => Input::Mixed(Rc::new(field)),
    }
}

/// Assignments in front of a command last as long as the command; for some builtins plain `sh` keeps them.
fn restore(outcome: &mut Outcome, before: &State, simple: &Simple) {
    let keeps = simple.words.first().is_some_and(|word| {
        matches!(word.text.as_str(), "eval" | ":" | "." | "source" | "exec" | "set" | "unset")
    });
    let declares = simple.words.first().is_some_and(|word| {
        matches!(word.text.as_str(), "declare" | "typeset" | "local" | "export" | "readonly")
    });
    if declares {
        return;
    }
    for states in [&mut outcome.good, &mut outcome.bad] {
        let mut restored = States::default();
        for state in &states.0 {
            let mut state = state.clone();
            if keeps {
                restored.add(state.clone());
            }
            for assignment in &simple.assignments {
                let variables = Rc::make_mut(&mut state.variables);
                match before.variables.get(&assignment.name) {
                    Some(value) => variables.insert(assignment.name.clone(), value.clone()),
                    None => variables.remove(&assignment.name),
                };
            }
            restored.add(state);
        }
        *states = restored;
    }
}
