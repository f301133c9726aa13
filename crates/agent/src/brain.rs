//! The part of an agent that watches it: works out its state, and gets messages into it.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use serde_json::json;
use signalbox_core::agent::{Assessment, Certainty, Insight, Source, State, assess};
use signalbox_core::inject::{Deferred, Door, Failure, Fate, Readiness, Receipt};
use signalbox_drivers::terminal::InputBox;
use signalbox_drivers::{Door as Way, Driver};
use signalbox_pty::{Handle, Tap};
use signalbox_store::outbox::{Claim, Outbox, Proof};
use signalbox_store::{Home, agents, clock};

use crate::evidence::Evidence;
use crate::eye::{Eye, Seen};
use crate::handed::{Handed, tells_of};
use crate::journal::Journal;
use crate::keyboard::{self, Desk, Outcome};
use crate::look::Look;
use crate::{usage, waiter};

/// How long nothing need be looked at where nothing happens.
const TURN: Duration = Duration::from_millis(150);

/// How long a waiter of the CLI's own may take to come after the agent became idle.
const SETTLING: SignedDuration = SignedDuration::from_secs(4);

/// How long after a keystroke the person may still be typing.
const TYPING: Duration = Duration::from_millis(1_500);

/// How often the outbox is looked at though nobody tells that something is in it: whoever took a message may have died.
const ROUND: Duration = Duration::from_secs(1);

/// When the outbox is looked at. With hundreds of agents it counts that a folder is not read for nothing.
#[derive(Debug, Default)]
struct Rounds {
    last: Option<Instant>,
    /// Something was waiting then.
    is_waiting: bool,
    /// Something has changed in it since.
    is_told: bool,
}

impl Rounds {
    fn is_due(&self) -> bool {
        self.is_told || self.is_waiting || self.last.is_none_or(|last| last.elapsed() >= ROUND)
    }

    fn went(&mut self, is_waiting: bool) {
        *self = Self { last: Some(Instant::now()), is_waiting, is_told: false };
    }
}

/// What others may ask of the brain.
#[derive(Debug, Default)]
pub struct Known {
    assessment: Mutex<Option<Assessment>>,
    over: AtomicBool,
}

impl Known {
    pub fn assessment(&self) -> Option<Assessment> {
        lock(&self.assessment).clone()
    }

    /// The program has ended.
    pub fn end(&self) {
        self.over.store(true, Ordering::Release);
    }

    pub fn is_over(&self) -> bool {
        self.over.load(Ordering::Acquire)
    }
}

/// Where the program runs.
#[derive(Debug, Clone)]
pub struct Place {
    pub home: Home,
    pub program: PathBuf,
    pub cwd: PathBuf,
    pub environment: Vec<(String, String)>,
    /// Where the CLI keeps its settings and its state.
    pub config: PathBuf,
    /// The process of the program.
    pub child: u32,
}

pub struct Brain {
    pub place: Place,
    pub driver: Option<&'static Driver>,
    pub insights: &'static [Insight],
    pub handle: Handle,
    /// Takes markers for the recording.
    pub tap: Tap,
    pub eye: Eye,
    pub outbox: Outbox,
    pub journal: Journal,
    pub known: Arc<Known>,
    pub evidence: Evidence,
    /// Since when it is known to wait for its first prompt.
    pub ready: Option<Timestamp>,
    /// Texts of prompts that hooks told of, since somebody asked.
    pub prompts: Vec<String>,
    pub handed: Handed,
}

impl Brain {
    /// Watch until the program has ended. The journal is given back for the last words.
    pub fn run(mut self) -> Journal {
        let mut watch = self.outbox.watch().ok();
        self.evidence.hear(Source::Process, State::Starting, clock::now(), "the program was started");
        let mut written = None;
        let mut outbox = Rounds::default();
        while !self.known.is_over() {
            let look = self.look();
            self.publish(&look.assessment, &mut written);
            if look.assessment.state == State::Idle && look.assessment.certainty != Certainty::Guess {
                self.ready.get_or_insert_with(clock::now);
            }
            self.handed.look(look.assessment.state, clock::now(), &self.outbox);
            if outbox.is_due() {
                // Whoever died while delivering left a message behind; nobody can say whether it arrived.
                let _ = self.outbox.settle(&mut |_| Proof::Unknown);
                outbox.went(self.serve(&look));
            }
            match &mut watch {
                Some(watch) => outbox.is_told |= watch.wait(TURN).unwrap_or(true),
                None => {
                    std::thread::sleep(TURN);
                    outbox.is_told = true;
                }
            }
        }
        self.handed.end(&self.outbox);
        self.journal
    }

    fn publish(&mut self, assessment: &Assessment, written: &mut Option<State>) {
        *lock(&self.known.assessment) = Some(assessment.clone());
        if *written != Some(assessment.state) {
            *written = Some(assessment.state);
            self.tap.mark(format!("state: {}", assessment.state));
            let because = assessment.because.first().map(|signal| signal.detail.clone());
            // The log may be full; the agent goes on, and the next change is tried again.
            let _ = self.journal.write(
                "agent.state",
                json!({ "state": assessment.state, "certainty": assessment.certainty, "because": because }),
            );
        }
    }

    /// Get the next message in, if one waits and this is the time. Says whether one waits, or may.
    fn serve(&mut self, look: &Look) -> bool {
        match self.outbox.waiting() {
            Ok(waiting) if waiting.is_empty() => return false,
            Ok(_) => self.deliver_next(look),
            Err(_) => {}
        }
        true
    }

    fn deliver_next(&mut self, look: &Look) {
        let now = clock::now();
        let _ = self.outbox.expire_old(now);
        if self.somebody_else_delivers() || self.somebody_else_may_come(look, now) {
            return;
        }
        if let Some(reason) = self.why_not(look) {
            let _ = self.outbox.defer(reason, now);
            return;
        }
        let Ok(Some(claim)) = self.outbox.claim(now) else { return };
        let outcome = match self.queue(&claim.waiting.injection.text) {
            Some(words) => match self.hand_over(&words) {
                Ok(()) => return self.handed.add(claim),
                Err(detail) => refused(detail),
            },
            None => self.deliver(&claim),
        };
        if let Outcome::Over(fate) = &outcome {
            self.tap.mark(Receipt::new(&claim.waiting.injection.id, fate.clone()).name());
        }
        // What cannot be written down now is settled at the next start: it is never delivered twice.
        let _ = match outcome {
            Outcome::Over(fate) => self.outbox.finish(&claim, fate).map(Some),
            Outcome::Later(reason, tries) => self.outbox.put_back(&claim, reason, tries),
        };
    }

    /// A waiter of the CLI's own takes what is there as soon as it can.
    fn somebody_else_delivers(&self) -> bool {
        waiter::is_there(&self.place.home, self.outbox.agent())
    }

    /// The CLI's own waiter is started when a turn ends, and needs a moment. Where hooks are not installed none comes.
    fn somebody_else_may_come(&self, look: &Look, now: Timestamp) -> bool {
        let has_waiter = self
            .driver
            .is_some_and(|driver| matches!(driver.doors.first(), Some(Way::Waiter(_) | Way::Extension(_))));
        // A CLI shows its input box before it runs its first hook, on a busy machine long before.
        let is_fresh = self.ready.is_none_or(|ready| now.duration_since(ready) < SETTLING);
        let is_heard = !self.journal.sessions().is_empty() || is_fresh;
        let is_settled = look.assessment.since.is_some_and(|since| now.duration_since(since) > SETTLING);
        has_waiter && is_heard && !is_settled
    }

    fn why_not(&self, look: &Look) -> Option<Deferred> {
        if self.driver.is_none() {
            return Some(Deferred::UnknownState);
        }
        if let Readiness::NotYet(reason) = look.assessment.readiness() {
            return Some(reason);
        }
        // A queue of the CLI's own asks for no more than that, once there is a conversation. It would take a message while
        // the CLI works too, but leave it alone if the person then interrupts the turn.
        if self.queue("").is_some() {
            return None;
        }
        // Asked again, and more strictly, by the delivery itself; but what must wait anyway need not be taken out.
        match look.seen.reading.input {
            InputBox::Empty if self.person_is_typing() => Some(Deferred::PersonTyping),
            InputBox::Empty => None,
            InputBox::Draft(_) => Some(Deferred::Draft),
            InputBox::Hidden => Some(Deferred::Dialog),
            InputBox::Unknown => Some(Deferred::UnknownState),
        }
    }

    fn person_is_typing(&self) -> bool {
        let quiet = self.driver.map_or(TYPING, |driver| driver.terminal.lag.max(TYPING));
        self.handle.last_input_at().is_some_and(|at| at.elapsed() < quiet)
            || keyboard::is_behind(&self.handle)
    }

    fn deliver(&mut self, claim: &Claim) -> Outcome {
        let Some(driver) = self.driver else { return Outcome::Later(Deferred::UnknownState, 0) };
        let handle = self.handle.clone();
        keyboard::deliver(self, &handle, &driver.terminal, &claim.waiting)
    }

    /// The CLI's own queue, where it has one, looks into it, and the conversation is known: its command line for a text.
    fn queue(&self, text: &str) -> Option<Vec<String>> {
        let session = self.journal.sessions().last().filter(|_| !self.handed.is_shut())?;
        self.driver?.doors.iter().find_map(|door| match door {
            Way::Queue(words) => Some(words(session.as_str(), text)),
            _ => None,
        })
    }

    /// Put a message into the CLI's own queue, or say why that did not work.
    fn hand_over(&self, words: &[String]) -> Result<(), String> {
        let mut command = std::process::Command::new(&self.place.program);
        command.args(words).current_dir(&self.place.cwd).envs(self.place.environment.iter().cloned());
        match command.stdin(std::process::Stdio::null()).output() {
            Ok(done) if done.status.success() => Ok(()),
            Ok(done) => Err(String::from_utf8_lossy(&done.stderr).trim().chars().take(300).collect()),
            Err(error) => Err(error.to_string()),
        }
    }

    /// What the CLI's own state file says. A pid that was given to another process is told by its start.
    fn state_file(&self) -> Option<signalbox_drivers::Said> {
        let file = self.driver?.state_file.as_ref()?;
        let path = self.place.config.join((file.path)(self.place.child));
        let said = (file.read)(&std::fs::read_to_string(path).ok()?)?;
        (said.pid == Some(self.place.child)).then_some(said)
    }
}

impl Desk for Brain {
    fn look(&mut self) -> Look {
        let now = clock::now();
        for event in self.journal.news().unwrap_or_default() {
            self.evidence.hear_event(&event);
            if event.event == "hook.prompt" {
                let data: serde_json::Value = serde_json::from_str(event.data.get()).unwrap_or_default();
                let prompt = data["prompt"].as_str().unwrap_or_default();
                self.handed.prompted(prompt, &self.outbox);
                self.prompts.push(prompt.to_owned());
            }
            if event.event == "hook.interrupt" {
                self.handed.interrupted();
            }
            if event.event == "session.started" {
                let sessions = self.journal.sessions().to_vec();
                let id = self.outbox.agent().clone();
                let _ = agents::update(&self.place.home, &id, |record| record.sessions = sessions);
                let data: serde_json::Value = serde_json::from_str(event.data.get()).unwrap_or_default();
                if let (Some(session), Some(path)) = (&event.session, data["transcript"].as_str()) {
                    let _ = usage::note_transcript(&self.place.home, &id, session.as_str(), Path::new(path));
                }
            }
        }
        // While it is being drawn nothing can be said of it.
        let seen = self.eye.look().unwrap_or_else(Seen::nothing);
        self.evidence.hear_reading(&seen.reading, now);
        if let Some(driver) = self.driver {
            self.evidence.hear_title(driver, &seen.sight, now);
        }
        let said = self.state_file();
        self.evidence.hear_file(said.as_ref(), now);
        self.evidence.hear_flow(self.eye.changed(), now);
        let assessment = assess(self.evidence.signals(), self.insights);
        Look { seen, assessment }
    }

    fn prompted(&mut self, text: &str) -> bool {
        std::mem::take(&mut self.prompts).iter().any(|prompt| tells_of(prompt, text))
    }

    fn hears_prompts(&self) -> bool {
        !self.journal.sessions().is_empty()
    }

    fn is_over(&self) -> bool {
        self.known.is_over()
    }
}

fn refused(detail: String) -> Outcome {
    let (reason, door) = (Failure::Refused, Some(Door::Queue));
    Outcome::Over(Fate::Failed { reason, door, detail: Some(detail) })
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
