//! Builtins that change the shell itself: directory, variables, functions, and code that it runs in place.

use super::effect::{Effect, Place};
use super::output;
use super::renames::is_program_table;
use super::state::{LOCAL, Outcome, State, States, UNSURE, Value};
use super::text::Field;
use super::walk::{Input, Walker};
use std::rc::Rc;

/// Under this name a state remembers that `cd` follows links; no variable can have it.
const PHYSICAL: &str = "set -P";

/// What `builtin` gives back when the name is no builtin that matters here.
type NotOurs = (Vec<Field>, State);

impl Walker<'_> {
    pub fn builtin(
        &mut self,
        name: &str,
        fields: Vec<Field>,
        mut state: State,
        text: &str,
    ) -> Result<Outcome, NotOurs> {
        let arguments = fields.get(1..).unwrap_or_default();
        if prints(name, arguments) {
            self.output = None;
        }
        match name {
            "cd" | "chdir" | "pushd" => Ok(self.change_directory(name, arguments, state)),
            "popd" => {
                let stack = Rc::make_mut(&mut state.stack);
                let back = stack.pop().flatten();
                self.enter(&mut state, back, "popd");
                Ok(Outcome::either(States::one(state)))
            }
            "export" | "declare" | "typeset" | "local" | "readonly" | "integer" | "float" => {
                let local = !matches!(name, "export" | "readonly") && !has_letter(arguments, &['g']);
                for argument in arguments {
                    if let Some(variable) = argument.text().filter(|_| local) {
                        let variable = variable.split(['=', '+']).next().unwrap_or_default();
                        state.set(&format!("{LOCAL}{variable}"), Value::Unset);
                    }
                    self.declare(argument, &mut state);
                }
                // Of these `-n` and `-T` make one name stand for another; the others change what is assigned.
                if name != "export" && has_letter(arguments, &['n', 'T', 'u', 'l', 'c']) {
                    state.set(UNSURE, Value::Unset);
                }
                Ok(Outcome::either(States::one(state)))
            }
            "read" | "mapfile" | "readarray" | "getopts" | "unset" | "let" | "wait" | "vared" => {
                let value = if name == "unset" { Value::Unset } else { Value::Unknown };
                // Whichever of them it names.
                if !matches!(name, "let" | "wait") && arguments.iter().any(Field::has_unknown) {
                    state.variables = Rc::default();
                }
                for argument in arguments {
                    if let Some(variable) = argument.text().filter(|word| !word.starts_with('-')) {
                        let variable: String = variable
                            .chars()
                            .take_while(|letter| letter.is_alphanumeric() || *letter == '_')
                            .collect();
                        state.set(&variable, value.clone());
                        if name == "unset" {
                            Rc::make_mut(&mut state.functions).remove(&variable);
                        }
                    }
                }
                if matches!(name, "mapfile" | "readarray")
                    && arguments.iter().any(|word| word.start().starts_with("-C"))
                {
                    self.opaque(&format!("{name} calls back"), text);
                }
                match name {
                    "read" => state.set("REPLY", Value::Unknown),
                    "mapfile" | "readarray" => state.set("MAPFILE", Value::Unknown),
                    "getopts" => state.set("OPTARG", Value::Unknown),
                    _ => {}
                }
                Ok(Outcome::either(States::one(state)))
            }
            "printf" if arguments.first().is_some_and(|first| first.start().starts_with("-v")) => {
                let joined =
                    arguments.first().and_then(|first| first.strip("-v")).filter(|name| !name.is_empty());
                let (variable, rest) = match joined {
                    Some(variable) => (Some(variable), arguments.get(1..)),
                    None => (arguments.get(1).cloned(), arguments.get(2..)),
                };
                let words: Option<Vec<String>> = rest.unwrap_or_default().iter().map(Field::text).collect();
                let value = words.and_then(|words| output::printf(&words));
                let value = value.map_or(Value::Unknown, |text| Value::Text(Field::known(text)));
                match variable.map(|field| field.text()) {
                    Some(Some(variable)) => match variable.split_once('[') {
                        Some((array, _)) if !is_program_table(&variable) => state.set(array, Value::Unknown),
                        _ => self.set_variable(&variable, value, &mut state),
                    },
                    Some(None) => state.variables = Rc::default(),
                    None => {}
                }
                Ok(Outcome::either(States::one(state)))
            }
            "eval" => {
                let mut code = Vec::new();
                for argument in arguments {
                    match argument.text() {
                        Some(text) => code.push(text),
                        // What is not known may still hold names that a rule looks for.
                        None => {
                            let joined = joined(arguments);
                            let unseen = joined.is_foreign();
                            self.hidden("eval runs code that is not known", text, unseen);
                            self.hidden("eval runs code that is not known", &joined.shown(), unseen);
                            self.code_with_holes(&joined, States::one(state.clone()));
                            self.output = None;
                            state.variables = Rc::default();
                            state.cwd = None;
                            return Ok(Outcome::either(States::one(state)));
                        }
                    }
                }
                Ok(self.code(&code.join(" "), States::one(state)))
            }
            "trap" => {
                let action =
                    arguments.iter().find(|argument| argument.is("-") || !argument.start().starts_with('-'));
                let action = action.filter(|action| !action.is("-"));
                match action.map(Field::text) {
                    Some(Some(code)) if arguments.len() > 1 => {
                        let after = self.code(&code, States::one(state.clone()));
                        // It may run between any two commands, unless it waits for the end.
                        let at_end = arguments.iter().skip(1).all(|word| word.is("EXIT") || word.is("0"));
                        if !at_end && after.good.0.iter().chain(&after.bad.0).any(|after| *after != state) {
                            state.set(UNSURE, Value::Unset);
                            state.cwd = None;
                        }
                    }
                    Some(None) => {
                        let unseen = action.is_some_and(Field::is_foreign);
                        self.hidden("trap runs code that is not known", text, unseen);
                    }
                    _ => {}
                }
                Ok(Outcome::either(States::one(state)))
            }
            "alias" => {
                for argument in arguments {
                    let Some((alias, value)) = argument.split('=') else { continue };
                    match (alias.text(), value.text()) {
                        (Some(alias), Some(code)) => self.alias(&alias, &code, &mut state),
                        _ => self.hidden("an alias is not known", text, value.is_foreign()),
                    }
                }
                Ok(Outcome::either(States::one(state)))
            }
            "hash" => {
                self.hash(arguments, &mut state);
                Err((fields, state))
            }
            "set" => {
                let physical = |argument: &Field| {
                    argument.is("physical")
                        || argument.start().starts_with('-') && argument.start().contains('P')
                };
                if arguments.iter().any(physical) {
                    state.set(PHYSICAL, Value::Unset);
                }
                // In zsh and ksh: `set -A name words`.
                if arguments.first().is_some_and(|first| first.is("-A") || first.is("+A")) {
                    state.variables = Rc::default();
                }
                if let Some(position) = arguments.iter().position(|argument| argument.is("--")) {
                    let mut positional = vec![Field::known("sh")];
                    positional.extend(arguments.iter().skip(position + 1).cloned());
                    state.positional = (positional.len() <= 500).then(|| Rc::new(positional));
                } else if arguments.first().is_some_and(|first| !first.start().starts_with(['-', '+'])) {
                    state.positional = None;
                }
                Ok(Outcome::either(States::one(state)))
            }
            "shift" => {
                let count = match arguments.first() {
                    None => Some(1),
                    Some(count) => count.text().and_then(|count| count.parse::<usize>().ok()),
                };
                state.positional = match (count, state.positional.as_deref()) {
                    (Some(count), Some(fields)) => {
                        let kept =
                            fields.iter().enumerate().filter(|(index, _)| *index == 0 || *index > count);
                        Some(Rc::new(kept.map(|(_, field)| field.clone()).collect()))
                    }
                    _ => None,
                };
                Ok(Outcome::either(States::one(state)))
            }
            "command" | "builtin" | "exec" | "noglob" | "nocorrect" | "-" => {
                Ok(self.passed_on(name, fields, state, text))
            }
            "source" | "." => {
                self.source(name, arguments, &state, text);
                // The file may set anything.
                state.variables = Rc::default();
                Ok(Outcome::either(States::one(state)))
            }
            _ => Err((fields, state)),
        }
    }

    /// `command rm x` and `exec rm x` run `rm x`.
    fn passed_on(&mut self, name: &str, fields: Vec<Field>, state: State, text: &str) -> Outcome {
        let mut rest = fields.into_iter().skip(1).peekable();
        while let Some(option) = rest.next_if(|field| field.start().starts_with('-')) {
            if name == "command" && (option.start().contains('v') || option.start().contains('V')) {
                return Outcome::either(States::one(state));
            }
            if name == "exec" && option.start().ends_with('a') {
                rest.next();
            }
        }
        let rest: Vec<Field> = rest.collect();
        if rest.is_empty() {
            return Outcome::either(States::one(state));
        }
        let mut plain = state;
        if name != "exec" {
            // Functions are passed over.
            if let Some(inner) = rest.first().and_then(Field::text) {
                Rc::make_mut(&mut plain.functions).remove(&inner);
            }
        }
        self.invoke(rest, plain, text)
    }

    fn source(&mut self, name: &str, arguments: &[Field], state: &State, text: &str) {
        let Some(file) = arguments.iter().find(|argument| !argument.is("--")) else { return };
        if matches!(file.text().as_deref(), Some("/dev/stdin" | "/dev/fd/0" | "-")) {
            match self.input.clone() {
                Input::Text(code) => {
                    self.code(&code, States::one(state.clone()));
                }
                Input::Mixed(code) => {
                    self.hidden(&format!("{name} runs code that is not known"), text, code.is_foreign());
                    self.code_with_holes(&code, States::one(state.clone()));
                }
                Input::File(_) | Input::Inherited => {
                    self.opaque(&format!("{name} runs what it is fed"), text);
                }
                Input::Unknown(_) => self.unseen(&format!("{name} runs what it is fed"), text),
            }
            return;
        }
        match self.process_output(file.start()) {
            Some(Some(code)) => {
                self.code(&code, States::one(state.clone()));
                return;
            }
            Some(None) => {
                self.unseen(&format!("{name} runs what a command prints"), text);
                return;
            }
            None => {}
        }
        if file.is_foreign() && file.base_name().is_none() {
            self.unseen(&format!("{name} runs a file that is not known"), text);
        }
        self.read_from(file, state);
        self.opaque(&format!("{name} runs a file that is not looked into"), text);
    }

    pub fn alias(&mut self, alias: &str, code: &str, state: &mut State) {
        self.code(code, States::one(state.clone()));
        let parsed = super::parse::parse(&format!("{alias} () {{ {code} \"$@\"\n}}"));
        if let Some(chain) = parsed.list.items.into_iter().next()
            && let Some(super::syntax::Command::Function { name, body }) =
                chain.first.commands.into_iter().next()
        {
            Rc::make_mut(&mut state.functions).insert(name, body);
        }
    }

    fn declare(&mut self, argument: &Field, state: &mut State) {
        if argument.start().starts_with('-') {
            return;
        }
        match argument.split('=') {
            // The name of an element looks like a pattern.
            Some((name, value)) => {
                match name.text().or_else(|| Some(name.shown()).filter(|name| is_program_table(name))) {
                    Some(name) => {
                        let adds = name.ends_with('+');
                        let name = name.trim_end_matches('+');
                        // A tilde after the sign stands for the home directory here too.
                        let value = match (value.start(), self.at.home) {
                            (start, Some(home)) if start == "~" || start.starts_with("~/") => {
                                let mut parts = value.after(1).parts;
                                parts.insert(0, super::text::Part::Literal(home.to_owned()));
                                let mut joined = Field::default();
                                for part in parts {
                                    joined.push(part);
                                }
                                joined
                            }
                            _ => value,
                        };
                        let value = if adds { Value::Unknown } else { Value::Text(value) };
                        self.set_variable(name, value, state);
                    }
                    None => state.variables = Rc::default(),
                }
            }
            None => {
                if argument.has_unknown() {
                    state.variables = Rc::default();
                }
            }
        }
    }

    fn change_directory(&mut self, name: &str, arguments: &[Field], mut state: State) -> Outcome {
        let before = state.clone();
        let mut operands = arguments.iter().filter(|argument| {
            argument.is("-") || argument.starts_unknown() || !argument.start().starts_with('-')
        });
        let to = operands.next();
        if name == "pushd" {
            let here = state.cwd.clone();
            Rc::make_mut(&mut state.stack).push(here);
        }
        let (target, certain) = match to {
            None if name == "pushd" => (None, false),
            None => (self.home(&state), true),
            Some(field) if field.is("-") => (state.previous.as_deref().map(Field::known), false),
            Some(field) if name == "pushd" && field.start().starts_with('+') => (None, false),
            Some(field) => (Some(field.clone()), false),
        };
        let Some(field) = target else {
            self.enter(&mut state, None, name);
            return Outcome { good: States::one(state), bad: States::one(before) };
        };
        // In zsh, `cd old new` goes to the directory with one part replaced by another; `CDPATH` leads
        // elsewhere.
        let searched = state.variables.contains_key("CDPATH") && !field.start().starts_with(['/', '.']);
        let replaced = operands.next().is_some() || searched;
        // Where links are followed, up is not where the letters say.
        let physical = state.variables.contains_key(PHYSICAL)
            || arguments
                .iter()
                .any(|argument| argument.start().starts_with('-') && argument.start().contains('P'));
        let replaced = replaced || physical && field.shown().split('/').any(|component| component == "..");
        if physical {
            state.set(PHYSICAL, Value::Unset);
        }
        let mut target = self.target(&field, &state);
        if replaced {
            target.place = Place::Ending(String::new());
        }
        let shown = target.text.clone();
        let path = match &target.place {
            Place::At(path) if !replaced => Some(path.clone()),
            _ => None,
        };
        let certain = certain
            || path.as_deref().is_some_and(|path| {
                let inside =
                    |whole: &str| whole == path || path == "/" || whole.starts_with(&format!("{path}/"));
                inside(self.at.cwd) || self.at.home.is_some_and(inside) || path == "/tmp"
            });
        match path {
            Some(path) => {
                self.effects.push(Effect::Enter(target));
                state.enter(Some(Rc::from(path)));
            }
            None => match &target.place {
                // A pattern or a fresh temporary directory: what follows is somewhere in there.
                Place::Among(pattern) if !replaced && shown.contains("/tmp.") => {
                    let pattern: Rc<str> = Rc::from(pattern.as_str());
                    self.effects.push(Effect::Enter(target));
                    state.enter(Some(pattern));
                }
                _ => {
                    self.effects.push(Effect::Enter(target));
                    state.enter(None);
                }
            },
        }
        if certain {
            return Outcome::either(States::one(state));
        }
        Outcome { good: States::one(state), bad: States::one(before) }
    }

    fn home(&self, state: &State) -> Option<Field> {
        match state.variables.get("HOME") {
            Some(Value::Text(home)) => Some(home.clone()),
            Some(_) => None,
            None => self.at.home.map(Field::known),
        }
    }

    fn enter(&mut self, state: &mut State, cwd: Option<Rc<str>>, name: &str) {
        let place = match &cwd {
            Some(cwd) => Place::At(cwd.to_string()),
            None => Place::Ending(String::new()),
        };
        self.effects.push(Effect::Enter(super::effect::Target { text: name.to_owned(), place }));
        state.enter(cwd);
    }
}

/// Whether an option has one of these letters.
fn has_letter(arguments: &[Field], letters: &[char]) -> bool {
    let is_option = |word: &&Field| word.start().starts_with('-');
    arguments.iter().filter(is_option).any(|word| word.start().contains(letters))
}

/// Whether a builtin prints something, so that the output around it is not known.
fn prints(name: &str, arguments: &[Field]) -> bool {
    let has = |letters: &str| {
        arguments.iter().any(|argument| {
            let start = argument.start();
            start.starts_with('-') && start.contains(|letter| letters.contains(letter))
        })
    };
    match name {
        "command" => has("vV"),
        "cd" | "chdir" => arguments.iter().any(|argument| argument.is("-")),
        "pushd" | "popd" | "source" | "." => true,
        "export" | "declare" | "typeset" | "local" | "readonly" => arguments.is_empty() || has("pfF"),
        "alias" => !arguments.iter().any(|argument| argument.shown().contains('=')),
        "set" => arguments.is_empty() || arguments.len() == 1 && has("o"),
        "trap" => arguments.is_empty() || has("pl"),
        _ => false,
    }
}

/// Several fields as one, with blanks in between.
fn joined(fields: &[Field]) -> Field {
    let mut joined = Field::default();
    for (index, field) in fields.iter().enumerate() {
        if index > 0 {
            joined.push_text(" ");
        }
        for part in &field.parts {
            joined.push(part.clone());
        }
    }
    joined
}
