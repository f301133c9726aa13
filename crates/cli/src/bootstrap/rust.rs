//! Rust, by Cargo.toml.

use super::repo::Repo;
use super::{Found, Kind, Survey};

/// How many source files are looked into for tests.
const SOURCES: usize = 300;

pub(super) fn look(repo: &Repo, survey: &mut Survey) {
    if !repo.has("Cargo.toml") {
        return;
    }
    survey.language("Rust");
    let manifest = repo.toml("Cargo.toml").unwrap_or_default();
    let workspace = manifest.get("workspace").and_then(toml::Value::as_table);
    let whole = if workspace.is_some() { " --workspace" } else { "" };
    let locked = if repo.has("Cargo.lock") { " --locked" } else { "" };

    let format = repo.first(&["rustfmt.toml", ".rustfmt.toml"]);
    if format.is_some() || survey.ci_runs("cargo fmt") {
        let run = if workspace.is_some() { "cargo fmt --all --check" } else { "cargo fmt --check" };
        survey.step(Kind::Format, "rust", run, format.unwrap_or_default(), &["cargo fmt"]);
    } else {
        survey.without_formatter.push("Rust");
    }
    let has_lints =
        manifest.contains_key("lints") || workspace.is_some_and(|table| table.contains_key("lints"));
    let lints = repo.first(&["clippy.toml", ".clippy.toml"]).or(has_lints.then_some("Cargo.toml: lints"));
    if lints.is_some() || survey.ci_runs("cargo clippy") {
        let run = format!("cargo clippy{whole} --all-targets{locked} -- -D warnings");
        survey.step(Kind::Lint, "rust", &run, lints.unwrap_or_default(), &["cargo clippy"]);
    } else {
        survey.without_linter.push("Rust");
    }
    let test = match repo.first(&[".config/nextest.toml"]) {
        Some(from) => (format!("cargo nextest run{whole}{locked}"), from),
        None => (format!("cargo test{whole}{locked}"), "Cargo.toml"),
    };
    survey.step(Kind::Test, "rust", &test.0, test.1, &["cargo nextest run", "cargo test"]);

    let mut patterns = vec!["tests/**".to_owned()];
    let members = workspace.and_then(|table| table.get("members")?.as_array()).into_iter().flatten();
    let members = members.filter_map(toml::Value::as_str).map(|member| member.trim_start_matches("./"));
    patterns.extend(members.filter(|member| *member != ".").map(|member| format!("{member}/tests/**")));
    patterns.retain(|pattern| signalbox_core::glob::fault(pattern).is_none());
    let patterns: Vec<&str> = patterns.iter().map(String::as_str).collect();
    let usual =
        if workspace.is_some() && !manifest.contains_key("package") { "**/tests/**" } else { "tests/**" };
    survey.tests(repo, &patterns, usual);
    survey.has_tests |= has_unit_tests(repo);
    survey.keep.push(Found { value: "target".to_owned(), from: "what Cargo builds".to_owned() });
    survey
        .variables(&["CARGO_HOME", "RUSTUP_HOME"], "where Cargo and rustup are, if not in their usual place");
    if locked.is_empty() {
        survey.without_lock.push("Rust");
    }
}

fn has_unit_tests(repo: &Repo) -> bool {
    let sources = repo.files().iter().filter(|path| path.ends_with(".rs")).take(SOURCES);
    sources.into_iter().any(|path| repo.text(path).is_some_and(|text| text.contains("#[test]")))
}
