//! What became of the user's main, in words that a person can act on.

use std::path::PathBuf;

use crate::names::BranchName;

/// What became of the user's main.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Advanced {
    /// It was there already.
    Already,
    /// The branch was moved; no checkout is on it.
    Branch,
    /// The branch was moved, and the files of this checkout with it.
    Checkout(PathBuf),
    /// Nothing of the user's was touched but `refs/signalbox/main`.
    LeftAlone(LeftAlone),
}

/// Why the user's main was left as it is. As a text it says what they can do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LeftAlone {
    /// It has commits that ours has not.
    Diverged { branch: BranchName },
    /// Several checkouts are on it.
    Several { branch: BranchName, checkouts: Vec<PathBuf> },
    /// Something is not committed there; the first of it.
    Dirty { checkout: PathBuf, first: String },
    /// A file that git does not know is where a new one would go.
    InTheWay { checkout: PathBuf, path: String },
    /// A merge, rebase or the like is not finished.
    Unfinished { checkout: PathBuf, what: &'static str },
    /// Git is at work there, or left a lock behind.
    Locked { checkout: PathBuf },
    /// A filter, a submodule or a sparse checkout is involved, which only the user's own git knows how to treat.
    Special { checkout: PathBuf, why: String },
    /// The files were changed while they were being moved; these are left.
    Disturbed { checkout: PathBuf, path: String },
}

impl std::fmt::Display for LeftAlone {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let by_hand = "`git merge --ff-only refs/signalbox/main` there brings it up to date";
        match self {
            Self::Diverged { branch } => write!(
                f,
                "your {branch} has commits that did not come through the queue, and was left as it is; \
                 `git rebase refs/signalbox/main` puts them on top"
            ),
            Self::Several { branch, checkouts } => {
                write!(
                    f,
                    "{branch} is checked out in {} places, and was left as it is; {by_hand}",
                    checkouts.len()
                )
            }
            Self::Dirty { checkout, first } => write!(
                f,
                "{} has changes that are not committed ({first}), and was left as it is; when they are, {by_hand}",
                checkout.display()
            ),
            Self::InTheWay { checkout, path } => write!(
                f,
                "{} has a file {path} that git does not know and that would be overwritten; move it, then {by_hand}",
                checkout.display()
            ),
            Self::Unfinished { checkout, what } => write!(
                f,
                "{what} is not finished in {}, which was left as it is; when it is, {by_hand}",
                checkout.display()
            ),
            Self::Locked { checkout } => {
                write!(f, "git is at work in {}, which was left as it is; {by_hand}", checkout.display())
            }
            Self::Special { checkout, why } => {
                write!(f, "{} was left as it is, because {why}; {by_hand}", checkout.display())
            }
            Self::Disturbed { checkout, path } => write!(
                f,
                "{path} was changed while {} was brought up to date; look at `git status` there, then {by_hand}",
                checkout.display()
            ),
        }
    }
}
