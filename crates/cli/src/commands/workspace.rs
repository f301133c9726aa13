//! `sb workspace`: the directories that agents work in, and what was kept of those that are gone.

use signalbox_conductor::{self as conductor, Site};
use signalbox_core::{TicketId, text};

use super::run::project;
use crate::context::Context;
use crate::resolve;
use signalbox_desk::error::CommandError;

/// Each ticket that is worked on has a directory with a repository of its own, beside Signalbox's folder. Nothing in
/// one is ever thrown away: before it goes, everything is kept under `refs/signalbox/keep`.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// List the workspaces, what they hold, and what was kept
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Keep all that is in a ticket's workspace, and take it away; without a ticket, those of all that are done; for people
    Clean {
        /// The ticket
        id: Option<String>,
    },
    /// Make a workspace anew from what was kept; for people
    Restore {
        /// The ticket
        id: String,
        /// Which of what was kept, if not the newest
        #[arg(long, value_name = "REF")]
        keep: Option<String>,
    },
}

pub fn run(cx: &Context, arguments: Arguments) -> Result<(), CommandError> {
    // Who may ask does not depend on whether there is anything.
    match &arguments.what {
        What::List { .. } => {}
        What::Clean { .. } => cx.who()?.must_be_human("take workspaces away")?,
        What::Restore { .. } => cx.who()?.must_be_human("restore a workspace")?,
    }
    let project = project(cx)?;
    if !Site::exists(cx.home()?, &project) {
        if cx.ui.json {
            return cx.ui.json(&serde_json::json!([]));
        }
        cx.ui.status("There is no workspace: no loop has run for this project.");
        return Ok(());
    }
    let site = Site::open(cx.home()?, cx.config()?, &project)?;
    match arguments.what {
        What::List { .. } => list(cx, &site),
        What::Clean { id } => {
            let id = id.map(|typed| ticket(cx, &typed)).transpose()?;
            for kept in conductor::clean_by_hand(&site, id.as_ref())? {
                cx.ui.status(&format!("Kept as {kept}."));
            }
            Ok(())
        }
        What::Restore { id, keep } => {
            let id = ticket(cx, &id)?;
            let path = conductor::restore(&site, &id, keep.as_deref())?;
            cx.ui.status(&format!("{id} is in {} again.", path.display()));
            Ok(())
        }
    }
}

fn ticket(cx: &Context, typed: &str) -> Result<TicketId, CommandError> {
    Ok(resolve::ticket(&cx.index()?.1, typed)?)
}

fn list(cx: &Context, site: &Site) -> Result<(), CommandError> {
    let rows = conductor::workspaces(site)?;
    if cx.ui.json {
        return cx.ui.json(&rows);
    }
    if rows.is_empty() {
        cx.ui.status("There is no workspace.");
    }
    for row in rows {
        cx.ui.data(&format!(
            "{}  {}  {}  {:.1} MB  {}{}\n",
            row.ticket,
            row.state,
            text::one_line(&row.branch),
            row.bytes as f64 / 1e6,
            row.path.display(),
            if row.kept.is_empty() { String::new() } else { format!("  {} kept", row.kept.len()) },
        ))?;
    }
    Ok(())
}
