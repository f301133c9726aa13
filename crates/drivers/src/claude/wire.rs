//! What Claude Code sends to a hook.

use signalbox_core::call::Action;

use crate::hook::{HookKind, Incoming, WireError};
use crate::payload::{Dialect, Payload};
use crate::tools::{self, Does, Input, Tool, delegates, fetches, inward, reads, shell, writes};
use crate::unheard;

pub(crate) fn parse(kind: Option<HookKind>, bytes: &[u8]) -> Result<Incoming, WireError> {
    Payload::read(bytes)?.incoming(kind, &DIALECT)
}

const DIALECT: Dialect = Dialect { events: EVENTS, tools: TOOLS, machine_prompts: MACHINE_PROMPTS };

pub(crate) const EVENTS: &[(&str, HookKind)] = &[
    ("PreToolUse", HookKind::PreTool),
    ("PostToolUse", HookKind::PostTool),
    ("PostToolUseFailure", HookKind::PostToolFailure),
    ("PermissionRequest", HookKind::Permission),
    ("UserPromptSubmit", HookKind::Prompt),
    ("SessionStart", HookKind::SessionStart),
    ("SessionEnd", HookKind::SessionEnd),
    ("SubagentStart", HookKind::SubagentStart),
    ("SubagentStop", HookKind::SubagentStop),
    ("TaskCreated", HookKind::TaskCreated),
    ("TaskCompleted", HookKind::TaskCompleted),
    ("TeammateIdle", HookKind::TeammateIdle),
    ("Stop", HookKind::Stop),
    ("StopFailure", HookKind::StopFailure),
    ("Notification", HookKind::Notification),
    ("PreCompact", HookKind::PreCompact),
    ("PostCompact", HookKind::PostCompact),
];

/// A background task's report, a hook's wake-up and a teammate's message come as prompts.
const MACHINE_PROMPTS: &[&str] = &[
    "<task-notification>",
    "[SYSTEM NOTIFICATION",
    "<teammate-message",
    "Another Claude session sent a message",
];

/// The tools, most used first. A skill brings instructions; what the agent then does comes through here again.
const TOOLS: &[Tool] = &[
    shell("Bash", &["command"]),
    reads("Read", &["file_path"]),
    writes("Edit", &["file_path"], &["new_string", "edits"]),
    writes("Write", &["file_path"], &["content"]),
    reads("Grep", &["path"]),
    Tool { name: "Glob", does: Does::Special(tools::glob) },
    writes("MultiEdit", &["file_path"], &["edits"]),
    writes("NotebookEdit", &["notebook_path"], &["new_source"]),
    reads("NotebookRead", &["notebook_path"]),
    reads("LS", &["path"]),
    reads("LSP", &["filePath", "file_path"]),
    fetches("WebFetch", &["url"]),
    fetches("WebSearch", &["query"]),
    delegates("Agent", &["prompt"]),
    delegates("Task", &["prompt"]),
    delegates("Workflow", &["script", "prompt", "name"]),
    delegates("CronCreate", &["prompt"]),
    delegates("ScheduleWakeup", &["prompt"]),
    shell("Monitor", &["command"]),
    Tool { name: "EnterWorktree", does: Does::Special(worktree) },
    Tool { name: "ExitWorktree", does: Does::Unheard },
    inward("TaskCreate"),
    inward("TaskUpdate"),
    inward("TaskList"),
    inward("TaskGet"),
    inward("TaskOutput"),
    inward("TaskStop"),
    inward("TodoWrite"),
    inward("TodoRead"),
    inward("AskUserQuestion"),
    inward("EnterPlanMode"),
    inward("ExitPlanMode"),
    inward("Skill"),
    inward("SendMessage"),
    inward("BashOutput"),
    inward("KillShell"),
    inward("KillBash"),
    inward("AgentOutputTool"),
    inward("ToolSearch"),
    inward("StructuredOutput"),
    inward("CronList"),
    inward("CronDelete"),
];

/// A worktree that is only named lies at a known place.
fn worktree(input: Input<'_>) -> Result<Option<Action>, WireError> {
    let mut gathered = unheard::gather(input.0)?;
    if let (Action::Unheard { paths, .. }, Some(name)) = (&mut gathered, input.first(&["name"])?) {
        paths.push(format!(".claude/worktrees/{name}"));
    }
    Ok(Some(gathered))
}
