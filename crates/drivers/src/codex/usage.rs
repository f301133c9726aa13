//! What Codex says of its usage: tokens alone, all since the conversation began.

use serde::Deserialize;

use crate::usage::{Count, Reports, Usage};

pub(crate) const REPORTS: Reports =
    Reports { seen_on: "0.166.0", line, transcript: None, database: None, status_line: None };

#[derive(Deserialize)]
struct Line {
    payload: Payload,
}

#[derive(Deserialize)]
struct Payload {
    #[serde(rename = "type")]
    kind: String,
    info: Option<Info>,
}

#[derive(Deserialize)]
struct Info {
    total_token_usage: Tokens,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Tokens {
    input_tokens: u64,
    cached_input_tokens: u64,
    output_tokens: u64,
}

fn line(text: &str) -> Option<Count> {
    // Most lines are long and are not this.
    if !text.contains("token_count") {
        return None;
    }
    let line: Line = serde_json::from_str(text).ok()?;
    let tokens = line.payload.info.filter(|_| line.payload.kind == "token_count")?.total_token_usage;
    Some(Count::Total(Usage {
        // What came from the cache is counted among the input.
        input_tokens: tokens.input_tokens.saturating_sub(tokens.cached_input_tokens),
        cached_tokens: tokens.cached_input_tokens,
        output_tokens: tokens.output_tokens,
        cost_micros: None,
        model: None,
    }))
}
