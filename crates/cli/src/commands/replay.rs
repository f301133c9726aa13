//! `sb replay`: watch again what an agent did.

use std::time::Duration;

use signalbox_pty::Allow;
use signalbox_pty::filter::Filter;
use signalbox_pty::record::{Cast, CastError, Event, Kind};

use crate::agents::meant;
use crate::context::Context;
use crate::error::CommandError;

/// The longest pause that is kept where nothing happened.
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// Plays the recording in your terminal, without what could harm it. The file is an asciicast: `asciinema play` takes it
/// too. Long pauses are shortened; Ctrl-C ends it.
#[derive(clap::Args)]
pub struct Arguments {
    /// Its id, its name, or the beginning of either
    agent: String,
    /// How many times as fast; 0 prints all of it at once
    #[arg(long, default_value = "1", value_name = "FACTOR")]
    speed: f64,
    /// Begin at the first marker that contains this, as in `--from-event inject`
    #[arg(long, value_name = "WORDS")]
    from_event: Option<String>,
    /// Print where the recording is, and play nothing
    #[arg(long)]
    path: bool,
    /// List the markers with their times, and play nothing
    #[arg(long, conflicts_with = "path")]
    events: bool,
}

pub fn run(cx: &Context, arguments: Arguments) -> Result<(), CommandError> {
    let record = meant(cx, &arguments.agent)?;
    if !arguments.speed.is_finite() || arguments.speed < 0.0 {
        return Err(CommandError::usage("replay.speed", format!("`{}` is no speed", arguments.speed))
            .hint("`--speed 2` is twice as fast, `--speed 0` as fast as it goes."));
    }
    let missing = || {
        CommandError::not_found("replay.none", format!("there is no recording of {}", record.id))
            .hint("`agents.recording` in config.toml switches recording on.")
    };
    let path = record.recording.clone().ok_or_else(missing)?;
    if arguments.path {
        return cx.ui.data(&format!("{}\n", path.display()));
    }
    let newest = Cast::open(&path).map_err(|error| match error {
        CastError::Read(cause) if cause.kind() == std::io::ErrorKind::NotFound => missing(),
        other => CommandError::failed("replay.failed", &other),
    })?;
    let older = Cast::open_older(&path).map_err(|error| CommandError::failed("replay.failed", &error))?;
    let parts = older.into_iter().chain([newest]);
    if arguments.events {
        return list(cx, parts);
    }
    play(cx, parts, arguments.speed, arguments.from_event.as_deref())
}

fn list(cx: &Context, parts: impl Iterator<Item = Cast>) -> Result<(), CommandError> {
    for event in parts.flatten() {
        let event = event.map_err(|error| CommandError::failed("replay.failed", &error))?;
        if event.kind == Kind::Marker {
            let label = signalbox_core::text::one_line(&event.data);
            cx.ui.data(&format!("{:>10.3}  {label}\n", event.at.as_secs_f64()))?;
        }
    }
    Ok(())
}

fn play(
    cx: &Context,
    parts: impl Iterator<Item = Cast>,
    speed: f64,
    from: Option<&str>,
) -> Result<(), CommandError> {
    let mut filter = Filter::new(Allow::default());
    // What comes before is drawn all the same, at once: the screen must be right.
    let mut skipping = from.is_some();
    for part in parts {
        let mut last = Duration::ZERO;
        for event in part {
            let Event { at, kind, data } =
                event.map_err(|error| CommandError::failed("replay.failed", &error))?;
            if let Some(words) = from
                && kind == Kind::Marker
                && data.contains(words)
            {
                skipping = false;
            }
            if kind != Kind::Output {
                continue;
            }
            if !skipping && speed > 0.0 {
                let pause = at.saturating_sub(last).min(LONGEST_PAUSE).div_f64(speed);
                std::thread::sleep(pause);
            }
            last = at;
            let shown = filter.feed(data.as_bytes());
            cx.ui.bytes(&shown)?;
        }
    }
    cx.ui.bytes(b"\x1b[0m\x1b[?25h\n")?;
    if skipping {
        let words = from.unwrap_or_default();
        return Err(CommandError::not_found("replay.event", format!("no marker contains `{words}`"))
            .hint("`sb replay --events ID` lists them."));
    }
    Ok(())
}
