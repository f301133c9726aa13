//! What Codex takes for an answer: Claude Code's shape, read strictly.
//!
//! One key that Codex does not know, one that it does not take for this event, or a denial without a reason, and the
//! whole answer is thrown away and the tool runs. So nothing is said here that is not known to be taken. A bare
//! approval before a tool is among what is not taken; the permission request is the place for it.

use serde_json::json;

use super::wire::EVENTS;
use crate::hook::{Answer, Asked, HookKind, Reply};
use crate::payload::name_of;
use crate::say;

pub(crate) fn reply(asked: &Asked, answer: &Answer) -> Reply {
    let event = name_of(asked.kind, EVENTS);
    match answer {
        Answer::Context(text) => context(asked.kind, event, text),
        Answer::Refuse(reason) | Answer::HoldBack(reason) => refuse(asked.kind, event, say::reason(reason)),
        Answer::Approve(_) if asked.kind == HookKind::Permission => say::json(&json!({
            "hookSpecificOutput": { "hookEventName": event, "decision": { "behavior": "allow" } }
        })),
        // Another input is only taken together with an approval.
        Answer::Rewrite { input, approve: true } if asked.kind == HookKind::PreTool => say::json(&json!({
            "hookSpecificOutput": {
                "hookEventName": event, "permissionDecision": "allow", "updatedInput": input,
            }
        })),
        Answer::Nothing | Answer::Approve(_) | Answer::Rewrite { .. } => Reply::default(),
    }
}

fn context(kind: HookKind, event: &str, text: &str) -> Reply {
    match kind {
        HookKind::SessionStart
        | HookKind::Prompt
        | HookKind::SubagentStart
        | HookKind::PreTool
        | HookKind::PostTool => say::json(&json!({
            "hookSpecificOutput": { "hookEventName": event, "additionalContext": say::context(text) }
        })),
        _ => Reply::default(),
    }
}

fn refuse(kind: HookKind, event: &str, reason: &str) -> Reply {
    match kind {
        HookKind::PreTool => say::json(&json!({
            "hookSpecificOutput": {
                "hookEventName": event,
                "permissionDecision": "deny",
                "permissionDecisionReason": reason,
            }
        })),
        HookKind::Permission => say::json(&json!({
            "hookSpecificOutput": {
                "hookEventName": event,
                "decision": { "behavior": "deny", "message": reason },
            }
        })),
        HookKind::Prompt | HookKind::PostTool | HookKind::Stop | HookKind::SubagentStop => {
            say::json(&json!({ "decision": "block", "reason": reason }))
        }
        _ => Reply::default(),
    }
}
