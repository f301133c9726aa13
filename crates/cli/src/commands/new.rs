//! `sb new`: file a ticket.

use signalbox_core::{Command, NewTicket, ProjectName, TicketId};
use signalbox_store::{Index, StoreError, entropy};

use crate::changes;
use crate::context::Context;
use crate::resolve;
use signalbox_desk::error::CommandError;

/// It is open and can be claimed at once; with `--backlog` or priority P5 it waits in the backlog. Its id is
/// printed on standard output when that is not a terminal.
#[derive(clap::Args)]
pub struct Arguments {
    /// What should be true when it is done, in one line
    #[arg(required = true)]
    title: Vec<String>,
    /// The problem or goal in full; `-` reads it from standard input
    #[arg(long, short)]
    body: Option<String>,
    /// P0 (outage) to P5 (someday), or critical, urgent, high, normal, low, someday
    #[arg(long, short, default_value = "P3")]
    priority: String,
    /// A ticket that must be done first (can be repeated)
    #[arg(long = "depends-on", short, value_name = "ID")]
    depends_on: Vec<String>,
    /// A tag (can be repeated)
    #[arg(long, short)]
    tag: Vec<String>,
    /// A criterion that must be met (can be repeated)
    #[arg(long, value_name = "CRITERION")]
    accept: Vec<String>,
    /// The initiative it belongs to
    #[arg(long)]
    initiative: Option<String>,
    /// The area of the code, for branch names
    #[arg(long)]
    area: Option<String>,
    /// A short name, for branch names
    #[arg(long)]
    slug: Option<String>,
    /// The branch the work goes to
    #[arg(long)]
    branch: Option<String>,
    /// A service the work concerns (can be repeated)
    #[arg(long = "service", value_name = "NAME")]
    services: Vec<String>,
    /// The submodule the work is in
    #[arg(long)]
    submodule: Option<String>,
    /// A file or pattern it will change, for the forecast of conflicts (can be repeated)
    #[arg(long = "files", value_name = "PATTERN", value_delimiter = ',')]
    files: Vec<String>,
    /// No tests need to be written first
    #[arg(long)]
    no_tests: bool,
    /// Put it into the backlog
    #[arg(long)]
    backlog: bool,
    /// The project [default: the one of the current directory]
    #[arg(long)]
    project: Option<String>,
    /// Print the ticket as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(cx: &Context, arguments: Arguments) -> Result<(), CommandError> {
    let project = cx.project_named(arguments.project.as_deref())?;
    let priority = resolve::priority(&arguments.priority)?;
    let body = arguments.body.clone().map(resolve::text_or_stdin).transpose()?.unwrap_or_default();
    let store = cx.store()?;
    let build = |index: &Index| -> Result<Command, StoreError> {
        Ok(Command::New(Box::new(NewTicket {
            body: body.clone(),
            priority,
            backlog: arguments.backlog,
            depends_on: resolve::tickets(index, &arguments.depends_on)?,
            tags: arguments.tag.clone(),
            initiative: arguments.initiative.clone(),
            area: arguments.area.clone(),
            slug: arguments.slug.clone(),
            needs_tests: !arguments.no_tests,
            acceptance: arguments.accept.clone(),
            branch: arguments.branch.clone(),
            services: arguments.services.clone(),
            submodule: arguments.submodule.clone(),
            files: arguments.files.clone(),
            ..titled(index, &project, &arguments.title.join(" "))?
        })))
    };
    let outcome = cx.execute(&store, &build)?;
    if let Some(ticket) = &outcome.ticket {
        let title = changes::title(ticket);
        let sentence = format!("Filed {} ({}, {}): {title}", ticket.id, ticket.status, ticket.priority);
        changes::report(cx, &store, &outcome, ticket, &sentence)?;
        if !cx.ui.json && !cx.ui.is_terminal() {
            cx.ui.data(&format!("{}\n", ticket.id))?;
        }
    }
    Ok(())
}

/// A new ticket with an id that nobody has.
pub fn titled(index: &Index, project: &ProjectName, title: &str) -> Result<NewTicket, StoreError> {
    loop {
        let id = TicketId::from_random(entropy::number());
        if index.is_free(&id)? {
            return Ok(NewTicket::titled(id, project.clone(), title));
        }
    }
}
