//! `docs`: the reference pages. They are what `sb` says of itself, so that they cannot be out of date
//! unnoticed.

use std::path::PathBuf;

use crate::run::{self, Profile};
use crate::{Result, Verdict};

/// The pages, as `sb help --reference` knows them.
const PAGES: &[&str] =
    &["cli", "config", "contract", "events", "environment", "outside", "control-socket", "http", "mcp"];

/// Write every page.
pub fn write() -> Result<Verdict> {
    for (path, text) in pages()? {
        run::write(&path, text)?;
    }
    Ok(Verdict::Good)
}

/// Compare every page with what it should be.
pub fn check() -> Result<Verdict> {
    let mut verdict = Verdict::Good;
    for (path, text) in pages()? {
        let shown = path.strip_prefix(run::root()).unwrap_or(&path).display();
        let there = std::fs::read_to_string(&path).unwrap_or_default();
        if let Some(line) = first_difference(&there, &text) {
            println!("{shown}:{line}: it is not what `sb` says of itself; run `cargo xtask docs`");
            verdict = Verdict::Bad;
        }
    }
    Ok(verdict)
}

/// Where each page belongs and what it should hold.
fn pages() -> Result<Vec<(PathBuf, String)>> {
    let sb = run::build_sb(Profile::Debug)?;
    let home = tempfile::tempdir()?;
    let folder = run::root().join("docs").join("reference");
    let mut pages = Vec::new();
    for name in PAGES {
        let mut command = run::hermetic(&sb, home.path());
        command.current_dir(home.path()).args(["help", "--reference", name]);
        pages.push((folder.join(format!("{name}.md")), run::output(&mut command)?));
    }
    Ok(pages)
}

/// The first line, counted from 1, in which two texts differ.
fn first_difference(one: &str, other: &str) -> Option<usize> {
    if one == other {
        return None;
    }
    let same = one.lines().zip(other.lines()).take_while(|(a, b)| a == b).count();
    Some(same + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_different_line_is_named() {
        assert_eq!(first_difference("a\nb\n", "a\nb\n"), None);
        assert_eq!(first_difference("a\nb\n", "a\nc\n"), Some(2));
        assert_eq!(first_difference("", "a\n"), Some(1));
        assert_eq!(first_difference("a\n", "a"), Some(2));
    }
}
