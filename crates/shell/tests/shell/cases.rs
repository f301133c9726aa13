//! The table of commands and their effects.

use super::effects_of;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

/// Rows read `command => effects`; `⏎` stands for a newline. Lines that start with `##` are headings.
/// With `SHELL_BLESS=1` the right side is written anew: read the difference before it is kept.
#[test]
#[expect(clippy::disallowed_methods, reason = "the table is a plain file of this repository")]
fn every_command_has_the_effects_of_the_table() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/shell/cases.txt");
    let table = std::fs::read_to_string(&path).unwrap();
    let bless = std::env::var_os("SHELL_BLESS").is_some();
    let mut written = String::new();
    let mut wrong = String::new();
    let mut seen = BTreeSet::new();
    for line in table.lines() {
        if line.is_empty() || line.starts_with("##") {
            writeln!(written, "{line}").unwrap();
            continue;
        }
        let (command, expected) = line.rsplit_once(" => ").unwrap_or((line, ""));
        assert!(seen.insert(command), "{command} is in the table twice");
        let found = effects_of(&command.replace('⏎', "\n")).to_string();
        writeln!(written, "{command} => {found}").unwrap();
        if found != expected {
            writeln!(wrong, "{command}\n  expected {expected}\n  found    {found}").unwrap();
        }
    }
    if bless {
        std::fs::write(path, written).unwrap();
        return;
    }
    assert!(seen.len() >= 350, "the table has shrunk to {} rows", seen.len());
    assert!(wrong.is_empty(), "{wrong}");
}
