//! `sb tasklist pull`: from tasks to tickets.

use std::collections::BTreeMap;

use signalbox_core::text::{MOST_TITLE, one_line};
use signalbox_core::{Command, NewTicket, ProjectName, TicketId};
use signalbox_drivers::claude::tasks::{NativeTask, TaskStatus};
use signalbox_store::{Index, StoreError};

use super::{List, difference, linked, say_unreadable, tickets_by_task};
use crate::commands::new;
use crate::context::Context;
use crate::native_tasks::{BUSY, Seen};
use signalbox_desk::error::CommandError;

/// What came of it.
#[derive(Default)]
struct Pulled {
    filed: Vec<(String, TicketId)>,
    differences: Vec<String>,
    /// Done before anybody filed a ticket.
    completed: usize,
    /// Why a task could not become a ticket.
    refused: Vec<(String, String)>,
}

pub fn pull(cx: &Context, list: &List) -> Result<(), CommandError> {
    cx.who()?;
    let (_, index) = cx.index()?;
    let read = list.folder.read()?;
    let linked = linked(&index, &read)?;
    let mut pulled = Pulled::default();
    for (task, ticket) in linked.values() {
        pulled.differences.extend(difference(task, ticket));
    }
    let mut tickets = tickets_by_task(&linked);
    // A task that names a ticket of another home has one.
    let new: Vec<&NativeTask> =
        read.tasks.iter().filter(|task| !task.is_internal() && task.ticket().is_none()).collect();
    let (completed, open): (Vec<_>, Vec<_>) =
        new.into_iter().partition(|task| task.status() == TaskStatus::Completed);
    pulled.completed = completed.len();
    if !open.is_empty() {
        let project = match &list.project {
            Some(project) => project.clone(),
            None => cx.project_named(None)?,
        };
        for task in blockers_first(&open) {
            match file(cx, list, &project, task.id(), &tickets) {
                Ok(Some((ticket, differs))) => {
                    tickets.insert(task.id(), ticket.clone());
                    pulled.filed.push((task.id().to_owned(), ticket));
                    pulled.differences.extend(differs);
                }
                Ok(None) => {}
                // One task that cannot become a ticket does not keep the others from it.
                Err(error) if error.kind == signalbox_desk::error::Kind::Usage || error.code == BUSY => {
                    pulled.refused.push((task.id().to_owned(), error.message));
                }
                Err(error) => return Err(error),
            }
        }
    }
    say(cx, list, &pulled, &read.unreadable)?;
    say_unreadable(cx, &read);
    Ok(())
}

/// File a ticket for one task and write its id into the task. `None` where the task is gone or got a ticket meanwhile.
fn file(
    cx: &Context,
    list: &List,
    project: &ProjectName,
    id: &str,
    tickets: &BTreeMap<&str, TicketId>,
) -> Result<Option<(TicketId, Option<String>)>, CommandError> {
    // Held until the id is in the file, so that two who pull at once file one ticket.
    let _lock = list.folder.lock_task(id)?;
    let Seen::Task(mut task) = list.folder.task(id)? else { return Ok(None) };
    if task.ticket().is_some() {
        return Ok(None);
    }
    let depends_on: Vec<TicketId> =
        task.edges().blocked_by.iter().filter_map(|id| tickets.get(id.as_str()).cloned()).collect();
    let (title, rest) = title(task.subject());
    let body = [rest, task.description().trim_end().to_owned()].into_iter().filter(|part| !part.is_empty());
    let from = format!("From task {} of Claude Code's list {}.", one_line(id), list.name);
    let body: Vec<String> = body.chain([from]).collect();
    let build = |index: &Index| -> Result<Command, StoreError> {
        Ok(Command::New(Box::new(NewTicket {
            body: body.join("\n\n"),
            depends_on: depends_on.clone(),
            ..new::titled(index, project, &title)?
        })))
    };
    let outcome = cx.execute(&cx.store()?, &build)?;
    let Some(ticket) = outcome.ticket else { return Ok(None) };
    let differs = difference(&task, &ticket);
    task.link(&ticket.id, &crate::changes::title(&ticket));
    list.folder.write(&task)?;
    Ok(Some((ticket.id, differs)))
}

/// A title as tickets take it, and what of the subject does not fit into it.
fn title(subject: &str) -> (String, String) {
    let line = subject.trim().lines().next().unwrap_or_default();
    if line.chars().count() <= MOST_TITLE && line == subject.trim() {
        return (line.to_owned(), String::new());
    }
    let short: String = line.chars().take(MOST_TITLE - 1).collect();
    let short = if short == line { short } else { format!("{short}…") };
    (short, subject.trim().to_owned())
}

/// Each task after those it waits for. In a circle, one of them is first all the same.
fn blockers_first<'a>(tasks: &[&'a NativeTask]) -> Vec<&'a NativeTask> {
    fn visit<'a>(
        task: &'a NativeTask,
        all: &[&'a NativeTask],
        seen: &mut Vec<&'a str>,
        out: &mut Vec<&'a NativeTask>,
    ) {
        if seen.contains(&task.id()) {
            return;
        }
        seen.push(task.id());
        for id in task.edges().blocked_by {
            if let Some(blocker) = all.iter().find(|task| task.id() == id) {
                visit(blocker, all, seen, out);
            }
        }
        out.push(task);
    }
    let (mut seen, mut out) = (Vec::new(), Vec::new());
    for task in tasks {
        visit(task, tasks, &mut seen, &mut out);
    }
    out
}

fn say(cx: &Context, list: &List, pulled: &Pulled, unreadable: &[String]) -> Result<(), CommandError> {
    if cx.ui.json {
        let pair =
            |(task, ticket): &(String, TicketId)| serde_json::json!({ "task": task, "ticket": ticket });
        let refused = |(task, why): &(String, String)| serde_json::json!({ "task": task, "reason": why });
        return cx.ui.json(&serde_json::json!({
            "list": list.name, "folder": list.folder.path(),
            "filed": pulled.filed.iter().map(pair).collect::<Vec<_>>(),
            "differences": pulled.differences, "completed_without_ticket": pulled.completed,
            "refused": pulled.refused.iter().map(refused).collect::<Vec<_>>(), "unreadable": unreadable,
        }));
    }
    for (task, ticket) in &pulled.filed {
        cx.ui.status(&format!("Filed {ticket} for task {}.", one_line(task)));
    }
    if pulled.filed.is_empty() {
        cx.ui.status(&format!("No task of the list {} needs a ticket.", list.name));
    }
    if pulled.completed > 0 {
        cx.ui.status(&format!("{} completed tasks never had a ticket, and get none.", pulled.completed));
    }
    for (task, why) in &pulled.refused {
        cx.ui.warn(&format!("task {} got no ticket: {why}", one_line(task)));
    }
    for line in &pulled.differences {
        cx.ui.hint(line);
    }
    Ok(())
}
