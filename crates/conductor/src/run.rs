//! The loop. It looks, does what the planner says, and looks again; beside it the queue takes what was handed in to main.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use serde_json::json;
use signalbox_core::orchestra::Control;
use signalbox_core::work::Merge;
use signalbox_core::{Event, ProjectName, Refusal, Status, Ticket, Who};
use signalbox_store::config::Config;
use signalbox_store::contract::Landing;
use signalbox_store::lock::Lock;
use signalbox_store::log::EventLog;
use signalbox_store::{Home, Index, StoreError, clock, files, new_event_id, process};

use crate::control::{self, ENDED, STARTED};
use crate::error::Failed;
use crate::fleet::Watched;
use crate::jobs::Jobs;
use crate::look::{Look, look};
use crate::mainline::{self, Mainline};
use crate::questions;
use crate::queue::Worker;
use crate::site::{Agreed, Site};
use crate::steps::Hands;
use crate::upstream::Upstream;

/// How long it waits between two looks where nothing happens.
const PAUSE: Duration = Duration::from_millis(500);
/// How soon it looks again after it has done something.
const SOON: Duration = Duration::from_millis(20);
/// How often it looks for workspaces that nobody needs.
const CLEAN_EVERY: Duration = Duration::from_secs(3);
/// How long what is running in this process may take to end.
const LAST: Duration = Duration::from_secs(10);

/// One line for the person.
pub type Say = Arc<dyn Fn(&str) + Send + Sync>;

/// When it ends by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Until {
    /// When it is stopped.
    Stopped,
    /// When nothing is left that it could do without a person.
    Idle,
    /// After one look.
    Once,
}

pub struct Options {
    pub until: Until,
    /// So many agents at once, whatever the contract says.
    pub concurrency: Option<u32>,
    pub say: Say,
    /// A person's signal to end.
    pub stop: Arc<AtomicBool>,
}

/// How it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ended {
    /// The agents that still run.
    pub running: usize,
    /// The questions that wait for an answer.
    pub questions: usize,
}

/// Run a project's loop. Only one does at a time.
pub fn run(home: &Home, config: &Config, project: &ProjectName, options: &Options) -> Result<Ended, Failed> {
    home.prepare().map_err(Failed::doing("use Signalbox's folder"))?;
    let path = home.run().join(format!("run-{project}.lock"));
    let taken = Lock::take(&path).map_err(Failed::doing("take the loop's lock"))?;
    let Some(_lock) = taken else {
        let holder = process::lock_holder(&path).map(|pid| format!(" (process {pid})")).unwrap_or_default();
        return Err(Refusal::new("run.already", format!("a loop runs for `{project}` already{holder}"))
            .hint("`sb run status` shows it; `sb run stop` ends it.")
            .into());
    };
    let site = Arc::new(Site::open(home, config, project)?);
    let (index, _) = site.store.read()?;
    // What is wrong with the contract is said before anything begins.
    let agreed = mainline::agree(&site, &index, &options.say)?;
    for sentence in agreed.contract.lacks() {
        (options.say)(&format!("warning: {sentence}"));
    }
    let fence = next_fence(home, project)?;
    let mut conductor = Loop {
        since: clock::now(),
        mainline: Mainline::new(),
        upstream: Upstream::default(),
        queue: Worker::start(&site, &options.say)?,
        site,
        options,
        jobs: Jobs::default(),
        watched: Watched::default(),
        cleaned: Instant::now(),
        told: None,
        asked: false,
    };
    conductor.note(STARTED, &json!({ "pid": std::process::id(), "fence": fence }))?;
    let ended = conductor.go();
    conductor.queue.stop();
    let last = conductor.last();
    let _ = conductor.note(ENDED, &json!({ "pid": std::process::id(), "running": last.running }));
    ended.map(|()| last)
}

/// A number that no loop before this one had.
fn next_fence(home: &Home, project: &ProjectName) -> Result<u64, Failed> {
    let path = home.run().join(format!("run-{project}.fence"));
    let failed = || Failed::doing(format!("write {}", path.display()));
    let before = files::read_optional(&path).map_err(failed())?.unwrap_or_default();
    let before: u64 = String::from_utf8_lossy(&before).trim().parse().unwrap_or(0);
    files::replace(&path, (before + 1).to_string().as_bytes(), files::PRIVATE).map_err(failed())?;
    Ok(before + 1)
}

struct Loop<'a> {
    site: Arc<Site>,
    options: &'a Options,
    since: Timestamp,
    jobs: Jobs,
    queue: Worker,
    mainline: Mainline,
    upstream: Upstream,
    watched: Watched,
    cleaned: Instant,
    /// What was said last about why nothing goes on.
    told: Option<String>,
    /// Whether a person was asked about setting up workspaces when it was last looked.
    asked: bool,
}

impl Loop<'_> {
    fn go(&mut self) -> Result<(), Failed> {
        let mut last: Option<Look> = None;
        loop {
            if self.options.stop.load(Ordering::SeqCst) {
                return Ok(());
            }
            let (did, stopping) = match self.turn(&mut last) {
                Ok(done) => done,
                // A full disk, or somebody in our repository: it is tried again, and told once.
                Err(error) => {
                    self.say_once(&error.chain());
                    (false, false)
                }
            };
            let is_idle = last.as_ref().is_some_and(|look| self.is_idle(look)) && !did;
            match self.options.until {
                Until::Once if last.is_some() && self.jobs.is_idle() && self.queue.is_idle() => return Ok(()),
                Until::Idle if is_idle => return Ok(()),
                _ if stopping && last.as_ref().is_none_or(|look| running(look) == 0) => return Ok(()),
                _ => {}
            }
            let wait = if did { SOON } else { PAUSE };
            for (doing, done) in self.jobs.finished(wait) {
                self.jobs.heed(&done);
                let Some(look) = &last else { continue };
                let (index, _) = self.site.store.read()?;
                let agreed = Arc::new(self.site.agreed(&index)?);
                let ticket = doing.ticket().cloned();
                let finished = self.hands(&agreed, &index).finish(doing, done, look);
                match (finished, ticket) {
                    (Ok(()), Some(ticket)) => self.jobs.rested(&ticket),
                    (Ok(()), None) => {}
                    (Err(error), ticket) => {
                        let words = error.with_hint();
                        if let Some(ticket) = ticket {
                            self.jobs.rest(&ticket, &words, clock::now());
                        }
                        self.say_once(&words);
                    }
                }
            }
        }
    }

    /// One look and what follows from it. Says whether anything did, and whether the loop is to end.
    fn turn(&mut self, last: &mut Option<Look>) -> Result<(bool, bool), Failed> {
        self.watched.find(&self.site)?;
        let (index, _) = self.site.store.read()?;
        let agreed = Arc::new(self.site.agreed(&index)?);
        let mut asked = control::standing(&index, &self.site.project, self.since)?;
        asked.concurrency = asked.concurrency.or(self.options.concurrency);
        if self.options.until == Until::Once && last.is_some() {
            asked.control = Control::Paused;
        }
        let is_asked = questions::about_set_up(&index, &self.site.project)?.is_some();
        if std::mem::replace(&mut self.asked, is_asked) && !is_asked {
            self.jobs.begin_anew();
        }
        let jobs = self.jobs.seen(&self.site.project);
        let look = look(&self.site, &index, &agreed, &asked, jobs, &mut self.watched, clock::now())?;
        let moved = self.mainline.turn(&self.site, &agreed, &index, &mut self.jobs, &self.options.say);
        // What is wrong with the person's repository holds up nobody's work in ours.
        let moved = moved.unwrap_or_else(|error| {
            self.say_once(&error.chain());
            false
        });
        let hands = Hands {
            site: &self.site,
            agreed: &agreed,
            index: &index,
            stop: &self.options.stop,
            say: &self.options.say,
        };
        if agreed.contract.merge.mode == Landing::Push {
            self.upstream.turn(&self.site, &agreed, &mut self.jobs, &self.options.say);
        }
        let mut did = moved;
        for step in &look.plan.steps {
            match hands.take(step, &look, &mut self.jobs) {
                Ok(()) => did = true,
                Err(error) => {
                    let words = error.chain();
                    if self.told.as_ref() != Some(&words) {
                        (self.options.say)(&format!("warning: {words}"));
                        self.told = Some(words);
                    }
                }
            }
        }
        // Only now, so that those that were handed in while nobody looked are validated together.
        self.queue.allow(look.limits.lands());
        if self.cleaned.elapsed() > CLEAN_EVERY || self.options.until != Until::Stopped {
            self.cleaned = Instant::now();
            hands.clean(&mut self.jobs)?;
        }
        let stopping = asked.stop;
        *last = Some(look);
        Ok((did, stopping))
    }

    fn hands<'b>(&'b self, agreed: &'b Arc<Agreed>, index: &'b Index) -> Hands<'b> {
        Hands { site: &self.site, agreed, index, stop: &self.options.stop, say: &self.options.say }
    }

    /// Nothing is left to do, and nothing will be by waiting.
    fn is_idle(&self, look: &Look) -> bool {
        self.jobs.is_idle()
            && self.queue.is_idle()
            && running(look) == 0
            && look.plan.steps.is_empty()
            && look.plan.next.is_none()
            && !(look.limits.lands() && look.tickets.iter().any(|ticket| self.goes_on(ticket, look)))
            && !self.mainline.is_busy()
    }

    /// Whether the queue will do something about a ticket, as far as is known here.
    fn goes_on(&self, ticket: &Ticket, look: &Look) -> bool {
        match &ticket.work.merge {
            None => false,
            // What is at the remote goes on when main moves.
            Some(Merge::Pushed(at)) => self.site.tip().is_ok_and(|main| main.as_str() != at.from),
            Some(Merge::Landing(_)) => true,
            Some(Merge::Queued(_) | Merge::Building(_) | Merge::Validated(_)) => {
                let waits_for_remote = self.queue.is_cut_off() && look.limits.remote_question.is_some();
                // One that is held, or that a person is asked about, keeps its place and goes no further.
                ticket.status == Status::Review && !ticket.escalated && !waits_for_remote
            }
        }
    }

    fn say_once(&mut self, words: &str) {
        if self.told.as_deref() != Some(words) {
            (self.options.say)(&format!("warning: {words}"));
            self.told = Some(words.to_owned());
        }
    }

    /// Let what runs here end, and count what goes on without us.
    fn last(&mut self) -> Ended {
        let begun = Instant::now();
        while !self.jobs.is_idle() && begun.elapsed() < LAST {
            let _ = self.jobs.finished(SOON);
        }
        let running =
            signalbox_store::agents::all(&self.site.home).unwrap_or_default().into_iter().filter(|record| {
                record.branch.is_some()
                    && record.project.as_ref() == Some(&self.site.project)
                    && record.life() == signalbox_store::agents::Life::Runs
            });
        let questions = self
            .site
            .store
            .read()
            .ok()
            .and_then(|(index, _)| signalbox_store::escalation::pending(&index).ok());
        let ours =
            |one: &&signalbox_core::escalation::Escalation| one.project.as_ref() == Some(&self.site.project);
        let questions = questions.unwrap_or_default().iter().filter(ours).count();
        Ended { running: running.count(), questions }
    }

    fn note(&self, name: &str, data: &serde_json::Value) -> Result<(), Failed> {
        let project = Some(self.site.project.clone());
        let event = Event::apart(new_event_id(), clock::now(), name, &Who::System, project, data);
        self.site.store.log().record(&event.map_err(StoreError::from)?)?;
        Ok(())
    }
}

fn running(look: &Look) -> usize {
    look.fleet.agents.iter().filter(|agent| agent.is_alive()).count()
}
