//! `tidy`: the rules about crates, files and links that no compiler checks. A finding is one line,
//! `path:line: what`.

mod arrows;
mod budget;
mod layout;
mod links;
mod manifests;
mod places;
mod source;

use std::fmt;

use crate::{Result, Verdict, run};

/// Something that breaks a rule.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    path: String,
    line: usize,
    what: String,
}

impl Finding {
    fn new(path: &str, line: usize, what: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, what: what.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.what)
    }
}

/// A file of the repository that is text.
#[derive(Debug)]
pub struct TextFile {
    path: String,
    text: String,
}

impl TextFile {
    fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// Whether it holds nothing but tests.
    fn is_test(&self) -> bool {
        self.path.contains("/tests/") || self.path.ends_with("_tests.rs")
    }
}

pub fn run() -> Result<Verdict> {
    let files = text_files()?;
    let packages = manifests::packages(&run::metadata()?)?;
    let mut findings = arrows::check(&packages);
    findings.extend(manifests::check(&packages, &files));
    findings.extend(layout::check(&packages, &files));
    findings.extend(budget::check(&files));
    findings.extend(links::check(&files, |path| run::root().join(path).exists()));
    for file in &files {
        findings.extend(places::check(file));
        if file.is_rust() {
            findings.extend(source::check(file));
        }
    }
    findings.sort();
    for finding in &findings {
        println!("{finding}");
    }
    Ok(if findings.is_empty() { Verdict::Good } else { Verdict::Bad })
}

/// The files of the repository that can be read as text.
fn text_files() -> Result<Vec<TextFile>> {
    let mut files = Vec::new();
    for path in run::tracked_files()? {
        let bytes = std::fs::read(run::root().join(&path)).map_err(|e| format!("read {path}: {e}"))?;
        if let Ok(text) = String::from_utf8(bytes) {
            files.push(TextFile { path, text });
        }
    }
    Ok(files)
}

/// The lines of a text with their numbers, from 1.
fn numbered(text: &str) -> impl Iterator<Item = (usize, &str)> {
    (1..).zip(text.lines())
}

#[cfg(test)]
fn file(path: &str, text: &str) -> TextFile {
    TextFile { path: path.to_owned(), text: text.to_owned() }
}

/// Findings as they are printed, for tests.
#[cfg(test)]
fn printed(findings: &[Finding]) -> Vec<String> {
    findings.iter().map(ToString::to_string).collect()
}
