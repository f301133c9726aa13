//! Gemini CLI.

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
    name: "gemini",
    title: "Gemini CLI",
    programs: &["gemini"],
    events: EVENTS,
    files: install::FILES,
    mcp: Some(&install::MCP),
    launch: launch::LAUNCH,
    doors: &[Door::Keyboard],
    usage: Some(usage::REPORTS),
    terminal: terminal::TERMINAL,
    state_file: None,
    title_bar: Some(terminal::TITLE),
    capabilities: Capabilities {
        deny_tool: Can::Yes,
        decide_permission: Can::No,
        block_prompt: Can::Yes,
        context_at_start: Can::Yes,
        context_with_prompt: Can::Yes,
        context_around_tools: Can::Partly("after the tool only"),
        context_to_subagents: Can::No,
        hold_back_stop: Can::Yes,
        hold_back_task: Can::No,
        see_interrupt: Can::Partly("as a stop"),
        see_failure: Can::No,
        see_subagents: Can::Partly("their tools, but not whose they are"),
        fails_closed: Can::No,
        runs_at_once: Can::Partly("in a trusted folder"),
    },
    parse: wire::parse,
    reply: reply::reply,
};

/// `PreCompress` is left out: it fires before every call of the model, whether anything is compressed or not.
const EVENTS: &[Event] = &[
    Event::answers("SessionStart", HookKind::SessionStart, 30),
    Event::answers("BeforeAgent", HookKind::Prompt, 30),
    Event::answers("BeforeTool", HookKind::PreTool, 30),
    Event::answers("AfterTool", HookKind::PostTool, 30),
    Event::answers("AfterAgent", HookKind::Stop, 30),
    Event::answers("Notification", HookKind::Notification, 30),
    Event::answers("SessionEnd", HookKind::SessionEnd, 10),
];
