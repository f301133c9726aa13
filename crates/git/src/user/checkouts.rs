//! Where branches of the user's repository are checked out, read from git's own files.

use std::path::{Path, PathBuf};

use super::UserRepository;
use crate::Result;
use crate::borrowed::RefStorage;
use crate::disk;
use crate::names::BranchName;
use crate::run::Place;

/// A directory with files of the user's, and its own part of the git directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Checkout {
    pub directory: PathBuf,
    pub git_dir: PathBuf,
}

/// Where a branch is checked out.
pub(super) enum Where {
    In(Vec<Checkout>),
    /// It cannot be told; one of the checkouts there are.
    Unknown(PathBuf),
}

/// What git leaves behind while something takes several commands, and what a person calls that.
const UNFINISHED: &[(&str, &str)] = &[
    ("MERGE_HEAD", "a merge"),
    ("rebase-merge", "a rebase"),
    ("rebase-apply", "a rebase"),
    ("CHERRY_PICK_HEAD", "a cherry-pick"),
    ("REVERT_HEAD", "a revert"),
    ("BISECT_LOG", "a bisection"),
    ("sequencer", "a cherry-pick"),
];

impl Checkout {
    /// What is going on in it that is not finished.
    pub fn unfinished(&self) -> Option<&'static str> {
        UNFINISHED.iter().find(|(file, _)| self.git_dir.join(file).exists()).map(|(_, what)| *what)
    }

    fn is_on(&self, branch: &BranchName) -> bool {
        let name = branch.as_ref_name();
        let says = |file: &str| disk::small_text(&self.git_dir.join(file));
        let head = says("HEAD")
            .is_some_and(|text| text.trim().strip_prefix("ref:").map(str::trim) == Some(name.as_str()));
        // In the middle of a rebase `HEAD` is on no branch, and the branch moves when it ends.
        let rebased = ["rebase-merge/head-name", "rebase-apply/head-name"]
            .into_iter()
            .any(|file| says(file).is_some_and(|text| text.trim() == name.as_str()));
        head || rebased
    }
}

impl UserRepository {
    /// The checkouts that are on a branch.
    pub(super) fn checkouts_of(&self, view: &Place, branch: &BranchName) -> Result<Where> {
        let all = self.checkouts();
        if self.format.refs == RefStorage::Files {
            return Ok(Where::In(all.into_iter().filter(|checkout| checkout.is_on(branch)).collect()));
        }
        // Then `HEAD` is no file, and that of a linked worktree is in tables of its own, which are not borrowed.
        let [only] = all.as_slice() else {
            return Ok(Where::Unknown(
                all.into_iter().next().map_or_else(|| self.top.clone(), |one| one.directory),
            ));
        };
        let (_, head) = view.call("read HEAD", ["symbolic-ref", "-q", "HEAD"]).ending(&[0, 1])?;
        let is_on = head.trim_ascii_end() == branch.as_ref_name().as_str().as_bytes() || only.is_on(branch);
        Ok(Where::In(if is_on { all } else { Vec::new() }))
    }

    fn checkouts(&self) -> Vec<Checkout> {
        let common = &self.dirs.common;
        let mut all = Vec::new();
        let main = if common.file_name().is_some_and(|name| name == ".git") {
            common.parent().map(Path::to_owned)
        } else {
            // Such as a submodule's, whose files are elsewhere.
            (self.dirs.own == *common).then(|| self.top.clone())
        };
        all.extend(main.map(|directory| Checkout { directory, git_dir: common.clone() }));
        for entry in std::fs::read_dir(common.join("worktrees")).into_iter().flatten().flatten() {
            let git_dir = entry.path();
            // A worktree that was deleted by hand leaves its record behind.
            let directory = disk::small_text(&git_dir.join("gitdir"))
                .map(|text| PathBuf::from(text.trim()))
                .and_then(|dot_git| Some(git_dir.join(dot_git).parent()?.to_owned()));
            if let Some(directory) = directory.filter(|directory| directory.is_dir()) {
                all.push(Checkout { directory, git_dir });
            }
        }
        all
    }
}
