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
