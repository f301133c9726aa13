//! Main at a remote, in a project whose merges are made there: ours follows it, and moves by nothing else.

use std::sync::Arc;
use std::time::{Duration, Instant};

use signalbox_core::work::{Merge, Pushed};
use signalbox_core::{Command, MergeStep, Refusal, Ticket, Who};
use signalbox_git::{BranchName, Oid, Remote};
use signalbox_store::StoreError;
use signalbox_store::index::Filter;

use crate::error::Failed;
use crate::jobs::{Doing, Done, Jobs};
use crate::mainline;
use crate::merge::{self, Way};
use crate::questions;
use crate::run::Say;
use crate::site::{Agreed, Site};

/// How often it is looked there.
const LOOK_EVERY: Duration = Duration::from_secs(20);

/// When it was looked there last.
#[derive(Default)]
pub struct Upstream {
    looked: Option<Instant>,
}

impl Upstream {
    /// Begin to look there, if it is time.
    pub fn turn(&mut self, site: &Arc<Site>, agreed: &Arc<Agreed>, jobs: &mut Jobs, say: &Say) {
        if self.looked.is_some_and(|at| at.elapsed() < LOOK_EVERY) {
            return;
        }
        self.looked = Some(Instant::now());
        let (site, agreed, say) = (Arc::clone(site), Arc::clone(agreed), Arc::clone(say));
        jobs.begin(Doing::LookAtRemote, move || Done::Other(look(&site, &agreed, &say)));
    }
}

/// Bring our main after the remote's, and see to what waits there.
fn look(site: &Site, agreed: &Agreed, say: &Say) -> Result<(), Failed> {
    let name = agreed.contract.merge.remote.as_str();
    let remote = merge::remote(site, &agreed.contract, Way::Back)?;
    let waiting = waiting(site)?;
    let pushed = waiting.iter().map(|(_, at)| BranchName::parse(&at.branch));
    let branches = std::iter::once(Ok(site.main.clone())).chain(pushed).collect::<Result<Vec<_>, _>>()?;
    let mut found = site.integration.remote_branches(&remote, &branches.iter().collect::<Vec<_>>())?;
    let branches = found.split_off(1);
    follow(site, name, &remote, found.pop().flatten(), say)?;
    let main = site.tip()?;
    for ((ticket, at), _) in waiting.iter().zip(&branches).filter(|(_, tip)| tip.is_none()) {
        // Where main has moved, the queue finds out what became of it.
        if at.from == main.as_str() {
            // First the question, so that it is not pushed again before somebody has answered.
            questions::gone(site, say, ticket, name, &at.branch)?;
            let steps = vec![(ticket.id.clone(), MergeStep::Back { run: at.run })];
            site.write(Command::Merge { steps })?;
        }
    }
    Ok(())
}

/// The tickets whose branches wait at the remote.
fn waiting(site: &Site) -> Result<Vec<(Ticket, Pushed)>, Failed> {
    let (index, _) = site.store.read()?;
    let filter = Filter { project: Some(site.project.clone()), ..Filter::default() };
    let tickets = index.tickets(&filter).map_err(StoreError::from)?;
    let at_remote = |ticket: Ticket| match ticket.work.merge.clone() {
        Some(Merge::Pushed(at)) => Some((ticket, at)),
        _ => None,
    };
    Ok(tickets.into_iter().filter_map(at_remote).collect())
}

/// Move our main to the remote's. What is on that is there by the remote's own rules, and is not validated again.
fn follow(site: &Site, name: &str, remote: &Remote, there: Option<Oid>, say: &Say) -> Result<(), Failed> {
    let main = &site.main;
    let Some(there) = there else {
        let message = format!("`{name}` has no branch {main}, so nothing can be merged into it");
        return Err(Refusal::not_found("push.no-main", message)
            .hint(format!("Push it there: `git push {name} {main}`."))
            .into());
    };
    let ours = site.tip()?;
    if there == ours {
        return Ok(());
    }
    let theirs = site.integration.fetch_remote(remote, main)?;
    if theirs == ours || site.integration.is_ancestor(&theirs, &ours)? {
        return Ok(());
    }
    // Where ours is not below theirs, all of it may be there all the same: the remote made another commit of it.
    if !site.integration.is_ancestor(&ours, &theirs)? && !merge::has(site, &theirs, &ours)? {
        let message = format!("{main} at `{name}` and Signalbox's have gone different ways");
        return Err(Refusal::new("push.apart", message)
            .hint(format!(
                "Bring your {main} to what `{name}` has (`git pull --rebase {name} {main}`), then `sb queue adopt`."
            ))
            .into());
    }
    mainline::move_to(site, &ours, &theirs, &Who::System)?;
    say(&format!("{main} is now where it is at `{name}`: {theirs}"));
    Ok(())
}
