//! Running other programs: cargo, git, and `sb` in an environment of its own.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::Result;

/// How a binary is built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    Debug,
    Release,
}

/// The repository's root. Known when this program is built, so that it works from any directory.
pub fn root() -> &'static Path {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here)
}

/// The cargo that runs this program, at the repository's root.
pub fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}

/// What a program prints; an error where it fails.
pub fn output(command: &mut Command) -> Result<String> {
    let output = command.stderr(Stdio::inherit()).output().map_err(|e| format!("run {command:?}: {e}"))?;
    if !output.status.success() {
        return Err(format!("{command:?} ended with {}", output.status).into());
    }
    Ok(String::from_utf8(output.stdout)?)
}

/// Whether a program can be found: it is asked for its version.
pub fn is_installed(program: &str) -> bool {
    let mut command = Command::new(program);
    command.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// `cargo metadata` of the workspace alone.
pub fn metadata() -> Result<Value> {
    Ok(serde_json::from_str(&output(cargo().args(["metadata", "--no-deps", "--format-version", "1"]))?)?)
}

/// The files that are tracked or about to be, relative to the root.
pub fn tracked_files() -> Result<Vec<String>> {
    let mut git = Command::new("git");
    git.current_dir(root()).args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
    let mut files: Vec<String> = output(&mut git)?.split('\0').map(ToOwned::to_owned).collect();
    // A file that was deleted but not yet committed is still listed.
    files.retain(|file| !file.is_empty() && root().join(file).is_file());
    files.sort();
    Ok(files)
}

/// Build `sb`, and say where it is.
pub fn build_sb(profile: Profile) -> Result<PathBuf> {
    build("signalbox-cli", "sb", profile)
}

/// Build a program, and say where it is: only cargo knows, because the target directory can be set anywhere.
pub fn build(package: &str, program: &str, profile: Profile) -> Result<PathBuf> {
    let mut build = cargo();
    build.args(["build", "--quiet", "--package", package, "--bin", program]);
    build.args(["--message-format", "json-render-diagnostics"]);
    if profile == Profile::Release {
        build.arg("--release");
    }
    executable(&output(&mut build)?, program).ok_or_else(|| format!("cargo built no `{program}`").into())
}

/// The path of a program among cargo's messages.
fn executable(messages: &str, program: &str) -> Option<PathBuf> {
    messages
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|message| message["target"]["name"] == program)
        .find_map(|message| message["executable"].as_str().map(PathBuf::from))
}

/// A program that sees nothing of this user: an empty environment and a home below `home`.
pub fn hermetic(program: impl AsRef<std::ffi::OsStr>, home: &Path) -> Command {
    let mut command = Command::new(program);
    command.env_clear().env("HOME", home).env("SIGNALBOX_HOME", home.join(".signalbox"));
    if let Some(path) = std::env::var_os("PATH") {
        command.env("PATH", path);
    }
    command.stdin(Stdio::null());
    command
}

/// Write a file that nobody needs after a power cut, with the folders above it.
#[expect(
    clippy::disallowed_methods,
    reason = "scratch files and generated pages need neither flush nor rename"
)]
pub fn write(path: &Path, text: impl AsRef<[u8]>) -> Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(path, text).map_err(|e| format!("write {}: {e}", path.display()).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_executable_is_found_among_other_messages() {
        let messages = r#"{"reason":"compiler-artifact","target":{"name":"signalbox_core"},"executable":null}
{"reason":"compiler-artifact","target":{"name":"sb"},"executable":"t/debug/sb"}
{"reason":"build-finished","success":true}"#;
        assert_eq!(executable(messages, "sb"), Some(PathBuf::from("t/debug/sb")));
        assert_eq!(executable("", "sb"), None);
    }
}
