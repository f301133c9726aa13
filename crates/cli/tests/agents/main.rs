//! Agents in a terminal, through the built binary, in a hermetic environment.
#![expect(clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

mod attaching;
mod board;
mod daemon;
mod deaths;
mod demo;
mod doors;
mod drafts;
mod floods;
mod hostile;
mod injecting;
mod kit;
mod model;
mod purposes;
mod recordings;
mod shaping;
mod states;
mod transparency;
mod watching;
mod window;

/// A file that is no `mod` is never compiled, and its tests never run.
#[test]
fn no_file_is_forgotten() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents");
    let main = std::fs::read_to_string(folder.join("main.rs")).expect("main.rs");
    for entry in std::fs::read_dir(folder).expect("the folder") {
        let name = entry.expect("an entry").file_name().into_string().expect("a name");
        let module = name.strip_suffix(".rs").filter(|module| *module != "main");
        if let Some(module) = module {
            assert!(main.lines().any(|line| line == format!("mod {module};")), "{name} is not in main.rs");
        }
    }
}
