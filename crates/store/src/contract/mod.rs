//! The repository's contract, `.signalbox/project.toml`: which files are tests, what validates work, who does it, and
//! how it lands. Commands in it run only where a human trusted this very text: see [`crate::trust`].
//!
//! It is read from bytes, because who merges reads it from main's tree and not from a checkout that somebody works in.
//! Sessions take their rules from it more leniently ([`crate::policy`]), so that a newer contract holds up nobody's work.

mod keys;
mod parts;

use std::fmt;
use std::path::Path;

use serde::Deserialize;
use signalbox_core::charter::{Decision, OwnRule};
use signalbox_core::{Mode, Role, text};

pub use keys::{KEYS, Key};
pub use parts::{
    By, Few, Foreign, Gate, Glob, Kept, Landing, Length, Line, Merge, NAMES, Review, RoleSettings, Roles,
    Run, Setup, Step, Style, TestCommand, Validate, Variable, Word,
};

use crate::{files, wording};

/// Where it stands in a repository.
pub const PATH: &str = ".signalbox/project.toml";
/// The largest that is read.
pub const MOST_BYTES: usize = 256 * 1024;

/// What the repository says of itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Contract {
    /// The branch that work lands on; `None` where it is to be found out.
    pub main: Option<Word>,
    pub mode: Option<Mode>,
    pub tests: Option<Vec<Glob>>,
    pub protect: Vec<Glob>,
    pub rules: Vec<OwnRule>,
    pub areas: Vec<Word>,
    pub test_command: Option<TestCommand>,
    pub run: Run,
    pub roles: Roles,
    pub review: Review,
    pub validate: Validate,
    pub merge: Merge,
    pub setup: Setup,
}

/// Why a contract cannot be used, with its place.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct ContractError {
    /// The file, as people know it.
    pub shown: String,
    /// Counted from 1; `None` where it is the file as a whole.
    pub line: Option<usize>,
    /// The setting, as far as it is known: `run.stall`.
    pub key: Option<String>,
    pub message: String,
}

impl fmt::Display for ContractError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)?;
        if let Some(line) = self.line {
            write!(f, ", line {line}")?;
        }
        write!(f, ": {}", self.message)?;
        match &self.key {
            Some(key) => write!(f, " (in `{key}`)"),
            None => Ok(()),
        }
    }
}

/// Something a contract has run, and what for.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Runs {
    /// When: `setup`, `validate: test`, `doer`.
    pub when: String,
    /// The line for the shell, or the arguments of an agent CLI.
    pub what: String,
}

/// The contract's bytes as they stand in a checkout; `None` where there is none.
pub fn in_checkout(root: &Path) -> Result<Option<Vec<u8>>, ContractError> {
    let path = root.join(PATH);
    files::read_optional(&path).map_err(|error| ContractError {
        shown: path.display().to_string(),
        line: None,
        key: None,
        message: format!("it cannot be read: {error}"),
    })
}

impl Contract {
    /// Read it. Whatever the bytes are, the answer is a contract or a sentence.
    pub fn parse(bytes: impl AsRef<[u8]>, shown: &str) -> Result<Self, ContractError> {
        let bytes = bytes.as_ref();
        let whole =
            |message: String| ContractError { shown: shown.to_owned(), line: None, key: None, message };
        if bytes.len() > MOST_BYTES {
            return Err(whole(format!("it has {} bytes, and {MOST_BYTES} are the most", bytes.len())));
        }
        let source = std::str::from_utf8(bytes).map_err(|_| whole("it is not UTF-8 text".to_owned()))?;
        let contract: Self = toml::from_str(source).map_err(|error| ContractError {
            shown: shown.to_owned(),
            line: Some(line(source, error.span().map_or(0, |span| span.start))),
            key: key(&error),
            // It may repeat what stands there.
            message: text::one_line(&wording::plain(error.message())).into_owned(),
        })?;
        match contract.contradiction() {
            Some((key, named, message)) => {
                let at = source.find(named.as_str()).unwrap_or(0);
                let (line, key) = (Some(line(source, at)), Some(key.to_owned()));
                let message = text::one_line(&message).into_owned();
                Err(ContractError { shown: shown.to_owned(), line, key, message })
            }
            None => Ok(contract),
        }
    }

    /// What each part allows and all together do not: the setting, a text that shows where, and why.
    fn contradiction(&self) -> Option<(&'static str, String, String)> {
        if let Some(rule) = self.rules.iter().find(|rule| rule.decision == Decision::Allow) {
            let message = format!(
                "the rule `{}` allows something, and a repository may only deny; put it into your own config.toml",
                rule.name
            );
            return Some(("rules", rule.name.clone(), message));
        }
        let steps = &self.validate.steps;
        if let Some(step) = repeated(steps.iter().map(|step| step.name.as_str())) {
            let message = format!("two validation steps are called `{step}`");
            return Some(("validate.steps", step.to_owned(), message));
        }
        let names: Vec<String> = self.run.names.iter().map(|name| name.as_str().to_lowercase()).collect();
        if let Some(at) = (1..names.len()).find(|at| names[..*at].contains(&names[*at])) {
            let name = self.run.names.get(at).map(|name| name.as_str().to_owned()).unwrap_or_default();
            let message = format!("two agents would be called `{name}`");
            return Some(("run.names", name, message));
        }
        None
    }

    /// What is missing for work to land by it: each a sentence with what to do.
    pub fn lacks(&self) -> Vec<String> {
        let mut lacks = Vec::new();
        if self.review.gates.contains(&Gate::Validate) && self.validate.steps.is_empty() {
            lacks.push("the gate `validate` has nothing to run; add a step to `validate.steps`".to_owned());
        }
        if self.test_command().is_none() {
            lacks.push(
                "nothing says how the tests are run; call a validation step `test`, or set `test_command`"
                    .to_owned(),
            );
        }
        lacks
    }

    /// The command that runs the tests: its own, or the validation step called `test`.
    pub fn test_command(&self) -> Option<TestCommand> {
        self.test_command.clone().or_else(|| {
            let step = self.validate.steps.iter().find(|step| step.name.as_str() == "test")?;
            Some(TestCommand { run: step.run.clone(), time: step.time })
        })
    }

    /// How an agent in this role is started. Other roles than those that a contract knows are started as a doer is.
    pub fn role(&self, role: Role) -> &RoleSettings {
        match role {
            Role::TestWriter => &self.roles.test_writer,
            Role::Reviewer => &self.roles.reviewer,
            Role::Shaper => &self.roles.shaper,
            _ => &self.roles.doer,
        }
    }

    /// Everything that it has run, in the order of a ticket's life: what a human is asked to trust.
    pub fn runs(&self) -> Vec<Runs> {
        let row = |when: &str, what: &str| Runs { when: when.to_owned(), what: what.to_owned() };
        let mut runs = Vec::new();
        runs.extend(self.setup.run.as_ref().map(|line| row("setup", line.as_str())));
        for (name, role) in self.roles.each() {
            if !role.args.is_empty() {
                let arguments: Vec<&str> = role.args.iter().map(Line::as_str).collect();
                runs.push(row(name, &format!("{} {}", role.driver, arguments.join(" "))));
            }
        }
        runs.extend(self.test_command.as_ref().map(|command| row("tests", command.run.as_str())));
        for step in &self.validate.steps {
            runs.push(row(&format!("validate: {}", step.name), step.run.as_str()));
        }
        runs.extend(self.setup.teardown.as_ref().map(|line| row("teardown", line.as_str())));
        if self.merge.mode == Landing::Push {
            runs.push(row("merge", &format!("git push {}", self.merge.remote)));
        }
        runs
    }
}

/// The first that stood there before.
fn repeated<'a>(mut words: impl Iterator<Item = &'a str> + Clone) -> Option<&'a str> {
    let all = words.clone();
    let mut seen = 0;
    words.find(|word| {
        seen += 1;
        all.clone().take(seen - 1).any(|before| before == *word)
    })
}

fn line(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|b| *b == b'\n').count() + 1
}

/// The setting that an error is about. The parser tells it only where it does not show the text.
fn key(error: &toml::de::Error) -> Option<String> {
    let mut bare = error.clone();
    bare.set_input(None);
    let shown = bare.to_string();
    let last = shown.trim_end().lines().last()?;
    Some(text::one_line(last.strip_prefix("in `")?.strip_suffix('`')?).into_owned())
}
