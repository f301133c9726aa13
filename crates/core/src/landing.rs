//! What a tree must not have changed to land: the same boundaries that hooks warn of, decided where no agent can reach.

use std::collections::BTreeMap;

use crate::glob::{Case, meet};
use crate::judge::{ALWAYS, UNWATCHED};
use crate::role::Role;
use crate::work::MergeTrouble;

/// What the project says, as it stands on main.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Policy {
    /// Which files are tests.
    pub tests: Vec<String>,
    /// Protected besides what always is, and what a person took out of protection.
    pub protect: Vec<String>,
    pub unprotect: Vec<String>,
}

/// One file that is not as it is on main.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// Below the root.
    pub path: String,
    /// What it is now; `None` where it is gone.
    pub content: Option<String>,
}

/// Whose change it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Author {
    Human,
    /// An agent in this role.
    Agent(Role),
}

/// Why a tree may not land.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Objection {
    pub why: MergeTrouble,
    pub message: String,
    pub files: Vec<String>,
}

/// Whether these changes may land. `tests` are the tests that were written for the ticket: by path, what they must be.
pub fn check(
    changes: &[Changed],
    author: Author,
    policy: &Policy,
    tests: &BTreeMap<String, Option<String>>,
) -> Result<(), Objection> {
    let Author::Agent(role) = author else { return Ok(()) };
    let object = |why: MergeTrouble, message: &str, files: Vec<String>| {
        if files.is_empty() { Ok(()) } else { Err(Objection { why, message: message.to_owned(), files }) }
    };
    let among = |wrong: &dyn Fn(&Changed) -> bool| -> Vec<String> {
        changes.iter().filter(|change| wrong(change)).map(|change| change.path.clone()).collect()
    };
    let is_test = |path: &str| policy.is_test(path);
    let as_written = |change: &Changed| tests.get(&change.path) == Some(&change.content);
    match role {
        Role::TestWriter => object(
            MergeTrouble::Boundary,
            "a test-writer may change nothing but tests, and these are none",
            among(&|change| !is_test(&change.path)),
        )?,
        Role::Doer => object(
            MergeTrouble::Boundary,
            "a doer does not change tests, and these tests are not as they were written",
            among(&|change| is_test(&change.path) && !as_written(change)),
        )?,
        _ => {}
    }
    object(
        MergeTrouble::Protected,
        "these files are protected: agents do not change them",
        among(&|change| policy.is_protected(&change.path, role) && !as_written(change)),
    )
}

impl Policy {
    pub fn is_test(&self, path: &str) -> bool {
        self.tests.iter().any(|pattern| meet(pattern, path, Case::Exact))
    }

    fn is_protected(&self, path: &str, role: Role) -> bool {
        let fits = |patterns: &[&str]| patterns.iter().any(|pattern| meet(pattern, path, Case::Folded));
        let excepted = self.unprotect.iter().any(|pattern| meet(pattern, path, Case::Exact));
        let own = self.protect.iter().any(|pattern| meet(pattern, path, Case::Folded));
        let unwatched =
            !role.is_watched() && fits(UNWATCHED) && !(role == Role::TestWriter && self.is_test(path));
        !excepted && (own || fits(ALWAYS) || unwatched)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEST: &str = "tests/parse.rs";

    fn policy() -> Policy {
        Policy {
            tests: vec!["tests/**".to_owned()],
            protect: vec!["infra/**".to_owned()],
            unprotect: vec!["docs/Makefile".to_owned()],
        }
    }

    fn changed(path: &str) -> Changed {
        Changed { path: path.to_owned(), content: Some("as the doer has it".to_owned()) }
    }

    /// Who changes what, and what is said to it.
    const ROWS: &[(Author, &str, Option<MergeTrouble>)] = &[
        (Author::Agent(Role::Doer), "src/lib.rs", None),
        (Author::Agent(Role::Doer), TEST, Some(MergeTrouble::Boundary)),
        (Author::Agent(Role::Doer), "tests/deep/down/x.rs", Some(MergeTrouble::Boundary)),
        (Author::Agent(Role::Doer), "infra/main.tf", Some(MergeTrouble::Protected)),
        (Author::Agent(Role::Doer), ".signalbox/project.toml", Some(MergeTrouble::Protected)),
        (Author::Agent(Role::Doer), "a/.Claude/settings.json", Some(MergeTrouble::Protected)),
        (Author::Agent(Role::Doer), "Makefile", Some(MergeTrouble::Protected)),
        (Author::Agent(Role::Doer), "docs/Makefile", None),
        (Author::Agent(Role::Assistant), "Makefile", None),
        (Author::Agent(Role::Assistant), TEST, None),
        (Author::Agent(Role::Assistant), ".mcp.json", Some(MergeTrouble::Protected)),
        (Author::Agent(Role::TestWriter), TEST, None),
        (Author::Agent(Role::TestWriter), "tests/conftest.py", None),
        (Author::Agent(Role::TestWriter), "src/lib.rs", Some(MergeTrouble::Boundary)),
        (Author::Human, ".signalbox/project.toml", None),
        (Author::Human, TEST, None),
    ];

    #[test]
    fn each_may_change_what_its_role_may() {
        for (author, path, wanted) in ROWS {
            let said = check(&[changed(path)], *author, &policy(), &BTreeMap::new());
            assert_eq!(said.err().map(|objection| objection.why), *wanted, "{author:?} changes {path}");
        }
    }

    #[test]
    fn the_tests_that_were_written_for_it_come_along_unchanged() {
        let written: BTreeMap<_, _> = [(TEST.to_owned(), Some("as the doer has it".to_owned()))].into();
        let doer = Author::Agent(Role::Doer);
        assert_eq!(check(&[changed(TEST)], doer, &policy(), &written), Ok(()));
        let weakened = Changed { content: Some("assert!(true)".to_owned()), ..changed(TEST) };
        let removed = Changed { content: None, ..changed(TEST) };
        for change in [weakened, removed] {
            let said = check(&[change], doer, &policy(), &written);
            assert_eq!(said.err().map(|objection| objection.why), Some(MergeTrouble::Boundary));
        }
    }
}
