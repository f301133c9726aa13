//! Follows a parsed command line and writes down what it would do.

use super::effect::{Effect, Opaque, Target};
use super::place;
use super::state::{Outcome, State, States, Value};
use super::syntax::{Chain, Command, Compound, Join, List, Pipeline, Word};
use super::text::{Field, Part};
use super::{Surroundings, parse};
use std::rc::Rc;

/// How deeply code may call code: `sh -c`, `eval`, functions, substitutions.
const DEEPEST: usize = 12;
/// How deeply compound commands may nest, all levels of code together.
const DEEPEST_COMMAND: usize = 80;
/// How many simple commands are followed before giving up.
const MOST_STEPS: usize = 20_000;
/// How many effects are written down before giving up.
const MOST_EFFECTS: usize = 20_000;

/// What a command reads from its standard input.
#[derive(Debug, Clone)]
pub(super) enum Input {
    Inherited,
    Text(Rc<str>),
    /// Text of which some parts are not known.
    Mixed(Rc<Field>),
    /// What is in a file that is named.
    File(Rc<str>),
    /// Not known; where it comes from, in words.
    Unknown(Rc<str>),
}

pub(super) struct Walker<'a> {
    pub at: &'a Surroundings<'a>,
    whole: &'a str,
    pub effects: Vec<Effect>,
    depth: usize,
    nesting: usize,
    steps: usize,
    exhausted: bool,
    pub input: Input,
    /// What was printed so far by what is being followed; nothing if that is not known.
    pub output: Option<String>,
    /// What the process substitutions of the command at hand print; the first one is `/dev/fd/63`.
    pub processes: Vec<Option<String>>,
    /// Parts of code whose text is not known, while that code is followed: a character of its own stands for each.
    pub holes: Rc<Vec<Part>>,
}

impl<'a> Walker<'a> {
    pub fn new(at: &'a Surroundings<'a>, whole: &'a str) -> Self {
        Self {
            at,
            whole,
            effects: Vec::new(),
            depth: 0,
            nesting: 0,
            steps: 0,
            exhausted: false,
            input: Input::Inherited,
            output: None,
            processes: Vec::new(),
            holes: Rc::default(),
        }
    }

    /// Parses and follows code that a command runs in the shell it runs in.
    pub fn code(&mut self, text: &str, states: States) -> Outcome {
        if self.depth >= DEEPEST {
            self.opaque("code that starts code, many times over", text);
            return Outcome::either(states);
        }
        self.depth += 1;
        let parsed = parse::parse(text);
        if let Some(problem) = parsed.problem {
            self.opaque(&format!("it cannot be read to its end: {problem}"), text);
        }
        let outcome = self.list(&parsed.list, states);
        self.depth -= 1;
        outcome
    }

    pub fn opaque(&mut self, why: &str, text: &str) {
        self.hidden(why, text, false);
    }

    /// Something runs that is not in the command's text.
    pub fn unseen(&mut self, why: &str, text: &str) {
        self.hidden(why, text, true);
    }

    pub fn hidden(&mut self, why: &str, text: &str, unseen: bool) {
        self.effects.push(Effect::Opaque(Opaque { why: why.to_owned(), text: text.to_owned(), unseen }));
    }

    pub fn target(&self, field: &Field, state: &State) -> Target {
        let mut target = place::target(field, state.cwd.as_deref());
        if let Some(cwd) = state.cwd.as_deref()
            && target.text.contains("..")
            && !target.text.starts_with('/')
            && cwd != self.at.cwd
        {
            // The directory may have been entered by a link, and then up is not where the letters say.
            target.text = format!("{cwd}/{}", target.text);
        }
        target
    }

    /// Counts a step; says whether the walk may go on.
    pub fn step(&mut self) -> bool {
        self.steps += 1;
        if !self.exhausted && (self.steps > MOST_STEPS || self.effects.len() > MOST_EFFECTS) {
            self.exhausted = true;
            let whole = self.whole;
            self.opaque("it does more than can be followed", whole);
        }
        !self.exhausted
    }

    /// Follows code in a function or a shell of its own, one level deeper.
    pub fn nested(&mut self, text: &str, follow: impl FnOnce(&mut Self)) {
        if self.depth >= DEEPEST {
            self.opaque("code that starts code, many times over", text);
            return;
        }
        self.depth += 1;
        follow(self);
        self.depth -= 1;
    }

    /// What a list prints, followed in a shell of its own.
    pub fn printed_by(&mut self, list: &List, state: &State, text: &str) -> Option<String> {
        let around = self.output.replace(String::new());
        self.nested(text, |walker| {
            walker.list(list, States::one(state.clone()));
        });
        std::mem::replace(&mut self.output, around)
    }

    pub fn list(&mut self, list: &List, states: States) -> Outcome {
        let mut outcome = Outcome::either(states);
        for chain in &list.items {
            if !self.step() {
                break;
            }
            let before = outcome.all();
            outcome = if chain.background {
                let printed = self.output.clone();
                self.chain(chain, before.clone());
                // When it prints, nobody knows.
                if self.output != printed {
                    self.output = None;
                }
                Outcome::either(before)
            } else {
                self.chain(chain, before)
            };
        }
        outcome
    }

    fn chain(&mut self, chain: &Chain, states: States) -> Outcome {
        let mut outcome = self.pipeline(&chain.first, states);
        for (join, pipeline) in &chain.rest {
            match join {
                Join::And => {
                    let after = self.pipeline(pipeline, outcome.good);
                    outcome.good = after.good;
                    outcome.bad.merge(after.bad);
                }
                Join::Or => {
                    let after = self.pipeline(pipeline, outcome.bad);
                    outcome.good.merge(after.good);
                    outcome.bad = after.bad;
                }
            }
            self.output = None;
        }
        outcome
    }

    fn pipeline(&mut self, pipeline: &Pipeline, states: States) -> Outcome {
        if let [only] = pipeline.commands.as_slice() {
            let outcome = self.command(only, states);
            // Twice negated it is what it was, so both count.
            return if pipeline.negated { Outcome::either(outcome.all()) } else { outcome };
        }
        let outer_input = self.input.clone();
        let outer_output = self.output.take();
        let mut after = states.clone();
        for (index, command) in pipeline.commands.iter().enumerate() {
            if index > 0 {
                self.input = match (self.output.take(), index == 1 && starts_with_file(pipeline)) {
                    (Some(text), _) => Input::Text(text.into()),
                    (None, true) => Input::File(Rc::clone(&pipeline.text)),
                    (None, false) => Input::Unknown(Rc::clone(&pipeline.text)),
                };
            }
            self.output = Some(String::new());
            let last = self.command(command, states.clone());
            if index + 1 == pipeline.commands.len() {
                // Bash runs the last one in a shell of its own, zsh in this one.
                after.merge(last.all());
            }
        }
        self.input = outer_input;
        let printed = std::mem::replace(&mut self.output, outer_output);
        self.print(printed.as_deref());
        Outcome::either(after)
    }

    /// What a process substitution prints, if the path is that of one: nothing inside if that is not known.
    pub fn process_output(&self, path: &str) -> Option<Option<String>> {
        let number = path.strip_prefix("/dev/fd/").or_else(|| path.strip_prefix("/proc/self/fd/"))?;
        let index = number.parse().ok().and_then(|number: usize| 63_usize.checked_sub(number));
        Some(index.and_then(|index| self.processes.get(index).cloned()).flatten())
    }

    /// Adds to what is printed.
    pub fn print(&mut self, text: Option<&str>) {
        match (self.output.as_mut(), text) {
            (Some(output), Some(text)) if output.len() < 65_536 => output.push_str(text),
            _ => self.output = None,
        }
    }

    pub fn command(&mut self, command: &Command, states: States) -> Outcome {
        if self.exhausted {
            return Outcome::either(states);
        }
        if self.nesting >= DEEPEST_COMMAND {
            let whole = self.whole;
            self.opaque("it nests too deeply", whole);
            return Outcome::either(states);
        }
        self.nesting += 1;
        let outcome = match command {
            Command::Simple(simple) => self.simple(simple, states),
            Command::Function { name, body } => {
                let mut unknowing = states.clone();
                for state in &mut unknowing.0 {
                    state.positional = None;
                }
                // What it would do counts from here on, whether or not anybody calls it.
                let printed = self.output.take();
                self.command(body, unknowing);
                self.output = printed;
                let mut defined = states;
                for state in &mut defined.0 {
                    Rc::make_mut(&mut state.functions).insert(name.clone(), Rc::clone(body));
                }
                Outcome::either(defined)
            }
            Command::Compound(compound, redirects) => {
                let outer_input = (!redirects.is_empty()).then(|| self.input.clone());
                if let Some(state) = states.0.first() {
                    let mut state = state.clone();
                    for redirect in redirects {
                        self.redirect(redirect, &mut state);
                    }
                }
                let outcome = self.compound(compound, states);
                if redirects.iter().any(|redirect| !redirect.errors_only) {
                    self.output = None;
                }
                if let Some(input) = outer_input {
                    self.input = input;
                }
                outcome
            }
        };
        self.nesting -= 1;
        outcome
    }

    fn compound(&mut self, compound: &Compound, states: States) -> Outcome {
        match compound {
            Compound::Group(list) => self.list(list, states),
            Compound::Subshell(list) => {
                self.list(list, states.clone());
                Outcome::either(states)
            }
            Compound::Coprocess(command) => {
                self.command(command, states.clone());
                Outcome::either(states)
            }
            Compound::If(arms, otherwise) => {
                let mut after = States::default();
                let mut rest = states;
                for (condition, then) in arms {
                    let outcome = self.list(condition, rest);
                    after.merge(self.list(then, outcome.good).all());
                    rest = outcome.bad;
                }
                after.merge(match otherwise {
                    Some(list) => self.list(list, rest).all(),
                    None => rest,
                });
                self.output = None;
                Outcome::either(after)
            }
            Compound::Loop { arithmetic, condition, body } => {
                if let Some(arithmetic) = arithmetic {
                    self.expand_all(std::slice::from_ref(arithmetic), &states);
                }
                let after = self.repeat(states, |walker, states| {
                    let outcome = walker.list(condition, states);
                    let mut after = outcome.bad;
                    after.merge(walker.list(body, outcome.good).all());
                    after
                });
                Outcome::either(after)
            }
            Compound::For { name, words, body } => self.for_each(name, words.as_deref(), body, states),
            Compound::Case { subject, arms } => {
                self.expand_all(std::slice::from_ref(subject), &states);
                let mut after = states.clone();
                for (patterns, list) in arms {
                    self.expand_all(patterns, &states);
                    // An arm may also be reached from the one before it, by `;&`.
                    after.merge(self.list(list, after.clone()).all());
                }
                self.output = None;
                Outcome::either(after)
            }
            Compound::Test(words) => {
                let calculates = words.iter().any(|word| {
                    matches!(word.text.as_str(), "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge" | "-v")
                        || word.text.starts_with("((")
                });
                for state in &states.0 {
                    let mut state = state.clone();
                    for word in words {
                        let field = self.expand_one(word, &mut state);
                        if calculates {
                            self.watch_subscripts("a test", &field);
                        }
                    }
                }
                Outcome::either(states)
            }
        }
    }

    /// Expands words for what their substitutions do.
    fn expand_all(&mut self, words: &[Word], states: &States) {
        for state in &states.0 {
            let mut state = state.clone();
            for word in words {
                self.expand_one(word, &mut state);
            }
        }
    }

    fn for_each(&mut self, name: &str, words: Option<&[Word]>, body: &List, states: States) -> Outcome {
        let mut values = Vec::new();
        for state in &states.0 {
            let mut state = state.clone();
            match words {
                Some(words) => {
                    for word in words {
                        values.append(&mut self.expand(word, &mut state));
                    }
                }
                None => match &state.positional {
                    Some(positional) => values.extend(positional.iter().skip(1).cloned()),
                    None => values.push(Field::unknown("$@")),
                },
            }
        }
        values.dedup();
        let all_known = values.iter().all(|value| value.text().is_some());
        let mut emitted = self.emitted();
        let mut after = states;
        for value in values {
            if !self.step() {
                break;
            }
            // States that differed in this variable only are the same now.
            let set = |states: States| {
                let mut same = States::default();
                for mut state in states.0 {
                    state.set(name, Value::Text(value.clone()));
                    same.add(state);
                }
                same
            };
            if all_known {
                let around = std::mem::take(&mut self.effects);
                let next = self.list(body, set(after.clone())).all();
                after.merge(next);
                let made = std::mem::replace(&mut self.effects, around);
                self.emit_new(made, &mut emitted);
            } else {
                after = self.repeat(after, |walker, states| walker.list(body, set(states)).all());
            }
        }
        self.output = None;
        Outcome::either(after)
    }

    /// Follows something that happens any number of times, until a further time would bring nothing new.
    fn repeat(&mut self, states: States, mut once: impl FnMut(&mut Self, States) -> States) -> States {
        let mut emitted = self.emitted();
        let mut after = states;
        for pass in 0..3 {
            if !self.step() {
                break;
            }
            let around = std::mem::take(&mut self.effects);
            let next = once(self, after.clone());
            let made = std::mem::replace(&mut self.effects, around);
            self.emit_new(made, &mut emitted);
            if next.0.iter().all(|state| after.0.contains(state)) {
                break;
            }
            after.merge(next);
            if pass == 1 {
                // It goes on changing with each time, so what changes is not known.
                after.forget_differences();
            }
        }
        self.output = None;
        after
    }
}

/// `cat file | …`: whoever reads it reads a file that is named.
fn starts_with_file(pipeline: &Pipeline) -> bool {
    let [Command::Simple(cat), ..] = pipeline.commands.as_slice() else { return false };
    match cat.words.as_slice() {
        [program, file] => {
            program.text == "cat" && cat.redirects.is_empty() && !file.text.starts_with(['-', '<', '$', '`'])
        }
        _ => false,
    }
}
