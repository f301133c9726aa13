//! What Goose takes for an answer: a decision before a tool and at a stop, and nothing else from anybody.

use serde_json::json;

use crate::hook::{Answer, Asked, HookKind, Reply};
use crate::say;

pub(crate) fn reply(asked: &Asked, answer: &Answer) -> Reply {
    match (answer, asked.kind) {
        (
            Answer::Refuse(reason) | Answer::HoldBack(reason),
            HookKind::PreTool | HookKind::Permission | HookKind::Stop,
        ) => say::json(&json!({ "decision": "block", "reason": say::reason(reason) })),
        // Our hook is installed so that Goose refuses when it does not answer, and silence is safest said aloud.
        (_, HookKind::PreTool) => say::json(&json!({ "decision": "allow" })),
        _ => Reply::default(),
    }
}
