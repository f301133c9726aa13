//! Which CLI sent a payload, from the payload alone.

use serde::Deserialize;
use serde_json::Value;

use crate::driver::{Driver, find};
use crate::payload::{Field, text};

/// The fields by which the CLIs differ. The rest of the payload is skipped, not decoded.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Marks<'a> {
    #[serde(borrow, rename = "sessionId")]
    camel_session: Field<'a>,
    #[serde(borrow, rename = "toolName")]
    camel_tool: Field<'a>,
    #[serde(borrow, rename = "hookName")]
    camel_hook: Field<'a>,
    #[serde(borrow)]
    event: Field<'a>,
    #[serde(borrow)]
    hook_event_name: Field<'a>,
    #[serde(borrow)]
    timestamp: Field<'a>,
    #[serde(borrow)]
    transcript_path: Field<'a>,
    #[serde(borrow)]
    turn_id: Field<'a>,
    #[serde(borrow)]
    prompt_id: Field<'a>,
    #[serde(borrow)]
    session_id: Field<'a>,
}

/// Events that only Gemini has.
const GEMINI_EVENTS: &[&str] = &[
    "BeforeTool",
    "AfterTool",
    "BeforeAgent",
    "AfterAgent",
    "BeforeModel",
    "AfterModel",
    "BeforeToolSelection",
];

/// The CLI that a payload of this shape comes from; `None` where it is no hook payload at all.
pub fn recognise(payload: &Value) -> Option<&'static Driver> {
    recognise_bytes(payload.to_string().as_bytes())
}

/// The same from the bytes as they came, which is cheap: only where the fields begin and end is looked at.
pub fn recognise_bytes(bytes: &[u8]) -> Option<&'static Driver> {
    let marks: Marks<'_> = serde_json::from_slice(bytes).ok()?;
    find(marks.cli()?)
}

impl Marks<'_> {
    fn cli(&self) -> Option<&'static str> {
        if self.camel_session.is_some() || self.camel_tool.is_some() || self.camel_hook.is_some() {
            return Some("copilot");
        }
        let Some(event) = text(self.hook_event_name) else {
            return (self.event.is_some() && self.session_id.is_some()).then_some("goose");
        };
        if GEMINI_EVENTS.contains(&event.as_ref()) {
            return Some("gemini");
        }
        if self.timestamp.is_some() {
            // Copilot imitating Claude Code has a transcript only at a stop, and one of its own.
            let transcript = text(self.transcript_path);
            let of_copilot = transcript.as_deref().is_none_or(|path| path.ends_with("events.jsonl"));
            return Some(if of_copilot { "copilot" } else { "gemini" });
        }
        let transcript = text(self.transcript_path).unwrap_or_default();
        // A display event of Claude Code has a turn too, but its payloads then also have a prompt.
        let of_codex = (self.turn_id.is_some() && self.prompt_id.is_none())
            || event == "Interrupt"
            || transcript.rsplit('/').next().is_some_and(|name| name.starts_with("rollout-"));
        Some(if of_codex { "codex" } else { "claude" })
    }
}
