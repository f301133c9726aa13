//! `sb tasklist`: tickets in Claude Code's own task list, and its tasks among the tickets.

mod pull;
mod push;

use std::collections::BTreeMap;
use std::path::PathBuf;

use signalbox_core::{ProjectName, SessionId, Status, Ticket, TicketId, Who, text};
use signalbox_drivers::claude::tasks::{self, NativeTask, TaskStatus};
use signalbox_store::index::Filter;
use signalbox_store::session::{self, Session};
use signalbox_store::{Index, files};

use crate::context::Context;
use crate::native_tasks::{TaskFolder, Tasks};
use crate::{changes, sessions};
use signalbox_desk::error::CommandError;

/// On demand, and in either direction. A ticket is the truth: what becomes of a task never completes a ticket, because
/// its review is somebody else's. A task says in its subject and its `metadata` which ticket it stands for.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    what: Option<What>,
}

#[derive(clap::Subcommand)]
enum What {
    /// Write tickets into the list: your own, what is ready, and what these wait for
    Push {
        #[command(flatten)]
        list: ListArguments,
        /// At most so many that are ready
        #[arg(long, short = 'n', value_name = "COUNT", default_value_t = MOST_READY)]
        limit: usize,
    },
    /// File a ticket for each task that has none, and say what differs
    Pull(ListArguments),
    /// Show tasks and tickets side by side
    Status(ListArguments),
}

#[derive(clap::Args, Default)]
struct ListArguments {
    /// Which list [default: CLAUDE_CODE_TASK_LIST_ID, or that of your session, or of the only one in this project]
    #[arg(long, value_name = "ID")]
    list: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

const MOST_READY: usize = 10;

pub fn run(cx: &Context, arguments: Arguments) -> Result<(), CommandError> {
    match arguments.what.unwrap_or(What::Status(ListArguments::default())) {
        What::Push { list, limit } => push::push(cx, &List::meant(cx, list.list.as_deref())?, limit),
        What::Pull(list) => pull::pull(cx, &List::meant(cx, list.list.as_deref())?),
        What::Status(list) => status(cx, &List::meant(cx, list.list.as_deref())?),
    }
}

/// A list, and whose tickets go into it.
struct List {
    name: String,
    folder: TaskFolder,
    who: Who,
    desk: String,
    project: Option<ProjectName>,
}

impl List {
    fn meant(cx: &Context, typed: Option<&str>) -> Result<Self, CommandError> {
        let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let settings = settings_folder()?;
        let identity = cx.identity()?;
        let id = match typed.map(ToOwned::to_owned).or_else(|| set("CLAUDE_CODE_TASK_LIST_ID")) {
            Some(id) => id,
            None => {
                let own = || identity.who.session().map(ToString::to_string);
                let session = match set("CLAUDE_CODE_SESSION_ID").or_else(own) {
                    Some(session) => session,
                    None => only_session(cx)?.id.to_string(),
                };
                team_of(&settings, &session).unwrap_or(session)
            }
        };
        let name = tasks::list_name(&id).ok_or_else(|| {
            CommandError::usage("tasklist.no-name", "the list's id is empty")
                .hint("It is the session's id, or what CLAUDE_CODE_TASK_LIST_ID says.")
        })?;
        let folder = TaskFolder::new(settings.join(tasks::TASKS).join(&name));
        // A person who looks after a session's list means the session's tickets.
        let session = match SessionId::parse(&id) {
            Ok(id) if !identity.who.is_agent() => session::load(cx.home()?, &id)?,
            _ => None,
        };
        let (who, desk, project) = match session {
            Some(session) => (Who::Agent(session.agent()), session.id.to_string(), Some(session.project)),
            None => (identity.who.clone(), identity.desk.clone(), cx.project()?),
        };
        Ok(Self { name, folder, who, desk, project })
    }

    /// The tickets that belong into the list, each before what waits for it.
    fn tickets(&self, cx: &Context, index: &Index, most_ready: usize) -> Result<Vec<Ticket>, CommandError> {
        let project = self.project.clone();
        let mut names = vec![self.who.name().to_owned()];
        names.extend(self.who.session().map(ToString::to_string));
        let claimed = Filter {
            project: project.clone(),
            statuses: vec![Status::InProgress, Status::Rework, Status::Blocked],
            ..Filter::default()
        };
        let mut chosen: Vec<Ticket> = Vec::new();
        if let Some(current) = session::current_ticket(cx.home()?, &self.desk)? {
            chosen.extend(index.ticket(&current)?.filter(|ticket| ticket.status != Status::Done));
        }
        chosen.extend(index.tickets(&claimed)?.into_iter().filter(|ticket| ticket.is_assigned_to(&self.who)));
        let ready = Filter { project, ready_for: Some(names), limit: Some(most_ready), ..Filter::default() };
        chosen.extend(index.tickets(&ready)?);
        let mut ordered: Vec<Ticket> = Vec::new();
        for ticket in chosen {
            with_blockers(index, ticket, &mut Vec::new(), &mut ordered)?;
        }
        Ok(ordered)
    }
}

/// A ticket after all that it waits for.
fn with_blockers(
    index: &Index,
    ticket: Ticket,
    above: &mut Vec<TicketId>,
    ordered: &mut Vec<Ticket>,
) -> Result<(), CommandError> {
    if above.contains(&ticket.id) || ordered.iter().any(|known| known.id == ticket.id) {
        return Ok(());
    }
    above.push(ticket.id.clone());
    for id in waits_for(&ticket) {
        if let Some(blocker) = index.ticket(id)?.filter(|blocker| blocker.status != Status::Done) {
            with_blockers(index, blocker, above, ordered)?;
        }
    }
    above.pop();
    ordered.push(ticket);
    Ok(())
}

/// All that a ticket must wait for, done or not.
fn waits_for(ticket: &Ticket) -> impl Iterator<Item = &TicketId> {
    ticket.depends_on.iter().filter(|id| !ticket.waived.contains(id))
}

/// Where Claude Code keeps its things.
fn settings_folder() -> Result<PathBuf, CommandError> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let folder = set("CLAUDE_CONFIG_DIR").or_else(|| set("HOME").map(|home| home.join(".claude")));
    folder.filter(|folder| folder.is_dir()).ok_or_else(|| {
        CommandError::precondition(
            "tasklist.no-claude",
            "Claude Code has no settings folder here, so it has no tasks",
        )
        .hint("It is ~/.claude, unless CLAUDE_CONFIG_DIR names another.")
    })
}

/// The team that a session leads: its list is the team's.
fn team_of(settings: &std::path::Path, session: &str) -> Option<String> {
    let teams = settings.join(tasks::TEAMS);
    files::names(&teams).ok()?.into_iter().find(|team| {
        let config = std::fs::read(teams.join(team).join("config.json")).unwrap_or_default();
        let config: serde_json::Value = serde_json::from_slice(&config).unwrap_or_default();
        config["leadSessionId"].as_str() == Some(session)
    })
}

fn only_session(cx: &Context) -> Result<Session, CommandError> {
    sessions::meant(cx, None).map_err(|error| error.hint("Or name the list itself: `--list ID`."))
}

/// The tasks that stand for tickets that exist here, each ticket's first.
fn linked<'a>(
    index: &Index,
    read: &'a Tasks,
) -> Result<BTreeMap<TicketId, (&'a NativeTask, Ticket)>, CommandError> {
    let mut linked = BTreeMap::new();
    for task in &read.tasks {
        if let Some(id) = task.ticket()
            && let Some(ticket) = index.ticket(&id)?
        {
            linked.entry(id).or_insert((task, ticket));
        }
    }
    Ok(linked)
}

/// How far a task is that stands for the ticket. What is handed in is done as far as the one who did it goes.
fn native_status(ticket: &Ticket) -> TaskStatus {
    match ticket.status {
        Status::Backlog | Status::Open | Status::Blocked => TaskStatus::Pending,
        Status::InProgress | Status::Rework => TaskStatus::InProgress,
        Status::Review | Status::Done => TaskStatus::Completed,
    }
}

/// What differs between a task and its ticket, with the command that puts it right.
fn difference(task: &NativeTask, ticket: &Ticket) -> Option<String> {
    let (id, number, status) = (&ticket.id, text::one_line(task.id()), ticket.status);
    if task.status() == native_status(ticket) {
        return None;
    }
    Some(match (task.status(), status) {
        (TaskStatus::Completed, Status::Open | Status::Backlog) => {
            format!(
                "task {number} is completed, but {id} was never claimed: `sb pick {id}`, then `sb submit {id}`"
            )
        }
        (TaskStatus::Completed, Status::Blocked) => {
            format!("task {number} is completed, but {id} is blocked: `sb show {id}` says by what")
        }
        (TaskStatus::Completed, _) => {
            format!("task {number} is completed, but {id} is {status}: hand it in with `sb submit {id}`")
        }
        (TaskStatus::InProgress, Status::Open | Status::Backlog) => {
            format!("task {number} is in progress, but {id} is {status}: claim it with `sb pick {id}`")
        }
        (native, _) => {
            let native = native.word().replace('_', " ");
            format!(
                "task {number} is {native}, but {id} is {status}: `sb tasklist push` brings the list up to date"
            )
        }
    })
}

fn status(cx: &Context, list: &List) -> Result<(), CommandError> {
    let (_, index) = cx.index()?;
    let read = list.folder.read()?;
    let linked = linked(&index, &read)?;
    let missing = list.tickets(cx, &index, MOST_READY)?;
    let missing: Vec<&Ticket> = missing.iter().filter(|ticket| !linked.contains_key(&ticket.id)).collect();
    let shown: Vec<&NativeTask> = read.tasks.iter().filter(|task| !task.is_internal()).collect();
    let ticket_of =
        |task: &NativeTask| task.ticket().and_then(|id| linked.get(&id)).map(|(_, ticket)| ticket);
    if cx.ui.json {
        let tasks: Vec<_> = shown
            .iter()
            .map(|task| {
                let ticket = ticket_of(task);
                serde_json::json!({
                    "task": task.id(), "subject": task.subject(), "task_status": task.status().word(),
                    "ticket": task.ticket(), "ticket_status": ticket.map(|ticket| ticket.status),
                    "difference": ticket.and_then(|ticket| difference(task, ticket)),
                })
            })
            .collect();
        return cx.ui.json(&serde_json::json!({
            "list": list.name, "folder": list.folder.path(), "tasks": tasks, "unreadable": read.unreadable,
            "not_in_list": missing.iter().map(|ticket| &ticket.id).collect::<Vec<_>>(),
        }));
    }
    let row = |task: &str, native: &str, ticket: &str, status: &str, title: &str| {
        format!("{task:>5}  {native:11}  {ticket:9}  {status:11}  {title}\n")
    };
    let mut table = row("task", "status", "ticket", "status", "title");
    for task in &shown {
        let native = task.status().word().replace('_', " ");
        let number = text::one_line(task.id());
        table += &match (ticket_of(task), task.ticket()) {
            (Some(ticket), _) => {
                row(&number, &native, ticket.id.as_str(), ticket.status.as_str(), &changes::title(ticket))
            }
            (None, Some(id)) => {
                row(&number, &native, id.as_str(), "not here", &text::one_line(task.subject()))
            }
            (None, None) => row(&number, &native, "–", "–", &text::one_line(task.subject())),
        };
    }
    for ticket in &missing {
        table += &row("–", "–", ticket.id.as_str(), ticket.status.as_str(), &changes::title(ticket));
    }
    if shown.is_empty() && missing.is_empty() {
        cx.ui.status(&format!("The list {} is empty, and no ticket belongs into it.", list.name));
    } else {
        cx.ui.data(&table)?;
    }
    for line in shown.iter().filter_map(|task| difference(task, ticket_of(task)?)) {
        cx.ui.hint(&line);
    }
    say_unreadable(cx, &read);
    Ok(())
}

fn say_unreadable(cx: &Context, read: &Tasks) {
    if !cx.ui.json && !read.unreadable.is_empty() {
        let ids: Vec<_> = read.unreadable.iter().map(|id| text::one_line(id)).collect();
        cx.ui.warn(&format!("these tasks cannot be read and were left alone: {}", ids.join(", ")));
    }
}

/// The ticket that a task must be about, by the ids of tasks.
fn tickets_by_task<'a>(linked: &BTreeMap<TicketId, (&'a NativeTask, Ticket)>) -> BTreeMap<&'a str, TicketId> {
    linked.iter().map(|(id, (task, _))| (task.id(), id.clone())).collect()
}
