//! The store on real files: the log under damage, the projections against the fold, golden logs.
#![expect(clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

mod agents;
mod contract;
mod damage;
mod escalation;
mod framing;
mod golden;
mod heartbeat;
mod histories;
mod launch;
mod outbox;
mod plan;
mod position;
mod records;
mod trust;

/// No test file is forgotten.
#[test]
fn every_file_is_a_module() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/store");
    let main = include_str!("main.rs");
    for entry in std::fs::read_dir(folder).expect("the test folder") {
        let name = entry.expect("an entry").file_name().into_string().expect("a name");
        if let Some(module) = name.strip_suffix(".rs").filter(|module| *module != "main") {
            assert!(main.contains(&format!("mod {module};")), "{name} is not a module of main.rs");
        }
    }
}
