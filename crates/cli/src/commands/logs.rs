//! `sb logs`: what the daemon says of itself.

use std::path::Path;
use std::time::Duration;

use signalbox_core::text;
use signalbox_store::files;

use crate::context::Context;
use signalbox_desk::error::CommandError;

/// The most that is looked at for the last lines.
const TAIL: u64 = 1 << 20;
/// How often a log that is followed is looked at.
const LOOK: Duration = Duration::from_millis(200);

/// What went wrong with monitors and notifiers, who came and went. What happened to tickets and agents is in `sb log`.
#[derive(clap::Args)]
pub struct Arguments {
    /// How many lines
    #[arg(long, short = 'n', default_value_t = 50)]
    lines: usize,
    /// Go on as more is said, until interrupted
    #[arg(long, short)]
    follow: bool,
}

pub fn run(cx: &Context, arguments: Arguments) -> Result<(), CommandError> {
    let path = cx.home()?.daemon_log();
    let size = files::size(&path)?.unwrap_or(0);
    if size == 0 && !arguments.follow {
        cx.ui.status("The daemon has not said anything yet. `sb up` starts it.");
        return Ok(());
    }
    if size > 0 {
        let bytes = files::read_from(&path, size.saturating_sub(TAIL))?;
        let whole = String::from_utf8_lossy(&bytes);
        let lines: Vec<&str> = whole.lines().collect();
        let last = lines.get(lines.len().saturating_sub(arguments.lines)..).unwrap_or_default();
        for line in last {
            cx.ui.data(&format!("{}\n", text::one_line(line)))?;
        }
    }
    if arguments.follow { follow(cx, &path, size) } else { Ok(()) }
}

/// Print what is added, until interrupted.
fn follow(cx: &Context, path: &Path, mut size: u64) -> Result<(), CommandError> {
    loop {
        std::thread::sleep(LOOK);
        let now = files::size(path)?.unwrap_or(0);
        // It was begun anew.
        if now < size {
            size = 0;
        }
        if now > size {
            let bytes = files::read_from(path, size)?;
            size += bytes.len() as u64;
            cx.ui.data(&text::many_lines(&String::from_utf8_lossy(&bytes)))?;
        }
    }
}
