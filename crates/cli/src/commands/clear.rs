//! `sb clear`: have no current ticket.

use crate::context::Context;
use crate::resolve;
use signalbox_desk::error::CommandError;

/// Commands then need an id, unless there is exactly one ticket you are working on.
#[derive(clap::Args)]
pub struct Arguments {}

pub fn run(cx: &Context, _: Arguments) -> Result<(), CommandError> {
    cx.home()?.prepare()?;
    resolve::set_current(cx, None)?;
    cx.ui.status("You have no current ticket.");
    Ok(())
}
