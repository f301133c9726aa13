//! Which role may write which files. Roles that are not named here are held only by the other rules.

use crate::charter::Charter;
use crate::glob::Case;
use crate::refusal::Refusal;
use crate::role::Role;

use super::intent::Intent;
use super::places::below_root;

/// What a role may write unless the project says otherwise; `None` means whatever the other rules leave.
pub fn default_for(role: Role) -> Option<&'static [&'static str]> {
    match role {
        // It judges; what it would change belongs into its verdict.
        Role::Reviewer | Role::Shaper | Role::Orchestrator => Some(&[]),
        Role::Assistant | Role::Lead | Role::TestWriter | Role::Doer | Role::Worker => None,
    }
}

pub fn ask(charter: &Charter, intent: &Intent<'_>) -> Option<Refusal> {
    let named: Option<Vec<&str>> =
        charter.may_write.as_ref().map(|list| list.iter().map(String::as_str).collect());
    let owned = named.or_else(|| default_for(charter.role).map(<[_]>::to_vec))?;
    intent.changes.iter().find_map(|touch| {
        let free = charter.scratch.iter().any(|free| touch.names.is_below(free));
        let own = touch.names.is_surely(|real| {
            owned.iter().any(|pattern| crate::glob::meet(&below_root(charter, pattern), real, Case::Exact))
        });
        (!free && !own).then(|| {
            let role = charter.role.with_article();
            let message = if touch.names.unknown {
                format!(
                    "it cannot be told {}, and not everything is for {role} to write",
                    touch.names.in_doubt()
                )
            } else {
                format!("`{}` is not for {role} to write", touch.names.shown())
            };
            let hint = match owned.as_slice() {
                [] => format!("As {role} you write no files; say it with `sb note \"…\"`."),
                some => format!("As {role} you write: {}.", some.join(", ")),
            };
            Refusal::new("role.ownership", message).hint(hint)
        })
    })
}
