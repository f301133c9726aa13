//! `sb why`: why a ticket is where it is.

use signalbox_conductor as conductor;
use signalbox_core::text;

use crate::context::Context;
use crate::resolve;
use signalbox_desk::error::CommandError;

/// One sentence, in the words of the planner that decides it: what the ticket waits for, who has it, or how far its
/// merge is.
#[derive(clap::Args)]
pub struct Arguments {
    /// The ticket [default: your current one]
    id: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(cx: &Context, arguments: Arguments) -> Result<(), CommandError> {
    let (_, index) = cx.index()?;
    let id = resolve::ticket_or_current(cx, &index, arguments.id.as_deref())?;
    let ticket = index
        .ticket(&id)?
        .ok_or_else(|| CommandError::not_found("ticket.unknown", format!("there is no ticket {id}")))?;
    let explained = conductor::why(cx.home()?, cx.config()?, &ticket.project, &id)?;
    let Some(explained) = explained else {
        return Err(CommandError::not_found("ticket.unknown", format!("there is no ticket {id}")));
    };
    if cx.ui.json {
        return cx.ui.json(&explained);
    }
    cx.ui.data(&format!("{id} is {}. {}\n", explained.status, text::one_line(&explained.why)))?;
    if !explained.loop_runs && ticket.status != signalbox_core::Status::Done {
        cx.ui.hint("No loop runs for its project: `sb run` starts one.");
    }
    Ok(())
}
