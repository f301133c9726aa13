//! No file may name a place that only one machine has: a folder of whoever wrote it, or the host that a
//! package happened to come from.

use super::{Finding, TextFile, numbered};

/// Folders at the root of a file system that no text here has a reason to name. They are put together when
/// they are needed, so that this file passes its own check.
fn folders() -> [String; 2] {
    ["work", "root"].map(|name| format!("/{name}/"))
}

/// Hosts that serve packages: builds use whatever is configured on the machine.
fn hosts() -> [String; 5] {
    [
        ["artifact", "ory"],
        ["index.", "crates.io"],
        ["static.", "crates.io"],
        ["registry.", "npmjs"],
        ["registry.", "yarnpkg"],
    ]
    .map(|parts| parts.concat())
}

pub fn check(file: &TextFile) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (number, line) in numbered(&file.text) {
        for folder in folders() {
            if begins_path(line, &folder) {
                findings.push(Finding::new(
                    &file.path,
                    number,
                    format!("`{folder}` is a place on one machine"),
                ));
            }
        }
        for host in hosts() {
            if line.contains(&host) {
                findings.push(Finding::new(
                    &file.path,
                    number,
                    format!("`{host}` is where one machine gets packages"),
                ));
            }
        }
    }
    findings
}

/// Whether an absolute path in the line begins with `folder`: in the middle of a path it is just a name.
fn begins_path(line: &str, folder: &str) -> bool {
    line.match_indices(folder).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|c| {
            c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '}' | '*' | '/' | '~' | '>')
        })
    })
}

#[cfg(test)]
mod tests {
    use super::super::file;
    use super::*;

    #[test]
    fn absolute_places_are_found_and_relative_ones_are_not() {
        for folder in folders() {
            for bad in [format!("cd {folder}main"), format!("\"{folder}x\""), format!("{folder}x")] {
                assert_eq!(check(&file("a.md", &bad)).len(), 1, "{bad}");
            }
            for good in [format!("docs{folder}x.md"), format!("<temp>{folder}x"), format!("..{folder}x")] {
                assert!(check(&file("a.md", &good)).is_empty(), "{good}");
            }
        }
    }

    #[test]
    fn hosts_are_found_anywhere() {
        for host in hosts() {
            assert_eq!(check(&file("a.toml", &format!("url = \"https://{host}/x\""))).len(), 1);
        }
        assert!(
            check(&file("Cargo.lock", "registry+https://github.com/rust-lang/crates.io-index")).is_empty()
        );
    }
}
