//! The tables of a contract, and the words in them. Each is checked where it is read, so that an error knows its line.

use std::fmt;
use std::num::NonZeroU32;
use std::time::Duration;

use serde::Deserialize;
use signalbox_core::{glob, time};

/// Names for agents, A to Z, in the order they are given out.
pub const NAMES: [&str; 26] = [
    "Ada", "Bowie", "Cleo", "Dmitri", "Elsa", "Fela", "Grace", "Hugo", "Ines", "Jonas", "Kepler", "Lise",
    "Miles", "Nina", "Otis", "Pina", "Quincy", "Rosa", "Sven", "Tove", "Uma", "Viggo", "Wanda", "Xenia",
    "Yuri", "Zara",
];

/// A text that was checked.
macro_rules! checked {
    ($(#[$doc:meta])* $name:ident, $check:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
        #[serde(try_from = "String")]
        pub struct $name(String);

        impl $name {
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<String> for $name {
            type Error = String;

            fn try_from(text: String) -> Result<Self, String> {
                let check: fn(&str) -> Option<&'static str> = $check;
                match check(&text) {
                    None => Ok(Self(text)),
                    Some(why) => Err(format!("`{}` cannot stand here: {why}", signalbox_core::text::one_line(&text))),
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

checked!(
    /// A pattern for files below the repository's root.
    Glob,
    glob::fault
);

checked!(
    /// A name: one word that can stand in a branch, a file name and a sentence.
    Word,
    |text| {
        let fits = |c: char| c.is_alphanumeric() || "-_./".contains(c);
        let bad = text.is_empty()
            || text.chars().count() > 100
            || !text.chars().all(fits)
            || text.starts_with(['-', '.', '/'])
            || text.ends_with(['.', '/'])
            || text.ends_with(".lock")
            || text.contains("..")
            || text.contains("//");
        bad.then_some("it must be a word of letters, digits, `-`, `_`, `.` and `/`, beginning with a letter or digit")
    }
);

checked!(
    /// A line for the shell, or one argument of a program.
    Line,
    |text| {
        if text.trim().is_empty() {
            Some("there is nothing to run")
        } else if text.contains('\0') {
            Some("a zero byte can be given to no program")
        } else {
            None
        }
    }
);

checked!(
    /// The name of an environment variable.
    Variable,
    |text| {
        let mut letters = text.chars();
        let first = letters.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
        let good = first && letters.all(|c| c.is_ascii_alphanumeric() || c == '_');
        (!good).then_some("it is no name of an environment variable; values are taken from where `sb run` was started")
    }
);

checked!(
    /// A folder below a workspace that outlives it.
    Kept,
    |text| {
        if let Some(why) = glob::fault(text) {
            return Some(why);
        }
        let own = text.split('/').any(|name| matches!(glob::folded(name).as_str(), ".git" | ".signalbox"));
        if glob::is_wild(text) || text.contains('*') {
            Some("it must be a folder, without `*` or `?`")
        } else if own {
            Some("that is git's or Signalbox's own")
        } else {
            None
        }
    }
);

/// For how long: at least a second, at most a year.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Length(Duration);

impl Length {
    pub const fn minutes(minutes: u64) -> Self {
        Self(Duration::from_secs(minutes * 60))
    }

    pub fn as_duration(self) -> Duration {
        self.0
    }
}

impl TryFrom<String> for Length {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let year = Duration::from_secs(366 * 24 * 60 * 60);
        match time::length(&text) {
            Some(length) if length >= Duration::from_secs(1) && length <= year => Ok(Self(length)),
            _ => Err(format!(
                "`{}` is not a time from a second to a year, such as `90s`, `30m` or `1h30m`",
                signalbox_core::text::one_line(&text)
            )),
        }
    }
}

/// `[run]`
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Run {
    pub concurrency: Few,
    pub attempts: Few,
    pub stall: Length,
    pub max_time: Length,
    pub backoff: Length,
    #[serde(deserialize_with = "some_names")]
    pub names: Vec<Word>,
}

impl Default for Run {
    fn default() -> Self {
        Self {
            concurrency: Few(3),
            attempts: Few(3),
            stall: Length::minutes(30),
            max_time: Length::minutes(4 * 60),
            backoff: Length::minutes(1),
            names: NAMES.iter().map(|name| Word((*name).to_owned())).collect(),
        }
    }
}

/// A number from 1 to 100.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "i64")]
pub struct Few(u32);

impl Few {
    pub fn get(self) -> u32 {
        self.0
    }
}

impl TryFrom<i64> for Few {
    type Error = String;

    fn try_from(number: i64) -> Result<Self, String> {
        match u32::try_from(number) {
            Ok(number @ 1..=100) => Ok(Self(number)),
            _ => Err(format!("a number from 1 to 100 is needed here, not {number}")),
        }
    }
}

/// At least one name.
fn some_names<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<Word>, D::Error> {
    let names = Vec::<Word>::deserialize(deserializer)?;
    if names.is_empty() {
        return Err(serde::de::Error::custom(
            "there must be at least one name; leave it out for the usual ones",
        ));
    }
    Ok(names)
}

/// `[roles.…]`
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Roles {
    pub doer: RoleSettings,
    #[serde(alias = "test_writer")]
    pub test_writer: RoleSettings,
    pub reviewer: RoleSettings,
    pub shaper: RoleSettings,
}

impl Roles {
    pub fn each(&self) -> [(&'static str, &RoleSettings); 4] {
        [
            ("test-writer", &self.test_writer),
            ("doer", &self.doer),
            ("reviewer", &self.reviewer),
            ("shaper", &self.shaper),
        ]
    }
}

/// How an agent in a role is started.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RoleSettings {
    pub driver: Word,
    pub profile: Option<Word>,
    pub args: Vec<Line>,
    pub pool: Option<Word>,
}

impl RoleSettings {
    /// The credentials it uses up.
    pub fn pool(&self) -> &str {
        self.pool.as_ref().unwrap_or(&self.driver).as_str()
    }
}

impl Default for RoleSettings {
    fn default() -> Self {
        Self { driver: Word("claude".to_owned()), profile: None, args: Vec::new(), pool: None }
    }
}

/// `[review]`
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Review {
    #[serde(deserialize_with = "some_gates")]
    pub gates: Vec<Gate>,
    pub by: By,
}

impl Default for Review {
    fn default() -> Self {
        Self { gates: vec![Gate::Validate], by: By::Either }
    }
}

/// What work must pass to land.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Gate {
    Validate,
    Independent,
}

/// Who reviews where the gate `independent` is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum By {
    Agent,
    Human,
    Either,
}

/// Each gate once, and at least one.
fn some_gates<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<Gate>, D::Error> {
    let mut gates: Vec<Gate> = Vec::new();
    for gate in Vec::<Gate>::deserialize(deserializer)? {
        if !gates.contains(&gate) {
            gates.push(gate);
        }
    }
    if gates.is_empty() {
        return Err(serde::de::Error::custom("without a gate nothing would keep bad work from main"));
    }
    Ok(gates)
}

/// `[validate]`
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Validate {
    pub steps: Vec<Step>,
    pub env: Vec<Variable>,
    pub keep: Vec<Kept>,
    pub output_mb: NonZeroU32,
    pub retry_flaky: bool,
}

impl Default for Validate {
    fn default() -> Self {
        Self {
            steps: Vec::new(),
            env: Vec::new(),
            keep: Vec::new(),
            output_mb: NonZeroU32::new(64).unwrap_or(NonZeroU32::MIN),
            retry_flaky: true,
        }
    }
}

/// One command of the validation.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    pub name: Word,
    pub run: Line,
    #[serde(default = "ten_minutes")]
    pub time: Length,
}

/// How the tests are run.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TestCommand {
    pub run: Line,
    #[serde(default = "ten_minutes")]
    pub time: Length,
}

fn ten_minutes() -> Length {
    Length::minutes(10)
}

/// `[merge]`
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Merge {
    pub style: Style,
    pub batch: Few,
    pub mode: Landing,
    pub remote: Word,
    pub foreign: Foreign,
}

impl Default for Merge {
    fn default() -> Self {
        Self {
            style: Style::Squash,
            batch: Few(8),
            mode: Landing::Land,
            remote: Word("origin".to_owned()),
            foreign: Foreign::Validate,
        }
    }
}

/// What becomes of a branch's commits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Style {
    /// One commit a ticket.
    Squash,
    /// Each of them, on top of main.
    Rebase,
}

/// Where validated work goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Landing {
    Land,
    Push,
}

/// What is done about commits that somebody put on main past the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Foreign {
    Validate,
    Ask,
}

/// `[setup]`
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Setup {
    pub run: Option<Line>,
    pub teardown: Option<Line>,
    pub time: Length,
}

impl Default for Setup {
    fn default() -> Self {
        Self { run: None, teardown: None, time: ten_minutes() }
    }
}
