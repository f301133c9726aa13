//! `sb` through its built binary, in a hermetic environment.
#![expect(clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

mod bad_input;
mod bootstrapping;
mod crash;
mod dialogs;
mod disguise;
mod disk;
mod doctor;
mod escalating;
mod failing_closed;
mod faults;
mod filing;
mod gates;
mod heartbeat;
mod history;
mod hook_faults;
mod hooks;
mod hooks_bite;
mod hooks_install;
mod humans;
mod identity;
mod index;
mod mcp;
mod mcp_agents;
mod mcp_install;
mod mcp_roles;
mod overview;
mod payloads;
mod plugin_examples;
mod plugins;
mod projects;
mod query;
mod race;
mod reading;
mod readme;
mod reviewing;
mod rules_and_explain;
mod sessions_and_modes;
mod shaping;
mod smoke;
mod subagents;
mod support;
mod tasklist;
mod templates;
mod terminals;
mod trusting;
mod unguarded;
mod vault;
mod vault_damage;
mod web;
mod working;

use signalbox_testkit::TestEnv;

/// An environment with the project `shop`.
fn env() -> TestEnv {
    support::env()
}

/// A file that is no `mod` is never compiled, and its tests never run.
#[test]
fn no_file_is_forgotten() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli");
    let main = std::fs::read_to_string(folder.join("main.rs")).expect("main.rs");
    for entry in std::fs::read_dir(folder).expect("the folder") {
        let name = entry.expect("an entry").file_name().into_string().expect("a name");
        let module = name.strip_suffix(".rs").filter(|module| *module != "main");
        if let Some(module) = module {
            assert!(main.lines().any(|line| line == format!("mod {module};")), "{name} is not in main.rs");
        }
    }
}
