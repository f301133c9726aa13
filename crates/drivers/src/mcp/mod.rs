//! `sb mcp` as a server in a CLI's own configuration: from the text of the file to its new text, and back to exactly the
//! old one. What undoing needs is in the text itself. Whatever a person adds to our entry stays until it goes.

mod json;
mod toml;
mod yaml;

use serde_json::Value;

use crate::install::{InstallError, Installed, check_program};

/// What the server is called.
const NAME: &str = "signalbox";

/// The arguments that make `sb` an MCP server.
pub(crate) const ARGUMENTS: &[&str] = &["mcp"];

/// How a CLI wants a server written down.
pub(crate) enum Shape {
    /// Below `mcpServers`, in JSON with comments.
    Json { entry: fn(sb: &str) -> Value },
    /// Below `mcp_servers`, in TOML. The server's environment is bare but for these variables.
    Toml { variables: &'static [&'static str] },
    /// Below `extensions`, in YAML.
    Yaml,
}

impl Shape {
    pub(crate) fn install(&self, existing: Option<&str>, sb: &str) -> Result<String, InstallError> {
        check_program(sb)?;
        match self {
            Self::Json { entry } => json::install(&entry(sb), existing, sb),
            Self::Toml { variables } => toml::install(variables, existing, sb),
            Self::Yaml => yaml::install(existing, sb),
        }
    }

    /// The text without the server; `None` where the file was made for it.
    pub(crate) fn uninstall(&self, existing: &str) -> Result<Option<String>, InstallError> {
        match self {
            Self::Json { .. } => json::uninstall(existing),
            Self::Toml { .. } => toml::uninstall(existing),
            Self::Yaml => yaml::uninstall(existing),
        }
    }

    pub(crate) fn status(&self, existing: &str) -> Result<Installed, InstallError> {
        let program = match self {
            Self::Json { .. } => json::program(existing),
            Self::Toml { .. } => toml::program(existing),
            Self::Yaml => yaml::program(existing),
        };
        Ok(match program {
            Ok(Some(program)) => Installed::Ours { program, complete: true },
            Ok(None) | Err(InstallError::Taken) => Installed::Absent,
            Err(error) => return Err(error),
        })
    }
}

/// The program, where an entry called as ours is ours.
fn ours(command: Option<&str>, first_argument: Option<&str>) -> Result<String, InstallError> {
    let program = command.unwrap_or_default();
    let name = program.rsplit(['/', '\\']).next().unwrap_or_default();
    if matches!(name, "sb" | "sb.exe") && first_argument == ARGUMENTS.first().copied() {
        Ok(program.to_owned())
    } else {
        Err(InstallError::Taken)
    }
}

/// A block put behind a text, a blank line between them. It ends as the text did, with a newline or without.
fn behind(text: &str, block: &str) -> String {
    let newline = newline(text);
    let block = block.replace('\n', newline);
    if text.is_empty() || text.ends_with('\n') {
        format!("{text}{newline}{block}")
    } else {
        format!("{text}{newline}{newline}{}", block.trim_end())
    }
}

/// The text without the block between these two places, which [`behind`] put there or which has been moved since; `None`
/// where nothing but the block ever was.
fn without(text: &str, from: usize, to: usize) -> Option<String> {
    let newline = newline(text);
    let (before, after) = (text.get(..from).unwrap_or_default(), text.get(to..).unwrap_or_default());
    if from == 0 && after.is_empty() {
        return None;
    }
    let before = if to == text.len() && !text.ends_with('\n') {
        let before = before.strip_suffix(newline).unwrap_or(before);
        before.strip_suffix(newline).unwrap_or(before)
    } else {
        let shorter = before.strip_suffix(newline).unwrap_or(before);
        if shorter.is_empty() || shorter.ends_with('\n') { shorter } else { before }
    };
    Some([before, after].concat())
}

fn newline(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}
