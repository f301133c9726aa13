//! `sb replay`: watch again what an agent did.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use signalbox_pty::filter::Filter;
use signalbox_pty::record::{Cast, CastError, Event, Kind};
use signalbox_pty::{Allow, Screen};

use crate::agents::meant;
use crate::context::Context;
use signalbox_desk::error::CommandError;

/// The longest pause that is kept where nothing happened.
const LONGEST_PAUSE: Duration = Duration::from_secs(2);
/// How soon Ctrl-C is heeded.
const BREATH: Duration = Duration::from_millis(50);
/// How a program ends that was interrupted.
const INTERRUPTED: i32 = 130;

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
    let parts = || -> Result<_, CommandError> {
        let newest = Cast::open(&path).map_err(|error| match error {
            CastError::Read(cause) if cause.kind() == std::io::ErrorKind::NotFound => missing(),
            other => CommandError::failed("replay.failed", &other),
        })?;
        let older = Cast::open_older(&path).map_err(|error| CommandError::failed("replay.failed", &error))?;
        Ok(older.into_iter().chain([newest]))
    };
    if arguments.events {
        return list(cx, parts()?);
    }
    if let Some(words) = &arguments.from_event
        && !parts()?.flatten().flatten().any(|event| is_marker(&event, words))
    {
        return Err(CommandError::not_found("replay.event", format!("no marker contains `{words}`"))
            .hint("`sb replay --events ID` lists them."));
    }
    play(cx, parts()?, arguments.speed, arguments.from_event.as_deref())
}

fn is_marker(event: &Event, words: &str) -> bool {
    event.kind == Kind::Marker && event.data.contains(words)
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
    let interrupted = Arc::new(AtomicBool::new(false));
    signal_hook::flag::register(signal_hook::consts::SIGINT, Arc::clone(&interrupted))?;
    let mut stage = Stage { filter: Filter::new(Allow::default()), screen: None };
    // What comes before is drawn all the same, at once: the screen must be right.
    let mut skipping = from.is_some();
    for part in parts {
        let mut last = Duration::ZERO;
        let size = part.header.size;
        let screen = stage.screen.get_or_insert_with(|| Screen::new(size));
        screen.resize(size);
        for event in part {
            let event = event.map_err(|error| CommandError::failed("replay.failed", &error))?;
            if from.is_some_and(|words| is_marker(&event, words)) {
                skipping = false;
            }
            if event.kind != Kind::Output {
                continue;
            }
            if !skipping && speed > 0.0 {
                pause(event.at.saturating_sub(last).min(LONGEST_PAUSE).div_f64(speed), &interrupted);
            }
            if interrupted.load(Ordering::Relaxed) {
                stage.leave(cx)?;
                cx.exit_with(INTERRUPTED);
                return Ok(());
            }
            last = event.at;
            stage.show(cx, event.data.as_bytes())?;
        }
    }
    stage.leave(cx)
}

/// What the recording has made of the terminal so far.
struct Stage {
    filter: Filter,
    screen: Option<Screen>,
}

impl Stage {
    fn show(&mut self, cx: &Context, bytes: &[u8]) -> Result<(), CommandError> {
        let shown = self.filter.feed(bytes);
        if let Some(screen) = &mut self.screen {
            screen.feed(&shown);
        }
        cx.ui.bytes(&shown)
    }

    /// Put the terminal right: the program may have been killed in the middle, or nobody wanted to see its end.
    fn leave(&self, cx: &Context) -> Result<(), CommandError> {
        let mut undo = self.screen.as_ref().map(Screen::undo).unwrap_or_default();
        undo.extend_from_slice(b"\x1b[0m\x1b[?25h\n");
        cx.ui.bytes(&undo)
    }
}

/// Wait, but not for somebody who has seen enough.
fn pause(length: Duration, interrupted: &AtomicBool) {
    let until = Instant::now() + length;
    while !interrupted.load(Ordering::Relaxed) {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        std::thread::sleep(left.min(BREATH));
    }
}
