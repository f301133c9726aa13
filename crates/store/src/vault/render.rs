//! The body of a ticket file: the template at the top, then a section for each happening.

use signalbox_core::{Cause, Event, Fact, Status, StatusChange, Ticket, time};

use super::frontmatter;
use super::prose::prose;

/// The whole file, from nothing.
pub(super) fn whole(ticket: &Ticket, changes: &[Event]) -> serde_json::Result<String> {
    let front: String = frontmatter::entries_of(ticket).into_iter().map(|entry| entry.text).collect();
    let mut text = format!("---\n{front}---\n");
    let created = changes.first().map(Fact::of).transpose()?.flatten();
    let (goal, criteria) = match created {
        Some(Fact::Created(created)) => (prose(&created.body), created.acceptance),
        _ => (String::new(), Vec::new()),
    };
    let criteria: Vec<_> = criteria.iter().map(|c| format!("- [ ] {}", prose(c))).collect();
    for (heading, body) in [
        ("Problem/Goal", goal),
        ("Success Criteria", criteria.join("\n")),
        ("Context Manifest", String::new()),
        ("User Notes", String::new()),
        ("Work Log", String::new()),
    ] {
        text.push_str(&format!("\n## {heading}\n"));
        if !body.is_empty() {
            text.push_str(&format!("\n{body}\n"));
        }
    }
    for event in changes {
        text.push_str(&section(event)?);
    }
    Ok(text)
}

/// One happening: a heading with its time, who it was, and what was said.
pub(super) fn section(event: &Event) -> serde_json::Result<String> {
    let Some(fact) = Fact::of(event)? else { return Ok(String::new()) };
    let session = event.session.as_ref().map(|s| format!(" (session: {s})")).unwrap_or_default();
    let mut text = format!(
        "\n## {} — {}\n\n**actor:** {}{session}\n",
        heading(&fact),
        time::short(event.ts),
        prose(&event.actor)
    );
    let (properties, words) = details(&fact);
    for (name, value) in properties {
        text.push_str(&format!("**{name}:** {value}\n"));
    }
    if !words.is_empty() {
        text.push_str(&format!("\n{words}\n"));
    }
    Ok(text)
}

fn heading(fact: &Fact) -> &'static str {
    match fact {
        Fact::Created(_) => "Created",
        Fact::Edited(_) => "Edited",
        Fact::Assigned(_) => "Assigned",
        Fact::Released(_) => "Released",
        Fact::Read => "Read",
        Fact::Held(_) => "Held",
        Fact::Unheld(_) => "Hold Released",
        Fact::Waived(_) => "Dependencies Waived",
        Fact::Checked(checked) if checked.met => "Criterion Met",
        Fact::Checked(_) => "Criterion Not Met",
        Fact::Noted(_) => "Note",
        Fact::ReviewStarted => "Review Started",
        Fact::ReviewApproved(_) => "Approved",
        Fact::ReviewRejected(_) => "Rejected",
        Fact::ReviewReleased(_) => "Review Released",
        Fact::Attempt(_) => "Attempt",
        Fact::AttemptStarted(_) => "Attempt Started",
        Fact::TestsReady(_) => "Tests Ready",
        Fact::Submitted(_) => "Handed In",
        Fact::MergeQueued(_) => "Queued For Merge",
        Fact::MergeStarted(_) => "Merge Started",
        Fact::MergeValidated(_) => "Validated",
        Fact::MergeLanding(_) => "Landing",
        Fact::MergePushed(_) => "Pushed",
        Fact::MergeLanded(_) => "Landed",
        Fact::MergeFailed(_) => "Merge Failed",
        Fact::Status(to, change) => status_heading(*to, change),
    }
}

fn status_heading(to: Status, change: &StatusChange) -> &'static str {
    let unblocked = change.from == Status::Blocked && change.cause != Cause::Override;
    match to {
        _ if unblocked => "Unblocked",
        _ if change.cause == Cause::Reopen => "Reopened",
        Status::Backlog => "Backlog",
        Status::Open => "Open",
        Status::InProgress => "In Progress",
        Status::Review => "Review Requested",
        Status::Rework => "Rework",
        Status::Done => "Done",
        Status::Blocked => "Blocked",
    }
}

type Details = (Vec<(&'static str, String)>, String);

/// What a section says besides its heading: named values, and free text.
fn details(fact: &Fact) -> Details {
    match fact {
        Fact::Created(created) => {
            let mut named =
                vec![("title", prose(&created.title)), ("priority", created.priority.to_string())];
            if !created.files.is_empty() {
                named.push(("files", prose(&created.files.join(", "))));
            }
            (named, String::new())
        }
        Fact::Edited(_) | Fact::Waived(_) => (Vec::new(), changed_fields(fact)),
        Fact::Assigned(a) => {
            (vec![("assignee", prose(a.assignee.as_deref().unwrap_or("nobody")))], String::new())
        }
        Fact::Released(r) | Fact::Held(r) | Fact::ReviewRejected(r) | Fact::ReviewReleased(r) => {
            (Vec::new(), prose(&r.reason))
        }
        Fact::Unheld(r) => (Vec::new(), prose(r.note.as_deref().unwrap_or_default())),
        Fact::ReviewApproved(r) => {
            let commit = r.commit.iter().map(|commit| ("commit", prose(commit))).collect();
            (commit, prose(r.note.as_deref().unwrap_or_default()))
        }
        Fact::Checked(checked) => (vec![("criterion", checked.criterion.to_string())], String::new()),
        Fact::Noted(noted) => (Vec::new(), prose(&noted.text)),
        Fact::Status(to, change) => status_details(*to, change),
        Fact::Attempt(report) => {
            let kept = if report.branch_kept { "yes" } else { "no" };
            let mut lines = vec![
                format!("- **Outcome**: {}", report.outcome.as_str()),
                format!("- **Branch preserved**: {kept}"),
            ];
            for (name, text) in [
                ("Summary", &report.summary),
                ("Blockers", &report.blockers),
                ("Learnings", &report.learnings),
            ] {
                if !text.is_empty() {
                    lines.push(format!("- **{name}**: {}", prose(text)));
                }
            }
            (Vec::new(), lines.join("\n"))
        }
        Fact::AttemptStarted(start) => (
            vec![
                ("agent", prose(&start.agent)),
                ("role", start.role.to_string()),
                ("branch", prose(&start.branch)),
                ("from", prose(&start.base)),
            ],
            String::new(),
        ),
        Fact::TestsReady(tests) => {
            let files: Vec<_> = tests.files.iter().map(|file| format!("- {}", prose(file))).collect();
            (vec![("commit", prose(&tests.commit))], files.join("\n"))
        }
        Fact::Submitted(handed) => {
            (vec![("commit", prose(&handed.commit)), ("branch", prose(&handed.branch))], String::new())
        }
        Fact::MergeQueued(queued) => (vec![("commit", prose(&queued.commit))], String::new()),
        Fact::MergeLanded(landed) => {
            (vec![("commit", prose(&landed.landed)), ("tree", prose(&landed.tree))], String::new())
        }
        Fact::MergePushed(pushed) => {
            let properties = vec![("remote", prose(&pushed.remote)), ("branch", prose(&pushed.branch))];
            (properties, String::new())
        }
        Fact::MergeFailed(failed) => {
            let mut words = prose(&failed.message);
            words.extend(failed.files.iter().map(|file| format!("\n- {}", prose(file))));
            if !failed.output.is_empty() {
                words.push_str(&format!("\n\n{}", prose(&failed.output)));
            }
            (vec![("why", failed.why.as_str().to_owned())], words)
        }
        Fact::Read
        | Fact::ReviewStarted
        | Fact::MergeStarted(_)
        | Fact::MergeValidated(_)
        | Fact::MergeLanding(_) => (Vec::new(), String::new()),
    }
}

fn status_details(to: Status, change: &StatusChange) -> Details {
    let mut properties = Vec::new();
    if matches!(change.cause, Cause::Override) {
        properties.push(("override", format!("{} → {to}", change.from)));
    }
    if change.from == Status::Blocked {
        properties.push(("status", to.to_string()));
    }
    if let Some(assignee) = &change.assignee {
        properties.push(("assignee", prose(assignee)));
    }
    if to == Status::Blocked && !change.waits_on.is_empty() {
        let links: Vec<_> = change.waits_on.iter().map(|id| format!("[[{id}]]")).collect();
        properties.push(("waits on", links.join(", ")));
    }
    // A review says its note or reason in a section of its own.
    let words = if change.cause == Cause::Review {
        None
    } else {
        change.note.as_deref().or(change.reason.as_deref())
    };
    (properties, prose(words.unwrap_or_default()))
}

/// The changed fields as a list, names as in the frontmatter.
fn changed_fields(fact: &Fact) -> String {
    let lines: Vec<_> =
        fact.changed_fields().iter().map(|(name, value)| format!("- **{name}**: {}", prose(value))).collect();
    lines.join("\n")
}
