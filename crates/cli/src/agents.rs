//! What the commands about agents share: which agent a word means, what a running one says, and lengths of time.

use std::time::Duration;

use serde_json::{Value, json};
use signalbox_agent::attach::{self, AttachError};
use signalbox_agent::protocol::About;
use signalbox_core::Event;
use signalbox_store::agents::{self, Life, Record};
use signalbox_store::log::{EventLog, FileLog};
use signalbox_store::{clock, new_event_id};

use crate::context::Context;
use signalbox_desk::error::{CommandError, Kind};

/// The agent that a typed word means.
pub fn meant(cx: &Context, typed: &str) -> Result<Record, CommandError> {
    Ok(agents::find(cx.home()?, typed)??)
}

/// The same, if it runs.
pub fn running(cx: &Context, typed: &str) -> Result<Record, CommandError> {
    let record = meant(cx, typed)?;
    if record.life() == Life::Runs {
        return Ok(record);
    }
    let error = CommandError::precondition("agent.ended", format!("{} no longer runs", record.id));
    Err(error.hint(format!("`sb replay {}` shows what it did; `sb agents` lists those that run.", record.id)))
}

/// The agent in which this command runs.
pub fn own(cx: &Context) -> Result<Record, CommandError> {
    crate::inside::agent(cx.home()?).ok_or_else(|| {
        CommandError::precondition("agent.none", "this does not run inside an agent that `sb agent` started")
            .hint("Name the agent that is meant; `sb agents` lists those that run.")
    })
}

/// Write down what somebody wants of an agent, or says of it. The daemon hears it from the log.
pub fn record(cx: &Context, whose: &Record, name: &str, mut data: Value) -> Result<(), CommandError> {
    if let Some(fields) = data.as_object_mut() {
        fields.insert("agent".to_owned(), json!(whose.id));
        for (key, value) in [("name", json!(whose.name)), ("ticket", json!(whose.ticket))] {
            if !value.is_null() {
                fields.insert(key.to_owned(), value);
            }
        }
    }
    let event = Event::apart(new_event_id(), clock::now(), name, cx.who()?, whose.project.clone(), &data)?;
    Ok(FileLog::new(cx.home()?.events()).record(&event)?)
}

/// What a running agent says of itself.
pub fn about(record: &Record) -> Result<About, CommandError> {
    attach::about(&record.socket).map_err(|error| unreachable(record, &error))
}

/// Why an agent could not be reached, for people.
pub fn unreachable(record: &Record, error: &AttachError) -> CommandError {
    match error {
        AttachError::Refused(why) => CommandError::precondition("agent.refused", why.clone()),
        other => {
            let why = signalbox_desk::error::chain(other);
            CommandError::new(Kind::Failure, "agent.unreachable", format!("{}: {why}", record.id))
                .hint("`sb agents` says whether it still runs.")
        }
    }
}

/// A length of time as people write it.
pub fn span(text: &str) -> Result<Duration, CommandError> {
    let seconds = text.trim().parse::<u64>().ok().map(Duration::from_secs);
    let written =
        || text.trim().parse::<jiff::SignedDuration>().ok().and_then(|d| Duration::try_from(d).ok());
    seconds.or_else(written).ok_or_else(|| {
        CommandError::usage("time.span", format!("`{text}` is no length of time"))
            .hint("Write it like `90s`, `10m` or `2h`.")
    })
}
