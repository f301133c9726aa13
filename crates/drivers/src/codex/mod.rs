//! Codex.

mod door;
mod install;
mod launch;
mod reply;
mod terminal;
mod trust;
mod usage;
mod wire;

pub use trust::{TrustEntry, distrust, trust, trust_entries, trust_hash};

use crate::capabilities::{Can, Capabilities};
use crate::driver::{Driver, Event};
use crate::hook::HookKind;

pub(crate) const DRIVER: Driver = Driver {
    name: "codex",
    title: "Codex",
    programs: &["codex"],
    events: EVENTS,
    files: install::FILES,
    mcp: Some(&install::MCP),
    launch: launch::LAUNCH,
    doors: door::DOORS,
    usage: Some(usage::REPORTS),
    terminal: terminal::TERMINAL,
    state_file: None,
    title_bar: Some(terminal::TITLE),
    capabilities: Capabilities {
        deny_tool: Can::Yes,
        decide_permission: Can::Partly("in the TUI; `codex exec` never asks"),
        block_prompt: Can::Yes,
        context_at_start: Can::Yes,
        context_with_prompt: Can::Yes,
        context_around_tools: Can::Yes,
        context_to_subagents: Can::Yes,
        hold_back_stop: Can::Yes,
        hold_back_task: Can::No,
        see_interrupt: Can::Yes,
        see_failure: Can::No,
        see_subagents: Can::Yes,
        fails_closed: Can::No,
        runs_at_once: Can::Partly("after each hook is trusted"),
    },
    parse: wire::parse,
    reply: reply::reply,
};

/// All that it has. It waits no longer than three seconds at an interrupt and at the end, and complains about hooks that
/// ask for more. Each is synchronous: the trust hash covers the command, and a stable one is worth more than the
/// few milliseconds.
const EVENTS: &[Event] = &[
    Event::answers("SessionStart", HookKind::SessionStart, 30),
    Event::answers("UserPromptSubmit", HookKind::Prompt, 30),
    Event::answers("PreToolUse", HookKind::PreTool, 30),
    Event::answers("PermissionRequest", HookKind::Permission, 30),
    Event::answers("PostToolUse", HookKind::PostTool, 30),
    Event::answers("SubagentStart", HookKind::SubagentStart, 30),
    Event::answers("SubagentStop", HookKind::SubagentStop, 30),
    Event::answers("Stop", HookKind::Stop, 30),
    Event::answers("Interrupt", HookKind::Interrupt, 3),
    Event::answers("PreCompact", HookKind::PreCompact, 30),
    Event::answers("PostCompact", HookKind::PostCompact, 30),
    Event::answers("SessionEnd", HookKind::SessionEnd, 3),
];
