//! What must and must not stand in a Rust file.

use super::{Finding, TextFile, numbered};

/// A text that must not stand in code, and why. The texts are put together from parts, so that this file
/// passes its own check.
struct Ban {
    text: &'static str,
    in_tests_alone: bool,
    why: &'static str,
}

const BANS: &[Ban] = &[
    Ban { text: concat!("todo", "!("), in_tests_alone: false, why: "finish it or file a ticket" },
    Ban { text: concat!("unimplemented", "!("), in_tests_alone: false, why: "finish it or file a ticket" },
    Ban { text: concat!("dbg", "!("), in_tests_alone: false, why: "it was for debugging" },
    Ban {
        text: concat!("#[", "allow("), in_tests_alone: false, why: "use `#[expect(…, reason = \"…\")]`"
    },
    Ban {
        text: concat!("#![", "allow("), in_tests_alone: false, why: "use `#[expect(…, reason = \"…\")]`"
    },
    Ban {
        text: concat!("thread", "::sleep"),
        in_tests_alone: true,
        why: "wait for what should happen, not for time to pass",
    },
];

pub fn check(file: &TextFile) -> Vec<Finding> {
    let mut findings = Vec::new();
    if !file.text.starts_with("//!") {
        findings.push(Finding::new(&file.path, 1, "it must begin with `//!` and say what the file is for"));
    }
    let mut in_tests = file.is_test();
    for (number, line) in numbered(&file.text) {
        in_tests |= line == "#[cfg(test)]";
        // What a comment says is no code.
        let code = line.split("//").next().unwrap_or_default();
        for ban in BANS {
            if code.contains(ban.text) && (in_tests || !ban.in_tests_alone) {
                let shown = ban.text.trim_end_matches('(');
                findings.push(Finding::new(
                    &file.path,
                    number,
                    format!("`{shown}` is not used here: {}", ban.why),
                ));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::{file, printed};
    use super::*;

    #[test]
    fn a_file_says_what_it_is_for() {
        assert!(check(&file("a.rs", "//! Does things.\n")).is_empty());
        let found = printed(&check(&file("a.rs", "use std::io;\n")));
        assert_eq!(found, ["a.rs:1: it must begin with `//!` and say what the file is for"]);
    }

    #[test]
    fn every_ban_bites() {
        for ban in BANS {
            let text = format!("//! A.\n#[cfg(test)]\nmod tests {{\n    {}x)\n}}\n", ban.text);
            let found = printed(&check(&file("a.rs", &text)));
            assert_eq!(found.len(), 1, "{}: {found:?}", ban.text);
            assert!(found[0].starts_with("a.rs:4: "), "{found:?}");
        }
    }

    #[test]
    fn comments_and_waiting_outside_tests_are_free() {
        let sleep = concat!("thread", "::sleep(d)");
        let comment = concat!("// no dbg", "!(x) here");
        assert!(check(&file("a.rs", &format!("//! A.\n{comment}\n{sleep};\n"))).is_empty());
        assert_eq!(check(&file("a/tests/all/main.rs", &format!("//! A.\n{sleep};\n"))).len(), 1);
    }
}
