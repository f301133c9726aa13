//! Whether two pieces of work would change the same files.

use crate::glob::{self, Case};

/// The first of the one's files that the other would change too. Both are paths, folders or patterns.
pub fn overlap<'a>(one: &'a [String], other: &[String]) -> Option<&'a str> {
    one.iter().map(String::as_str).find(|a| other.iter().any(|b| meet(a, b)))
}

fn meet(a: &str, b: &str) -> bool {
    let (a, b) = (a.trim_end_matches('/'), b.trim_end_matches('/'));
    if a.is_empty() || b.is_empty() {
        return false;
    }
    // A folder stands for all that is below it.
    let below =
        |inner: &str, outer: &str| inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with('/'));
    if a == b || below(a, b) || below(b, a) {
        return true;
    }
    (glob::is_wild(a) || glob::is_wild(b)) && (glob::meet(a, b, Case::Exact) || glob::meet(b, a, Case::Exact))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_folders_and_patterns() {
        for (one, other, expected) in [
            ("src/a.rs", "src/a.rs", true),
            ("src/a.rs", "src/ab.rs", false),
            ("src", "src/a.rs", true),
            ("src/", "src/a.rs", true),
            ("src/core", "src/core-two/a.rs", false),
            ("src/**", "src/core/a.rs", true),
            ("src/*.rs", "src/core/a.rs", false),
            ("**/Cargo.toml", "crates/x/Cargo.toml", true),
            ("docs/**", "src/**", false),
            ("src/**/mod.rs", "src/x/*.rs", true),
            ("", "src/a.rs", false),
        ] {
            let (a, b) = (vec![one.to_owned()], vec![other.to_owned()]);
            assert_eq!(overlap(&a, &b).is_some(), expected, "{one} and {other}");
            assert_eq!(overlap(&b, &a).is_some(), expected, "{other} and {one}");
        }
    }
}
