//! `sb restart`: end the daemon and start it anew.

use signalbox_api::{Client, ClientError};

use crate::commands::down;
use crate::context::Context;
use crate::daemon;
use signalbox_desk::error::CommandError;

/// For a new version, or for variables that the daemon has to know. Agents go on meanwhile and find the new one.
#[derive(clap::Args)]
pub struct Arguments {}

pub fn run(cx: &Context, _: Arguments) -> Result<(), CommandError> {
    cx.who()?.must_be_human("restart the daemon")?;
    cx.config()?;
    match Client::connect(&cx.home()?.daemon_socket()) {
        Ok(client) => down::end(cx, client)?,
        // One of another version does not understand us, but every daemon ends at this signal.
        Err(ClientError::Version { pid, .. }) => {
            if let Some(pid) = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw) {
                rustix::process::kill_process(pid, rustix::process::Signal::TERM)
                    .map_err(std::io::Error::from)?;
            }
            down::wait(cx, pid)?;
        }
        Err(ClientError::Absent(_) | ClientError::Dead(_)) => {}
        Err(error) => return Err(error.into()),
    }
    let client = daemon::start_it(cx)?;
    cx.ui.status(&format!("The daemon runs (process {}).", client.greeting.pid));
    Ok(())
}
