//! Where Claude Code's hooks are written down, and how.
//!
//! Each is a program with arguments, not a line for a shell: that spares a process, and no shell can read anything into
//! the path. The hook before a tool is started by a shell all the same, because Claude Code runs the tool when the
//! hook dies or is gone.

use serde_json::{Value, json};

use super::EVENTS;
use crate::driver::Event;
use crate::hook::HookKind;
use crate::install::{CliFile, Contents, Layout, guarded};
use crate::mcp::{ARGUMENTS, Shape};

pub(crate) const FILES: &[CliFile] = &[CliFile {
    folder: ".claude",
    moved: |roots| roots.claude_config_dir,
    user: "settings.json",
    project: Some(".claude/settings.json"),
    local: Some(".claude/settings.local.json"),
    contents: Contents::Hooks(&LAYOUT),
}];

/// Its state and the servers of all projects stand in one file, beside the folder or, where that was moved, in it.
pub(crate) const MCP: CliFile = CliFile {
    folder: "",
    moved: |roots| roots.claude_config_dir,
    user: ".claude.json",
    project: None,
    local: None,
    contents: Contents::Server(Shape::Json {
        entry: |sb| json!({ "type": "stdio", "command": sb, "args": ARGUMENTS }),
    }),
};

pub(crate) static LAYOUT: Layout = Layout { events: EVENTS, grouped: true, hook, beside, companions: &[] };

fn hook(event: &Event, sb: &str) -> Value {
    let (program, arguments) = match event.kind {
        HookKind::PreTool => ("/bin/sh", json!(["-c", guarded("claude", event.kind, "\"$0\""), sb])),
        kind => (sb, json!(["hook", kind.name(), "--cli", "claude"])),
    };
    let mut hook = json!({
        "type": "command", "command": program, "args": arguments, "timeout": event.seconds,
    });
    if let (false, Some(members)) = (event.waits, hook.as_object_mut()) {
        members.insert("async".to_owned(), Value::Bool(true));
    }
    hook
}

/// Where a session begins and where a turn ends, a waiter is left behind: it ends when there is a message for the agent,
/// and wakes it. A second one for the same session ends at once. It may wait for a day, which is the longest that
/// Claude Code lets it live.
fn beside(event: &Event, sb: &str) -> Option<Value> {
    matches!(event.kind, HookKind::SessionStart | HookKind::Stop).then(|| {
        json!({
            "type": "command", "command": sb, "args": super::door::WAIT, "timeout": 86_400, "asyncRewake": true,
        })
    })
}
