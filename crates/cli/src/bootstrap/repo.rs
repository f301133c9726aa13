//! A repository as files that are looked at and never run. What is read is bounded, because nobody knows what is in it.

use std::cell::{OnceCell, RefCell};
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use signalbox_core::glob::{self, Case};

/// The largest file that is read.
const MOST_BYTES: u64 = 1024 * 1024;
/// How many files are counted, and how deep.
const MOST_FILES: usize = 20_000;
const MOST_DEPTH: usize = 12;

/// Folders with what others made.
const NOT_OURS: &[&str] = &[
    ".git",
    "node_modules",
    "target",
    "vendor",
    "dist",
    "build",
    ".venv",
    "venv",
    ".tox",
    ".mypy_cache",
    ".ruff_cache",
    ".pytest_cache",
    "__pycache__",
    ".next",
    ".cache",
    "third_party",
];

/// The files of a repository.
pub struct Repo {
    root: PathBuf,
    files: OnceCell<Vec<String>>,
    troubles: RefCell<Vec<String>>,
}

impl Repo {
    pub fn new(root: &Path) -> Self {
        let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
        Self { root, files: OnceCell::new(), troubles: RefCell::default() }
    }

    /// What could not be understood, for people.
    pub fn troubles(&self) -> Vec<String> {
        self.troubles.borrow().clone()
    }

    pub fn trouble(&self, what: String) {
        let mut troubles = self.troubles.borrow_mut();
        if !troubles.contains(&what) {
            troubles.push(what);
        }
    }

    /// Whether there is such a file, and not a link that leads out of the repository.
    pub fn has(&self, path: &str) -> bool {
        self.inside(path).is_some_and(|path| path.is_file())
    }

    /// The first of these files that is there.
    pub fn first<'a>(&self, paths: &[&'a str]) -> Option<&'a str> {
        paths.iter().copied().find(|path| self.has(path))
    }

    fn inside(&self, path: &str) -> Option<PathBuf> {
        // A link in a circle has no end to lead to.
        let path = self.root.join(path).canonicalize().ok()?;
        path.starts_with(&self.root).then_some(path)
    }

    /// The text of a file. Where it is too large or no text, that is remembered as a trouble.
    pub fn text(&self, path: &str) -> Option<String> {
        let found = self.inside(path).filter(|path| path.is_file())?;
        let mut bytes = Vec::new();
        let read = File::open(found).and_then(|file| file.take(MOST_BYTES + 1).read_to_end(&mut bytes));
        if let Err(error) = read {
            self.trouble(format!("{path} cannot be read: {error}"));
            return None;
        }
        if bytes.len() as u64 > MOST_BYTES {
            self.trouble(format!("{path} is larger than {} MB and was not read", MOST_BYTES / 1024 / 1024));
            return None;
        }
        let text = String::from_utf8(bytes).ok();
        if text.is_none() {
            self.trouble(format!("{path} is not UTF-8 text and was not read"));
        }
        text
    }

    /// A file in TOML.
    pub fn toml(&self, path: &str) -> Option<toml::Table> {
        let text = self.text(path)?;
        match text.parse() {
            Ok(table) => Some(table),
            Err(error) => {
                let at = error.span().map_or(0, |span| span.start);
                let line = text.bytes().take(at).filter(|b| *b == b'\n').count() + 1;
                self.trouble(format!("{path}, line {line}: it is no TOML: {}", error.message()));
                None
            }
        }
    }

    /// A file in JSON.
    pub fn json(&self, path: &str) -> Option<serde_json::Value> {
        let text = self.text(path)?;
        let parsed = serde_json::from_str(text.trim_start_matches('\u{feff}'));
        parsed.map_err(|error| self.trouble(format!("{path}: it is no JSON: {error}"))).ok()
    }

    /// A file in YAML.
    pub fn yaml(&self, path: &str) -> Option<yaml_serde::Value> {
        let text = self.text(path)?;
        let parsed = yaml_serde::from_str(&text);
        parsed.map_err(|error| self.trouble(format!("{path}: it is no YAML: {error}"))).ok()
    }

    /// The names in a folder.
    pub fn names(&self, folder: &str) -> Vec<String> {
        let Some(path) = self.inside(folder) else { return Vec::new() };
        let entries = fs::read_dir(path).into_iter().flatten().flatten().take(MOST_FILES);
        let mut names: Vec<String> =
            entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.sort_unstable();
        names
    }

    /// Every file below the root that somebody works on, up to a number. Links are not followed.
    pub fn files(&self) -> &[String] {
        self.files.get_or_init(|| {
            let mut found = Vec::new();
            let mut folders = vec![(String::new(), 0)];
            while let Some((folder, depth)) = folders.pop() {
                let entries = fs::read_dir(self.root.join(&folder)).into_iter().flatten().flatten();
                for entry in entries {
                    let Ok(name) = entry.file_name().into_string() else { continue };
                    let Ok(kind) = entry.file_type() else { continue };
                    let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
                    if kind.is_file() {
                        found.push(path);
                    } else if kind.is_dir() && depth < MOST_DEPTH && !NOT_OURS.contains(&name.as_str()) {
                        folders.push((path, depth + 1));
                    }
                    if found.len() >= MOST_FILES {
                        self.trouble(format!("only the first {MOST_FILES} files were looked at"));
                        found.sort_unstable();
                        return found;
                    }
                }
            }
            found.sort_unstable();
            found
        })
    }

    /// How many files fit a pattern.
    pub fn count(&self, pattern: &str) -> usize {
        self.files().iter().filter(|path| glob::meet(pattern, path, Case::Exact)).count()
    }
}
