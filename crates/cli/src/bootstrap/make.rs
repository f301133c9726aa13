//! Targets of a Makefile and recipes of a justfile, for what no language's own tools showed.

use super::repo::Repo;
use super::{Kind, Survey};

/// Names of targets that check something, best first.
const TARGETS: &[(Kind, &[&str])] = &[
    (Kind::Format, &["fmt-check", "format-check", "check-format", "check-fmt", "fmtcheck"]),
    (Kind::Lint, &["lint", "vet", "check-lint"]),
    (Kind::Types, &["typecheck", "types", "type-check"]),
    (Kind::Build, &["build", "all"]),
    (Kind::Test, &["test", "tests", "check", "unit-test", "test-unit"]),
];

pub(super) fn look(repo: &Repo, survey: &mut Survey) {
    let make = repo.first(&["GNUmakefile", "Makefile", "makefile"]);
    let just = repo.first(&["justfile", "Justfile", ".justfile"]);
    for (file, program) in [(make, "make"), (just, "just")] {
        let Some(file) = file else { continue };
        let targets = targets(&repo.text(file).unwrap_or_default());
        // Where a language has steps of its own, they are what the targets would run too.
        let known: Vec<Kind> = survey.steps.iter().map(|step| step.kind).collect();
        for (kind, names) in TARGETS {
            let found = names.iter().find(|name| targets.iter().any(|target| target == *name));
            if let Some(name) = found.filter(|_| !known.contains(kind)) {
                let run = format!("{program} {name}");
                survey.step(*kind, program, &run, &format!("{file}: {name}"), &[&run]);
            }
        }
    }
    if survey.languages.is_empty() && (make.is_some() || just.is_some()) {
        survey.tests(repo, &["tests/**", "test/**", "spec/**", "**/*_test.*", "**/test_*"], "tests/**");
        if !survey.has(Kind::Lint) {
            survey.without_linter.push("the code");
        }
    }
}

/// The names that stand at the beginning of a line before a colon.
fn targets(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in text.lines() {
        if line.starts_with([' ', '\t', '#', '.', '@']) || line.contains(":=") {
            continue;
        }
        let Some((names, _)) = line.split_once(':') else { continue };
        // A recipe of `just` may have parameters behind its name.
        let plain = |name: &&str| name.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c));
        found.extend(names.split_whitespace().filter(plain).map(ToOwned::to_owned));
    }
    found
}
