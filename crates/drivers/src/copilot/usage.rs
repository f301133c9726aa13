//! What Copilot CLI says of its usage: each call of the model in its record of events. Its costs are in requests, not in
//! money.

use serde::Deserialize;

use crate::usage::{Count, Reports, Usage};

pub(crate) const REPORTS: Reports = Reports {
    seen_on: "1.0.102",
    line,
    transcript: Some(|session| format!("session-state/{session}/events.jsonl")),
    database: None,
    status_line: None,
};

#[derive(Deserialize)]
struct Line {
    id: String,
    #[serde(rename = "type")]
    kind: String,
    data: Data,
}

#[derive(Deserialize)]
struct Data {
    usage: Option<Tokens>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Tokens {
    model: Option<String>,
    input_tokens: u64,
    cache_read_tokens: u64,
    output_tokens: u64,
}

fn line(text: &str) -> Option<Count> {
    // Most lines are long and are not this.
    if !text.contains("session.usage_record") {
        return None;
    }
    let line: Line = serde_json::from_str(text).ok()?;
    let tokens = line.data.usage.filter(|_| line.kind == "session.usage_record")?;
    let usage = Usage {
        // What came from the cache is counted among the input.
        input_tokens: tokens.input_tokens.saturating_sub(tokens.cache_read_tokens),
        cached_tokens: tokens.cache_read_tokens,
        output_tokens: tokens.output_tokens,
        cost_micros: None,
        model: tokens.model,
    };
    Some(Count::Call { id: line.id, usage })
}
