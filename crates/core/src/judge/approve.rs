//! Which permission dialogs are answered with yes: only what a person listed, only with a ticket, and only what every
//! rule lets pass. Anything else is left to the person.

use crate::call::{Action, ToolCall};
use crate::charter::Charter;
use crate::glob::text_fits;
use crate::shell::{Effect, GitAct, Nature};

use super::intent::Intent;
use super::judge;
use super::places::Scene;

/// Why the dialog may be answered with yes, if it may.
pub fn may_approve(charter: &Charter, call: &ToolCall, scene: &Scene<'_>) -> Option<String> {
    let approval = charter.approve.as_ref()?;
    let ticket = charter.ticket.as_ref()?;
    if judge(charter, call, scene).is_some() {
        return None;
    }
    let intent = Intent::of(charter, call, scene);
    let listed = match &call.action {
        Action::Shell { .. } => shell(charter, &approval.commands, &intent),
        _ => approval.tools.contains(&call.tool) && stays_inside(charter, &intent),
    };
    listed.then(|| format!("approved for {ticket} by the project's list"))
}

/// Every program must be on the list, or known to change nothing; nothing may be hidden. Whatever goes beyond
/// reading must come from the list alone.
fn shell(charter: &Charter, commands: &[String], intent: &Intent<'_>) -> bool {
    let on_list = |program: &String, arguments: &[String]| {
        let words =
            if arguments.is_empty() { program.clone() } else { format!("{program} {}", arguments.join(" ")) };
        commands.iter().any(|pattern| text_fits(&words, pattern))
    };
    let (mut any, mut all, mut reaches) = (false, true, false);
    for effect in &intent.effects.list {
        match effect {
            Effect::Run { program, arguments, nature } => {
                let listed = on_list(program, arguments);
                any |= listed;
                all &= listed;
                if !listed && *nature != Nature::Reads {
                    return false;
                }
            }
            Effect::Read(_) | Effect::Write(..) | Effect::Enter(_) | Effect::Git(GitAct::Read) => {}
            Effect::Git(_) | Effect::Network { .. } => reaches = true,
            Effect::Opaque(_) => return false,
        }
    }
    any && (all || !reaches) && stays_inside(charter, intent)
}

fn stays_inside(charter: &Charter, intent: &Intent<'_>) -> bool {
    intent.changes.iter().all(|touch| charter.root.as_ref().is_some_and(|root| touch.names.is_below(root)))
}
