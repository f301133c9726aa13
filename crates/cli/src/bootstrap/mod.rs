//! What a repository shows of how it is built, checked and tested: one file a language, one row each. Files are read,
//! nothing is run. A step is proposed only where something in the repository speaks for it, because a step that fails
//! from the start would let nothing land; what is missing becomes a ticket.

mod ci;
mod contract;
mod go;
mod make;
mod node;
mod python;
mod repo;
mod rust;
mod tickets;

#[cfg(test)]
mod tests;

use std::path::Path;

use serde::Serialize;
use signalbox_store::contract::Word;

pub use contract::render;
pub use tickets::{AREA, Scaffold, missing};

use repo::Repo;

/// Who looks, in this order. Later ones only add what earlier ones did not find.
const DETECTORS: &[fn(&Repo, &mut Survey)] =
    &[ci::look, rust::look, node::look, python::look, go::look, make::look];

/// Something proposed, and what speaks for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Found {
    pub value: String,
    pub from: String,
}

/// What a step is for, in the order in which they run: what is quick first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Format,
    Lint,
    Types,
    Build,
    Test,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Self::Format => "format",
            Self::Lint => "lint",
            Self::Types => "types",
            Self::Build => "build",
            Self::Test => "test",
        }
    }

    /// How long it may take.
    pub fn time(self) -> &'static str {
        match self {
            Self::Format => "2m",
            Self::Lint | Self::Types => "10m",
            Self::Build | Self::Test => "20m",
        }
    }
}

/// A step of the validation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Step {
    pub name: String,
    #[serde(skip)]
    pub kind: Kind,
    pub run: String,
    pub from: String,
}

/// What was found.
#[derive(Debug, Default, Serialize)]
pub struct Survey {
    pub languages: Vec<&'static str>,
    pub main: Option<Found>,
    pub tests: Vec<Found>,
    pub steps: Vec<Step>,
    pub setup: Vec<Found>,
    pub env: Vec<Found>,
    pub keep: Vec<Found>,
    /// What CI runs, besides what became a step.
    pub ci: Vec<Found>,
    /// The files that configure CI.
    pub ci_files: Vec<String>,
    /// Whether there is any test.
    pub has_tests: bool,
    /// What has no linter, no formatter or no lock file, each as a language or tool.
    pub without_linter: Vec<&'static str>,
    pub without_formatter: Vec<&'static str>,
    pub without_lock: Vec<&'static str>,
    /// What could not be understood.
    pub troubles: Vec<String>,
}

impl Survey {
    fn language(&mut self, name: &'static str) {
        if !self.languages.contains(&name) {
            self.languages.push(name);
        }
    }

    /// Propose a step. Where CI runs the same tool, as one of `like` begins, its own words are taken.
    fn step(&mut self, kind: Kind, language: &str, run: &str, from: &str, like: &[&str]) {
        let begins = |run: &str| {
            like.iter().any(|word| {
                run.strip_prefix(word).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
            })
        };
        let in_ci = self.ci.iter().position(|found| begins(&found.value));
        let found = match in_ci {
            Some(at) => self.ci.remove(at),
            None => Found { value: run.to_owned(), from: from.to_owned() },
        };
        let plain = kind.name();
        let name = if self.steps.iter().any(|step| step.name == plain) {
            format!("{plain}-{language}")
        } else {
            plain.to_owned()
        };
        if !self.steps.iter().any(|step| step.run == found.value || step.name == name) {
            self.steps.push(Step { name, kind, run: found.value, from: found.from });
            self.steps.sort_by_key(|step| step.kind);
        }
    }

    /// Whether CI runs something that begins so.
    fn ci_runs(&self, word: &str) -> bool {
        self.ci.iter().any(|found| found.value.starts_with(word))
    }

    fn has(&self, kind: Kind) -> bool {
        self.steps.iter().any(|step| step.kind == kind)
    }

    fn setup(&mut self, run: &str, from: &str) {
        // What CI does to make itself ready is known now, and is no check.
        self.ci.retain(|found| found.value != run);
        self.setup.push(Found { value: run.to_owned(), from: from.to_owned() });
    }

    /// Propose those of the patterns that files fit, or the first where none does.
    fn tests(&mut self, repo: &Repo, patterns: &[&str], usual: &str) {
        let mut any = false;
        for pattern in patterns {
            let count = repo.count(pattern);
            if count > 0 {
                any = true;
                let files = if count == 1 { "1 file".to_owned() } else { format!("{count} files") };
                self.glob(pattern, &files);
            }
        }
        self.has_tests |= any;
        if !any {
            self.glob(usual, "there are none yet; this is where they usually are");
        }
    }

    fn glob(&mut self, pattern: &str, from: &str) {
        if !self.tests.iter().any(|found| found.value == pattern) {
            self.tests.push(Found { value: pattern.to_owned(), from: from.to_owned() });
        }
    }

    fn variables(&mut self, names: &[&str], from: &str) {
        self.env.extend(names.iter().map(|name| Found { value: (*name).to_owned(), from: from.to_owned() }));
    }
}

/// Look at a repository.
pub fn survey(root: &Path) -> Survey {
    let repo = Repo::new(root);
    let mut survey = Survey { main: main_branch(&repo), ..Survey::default() };
    for look in DETECTORS {
        look(&repo, &mut survey);
    }
    survey.troubles = repo.troubles();
    survey
}

/// The branch that work lands on, from git's own files.
fn main_branch(repo: &Repo) -> Option<Found> {
    let remote = repo.text(".git/refs/remotes/origin/HEAD").unwrap_or_default();
    // What is no name of a branch in a contract is none here.
    let is_name = |name: &&str| Word::try_from((*name).to_owned()).is_ok();
    if let Some(name) = remote.trim().strip_prefix("ref: refs/remotes/origin/").filter(is_name) {
        return Some(Found { value: name.to_owned(), from: "the main branch of `origin`".to_owned() });
    }
    let packed = repo.text(".git/packed-refs").unwrap_or_default();
    let is_there = |name: &&str| {
        let reference = format!("refs/heads/{name}");
        repo.has(&format!(".git/{reference}"))
            || packed.lines().any(|line| line.ends_with(&format!(" {reference}")))
    };
    let name = ["main", "master", "trunk"].into_iter().find(is_there)?;
    Some(Found { value: name.to_owned(), from: "there is a branch of this name".to_owned() })
}
