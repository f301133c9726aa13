//! The merge queue at work: a thread beside the loop that looks, asks the machine what is next, does it, and looks again.
//!
//! What is next says [`signalbox_core::orchestra::queue`]. Each step is written down before it is taken, so whoever comes
//! after a kill finds in the log how far it was and in git whether main has moved.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use signalbox_core::orchestra::queue::{
    Action, Built, Input, Queue, Seen, Settings, Verdict as Checked, asks_about,
};
use signalbox_core::work::Merge;
use signalbox_core::{Command, MergeStep, Refusal, Ticket, TicketId, text};
use signalbox_git::{Oid, crash};
use signalbox_store::contract::Landing;
use signalbox_store::index::Filter;
use signalbox_store::log::Position;
use signalbox_store::{StoreError, clock, trust};

use crate::error::Failed;
use crate::merge::{self, Moved, Pushed};
use crate::questions;
use crate::run::Say;
use crate::site::{Agreed, Site};
use crate::validate::{Bench, Verdict};

/// How long it waits between two looks where nothing is to be done.
const PAUSE: Duration = Duration::from_millis(250);
/// How often in a row a remote may not be reached before a person is asked.
const UNREACHED: u32 = 2;

/// The thread, and what it is told.
pub struct Worker {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    stop: AtomicBool,
    /// Whether anything may be begun, and main be moved.
    lands: AtomicBool,
    busy: AtomicBool,
    /// Whether the remote that merges could not be reached when it was last tried.
    cut_off: AtomicBool,
}

impl Worker {
    /// Begin. Nothing lands before somebody allows it.
    pub fn start(site: &Arc<Site>, say: &Say) -> Result<Self, Failed> {
        let shared = Arc::new(Shared::default());
        let (site, say, theirs) = (Arc::clone(site), Arc::clone(say), Arc::clone(&shared));
        let thread = std::thread::Builder::new()
            .name("queue".to_owned())
            .spawn(move || go(&site, &say, &theirs))
            .map_err(Failed::doing("begin the merge queue"))?;
        Ok(Self { shared, thread: Some(thread) })
    }

    pub fn allow(&self, lands: bool) {
        self.shared.lands.store(lands, Ordering::SeqCst);
    }

    pub fn is_idle(&self) -> bool {
        !self.shared.busy.load(Ordering::SeqCst)
    }

    /// Whether what is validated cannot be pushed for now.
    pub fn is_cut_off(&self) -> bool {
        self.shared.cut_off.load(Ordering::SeqCst)
    }

    /// End it. A validation that runs is ended too, and begun again by whoever comes next.
    pub fn stop(&mut self) {
        self.shared.stop.store(true, Ordering::SeqCst);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn go(site: &Site, say: &Say, shared: &Shared) {
    let mut turns =
        Turns { site, say, shared, queue: None, quiet_at: None, told: None, failures: 0, asked: false };
    while !shared.stop.load(Ordering::SeqCst) {
        let did = turns.turn().unwrap_or_else(|error| {
            turns.tell(&format!("warning: the merge queue: {}", error.chain()));
            false
        });
        shared.busy.store(did, Ordering::SeqCst);
        if !did {
            std::thread::sleep(PAUSE);
        }
    }
}

/// One look after the other.
struct Turns<'a> {
    site: &'a Site,
    say: &'a Say,
    shared: &'a Shared,
    queue: Option<(Settings, Queue)>,
    /// How far the log was, and where main, when there was nothing to do but wait for either.
    quiet_at: Option<(Position, Oid)>,
    told: Option<String>,
    /// How often in a row the remote that merges could not be reached.
    failures: u32,
    /// Whether a person was asked about that when it was last looked.
    asked: bool,
}

impl Turns<'_> {
    /// Look, and do what is next. Says whether there was anything.
    fn turn(&mut self) -> Result<bool, Failed> {
        let (index, _) = self.site.store.read()?;
        let position = index.position().map_err(StoreError::from)?;
        let main = self.site.tip()?;
        // Reading all tickets takes long where there are many, and what nobody wrote has not changed.
        let now = (position, main.clone());
        if self.quiet_at.as_ref() == Some(&now) {
            return Ok(false);
        }
        let filter = Filter { project: Some(self.site.project.clone()), ..Filter::default() };
        let tickets = index.tickets(&filter).map_err(StoreError::from)?;
        if !tickets.iter().any(|ticket| goes_on(ticket, &main)) {
            self.quiet_at = Some(now);
            return Ok(false);
        }
        let agreed = self.site.agreed(&index)?;
        let asked = questions::about_remote(&index, &self.site.project)?.is_some();
        if std::mem::replace(&mut self.asked, asked) && !asked {
            // Whoever answered wants it tried now, not when it would be its time.
            self.queue = None;
        }
        drop(index);
        self.shared.busy.store(true, Ordering::SeqCst);
        let settings = Settings {
            batch: usize::try_from(agreed.contract.merge.batch.get()).unwrap_or(1),
            retry_flaky: agreed.contract.validate.retry_flaky,
            pushes: agreed.contract.merge.mode == Landing::Push,
        };
        if self.queue.as_ref().is_none_or(|(known, _)| *known != settings) {
            self.queue = Some((settings, Queue::new(settings)));
        }
        let mut input = Input::Look;
        let mut did = false;
        loop {
            if input == Input::Look && self.site.tip()? != main {
                // What has landed may have changed the contract.
                return Ok(true);
            }
            let seen = self.seen(&agreed)?;
            let Some((_, queue)) = &mut self.queue else { return Ok(did) };
            let actions = queue.step(&seen, input, clock::now());
            if actions.is_empty() {
                return Ok(did);
            }
            did = true;
            match self.act(&agreed, actions)? {
                Some(answer) => input = answer,
                None => return Ok(true),
            }
        }
    }

    /// Everything as it is now.
    fn seen(&self, agreed: &Agreed) -> Result<Seen, Failed> {
        let site = self.site;
        let (index, _) = site.store.read()?;
        let filter = Filter { project: Some(site.project.clone()), ..Filter::default() };
        let tickets = index.tickets(&filter).map_err(StoreError::from)?;
        let main = site.tip()?;
        let mut contained = std::collections::BTreeSet::new();
        for commit in asks_about(tickets.iter().filter(|ticket| goes_on(ticket, &main))) {
            let Some(oid) = Oid::parse(&commit).filter(|oid| *oid != main) else { continue };
            if !site.integration.exists(&oid)? {
                continue;
            }
            if site.integration.is_ancestor(&oid, &main)? {
                contained.insert(commit);
            }
        }
        let mut merged = std::collections::BTreeMap::new();
        for ticket in &tickets {
            let Some(Merge::Pushed(at)) = &ticket.work.merge else { continue };
            if contained.contains(&at.to) || at.to == main.as_str() || !goes_on(ticket, &main) {
                continue;
            }
            // The remote may have merged it in its own way.
            let reached = merge::merged_as(site, &oid(&at.from)?, &main, &oid(&at.to)?)?;
            merged.extend(reached.map(|reached| (at.to.clone(), reached)));
        }
        // The loop looks at the trust too, but may not have come round to it since main moved.
        let is_trusted = matches!(agreed.trust, trust::State::Trusted { .. });
        let lands = is_trusted && self.shared.lands.load(Ordering::SeqCst);
        let seen = Seen::of(&tickets, &site.project, main.as_str(), contained, lands);
        Ok(Seen { merged, ..seen })
    }

    /// Do these in their order. The answer is what the machine is told next; `None`: nothing, it looks again.
    fn act(&mut self, agreed: &Agreed, actions: Vec<Action>) -> Result<Option<Input>, Failed> {
        let mut answer = Some(Input::Look);
        for action in actions {
            match self.one(agreed, action) {
                Ok(None) => {}
                Ok(Some(said)) => answer = Some(said),
                Err((run, Failed::Refused(_) | Failed::Store(StoreError::Refused(_)))) => {
                    return Ok(Some(Input::Refused { run }));
                }
                Err((run, error)) => {
                    let message = error.chain();
                    self.tell(&format!("warning: the merge queue: {message}"));
                    return Ok(Some(Input::Trouble { run, message }));
                }
            }
        }
        Ok(answer)
    }

    fn one(&mut self, agreed: &Agreed, action: Action) -> Result<Option<Input>, (u64, Failed)> {
        match action {
            Action::Record { run, steps } => {
                self.record(steps).map_err(|error| (run, error))?;
                Ok(None)
            }
            Action::Build { run, onto, entries } => {
                let results = self.build(agreed, &onto, &entries).map_err(|error| (run, error))?;
                Ok(Some(Input::Built { run, results }))
            }
            Action::Validate { run, tip, again, .. } => {
                let verdict = self.validate(agreed, run, &tip, again).map_err(|error| (run, error))?;
                Ok(verdict.map(|verdict| Input::Checked { run, verdict }))
            }
            Action::Push { run, ticket, to } => {
                self.push(agreed, run, &ticket, &to).map(Some).map_err(|error| (run, error))
            }
            Action::Land { run, from, to, tree } => {
                let moved = self.land(&from, &to, &tree).map_err(|error| (run, error))?;
                Ok(Some(match moved {
                    Moved::There => Input::Moved { run },
                    Moved::Elsewhere => Input::NotMoved { run },
                }))
            }
            // Whatever ran has ended by the time anybody asks: this thread does one thing after the other.
            Action::Cancel { .. } => Ok(None),
        }
    }

    fn record(&mut self, steps: Vec<(TicketId, MergeStep)>) -> Result<(), Failed> {
        let what = steps.first().map_or("nothing", |(_, step)| step.name());
        crash::here(&format!("{what}.before"));
        let outcome = self.site.write(Command::Merge { steps: steps.clone() })?;
        crash::here(&format!("{what}.after"));
        let landed = steps.iter().any(|(_, step)| matches!(step, MergeStep::Landed(_)));
        for (id, step) in &steps {
            let words = match step {
                MergeStep::Landed(landed) => format!("{id} is on {}: {}", self.site.main, landed.landed),
                MergeStep::Failed(failed) => {
                    format!("{id} did not land: {}", text::one_line(&failed.message))
                }
                _ => continue,
            };
            (self.say)(&words);
        }
        let is_of_run = |ticket: &&Ticket| steps.iter().any(|(id, _)| *id == ticket.id);
        for ticket in outcome.also.iter().filter(|ticket| !is_of_run(ticket)) {
            (self.say)(&format!("{} is no longer blocked: {}", ticket.id, text::one_line(&ticket.title)));
        }
        if landed {
            crash::here("follow.before");
            // It is on main, whatever is in the way of the person's own; the loop tries that again.
            if let Err(error) = merge::follow(self.site) {
                self.tell(&format!("warning: your {} stays where it is: {}", self.site.main, error.chain()));
            }
            crash::here("follow.after");
        }
        Ok(())
    }

    fn build(
        &self,
        agreed: &Agreed,
        onto: &str,
        entries: &[(TicketId, String)],
    ) -> Result<Vec<Built>, Failed> {
        crash::here("build.before");
        let (index, _) = self.site.store.read()?;
        let onto = oid(onto)?;
        let mut tickets: Vec<Ticket> = Vec::new();
        for (id, _) in entries {
            tickets.extend(index.ticket(id).map_err(StoreError::from)?);
        }
        let built = merge::build(self.site, &agreed.contract, &onto, &tickets)?;
        crash::here("build.after");
        Ok(built)
    }

    /// Run the steps on what main would become. `None` where it was stopped.
    fn validate(&self, agreed: &Agreed, run: u64, tip: &str, again: bool) -> Result<Option<Checked>, Failed> {
        crash::here("validate.before");
        let site = self.site;
        let tip = oid(tip)?;
        let log = site.log_of(&format!("run-{run}"));
        Site::make_folder_of(&log)?;
        if again {
            (self.say)(&format!("run {run} failed, and is run once more: it may be flaky"));
        }
        let tree = site.tree_at(&agreed.contract, &tip)?;
        let bench =
            Bench { contract: &agreed.contract, directory: tree.path(), log, stop: &self.shared.stop };
        let verdict = bench.validate()?;
        crash::here("validate.after");
        Ok(match verdict {
            Verdict::Passed => Some(Checked::Passed),
            Verdict::Failed(failure) => {
                Some(Checked::Failed { message: failure.message, output: failure.output })
            }
            Verdict::Stopped => None,
        })
    }

    /// Push what is validated, as the branch of its ticket. A person is asked where the remote does not take it, or cannot be
    /// reached.
    fn push(&mut self, agreed: &Agreed, run: u64, id: &TicketId, to: &str) -> Result<Input, Failed> {
        crash::here("push.before");
        let (index, _) = self.site.store.read()?;
        let Some(ticket) = index.ticket(id).map_err(StoreError::from)? else {
            return Ok(Input::Refused { run });
        };
        let branch = crate::names::branch(&ticket);
        let pushed = merge::push(self.site, &agreed.contract, id, &oid(to)?, &branch);
        crash::here("push.after");
        self.shared.cut_off.store(pushed.is_err(), Ordering::SeqCst);
        match pushed {
            Ok(Pushed::There { remote }) => {
                self.failures = 0;
                questions::reached(self.site, &index)?;
                self.tell(&format!("{id} is at `{remote}` as {branch}, and is done when it is merged there"));
                Ok(Input::Pushed { run, remote, branch })
            }
            Ok(Pushed::Refused { remote, said }) => {
                self.failures = 0;
                questions::refused(self.site, self.say, &ticket, &remote, &branch, &said)?;
                Ok(Input::Refused { run })
            }
            Err(error) => {
                self.failures += 1;
                let message = error.with_hint();
                // What is missing is not there the next time either; a network may be.
                if error.refusal().is_some() || self.failures >= UNREACHED {
                    let remote = agreed.contract.merge.remote.as_str();
                    questions::unreached(self.site, self.say, remote, &message)?;
                }
                self.tell(&format!("warning: the merge queue: {message}"));
                Ok(Input::Trouble { run, message })
            }
        }
    }

    fn land(&self, from: &str, to: &str, tree: &str) -> Result<Moved, Failed> {
        crash::here("land.before");
        let moved = merge::land(self.site, &oid(from)?, &oid(to)?, &oid(tree)?)?;
        crash::here("land.after");
        Ok(moved)
    }

    fn tell(&mut self, words: &str) {
        if self.told.as_deref() != Some(words) {
            (self.say)(words);
            self.told = Some(words.to_owned());
        }
    }
}

/// Whether there is anything to do for a ticket. One that is at a remote waits for main to move.
fn goes_on(ticket: &Ticket, main: &Oid) -> bool {
    match &ticket.work.merge {
        Some(Merge::Pushed(at)) => at.from != main.as_str(),
        other => other.is_some(),
    }
}

fn oid(text: &str) -> Result<Oid, Failed> {
    Oid::parse(text).ok_or_else(|| Refusal::new("git.oid", format!("`{text}` is no commit")).into())
}
