//! What Gemini CLI sends to a hook: Claude Code's shape with names of its own.

use signalbox_core::call::Action;

use crate::hook::{HookKind, Incoming, WireError};
use crate::payload::{Dialect, Payload};
use crate::tools::{self, Does, Input, Tool, delegates, fetches, inward, reads, writes};

pub(crate) fn parse(kind: Option<HookKind>, bytes: &[u8]) -> Result<Incoming, WireError> {
    Payload::read(bytes)?.incoming(kind, &DIALECT)
}

const DIALECT: Dialect = Dialect { events: EVENTS, tools: TOOLS, machine_prompts: &[] };

pub(crate) const EVENTS: &[(&str, HookKind)] = &[
    ("BeforeTool", HookKind::PreTool),
    ("AfterTool", HookKind::PostTool),
    ("BeforeAgent", HookKind::Prompt),
    ("AfterAgent", HookKind::Stop),
    ("SessionStart", HookKind::SessionStart),
    ("SessionEnd", HookKind::SessionEnd),
    ("Notification", HookKind::Notification),
    ("PreCompress", HookKind::PreCompact),
];

const TOOLS: &[Tool] = &[
    Tool {
        name: "run_shell_command",
        does: Does::Shell { command: &["command"], within: &["dir_path", "directory"] },
    },
    writes("write_file", &["file_path"], &["content"]),
    writes("replace", &["file_path"], &["new_string"]),
    writes("edit", &["file_path"], &["new_string"]),
    reads("read_file", &["file_path", "absolute_path"]),
    reads("read_many_files", &["paths", "include"]),
    Tool { name: "glob", does: Does::Special(tools::glob) },
    reads("search_file_content", &["path", "dir_path"]),
    reads("grep_search", &["path", "dir_path"]),
    reads("list_directory", &["path", "dir_path"]),
    fetches("web_fetch", &["url", "prompt"]),
    fetches("google_web_search", &["query"]),
    Tool { name: "save_memory", does: Does::Special(memory) },
    delegates("invoke_agent", &["prompt"]),
    delegates("delegate_to_agent", &["prompt", "query", "objective", "task"]),
    delegates("codebase_investigator", &["objective"]),
    inward("write_todos"),
    inward("ask_user"),
    inward("enter_plan_mode"),
    inward("exit_plan_mode"),
    inward("activate_skill"),
    inward("get_internal_docs"),
    inward("complete_task"),
];

/// The tool does not say where it writes, yet it is always the same file.
fn memory(input: Input<'_>) -> Result<Option<Action>, WireError> {
    let text = input.first(&["fact"])?.unwrap_or_default();
    Ok(Some(Action::Write { paths: vec!["~/.gemini/GEMINI.md".to_owned()], text }))
}
