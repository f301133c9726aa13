//! What Copilot CLI sends to a hook: camelCase without the event's name, or, where the hook was registered under a
//! name in PascalCase, nearly Claude Code's shape.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::hook::{HookKind, Incoming, WireError};
use crate::payload::{Dialect, Field, Payload, text, utf8};
use crate::tools::{self, Does, Tool, delegates, fetches, inward, reads, shell, writes};

pub(crate) fn parse(kind: Option<HookKind>, bytes: &[u8]) -> Result<Incoming, WireError> {
    let wire: Wire<'_> = serde_json::from_str(utf8(bytes)?)?;
    wire.payload().incoming(kind, &DIALECT)
}

const DIALECT: Dialect = Dialect { events: EVENTS, tools: TOOLS, machine_prompts: &[] };

/// Names as Signalbox registers them first: the first of a kind is the one that is assumed where a payload has none.
pub(crate) const EVENTS: &[(&str, HookKind)] = &[
    ("preToolUse", HookKind::PreTool),
    ("postToolUse", HookKind::PostTool),
    ("postToolUseFailure", HookKind::PostToolFailure),
    ("permissionRequest", HookKind::Permission),
    ("userPromptSubmitted", HookKind::Prompt),
    ("sessionStart", HookKind::SessionStart),
    ("sessionEnd", HookKind::SessionEnd),
    ("subagentStart", HookKind::SubagentStart),
    ("subagentStop", HookKind::SubagentStop),
    ("agentStop", HookKind::Stop),
    ("errorOccurred", HookKind::StopFailure),
    ("notification", HookKind::Notification),
    ("preCompact", HookKind::PreCompact),
    ("PreToolUse", HookKind::PreTool),
    ("PostToolUse", HookKind::PostTool),
    ("PostToolUseFailure", HookKind::PostToolFailure),
    ("PermissionRequest", HookKind::Permission),
    ("UserPromptSubmit", HookKind::Prompt),
    ("SessionStart", HookKind::SessionStart),
    ("SessionEnd", HookKind::SessionEnd),
    ("SubagentStart", HookKind::SubagentStart),
    ("SubagentStop", HookKind::SubagentStop),
    ("Stop", HookKind::Stop),
    ("ErrorOccurred", HookKind::StopFailure),
    ("Notification", HookKind::Notification),
    ("PreCompact", HookKind::PreCompact),
];

#[derive(Default, Deserialize)]
#[serde(default)]
struct Wire<'a> {
    #[serde(borrow, alias = "hookName")]
    hook_event_name: Field<'a>,
    #[serde(borrow, alias = "sessionId")]
    session_id: Field<'a>,
    #[serde(borrow)]
    cwd: Field<'a>,
    #[serde(borrow, alias = "transcriptPath")]
    transcript_path: Field<'a>,
    #[serde(borrow, alias = "agentId")]
    agent_id: Field<'a>,
    #[serde(borrow, alias = "agentType")]
    agent_type: Field<'a>,
    #[serde(borrow, alias = "toolName")]
    tool_name: Field<'a>,
    /// `toolArgs` around the call, `toolInput` when permission is asked.
    #[serde(borrow, alias = "toolArgs", alias = "toolInput")]
    tool_input: Field<'a>,
    #[serde(borrow)]
    source: Field<'a>,
    #[serde(borrow)]
    reason: Field<'a>,
    #[serde(borrow)]
    prompt: Field<'a>,
    #[serde(borrow)]
    response: Field<'a>,
    #[serde(borrow, alias = "stopHookActive")]
    stop_hook_active: Field<'a>,
    #[serde(borrow)]
    message: Field<'a>,
    #[serde(borrow, alias = "notificationType")]
    notification_type: Field<'a>,
    #[serde(borrow)]
    trigger: Field<'a>,
    #[serde(borrow)]
    error: Field<'a>,
}

/// An error comes as text or as an object with the text inside.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Failure<'a> {
    #[serde(borrow)]
    message: Field<'a>,
}

impl<'a> Wire<'a> {
    fn payload(&self) -> Payload<'a> {
        Payload {
            session_id: self.session_id,
            transcript_path: self.transcript_path,
            cwd: self.cwd,
            hook_event_name: self.hook_event_name,
            agent_id: self.agent_id,
            agent_type: self.agent_type,
            source: self.source,
            reason: self.reason,
            prompt: self.prompt,
            tool_name: self.tool_name,
            tool_input: self.tool_input,
            error: self.error.map(failure),
            last_assistant_message: self.response,
            stop_hook_active: self.stop_hook_active,
            message: self.message,
            notification_type: self.notification_type,
            trigger: self.trigger,
            ..Payload::default()
        }
    }
}

fn failure(raw: &RawValue) -> &RawValue {
    if text(Some(raw)).is_some() {
        return raw;
    }
    serde_json::from_str::<Failure<'_>>(raw.get()).ok().and_then(|inner| inner.message).unwrap_or(raw)
}

/// Its own names, and those it takes on in the PascalCase style. An MCP server's tools are `<server>-<tool>`, which
/// no table can hold.
const TOOLS: &[Tool] = &[
    shell("bash", &["command"]),
    shell("Bash", &["command"]),
    // Text typed into a shell that is already there.
    shell("write_bash", &["input"]),
    reads("view", &["path", "file_path"]),
    writes("edit", &["path", "file_path"], &["new_str", "new_string", "diff"]),
    writes("create", &["path", "file_path"], &["file_text", "content", "diff"]),
    writes("Edit", &["path", "file_path"], &["new_str", "new_string", "diff"]),
    writes("Write", &["path", "file_path"], &["file_text", "content", "diff"]),
    reads("Read", &["path", "file_path"]),
    Tool { name: "str_replace_editor", does: Does::Special(tools::editor) },
    Tool { name: "apply_patch", does: Does::Patch { text: &["input", "patch", "command"] } },
    reads("grep", &["path", "paths"]),
    reads("rg", &["path", "paths"]),
    Tool { name: "glob", does: Does::Special(tools::glob) },
    delegates("task", &["prompt"]),
    fetches("web_fetch", &["url"]),
    fetches("web_search", &["query"]),
    inward("read_bash"),
    inward("stop_bash"),
    inward("list_bash"),
    inward("report_intent"),
    inward("update_todo"),
    inward("ask_user"),
    inward("exit_plan_mode"),
    inward("skill"),
    inward("read_agent"),
    inward("list_agents"),
    inward("task_complete"),
    inward("fetch_copilot_cli_documentation"),
];
