//! `sb init`: make a directory a project.

use std::path::{Path, PathBuf};

use signalbox_core::ProjectName;
use signalbox_store::config;

use crate::context::Context;
use signalbox_desk::error::CommandError;

/// Tickets filed below the directory then belong to the project, also from its git worktrees. Nothing is
/// written into the directory itself.
#[derive(clap::Args)]
pub struct Arguments {
    /// The directory [default: the current one]
    directory: Option<PathBuf>,
    /// The project's name [default: the directory's name]
    #[arg(long)]
    name: Option<String>,
    /// Print the project as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(cx: &Context, arguments: Arguments) -> Result<(), CommandError> {
    cx.who()?;
    let directory = match arguments.directory {
        Some(directory) => directory,
        None => cx.directory()?,
    };
    let directory = usable(&directory)?;
    let (name, is_new) = register(cx, &directory, arguments.name.as_deref())?;
    if is_new {
        cx.ui.status(&format!("{} is now the project `{name}`.", directory.display()));
        cx.ui.hint("File a ticket with `sb new \"TITLE\"`.");
    } else {
        cx.ui.status(&format!("{} is the project `{name}` already.", directory.display()));
    }
    print(cx, name.as_str(), &directory)
}

/// A directory as it is registered.
pub fn usable(directory: &Path) -> Result<PathBuf, CommandError> {
    let directory = directory.canonicalize().map_err(|error| {
        CommandError::not_found(
            "directory.unknown",
            format!("{} cannot be used: {error}", directory.display()),
        )
        .hint("Name a directory that exists.")
    })?;
    if !directory.is_dir() {
        return Err(CommandError::usage(
            "directory.file",
            format!("{} is not a directory", directory.display()),
        ));
    }
    if directory.to_str().is_none() {
        return Err(CommandError::usage("directory.encoding", "the directory's path is not valid UTF-8")
            .hint("config.toml can only name paths in UTF-8; rename the directory."));
    }
    Ok(directory)
}

/// Make a directory a project if it is none; the answer is its name, and whether that is new.
pub fn register(
    cx: &Context,
    directory: &Path,
    named: Option<&str>,
) -> Result<(ProjectName, bool), CommandError> {
    let parsed =
        |name: &str| ProjectName::parse(name).map_err(|e| CommandError::usage("project.name", e.to_string()));
    let name = match named {
        Some(name) => parsed(name)?,
        None => ProjectName::from_directory(&directory.file_name().unwrap_or_default().to_string_lossy()),
    };
    if name == ProjectName::untracked() {
        return Err(CommandError::usage("project.reserved", "`untracked` is where events of no project go")
            .hint("Give the project another name: `sb init --name NAME`."));
    }
    let store = cx.store()?;
    {
        let _lock = cx.lock()?;
        let config = config::Config::load(cx.home()?)?;
        let same_path = config.projects.iter().find(|(_, project)| project.path == directory);
        if let Some((existing, _)) = same_path {
            if named.is_none() || named == Some(existing) {
                return Ok((parsed(existing)?, false));
            }
            return Err(CommandError::precondition(
                "project.same-path",
                format!("{} is the project `{existing}` already", directory.display()),
            )
            .hint(format!(
                "Rename it in {} if you must; tickets keep the name they were filed under.",
                cx.home()?.config().display()
            )));
        }
        if let Some(other) = config.projects.get(name.as_str()) {
            return Err(CommandError::precondition(
                "project.name-taken",
                format!("there is a project `{name}` already, at {}", other.path.display()),
            )
            .hint("Give this one another name: `sb init --name NAME`."));
        }
        config::add_project(cx.home()?, &name, directory)?;
    }
    let data = serde_json::json!({ "path": directory });
    store.note_event(cx.who()?, "project.registered", None, Some(&name), &data)?;
    Ok((name, true))
}

fn print(cx: &Context, name: &str, directory: &Path) -> Result<(), CommandError> {
    if cx.ui.json {
        cx.ui.json(&serde_json::json!({ "name": name, "path": directory }))?;
    }
    Ok(())
}
