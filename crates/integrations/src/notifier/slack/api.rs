//! What Slack answers, and what it means.

use serde::Deserialize;
use serde_json::{Value, json};

use super::super::Untold;
use super::super::http::refusal;
use crate::http::Response;

const SLACK: &str = "Slack";

#[derive(Debug, Deserialize)]
struct Posted {
    ok: bool,
    error: Option<String>,
    /// Which message it became.
    ts: Option<String>,
}

/// The message that everything about this agent stands under. One in another channel is none.
pub fn thread(remembered: &Value, channel: &str, seed: Option<&str>) -> Option<String> {
    let is_here = remembered.get("channel").and_then(Value::as_str) == Some(channel);
    let known = remembered.get("thread_ts").and_then(Value::as_str).filter(|_| is_here);
    known.or(seed).map(ToOwned::to_owned)
}

pub fn remember(channel: &str, thread: Option<String>) -> Value {
    thread.map_or(Value::Null, |thread| json!({ "channel": channel, "thread_ts": thread }))
}

pub fn message(mut message: Value, channel: &str, thread: Option<&str>) -> Value {
    if let Some(fields) = message.as_object_mut() {
        fields.insert("channel".to_owned(), json!(channel));
        if let Some(thread) = thread {
            fields.insert("thread_ts".to_owned(), json!(thread));
        }
    }
    message
}

/// What a webhook answered: `ok`, or one word that says why not.
pub fn by_webhook(response: &Response) -> Result<(), Untold> {
    if response.succeeded() {
        return Ok(());
    }
    let word = std::str::from_utf8(&response.body).unwrap_or_default().trim();
    Err(known(word).unwrap_or_else(|| refusal(SLACK, response)))
}

/// What was answered to a bot: which message it became.
pub fn by_bot(response: &Response) -> Result<Option<String>, Untold> {
    if !response.succeeded() {
        return Err(refusal(SLACK, response));
    }
    let posted: Posted = serde_json::from_slice(&response.body)
        .map_err(|_| Untold::passing("Slack answered with something that is none of its answers"))?;
    if posted.ok {
        return Ok(posted.ts);
    }
    let word = posted.error.unwrap_or_default();
    let word: String = word.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').take(60).collect();
    Err(known(&word).unwrap_or_else(|| Untold::lasting(format!("Slack does not take it: `{word}`"))))
}

/// The words that Slack has for what went wrong.
fn known(word: &str) -> Option<Untold> {
    let lasting = |what: &str| Some(Untold::lasting(what));
    match word {
        "invalid_auth" | "not_authed" => {
            lasting("Slack does not know the token; copy the bot's own (`xoxb-…`) into `token` again")
        }
        "account_inactive" | "token_revoked" | "token_expired" => lasting(
            "Slack's token is no longer valid; install the app in the workspace again, and set the new `token`",
        ),
        "missing_scope" | "no_permission" => {
            lasting("the bot may not post; give it the scope `chat:write` and install the app again")
        }
        "channel_not_found" => lasting(
            "Slack knows no such channel, or the bot does not see it; check `channel`, and invite the bot to it",
        ),
        "not_in_channel" => lasting("the bot is not in the channel; invite it there with `/invite`"),
        "is_archived" | "channel_is_archived" => lasting("the channel is archived; choose another"),
        "restricted_action" | "action_prohibited" | "posting_to_general_channel_denied" => lasting(
            "the workspace does not let the app post there; ask who runs it, or choose another channel",
        ),
        "no_service" | "no_service_id" | "no_team" | "team_disabled" | "invalid_token" | "user_not_found" => {
            lasting("Slack knows no such webhook any more; make a new one and set it as `webhook_url`")
        }
        "invalid_blocks"
        | "invalid_blocks_format"
        | "invalid_payload"
        | "msg_too_long"
        | "msg_blocks_too_long" => {
            lasting("Slack cannot show what the template makes; see `sb templates check`")
        }
        "thread_not_found" | "invalid_thread_ts" | "cannot_reply_to_message" => {
            lasting("Slack knows no message to answer to; check `thread_ts`")
        }
        "ratelimited" | "rate_limited" | "message_limit_exceeded" => {
            Some(Untold::passing("Slack asks to wait"))
        }
        "internal_error" | "fatal_error" | "service_unavailable" | "request_timeout" | "rollup_error" => {
            Some(Untold::passing("Slack has trouble of its own"))
        }
        _ => None,
    }
}
