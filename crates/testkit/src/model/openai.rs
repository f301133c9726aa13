//! The Responses protocol of OpenAI, which Codex speaks.

use serde_json::{Value, json};

use super::http::Outgoing;
use super::script::{Call, Reply};
use super::{ToolResult, list, text_of};

/// Only a conversation offers tools: the title of a session is asked for without any.
pub(super) fn is_conversation(body: &Value) -> bool {
    !list(&body["tools"]).is_empty()
}

pub(super) fn help(body: &Value) -> Outgoing {
    reply(body, &Reply::Say(r#"{"title":"A test"}"#.to_owned()))
}

pub(super) fn opening(body: &Value) -> String {
    let is_said = |item: &&Value| item["type"] == "message" && item["role"] != "assistant";
    let items = list(&body["input"]).iter().take_while(is_said);
    let mut texts = vec![text_of(&body["instructions"])];
    texts.extend(items.map(|item| text_of(&item["content"])));
    texts.join("\n")
}

pub(super) fn tool_results(body: &Value) -> Vec<ToolResult> {
    let is_result = |item: &&Value| item["type"].as_str().is_some_and(|kind| kind.ends_with("_call_output"));
    let results = list(&body["input"]).iter().filter(is_result).map(|item| ToolResult {
        id: item["call_id"].as_str().unwrap_or_default().to_owned(),
        text: text_of(&item["output"]),
        is_error: false,
    });
    results.collect()
}

pub(super) fn reply(body: &Value, reply: &Reply) -> Outgoing {
    let items: Vec<Value> = match reply {
        Reply::Fail(status, message) => {
            let error = json!({ "error": { "message": message, "type": "server_error" } });
            return Outgoing::json(*status, &error);
        }
        Reply::Say(text) => vec![json!({
            "type": "message",
            "id": "msg_1",
            "role": "assistant",
            "content": [{ "type": "output_text", "text": text, "annotations": [] }],
        })],
        Reply::Call(calls) => calls.iter().map(|call| call_item(body, call)).collect(),
    };
    let mut events = vec![json!({ "type": "response.created", "response": { "id": "resp_1" } })];
    for (index, item) in items.iter().enumerate() {
        let mut begun = item.clone();
        if let Reply::Say(text) = reply {
            begun["content"] = json!([]);
            events.push(added(index, &begun));
            events.push(json!({
                "type": "response.output_text.delta",
                "item_id": item["id"],
                "output_index": index,
                "content_index": 0,
                "delta": text,
            }));
        } else {
            events.push(added(index, &begun));
        }
        events.push(json!({ "type": "response.output_item.done", "output_index": index, "item": item }));
    }
    let usage = json!({
        "input_tokens": 100,
        "input_tokens_details": { "cached_tokens": 30 },
        "output_tokens": 20,
        "output_tokens_details": { "reasoning_tokens": 0 },
        "total_tokens": 120,
    });
    let response = json!({ "id": "resp_1", "usage": usage, "output": items });
    events.push(json!({ "type": "response.completed", "response": response }));
    Outgoing::events(&events)
}

fn added(index: usize, item: &Value) -> Value {
    json!({ "type": "response.output_item.added", "output_index": index, "item": item })
}

fn call_item(body: &Value, call: &Call) -> Value {
    if call.input.is_string() {
        return json!({
            "type": "custom_tool_call",
            "id": format!("ct_{}", call.id),
            "call_id": call.id,
            "name": call.tool,
            "input": call.input,
        });
    }
    let mut item = json!({
        "type": "function_call",
        "id": format!("fc_{}", call.id),
        "call_id": call.id,
        "name": call.tool,
        "arguments": call.input.to_string(),
    });
    if let Some(namespace) = namespace_of(body, &call.tool) {
        item["namespace"] = json!(namespace);
    }
    item
}

/// Some tools, those of MCP servers among them, are offered in groups, and a call must name the group.
fn namespace_of<'a>(body: &'a Value, tool: &str) -> Option<&'a str> {
    let groups = list(&body["tools"]).iter().filter(|group| group["type"] == "namespace");
    let mut holders =
        groups.filter(|group| list(&group["tools"]).iter().any(|member| member["name"] == tool));
    holders.next()?["name"].as_str()
}
