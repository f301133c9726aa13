//! What is missing, as tickets that make the rest possible. They need no tests first, because they bring them.

use serde::Serialize;

use super::{Kind, Survey};

/// A ticket to be filed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Scaffold {
    /// By this it is known whether it was filed before.
    pub slug: &'static str,
    pub title: String,
    pub body: String,
    pub acceptance: Vec<String>,
}

/// The area all of them are in.
pub const AREA: &str = "infra";

/// What the repository needs before others can work on it.
pub fn missing(survey: &Survey) -> Vec<Scaffold> {
    let mut tickets = Vec::new();
    let mut add = |slug, title: String, body: &str, acceptance: &[&str]| {
        let acceptance = acceptance.iter().map(|text| (*text).to_owned()).collect();
        tickets.push(Scaffold { slug, title, body: body.to_owned(), acceptance });
    };
    if survey.languages.is_empty() && survey.steps.is_empty() {
        add(
            "project-structure",
            "Lay out the project: language, build and folders".to_owned(),
            "Nothing in the repository shows what it is written in or how it is built.",
            &["A fresh checkout can be built with one command", "The README says which"],
        );
    }
    if !survey.has_tests {
        add(
            "first-test",
            "Set up a test runner with a first test".to_owned(),
            "There are no tests. Others write failing tests first, and need a place and a runner for them.",
            &[
                "One command runs all tests and exits with 0",
                "A test that fails makes it exit with another code",
                "`tests` in .signalbox/project.toml names where tests are",
            ],
        );
    }
    if !survey.has(Kind::Test) {
        add(
            "validation",
            "Say how the repository is validated".to_owned(),
            "No command for the tests was found, so nothing can land.",
            &[
                "`validate.steps` in .signalbox/project.toml has a step called `test`",
                "`sb trust` shows no warning",
            ],
        );
    }
    if survey.ci_files.is_empty() {
        add(
            "ci",
            "Run the validation steps in CI".to_owned(),
            "No configuration of CI was found. Signalbox validates before it merges; CI shows the same to others.",
            &["CI runs the steps of .signalbox/project.toml on every push"],
        );
    }
    for (language, slug) in
        [("Rust", "lint-rust"), ("JavaScript", "lint-js"), ("Python", "lint-python"), ("the code", "lint")]
    {
        if survey.without_linter.contains(&language) {
            add(
                slug,
                format!("Add a linter for {language}"),
                "No linter is configured, so what it would find is left to reviewers.",
                &["The linter passes on main", "It is a step of the validation"],
            );
        }
    }
    if !survey.without_formatter.is_empty() {
        add(
            "format",
            format!("Check the format of {}", survey.without_formatter.join(", ")),
            "Where everybody formats otherwise, agents in parallel make conflicts out of white space.",
            &["The whole repository is formatted", "A check of the format is a step of the validation"],
        );
    }
    if !survey.without_lock.is_empty() {
        add(
            "lock-file",
            format!("Commit a lock file ({})", survey.without_lock.join(", ")),
            "Without one, two workspaces may have other versions of the same dependencies.",
            &["A fresh checkout installs exactly the versions of the lock file"],
        );
    }
    tickets
}
