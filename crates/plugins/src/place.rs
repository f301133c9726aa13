//! Where a plugin's program is: in the folder `plugins` of Signalbox's home, beside `config.toml`, or on `PATH`.

use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use signalbox_core::plugin::Run;
use signalbox_runner::Program;

/// It is run in the folder of plugins, so that `python3 mine.py` finds its file.
pub fn program(run: &Run, home: &Path) -> Program {
    let program = match run {
        Run::Line(line) => Program::shell(line),
        Run::Words(words) => {
            let first = words.first().map(|word| locate(word, home).into_os_string());
            Program::new(first.into_iter().chain(words.iter().skip(1).map(Into::into)))
        }
    };
    let program = program.with("SIGNALBOX_HOME", home);
    match folders(home).into_iter().find(|folder| folder.is_dir()) {
        Some(folder) => program.in_directory(&folder),
        None => program,
    }
}

/// What is said to be missing if it does not start.
pub fn name(run: &Run) -> String {
    match run {
        Run::Line(_) => "/bin/sh".to_owned(),
        Run::Words(words) => words.first().cloned().unwrap_or_default(),
    }
}

/// Why a program could not be started, where that can be seen before. `path` is the variable of that name.
pub fn missing(run: &Run, home: &Path, path: Option<&OsStr>) -> Option<String> {
    let words = match run {
        Run::Line(line) if line.trim().is_empty() => return Some("there is nothing to run".to_owned()),
        // What a line does is the shell's business.
        Run::Line(_) => return None,
        Run::Words(words) => words,
    };
    let Some(first) = words.first().filter(|word| !word.is_empty()) else {
        return Some("there is nothing to run".to_owned());
    };
    let found = locate(first, home);
    if found.is_absolute() {
        return match found.metadata() {
            Err(error) => Some(format!("{} cannot be used: {error}", found.display())),
            Ok(about) if about.is_dir() => Some(format!("{} is a folder", found.display())),
            Ok(about) if about.permissions().mode() & 0o111 == 0 => {
                Some(format!("{0} may not be executed; `chmod +x {0}` allows it", found.display()))
            }
            Ok(_) => None,
        };
    }
    let on_path = std::env::split_paths(path.unwrap_or_default()).any(|folder| folder.join(&found).is_file());
    if on_path { None } else { Some(format!("there is no `{first}` among the plugins or on PATH")) }
}

/// A path below the folder of plugins or the home wins over a program on `PATH`.
fn locate(word: &str, home: &Path) -> PathBuf {
    let path = Path::new(word);
    if path.is_absolute() {
        return path.to_owned();
    }
    let files = folders(home).map(|folder| folder.join(path));
    let by_default = if word.contains('/') { files.first() } else { None };
    files.iter().find(|file| file.is_file()).or(by_default).cloned().unwrap_or_else(|| path.to_owned())
}

fn folders(home: &Path) -> [PathBuf; 2] {
    [home.join("plugins"), home.to_owned()]
}
