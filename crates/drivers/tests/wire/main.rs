//! The contract with the agent CLIs: what they send is understood, what is said to them has the shape they take, and
//! what is written into their settings can be taken out again.
#![expect(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod actions;
mod install;
mod launch;
mod mcp;
mod mutated;
mod oracles;
mod payloads;
mod plugin;
mod replies;
mod speed;
mod terminal;
mod trust;
mod usage;

/// No test file is forgotten.
#[test]
fn every_file_is_a_module() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/wire");
    let main = include_str!("main.rs");
    for entry in std::fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if let Some(module) = name.strip_suffix(".rs").filter(|module| *module != "main") {
            assert!(main.contains(&format!("mod {module};")), "{name} is not a module of main.rs");
        }
    }
}
