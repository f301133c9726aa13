//! Git, run safely: workspaces for agents, keep-refs, merging on trees, and the integration repository where all of it
//! comes together.
//!
//! Three sorts of repositories meet here. The *integration repository* is ours alone: bare, with our configuration and no
//! hooks. A *workspace* is an agent's: a repository of its own that borrows the integration repository's objects. The
//! *user's repository* is the person's. The last two may have been prepared by an agent, so git is never run with their
//! git directories: it runs with one of ours that borrows their objects and refs and nothing else.
#![deny(clippy::print_stdout, clippy::print_stderr, clippy::exit)]

mod borrowed;
pub mod crash;
mod disk;
mod error;
mod history;
mod integration;
mod merge;
mod names;
mod refs;
mod remote;
mod run;
mod user;
mod validation;
mod workspace;

pub use error::GitError;
pub use history::{Change, Commit, Kind, Signature};
pub use integration::Integration;
pub use merge::{Merged, Person, Rebased};
pub use names::{BranchName, Key, ObjectFormat, Oid, RefName, TreePath};
pub use refs::RefChange;
pub use remote::{Pushed, Remote};
pub use run::Git;
pub use user::{Advanced, Facts, LeftAlone, UserRepository};
pub use validation::{TreePool, ValidationTree};
pub use workspace::{Head, KeepRef, Kept, LeftOut, Why, Workspace, WorkspaceSpec, Workspaces};

/// What everything here answers.
pub type Result<T> = std::result::Result<T, GitError>;
