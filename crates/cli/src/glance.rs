//! Everything at a glance: the daemon, the agents and what each is there for, what is watched, and what is wrong.

use signalbox_agent::attach;
use signalbox_api::Report;
use signalbox_api::rows::AgentRow;
use signalbox_core::{TicketId, text};
use signalbox_store::agents::{self, Life};
use signalbox_store::clock;

use crate::context::Context;
use crate::daemon;
use crate::ui::Paint;
use signalbox_core::time::age;
use signalbox_desk::error::CommandError;

/// For people.
pub fn show(cx: &Context) -> Result<(), CommandError> {
    match report(cx)? {
        Some(report) => with_daemon(cx, &report),
        None => without_daemon(cx),
    }
}

/// What the daemon says, if one runs.
pub fn report(cx: &Context) -> Result<Option<Report>, CommandError> {
    match daemon::running(cx)? {
        Some(mut client) => Ok(Some(client.ask(signalbox_api::Status {})?)),
        None => Ok(None),
    }
}

fn with_daemon(cx: &Context, report: &Report) -> Result<(), CommandError> {
    let ui = &cx.ui;
    let watched: usize = report.agents.iter().map(|agent| agent.monitors.len()).sum();
    ui.data(&format!(
        "{}  process {}, for {}; {} and {} watched\n",
        ui.paint(Paint::Bold, "daemon"),
        report.pid,
        age(report.since, clock::now()),
        count(report.agents.len(), "agent"),
        count(watched, "thing"),
    ))?;
    for agent in &report.agents {
        ui.data(&agent_line(cx, agent))?;
    }
    for notifier in report.notifiers.iter().filter(|notifier| notifier.trouble.is_some()) {
        let why = notifier.trouble.as_deref().unwrap_or_default();
        ui.data(&trouble(cx, &format!("notifier {}: {why}", notifier.name)))?;
    }
    for words in report
        .bad_config
        .iter()
        .map(|why| format!("config.toml cannot be used: {why}"))
        .chain(report.troubles.clone())
    {
        ui.data(&trouble(cx, &words))?;
    }
    Ok(())
}

fn agent_line(cx: &Context, agent: &AgentRow) -> String {
    let ui = &cx.ui;
    let paint = match agent.state.as_str() {
        "working" => Paint::Green,
        "waiting-permission" | "waiting-answer" => Paint::Yellow,
        _ => Paint::Dim,
    };
    let mut words =
        format!("  {}  {} {}", agent.id, ui.paint(paint, &agent.state), age(agent.since, clock::now()));
    for more in [agent.name.as_deref(), agent.ticket.as_ref().map(TicketId::as_str), agent.branch.as_deref()]
    {
        words.push_str(&more.map(|more| format!("  {}", text::one_line(more))).unwrap_or_default());
    }
    if let Some(goal) = &agent.goal {
        words.push_str(&format!("  goal {}: {}", goal.kind, goal.status.as_str()));
    }
    for (is_so, word) in [(agent.claimed, "claimed"), (agent.stalled, "stalled")] {
        words.push_str(if is_so { "  " } else { "" });
        words.push_str(if is_so { word } else { "" });
    }
    words.push('\n');
    let wrong = agent.monitors.iter().filter_map(|row| Some((&row.name, row.trouble.as_ref()?)));
    let fine: Vec<&str> =
        agent.monitors.iter().filter(|row| row.trouble.is_none()).map(|row| row.name.as_str()).collect();
    if !fine.is_empty() {
        words.push_str(&format!("    watched: {}\n", text::one_line(&fine.join(", "))));
    }
    for (name, why) in wrong {
        words.push_str(&trouble(cx, &format!("{name}: {why}")));
    }
    words
}

fn trouble(cx: &Context, words: &str) -> String {
    format!("    {} {}\n", cx.ui.paint(Paint::Red, "!"), text::one_line(words))
}

fn without_daemon(cx: &Context) -> Result<(), CommandError> {
    let mut lines = String::new();
    for record in agents::all(cx.home()?)?.iter().filter(|record| record.life() == Life::Runs) {
        let state = attach::about(&record.socket)
            .map_or_else(|_| "unknown".to_owned(), |about| about.state.to_string());
        let name = record.name.as_deref().unwrap_or_default();
        lines.push_str(&format!("  {}  {state}  {}\n", record.id, text::one_line(name)));
    }
    cx.ui.data(&format!("{}  does not run; `sb up` starts it\n{lines}", cx.ui.paint(Paint::Bold, "daemon")))
}

fn count(number: usize, what: &str) -> String {
    match number {
        0 => format!("no {what}s"),
        1 => format!("1 {what}"),
        more => format!("{more} {what}s"),
    }
}
