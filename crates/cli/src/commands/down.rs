//! `sb down`: end the daemon.

use std::time::{Duration, Instant};

use signalbox_api::{Client, ClientError, Stop};
use signalbox_store::lock::Lock;

use crate::context::Context;
use crate::daemon;
use signalbox_desk::error::CommandError;

/// How long the daemon may take to end.
const PATIENCE: Duration = Duration::from_secs(5);

/// Agents go on without it. What is to be told waits until it runs again.
#[derive(clap::Args)]
pub struct Arguments {}

pub fn run(cx: &Context, _: Arguments) -> Result<(), CommandError> {
    cx.who()?.must_be_human("end the daemon")?;
    match daemon::running(cx)? {
        Some(client) => {
            let pid = client.greeting.pid;
            end(cx, client)?;
            cx.ui.status(&format!("The daemon (process {pid}) has ended; agents go on."));
        }
        None => cx.ui.status("No daemon runs."),
    }
    Ok(())
}

/// End it, and wait until it has.
pub fn end(cx: &Context, mut client: Client) -> Result<(), CommandError> {
    let pid = client.greeting.pid;
    match client.ask(Stop {}) {
        Ok(_) | Err(ClientError::Closed) => {}
        Err(error) => return Err(error.into()),
    }
    wait(cx, pid)
}

/// Wait until nobody is the daemon.
pub fn wait(cx: &Context, pid: u32) -> Result<(), CommandError> {
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE {
        if Lock::try_acquire(&cx.home()?.daemon_lock())?.is_some() {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    Err(CommandError::precondition("daemon.lives", format!("process {pid} was asked to end, and has not"))
        .hint(format!("`kill -9 {pid}` ends it; nothing is lost.")))
}
