//! Links in the documentation that point to a file must find it.

use super::{Finding, TextFile, numbered};

/// `exists` is asked with a path relative to the root.
pub fn check(files: &[TextFile], exists: impl Fn(&str) -> bool) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files.iter().filter(|file| is_documentation(&file.path)) {
        for (line, target) in links(&file.text) {
            let resolved = resolve(&file.path, target);
            if !resolved.as_deref().is_some_and(&exists) {
                findings.push(Finding::new(&file.path, line, format!("the link to {target} leads nowhere")));
            }
        }
    }
    findings
}

/// What stands at the root, in `docs` and in `bench`. Other markdown may be the data of a test.
fn is_documentation(path: &str) -> bool {
    path.ends_with(".md") && (!path.contains('/') || path.starts_with("docs/") || path.starts_with("bench/"))
}

/// The relative targets of links and their lines, without what stands in code.
fn links(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut in_fence = false;
    for (number, line) in numbered(text) {
        if line.trim_start().starts_with("```") {
            in_fence = !in_fence;
        } else if !in_fence {
            // Every second part of a line that is cut at backticks is code.
            let prose = line.split('`').step_by(2);
            found.extend(prose.flat_map(targets).map(|target| (number, target)));
        }
    }
    found
}

/// The relative targets in a piece of prose.
fn targets(prose: &str) -> impl Iterator<Item = &str> {
    // A link whose text ends in code is cut before its `]`, so the bracket alone must do.
    prose.match_indices("](").filter_map(|(at, _)| {
        let rest = &prose[at + 2..];
        let target = &rest[..rest.find(')')?];
        let target = target.split_whitespace().next().unwrap_or_default().trim_matches(['<', '>']);
        let file = target.split('#').next().unwrap_or_default();
        let is_elsewhere = target.contains("://") || target.starts_with("mailto:");
        (!file.is_empty() && !is_elsewhere).then_some(file)
    })
}

/// The target as seen from the root; `None` where it leaves the repository.
fn resolve(from: &str, target: &str) -> Option<String> {
    let mut parts: Vec<&str> = match target.strip_prefix('/') {
        Some(_) => Vec::new(),
        None => from.split('/').collect(),
    };
    parts.pop();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::super::{file, printed};
    use super::*;

    #[test]
    fn only_relative_targets_outside_code_count() {
        let text = "See [a](docs/a.md#part), [b](https://example.org/x), [c](#here) and [`d`](d.md \"D\").\n\
                    `[e](e.md)`\n```\n[f](f.md)\n```\n![g](<g.png>)\n";
        assert_eq!(links(text), [(1, "docs/a.md"), (1, "d.md"), (6, "g.png")]);
    }

    #[test]
    fn targets_are_seen_from_their_file() {
        assert_eq!(resolve("docs/guide/a.md", "../b.md").as_deref(), Some("docs/b.md"));
        assert_eq!(resolve("README.md", "./docs/").as_deref(), Some("docs"));
        assert_eq!(resolve("docs/a.md", "/README.md").as_deref(), Some("README.md"));
        assert_eq!(resolve("README.md", "../x.md"), None);
    }

    #[test]
    fn a_dead_link_is_found() {
        let files =
            [file("docs/a.md", "\n[x](b.md) [y](gone.md)\n"), file("crates/x/data.md", "[z](gone.md)")];
        let found = printed(&check(&files, |path| path == "docs/b.md"));
        assert_eq!(found, ["docs/a.md:2: the link to gone.md leads nowhere"]);
    }
}
