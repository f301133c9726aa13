//! Where Copilot CLI's hooks are written down, and how. Any file in its folder of hooks counts, so ours is our own. The
//! extension that hands over messages comes with them, for all that a person does: a project has no place for one.

use serde_json::{Value, json};

use super::EVENTS;
use super::door::EXTENSION;
use crate::driver::Event;
use crate::install::{CliFile, Contents, Layout, alone, shell_line};
use crate::mcp::{ARGUMENTS, Shape};

pub(crate) const FILES: &[CliFile] = &[
    CliFile {
        folder: ".copilot",
        moved: |roots| roots.copilot_home,
        user: "hooks/signalbox.json",
        project: Some(".github/hooks/signalbox.json"),
        local: None,
        contents: Contents::Hooks(&LAYOUT),
    },
    CliFile {
        folder: ".copilot",
        moved: |roots| roots.copilot_home,
        user: EXTENSION.path,
        project: None,
        local: None,
        contents: Contents::Extension(&EXTENSION),
    },
];

pub(crate) const MCP: CliFile = CliFile {
    folder: ".copilot",
    moved: |roots| roots.copilot_home,
    user: "mcp-config.json",
    project: None,
    local: None,
    contents: Contents::Server(Shape::Json {
        entry: |sb| json!({ "type": "local", "command": sb, "args": ARGUMENTS, "tools": ["*"] }),
    }),
};

static LAYOUT: Layout =
    Layout { events: EVENTS, grouped: false, hook, beside: alone, companions: &[("version", 1)] };

fn hook(event: &Event, sb: &str) -> Value {
    json!({ "type": "command", "bash": shell_line("copilot", event, sb), "timeoutSec": event.seconds })
}
