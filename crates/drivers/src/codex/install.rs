//! Where Codex's hooks are written down, and how. It knows no arguments, so each is a line for a shell.

use serde_json::{Value, json};

use super::EVENTS;
use crate::driver::Event;
use crate::install::{CliFile, Contents, Layout, alone, shell_line};
use crate::mcp::Shape;

pub(crate) const FILES: &[CliFile] = &[CliFile {
    folder: ".codex",
    moved: |roots| roots.codex_home,
    user: "hooks.json",
    project: Some(".codex/hooks.json"),
    local: None,
    contents: Contents::Hooks(&LAYOUT),
}];

/// A server is given next to nothing of the environment, so what `sb` needs is named.
pub(crate) const MCP: CliFile = CliFile {
    folder: ".codex",
    moved: |roots| roots.codex_home,
    user: "config.toml",
    project: None,
    local: None,
    contents: Contents::Server(Shape::Toml {
        variables: &["SIGNALBOX_HOME", "SIGNALBOX_SESSION", "SIGNALBOX_AGENT"],
    }),
};

static LAYOUT: Layout = Layout { events: EVENTS, grouped: true, hook, beside: alone, companions: &[] };

fn hook(event: &Event, sb: &str) -> Value {
    json!({ "type": "command", "command": shell_line("codex", event, sb), "timeout": event.seconds })
}
