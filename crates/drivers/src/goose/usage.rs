//! What Goose says of its usage: tokens and money of each conversation, in its database. A subagent's is a conversation of
//! its own.

use serde::Deserialize;

use crate::usage::{Count, Database, Reports, Usage, micros};

pub(crate) const REPORTS: Reports = Reports {
    seen_on: "1.52.0",
    line,
    transcript: None,
    database: Some(Database {
        path: "goose/sessions/sessions.db",
        query: "SELECT json_object('id', id, 'input', accumulated_input_tokens, 'cached', accumulated_cache_read_tokens, \
                'output', accumulated_output_tokens, 'cost', accumulated_cost, \
                'model', json_extract(model_config_json, '$.model_name')) \
                FROM sessions WHERE ?1 IN (id, parent_session_id) ORDER BY id = ?1",
    }),
    status_line: None,
};

#[derive(Deserialize)]
struct Row {
    id: String,
    input: Option<u64>,
    cached: Option<u64>,
    output: Option<u64>,
    cost: Option<f64>,
    model: Option<String>,
}

fn line(text: &str) -> Option<Count> {
    let row: Row = serde_json::from_str(text).ok()?;
    let cached = row.cached.unwrap_or(0);
    let usage = Usage {
        // What came from the cache is counted among the input.
        input_tokens: row.input?.saturating_sub(cached),
        cached_tokens: cached,
        output_tokens: row.output?,
        cost_micros: row.cost.and_then(micros),
        model: row.model,
    };
    Some(Count::Call { id: row.id, usage })
}
