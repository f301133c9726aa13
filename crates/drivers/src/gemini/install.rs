//! Where Gemini CLI's hooks are written down, and how. It counts in milliseconds and gives each hook a name.

use serde_json::{Value, json};

use super::EVENTS;
use crate::driver::Event;
use crate::install::{Contents, HookFile, Layout, alone, shell_line};

pub(crate) const FILES: &[HookFile] = &[HookFile {
    folder: ".gemini",
    moved: |_| None,
    user: "settings.json",
    project: Some(".gemini/settings.json"),
    local: None,
    contents: Contents::Hooks(&LAYOUT),
}];

static LAYOUT: Layout = Layout { events: EVENTS, grouped: true, hook, beside: alone, companions: &[] };

fn hook(event: &Event, sb: &str) -> Value {
    json!({
        "type": "command",
        "name": format!("signalbox-{}", event.kind.name()),
        "command": shell_line("gemini", event, sb),
        "timeout": u64::from(event.seconds) * 1000,
    })
}
