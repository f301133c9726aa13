//! What the commands about agents share: which agent a word means, what a running one says, and lengths of time.

use std::time::Duration;

use signalbox_agent::attach::{self, AttachError};
use signalbox_agent::protocol::About;
use signalbox_store::agents::{self, Life, Record};

use crate::context::Context;
use crate::error::{CommandError, Kind};

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

/// What a running agent says of itself.
pub fn about(record: &Record) -> Result<About, CommandError> {
    attach::about(&record.socket).map_err(|error| unreachable(record, &error))
}

/// Why an agent could not be reached, for people.
pub fn unreachable(record: &Record, error: &AttachError) -> CommandError {
    match error {
        AttachError::Refused(why) => CommandError::precondition("agent.refused", why.clone()),
        other => {
            let why = crate::error::chain(other);
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
