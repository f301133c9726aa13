//! What a session may do: every rule looks at the effects of a tool call and says nothing, or no and why.
//!
//! The rules are pure. The disk is asked only where a path leads, through [`Links`]. A rule that cannot tell
//! says no where being wrong would cost more than asking again; each file says which way it leans.

mod approve;
mod branch;
mod hidden;
mod human;
mod intent;
mod mode;
mod outside;
mod own;
mod ownership;
mod places;
mod protected;
mod tests;

pub use approve::may_approve;
pub use human::HUMAN_ONLY;
pub use intent::Intent;
pub use own::check_examples;
pub use places::{Links, NoLinks, Scene};
pub use protected::{ALWAYS, BELOW_HOME, SYSTEM, UNWATCHED};

use crate::call::ToolCall;
use crate::charter::{CHARTER_VERSION, Charter};
use crate::refusal::Refusal;

/// One rule: its name for people and programs, what it is for, and the question it answers.
#[derive(Debug)]
pub struct Rule {
    pub name: &'static str,
    pub about: &'static str,
    /// Whether the person's own allow rules can lift it.
    pub liftable: bool,
    ask: fn(&Charter, &Intent<'_>) -> Option<Refusal>,
}

/// Every rule, in the order they are asked.
pub const RULES: &[Rule] = &[
    Rule { name: "own", about: "What your own `[[rules]]` deny", liftable: false, ask: own::denied },
    Rule {
        name: "human",
        about: "Commands of `sb` that only a human may give",
        liftable: false,
        ask: human::ask,
    },
    Rule {
        name: "mode",
        about: "In discussion mode nothing is changed, and only what is known to read is run",
        liftable: false,
        ask: mode::ask,
    },
    Rule {
        name: "protected",
        about: "Files that run code behind a person's back or hold the rules themselves",
        liftable: true,
        ask: protected::always,
    },
    Rule {
        name: "hidden",
        about: "Text that was encoded or packed is not run; sessions nobody watches run nothing unseen",
        liftable: true,
        ask: hidden::ask,
    },
    Rule {
        name: "branch",
        about: "A session with a branch stays on it: no switching, merging, rebasing, rewriting or configuring",
        liftable: true,
        ask: branch::ask,
    },
    Rule {
        name: "outside",
        about: "A session with a worktree writes only there and in the folder for temporary files",
        liftable: true,
        ask: outside::ask,
    },
    Rule {
        name: "tests",
        about: "A doer changes no tests, and a test-writer nothing else",
        liftable: true,
        ask: tests::ask,
    },
    Rule {
        name: "build",
        about: "Sessions nobody watches do not change what runs code when the project is built or opened",
        liftable: true,
        ask: protected::unwatched,
    },
    Rule {
        name: "ownership",
        about: "Which role may write which files",
        liftable: true,
        ask: ownership::ask,
    },
];

/// What was decided about a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    pub rule: &'static str,
    pub refusal: Refusal,
}

/// The first rule that says no. Nothing means the call may go on.
pub fn judge(charter: &Charter, call: &ToolCall, scene: &Scene<'_>) -> Option<Refused> {
    if let Some(refusal) = unusable(charter) {
        return Some(Refused { rule: "charter", refusal });
    }
    let intent = Intent::of(charter, call, scene);
    let lifted = own::allowed(charter, &intent);
    asked(charter, &intent, lifted).next()
}

/// Every rule that says no, for `sb explain`.
pub fn all_refusals(charter: &Charter, call: &ToolCall, scene: &Scene<'_>) -> Vec<Refused> {
    if let Some(refusal) = unusable(charter) {
        return vec![Refused { rule: "charter", refusal }];
    }
    let intent = Intent::of(charter, call, scene);
    let lifted = own::allowed(charter, &intent);
    asked(charter, &intent, lifted).collect()
}

fn asked(charter: &Charter, intent: &Intent<'_>, lifted: bool) -> impl Iterator<Item = Refused> {
    RULES
        .iter()
        .filter(move |rule| !(lifted && rule.liftable))
        .filter_map(|rule| Some(Refused { rule: rule.name, refusal: (rule.ask)(charter, intent)? }))
}

fn unusable(charter: &Charter) -> Option<Refusal> {
    if charter.v > CHARTER_VERSION {
        let message = format!(
            "this session's charter was written by a newer Signalbox (version {}, this one knows {CHARTER_VERSION})",
            charter.v
        );
        return Some(
            Refusal::new("charter.newer", message)
                .hint("Update `sb`, or start a new session with the older one."),
        );
    }
    let broken = charter.broken.as_ref()?;
    let message = format!("this session's charter could not be made: {broken}");
    let hint = "A person can put it right and run `sb session refresh`; until then nothing may run.";
    Some(Refusal::new("charter.broken", message).hint(hint))
}
