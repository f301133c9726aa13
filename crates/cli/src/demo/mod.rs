//! `sb demo`: the real orchestrator, real git and real hooks, with agents that follow a script.
//!
//! Everything plays in one folder, which is home to everybody in it; the person's own is neither read nor changed. What is
//! told is told from the event log, as any board would, and what came of it is checked with plain git.

mod asking;
mod cast;
mod look;
mod narration;
mod outcome;
mod plan;
mod repository;
mod script;
mod stage;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;
use signalbox_conductor::Failed;
use signalbox_core::{ProjectName, Status};
use signalbox_desk::error::{CommandError, Kind};
use signalbox_store::config::Config;
use signalbox_store::index::{Filter, History};
use signalbox_store::{Store, clock, files};

use crate::context::Context;
use crate::ui::Paint;

use asking::{Keyboard, Typed};
pub use cast::Driver;
use narration::{Narrator, Sign, Told};
use outcome::Outcome;
use script::Pace;
use stage::Stage;

/// What the repository is called.
const PROJECT: &str = "corner-shop";
/// How often it is looked what has happened.
const LOOK: Duration = Duration::from_millis(100);
/// How a program ends that was interrupted.
const INTERRUPTED: i32 = 130;

/// What was asked for.
pub struct Wanted {
    pub driver: Driver,
    /// Somebody sits before it, and can be asked.
    pub is_watched: bool,
    pub keep: bool,
    /// The person has said that tokens may be spent.
    pub may_spend: bool,
}

/// Play it, and leave nothing behind that nobody wants to keep.
pub fn play(cx: &Context, wanted: &Wanted) -> Result<(), CommandError> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM, signal_hook::consts::SIGHUP] {
        signal_hook::flag::register(signal, Arc::clone(&stop))?;
    }
    signalbox_git::Git::find(&std::env::var_os("PATH").unwrap_or_default()).map_err(Failed::from)?;
    wanted.driver.must_be_ready(cx, wanted.may_spend)?;
    let mut stage = Stage::new(wanted.driver)?;
    let mut keep = wanted.keep;
    let played = Play { cx, wanted, stop: &stop }.all(&mut stage, &mut keep);
    stage.end();
    stage.close_page();
    let left = if keep { None } else { stage.remove() };
    if keep {
        cx.ui.status(&format!("The demo's folder is {}.", stage.root().display()));
    }
    if stop.load(Ordering::SeqCst) {
        cx.ui.status(if keep { "Stopped." } else { "Stopped, and all of it is removed." });
        cx.exit_with(INTERRUPTED);
        return left.map_or(Ok(()), Err);
    }
    played.and(left.map_or(Ok(()), Err))
}

/// One playing of it.
struct Play<'a> {
    cx: &'a Context,
    wanted: &'a Wanted,
    stop: &'a AtomicBool,
}

impl Play<'_> {
    fn all(&self, stage: &mut Stage, keep: &mut bool) -> Result<(), CommandError> {
        self.welcome(stage)?;
        let begun_at = repository::make(stage, &self.wanted.driver.contract(stage))?;
        let ids = self.prepare(stage)?;
        look::open_board(self.cx, stage, self.wanted.is_watched)?;
        let store = open_store(stage)?;
        let names = ids.iter().map(|(key, id)| (id.clone(), key.clone())).collect();
        let mut narrator = Narrator::new(names);
        self.say(&narration::legend(&self.cx.ui))?;
        stage.begin()?;
        self.watch(stage, &store, &mut narrator)?;
        if self.is_stopped() {
            return Ok(());
        }
        let seconds = narrator.seconds();
        stage.end();
        let outcome = Outcome::of(stage, &store, &ids, &begun_at, seconds, self.wanted)?;
        if self.cx.ui.json {
            self.cx.ui.json(&outcome)?;
            self.cx.exit_with(i32::from(!outcome.ok));
            return Ok(());
        }
        outcome.tell(self.cx, self.wanted.is_watched)?;
        if self.wanted.is_watched {
            *keep |= look::around(self.cx, stage, &outcome, self.stop)?;
        } else if *keep {
            look::tell(self.cx, stage, &outcome)?;
        }
        outcome.must_be_right()
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }

    /// Words about the demo, for whoever does not want JSON.
    fn say(&self, words: &str) -> Result<(), CommandError> {
        if self.cx.ui.json { Ok(()) } else { self.cx.ui.data(words) }
    }

    fn welcome(&self, stage: &Stage) -> Result<(), CommandError> {
        let about = match self.wanted.driver {
            Driver::Puppet => {
                "The agents follow a script, so this needs no model, no key and no network; git, the hooks, the reviews, the \
                 merge queue and the questions are real."
            }
            Driver::Claude => "The agents are your own Claude Code; nobody else costs a token.",
        };
        let how = "Each ticket gets a workspace of its own. Tests come first where it wants them, then the work, a review by \
                   somebody else, and the merge queue, which lands what passes.";
        let title = "A corner shop's till, a plan, and agents to work on it. You own the shop.";
        let ui = &self.cx.ui;
        self.say(&format!("{}\n\n", ui.paint(Paint::Bold, title)))?;
        self.say(&narration::paragraph(ui, &format!("{how} {about}")))?;
        self.say(&format!("All of it plays in {}.\n\n", stage.root().display()))
    }

    /// Make the repository a project that Signalbox may work on, file the plan, and tell agents what they do. The ids of
    /// tickets, by their keys in the plan.
    fn prepare(&self, stage: &Stage) -> Result<BTreeMap<String, String>, CommandError> {
        let driver = self.wanted.driver;
        stage.sb(&["init", "--name", PROJECT])?;
        stage.sb(&["trust", "--yes"])?;
        driver.install(stage)?;
        let plan = driver.plan()?;
        let file = stage.root().join("plan.toml");
        let text = toml::to_string(&plan).map_err(|error| broken(&error.to_string()))?;
        files::replace(&file, text.as_bytes(), files::PRIVATE)?;
        let filed = stage.sb(&["shape", "--from", &file.to_string_lossy(), "--yes", "--json"])?;
        let filed: Value = serde_json::from_str(&filed)?;
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let rows = filed["filed"].as_array().into_iter().flatten();
        let ids: BTreeMap<String, String> = rows.map(|row| (text(&row["key"]), text(&row["id"]))).collect();
        if driver == Driver::Puppet {
            let pace = if self.wanted.is_watched { Pace::Believable } else { Pace::AsFastAsItGoes };
            let script = script::script(&ids, pace)?;
            files::replace(&stage.script(), script.to_string().as_bytes(), files::PRIVATE)?;
        }
        self.say(&plan::drawn(&plan))?;
        Ok(ids)
    }

    /// Tell what happens, and see to the questions, until every ticket is on main.
    fn watch(&self, stage: &mut Stage, store: &Store, narrator: &mut Narrator) -> Result<(), CommandError> {
        let mut keyboard = Keyboard::default();
        let (mut seen, mut heard) = (0, Instant::now());
        while !self.is_stopped() {
            let (index, _) = store.read()?;
            let events = index.events(&History { after: Some(seen), ..History::default() })?;
            let filter = Filter { project: Some(project()?), ..Filter::default() };
            let is_done = index.tickets(&filter)?.iter().all(|ticket| ticket.status == Status::Done);
            drop(index);
            if let Some((last, _)) = events.last() {
                (seen, heard) = (*last, Instant::now());
            }
            for (_, event) in &events {
                if let Some(told) = narrator.hear(event) {
                    self.say(&narrator.line(&self.cx.ui, &told))?;
                }
            }
            for told in narrator.overdue(clock::now()) {
                self.say(&narrator.line(&self.cx.ui, &told))?;
            }
            if is_done {
                return Ok(());
            }
            for one in asking::pending(store)? {
                self.ask(stage, store, narrator, &mut keyboard, &one)?;
                heard = Instant::now();
            }
            if let Some(said) = stage.has_ended()? {
                return Err(broken("the orchestrator has ended").hint(format!("It said: {said}")));
            }
            if heard.elapsed() > self.wanted.driver.patience() {
                return Err(self.stuck(stage, store)?);
            }
            if events.is_empty() {
                std::thread::sleep(LOOK);
            }
        }
        Ok(())
    }

    /// Have one question answered: by the person, here or elsewhere, or by the demo itself.
    fn ask(
        &self,
        stage: &Stage,
        store: &Store,
        narrator: &Narrator,
        keyboard: &mut Keyboard,
        one: &signalbox_core::escalation::Escalation,
    ) -> Result<(), CommandError> {
        let ticket = one.asked.ticket.as_ref().map(|id| narrator.name(id.as_str()).to_owned());
        let ticket = ticket.unwrap_or_default();
        let tell = |sign: Sign, words: String, more: Vec<String>| {
            let told = Told { at: clock::now(), sign, ticket: ticket.clone(), words, more };
            self.say(&narrator.line(&self.cx.ui, &told))
        };
        let whom = if self.wanted.is_watched { "you" } else { "a person" };
        let mut question = asking::told(one);
        if self.wanted.is_watched {
            question.push(format!(
                "(from another terminal: {} esc answer {} …)",
                stage.own_sb().display(),
                one.id
            ));
        }
        tell(Sign::Asks, format!("needs {whom} ({}); the others go on", one.id), question)?;
        let usual = asking::prepared(&ticket);
        let typed = if self.wanted.is_watched {
            self.say(&self.cx.ui.paint(Paint::Bold, &format!("Your answer, a number or words [{usual}]: ")))?;
            keyboard.line(self.stop, || Ok(asking::answered(store, &one.id)?.is_some()))?
        } else {
            Some(Typed::End)
        };
        let who = match typed {
            Some(Typed::Line(words)) => {
                let taken = asking::answer(store, one, if words.is_empty() { usual } else { &words });
                // What cannot be taken is told, and asked again.
                if let Err(error) = taken {
                    self.cx.ui.warn(&error.message);
                }
                "you answered"
            }
            Some(Typed::End) => {
                asking::answer(store, one, usual)?;
                "the demo answers by itself"
            }
            // All of it is to end, or it was answered elsewhere.
            None => {
                self.say("\n")?;
                "answered from elsewhere"
            }
        };
        if let Some(answer) = asking::answered(store, &one.id)? {
            tell(Sign::Answered, format!("{who}: {answer}"), Vec::new())?;
        }
        Ok(())
    }

    /// What every ticket waits for that is not done.
    fn stuck(&self, stage: &Stage, store: &Store) -> Result<CommandError, CommandError> {
        let (index, _) = store.read()?;
        let filter = Filter { project: Some(project()?), ..Filter::default() };
        let mut error = broken("nothing happens any more");
        for ticket in index.tickets(&filter)?.iter().filter(|ticket| ticket.status != Status::Done) {
            error = error.hint(stage.sb(&["why", ticket.id.as_str()])?);
        }
        Ok(error)
    }
}

fn open_store(stage: &Stage) -> Result<Store, CommandError> {
    let home = stage.home();
    let vault = Config::load(&home)?.vault(&home)?;
    Ok(Store::new(home, vault))
}

fn project() -> Result<ProjectName, CommandError> {
    ProjectName::parse(PROJECT).map_err(|error| broken(&error.to_string()))
}

fn broken(what: &str) -> CommandError {
    CommandError::new(Kind::Failure, "demo.failed", format!("the demo failed: {what}"))
}
