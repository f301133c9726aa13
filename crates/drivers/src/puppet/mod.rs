//! Our own scripted agent CLI. It speaks as Claude Code does, looks simpler, and is found by its name alone: no list shows
//! it to people.

mod install;
mod launch;
mod terminal;

use crate::capabilities::{Can, Capabilities};
use crate::claude;
use crate::door::{Door, Waiter};
use crate::driver::{Driver, Event};
use crate::hook::HookKind;

pub(crate) static DRIVER: Driver = Driver {
    name: "puppet",
    title: "Puppet",
    programs: &["puppet"],
    events: EVENTS,
    files: install::FILES,
    mcp: None,
    launch: launch::LAUNCH,
    doors: &[Door::Waiter(Waiter { arguments: &install::WAIT, wake: claude::wake }), Door::Keyboard],
    usage: Some(claude::REPORTS),
    terminal: terminal::TERMINAL,
    state_file: Some(claude::STATE_FILE),
    title_bar: Some(terminal::TITLE),
    capabilities: Capabilities {
        deny_tool: Can::Yes,
        decide_permission: Can::Yes,
        block_prompt: Can::Yes,
        context_at_start: Can::No,
        context_with_prompt: Can::No,
        context_around_tools: Can::No,
        context_to_subagents: Can::No,
        hold_back_stop: Can::No,
        hold_back_task: Can::No,
        see_interrupt: Can::No,
        see_failure: Can::No,
        see_subagents: Can::No,
        fails_closed: Can::No,
        runs_at_once: Can::Yes,
    },
    parse: claude::parse,
    reply: claude::reply,
};

const EVENTS: &[Event] = &[
    Event::answers("SessionStart", HookKind::SessionStart, 30),
    Event::answers("UserPromptSubmit", HookKind::Prompt, 30),
    Event::answers("PreToolUse", HookKind::PreTool, 30),
    Event::answers("PermissionRequest", HookKind::Permission, 30),
    Event::records("PostToolUse", HookKind::PostTool, 30),
    Event::answers("Stop", HookKind::Stop, 30),
    Event::records("StopFailure", HookKind::StopFailure, 30),
    Event::answers("SessionEnd", HookKind::SessionEnd, 10),
];
