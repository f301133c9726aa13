//! `sb ready`: what can be claimed.

use signalbox_core::Who;
use signalbox_store::index::Filter;

use crate::context::Context;
use crate::ticket_json;
use signalbox_desk::error::CommandError;

/// Open tickets that wait for nothing, are not escalated, and are free or assigned to you.
#[derive(clap::Args)]
pub struct Arguments {
    /// Only this project; `*` for all [default: the one of the current directory]
    #[arg(long)]
    project: Option<String>,
    /// At most so many
    #[arg(long, short = 'n', value_name = "COUNT")]
    limit: Option<usize>,
    /// Print the tickets as a JSON array
    #[arg(long)]
    json: bool,
}

pub fn run(cx: &Context, arguments: Arguments) -> Result<(), CommandError> {
    let (store, index) = cx.index()?;
    let filter = Filter { limit: arguments.limit, ..filter(cx, arguments.project.as_deref())? };
    let rows = index.list(&filter)?;
    if cx.ui.json {
        let tickets = index.tickets(&filter)?;
        // What is ready waits for nothing.
        return ticket_json::print_all(cx, &store, tickets.iter(), |_| Vec::new());
    }
    if rows.is_empty() {
        cx.ui.status("Nothing is ready.");
        cx.ui.hint("`sb list` shows what is in progress, in review or blocked.");
        return Ok(());
    }
    super::list::print_rows(cx, &rows, filter.project.as_ref())?;
    if cx.ui.is_terminal() {
        cx.ui.hint("Claim the first with `sb pop`, or another with `sb pick ID`.");
    }
    Ok(())
}

/// What this asker could claim.
pub fn filter(cx: &Context, project: Option<&str>) -> Result<Filter, CommandError> {
    let project = cx.project_filter(project)?;
    let who = &cx.identity()?.who;
    let mut names = vec![who.name().to_owned()];
    if let Who::Agent(agent) = who {
        names.push(agent.session.to_string());
    }
    Ok(Filter { project, ready_for: Some(names), ..Filter::default() })
}
