//! What Copilot CLI takes for an answer: flat JSON, or Claude Code's shape where the hook was registered in that
//! style, for the two events where it listens to it.

use serde_json::json;

use crate::hook::{Answer, Asked, HookKind, Reply};
use crate::say;

pub(crate) fn reply(asked: &Asked, answer: &Answer) -> Reply {
    match answer {
        Answer::Context(text) => context(asked, &say::context(text)),
        Answer::Refuse(reason) | Answer::HoldBack(reason) => refuse(asked, say::reason(reason)),
        Answer::Rewrite { input, approve: true } if asked.kind == HookKind::PreTool => {
            say::json(&json!({ "permissionDecision": "allow", "modifiedArgs": input }))
        }
        Answer::Rewrite { input, .. } if asked.kind == HookKind::PreTool => {
            say::json(&json!({ "modifiedArgs": input }))
        }
        Answer::Nothing | Answer::Rewrite { .. } => Reply::default(),
        Answer::Approve(reason) => match asked.kind {
            HookKind::PreTool => decision(asked, "allow", reason),
            HookKind::Permission => say::json(&json!({ "behavior": "allow" })),
            _ => Reply::default(),
        },
    }
}

fn context(asked: &Asked, text: &str) -> Reply {
    match asked.kind {
        HookKind::PreTool if in_claude_style(asked) => say::json(&json!({
            "hookSpecificOutput": { "hookEventName": "PreToolUse", "additionalContext": text }
        })),
        _ if in_claude_style(asked) => Reply::default(),
        HookKind::SessionStart
        | HookKind::Prompt
        | HookKind::SubagentStart
        | HookKind::PreTool
        | HookKind::PostTool => say::json(&json!({ "additionalContext": text })),
        _ => Reply::default(),
    }
}

fn refuse(asked: &Asked, reason: &str) -> Reply {
    match asked.kind {
        HookKind::PreTool => decision(asked, "deny", reason),
        // The request for a permission is in camelCase in either style.
        HookKind::Permission => say::json(&json!({ "behavior": "deny", "message": reason })),
        HookKind::Prompt | HookKind::Stop | HookKind::SubagentStop => {
            say::json(&json!({ "decision": "block", "reason": reason }))
        }
        _ => Reply::default(),
    }
}

fn decision(asked: &Asked, decision: &str, reason: &str) -> Reply {
    if in_claude_style(asked) {
        return say::json(&json!({
            "hookSpecificOutput": {
                "hookEventName": "PreToolUse",
                "permissionDecision": decision,
                "permissionDecisionReason": reason,
            }
        }));
    }
    say::json(&json!({ "permissionDecision": decision, "permissionDecisionReason": reason }))
}

fn in_claude_style(asked: &Asked) -> bool {
    asked.wire_event.starts_with(|first: char| first.is_ascii_uppercase())
}
