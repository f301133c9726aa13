//! Where tests are: one integration-test binary a crate, because each one is linked anew, and no file of it
//! forgotten.

use super::manifests::Package;
use super::{Finding, TextFile};

/// Tests that are also run by themselves: with terminals or the real agent CLIs they take minutes, and the corpora
/// are what one runs again and again while changing a rule.
const APART: &[&str] = &["agents", "browser", "judge", "landing", "orchestra", "plugin", "real"];

pub fn check(packages: &[Package], files: &[TextFile]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for package in packages {
        let binaries: Vec<&str> =
            package.test_binaries.iter().map(String::as_str).filter(|name| !APART.contains(name)).collect();
        if binaries.len() > 1 {
            let names = binaries.join(", ");
            let what =
                format!("it has several integration-test binaries ({names}): one is enough, with modules");
            findings.push(Finding::new(&package.manifest, 1, what));
        }
        let tests = format!("{}/tests/", package.folder());
        for file in files.iter().filter(|file| file.path.starts_with(&tests)) {
            if let Some(module) = module_of(&file.path, &tests)
                && !is_declared(module, file, files)
            {
                let what = format!("no file beside it says `mod {module};`, so it is never compiled");
                findings.push(Finding::new(&file.path, 1, what));
            }
        }
    }
    findings
}

/// The module that a file below `tests/<binary>/` must be declared as. Deeper files are fixtures or belong to
/// a module that has its own folder, and are left alone.
fn module_of<'a>(path: &'a str, tests: &str) -> Option<&'a str> {
    let (_binary, file) = path.strip_prefix(tests)?.split_once('/')?;
    let name = file.strip_suffix(".rs")?;
    (!name.contains('/') && name != "main").then_some(name)
}

fn is_declared(module: &str, file: &TextFile, files: &[TextFile]) -> bool {
    let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let declares = |line: &str| {
        let line = line.trim().trim_start_matches("pub ").trim_start_matches("pub(crate) ");
        line.strip_prefix("mod ").is_some_and(|rest| rest.strip_suffix(';') == Some(module))
    };
    let beside = |other: &&TextFile| other.path.rsplit_once('/').is_some_and(|(f, _)| f == folder);
    files.iter().filter(beside).any(|other| other.text.lines().any(declares))
}

#[cfg(test)]
mod tests {
    use super::super::{file, printed};
    use super::*;

    fn package(binaries: &[&str]) -> Package {
        Package {
            manifest: "a/Cargo.toml".to_owned(),
            test_binaries: binaries.iter().map(|name| (*name).to_owned()).collect(),
            ..Package::default()
        }
    }

    #[test]
    fn two_binaries_are_one_too_many() {
        assert!(check(&[package(&["all", "real"])], &[]).is_empty());
        let found = printed(&check(&[package(&["one", "two"])], &[]));
        assert!(found[0].contains("(one, two)"), "{found:?}");
    }

    #[test]
    fn a_forgotten_test_file_is_found() {
        let files = [
            file("a/tests/all/main.rs", "//! All.\nmod known;\n"),
            file("a/tests/all/known.rs", ""),
            file("a/tests/all/forgotten.rs", ""),
            file("a/tests/all/data/fixture.rs", ""),
        ];
        let found = printed(&check(&[package(&["all"])], &files));
        let want =
            "a/tests/all/forgotten.rs:1: no file beside it says `mod forgotten;`, so it is never compiled";
        assert_eq!(found, [want]);
    }
}
