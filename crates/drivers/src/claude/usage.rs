//! What Claude Code says of its usage: tokens in the transcript, money to the status line.

use serde::Deserialize;

use crate::usage::{Count, Reports, Usage, micros};

pub(crate) const REPORTS: Reports =
    Reports { seen_on: "2.1.197", line, transcript: None, database: None, status_line: Some(status_line) };

#[derive(Deserialize)]
struct Line {
    #[serde(rename = "type")]
    kind: String,
    message: Option<Message>,
}

#[derive(Deserialize)]
struct Message {
    id: Option<String>,
    model: Option<String>,
    usage: Option<Tokens>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Tokens {
    input_tokens: u64,
    cache_creation_input_tokens: u64,
    cache_read_input_tokens: u64,
    output_tokens: u64,
}

/// Each part of a message is a line of its own, with the usage of the whole.
fn line(text: &str) -> Option<Count> {
    let line: Line = serde_json::from_str(text).ok()?;
    let message = line.message.filter(|_| line.kind == "assistant")?;
    let (id, tokens) = (message.id?, message.usage?);
    let usage = Usage {
        input_tokens: tokens.input_tokens + tokens.cache_creation_input_tokens,
        cached_tokens: tokens.cache_read_input_tokens,
        output_tokens: tokens.output_tokens,
        cost_micros: None,
        model: message.model,
    };
    Some(Count::Call { id, usage })
}

#[derive(Deserialize)]
struct Status {
    cost: Cost,
    model: Option<Model>,
}

#[derive(Deserialize)]
struct Cost {
    total_cost_usd: f64,
}

#[derive(Deserialize)]
struct Model {
    id: Option<String>,
}

/// The tokens in it are those of the last call, so only the money counts.
fn status_line(text: &str) -> Option<Count> {
    let status: Status = serde_json::from_str(text).ok()?;
    let cost_micros = Some(micros(status.cost.total_cost_usd)?);
    let model = status.model.and_then(|model| model.id);
    Some(Count::Total(Usage { cost_micros, model, ..Usage::default() }))
}
