//! What Gemini CLI says of its usage: tokens alone, in the record of the conversation. What it spends beside it, such as on
//! choosing a model, is not there.

use serde::Deserialize;

use crate::usage::{Count, Reports, Usage};

pub(crate) const REPORTS: Reports =
    Reports { seen_on: "0.61.0", line, transcript: None, database: None, status_line: None };

#[derive(Deserialize)]
struct Line {
    id: String,
    #[serde(rename = "type")]
    kind: String,
    tokens: Option<Tokens>,
    model: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Tokens {
    input: u64,
    cached: u64,
    output: u64,
    thoughts: u64,
}

fn line(text: &str) -> Option<Count> {
    let line: Line = serde_json::from_str(text).ok()?;
    let tokens = line.tokens.filter(|_| line.kind == "gemini")?;
    let usage = Usage {
        // What came from the cache is counted among the input.
        input_tokens: tokens.input.saturating_sub(tokens.cached),
        cached_tokens: tokens.cached,
        output_tokens: tokens.output + tokens.thoughts,
        cost_micros: None,
        model: line.model,
    };
    Some(Count::Call { id: line.id, usage })
}
