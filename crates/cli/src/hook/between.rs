//! An agent at work is told what waits for it between two of its tools.
//!
//! Until then a message stays in the outbox: there, a more urgent one gets past it, and it is not lost if the agent ends.

use signalbox_agent::waiter;
use signalbox_drivers::{Answer, Door, Driver, HookKind, Incoming};

use crate::context::Context;
use crate::inside;

/// The answer after a tool, with what waits for the agent. That something is in the way of it is no reason to answer nothing.
pub fn with_messages(cx: &Context, driver: &Driver, incoming: &Incoming, answer: Answer) -> Answer {
    if !is_heard(driver, incoming) {
        return answer;
    }
    let Some(text) = waiting(cx) else { return answer };
    match answer {
        Answer::Context(own) => Answer::Context(format!("{own}\n\n{text}")),
        _ => Answer::Context(text),
    }
}

/// Whether the agent itself, not one that works for it, reads at once what is said after this tool.
fn is_heard(driver: &Driver, incoming: &Incoming) -> bool {
    let kind = incoming.moment.kind();
    let is_after = matches!(kind, HookKind::PostTool | HookKind::PostToolFailure);
    let waits = || driver.events.iter().any(|event| event.kind == kind && event.waits);
    let wakes = || matches!(driver.doors.first(), Some(Door::Waiter(_)));
    is_after && incoming.subagent.is_none() && wakes() && waits()
}

fn waiting(cx: &Context) -> Option<String> {
    let home = cx.home().ok()?;
    let agent = inside::agent(home)?;
    waiter::between_tools(home, &agent).ok().flatten()
}
