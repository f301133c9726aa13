//! What Claude Code takes for an answer.
//!
//! A denial is JSON with success: exit code 2 would work too, and would show the model the hook's command line. The
//! one exception is an idle teammate, which listens to nothing else.

use serde_json::json;

use super::wire::EVENTS;
use crate::hook::{Answer, Asked, HookKind, Reply};
use crate::payload::name_of;
use crate::say;

pub(crate) fn reply(asked: &Asked, answer: &Answer) -> Reply {
    match answer {
        Answer::Nothing => Reply::default(),
        Answer::Context(text) => context(asked, text),
        Answer::Refuse(reason) | Answer::HoldBack(reason) => refuse(asked, say::reason(reason)),
        Answer::Approve(reason) => approve(asked, reason),
        Answer::Rewrite { input, approve } => rewrite(asked, input, *approve),
    }
}

fn rewrite(asked: &Asked, input: &serde_json::Value, approve: bool) -> Reply {
    if asked.kind != HookKind::PreTool {
        return Reply::default();
    }
    let mut output = json!({ "hookEventName": event(asked), "updatedInput": input });
    if approve {
        output["permissionDecision"] = json!("allow");
    }
    say::json(&json!({ "hookSpecificOutput": output }))
}

/// Only events whose context the model reads without anything else happening: context at a stop, for one, would make
/// the agent go on.
fn context(asked: &Asked, text: &str) -> Reply {
    match asked.kind {
        HookKind::SessionStart
        | HookKind::Prompt
        | HookKind::SubagentStart
        | HookKind::PreTool
        | HookKind::PostTool
        | HookKind::PostToolFailure => say::json(&json!({
            "hookSpecificOutput": { "hookEventName": event(asked), "additionalContext": say::context(text) }
        })),
        _ => Reply::default(),
    }
}

fn refuse(asked: &Asked, reason: &str) -> Reply {
    match asked.kind {
        HookKind::PreTool => say::json(&json!({
            "hookSpecificOutput": {
                "hookEventName": event(asked),
                "permissionDecision": "deny",
                "permissionDecisionReason": reason,
            }
        })),
        HookKind::Permission => say::json(&json!({
            "hookSpecificOutput": {
                "hookEventName": event(asked),
                "decision": { "behavior": "deny", "message": reason },
            }
        })),
        HookKind::Prompt
        | HookKind::PostTool
        | HookKind::PostToolFailure
        | HookKind::Stop
        | HookKind::SubagentStop
        | HookKind::TaskCreated
        | HookKind::TaskCompleted => say::json(&json!({ "decision": "block", "reason": reason })),
        HookKind::TeammateIdle => Reply { stderr: reason.to_owned(), exit: 2, ..Reply::default() },
        _ => Reply::default(),
    }
}

fn approve(asked: &Asked, reason: &str) -> Reply {
    match asked.kind {
        HookKind::PreTool => say::json(&json!({
            "hookSpecificOutput": {
                "hookEventName": event(asked),
                "permissionDecision": "allow",
                "permissionDecisionReason": reason,
            }
        })),
        HookKind::Permission => say::json(&json!({
            "hookSpecificOutput": { "hookEventName": event(asked), "decision": { "behavior": "allow" } }
        })),
        _ => Reply::default(),
    }
}

/// An answer that names another event than the one asked about is thrown away whole, so the name comes from what
/// was asked, not from what was heard.
fn event(asked: &Asked) -> &'static str {
    name_of(asked.kind, EVENTS)
}
