//! `sb help`: what can be done now, or all about one command.

use crate::context::Context;
use crate::{dispatch, overview, reference, resolve, ticket_text};
use signalbox_desk::error::CommandError;

/// Without a command: your current ticket with what can be done with it, then all commands.
#[derive(clap::Args)]
pub struct Arguments {
    /// The command
    command: Option<String>,
    /// Print a whole reference page as markdown: cli, config, contract, events, environment, outside,
    /// control-socket, http or mcp
    #[arg(long, value_name = "PAGE", conflicts_with = "command")]
    reference: Option<String>,
}

pub fn run(cx: &Context, arguments: Arguments) -> Result<(), CommandError> {
    if let Some(name) = &arguments.command {
        let mut command = dispatch::command(dispatch::find(name)?);
        cx.ui.data(&command.render_long_help().to_string())?;
        return Ok(());
    }
    if let Some(page) = &arguments.reference {
        let text = reference::page(page).ok_or_else(|| {
            CommandError::not_found("reference.unknown", format!("there is no reference page `{page}`"))
                .hint("The pages are cli, config, contract, events, environment, outside, control-socket, http and mcp.")
        })?;
        cx.ui.data(&text)?;
        return Ok(());
    }
    // Help must work whatever else does not.
    if let Ok((_, index)) = cx.index()
        && let Ok(Some(id)) = resolve::current(cx, &index)
        && let Ok(Some(ticket)) = index.ticket(&id)
    {
        let mut text = format!("Your current ticket: {}\n", ticket_text::line(&ticket));
        for command in super::context::next_commands(&ticket, &cx.identity()?.who) {
            text.push_str(&format!("  {command}\n"));
        }
        cx.ui.data(&format!("{text}\n"))?;
    }
    cx.ui.data(&overview::overview())?;
    Ok(())
}
