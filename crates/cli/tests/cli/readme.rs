//! The README's quick start, word for word: two shells side by side, every command, every line of output.

use std::collections::BTreeMap;

use signalbox_testkit::{Agent, TestEnv};

/// Blocks of the README that are ` ```console `: lines with a prompt are commands, the others what is shown.
#[test]
fn the_quick_start_is_true() {
    let readme = include_str!("../../../../README.md");
    let mut env = TestEnv::empty(env!("CARGO_BIN_EXE_sb")).seeded(7);
    env.set_clock("2026-11-15T10:00:00Z");
    env.set("SIGNALBOX_TERMINAL", "100");
    env.set("NO_COLOR", "1");
    let mut shells: BTreeMap<String, Agent> = BTreeMap::new();
    let mut commands = 0;
    for block in readme.split("```console\n").skip(1) {
        let block = block.split("```").next().unwrap_or_default();
        let mut actual = String::new();
        for line in block.lines() {
            let Some((name, command)) = line.split_once("$ ").filter(|(name, _)| is_prompt(name)) else { continue };
            let shell = shells.entry(name.to_owned()).or_insert_with(|| Agent::shell(&env, name));
            let run = shell.run(&format!("{{ {command}\n}} 2>&1"));
            let shown = run.stdout.replace(&*env.root().to_string_lossy(), "~");
            actual.push_str(&format!("{line}\n{shown}"));
            commands += 1;
        }
        assert_eq!(actual, block, "the README says otherwise than the program:\n{actual}");
    }
    assert!(commands > 10, "the README shows only {commands} commands");
}

fn is_prompt(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_lowercase())
}
