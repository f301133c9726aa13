//! What is known while a command line is followed: variables, functions, working directory. Where a command
//! may go two ways, both states are followed on.

use super::syntax::Command;
use super::text::Field;
use std::collections::BTreeMap;
use std::rc::Rc;

/// More states than this at once are made into one that knows less.
const MOST_STATES: usize = 6;

/// Where this is set, no variable is known to hold what was last assigned to it.
pub(super) const UNSURE: &str = "declare -n";

/// Before the name of a variable that a function made its own.
pub(super) const LOCAL: &str = "local ";

/// What a variable holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value {
    Text(Field),
    List(Vec<Field>),
    Unset,
    Unknown,
}

/// A shell at one moment, in one of the ways things may have gone.
#[derive(Debug, Clone)]
pub(super) struct State {
    /// `None` if nobody knows.
    pub cwd: Option<Rc<str>>,
    pub previous: Option<Rc<str>>,
    pub variables: Rc<BTreeMap<String, Value>>,
    pub functions: Rc<BTreeMap<String, Rc<Command>>>,
    /// `$1` and so on, where they are known.
    pub positional: Option<Rc<Vec<Field>>>,
    /// The directories that `popd` goes back to.
    pub stack: Rc<Vec<Option<Rc<str>>>>,
}

impl PartialEq for State {
    fn eq(&self, other: &Self) -> bool {
        self.cwd == other.cwd
            && self.previous == other.previous
            && (Rc::ptr_eq(&self.variables, &other.variables) || self.variables == other.variables)
            && self.stack == other.stack
            && self.positional == other.positional
            && (Rc::ptr_eq(&self.functions, &other.functions) || self.same_functions(other))
    }
}

impl State {
    pub fn new(cwd: &str) -> Self {
        Self {
            cwd: cwd.starts_with('/').then(|| Rc::from(super::place::normal(cwd))),
            previous: None,
            variables: Rc::default(),
            functions: Rc::default(),
            positional: None,
            stack: Rc::default(),
        }
    }

    fn same_functions(&self, other: &Self) -> bool {
        self.functions.len() == other.functions.len()
            && self
                .functions
                .iter()
                .zip(other.functions.iter())
                .all(|(one, two)| one.0 == two.0 && Rc::ptr_eq(one.1, two.1))
    }

    pub fn set(&mut self, name: &str, value: Value) {
        Rc::make_mut(&mut self.variables).insert(name.to_owned(), value);
    }

    /// A function begins with no variables of its own.
    pub fn begin_function(&mut self) {
        if self.variables.keys().any(|name| name.starts_with(LOCAL)) {
            Rc::make_mut(&mut self.variables).retain(|name, _| !name.starts_with(LOCAL));
        }
    }

    /// When it ends, the variables that were its own are again what they were before.
    pub fn end_function(&mut self, before: &Self) {
        let own: Vec<String> =
            self.variables.keys().filter_map(|name| name.strip_prefix(LOCAL)).map(str::to_owned).collect();
        let outer = before.variables.keys().filter(|name| name.starts_with(LOCAL)).cloned();
        let names: Vec<String> =
            own.iter().cloned().chain(own.iter().map(|name| format!("{LOCAL}{name}"))).chain(outer).collect();
        for name in names {
            match before.variables.get(&name) {
                Some(value) => self.set(&name, value.clone()),
                None => {
                    Rc::make_mut(&mut self.variables).remove(&name);
                }
            }
        }
    }

    pub fn enter(&mut self, cwd: Option<Rc<str>>) {
        self.previous = std::mem::replace(&mut self.cwd, cwd);
    }
}

/// The states things may be in, none of them twice.
#[derive(Debug, Clone, Default)]
pub(super) struct States(pub Vec<State>);

impl States {
    pub fn one(state: State) -> Self {
        Self(vec![state])
    }

    pub fn add(&mut self, state: State) {
        if !self.0.contains(&state) {
            self.0.push(state);
        }
    }

    pub fn merge(&mut self, others: Self) {
        for state in others.0 {
            self.add(state);
        }
        if self.0.len() > MOST_STATES {
            self.collapse();
        }
    }

    /// Keeps only what all states agree on.
    pub fn forget_differences(&mut self) {
        self.collapse();
    }

    /// One state that knows only what all of them agree on.
    fn collapse(&mut self) {
        let Some((first, rest)) = self.0.split_first() else { return };
        let mut one = first.clone();
        let mut variables = BTreeMap::clone(&one.variables);
        for other in rest {
            if one.cwd != other.cwd {
                one.cwd = None;
            }
            if one.previous != other.previous {
                one.previous = None;
            }
            if one.stack != other.stack {
                one.stack = Rc::default();
            }
            if one.positional != other.positional {
                one.positional = None;
            }
            for (name, value) in &mut variables {
                if other.variables.get(name) != Some(value) {
                    *value = Value::Unknown;
                }
            }
            for name in other.variables.keys() {
                if !variables.contains_key(name) {
                    variables.insert(name.clone(), Value::Unknown);
                }
            }
            for (name, body) in other.functions.iter() {
                if !one.functions.contains_key(name) {
                    Rc::make_mut(&mut one.functions).insert(name.clone(), Rc::clone(body));
                }
            }
        }
        one.variables = Rc::new(variables);
        self.0 = vec![one];
    }
}

/// The states after a command, by whether it succeeded.
#[derive(Debug, Clone, Default)]
pub(super) struct Outcome {
    pub good: States,
    pub bad: States,
}

impl Outcome {
    /// Whether it succeeded or not, these are the states.
    pub fn either(states: States) -> Self {
        Self { good: states.clone(), bad: states }
    }

    pub fn all(self) -> States {
        let mut all = self.good;
        all.merge(self.bad);
        all
    }
}
