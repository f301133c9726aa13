//! The gates: a tool is about to run, or a permission dialog is open.

use serde_json::json;
use signalbox_core::call::{Action, ToolCall};
use signalbox_core::judge::{self, Refused, Scene};
use signalbox_drivers::{Answer, HookKind, Incoming};

use super::disk::look_from;
use super::{Caller, Trouble, record, speaker, subagent};
use crate::context::Context;

pub fn pre_tool(
    cx: &Context,
    caller: &Caller,
    incoming: &Incoming,
    call: &ToolCall,
) -> Result<Answer, Trouble> {
    let session = speaker::find(cx, caller, incoming)?;
    let refused = with_scene(incoming, |scene| judge::judge(&session.charter, call, scene));
    let mut data = record::of_call(call);
    let permission = if refused.is_some() { "deny" } else { "allow" };
    record::insert(&mut data, "permission", json!(permission));
    record::insert(&mut data, "cwd", json!(speaker::directory(incoming)));
    if let Some(refused) = &refused {
        record::insert(&mut data, "rule", json!(refused.rule));
        record::insert(&mut data, "code", json!(refused.refusal.code));
        record::insert(&mut data, "reason", json!(refused.refusal.message));
    }
    record::write(cx.home()?, &session, HookKind::PreTool, data)?;
    if let Some(refused) = refused {
        return Ok(Answer::Refuse(words(&refused)));
    }
    match &call.action {
        Action::Delegate { prompt, unseen: false } => subagent::announce(cx, &session, call, prompt)?,
        Action::Shell { command } if session.subagent.is_some() => {
            return Ok(subagent::with_identity(&session, command, incoming));
        }
        _ => {}
    }
    Ok(Answer::Nothing)
}

/// A dialog is open. A refusal closes it; an approval too, where a person listed it; else the person decides.
pub fn permission(
    cx: &Context,
    caller: &Caller,
    incoming: &Incoming,
    call: &ToolCall,
) -> Result<Answer, Trouble> {
    let session = speaker::find(cx, caller, incoming)?;
    let charter = &session.charter;
    let refused = with_scene(incoming, |scene| judge::judge(charter, call, scene));
    let approved = with_scene(incoming, |scene| judge::may_approve(charter, call, scene));
    let mut data = record::of_call(call);
    let answer = match (refused, approved) {
        (Some(refused), _) => {
            record::insert(&mut data, "permission", json!("deny"));
            record::insert(&mut data, "rule", json!(refused.rule));
            record::insert(&mut data, "reason", json!(refused.refusal.message));
            Answer::Refuse(words(&refused))
        }
        (None, Some(why)) => {
            record::insert(&mut data, "permission", json!("allow"));
            record::insert(&mut data, "reason", json!(why));
            Answer::Approve(why)
        }
        (None, None) => {
            record::insert(&mut data, "permission", json!("ask"));
            Answer::Nothing
        }
    };
    record::write(cx.home()?, &session, HookKind::Permission, data)?;
    Ok(answer)
}

/// What the agent is told: why not, and what instead.
fn words(refused: &Refused) -> String {
    let hint = refused.refusal.hint.as_deref().unwrap_or_default();
    format!("Signalbox refused this: {}. {hint} (rule: {})", refused.refusal.message, refused.rule)
}

/// Look at a call from where it is made.
pub fn with_scene<T>(incoming: &Incoming, look: impl FnOnce(&Scene<'_>) -> T) -> T {
    look_from(&speaker::directory(incoming), look)
}
