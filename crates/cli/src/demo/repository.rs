//! The demo's repository: the till of a corner shop, in shell alone, as it is in the beginning and in the end.

use std::path::Path;
use std::process::Stdio;

use signalbox_desk::error::CommandError;
use signalbox_store::files;

use super::stage::Stage;

/// A path and what is in it.
type File = (&'static str, &'static str);

macro_rules! files {
    ($folder:literal: $($path:literal),* $(,)?) => {
        &[$(($path, include_str!(concat!("data/", $folder, "/", $path)))),*]
    };
}

/// What the person has written before any agent came.
const BEGIN: &[File] = files!("begin":
    "README.md", "check", "commands/help.sh", "commands/price.sh", "lib/money.sh", "stock.csv", "tests/expect",
    "tests/price.sh", "till",
);

/// What agents add and change, as it is in the end.
const MAIN: &[File] = files!("main":
    "README.md", "commands/discount.sh", "commands/goodbye.sh", "commands/help.sh", "commands/receipt.sh",
    "commands/tax.sh", "commands/total.sh", "lib/basket.sh", "tests/discount.sh", "tests/receipt.sh", "tests/tax.sh",
    "tests/total.sh",
);

/// What does not stay.
const DRAFTS: &[File] = files!("drafts":
    "commands/discount.sh", "commands/help-hours.sh", "commands/help-returns.sh", "commands/receipt.sh",
    "commands/tax.sh",
);

/// What the repository agrees on with Signalbox.
pub const CONTRACT: File = (signalbox_store::contract::PATH, include_str!("data/contract.toml"));
/// The file that holds what the person answered.
pub const GOODBYE: &str = "goodbye.txt";
/// What is run, and not only read.
const PROGRAMS: &[&str] = &["till", "check"];

pub fn on_main(path: &str) -> Option<&'static str> {
    text_of(MAIN, path)
}

pub fn draft(path: &str) -> Option<&'static str> {
    text_of(DRAFTS, path)
}

fn text_of(files: &[File], path: &str) -> Option<&'static str> {
    files.iter().find(|(known, _)| *known == path).map(|(_, text)| *text)
}

/// All files of main in the end, without the one that the person's answer decides.
pub fn in_the_end() -> impl Iterator<Item = File> {
    let unchanged = BEGIN.iter().filter(|(path, _)| on_main(path).is_none());
    unchanged.chain(MAIN).copied().chain([CONTRACT])
}

/// Make it with this contract and one commit, and say which.
pub fn make(stage: &Stage, contract: &str) -> Result<String, CommandError> {
    let folder = stage.repository();
    for (path, text) in BEGIN.iter().chain([&(CONTRACT.0, contract)]) {
        write(&folder.join(path), text, PROGRAMS.contains(path))?;
    }
    stage.git(&["init", "-q", "-b", "main"])?;
    stage.git(&["config", "user.name", "Pat"])?;
    stage.git(&["config", "user.email", "pat@example.com"])?;
    stage.git(&["add", "-A"])?;
    stage.git(&["commit", "-q", "-m", "The till of the corner shop"])?;
    stage.git(&["rev-parse", "HEAD"])
}

fn write(path: &Path, text: &str, is_program: bool) -> Result<(), CommandError> {
    if let Some(folder) = path.parent() {
        files::create_private_dir(folder)?;
    }
    let mode = if is_program { 0o755 } else { 0o644 };
    files::replace(path, text.as_bytes(), mode)?;
    Ok(())
}

/// Whether the tests pass in a folder that holds the repository; if not, what they print.
pub fn tests_pass(stage: &Stage, folder: &Path) -> Result<Result<(), String>, CommandError> {
    let mut command = stage.command(folder.join("check"));
    let ran = command.current_dir(folder).stdin(Stdio::null()).output()?;
    let printed = String::from_utf8_lossy(&[ran.stdout, ran.stderr].concat()).trim().to_owned();
    Ok(if ran.status.success() { Ok(()) } else { Err(printed) })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file that is in the folder and in no list would never get anywhere.
    #[test]
    fn no_file_is_forgotten() {
        for (name, known) in [("begin", BEGIN), ("main", MAIN), ("drafts", DRAFTS)] {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/demo/data").join(name);
            let mut found = below(&folder, &folder);
            found.sort();
            let known: Vec<&str> = known.iter().map(|(path, _)| *path).collect();
            assert_eq!(found, known, "{name}");
        }
    }

    fn below(folder: &Path, top: &Path) -> Vec<String> {
        let mut found = Vec::new();
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                found.extend(below(&path, top));
            } else {
                found.push(path.strip_prefix(top).unwrap().to_str().unwrap().to_owned());
            }
        }
        found
    }
}
