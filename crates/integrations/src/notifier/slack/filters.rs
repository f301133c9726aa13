//! What templates for Slack may do with a value.

use serde_json::{Value, json};
use signalbox_template::Filter;

use super::super::notice::title;

pub const FILTERS: &[Filter] = &[
    Filter { name: "event_emoji", apply: |event, _| Ok(json!(emoji(event.as_str().unwrap_or_default()))) },
    Filter { name: "format_title", apply: |event, _| Ok(json!(title(event.as_str().unwrap_or_default()))) },
    Filter { name: "join_present", apply: join_present },
];

/// The sign for an event: by its name, or else by a word in it.
const EMOJI: &[(&str, &str)] = &[
    ("agent.spawned", ":rocket:"),
    ("agent.claimed", ":raising_hand:"),
    ("agent.unclaimed", ":wave:"),
    ("agent.terminated", ":octagonal_sign:"),
    ("hook.unguarded", ":unlock:"),
    ("pending-approval", ":hourglass_flowing_sand:"),
    ("force-takeover", ":warning:"),
    ("completed", ":white_check_mark:"),
    ("approved", ":white_check_mark:"),
    ("failed", ":x:"),
    ("failing", ":x:"),
    ("rejected", ":x:"),
    ("timed-out", ":alarm_clock:"),
    ("timeout", ":alarm_clock:"),
    ("blocke", ":no_entry:"),
    ("stalled", ":zzz:"),
    ("exceeded", ":money_with_wings:"),
    ("warning", ":warning:"),
    ("escalation", ":sos:"),
    ("triggered", ":arrows_counterclockwise:"),
    ("message", ":speech_balloon:"),
    ("spawned", ":rocket:"),
    ("created", ":sparkles:"),
    ("published", ":package:"),
];

pub fn emoji(event: &str) -> &'static str {
    let exact = EMOJI.iter().find(|(name, _)| *name == event);
    let found = exact.or_else(|| EMOJI.iter().find(|(word, _)| event.contains(word)));
    found.map_or(":bell:", |(_, emoji)| emoji)
}

/// Those of a list that say something, with a text between them.
fn join_present(list: &Value, given: &[Value]) -> Result<Value, String> {
    let between = given.first().and_then(Value::as_str).unwrap_or(" · ");
    let Value::Array(items) = list else { return Err("`join_present` takes a list".to_owned()) };
    let present: Vec<String> = items
        .iter()
        .filter(|item| !item.is_null())
        .map(|item| item.as_str().map_or_else(|| item.to_string(), |text| text.trim().to_owned()))
        .filter(|text| !text.is_empty())
        .collect();
    Ok(json!(present.join(between)))
}
