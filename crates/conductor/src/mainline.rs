//! Main, on both sides: ours, which the queue moves, and the person's own, which they may move too.
//!
//! Ours is like an upstream. The person's is brought after it wherever that disturbs nobody. What they put on theirs
//! becomes part of ours when it passes validation, or when they say so.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::json;
use signalbox_core::{Event, Who};
use signalbox_git::{Advanced, Oid};
use signalbox_store::contract::{Foreign, Landing};
use signalbox_store::log::EventLog;
use signalbox_store::{Index, StoreError, clock, new_event_id};

use crate::error::Failed;
use crate::jobs::{Doing, Done, Jobs};
use crate::merge;
use crate::run::Say;
use crate::site::{Agreed, Site};
use crate::validate::{Bench, Verdict};

/// How soon it is looked again whether what was in the way of the person's checkout still is.
const LOOK_AGAIN: Duration = Duration::from_secs(10);

/// What was seen and told of it.
pub struct Mainline {
    /// The person's main as it was looked at last, and ours then, and when.
    seen: Option<(Oid, Oid, Instant)>,
    told: Option<String>,
    refused: Arc<Mutex<Option<Oid>>>,
    busy: Arc<Mutex<bool>>,
}

impl Mainline {
    pub fn new() -> Self {
        Self { seen: None, told: None, refused: Arc::default(), busy: Arc::default() }
    }

    pub fn is_busy(&self) -> bool {
        *self.busy.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Bring the two together as far as that goes. Says whether anything moved.
    pub fn turn(
        &mut self,
        site: &Arc<Site>,
        agreed: &Arc<Agreed>,
        index: &Index,
        jobs: &mut Jobs,
        say: &Say,
    ) -> Result<bool, Failed> {
        let Some(theirs) = site.user.branch(&site.integration, &site.main)? else { return Ok(false) };
        let ours = site.tip()?;
        if theirs == ours && self.seen.is_none() {
            // Whoever was killed when only the index of the checkout was left to write has left it locked.
            merge::follow(site)?;
            self.seen = Some((theirs.clone(), ours.clone(), Instant::now()));
        }
        let is_known = |(their, our, at): &(Oid, Oid, Instant)| {
            *their == theirs && *our == ours && at.elapsed() < LOOK_AGAIN
        };
        if theirs == ours || self.seen.as_ref().is_some_and(is_known) {
            return Ok(false);
        }
        // Mostly it is one of ours, left behind.
        if site.integration.exists(&theirs)? && site.integration.is_ancestor(&theirs, &ours)? {
            // Also where it fails, it is not tried again at once.
            self.seen = Some((theirs, ours.clone(), Instant::now()));
            let advanced = merge::follow(site)?;
            self.tell(&advanced, &ours, say);
            return Ok(matches!(advanced, Advanced::Branch | Advanced::Checkout(_)));
        }
        site.user.import(&site.integration, &site.main)?;
        if site.integration.is_ancestor(&ours, &theirs)? {
            let merge = &agreed.contract.merge;
            if merge.mode == Landing::Push {
                let (main, remote) = (&site.main, merge.remote.as_str());
                let words = format!("your {main} has commits that `{remote}` has not; push them there first");
                self.say(&words, say);
                self.seen = Some((theirs, ours, Instant::now()));
                return Ok(false);
            }
            return self.adopt(site, agreed, index, &ours, &theirs, jobs, say);
        }
        self.say(
            &format!(
                "your {main} and Signalbox's have gone different ways; `git rebase refs/signalbox/main` in your \
                 checkout brings yours on top",
                main = site.main
            ),
            say,
        );
        self.seen = Some((theirs, ours, Instant::now()));
        Ok(false)
    }

    /// Take what a person put on their main, if it passes.
    #[expect(clippy::too_many_arguments, reason = "both mains and everybody who is told")]
    fn adopt(
        &mut self,
        site: &Arc<Site>,
        agreed: &Arc<Agreed>,
        _index: &Index,
        ours: &Oid,
        theirs: &Oid,
        jobs: &mut Jobs,
        say: &Say,
    ) -> Result<bool, Failed> {
        if self.refused.lock().unwrap_or_else(PoisonError::into_inner).as_ref() == Some(theirs) {
            return Ok(false);
        }
        if agreed.contract.merge.foreign == Foreign::Ask {
            self.say(
                &format!(
                    "your {} has commits that did not come through the queue; `sb queue adopt` takes them over",
                    site.main
                ),
                say,
            );
            return Ok(false);
        }
        *self.busy.lock().unwrap_or_else(PoisonError::into_inner) = true;
        let (site, agreed, ours, theirs) =
            (Arc::clone(site), Arc::clone(agreed), ours.clone(), theirs.clone());
        let (refused, busy, say) = (Arc::clone(&self.refused), Arc::clone(&self.busy), Arc::clone(say));
        jobs.begin(Doing::Adopt, move || {
            let adopted = validate_and_adopt(&site, &agreed, &ours, &theirs, &say);
            if !matches!(adopted, Ok(true)) {
                *refused.lock().unwrap_or_else(PoisonError::into_inner) = Some(theirs);
            }
            *busy.lock().unwrap_or_else(PoisonError::into_inner) = false;
            Done::Other(adopted.map(drop))
        });
        Ok(false)
    }

    fn tell(&mut self, advanced: &Advanced, ours: &Oid, say: &Say) {
        match advanced {
            Advanced::LeftAlone(why) => self.say(&format!("your main stays where it is: {why}"), say),
            // It may have been set back by hand: nobody is to wonder why it is not any more.
            Advanced::Branch | Advanced::Checkout(_) => {
                self.say(&format!("your main was behind, and is now at {ours}"), say);
            }
            Advanced::Already => {}
        }
    }

    fn say(&mut self, words: &str, say: &Say) {
        if self.told.as_deref() != Some(words) {
            say(words);
            self.told = Some(words.to_owned());
        }
    }
}

/// Run the steps on the person's main; if they pass, it is ours too.
fn validate_and_adopt(
    site: &Site,
    agreed: &Agreed,
    ours: &Oid,
    theirs: &Oid,
    say: &Say,
) -> Result<bool, Failed> {
    let log = site.log_of("adopt");
    Site::make_folder_of(&log)?;
    let stop = std::sync::atomic::AtomicBool::new(false);
    let tree = site.tree_at(&agreed.contract, theirs)?;
    let bench = Bench { contract: &agreed.contract, directory: tree.path(), log, stop: &stop };
    if let Verdict::Failed(failure) = bench.validate()? {
        say(&format!(
            "your {} does not pass, so work goes on from where it was before: {}",
            site.main, failure.message
        ));
        return Ok(false);
    }
    adopt(site, ours, theirs, &Who::System)?;
    say(&format!("{} is now where yours is: {theirs}", site.main));
    Ok(true)
}

/// The contract to begin with. Where ours is missing, broken or not trusted, and the person has committed one since that they
/// trust, theirs is taken over: there is nothing to validate it with, and nothing could ever be run before.
pub fn agree(site: &Site, index: &Index, say: &Say) -> Result<Agreed, Failed> {
    let agreed = site.agreed(index);
    if agreed.as_ref().is_ok_and(|agreed| agreed.trust.require(&site.project).is_ok()) {
        return agreed;
    }
    let ours = site.tip()?;
    let theirs = site.user.branch(&site.integration, &site.main)?.filter(|theirs| *theirs != ours);
    if let Some(theirs) = theirs {
        site.user.import(&site.integration, &site.main)?;
        if site.integration.is_ancestor(&ours, &theirs)? {
            let newer = site.agreed_at(index, &theirs)?;
            newer.trust.require(&site.project)?;
            adopt(site, &ours, &theirs, &Who::System)?;
            say(&format!("{} is now where yours is, because its contract is trusted: {theirs}", site.main));
            return Ok(newer);
        }
    }
    let agreed = agreed?;
    agreed.trust.require(&site.project)?;
    Ok(agreed)
}

/// Make the person's main ours.
pub fn adopt(site: &Site, ours: &Oid, theirs: &Oid, who: &Who) -> Result<(), Failed> {
    site.user.import(&site.integration, &site.main)?;
    move_to(site, ours, theirs, who)
}

/// Move our main to a commit that did not come through the queue, and say so.
pub fn move_to(site: &Site, ours: &Oid, theirs: &Oid, who: &Who) -> Result<(), Failed> {
    site.integration.update_ref(&site.main_ref(), theirs, Some(ours))?;
    let data = json!({ "from": ours.as_str(), "to": theirs.as_str() });
    let project = Some(site.project.clone());
    let event = Event::apart(new_event_id(), clock::now(), "main.adopted", who, project, &data);
    site.store.log().record(&event.map_err(StoreError::from)?)?;
    Ok(())
}
