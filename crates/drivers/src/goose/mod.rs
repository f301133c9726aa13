//! Goose.

mod install;
mod launch;
mod reply;
mod terminal;
mod usage;
mod wire;

use crate::capabilities::{Can, Capabilities};
use crate::door::Door;
use crate::driver::{Driver, Event};
use crate::hook::HookKind;

pub(crate) const DRIVER: Driver = Driver {
    name: "goose",
    title: "Goose",
    programs: &["goose"],
    events: EVENTS,
    files: install::FILES,
    mcp: Some(&install::MCP),
    launch: launch::LAUNCH,
    doors: &[Door::Keyboard],
    usage: Some(usage::REPORTS),
    terminal: terminal::TERMINAL,
    state_file: None,
    title_bar: None,
    capabilities: Capabilities {
        deny_tool: Can::Yes,
        decide_permission: Can::No,
        block_prompt: Can::No,
        context_at_start: Can::No,
        context_with_prompt: Can::No,
        context_around_tools: Can::No,
        context_to_subagents: Can::No,
        hold_back_stop: Can::Yes,
        hold_back_task: Can::No,
        see_interrupt: Can::No,
        see_failure: Can::Partly("not why"),
        see_subagents: Can::No,
        fails_closed: Can::Yes,
        runs_at_once: Can::Yes,
    },
    parse: wire::parse,
    reply: reply::reply,
};

const EVENTS: &[Event] = &[
    Event::answers("SessionStart", HookKind::SessionStart, 30),
    Event::answers("UserPromptSubmit", HookKind::Prompt, 30),
    Event::answers("PreToolUse", HookKind::PreTool, 30),
    Event::answers("PostToolUse", HookKind::PostTool, 30),
    Event::answers("PostToolUseFailure", HookKind::PostToolFailure, 30),
    Event::answers("Stop", HookKind::Stop, 30),
    Event::answers("SessionEnd", HookKind::SessionEnd, 10),
];
