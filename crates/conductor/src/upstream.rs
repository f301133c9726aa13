//! Main at a remote, in a project whose merges are made there: ours follows it, and moves by nothing else.

use std::sync::Arc;
use std::time::{Duration, Instant};

use signalbox_core::{Refusal, Who};

use crate::error::Failed;
use crate::jobs::{Doing, Done, Jobs};
use crate::mainline;
use crate::merge::{self, Way};
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

/// Bring our main after the remote's. What is on that is there by the remote's own rules, and is not validated again.
fn look(site: &Site, agreed: &Agreed, say: &Say) -> Result<(), Failed> {
    let (main, name) = (&site.main, agreed.contract.merge.remote.as_str());
    let remote = merge::remote(site, &agreed.contract, Way::Back)?;
    let there = site.integration.remote_branches(&remote, &[main])?.pop().flatten();
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
    let theirs = site.integration.fetch_remote(&remote, main)?;
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
