//! Where a template is found: the user's for this very instance, the user's for its type, or the one that comes along.

use std::io;
use std::path::{Path, PathBuf};

/// How templates are called on disk: `<folder>/<event>.jinja`.
const EXTENSION: &str = "jinja";
/// How the one for all events is called.
const DEFAULT: &str = "default";

/// A template that comes along.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bundled {
    /// What it is for: the type of a monitor, or `notifications/` and that of a notifier.
    pub folder: &'static str,
    pub event: &'static str,
    pub text: &'static str,
}

/// Where a template came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    User(PathBuf),
    Bundled,
}

/// A template, found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// `github/ci_failure`
    pub name: String,
    pub text: String,
    pub origin: Origin,
}

impl Found {
    /// Where a person finds it.
    pub fn place(&self) -> String {
        match &self.origin {
            Origin::User(path) => path.display().to_string(),
            Origin::Bundled => format!("the template {}", self.name),
        }
    }
}

/// All templates there are.
#[derive(Debug, Clone)]
pub struct Library {
    user: PathBuf,
    bundled: &'static [Bundled],
}

impl Library {
    pub fn new(user: impl Into<PathBuf>, bundled: &'static [Bundled]) -> Self {
        Self { user: user.into(), bundled }
    }

    /// The template for an event, from the first of these folders that has one: the user's before what comes along.
    /// Names that are no plain names have none.
    pub fn find(&self, folders: &[&str], event: &str) -> io::Result<Option<Found>> {
        if !is_name(event) {
            return Ok(None);
        }
        for folder in folders.iter().filter(|folder| is_folder(folder)) {
            let path = self.path(folder, event);
            match std::fs::read_to_string(&path) {
                Ok(text) => {
                    let name = format!("{folder}/{event}");
                    return Ok(Some(Found { name, text, origin: Origin::User(path) }));
                }
                Err(error) if is_absent(&error) => {}
                Err(error) => return Err(named(&path, &error)),
            }
        }
        let bundled = folders.iter().find_map(|folder| self.bundled(folder, event));
        Ok(bundled)
    }

    /// The template for an event, or else the one for all: the user's for it, the one that comes along for it, the
    /// user's for all, the one that comes along for all.
    pub fn find_or_default(&self, folders: &[&str], event: &str) -> io::Result<Option<Found>> {
        match self.find(folders, event)? {
            Some(found) => Ok(Some(found)),
            None => self.find(folders, DEFAULT),
        }
    }

    /// The one that comes along.
    pub fn bundled(&self, folder: &str, event: &str) -> Option<Found> {
        let found = self.bundled.iter().find(|bundled| bundled.folder == folder && bundled.event == event)?;
        let name = format!("{folder}/{event}");
        Some(Found { name, text: found.text.to_owned(), origin: Origin::Bundled })
    }

    pub fn all_bundled(&self) -> &'static [Bundled] {
        self.bundled
    }

    /// Where the user's own would be.
    pub fn path(&self, folder: &str, event: &str) -> PathBuf {
        self.user.join(folder).join(format!("{event}.{EXTENSION}"))
    }

    /// Every template of the user, in a fixed order.
    pub fn users(&self) -> io::Result<Vec<Found>> {
        let mut found = Vec::new();
        gather(&self.user, "", &mut found)?;
        found.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(found)
    }
}

fn gather(folder: &Path, prefix: &str, into: &mut Vec<Found>) -> io::Result<()> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if is_absent(&error) => return Ok(()),
        Err(error) => return Err(error),
    };
    for entry in entries {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            // Two levels are all there are: `notifications/<type>/<event>`.
            if is_name(&name) && prefix.matches('/').count() < 2 {
                gather(&path, &format!("{prefix}{name}/"), into)?;
            }
        } else if let Some(event) = name.strip_suffix(&format!(".{EXTENSION}")) {
            let text = std::fs::read_to_string(&path).map_err(|error| named(&path, &error))?;
            into.push(Found { name: format!("{prefix}{event}"), text, origin: Origin::User(path) });
        }
    }
    Ok(())
}

/// The same error, with the file that it is about.
fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// A plain name: it leads nowhere else.
fn is_name(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with('.')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'))
}

fn is_folder(folder: &str) -> bool {
    folder.split('/').all(is_name)
}
