//! Claude Code.

mod door;
mod install;
mod launch;
mod plugin;
mod reply;
mod state_file;
mod status_line;
pub mod tasks;
mod terminal;
mod usage;
mod wire;

pub(crate) use door::wake;
pub use plugin::{AGENTS, MCP, PluginFile, PluginParts, marketplace, plugin};
pub use status_line::{install_status_line, other_status_line, uninstall_status_line};

pub(crate) use reply::reply;
pub(crate) use state_file::STATE_FILE;
pub(crate) use usage::REPORTS;
pub(crate) use wire::parse;

use crate::capabilities::{Can, Capabilities};
use crate::driver::{Driver, Event};
use crate::hook::HookKind;

pub(crate) const DRIVER: Driver = Driver {
    name: "claude",
    title: "Claude Code",
    programs: &["claude", "claude-code"],
    events: EVENTS,
    files: install::FILES,
    mcp: Some(&install::MCP),
    launch: launch::LAUNCH,
    doors: door::DOORS,
    usage: Some(REPORTS),
    terminal: terminal::TERMINAL,
    state_file: Some(STATE_FILE),
    title_bar: Some(state_file::TITLE),
    capabilities: Capabilities {
        deny_tool: Can::Yes,
        decide_permission: Can::Partly("interactive sessions only"),
        block_prompt: Can::Yes,
        context_at_start: Can::Yes,
        context_with_prompt: Can::Yes,
        context_around_tools: Can::Yes,
        context_to_subagents: Can::Yes,
        hold_back_stop: Can::Partly("at most 8 times in a row"),
        hold_back_task: Can::Yes,
        see_interrupt: Can::No,
        see_failure: Can::Yes,
        see_subagents: Can::Yes,
        fails_closed: Can::No,
        runs_at_once: Can::Yes,
    },
    parse,
    reply,
};

/// Every event of the hook set. `WorktreeCreate` is left out because a hook on it replaces Claude Code's own way of
/// making worktrees, `MessageDisplay` because it starts a process for every flush of the screen. `SessionEnd` has
/// 1.5 seconds unless it says otherwise. Claude Code waits for the hook after a tool, because a message for an agent at work
/// goes in there: what a hook says that nobody waits for may stay unread until the next prompt.
const EVENTS: &[Event] = &[
    Event::answers("SessionStart", HookKind::SessionStart, 30),
    Event::answers("UserPromptSubmit", HookKind::Prompt, 30),
    Event::answers("PreToolUse", HookKind::PreTool, 30),
    Event::answers("PostToolUse", HookKind::PostTool, 30),
    Event::answers("PostToolUseFailure", HookKind::PostToolFailure, 30),
    Event::answers("PermissionRequest", HookKind::Permission, 30),
    Event::answers("SubagentStart", HookKind::SubagentStart, 30),
    Event::records("SubagentStop", HookKind::SubagentStop, 30),
    Event::answers("TaskCreated", HookKind::TaskCreated, 30),
    Event::answers("TaskCompleted", HookKind::TaskCompleted, 30),
    Event::answers("TeammateIdle", HookKind::TeammateIdle, 30),
    Event::answers("Stop", HookKind::Stop, 30),
    Event::records("StopFailure", HookKind::StopFailure, 30),
    Event::records("Notification", HookKind::Notification, 30),
    Event::answers("PreCompact", HookKind::PreCompact, 30),
    Event::records("PostCompact", HookKind::PostCompact, 30),
    Event::answers("SessionEnd", HookKind::SessionEnd, 10),
];
