//! Tickets as a person reads them: lines of a list, a whole ticket with its story.

use std::borrow::Cow;

use jiff::Timestamp;
use signalbox_core::text::{many_lines, one_line};
use signalbox_core::{Board, Event, Fact, Status, Ticket, dependency_tree, open_dependencies, time};
use signalbox_store::index::{Listing, Row};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::ui::{Paint, Ui};
use signalbox_core::time::age;

/// The lines of a list. On a terminal they fit its width; in a pipe nothing is cut.
pub fn list(ui: &Ui, rows: &Listing, with_project: bool, now: Timestamp) -> String {
    let width_of = |of: &dyn Fn(Row<'_>) -> usize, heading: &str| {
        rows.iter().map(of).max().unwrap_or(0).max(heading.len())
    };
    let status_width = width_of(&|row| row.status.as_str().len(), "STATUS");
    let assignee_width = width_of(&|row| row.assignee.map_or(1, columns).min(16), "ASSIGNEE");
    let project_width = if with_project { width_of(&|row| row.project.len().min(20), "PROJECT") } else { 0 };
    let fixed = 9
        + 2
        + status_width
        + 2
        + 2
        + 2
        + assignee_width
        + 2
        + 4
        + 2
        + if with_project { project_width + 2 } else { 0 };
    let title_width = ui.width().map(|width| width.saturating_sub(fixed).max(12));
    let mut text = String::with_capacity(rows.len() * 100);
    if ui.is_terminal() && !rows.is_empty() {
        let mut heading = format!(
            "{:9}  {:status_width$}  P   {:assignee_width$}  {:4}  ",
            "ID", "STATUS", "ASSIGNEE", "AGE"
        );
        if with_project {
            heading.push_str(&format!("{:project_width$}  ", "PROJECT"));
        }
        heading.push_str("TITLE");
        text.push_str(&ui.paint(Paint::Dim, heading.trim_end()));
        text.push('\n');
    }
    for row in rows.iter() {
        text.push_str(row.id);
        text.push_str("  ");
        if ui.has_color() {
            text.push_str(&ui.paint(status_paint(row.status), row.status.as_str()));
            pad(&mut text, row.status.as_str(), status_width);
        } else {
            push_padded(&mut text, row.status.as_str(), status_width);
        }
        text.push_str("  ");
        text.push_str(row.priority.as_str());
        text.push_str("  ");
        push_padded(&mut text, &cut(&one_line(row.assignee.unwrap_or("-")), Some(16)), assignee_width);
        text.push_str("  ");
        push_padded(&mut text, &age(row.updated, now), 4);
        text.push_str("  ");
        if with_project {
            push_padded(&mut text, &cut(row.project, Some(20)), project_width);
            text.push_str("  ");
        }
        text.push_str(&cut(&one_line(row.title), title_width));
        text.push('\n');
    }
    text
}

fn push_padded(text: &mut String, word: &str, width: usize) {
    text.push_str(word);
    pad(text, word, width);
}

/// The spaces that a word leaves of its column.
fn pad(text: &mut String, word: &str, width: usize) {
    for _ in columns(word)..width {
        text.push(' ');
    }
}

/// How many columns a text takes.
fn columns(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.width() }
}

/// At most so many columns of a text, with `…` where something is missing.
fn cut(text: &str, width: Option<usize>) -> Cow<'_, str> {
    let Some(width) = width.filter(|width| columns(text) > *width) else { return Cow::Borrowed(text) };
    let mut kept = String::new();
    let mut used = 1;
    for c in text.chars() {
        used += c.width().unwrap_or(0);
        if used > width {
            break;
        }
        kept.push(c);
    }
    kept.push('…');
    Cow::Owned(kept)
}

pub fn status_paint(status: Status) -> Paint {
    match status {
        Status::Backlog => Paint::Dim,
        Status::Open => Paint::Bold,
        Status::InProgress => Paint::Blue,
        Status::Review => Paint::Magenta,
        Status::Rework => Paint::Yellow,
        Status::Done => Paint::Green,
        Status::Blocked => Paint::Red,
    }
}

/// One line about a ticket: `sb_a7Kx2m  open  P2  Add rate limiting`.
pub fn line(ticket: &Ticket) -> String {
    format!("{}  {}  {}  {}", ticket.id, ticket.status, ticket.priority, one_line(&ticket.title))
}

/// A whole ticket with its dependencies, attempts and story.
pub fn whole(ui: &Ui, ticket: &Ticket, board: &Board, history: &[Event], path: &std::path::Path) -> String {
    let mut text = format!(
        "{}  {}\n",
        ui.paint(Paint::Bold, ticket.id.as_str()),
        ui.paint(Paint::Bold, &one_line(&ticket.title))
    );
    let prior = ticket.prior_status.map(|s| format!(" (was {s})")).unwrap_or_default();
    let status = ui.paint(status_paint(ticket.status), ticket.status.as_str());
    text.push_str(&format!("{}  {status}{prior}\n", ui.paint(Paint::Dim, "     status")));
    let mut property = |name: &str, value: &str| {
        if !value.is_empty() {
            text.push_str(&format!(
                "{}  {}\n",
                ui.paint(Paint::Dim, &format!("{name:>11}")),
                many_lines(value)
            ));
        }
    };
    let waits = open_dependencies(board, ticket);
    property("priority", ticket.priority.as_str());
    property("project", ticket.project.as_str());
    property("assignee", ticket.assignee.as_deref().unwrap_or_default());
    property("reviewer", ticket.reviewer.as_ref().map(|r| r.name.as_str()).unwrap_or_default());
    property("hold", ticket.hold.as_ref().map(|h| h.reason.as_str()).unwrap_or_default());
    property("waits on", &waits.iter().map(signalbox_core::TicketId::as_str).collect::<Vec<_>>().join(", "));
    property("tags", &ticket.tags.join(", "));
    property("initiative", ticket.initiative.as_deref().unwrap_or_default());
    property("area", ticket.area.as_deref().unwrap_or_default());
    property("branch", ticket.branch.as_deref().unwrap_or_default());
    property("services", &ticket.services.join(", "));
    property("files", &ticket.files.join(", "));
    if ticket.escalated {
        property("escalated", "yes");
    }
    if !ticket.needs_tests {
        property("needs tests", "no");
    }
    property("created", &time::short(ticket.created));
    property("file", &path.display().to_string());

    if let Some(Ok(Some(Fact::Created(created)))) = history.first().map(Fact::of)
        && !created.body.is_empty()
    {
        text.push_str(&format!("\n{}\n", many_lines(&created.body)));
    }
    if !ticket.acceptance.is_empty() {
        text.push_str(&format!("\n{}\n", ui.paint(Paint::Bold, "Acceptance")));
        for (number, criterion) in (1..).zip(&ticket.acceptance) {
            let mark = if criterion.met { 'x' } else { ' ' };
            text.push_str(&format!("  {number}. [{mark}] {}\n", one_line(&criterion.text)));
        }
    }
    let tree = dependency_tree(board, &ticket.id);
    if !tree.is_empty() {
        text.push_str(&format!("\n{}\n", ui.paint(Paint::Bold, "Depends on")));
        for (depth, id) in tree {
            let line = board.ticket(&id).map_or_else(|| format!("{id}  (missing)"), line);
            let waived = if depth == 0 && ticket.waived.contains(&id) { "  (waived)" } else { "" };
            text.push_str(&format!("{:indent$}{line}{waived}\n", "", indent = 2 + 2 * depth));
        }
    }
    if !ticket.attempts.is_empty() {
        text.push_str(&format!("\n{}\n", ui.paint(Paint::Bold, "Attempts")));
        for (number, attempt) in (1..).zip(&ticket.attempts) {
            text.push_str(&format!(
                "  {number}. {} by {}: {}\n",
                attempt.report.outcome.as_str(),
                one_line(&attempt.by),
                one_line(&attempt.report.summary)
            ));
            for (name, value) in
                [("blockers", &attempt.report.blockers), ("learnings", &attempt.report.learnings)]
            {
                if !value.is_empty() {
                    text.push_str(&format!("     {name}: {}\n", one_line(value)));
                }
            }
        }
    }
    text.push_str(&format!("\n{}\n", ui.paint(Paint::Bold, "History")));
    for event in history {
        text.push_str(&event_line(ui, event, false));
    }
    text
}

/// One line about an event.
pub fn event_line(ui: &Ui, event: &Event, with_ticket: bool) -> String {
    let ticket =
        event.ticket.as_ref().filter(|_| with_ticket).map(|id| format!("{id}  ")).unwrap_or_default();
    let words = signalbox_desk::words_of(event);
    let words =
        if words.is_empty() { String::new() } else { format!("  {}", cut(&one_line(&words), Some(160))) };
    format!(
        "  {}  {ticket}{}  {}{words}\n",
        ui.paint(Paint::Dim, &event.ts.strftime("%Y-%m-%d %H:%M:%S").to_string()),
        ui.paint(Paint::Cyan, &format!("{:18}", one_line(&event.event))),
        one_line(&event.actor),
    )
}
