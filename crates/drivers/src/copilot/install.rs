//! Where Copilot CLI's hooks are written down, and how. Any file in its folder of hooks counts, so ours is our own.

use serde_json::{Value, json};

use super::EVENTS;
use crate::driver::Event;
use crate::install::{Contents, HookFile, Layout, alone, shell_line};

pub(crate) const FILES: &[HookFile] = &[HookFile {
    folder: ".copilot",
    moved: |roots| roots.copilot_home,
    user: "hooks/signalbox.json",
    project: Some(".github/hooks/signalbox.json"),
    local: None,
    contents: Contents::Hooks(&LAYOUT),
}];

static LAYOUT: Layout =
    Layout { events: EVENTS, grouped: false, hook, beside: alone, companions: &[("version", 1)] };

fn hook(event: &Event, sb: &str) -> Value {
    json!({ "type": "command", "bash": shell_line("copilot", event, sb), "timeoutSec": event.seconds })
}
