//! The Messages protocol of Anthropic, which Claude Code speaks and Copilot CLI can speak.

use serde_json::{Value, json};

use super::http::Outgoing;
use super::script::{Reply, next_id};
use super::{ToolResult, list, text_of};

/// Only a conversation offers tools: titles, topics and quota checks do not.
pub(super) fn is_conversation(path: &str, body: &Value) -> bool {
    !path.contains("count_tokens") && !list(&body["tools"]).is_empty()
}

pub(super) fn opening(body: &Value) -> String {
    let messages = list(&body["messages"]).iter().take_while(|message| message["role"] != "assistant");
    let mut texts = vec![text_of(&body["system"])];
    texts.extend(messages.map(|message| text_of(&message["content"])));
    texts.join("\n")
}

pub(super) fn tool_results(body: &Value) -> Vec<ToolResult> {
    let parts = list(&body["messages"]).iter().flat_map(|message| list(&message["content"]));
    let results = parts.filter(|part| part["type"] == "tool_result").map(|part| ToolResult {
        id: part["tool_use_id"].as_str().unwrap_or_default().to_owned(),
        text: text_of(&part["content"]),
        is_error: part["is_error"] == true,
    });
    results.collect()
}

pub(super) fn help(path: &str, body: &Value) -> Outgoing {
    if path.contains("count_tokens") {
        return Outgoing::json(200, &json!({ "input_tokens": 10 }));
    }
    reply(body, &Reply::Say("{}".to_owned()))
}

pub(super) fn reply(body: &Value, reply: &Reply) -> Outgoing {
    let (parts, reason) = match reply {
        Reply::Fail(status, words) => return failure(*status, words),
        Reply::Say(text) => (vec![json!({ "type": "text", "text": text })], "end_turn"),
        Reply::Call(calls) => {
            let parts = calls.iter().map(
                |call| json!({ "type": "tool_use", "id": call.id, "name": call.tool, "input": call.input }),
            );
            (parts.collect(), "tool_use")
        }
    };
    let message = json!({
        // Claude Code takes messages of one id for parts of one, and will not compact a single one.
        "id": format!("msg_{}", next_id()),
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": parts,
        "stop_reason": reason,
        "stop_sequence": null,
        "usage": {
            "input_tokens": 100,
            "output_tokens": 20,
            "cache_creation_input_tokens": 7,
            "cache_read_input_tokens": 30,
        },
    });
    if body["stream"] == true { Outgoing::events(&events(message)) } else { Outgoing::json(200, &message) }
}

/// A finished message as the events that build it up.
fn events(message: Value) -> Vec<Value> {
    let end = json!({
        "type": "message_delta",
        "delta": { "stop_reason": message["stop_reason"], "stop_sequence": null },
        "usage": message["usage"],
    });
    let parts = message["content"].clone();
    let mut start = message;
    start["content"] = json!([]);
    start["stop_reason"] = Value::Null;
    let mut events = vec![json!({ "type": "message_start", "message": start })];
    for (index, part) in list(&parts).iter().enumerate() {
        let mut empty = part.clone();
        let delta = if part["type"] == "text" {
            empty["text"] = json!("");
            json!({ "type": "text_delta", "text": part["text"] })
        } else {
            empty["input"] = json!({});
            json!({ "type": "input_json_delta", "partial_json": part["input"].to_string() })
        };
        events.push(json!({ "type": "content_block_start", "index": index, "content_block": empty }));
        events.push(json!({ "type": "content_block_delta", "index": index, "delta": delta }));
        events.push(json!({ "type": "content_block_stop", "index": index }));
    }
    events.push(end);
    events.push(json!({ "type": "message_stop" }));
    events
}

fn failure(status: u16, message: &str) -> Outgoing {
    let kind = match status {
        400 => "invalid_request_error",
        401 => "authentication_error",
        403 => "permission_error",
        404 => "not_found_error",
        429 => "rate_limit_error",
        529 => "overloaded_error",
        _ => "api_error",
    };
    Outgoing::json(status, &json!({ "type": "error", "error": { "type": kind, "message": message } }))
}
