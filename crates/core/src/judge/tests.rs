//! The test boundary: who makes the tests pass does not write them, and who writes them does not make them pass.

use crate::charter::Charter;
use crate::glob::Case;
use crate::refusal::Refusal;
use crate::role::Role;
use crate::shell::Effect;

use super::intent::Intent;
use super::places::{Names, below_root};

pub fn ask(charter: &Charter, intent: &Intent<'_>) -> Option<Refusal> {
    match charter.role {
        Role::Doer => doer(charter, intent),
        Role::TestWriter => test_writer(charter, intent),
        _ => None,
    }
}

fn doer(charter: &Charter, intent: &Intent<'_>) -> Option<Refusal> {
    if charter.tests.is_empty() {
        return None;
    }
    let hint = "Make the tests pass as they are. If a test is wrong, say which and why: `sb note \"…\"`, or give the \
                ticket back with `sb release`.";
    let changed = intent.changes.iter().find_map(|touch| {
        let text = touch.names.shown();
        if is_test(charter, &touch.names) {
            Some(format!("`{text}` is a test, and a doer does not change tests"))
        } else if holds_tests(charter, &touch.names) {
            Some(format!("there are tests in `{text}`, and a doer does not change tests"))
        } else if touch.names.unknown {
            Some(format!("it cannot be told {}, and a doer does not change tests", touch.names.in_doubt()))
        } else {
            None
        }
    });
    let named = || {
        let mention =
            intent.mentions.iter().find(|m| (!m.by_builder || m.to_change) && is_test(charter, &m.names))?;
        Some(format!(
            "{} names the test `{}`, and a doer does not change tests",
            mention.by, mention.names.text
        ))
    };
    // It would format the tests too.
    let formats = |effect: &Effect| matches!(effect, Effect::Run { program, .. } if program == "cargo");
    let in_all = intent.changes.iter().any(|touch| touch.names.text == ".");
    let hint = if in_all && intent.effects.list.iter().any(formats) {
        "`rustfmt FILE` formats one file. If a test is wrong, say which and why: `sb note \"…\"`."
    } else {
        hint
    };
    changed.or_else(named).map(|message| Refusal::new("tests.boundary", message).hint(hint))
}

fn test_writer(charter: &Charter, intent: &Intent<'_>) -> Option<Refusal> {
    intent.changes.iter().find_map(|touch| {
        let free = charter.scratch.iter().any(|free| touch.names.is_below(free));
        let certain = touch.names.is_surely(|real| is_test(charter, &Names::exactly(real)));
        (!free && !certain).then(|| {
            let message = if touch.names.unknown {
                format!("it cannot be told {}, and a test-writer writes only tests", touch.names.in_doubt())
            } else {
                format!("`{}` is no test, and a test-writer writes only tests", touch.names.shown())
            };
            let hint = format!("Tests are: {}.", charter.tests.join(", "));
            Refusal::new("tests.only", message).hint(hint)
        })
    })
}

pub fn is_test(charter: &Charter, names: &Names) -> bool {
    charter.tests.iter().any(|pattern| names.fit(&below_root(charter, pattern), Case::Exact))
}

/// Whether it is a folder that certainly has tests below it: `tests` where the tests are `tests/**`.
fn holds_tests(charter: &Charter, names: &Names) -> bool {
    charter.tests.iter().any(|pattern| {
        let pattern = below_root(charter, pattern);
        let fixed = pattern.find(['*', '?', '[', '{']).map_or(pattern.as_str(), |at| &pattern[..at]);
        let folder = fixed.rsplit_once('/').map_or("", |(folder, _)| folder);
        folder.len() > charter.root.as_deref().unwrap_or_default().len()
            && names.all.iter().any(|name| {
                folder
                    .strip_prefix(name.as_str())
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            })
    })
}
