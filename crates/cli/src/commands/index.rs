//! `sb index rebuild`: make the index anew from the log.

use crate::context::Context;
use signalbox_desk::error::CommandError;

/// The index only makes reading fast; everything in it comes from the event log.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// Delete the index and read the whole log again
    Rebuild {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

pub fn run(cx: &Context, arguments: Arguments) -> Result<(), CommandError> {
    let What::Rebuild { .. } = arguments.what;
    let store = cx.store()?;
    let events = store.rebuild_index()?;
    cx.ui.status(&format!("The index is made of {events} events."));
    if cx.ui.json {
        cx.ui.json(&serde_json::json!({ "events": events }))?;
    }
    Ok(())
}
