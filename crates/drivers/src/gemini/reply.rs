//! What Gemini CLI takes for an answer. It has no hook that answers its permission dialog, and `"ask"` hangs where
//! nobody is there to be asked, so an approval is silence.

use serde_json::json;

use super::wire::EVENTS;
use crate::hook::{Answer, Asked, HookKind, Reply};
use crate::payload::name_of;
use crate::say;

pub(crate) fn reply(asked: &Asked, answer: &Answer) -> Reply {
    match (answer, asked.kind) {
        (Answer::Context(text), HookKind::SessionStart | HookKind::Prompt | HookKind::PostTool) => {
            say::json(&json!({
                "hookSpecificOutput": {
                    "hookEventName": name_of(asked.kind, EVENTS),
                    "additionalContext": say::context(text),
                }
            }))
        }
        (Answer::Rewrite { input, .. }, HookKind::PreTool) => say::json(&json!({
            "hookSpecificOutput": { "hookEventName": name_of(asked.kind, EVENTS), "tool_input": input }
        })),
        // A permission request is not a hook of this CLI; should it become one, a refusal must not be silence.
        (
            Answer::Refuse(reason) | Answer::HoldBack(reason),
            HookKind::PreTool | HookKind::Permission | HookKind::Prompt | HookKind::PostTool | HookKind::Stop,
        ) => say::json(&json!({ "decision": "deny", "reason": say::reason(reason) })),
        _ => Reply::default(),
    }
}
