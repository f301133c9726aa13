//! Where Goose's hooks are written down, and how: a plugin of two files. A hook before a tool says that its own
//! failure is a refusal, which Goose alone among the CLIs lets a hook say.

use serde_json::{Value, json};

use super::EVENTS;
use crate::driver::Event;
use crate::hook::HookKind;
use crate::install::{CliFile, Contents, Layout, alone, shell_line};
use crate::mcp::Shape;

pub(crate) const FILES: &[CliFile] = &[
    CliFile {
        folder: ".agents/plugins/signalbox",
        moved: |_| None,
        user: "plugin.json",
        project: Some(".agents/plugins/signalbox/plugin.json"),
        local: None,
        contents: Contents::Manifest,
    },
    CliFile {
        folder: ".agents/plugins/signalbox",
        moved: |_| None,
        user: "hooks/hooks.json",
        project: Some(".agents/plugins/signalbox/hooks/hooks.json"),
        local: None,
        contents: Contents::Hooks(&LAYOUT),
    },
];

/// Here a server is called an extension.
pub(crate) const MCP: CliFile = CliFile {
    folder: ".config",
    moved: |roots| roots.config_home,
    user: "goose/config.yaml",
    project: None,
    local: None,
    contents: Contents::Server(Shape::Yaml),
};

static LAYOUT: Layout = Layout { events: EVENTS, grouped: true, hook, beside: alone, companions: &[] };

fn hook(event: &Event, sb: &str) -> Value {
    let mut hook =
        json!({ "type": "command", "command": shell_line("goose", event, sb), "timeout": event.seconds });
    if let (HookKind::PreTool, Some(members)) = (event.kind, hook.as_object_mut()) {
        members.insert("on_failure".to_owned(), "block".into());
    }
    hook
}
