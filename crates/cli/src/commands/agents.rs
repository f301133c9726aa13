//! `sb agents`: who runs in a terminal, and what each is doing.

use signalbox_agent::attach;
use signalbox_core::agent::{Certainty, State};
use signalbox_core::text;
use signalbox_store::agents::{self, Life, Record};
use signalbox_store::outbox::Outbox;

use crate::context::Context;
use signalbox_desk::error::CommandError;

/// Agents that were started with `sb agent`. What each is doing comes from the agent itself; `sb agent explain` says
/// how it is known.
#[derive(clap::Args)]
pub struct Arguments {
    /// Those that have ended too
    #[arg(long)]
    all: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// One agent.
#[derive(serde::Serialize)]
struct Row {
    #[serde(flatten)]
    record: Record,
    running: bool,
    state: State,
    certainty: Certainty,
    since: Option<String>,
    watchers: usize,
    waiting: usize,
}

pub fn run(cx: &Context, arguments: Arguments) -> Result<(), CommandError> {
    let mut rows = Vec::new();
    for record in agents::all(cx.home()?)? {
        let running = record.life() == Life::Runs;
        if !running && !arguments.all {
            continue;
        }
        let told = if running { attach::about(&record.socket).ok() } else { None };
        let waiting = Outbox::new(cx.home()?, &record.id).waiting().map_or(0, |waiting| waiting.len());
        let unsure = if running { State::Starting } else { State::Exited };
        rows.push(Row {
            running,
            state: told.as_ref().map_or(unsure, |told| told.state),
            certainty: told.as_ref().map_or(Certainty::Guess, |told| told.certainty),
            since: told.as_ref().and_then(|told| told.since.clone()),
            watchers: told.as_ref().map_or(0, |told| told.watchers),
            waiting,
            record,
        });
    }
    if cx.ui.json {
        return cx.ui.json(&rows);
    }
    if rows.is_empty() {
        cx.ui.status("No agent runs. `sb agent claude` starts one.");
    }
    let wide = rows.iter().map(|row| row.record.id.as_str().len()).max().unwrap_or(0);
    for row in &rows {
        let guess = if row.certainty == Certainty::Guess && row.running { "?" } else { "" };
        let mut more = String::new();
        if row.waiting > 0 {
            more.push_str(&format!("  {} waiting for it", row.waiting));
        }
        if row.watchers > 0 {
            more.push_str(&format!("  {} looking on", row.watchers));
        }
        cx.ui.data(&format!(
            "{:wide$}  {:19}  {:10}  {:9}  {}{more}\n",
            row.record.id,
            format!("{}{guess}", row.state),
            text::one_line(row.record.name.as_deref().unwrap_or("-")),
            row.record.ticket.as_ref().map_or("-", |ticket| ticket.as_str()),
            text::one_line(&row.record.cwd.display().to_string()),
        ))?;
    }
    Ok(())
}
