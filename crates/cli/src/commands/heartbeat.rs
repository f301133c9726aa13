//! `sb heartbeat`: put in order what dead processes left, and run what a change calls for.

use std::time::Duration;

use serde_json::json;
use signalbox_plugins as plugins;
use signalbox_store::Store;
use signalbox_store::heartbeat::{self, Ask, Beat, Change};

use crate::context::Context;
use signalbox_desk::error::{CommandError, Kind};

/// For cron, and for people; the daemon does the same by itself, on the schedule `heartbeat.schedule`. Sessions and agents
/// whose process is gone are marked as ended, and messages that nobody will deliver are given up. Then the lines of
/// `heartbeat.run` are run, each with what was found as JSON on its standard input.
///
/// A fingerprint of tickets, sessions, agents and messages stands in `heartbeat.json`. While it stays the same nothing is
/// done at all. If a line fails, the exit code is 1 and the next heartbeat tries again.
#[derive(clap::Args)]
pub struct Arguments {
    /// Do it though nothing has changed
    #[arg(long)]
    force: bool,
    /// Print what was done as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(cx: &Context, arguments: Arguments) -> Result<(), CommandError> {
    cx.who()?.must_be_human("look after sessions and agents")?;
    let store = cx.store()?;
    let ask = if arguments.force { Ask::Always } else { Ask::IfChanged };
    let (outcome, sentence) = match heartbeat::beat(&store, ask)? {
        Beat::Changed(change) => return changed(cx, &store, change),
        Beat::Unchanged => ("unchanged", "Nothing has changed since the last heartbeat."),
        Beat::Busy => ("busy", "Another heartbeat is at work."),
    };
    cx.ui.status(sentence);
    if cx.ui.json { cx.ui.json(&json!({ "outcome": outcome })) } else { Ok(()) }
}

fn changed(cx: &Context, store: &Store, change: Change) -> Result<(), CommandError> {
    for (ids, what) in [
        (&change.sessions.iter().map(ToString::to_string).collect::<Vec<_>>(), "Session"),
        (&change.agents.iter().map(ToString::to_string).collect(), "Agent"),
    ] {
        for id in ids {
            cx.ui.status(&format!("{what} {id} is gone, and is marked as ended."));
        }
    }
    for id in &change.messages {
        cx.ui.status(&format!("Message {id} is given up: its agent is gone."));
    }
    let settings = &cx.config()?.heartbeat;
    let time = Duration::from_secs(settings.timeout.get());
    let mut failed = None;
    let mut ran = Vec::new();
    for line in &settings.run {
        let input = serde_json::to_vec(&change)?;
        let why = plugins::run_line(line, input, store.home().root(), time).err().map(|e| e.to_string());
        change.ran(store, line, why.as_deref().map_or(Ok(()), Err))?;
        match &why {
            None => cx.ui.status(&format!("Ran `{line}`.")),
            Some(why) => {
                cx.ui.warn(&format!("`{line}` failed: {why}"));
                failed = Some(line);
            }
        }
        ran.push(json!({ "command": line, "succeeded": why.is_none(), "why": why }));
    }
    if change.is_clean() && ran.is_empty() {
        cx.ui.status("Something has changed, and there was nothing to do.");
    }
    if cx.ui.json {
        cx.ui.json(&json!({
            "outcome": "done", "sessions": change.sessions, "agents": change.agents,
            "messages": change.messages, "ran": ran,
        }))?;
    }
    match failed {
        None => Ok(change.finish(store.home())?),
        Some(line) => {
            let message = format!("`{line}` did not do what it is for");
            Err(CommandError::new(Kind::Failure, "heartbeat.failed", message).hint(
                "The next heartbeat runs it again; `sb log --event 'heartbeat.*'` shows what happened.",
            ))
        }
    }
}
