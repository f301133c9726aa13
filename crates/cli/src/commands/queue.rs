//! `sb queue`: what waits to be merged.

use signalbox_conductor as conductor;
use signalbox_core::text;
use signalbox_store::clock;

use super::run::project;
use crate::context::Context;
use signalbox_core::time::age;
use signalbox_desk::error::CommandError;

/// The submissions that wait to land on main, in their order, and what each waits for.
#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Arguments {
    #[command(subcommand)]
    what: Option<What>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(clap::Subcommand)]
enum What {
    /// Take over what is on your main, though it did not come through the queue; for people
    Adopt,
}

pub fn run(cx: &Context, arguments: Arguments) -> Result<(), CommandError> {
    let project = project(cx)?;
    if let Some(What::Adopt) = arguments.what {
        let (from, to) = conductor::adopt(cx.home()?, cx.config()?, &project, cx.who()?)?;
        cx.ui.status(&format!("Work goes on from {to}; it was {from}."));
        return Ok(());
    }
    let entries = conductor::queue(cx.home()?, cx.config()?, &project)?;
    if cx.ui.json {
        return cx.ui.json(&entries);
    }
    if entries.is_empty() {
        cx.ui.status("Nothing waits to be merged.");
    }
    for entry in entries {
        let since = entry.since.map(|since| age(since, clock::now())).unwrap_or_default();
        cx.ui.data(&format!(
            "{}  {}  {since}  {}  {}\n",
            entry.ticket,
            entry.stage,
            text::one_line(&entry.title),
            text::one_line(&entry.why),
        ))?;
    }
    Ok(())
}
