//! Installing hooks: from the text of a settings file to its new text, and back to exactly the old one.
//!
//! Nothing is remembered between the two. All that is needed to undo is in the text itself (see [`edit`]).

mod edit;
mod extension;
mod jsonc;
mod layout;
mod merge;
mod ours;
mod place;

pub(crate) use edit::{Style, add, add_first, put, remove, remove_last, was_empty};
pub(crate) use jsonc::Node;
pub(crate) use layout::{Layout, alone, guarded, on_one_line, shell_line};
pub(crate) use merge::{check_program, created, ours_with_groups as ours_in, root};
pub(crate) use ours::Found as Ours;
pub(crate) use place::{CliFile, Contents};
pub use place::{Place, Roots, Scope};

/// Why a settings file was left alone.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InstallError {
    /// The file cannot be read as what it should be.
    #[error("line {line}, column {column}: {what}")]
    Unreadable { line: usize, column: usize, what: String },
    #[error("`{0}` is not the full path of a program called `sb`")]
    Program(String),
    #[error("the file is somebody else's: {0}")]
    NotOurs(&'static str),
    #[error("there is a server `signalbox` already, and it is somebody else's")]
    Taken,
    /// The file can be read, and not be changed without changing more of it. This is what would go in or out.
    #[error("this can only be changed by hand")]
    ByHand { piece: String },
}

/// What a settings file has of ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Installed {
    Absent,
    /// Hooks as this version writes them. Not `complete` where some are missing.
    Ours {
        program: String,
        complete: bool,
    },
    /// Hooks of another version, of several installations, or changed by hand.
    Outdated {
        programs: Vec<String>,
    },
}

impl InstallError {
    pub(crate) fn at(text: &str, at: usize, what: impl Into<String>) -> Self {
        let (line, column) = jsonc::line_and_column(text, at);
        Self::Unreadable { line, column, what: what.into() }
    }
}
