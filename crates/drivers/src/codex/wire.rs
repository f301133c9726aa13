//! What Codex sends to a hook. The shape is Claude Code's; the tools are its own, except that every shell is `Bash`.

use crate::hook::{HookKind, Incoming, WireError};
use crate::payload::{Dialect, Payload};
use crate::tools::{Does, Tool, delegates, fetches, inward, reads, shell};

pub(crate) fn parse(kind: Option<HookKind>, bytes: &[u8]) -> Result<Incoming, WireError> {
    Payload::read(bytes)?.incoming(kind, &DIALECT)
}

const DIALECT: Dialect = Dialect { events: EVENTS, tools: TOOLS, machine_prompts: &["<hook_prompt"] };

pub(crate) const EVENTS: &[(&str, HookKind)] = &[
    ("PreToolUse", HookKind::PreTool),
    ("PostToolUse", HookKind::PostTool),
    ("PermissionRequest", HookKind::Permission),
    ("UserPromptSubmit", HookKind::Prompt),
    ("SessionStart", HookKind::SessionStart),
    ("SessionEnd", HookKind::SessionEnd),
    ("SubagentStart", HookKind::SubagentStart),
    ("SubagentStop", HookKind::SubagentStop),
    ("Stop", HookKind::Stop),
    ("Interrupt", HookKind::Interrupt),
    ("PreCompact", HookKind::PreCompact),
    ("PostCompact", HookKind::PostCompact),
];

const TOOLS: &[Tool] = &[
    shell("Bash", &["command"]),
    Tool { name: "apply_patch", does: Does::Patch { text: &["command", "input", "patch"] } },
    Tool { name: "exec_command", does: Does::Shell { command: &["cmd", "command"], within: &["workdir"] } },
    Tool { name: "shell_command", does: Does::Shell { command: &["command"], within: &["workdir"] } },
    // Text typed into a shell that is already there.
    shell("write_stdin", &["chars"]),
    delegates("spawn_agent", &["message", "prompt"]),
    reads("view_image", &["path"]),
    fetches("web_search", &["query", "url"]),
    inward("update_plan"),
    inward("request_user_input"),
    inward("send_input"),
    inward("send_message"),
    inward("wait"),
    inward("wait_agent"),
    inward("close_agent"),
    inward("resume_agent"),
    inward("list_agents"),
];
