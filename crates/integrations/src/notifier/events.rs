//! Which events a notifier tells of.

use signalbox_core::glob::{Case, meet};

use crate::settings::{self, BadSettings, Settings};

/// What people are told of unless they say otherwise: whatever needs them, and whatever has come to its end.
pub const TOLD_OF: &[&str] = &[
    "agent.blocked",
    "agent.completed",
    "agent.failed",
    "agent.pending-approval",
    "agent.stalled",
    "agent.terminated",
    "agent.timed-out",
    "attach.force-takeover",
    "budget.*",
    "escalation.*",
    "hook.unguarded",
    "monitor.failing",
    "team.*",
    "teammate.blocker",
    "workflow.*",
];

/// Whether a notifier with these settings tells of such an event.
pub fn wants(settings: &Settings, event: &str) -> Result<bool, BadSettings> {
    let fits = |pattern: &str| meet(pattern, event, Case::Exact);
    let patterns = settings::texts(settings, "events")?;
    Ok(if patterns.is_empty() {
        TOLD_OF.iter().copied().any(fits)
    } else {
        patterns.iter().any(|pattern| fits(pattern))
    })
}
