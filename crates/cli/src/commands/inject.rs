//! `sb inject`: tell a running agent something, at the right moment and exactly once.

use std::io::Read;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use signalbox_core::EventId;
use signalbox_core::inject::{Fate, Injection, MOST_TEXT, Priority, Receipt, must_be_words};
use signalbox_store::agents::Life;
use signalbox_store::log::{EventLog, FileLog, Item, Position, Tail};
use signalbox_store::outbox::{Asked, Outbox};
use signalbox_store::{clock, new_event_id};

use crate::agents::{meant, span};
use crate::context::Context;
use signalbox_desk::error::{CommandError, Kind};

/// The message waits in the agent's outbox until the agent is idle, no dialog is open and nobody is in the middle of a
/// line; then it goes in by the best way that the agent's CLI has. What becomes of it is in the log as `inject.*`. Only people
/// may say what the CLI would take for a command of its own, as in `/compact` or `exit`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Whom to tell: the agent's id, its name, or the beginning of either
    agent: String,
    /// What to say; `-` reads it from standard input
    #[arg(required_unless_present = "file", conflicts_with = "file")]
    text: Vec<String>,
    /// Read what to say from a file
    #[arg(long, value_name = "PATH")]
    file: Option<PathBuf>,
    /// `high`, `normal` or `low`: the most urgent is delivered first, the least urgent given up first
    #[arg(long, default_value = "normal")]
    priority: String,
    /// How long it may wait, as in `90s`, `10m` or `2h` [default: 300s]
    #[arg(long, value_name = "TIME")]
    ttl: Option<String>,
    /// What it is about: a newer message with the same key takes its place
    #[arg(long)]
    key: Option<String>,
    /// Wait for what becomes of it, at most so long; exit code 4 if it was not delivered by then
    #[arg(long, value_name = "TIME", num_args = 0..=1, default_missing_value = "5m")]
    wait: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(cx: &Context, arguments: Arguments) -> Result<(), CommandError> {
    let record = meant(cx, &arguments.agent)?;
    if record.life() != Life::Runs {
        return Err(CommandError::new(
            Kind::Precondition,
            "agent.ended",
            format!("{} no longer runs, so nobody would read it", record.id),
        )
        .hint(format!("`sb agents` lists those that run; `sb replay {}` shows what it did.", record.id)));
    }
    let priority = Priority::from_word(&arguments.priority).ok_or_else(|| {
        CommandError::usage("inject.priority", format!("`{}` is no priority", arguments.priority))
            .hint("There are `high`, `normal` and `low`.")
    })?;
    let who = cx.who()?;
    let now = clock::now();
    let text = text(&arguments)?;
    must_be_words(who, &text)?;
    let mut injection = Injection::new(new_event_id(), &text, who.name(), now)?.priority(priority);
    if let Some(ttl) = &arguments.ttl {
        let seconds = span(ttl)?.as_secs();
        injection = injection.ttl(u32::try_from(seconds).unwrap_or(u32::MAX))?;
    }
    if let Some(key) = &arguments.key {
        injection = injection.key(key)?;
    }
    let patience = arguments.wait.as_deref().map(span).transpose()?;
    let id = injection.id.clone();
    let log = FileLog::new(cx.home()?.events());
    let before = log.end()?;
    let outbox = Outbox::new(cx.home()?, &record.id).project(record.project.clone());
    let Asked::Heard(receipts) = outbox.enqueue(who, injection, now)? else { return Ok(()) };
    let mut last = receipts.last().cloned();
    if let Some(patience) = patience {
        last = wait(&log, before, &id, patience)?.or(last);
    }
    let undelivered = last.as_ref().and_then(|receipt| undelivered(receipt, arguments.wait.as_deref()));
    if undelivered.is_none() || cx.ui.json {
        say(cx, &record.id, &id, last.as_ref())?;
    }
    undelivered.map_or(Ok(()), Err)
}

/// What is wrong where somebody waited for it in vain, or it was given up at once.
fn undelivered(receipt: &Receipt, waited: Option<&str>) -> Option<CommandError> {
    let id = &receipt.injection;
    let error = |words: String| CommandError::new(Kind::Precondition, "inject.undelivered", words);
    let in_vain = || Some(format!("{id} was not delivered within {}", waited?.trim()));
    match &receipt.fate {
        Fate::Delivered { .. } => None,
        Fate::Queued { .. } => {
            Some(error(in_vain()?).hint(format!("It still waits; `sb outbox --cancel {id}` takes it back.")))
        }
        Fate::Deferred { reason, .. } => Some(
            error(format!("{}: {}", in_vain()?, reason.sentence()))
                .hint(format!("It still waits; `sb outbox --cancel {id}` takes it back.")),
        ),
        Fate::Superseded { .. } | Fate::Expired { .. } | Fate::Failed { .. } => {
            Some(error(format!("{id}: {receipt}")).hint("`sb outbox` shows what became of messages."))
        }
    }
}

/// The words, a file, or standard input.
fn text(arguments: &Arguments) -> Result<String, CommandError> {
    let most = MOST_TEXT as u64 + 1;
    let mut bytes = Vec::new();
    match &arguments.file {
        Some(path) => {
            let file = std::fs::File::open(path).map_err(|error| {
                CommandError::not_found("inject.file", format!("{} cannot be read: {error}", path.display()))
            })?;
            file.take(most).read_to_end(&mut bytes).map_err(|error| {
                CommandError::precondition(
                    "inject.file",
                    format!("{} cannot be read: {error}", path.display()),
                )
            })?;
        }
        None if arguments.text == ["-"] => {
            std::io::stdin().take(most).read_to_end(&mut bytes)?;
        }
        None => bytes = arguments.text.join(" ").into_bytes(),
    }
    String::from_utf8(bytes).map_err(|_| {
        CommandError::usage("inject.text", "the text is not UTF-8, so no agent could read it")
            .hint("Put it into a file and tell the agent to read that.")
    })
}

/// The last receipt of a message, as soon as there is one; else what is known of it.
fn wait(
    log: &FileLog,
    mut seen: Position,
    id: &EventId,
    patience: Duration,
) -> Result<Option<Receipt>, CommandError> {
    let begun = Instant::now();
    let mut known: Option<Receipt> = None;
    loop {
        seen = log.read_after(&seen, Tail::Live, &mut |_, item| {
            if let Item::Event(event) = item
                && let Some((_, receipt)) = Receipt::of(&event)
                && receipt.injection == *id
            {
                known = Some(receipt);
            }
        })?;
        let is_over = known.as_ref().is_some_and(Receipt::is_last);
        if is_over || begun.elapsed() >= patience {
            return Ok(known);
        }
        std::thread::sleep(Duration::from_millis(100));
    }
}

fn say(
    cx: &Context,
    agent: &signalbox_core::AgentId,
    id: &EventId,
    receipt: Option<&Receipt>,
) -> Result<(), CommandError> {
    let words = receipt.map(ToString::to_string).unwrap_or_default();
    if cx.ui.json {
        let name = receipt.map(Receipt::name);
        return cx.ui.json(&serde_json::json!({ "id": id, "agent": agent, "event": name, "says": words }));
    }
    cx.ui.status(&format!("{id} for {agent}: {words}."));
    Ok(())
}
