//! Programs of the user's that monitors and goals run.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;
use signalbox_runner::Program;

use crate::settings::{self, BadSettings, Settings};

/// What the settings say is to be run: a line for the shell, or a program and its arguments.
pub(crate) fn words(settings: &Settings, name: &str) -> Result<Vec<String>, BadSettings> {
    let given = settings::texts(settings, name)?;
    if given.first().is_none_or(|first| first.trim().is_empty()) {
        return Err(BadSettings(format!("`{name}` is empty, and has to say what is to be run")));
    }
    if given.iter().any(|word| word.contains('\0')) {
        return Err(BadSettings(format!("`{name}` contains a zero byte, which no program can be given")));
    }
    match settings.get(name) {
        Some(Value::String(line)) => Ok(vec!["/bin/sh".to_owned(), "-c".to_owned(), line.clone()]),
        _ => Ok(given),
    }
}

/// What a person calls it.
pub(crate) fn shown(settings: &Settings, name: &str) -> String {
    let words = settings::texts(settings, name).unwrap_or_default();
    crate::text::line(&words.join(" "), 200)
}

/// Where it runs: the setting counts from where the agent works.
pub(crate) fn directory(settings: &Settings, agents: &Path) -> Result<PathBuf, BadSettings> {
    Ok(settings::text(settings, "directory")?.map_or_else(|| agents.to_owned(), |own| agents.join(own)))
}

/// How long it may take: what the settings say or `usual`, and never longer than the look itself.
pub(crate) fn time(settings: &Settings, usual: u64, most: Duration) -> Result<Duration, BadSettings> {
    let seconds = settings::seconds(settings, "timeout")?.unwrap_or(usual);
    Ok(Duration::from_secs(seconds).min(most))
}

pub(crate) fn program(words: Vec<String>, directory: &Path, time: Duration) -> Program {
    Program::new(words).in_directory(directory).within(time)
}

/// Why it could not be started, and what to do.
pub(crate) fn unstarted(shown: &str, directory: &Path, error: &std::io::Error) -> String {
    if !directory.is_dir() {
        return format!("`{shown}` cannot run in {}: there is no such directory", directory.display());
    }
    let hint = match error.kind() {
        std::io::ErrorKind::PermissionDenied => "; make it executable with `chmod +x`",
        std::io::ErrorKind::NotFound => "; is the path right?",
        _ => "",
    };
    format!("`{shown}` could not be started: {error}{hint}")
}
