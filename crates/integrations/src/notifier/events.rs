//! Which events a notifier tells of.

use signalbox_core::glob::text_fits;

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
    "agent.vanished",
    "attach.force-takeover",
    "budget.*",
    "daemon.config-bad",
    "escalation.*",
    "hook.unguarded",
    "monitor.failing",
    "team.*",
    "teammate.blocker",
    "workflow.*",
];

/// The patterns of the events that a notifier with these settings tells of.
pub fn patterns(settings: &Settings) -> Result<Vec<String>, BadSettings> {
    let own = settings::texts(settings, "events")?;
    Ok(if own.is_empty() { TOLD_OF.iter().map(ToString::to_string).collect() } else { own })
}

/// Whether one of these patterns means such an event.
pub fn is_told(patterns: &[String], event: &str) -> bool {
    patterns.iter().any(|pattern| text_fits(event, pattern))
}
