//! The merge queues with the loops that work on them: why each waits, and the end of what a validation prints.

use ratatui::layout::Rect;
use signalbox_desk::{Health, LoopView, QueueEntry};

use super::Pen;
use crate::layout;
use crate::state::{QueueRow, State};
use crate::style::Look;
use crate::text;

pub fn draw(state: &State, pen: &mut Pen<'_>) {
    let area = layout::content(state);
    let (Some(health), Some(table)) = (&state.views.health, layout::table(state)) else {
        pen.put(1, area.y, area.width, "Reading …", Look::Dim);
        return;
    };
    headline(state, pen, area, health);
    let rows = state.queue_rows();
    if rows.is_empty() {
        pen.put(
            1,
            area.y + 1,
            area.width - 2,
            "There is no project yet. `sb init` makes a directory one.",
            Look::Dim,
        );
    }
    let place = state.place();
    for (y, (row, what)) in (table.area.y..).zip(rows.iter().enumerate().skip(place.top).take(table.shown()))
    {
        match what {
            QueueRow::Project(name) => {
                let known = health.loops.iter().find(|one| one.project == *name);
                project(state, pen, y, name, known);
            }
            QueueRow::Entry(_, entry) => waiting(state, pen, y, entry),
        }
        if row == place.cursor {
            pen.mark(Rect::new(0, y, area.width, 1), Look::Here);
        }
    }
    output(state, pen);
}

fn headline(state: &State, pen: &mut Pen<'_>, area: Rect, health: &Health) {
    let daemon = match &health.daemon_since {
        Some(since) if health.daemon => format!("the daemon runs since {}", text::age(since, state.now)),
        _ if health.daemon => "the daemon runs".to_owned(),
        _ => "no daemon runs: `sb up`".to_owned(),
    };
    let words = format!("{daemon} · {} · sb {}", text::counted(health.agents, "agent"), health.version);
    let x = 1 + pen.put(1, area.y, area.width - 2, &words, Look::Dim);
    if let Some(trouble) = health.troubles.first() {
        let more = health.troubles.len() - 1;
        let more = if more > 0 { format!(" (and {more} more)") } else { String::new() };
        pen.put(x + 2, area.y, area.width.saturating_sub(x + 3), &format!("{trouble}{more}"), Look::Bad);
    }
}

fn project(state: &State, pen: &mut Pen<'_>, y: u16, name: &str, known: Option<&LoopView>) {
    pen.put(1, y, 24, name, Look::Strong);
    let Some(known) = known else { return };
    let (words, look) = match (known.runs, known.control.as_str()) {
        (true, "running") => ("its loop runs", Look::Good),
        (true, "paused") => ("paused", Look::Warm),
        (true, "draining") => ("draining", Look::Warm),
        (true, _) => ("ending", Look::Warm),
        (false, "running") if known.begun => ("no loop runs: `sb run`", Look::Dim),
        (false, "running") => ("no loop ever ran: `sb run`", Look::Dim),
        (false, "paused") => ("no loop runs, and it is to be paused", Look::Dim),
        (false, _) => ("no loop runs, and it is to be drained", Look::Dim),
    };
    pen.put(26, y, 40, words, look);
    let mut beside = vec![text::counted(known.agents, "agent")];
    beside.extend(known.concurrency.map(|most| format!("at most {most}")));
    if let (Some(by), Some(since)) = (&known.by, &known.since) {
        beside.push(format!("{by}, {} ago", text::age(since, state.now)));
    }
    pen.put(56, y, state.cols.saturating_sub(57), &beside.join(" · "), Look::Dim);
}

fn waiting(state: &State, pen: &mut Pen<'_>, y: u16, entry: &QueueEntry) {
    let look = match entry.stage.as_str() {
        "queued" => Look::Dim,
        "building" => Look::Name,
        _ => Look::Good,
    };
    pen.put(3, y, 10, &entry.stage, look);
    pen.put(14, y, 10, &entry.ticket, Look::Name);
    let since = entry.since.as_ref().map(|since| text::age(since, state.now)).unwrap_or_default();
    pen.put(25, y, 5, &since, Look::Dim);
    let half = state.cols.saturating_sub(31) / 2;
    pen.put(31, y, half, &entry.title, Look::Text);
    pen.put(32 + half, y, state.cols.saturating_sub(33 + half), &entry.why, Look::Dim);
}

/// The end of what the project's last validation printed, and why the queue could not be read.
fn output(state: &State, pen: &mut Pen<'_>) {
    let area = layout::lower(state);
    let project = state.at(state.place().cursor).project;
    let queues = state.views.queue.as_ref().map_or(&[][..], |queue| &queue.projects);
    let Some(queue) = queues.iter().find(|queue| Some(&queue.project) == project.as_ref()) else {
        pen.rule(area.x, area.y, area.width, "");
        return;
    };
    let title = queue.output_of.as_deref().map(|name| format!("output of {name}"));
    pen.rule(area.x, area.y, area.width, title.as_deref().unwrap_or("no validation has run"));
    let height = usize::from(area.height.saturating_sub(1));
    let mut lines: Vec<(Look, String)> = Vec::new();
    for line in queue.output.lines().rev().take(height) {
        let wrapped = text::wrap(line, usize::from(area.width - 2));
        lines.extend(wrapped.into_iter().rev().map(|line| (Look::Text, line)));
    }
    lines.truncate(height);
    lines.reverse();
    if let Some(trouble) = &queue.trouble {
        lines.insert(0, (Look::Bad, trouble.clone()));
    }
    for (y, (look, line)) in (area.y + 1..area.bottom()).zip(lines) {
        pen.put(1, y, area.width - 2, &line, look);
    }
}
