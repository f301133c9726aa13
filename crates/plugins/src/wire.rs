//! What goes to a plugin and what comes back. Fields are added, never renamed; a plugin ignores what it does not know.
//!
//! In: `{"v":1,"event":{…},"config":{…},"plugin":"name","decide":false}`, the event as it stands in the log.
//! Out, where it is asked: nothing, or `{"allow":true}`, or `{"allow":false,"reason":"…","hint":"…"}`.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use signalbox_core::Event;
use signalbox_core::plugin::Plugin;

/// The `v` of what a plugin is told.
pub const VERSION: u32 = 1;
/// The most that is kept of a reason or a hint, in characters.
const MOST_WORDS: usize = 1_000;

/// What a plugin is told.
#[derive(Debug, Serialize)]
pub struct Told<'a> {
    v: u32,
    event: &'a Event,
    config: &'a Map<String, Value>,
    plugin: &'a str,
    /// Whether it is asked; if not, the event has happened.
    decide: bool,
}

impl<'a> Told<'a> {
    pub fn new(plugin: &'a Plugin, event: &'a Event) -> Self {
        Self { v: VERSION, event, config: &plugin.config, plugin: &plugin.name, decide: plugin.decides }
    }
}

/// What a plugin says of an event that it is asked about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    Allow,
    Refuse { reason: Option<String>, hint: Option<String> },
}

#[derive(Deserialize)]
struct WireAnswer {
    #[serde(default = "yes")]
    allow: bool,
    #[serde(default)]
    reason: Option<String>,
    #[serde(default)]
    hint: Option<String>,
}

fn yes() -> bool {
    true
}

impl Answer {
    /// Who prints nothing has nothing against it.
    pub fn parse(printed: &str) -> serde_json::Result<Self> {
        if printed.trim().is_empty() {
            return Ok(Self::Allow);
        }
        let answer: WireAnswer = serde_json::from_str(printed)?;
        let words = |text: Option<String>| {
            let text: String = text?.trim().chars().take(MOST_WORDS).collect();
            if text.is_empty() { None } else { Some(text) }
        };
        Ok(if answer.allow {
            Self::Allow
        } else {
            Self::Refuse { reason: words(answer.reason), hint: words(answer.hint) }
        })
    }
}
