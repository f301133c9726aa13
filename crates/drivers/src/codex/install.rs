//! Where Codex's hooks are written down, and how. It knows no arguments, so each is a line for a shell.

use serde_json::{Value, json};

use super::EVENTS;
use crate::driver::Event;
use crate::install::{Contents, HookFile, Layout, alone, shell_line};

pub(crate) const FILES: &[HookFile] = &[HookFile {
    folder: ".codex",
    moved: |roots| roots.codex_home,
    user: "hooks.json",
    project: Some(".codex/hooks.json"),
    local: None,
    contents: Contents::Hooks(&LAYOUT),
}];

static LAYOUT: Layout = Layout { events: EVENTS, grouped: true, hook, beside: alone, companions: &[] };

fn hook(event: &Event, sb: &str) -> Value {
    json!({ "type": "command", "command": shell_line("codex", event, sb), "timeout": event.seconds })
}
