//! Taking away what is no longer needed: the workspaces of tickets that are done. Everything in one is kept first.

use std::sync::atomic::AtomicBool;

use signalbox_core::{Status, TicketId};
use signalbox_git::{KeepRef, Workspace, crash};
use signalbox_store::agents::{self, Life};
use signalbox_store::contract::Contract;
use signalbox_store::{Index, StoreError, clock};

use crate::error::Failed;
use crate::site::Site;
use crate::validate::{Bench, Line};

/// The tickets whose workspaces are no longer needed.
pub fn due(site: &Site, index: &Index) -> Result<Vec<TicketId>, Failed> {
    let mut due = Vec::new();
    // Of one that somebody deleted nothing is left to be kept, and what was fetched from it before stays.
    let workspaces = site.integration.workspaces().list()?;
    for workspace in workspaces.into_iter().filter(|workspace| workspace.path().is_dir()) {
        let Some(ticket) = ticket_of(&workspace) else { continue };
        let is_done = index
            .ticket(&ticket)
            .map_err(StoreError::from)?
            .is_none_or(|ticket| ticket.status == Status::Done);
        if is_done && !is_used(site, &ticket)? && !due.contains(&ticket) {
            due.push(ticket);
        }
    }
    Ok(due)
}

/// The ticket that a workspace was made for.
pub fn ticket_of(workspace: &Workspace) -> Option<TicketId> {
    let key = workspace.key().as_str();
    TicketId::parse(key.strip_suffix("-review").unwrap_or(key)).ok()
}

/// Whether somebody still works there.
pub fn is_used(site: &Site, ticket: &TicketId) -> Result<bool, Failed> {
    let records = agents::all(&site.home).map_err(Failed::doing("read the agents' records"))?;
    Ok(records.iter().any(|record| record.ticket.as_ref() == Some(ticket) && record.life() == Life::Runs))
}

/// Keep all that is in a ticket's workspaces, and take them away.
pub fn clean(
    site: &Site,
    contract: Option<&Contract>,
    ticket: &TicketId,
    stop: &AtomicBool,
) -> Result<Vec<KeepRef>, Failed> {
    let mut kept = Vec::new();
    for workspace in site.integration.workspaces().list()? {
        if ticket_of(&workspace).as_ref() != Some(ticket) {
            continue;
        }
        if let Some(contract) = contract
            && let Some(run) = &contract.setup.teardown
            && workspace.path().is_dir()
        {
            let log = site.log_of(&format!("setup-{ticket}"));
            Site::make_folder_of(&log)?;
            let bench = Bench { contract, directory: workspace.path(), log, stop };
            // What it could not do is in the log; the workspace goes all the same.
            bench.run(&Line {
                name: "teardown",
                run: run.as_str(),
                time: contract.setup.time.as_duration(),
            })?;
        }
        crash::here("keep.before");
        let keep = workspace.keep("done", clock::now())?;
        crash::here("keep.after");
        workspace.remove(&keep)?;
        crash::here("remove.after");
        kept.push(keep);
    }
    Ok(kept)
}
