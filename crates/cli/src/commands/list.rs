//! `sb list`: tickets by filter.

use clap::ValueEnum;
use signalbox_core::{ProjectName, Status, Ticket, Who};
use signalbox_store::index::{Filter, Listing};

use crate::context::Context;
use crate::{resolve, ticket_json, ticket_text};
use signalbox_desk::error::CommandError;

/// Without a filter: what is not done in the project of the current directory, or in all projects where the
/// directory belongs to none.
#[derive(clap::Args)]
pub struct Arguments {
    /// Only this project; `*` for all
    #[arg(long)]
    project: Option<String>,
    /// Only this status (can be repeated)
    #[arg(long, short)]
    status: Vec<String>,
    /// Only this priority (can be repeated)
    #[arg(long, short)]
    priority: Vec<String>,
    /// Only what is assigned to this name
    #[arg(long)]
    assignee: Option<String>,
    /// Only with this tag
    #[arg(long)]
    tag: Option<String>,
    /// Only of this initiative
    #[arg(long)]
    initiative: Option<String>,
    /// Only what is assigned to you
    #[arg(long)]
    mine: bool,
    /// Also what is done
    #[arg(long, short)]
    all: bool,
    /// The order
    #[arg(long, value_enum, default_value = "priority")]
    sort: Sort,
    /// Print the tickets as a JSON array
    #[arg(long)]
    json: bool,
}

impl Arguments {
    /// Whether what is not done is wanted, whatever it is.
    fn asks_for_nothing(&self) -> bool {
        let words = [&self.assignee, &self.tag, &self.initiative];
        let lists = [&self.status, &self.priority];
        !self.mine && words.iter().all(|word| word.is_none()) && lists.iter().all(|list| list.is_empty())
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Sort {
    /// Most urgent first, then oldest first
    Priority,
    /// Oldest first
    Created,
    /// Changed last comes first
    Updated,
    /// In the order of the workflow
    Status,
    /// By the alphabet
    Title,
}

pub fn run(cx: &Context, arguments: Arguments) -> Result<(), CommandError> {
    let (store, index) = cx.index()?;
    let filter = filter(cx, &arguments)?;
    let mut rows = index.list(&filter)?;
    sort(&mut rows, arguments.sort);
    if cx.ui.json {
        let waiting = index.waiting()?;
        let mut tickets: std::collections::BTreeMap<_, _> =
            index.tickets(&filter)?.into_iter().map(|ticket| (ticket.id.to_string(), ticket)).collect();
        let tickets: Vec<_> = rows.iter().filter_map(|row| tickets.remove(row.id)).collect();
        let open = |ticket: &Ticket| waiting.get(&ticket.id).cloned().unwrap_or_default();
        return ticket_json::print_all(cx, &store, tickets.iter(), open);
    }
    if rows.is_empty() {
        let place = filter.project.as_ref().map(|p| format!(" in {p}")).unwrap_or_default();
        let any = Filter { project: filter.project.clone(), limit: Some(1), ..Filter::default() };
        if index.list(&any)?.is_empty() {
            cx.ui.status(&format!("There is no ticket{place} yet."));
            cx.ui.hint("`sb new \"What is to be done\"` files one.");
        } else if arguments.asks_for_nothing() {
            cx.ui.status(&format!("All tickets{place} are done."));
            cx.ui.hint("`sb list --all` shows them.");
        } else {
            cx.ui.status(&format!("No ticket{place} is like that."));
        }
    }
    print_rows(cx, &rows, filter.project.as_ref())
}

/// Rows as a person reads them.
pub fn print_rows(cx: &Context, rows: &Listing, project: Option<&ProjectName>) -> Result<(), CommandError> {
    cx.ui.data(&ticket_text::list(&cx.ui, rows, project.is_none(), signalbox_store::clock::now()))?;
    Ok(())
}

fn filter(cx: &Context, arguments: &Arguments) -> Result<Filter, CommandError> {
    let project = cx.project_filter(arguments.project.as_deref())?;
    let mut statuses = arguments
        .status
        .iter()
        .flat_map(|list| list.split(','))
        .map(resolve::status)
        .collect::<Result<Vec<_>, _>>()?;
    if statuses.is_empty() && !arguments.all {
        statuses = Status::ALL.into_iter().filter(|status| *status != Status::Done).collect();
    }
    let priorities = arguments
        .priority
        .iter()
        .flat_map(|list| list.split(','))
        .map(resolve::priority)
        .collect::<Result<Vec<_>, _>>()?;
    let mut filter = Filter {
        project,
        statuses,
        priorities,
        assignee: arguments.assignee.clone(),
        tag: arguments.tag.clone(),
        initiative: arguments.initiative.clone(),
        ..Filter::default()
    };
    if arguments.mine {
        match &cx.identity()?.who {
            Who::Agent(agent) => filter.assignee_session = Some(agent.session.to_string()),
            who => filter.assignee = Some(who.name().to_owned()),
        }
    }
    Ok(filter)
}

fn sort(rows: &mut Listing, sort: Sort) {
    match sort {
        Sort::Priority => {}
        Sort::Created => rows.sort_by_key(|row| row.created),
        Sort::Updated => rows.sort_by_key(|row| std::cmp::Reverse(row.updated)),
        Sort::Status => rows.sort_by_key(|row| row.status),
        Sort::Title => rows.sort_by_key(|row| row.title.to_lowercase()),
    }
}
