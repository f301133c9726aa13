//! `sb edit`: change a ticket's fields.

use signalbox_core::{Changes, Command};
use signalbox_store::{Index, StoreError};

use crate::context::Context;
use crate::{changes, resolve};
use signalbox_desk::error::CommandError;

/// What is not named stays as it is; an empty text clears a field.
#[derive(clap::Args)]
pub struct Arguments {
    /// The ticket [default: your current one]
    id: Option<String>,
    /// Another title
    #[arg(long)]
    title: Option<String>,
    /// Another priority
    #[arg(long, short)]
    priority: Option<String>,
    /// Wait for this ticket too (can be repeated)
    #[arg(long = "depends-on", short, value_name = "ID")]
    depends_on: Vec<String>,
    /// Wait for this ticket no longer (can be repeated; humans only)
    #[arg(long = "no-depends-on", value_name = "ID")]
    no_depends_on: Vec<String>,
    /// Add a tag (can be repeated)
    #[arg(long, short)]
    tag: Vec<String>,
    /// Remove a tag (can be repeated)
    #[arg(long)]
    untag: Vec<String>,
    /// Add an acceptance criterion (can be repeated)
    #[arg(long, value_name = "CRITERION")]
    accept: Vec<String>,
    /// The initiative it belongs to
    #[arg(long)]
    initiative: Option<String>,
    /// The area of the code
    #[arg(long)]
    area: Option<String>,
    /// A short name
    #[arg(long)]
    slug: Option<String>,
    /// The branch the work goes to
    #[arg(long)]
    branch: Option<String>,
    /// The services the work concerns, separated by commas
    #[arg(long, value_delimiter = ',')]
    services: Option<Vec<String>>,
    /// The submodule the work is in
    #[arg(long)]
    submodule: Option<String>,
    /// The files and patterns it will change, separated by commas
    #[arg(long, value_name = "PATTERNS", value_delimiter = ',')]
    files: Option<Vec<String>>,
    /// Whether tests must be written first
    #[arg(long, value_name = "true|false")]
    needs_tests: Option<bool>,
    /// Whether a human must look at it before anyone works on it
    #[arg(long, value_name = "true|false")]
    escalated: Option<bool>,
    /// Print the ticket as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(cx: &Context, arguments: Arguments) -> Result<(), CommandError> {
    let priority = arguments.priority.as_deref().map(resolve::priority).transpose()?;
    let store = cx.store()?;
    let (index, _) = store.read()?;
    let id = resolve::ticket_or_current(cx, &index, arguments.id.as_deref())?;
    drop(index);
    let build = |index: &Index| -> Result<Command, StoreError> {
        let changes = Changes {
            title: arguments.title.clone(),
            priority,
            add_depends_on: resolve::tickets(index, &arguments.depends_on)?,
            remove_depends_on: resolve::tickets(index, &arguments.no_depends_on)?,
            add_tags: arguments.tag.clone(),
            remove_tags: arguments.untag.clone(),
            initiative: arguments.initiative.clone(),
            area: arguments.area.clone(),
            slug: arguments.slug.clone(),
            needs_tests: arguments.needs_tests,
            escalated: arguments.escalated,
            add_acceptance: arguments.accept.clone(),
            branch: arguments.branch.clone(),
            services: arguments.services.clone(),
            submodule: arguments.submodule.clone(),
            files: arguments.files.clone(),
        };
        Ok(Command::Edit { id: id.clone(), changes: Box::new(changes) })
    };
    let outcome = cx.execute(&store, &build)?;
    let Some(ticket) = outcome.ticket.clone() else { return Ok(()) };
    let sentence = if outcome.events.is_empty() {
        format!("{} is like that already.", ticket.id)
    } else {
        format!("Changed {} ({}): {}", ticket.id, ticket.status, changes::title(&ticket))
    };
    changes::report(cx, &store, &outcome, &ticket, &sentence)
}
