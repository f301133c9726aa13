//! `matrix`: what Signalbox can do in which agent CLI, as the tests with the real CLIs found it. They leave a row each
//! for what they showed; the page is made of these rows and of the drivers' own table.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value;
use signalbox_drivers::DRIVERS;

use crate::run::{self, cargo};
use crate::{Result, Verdict, clis};

/// Where the tests leave their rows.
const VARIABLE: &str = "SIGNALBOX_MATRIX";
const PAGE: &str = "docs/reference/cli-matrix.md";
/// How rows about a failing hook begin: they are a table of their own.
const FAILURE: &str = "The hook fails: ";

/// What tests found: `(what, cli)` and the word for it.
#[derive(Debug, Default, PartialEq, Eq)]
struct Found {
    cells: BTreeMap<(String, String), String>,
    versions: BTreeMap<String, String>,
}

pub fn run() -> Result<Verdict> {
    let folder = tempfile::tempdir()?;
    let rows = folder.path().join("rows");
    let mut tests = cargo();
    tests.args(["test", "--package", "signalbox-cli", "--test", "real"]).env(VARIABLE, &rows);
    if std::env::var_os(clis::VARIABLE).is_none() {
        tests.env(clis::VARIABLE, clis::install()?.folder);
    }
    if !tests.status()?.success() {
        println!("{PAGE} stays as it is: only what passes is published");
        return Ok(Verdict::Bad);
    }
    let found = Found::read(&std::fs::read_to_string(rows).unwrap_or_default())?;
    let tested = DRIVERS.iter().map(|driver| driver.name);
    let missing: Vec<&str> = tested.filter(|name| !found.versions.contains_key(*name)).collect();
    if !missing.is_empty() {
        println!("{PAGE} stays as it is: these CLIs are not installed: {}", missing.join(", "));
        return Ok(Verdict::Bad);
    }
    run::write(&run::root().join(Path::new(PAGE)), found.page())?;
    Ok(Verdict::Good)
}

impl Found {
    fn read(lines: &str) -> Result<Self> {
        let mut found = Self::default();
        for line in lines.lines() {
            let row: Value = serde_json::from_str(line)?;
            let field = |name: &str| {
                row[name].as_str().map(ToOwned::to_owned).ok_or_else(|| format!("no `{name}` in {line}"))
            };
            let (cli, what, outcome) = (field("cli")?, field("what")?, field("outcome")?);
            found.versions.insert(cli.clone(), field("version")?);
            let before = found.cells.insert((what, cli), outcome.clone());
            if before.is_some_and(|before| before != outcome) {
                return Err(format!("two tests disagree: {line}").into());
            }
        }
        Ok(found)
    }

    fn page(&self) -> String {
        let mut page = HEAD.to_owned();
        let clis: Vec<&str> = DRIVERS
            .iter()
            .map(|driver| driver.name)
            .filter(|name| self.versions.contains_key(*name))
            .collect();
        let title = |cli: &str| {
            let driver = signalbox_drivers::find(cli);
            let version = self.versions.get(cli).map(String::as_str).unwrap_or_default();
            format!("{} {version}", driver.map_or(cli, |driver| driver.title))
        };
        let whats: BTreeSet<&str> = self.cells.keys().map(|(what, _)| what.as_str()).collect();
        let (failures, rules): (Vec<&str>, Vec<&str>) =
            whats.into_iter().partition(|what| what.starts_with(FAILURE));
        for (heading, rows) in [(RULES, rules), (FAILURES, failures)] {
            page.push_str(heading);
            row(&mut page, std::iter::once(String::new()).chain(clis.iter().map(|cli| title(cli))));
            row(&mut page, std::iter::repeat_n("---".to_owned(), clis.len() + 1));
            for what in rows {
                let cell = |cli: &&str| self.cells.get(&(what.to_owned(), (*cli).to_owned())).cloned();
                let cells = clis.iter().map(|cli| cell(cli).unwrap_or_else(|| "–".to_owned()));
                row(&mut page, std::iter::once(what.trim_start_matches(FAILURE).to_owned()).chain(cells));
            }
        }
        page.push_str(CAPABILITIES);
        row(
            &mut page,
            std::iter::once(String::new()).chain(DRIVERS.iter().map(|driver| driver.title.to_owned())),
        );
        row(&mut page, std::iter::repeat_n("---".to_owned(), DRIVERS.len() + 1));
        let columns: Vec<_> = DRIVERS.iter().map(|driver| driver.capabilities.rows()).collect();
        for at in 0..columns.first().map_or(0, |rows| rows.len()) {
            let name =
                columns.iter().filter_map(|rows| rows.get(at)).map(|(name, _)| (*name).to_owned()).take(1);
            let cells = columns.iter().filter_map(|rows| rows.get(at)).map(|(_, can)| can.text().to_owned());
            row(&mut page, name.chain(cells));
        }
        page
    }
}

fn row(page: &mut String, cells: impl Iterator<Item = String>) {
    let cells: Vec<String> = cells.map(|cell| cell.replace('|', "\\|")).collect();
    page.push_str(&format!("| {} |\n", cells.join(" | ")));
}

const HEAD: &str = "\
# What is enforced in which agent CLI

This page is written by `cargo xtask matrix` from the results of the tests that drive the real CLIs at these versions
(`crates/cli/tests/real`), on a scripted model and with the hooks that `sb hooks install` installs. Do not edit it.

- **blocked**: `sb` itself or the operating system stops it, whether or not any hook runs.
- **warned**: the hook refuses it and the CLI heeds the hook. Whoever switches the hooks off is not stopped.
- **recorded**: it happens, and stands in the log.
- **works**: not a rule; it does what it says.
- **not possible**: the CLI has no way to do it. A dash: there is no test for it.
";

const RULES: &str = "\n## What the tests show\n\n";

const FAILURES: &str = "
## When the hook itself fails

In each case a call that must be refused was made: in Claude Code by the main agent (in a terminal and without one), by a
subagent, in a resumed session and by an MCP tool, in the other CLIs by the main agent. None of them was executed. What no
hook can prevent: somebody ends or stops the shell that guards it, or puts a program in the place of `sb` that answers as
`sb` does or never ends; a CLI lets the tool run when it has waited long enough.

";

const CAPABILITIES: &str = "
## What each CLI lets its hooks do

As far as it was tried on the real programs.

";

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: &str = r#"{"cli":"claude","version":"2.1","what":"Tests","outcome":"warned"}
{"cli":"codex","version":"0.1","what":"The hook fails: exit 1","outcome":"warned"}
{"cli":"claude","version":"2.1","what":"Tests","outcome":"warned"}
"#;

    #[test]
    fn the_page_has_a_row_for_each_finding_and_each_capability() {
        let page = Found::read(ROWS).unwrap().page();
        for line in [
            "|  | Claude Code 2.1 | Codex 0.1 |",
            "| Tests | warned | – |",
            "| exit 1 | – | warned |",
            "|  | Claude Code | Codex | Gemini CLI | Copilot CLI | Goose |",
        ] {
            assert!(page.lines().any(|other| other == line), "{line}\n{page}");
        }
        assert!(page.contains("| Stops a tool | yes |"), "{page}");
    }

    #[test]
    fn tests_that_disagree_are_told() {
        let other = ROWS.replacen("warned", "blocked", 1);
        let wrong = Found::read(&other).unwrap_err().to_string();
        assert!(wrong.starts_with("two tests disagree"), "{wrong}");
    }
}
