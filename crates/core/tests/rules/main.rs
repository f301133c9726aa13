//! The rules of the ticket workflow, tested through the crate's public face alone.
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod agent;
mod batch;
mod damage;
mod delivery;
mod delivery_world;
mod dependencies;
mod escalation;
mod fields;
mod goal;
mod histories;
mod inject;
mod invariants;
mod land;
mod naming;
mod pace;
mod plan;
mod queue;
mod review;
mod schedule;
mod steps;
mod transitions;
mod usage;
mod world;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// All files of code and tables below a folder of this crate, with their text.
fn sources(folder: &str) -> Vec<(PathBuf, String)> {
    fn collect(folder: &Path, found: &mut Vec<(PathBuf, String)>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                collect(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "rs" || extension == "txt") {
                let text = fs::read_to_string(&path).unwrap();
                found.push((path, text));
            }
        }
    }
    let mut found = Vec::new();
    collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), &mut found);
    found
}

/// The codes that a source file refuses with: the first argument wherever a refusal is made.
fn codes(text: &str) -> BTreeSet<String> {
    ["Refusal::new(", "Refusal::usage(", "Refusal::not_found("]
        .into_iter()
        .flat_map(|maker| text.split(maker).skip(1))
        .filter_map(|rest| rest.trim_start().strip_prefix('"')?.split('"').next())
        .map(ToOwned::to_owned)
        .collect()
}

#[test]
fn every_refusal_is_asserted_somewhere() {
    let rules: BTreeSet<String> = sources("src").iter().flat_map(|(_, text)| codes(text)).collect();
    assert!(rules.len() > 30, "the search for codes no longer finds them: {rules:?}");
    let tests = [sources("tests/rules"), sources("tests/judge")].concat();
    let untested: Vec<_> =
        rules.iter().filter(|code| !tests.iter().any(|(_, text)| text.contains(code.as_str()))).collect();
    assert_eq!(untested, [""; 0], "no test names these refusals");
}

#[test]
fn no_test_file_is_forgotten() {
    let main = include_str!("main.rs");
    for (path, _) in sources("tests/rules") {
        let name = path.file_stem().unwrap().to_str().unwrap();
        let is_code = path.extension().unwrap() == "rs" && name != "main";
        assert!(!is_code || main.contains(&format!("mod {name};")), "main.rs does not name {name}");
    }
}
