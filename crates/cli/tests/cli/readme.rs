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
    let mut parts = readme.split("```console\n");
    let mut actual = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (block, rest) = part.split_once("```").unwrap_or((part, ""));
        actual.push_str("```console\n");
        for line in block.lines() {
            let Some((name, command)) = line.split_once("$ ").filter(|(name, _)| is_prompt(name)) else {
                continue;
            };
            let shell = shells.entry(name.to_owned()).or_insert_with(|| Agent::shell(&env, name));
            let run = shell.run(&format!("{{ {command}\n}} 2>&1"));
            let shown = run.stdout.replace(&*env.home().to_string_lossy(), "~/.signalbox");
            let shown = shown.replace(&*env.root().to_string_lossy(), "~");
            actual.push_str(&format!("{line}\n{shown}"));
            commands += 1;
        }
        actual.push_str("```");
        actual.push_str(rest);
    }
    assert!(commands > 10, "the README shows only {commands} commands");
    if std::env::var_os("UPDATE_README").is_some() {
        env.write(concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md"), &actual);
    } else {
        assert!(actual == readme, "the README says otherwise than the program; it would be:\n{actual}");
    }
}

fn is_prompt(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_lowercase())
}
