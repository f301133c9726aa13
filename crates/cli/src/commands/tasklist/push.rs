//! `sb tasklist push`: from tickets to tasks.

use std::collections::BTreeMap;

use signalbox_core::{Ticket, TicketId, Who};
use signalbox_drivers::claude::tasks::{Edges, NativeTask};

use super::{List, linked, native_status, say_unreadable, waits_for};
use crate::changes;
use crate::commands::next_commands;
use crate::context::Context;
use crate::native_tasks::{BUSY, Seen, TaskFolder};
use signalbox_desk::error::CommandError;

/// How a description that was written here begins. Any other is its author's.
const OURS: &str = "Signalbox ticket ";

/// What became of the tasks, by task and ticket.
#[derive(Default, serde::Serialize)]
struct Pushed {
    created: Vec<Pair>,
    updated: Vec<Pair>,
    unchanged: Vec<Pair>,
    /// Somebody else was writing them.
    busy: Vec<Pair>,
}

#[derive(serde::Serialize)]
struct Pair {
    task: String,
    ticket: TicketId,
}

pub fn push(cx: &Context, list: &List, limit: usize) -> Result<(), CommandError> {
    cx.who()?;
    let (_, index) = cx.index()?;
    let wanted = list.tickets(cx, &index, limit)?;
    if wanted.is_empty() && !list.folder.path().is_dir() {
        return say(cx, list, &Pushed::default(), &[]);
    }
    list.folder.prepare()?;
    let lock = list.folder.lock_list()?;
    let read = list.folder.read()?;
    let linked = linked(&index, &read)?;
    let mut tickets: Vec<Ticket> = linked.values().map(|(_, ticket)| ticket.clone()).collect();
    let mut ids: BTreeMap<TicketId, String> =
        linked.iter().map(|(id, (task, _))| (id.clone(), task.id().to_owned())).collect();
    let mut highest = read.highest;
    for ticket in wanted {
        if !ids.contains_key(&ticket.id) {
            highest += 1;
            ids.insert(ticket.id.clone(), highest.to_string());
            tickets.push(ticket);
        }
    }
    let edges = edges(&tickets, &ids);
    let mut pushed = Pushed::default();
    for ticket in &tickets {
        let Some(task) = ids.get(&ticket.id) else { continue };
        let wanted =
            Wanted { ticket, who: &list.who, edges: edges.get(task).cloned().unwrap_or_default(), ids: &ids };
        let pair = Pair { task: task.clone(), ticket: ticket.id.clone() };
        if !linked.contains_key(&ticket.id) {
            list.folder.create(&wanted.new_task(task))?;
            pushed.created.push(pair);
            continue;
        }
        match update(&list.folder, task, &wanted) {
            Ok(Some(true)) => pushed.updated.push(pair),
            Ok(Some(false)) => pushed.unchanged.push(pair),
            // Deleted in between: that says nothing about the ticket.
            Ok(None) => {}
            Err(error) if error.code == BUSY => pushed.busy.push(pair),
            Err(error) => return Err(error),
        }
    }
    drop(lock);
    say(cx, list, &pushed, &read.unreadable)?;
    say_unreadable(cx, &read);
    Ok(())
}

/// Bring one task up to date. Whether that changed it; `None` where it is gone.
fn update(folder: &TaskFolder, id: &str, wanted: &Wanted<'_>) -> Result<Option<bool>, CommandError> {
    let _lock = folder.lock_task(id)?;
    let Seen::Task(task) = folder.task(id)? else { return Ok(None) };
    let changed = wanted.applied_to(&task);
    if changed == task {
        return Ok(Some(false));
    }
    folder.write(&changed)?;
    Ok(Some(true))
}

/// Which task waits for which, as the tickets have it.
fn edges(tickets: &[Ticket], ids: &BTreeMap<TicketId, String>) -> BTreeMap<String, Edges> {
    let mut edges: BTreeMap<String, Edges> = BTreeMap::new();
    for ticket in tickets {
        let Some(task) = ids.get(&ticket.id) else { continue };
        for blocker in waits_for(ticket).filter_map(|id| ids.get(id)) {
            edges.entry(task.clone()).or_default().blocked_by.push(blocker.clone());
            edges.entry(blocker.clone()).or_default().blocks.push(task.clone());
        }
    }
    edges
}

/// What a task that stands for a ticket should be.
struct Wanted<'a> {
    ticket: &'a Ticket,
    who: &'a Who,
    edges: Edges,
    ids: &'a BTreeMap<TicketId, String>,
}

impl Wanted<'_> {
    fn new_task(&self, id: &str) -> NativeTask {
        let mut task = NativeTask::new(id, "", &self.description(), native_status(self.ticket));
        // Whoever else is at it should not be disturbed.
        if let Some(assignee) =
            self.ticket.assignee.as_deref().filter(|_| !self.ticket.is_assigned_to(self.who))
        {
            task.set_owner(&signalbox_core::text::one_line(assignee));
        }
        self.applied_to(&task)
    }

    fn applied_to(&self, task: &NativeTask) -> NativeTask {
        let mut task = task.clone();
        task.link(&self.ticket.id, &changes::title(self.ticket));
        task.set_status(native_status(self.ticket));
        if task.description().starts_with(OURS) {
            task.set_description(&self.description());
        }
        // What waits for tasks that stand for no ticket is not known here.
        let foreign = |list: Vec<String>, own: &[String]| -> Vec<String> {
            let kept = list.into_iter().filter(|id| !self.ids.values().any(|task| task == id));
            kept.chain(own.iter().cloned()).collect()
        };
        let known = task.edges();
        task.set_edges(&Edges {
            blocked_by: foreign(known.blocked_by, &self.edges.blocked_by),
            blocks: foreign(known.blocks, &self.edges.blocks),
        });
        task
    }

    /// No word of what the ticket says: reading it is recorded, because it decides who may review.
    fn description(&self) -> String {
        let ticket = self.ticket;
        let mut text = format!("{OURS}{}, {}, {}.\n", ticket.id, ticket.priority, ticket.status);
        for command in next_commands(ticket, self.who) {
            text.push_str(&format!("  {command}\n"));
        }
        text.push_str("This task is completed when the ticket is handed in.");
        text
    }
}

fn say(cx: &Context, list: &List, pushed: &Pushed, unreadable: &[String]) -> Result<(), CommandError> {
    if cx.ui.json {
        return cx.ui.json(&serde_json::json!({
            "list": list.name, "folder": list.folder.path(), "created": pushed.created, "updated": pushed.updated,
            "unchanged": pushed.unchanged, "busy": pushed.busy, "unreadable": unreadable,
        }));
    }
    let all = pushed.created.len() + pushed.updated.len() + pushed.unchanged.len();
    if all + pushed.busy.len() == 0 {
        cx.ui.status(&format!("No ticket belongs into the list {}.", list.name));
        return Ok(());
    }
    cx.ui.status(&format!(
        "{all} tickets are in the list {}: {} new, {} changed.",
        list.name,
        pushed.created.len(),
        pushed.updated.len()
    ));
    for pair in &pushed.busy {
        let task = signalbox_core::text::one_line(&pair.task);
        cx.ui
            .warn(&format!("another program is writing task {task} ({}); it was left as it is", pair.ticket));
    }
    Ok(())
}
