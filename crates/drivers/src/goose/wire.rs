//! What Goose sends to a hook.

use serde::Deserialize;

use crate::hook::{HookKind, Incoming, WireError};
use crate::payload::{Dialect, Field, Payload, utf8};
use crate::tools::{self, Does, Tool, delegates_unseen, inward, reads, shell, writes};

pub(crate) fn parse(kind: Option<HookKind>, bytes: &[u8]) -> Result<Incoming, WireError> {
    let wire: Wire<'_> = serde_json::from_str(utf8(bytes)?)?;
    wire.payload().incoming(kind, &DIALECT)
}

const DIALECT: Dialect = Dialect { events: EVENTS, tools: TOOLS, machine_prompts: &[] };

pub(crate) const EVENTS: &[(&str, HookKind)] = &[
    ("PreToolUse", HookKind::PreTool),
    ("PostToolUse", HookKind::PostTool),
    ("PostToolUseFailure", HookKind::PostToolFailure),
    ("UserPromptSubmit", HookKind::Prompt),
    ("SessionStart", HookKind::SessionStart),
    ("SessionEnd", HookKind::SessionEnd),
    ("Stop", HookKind::Stop),
];

#[derive(Default, Deserialize)]
#[serde(default)]
struct Wire<'a> {
    #[serde(borrow)]
    event: Field<'a>,
    #[serde(borrow)]
    session_id: Field<'a>,
    #[serde(borrow)]
    working_dir: Field<'a>,
    #[serde(borrow)]
    tool_name: Field<'a>,
    #[serde(borrow)]
    tool_input: Field<'a>,
    #[serde(borrow)]
    tool_call_id: Field<'a>,
    /// The prompt, when one is sent. Nothing says why a tool failed.
    #[serde(borrow)]
    message: Field<'a>,
    #[serde(borrow)]
    last_assistant_message: Field<'a>,
}

impl<'a> Wire<'a> {
    fn payload(&self) -> Payload<'a> {
        Payload {
            hook_event_name: self.event,
            session_id: self.session_id,
            cwd: self.working_dir,
            tool_name: self.tool_name,
            tool_input: self.tool_input,
            tool_use_id: self.tool_call_id,
            prompt: self.message,
            last_assistant_message: self.last_assistant_message,
            ..Payload::default()
        }
    }
}

/// Its own tools as of 1.52.0, with those of earlier versions, whose names began with that of their extension. What a subagent
/// does runs no hooks, and neither may what code, other sessions and further extensions do.
const TOOLS: &[Tool] = &[
    shell("shell", &["command"]),
    writes("write", &["path"], &["content"]),
    writes("edit", &["path"], &["after"]),
    reads("tree", &["path"]),
    reads("read_image", &["source"]),
    reads("analyze", &["path"]),
    inward("load"),
    inward("load_skill"),
    shell("developer__shell", &["command"]),
    writes("developer__write", &["path"], &["content"]),
    writes("developer__edit", &["path"], &["after"]),
    reads("developer__tree", &["path"]),
    reads("developer__read_image", &["source"]),
    Tool { name: "developer__text_editor", does: Does::Special(tools::editor) },
    reads("developer__analyze", &["path"]),
    reads("developer__image_processor", &["path"]),
    Tool { name: "developer__screen_capture", does: Does::Inward },
    delegates_unseen("delegate", &["instructions", "prompt", "source"]),
    delegates_unseen("execute_typescript", &["code"]),
    delegates_unseen("execute_bash", &["command", "code"]),
    delegates_unseen("code_execution__execute_typescript", &["code"]),
    delegates_unseen("orchestrator__start_agent", &["prompt"]),
    delegates_unseen("orchestrator__send_message", &["message"]),
    delegates_unseen("platform__manage_schedule", &["action"]),
    delegates_unseen("extensionmanager__manage_extensions", &["extension_name"]),
    delegates_unseen("subagent__execute_task", &["instructions", "prompt"]),
    inward("todo__todo_write"),
    inward("todo__todo_read"),
    inward("todo__write"),
    inward("todo__read"),
];
