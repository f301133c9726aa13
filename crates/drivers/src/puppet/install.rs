//! Where the puppet's hooks are written down, and how: as Claude Code's are.

use serde_json::{Value, json};

use super::EVENTS;
use crate::driver::Event;
use crate::hook::HookKind;
use crate::install::{CliFile, Contents, Layout};

pub(crate) const FILES: &[CliFile] = &[CliFile {
    folder: ".puppet",
    moved: |_| None,
    user: "settings.json",
    project: Some(".puppet/settings.json"),
    local: None,
    contents: Contents::Hooks(&LAYOUT),
}];

static LAYOUT: Layout = Layout { events: EVENTS, grouped: true, hook, beside, companions: &[] };

/// What the waiter is, after `sb`.
pub(crate) const WAIT: [&str; 4] = ["hook", "wait", "--cli", "puppet"];

fn hook(event: &Event, sb: &str) -> Value {
    let arguments = ["hook", event.kind.name(), "--cli", "puppet"];
    json!({ "type": "command", "command": sb, "args": arguments, "timeout": event.seconds, "async": !event.waits })
}

fn beside(event: &Event, sb: &str) -> Option<Value> {
    matches!(event.kind, HookKind::SessionStart | HookKind::Stop).then(
        || json!({ "type": "command", "command": sb, "args": WAIT, "timeout": 86_400, "asyncRewake": true }),
    )
}
