//! Copilot CLI.

mod door;
mod install;
mod launch;
mod reply;
mod terminal;
mod usage;
mod wire;

use crate::capabilities::{Can, Capabilities};
use crate::driver::{Driver, Event};
use crate::hook::HookKind;

pub(crate) const DRIVER: Driver = Driver {
    name: "copilot",
    title: "Copilot CLI",
    programs: &["copilot"],
    events: EVENTS,
    files: install::FILES,
    mcp: Some(&install::MCP),
    launch: launch::LAUNCH,
    doors: door::DOORS,
    usage: Some(usage::REPORTS),
    terminal: terminal::TERMINAL,
    state_file: None,
    title_bar: None,
    capabilities: Capabilities {
        deny_tool: Can::Yes,
        decide_permission: Can::Yes,
        block_prompt: Can::Yes,
        context_at_start: Can::Yes,
        context_with_prompt: Can::Yes,
        context_around_tools: Can::Yes,
        context_to_subagents: Can::Yes,
        hold_back_stop: Can::Yes,
        hold_back_task: Can::No,
        see_interrupt: Can::Untried,
        see_failure: Can::Partly("not a command that fails"),
        see_subagents: Can::Yes,
        fails_closed: Can::Partly("on a failing exit, not on a timeout or broken output"),
        runs_at_once: Can::Partly("user hooks; a project's in a trusted folder"),
    },
    parse: wire::parse,
    reply: reply::reply,
};

const EVENTS: &[Event] = &[
    Event::answers("sessionStart", HookKind::SessionStart, 30),
    Event::answers("userPromptSubmitted", HookKind::Prompt, 30),
    Event::answers("preToolUse", HookKind::PreTool, 30),
    Event::answers("permissionRequest", HookKind::Permission, 30),
    Event::answers("postToolUse", HookKind::PostTool, 30),
    Event::answers("postToolUseFailure", HookKind::PostToolFailure, 30),
    Event::answers("subagentStart", HookKind::SubagentStart, 30),
    Event::answers("subagentStop", HookKind::SubagentStop, 30),
    Event::answers("agentStop", HookKind::Stop, 30),
    Event::answers("errorOccurred", HookKind::StopFailure, 30),
    Event::answers("notification", HookKind::Notification, 30),
    Event::answers("preCompact", HookKind::PreCompact, 30),
    Event::answers("sessionEnd", HookKind::SessionEnd, 10),
];
