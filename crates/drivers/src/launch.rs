//! How a CLI is started: what its program is called, and with which arguments and environment.

use std::path::{Path, PathBuf};

/// How to start one CLI.
pub struct Launch {
    /// One sentence for a person who does not have it.
    pub how_to_get: &'static str,
    /// The variable that names its configuration folder, and what the folder is below the home where nothing is named.
    pub config: Config,
    /// What stands before the person's own arguments in a session with a person.
    pub interactive: &'static [&'static str],
    /// The whole command line for one prompt without a terminal.
    pub headless: fn(&Prompt<'_>) -> Vec<String>,
    /// What makes a session with a terminal begin with a prompt; it stands after all other arguments. `None` where the
    /// CLI takes none: then it is put into the agent's outbox.
    pub first: Option<fn(prompt: &str) -> Vec<String>>,
    /// What goes on with an earlier conversation; `None` where it cannot.
    pub resume: Option<fn(session: &str) -> Vec<String>>,
    /// What gives a new conversation an id of our choice; `None` where the CLI chooses.
    pub name_session: Option<fn(session: &str) -> Vec<String>>,
    /// What the wrapper adds to the arguments, so that the ways in work.
    pub added_arguments: &'static [&'static str],
    /// What the wrapper adds to the environment.
    pub added_environment: &'static [(&'static str, &'static str)],
}

/// Where a CLI keeps its settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Config {
    /// What moves the folder, if anything does.
    pub variable: Option<&'static str>,
    /// Where the folder is below what the variable names; empty where it names the folder itself.
    pub below_variable: &'static str,
    /// The folder below the home.
    pub folder: &'static str,
}

/// A prompt without a terminal.
#[derive(Debug, Clone, Copy)]
pub struct Prompt<'a> {
    pub text: &'a str,
    /// The conversation to go on with.
    pub resume: Option<&'a str>,
    /// Whether the answer shall be for a machine.
    pub json: bool,
}

impl Config {
    /// The folder, where `variable` and the home have these values.
    pub fn folder(&self, variable: Option<&Path>, home: &Path) -> PathBuf {
        match variable {
            Some(moved) if self.below_variable.is_empty() => moved.to_owned(),
            Some(moved) => moved.join(self.below_variable),
            None => home.join(self.folder),
        }
    }
}

/// Words as arguments.
pub(crate) fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// Any program, about which nothing is known.
pub static GENERIC: Launch = Launch {
    how_to_get: "It is not in the PATH; give the full path of the program.",
    config: Config { variable: None, below_variable: "", folder: "" },
    interactive: &[],
    headless: |prompt| words(&[prompt.text]),
    first: None,
    resume: None,
    name_session: None,
    added_arguments: &[],
    added_environment: &[],
};
