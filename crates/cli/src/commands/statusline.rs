//! `sb statusline`: one line for an agent CLI's status bar.

use std::io::Read;
use std::path::Path;

use serde::Deserialize;
use signalbox_agent::usage;
use signalbox_core::{SessionId, text};
use signalbox_drivers::usage::{Count, Usage};
use signalbox_store::project;
use signalbox_store::session;

use crate::context::Context;
use crate::inside;
use signalbox_desk::error::CommandError;

/// Reads what Claude Code sends its status line and prints ticket, mode, branch, cost and context. `sb hooks install`
/// sets it up where no other status line is set.
#[derive(clap::Args)]
pub struct Arguments {}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Status {
    session_id: String,
    cwd: String,
    cost: Cost,
    context_window: Window,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Cost {
    total_cost_usd: Option<f64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Window {
    used_percentage: Option<f64>,
}

pub fn run(cx: &Context, _: Arguments) -> Result<(), CommandError> {
    let mut bytes = Vec::new();
    std::io::stdin().lock().take(1024 * 1024).read_to_end(&mut bytes)?;
    // A status line that says nothing is better than one that says an error at every key.
    let status: Status = serde_json::from_slice(&bytes).unwrap_or_default();
    let known = match SessionId::parse(&status.session_id) {
        Ok(id) => session::load(cx.home()?, &id)?,
        Err(_) => None,
    };
    note_cost(cx, &status, &bytes);
    let mut parts = Vec::new();
    if let Some(session) = &known {
        let charter = &session.charter;
        parts.push(charter.ticket.as_ref().map_or("no ticket".to_owned(), ToString::to_string));
        parts.push(charter.mode.to_string());
    }
    parts.extend(project::branch(Path::new(&status.cwd)));
    parts.extend(status.cost.total_cost_usd.map(|dollars| format!("${dollars:.2}")));
    parts.extend(status.context_window.used_percentage.map(|percent| format!("{percent:.0}% context")));
    cx.ui.data(&format!("{}\n", text::one_line(&parts.join(" · "))))
}

/// Inside an agent in a terminal, what its conversation has cost is kept for `sb agent usage`.
fn note_cost(cx: &Context, status: &Status, bytes: &[u8]) {
    let report = signalbox_drivers::find("claude").and_then(|driver| driver.usage.as_ref()?.status_line);
    let told = report.and_then(|report| report(std::str::from_utf8(bytes).ok()?));
    if let Some(Count::Total(Usage { cost_micros: Some(micros), .. })) = told
        && let Ok(home) = cx.home()
        && let Some(agent) = inside::agent(home)
    {
        // A status line has nobody to complain to.
        let _ = usage::note_cost(home, &agent.id, &status.session_id, micros);
    }
}
