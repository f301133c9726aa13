//! `sb outbox`: what waits for agents, and what became of what was sent.

use signalbox_core::inject::{Deferred, Receipt, Waiting};
use signalbox_core::{AgentId, EventId, text};
use signalbox_store::clock;
use signalbox_store::log::FileLog;
use signalbox_store::outbox::Outbox;

use crate::agents::meant;
use crate::context::Context;
use signalbox_desk::error::CommandError;

/// How much of the log is looked through for receipts.
const RECENT: u64 = 4 * 1024 * 1024;
/// How many receipts are shown.
const MOST: usize = 20;

/// Messages that `sb inject` and monitors sent wait here until the agent can take them. Each ends with a receipt:
/// delivered, superseded, expired or failed, with the reason.
#[derive(clap::Args)]
pub struct Arguments {
    /// Whose [default: everybody's]
    agent: Option<String>,
    /// Take back a message that still waits; its whole id
    #[arg(long, value_name = "MESSAGE")]
    cancel: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// One agent's.
#[derive(serde::Serialize)]
struct Row {
    agent: AgentId,
    waiting: Vec<Waiting>,
    /// What is being delivered at this moment.
    delivering: Vec<Waiting>,
    receipts: Vec<Said>,
}

#[derive(serde::Serialize)]
struct Said {
    at: jiff::Timestamp,
    id: EventId,
    event: &'static str,
    says: String,
}

pub fn run(cx: &Context, arguments: Arguments) -> Result<(), CommandError> {
    let home = cx.home()?;
    let wanted = arguments.agent.as_deref().map(|typed| meant(cx, typed)).transpose()?;
    let agents = match &wanted {
        Some(record) => vec![record.id.clone()],
        None => Outbox::agents(home)?,
    };
    if let Some(message) = &arguments.cancel {
        return cancel(cx, &agents, message);
    }
    let mut rows = Vec::new();
    for agent in agents {
        let outbox = Outbox::new(home, &agent);
        let waiting = outbox.waiting()?;
        let delivering: Vec<Waiting> = outbox.taken()?.into_iter().map(|taken| taken.waiting).collect();
        let receipts = receipts(home, &agent)?;
        if wanted.is_some() || !(waiting.is_empty() && delivering.is_empty() && receipts.is_empty()) {
            rows.push(Row { agent, waiting, delivering, receipts });
        }
    }
    if cx.ui.json {
        return cx.ui.json(&rows);
    }
    if rows.iter().all(|row| row.waiting.is_empty() && row.delivering.is_empty()) {
        cx.ui.status("Nothing waits.");
    }
    let now = clock::now();
    for row in &rows {
        for Waiting { injection, deferred, .. } in &row.waiting {
            let left = injection.expires_at().duration_since(now).as_secs().max(0);
            let why = deferred.map_or("it has just come", |reason| reason.sentence());
            cx.ui.data(&format!(
                "{}  {}  {:6}  waits: {why}; {left} s left  {}\n",
                row.agent,
                injection.id,
                injection.priority.as_str(),
                text::one_line(&injection.text).chars().take(60).collect::<String>(),
            ))?;
        }
        for Waiting { injection, deferred, .. } in &row.delivering {
            let how = match deferred {
                Some(reason @ Deferred::InQueue) => format!("waits: {}", reason.sentence()),
                _ => "is being delivered".to_owned(),
            };
            cx.ui.data(&format!("{}  {}  {how}\n", row.agent, injection.id))?;
        }
        for said in &row.receipts {
            cx.ui.data(&format!("{}  {}  {}\n", row.agent, said.id, text::one_line(&said.says)))?;
        }
    }
    Ok(())
}

/// Take a message back, for whichever of these agents it is.
fn cancel(cx: &Context, agents: &[AgentId], message: &str) -> Result<(), CommandError> {
    let unknown = || {
        let whom = if let [agent] = agents { format!(" for {agent}") } else { String::new() };
        CommandError::not_found(
            "outbox.unknown",
            format!("no message `{}` waits{whom}", text::one_line(message)),
        )
        .hint("`sb outbox` lists those that do.")
    };
    let id = EventId::parse(message).map_err(|_| unknown())?;
    for agent in agents {
        if let Some(receipt) = Outbox::new(cx.home()?, agent).cancel(cx.who()?, &id)? {
            cx.ui.status(&format!("{id} for {agent}: {receipt}."));
            return Ok(());
        }
    }
    Err(unknown())
}

/// The last word on each message of late, the oldest first.
fn receipts(home: &signalbox_store::Home, agent: &AgentId) -> Result<Vec<Said>, CommandError> {
    let (bytes, _) = FileLog::new(home.events()).last(RECENT)?;
    let mut said: Vec<Said> = Vec::new();
    for line in String::from_utf8_lossy(&bytes).lines().filter(|line| line.contains("\"event\":\"inject.")) {
        let Ok(event) = serde_json::from_str::<signalbox_core::Event>(line) else { continue };
        let Some((of, receipt)) = Receipt::of(&event) else { continue };
        if of == *agent && receipt.is_last() {
            let says = receipt.to_string();
            said.push(Said { at: event.ts, id: receipt.injection.clone(), event: receipt.name(), says });
        }
    }
    let from = said.len().saturating_sub(MOST);
    Ok(said.split_off(from))
}
