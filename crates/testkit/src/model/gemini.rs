//! The `generateContent` protocol of Gemini, which Gemini CLI speaks.

use serde_json::{Value, json};

use super::http::Outgoing;
use super::script::Reply;
use super::{ToolResult, list, text_of};

/// What the helpers of Gemini CLI look for in an answer: which model to take, and who speaks next.
const HELP: &str = r#"{"reasoning":"none","model_choice":"flash","complexity_reasoning":"none","complexity_score":10,"next_speaker":"user"}"#;

pub(super) fn is_conversation(path: &str, body: &Value) -> bool {
    path.to_ascii_lowercase().contains("generatecontent") && !list(&body["tools"]).is_empty()
}

pub(super) fn opening(body: &Value) -> String {
    let contents = list(&body["contents"]).iter().take_while(|content| content["role"] != "model");
    let mut texts = vec![text_of(&body["systemInstruction"]["parts"])];
    texts.extend(contents.map(|content| text_of(&content["parts"])));
    texts.join("\n")
}

pub(super) fn tool_results(body: &Value) -> Vec<ToolResult> {
    let parts = list(&body["contents"]).iter().flat_map(|content| list(&content["parts"]));
    let results = parts.map(|part| &part["functionResponse"]).filter(|result| result.is_object());
    let results = results.map(|result| {
        let response = &result["response"];
        let is_error = response.get("error").is_some();
        let content = if is_error { &response["error"] } else { &response["output"] };
        ToolResult {
            id: result["id"].as_str().unwrap_or_default().to_owned(),
            text: content.as_str().map_or_else(|| response.to_string(), ToOwned::to_owned),
            is_error,
        }
    });
    results.collect()
}

pub(super) fn help(path: &str) -> Outgoing {
    if path.contains("countTokens") {
        return Outgoing::json(200, &json!({ "totalTokens": 10 }));
    }
    reply(path, &Reply::Say(HELP.to_owned()))
}

pub(super) fn reply(path: &str, reply: &Reply) -> Outgoing {
    let parts: Vec<Value> = match reply {
        Reply::Fail(status, message) => {
            let error = json!({ "error": { "code": status, "message": message, "status": "INTERNAL" } });
            return Outgoing::json(*status, &error);
        }
        Reply::Say(text) => vec![json!({ "text": text })],
        Reply::Call(calls) => calls
            .iter()
            .map(|call| json!({ "functionCall": { "id": call.id, "name": call.tool, "args": call.input } }))
            .collect(),
    };
    let answer = json!({
        "candidates": [{
            "content": { "role": "model", "parts": parts },
            "finishReason": "STOP",
            "index": 0,
        }],
        "usageMetadata": {
            "promptTokenCount": 100, "cachedContentTokenCount": 30, "candidatesTokenCount": 20, "totalTokenCount": 120,
        },
        "modelVersion": "scripted",
    });
    if path.contains("stream") { Outgoing::events(&[answer]) } else { Outgoing::json(200, &answer) }
}
