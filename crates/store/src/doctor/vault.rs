//! The ticket files against the log: missing, edited, moved, doubled, unknown.

use std::collections::BTreeMap;
use std::path::PathBuf;

use signalbox_core::{Ticket, TicketId};

use super::log::Scan;
use super::{Finding, Repair};
use crate::files;
use crate::store::{Store, StoreError};
use crate::vault::Drift;

pub(super) fn examine(store: &Store, scan: &Scan) -> Result<Vec<Finding>, StoreError> {
    let vault = store.vault();
    let read = |source| StoreError::Home { path: vault.root().to_owned(), source };
    let mut found: BTreeMap<TicketId, Vec<PathBuf>> = BTreeMap::new();
    for (path, id) in vault.files().map_err(read)? {
        found.entry(id).or_default().push(path);
    }
    let mut findings = Vec::new();
    for ticket in scan.board.tickets() {
        let paths = found.remove(&ticket.id).unwrap_or_default();
        findings.extend(of_ticket(store, ticket, &paths)?);
    }
    for (id, paths) in found {
        for path in paths {
            findings.push(
                Finding::problem(
                    "vault",
                    format!("{} is of {id}, which the log does not know", path.display()),
                )
                .hint(
                    "The log may have lost it, or the file comes from another home. Keep it until you know.",
                ),
            );
        }
    }
    let folder = vault.root().join("tickets");
    for name in files::names(&folder).map_err(read)? {
        if name.ends_with(files::TEMPORARY) {
            let path = folder.join(&name);
            findings.push(
                Finding::note("vault", format!("{} was left by a command that was killed", path.display()))
                    .repair(Repair::RemoveLeftover(path)),
            );
        }
    }
    Ok(findings)
}

fn of_ticket(store: &Store, ticket: &Ticket, found: &[PathBuf]) -> Result<Vec<Finding>, StoreError> {
    let right = store.vault().path(ticket);
    let id = &ticket.id;
    let mut findings = Vec::new();
    let mut others: Vec<&PathBuf> = found.iter().filter(|path| **path != right).collect();
    let restore = Repair::RestoreFile(id.clone());
    match store.vault().drift(ticket)? {
        None => match others.pop() {
            Some(moved) => findings.push(
                Finding::problem("vault", format!("the file of {id} was moved to {}", moved.display()))
                    .repair(Repair::MoveBack { from: moved.clone(), to: right.clone() }),
            ),
            None => findings.push(Finding::problem("vault", format!("the file of {id} is missing: {}", right.display())).repair(restore)),
        },
        Some(Drift::None) => {}
        Some(Drift::Edited(properties)) => findings.push(
            Finding::problem("vault", format!("the frontmatter of {id} was edited by hand: {}", properties.join(", ")))
                .hint(format!("To make it so, use `sb edit {id}` or the like; --fix puts back what the log says and keeps your version aside."))
                .repair(restore),
        ),
        Some(Drift::Behind(rev)) => findings.push(
            Finding::problem("vault", format!("the file of {id} stands at rev {rev}, the log at {}", ticket.rev)).repair(restore),
        ),
        Some(Drift::Ahead(rev)) => findings.push(
            Finding::problem(
                "vault",
                format!("the file of {id} stands at rev {rev}, but the log knows only {} events of it: the log has lost some", ticket.rev),
            )
            .hint("Look into the file for what is missing, and at backups of the events folder. --fix keeps the file aside and writes what the log knows.")
            .repair(restore),
        ),
        Some(Drift::Foreign) => findings.push(
            Finding::problem("vault", format!("the file of {id} has no frontmatter of ours: {}", right.display())).repair(restore),
        ),
    }
    for other in others {
        findings.push(
            Finding::problem("vault", format!("{} is a second file of {id}", other.display()))
                .hint("Sync tools make such copies. --fix moves it to the quarantine folder.")
                .repair(Repair::MoveAside(other.clone())),
        );
    }
    Ok(findings)
}
