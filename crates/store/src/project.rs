//! Which project a directory belongs to.

use std::path::{Path, PathBuf};

use signalbox_core::ProjectName;

use crate::config::Config;

/// The innermost registered directory at or above `directory`. A git worktree of a project counts as the
/// project, wherever it lies.
pub fn detect(config: &Config, directory: &Path) -> Option<ProjectName> {
    let directory = directory.canonicalize().unwrap_or_else(|_| directory.to_owned());
    innermost(config, &directory).or_else(|| innermost(config, &main_worktree(&directory)?))
}

fn innermost(config: &Config, directory: &Path) -> Option<ProjectName> {
    config
        .projects
        .iter()
        .filter(|(_, project)| directory.starts_with(&project.path))
        .max_by_key(|(_, project)| project.path.components().count())
        .and_then(|(name, _)| ProjectName::parse(name).ok())
}

/// The repository a linked worktree belongs to. Read from git's own files: no git is run in a directory that
/// an agent may have prepared.
fn main_worktree(directory: &Path) -> Option<PathBuf> {
    let dot_git = directory.ancestors().map(|d| d.join(".git")).find(|path| path.exists())?;
    if !dot_git.is_file() {
        return None;
    }
    let text = std::fs::read_to_string(&dot_git).ok()?;
    let git_dir = dot_git.parent()?.join(text.strip_prefix("gitdir:")?.trim());
    // `<repository>/.git/worktrees/<name>`
    let common = git_dir.parent().filter(|p| p.ends_with("worktrees"))?.parent()?.canonicalize().ok()?;
    common.parent().map(Path::to_owned)
}

/// The top of the repository that a directory is in.
pub fn top(directory: &Path) -> Option<PathBuf> {
    directory.ancestors().find(|above| above.join(".git").exists()).map(Path::to_owned)
}

/// Where a repository's branches are kept, and its own folder within that.
fn git_folder(top: &Path) -> Option<PathBuf> {
    let dot_git = top.join(".git");
    if dot_git.is_dir() {
        return Some(dot_git);
    }
    let text = std::fs::read_to_string(&dot_git).ok()?;
    Some(top.join(text.strip_prefix("gitdir:")?.trim()))
}

/// The branch that a directory's repository is on, read from git's own files.
pub fn branch(directory: &Path) -> Option<String> {
    let head = std::fs::read_to_string(git_folder(&top(directory)?)?.join("HEAD")).ok()?;
    head.trim().strip_prefix("ref: refs/heads/").map(ToOwned::to_owned)
}

/// The person's name as the repository or the user's git knows it.
pub fn developer(directory: &Path) -> Option<String> {
    let own = git_folder(&top(directory)?)?.join("config");
    let user = std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".gitconfig"));
    [Some(own), user].into_iter().flatten().find_map(|file| user_name(&std::fs::read_to_string(file).ok()?))
}

fn user_name(config: &str) -> Option<String> {
    let mut in_user = false;
    config.lines().map(str::trim).find_map(|line| {
        if line.starts_with('[') {
            in_user = line.eq_ignore_ascii_case("[user]");
        }
        let (key, value) = line.split_once('=')?;
        (in_user && key.trim().eq_ignore_ascii_case("name"))
            .then(|| value.trim().trim_matches('"').to_owned())
    })
}
