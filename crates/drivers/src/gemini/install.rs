//! Where Gemini CLI's hooks are written down, and how. It counts in milliseconds and gives each hook a name.

use serde_json::{Value, json};

use super::EVENTS;
use crate::driver::Event;
use crate::install::{CliFile, Contents, Layout, alone, shell_line};
use crate::mcp::{ARGUMENTS, Shape};

pub(crate) const FILES: &[CliFile] = &[CliFile {
    folder: ".gemini",
    moved: |roots| roots.gemini_folder,
    user: "settings.json",
    project: Some(".gemini/settings.json"),
    local: None,
    contents: Contents::Hooks(&LAYOUT),
}];

pub(crate) const MCP: CliFile = CliFile {
    folder: ".gemini",
    moved: |roots| roots.gemini_folder,
    user: "settings.json",
    project: None,
    local: None,
    contents: Contents::Server(Shape::Json { entry: |sb| json!({ "command": sb, "args": ARGUMENTS }) }),
};

static LAYOUT: Layout = Layout { events: EVENTS, grouped: true, hook, beside: alone, companions: &[] };

fn hook(event: &Event, sb: &str) -> Value {
    json!({
        "type": "command",
        "name": format!("signalbox-{}", event.kind.name()),
        "command": shell_line("gemini", event, sb),
        "timeout": u64::from(event.seconds) * 1000,
    })
}
