//! What a person wrote down for all who work for them: conventions, preferences, decisions, and what is known of a project.
//! The files are the person's own. Their text is handed on as it is, as much of it as anybody reads.

use std::path::{Path, PathBuf};

use signalbox_core::{ProjectName, text};
use signalbox_store::{Home, files};

use crate::error::Failed;

/// What holds for all projects, in this order.
const SHARED: &[&str] = &["conventions.md", "preferences.md", "decisions.md"];
/// How much is handed on of all files together, in bytes.
const MOST: usize = 12_000;

/// All of it as one text; empty where nobody wrote anything down.
pub fn of(home: &Home, project: &ProjectName) -> Result<String, Failed> {
    let mut known = String::new();
    let mut left = MOST;
    for path in paths(home, project)? {
        let failed = || Failed::doing(format!("read {}", path.display()));
        // One byte more, to know whether that was all.
        let is_file = path.metadata().is_ok_and(|about| about.is_file());
        let bytes =
            if is_file { files::read_part(&path, 0, MOST + 1).map_err(failed())? } else { Vec::new() };
        let written = String::from_utf8_lossy(&bytes);
        let written = text::many_lines(written.trim());
        if written.is_empty() {
            continue;
        }
        let end = end_of_line(&written, left);
        left -= end;
        let (begins, all) = (written.get(..end).unwrap_or_default().trim_end(), end == written.len());
        let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
        known.push_str(&match (begins.is_empty(), all) {
            (false, true) => format!("From {name}:\n{begins}\n\n"),
            (false, false) => format!("From {name}:\n{begins}\n… The rest is in {}\n\n", path.display()),
            (true, _) => format!("More is in {}\n\n", path.display()),
        });
    }
    known.truncate(known.trim_end().len());
    Ok(known)
}

fn paths(home: &Home, project: &ProjectName) -> Result<Vec<PathBuf>, Failed> {
    let shared = home.root().join("knowledge");
    let own = home.root().join("projects").join(project.as_str()).join("knowledge");
    let mut names = files::names(&own).map_err(Failed::doing(format!("read {}", own.display())))?;
    names.retain(|name| Path::new(name).extension().is_some_and(|end| end == "md"));
    names.sort();
    let shared = SHARED.iter().map(|name| shared.join(name));
    Ok(shared.chain(names.iter().map(|name| own.join(name))).collect())
}

/// Where the last line ends that fits whole. A first line that is longer than all that fits is cut.
fn end_of_line(text: &str, most: usize) -> usize {
    if text.len() <= most {
        return text.len();
    }
    let fits = (0..=most).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    match text.get(..fits).and_then(|text| text.rfind('\n')) {
        Some(at) => at + 1,
        None if most == MOST => fits,
        None => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(home: &Home, path: &str, text: impl AsRef<[u8]>) {
        let path = home.root().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        files::replace(&path, text.as_ref(), files::PRIVATE).unwrap();
    }

    #[test]
    fn what_there_is_in_its_order_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let (home, shop) = (Home::new(folder.path()), ProjectName::from_directory("shop"));
        assert_eq!(of(&home, &shop).unwrap(), "");
        write(&home, "knowledge/decisions.md", "\nNo database.\n\n");
        write(&home, "knowledge/conventions.md", "Tabs {{ not }} spaces.\n");
        write(&home, "knowledge/preferences.md", "  \n");
        write(&home, "knowledge/secrets.md", "not this");
        write(&home, "projects/shop/knowledge/b.md", b"\xffb\x1b[2J");
        write(&home, "projects/shop/knowledge/a.md", "a");
        write(&home, "projects/shop/knowledge/a.txt", "not this");
        write(&home, "projects/other/knowledge/c.md", "not this");
        std::fs::create_dir(home.root().join("projects/shop/knowledge/folder.md")).unwrap();
        let known = of(&home, &shop).unwrap();
        let expected = "From conventions.md:\nTabs {{ not }} spaces.\n\nFrom decisions.md:\nNo database.\n\n\
                        From a.md:\na\n\nFrom b.md:\n\u{fffd}b\\x1b[2J";
        assert_eq!(known, expected);
    }

    #[test]
    fn no_more_than_anybody_reads_and_the_rest_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let (home, shop) = (Home::new(folder.path()), ProjectName::from_directory("shop"));
        write(&home, "knowledge/conventions.md", "a line of thirty-one characters\n".repeat(300));
        write(&home, "knowledge/decisions.md", "ä\n".repeat(5_000));
        write(&home, "projects/shop/knowledge/more.md", "what comes last");
        let known = of(&home, &shop).unwrap();
        assert!(known.len() < MOST + 600, "{}", known.len());
        let path = |name: &str| home.root().join(name).display().to_string();
        assert!(
            known.contains(&format!("ä\n… The rest is in {}\n", path("knowledge/decisions.md"))),
            "{known}"
        );
        let last = path("projects/shop/knowledge/more.md");
        assert!(!known.contains("knowledge/conventions.md"), "all of it is there");
        assert!(known.ends_with(&format!("More is in {last}")), "{known}");
        // One line that never ends, and what has no room after it.
        write(&home, "knowledge/conventions.md", "ä".repeat(50_000));
        let known = of(&home, &shop).unwrap();
        assert!(known.len() < MOST + 600 && known.contains("ä\n… The rest is in"), "{}", known.len());
        assert!(known.contains(&format!("More is in {}", path("knowledge/decisions.md"))), "{known}");
    }
}
