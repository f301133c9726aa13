//! An agent from its start to its end: everything that belongs to it is put together here.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::json;
use signalbox_core::inject::{Failure, Injection, Priority};
use signalbox_core::{AgentId, ProjectName, Refusal, TicketId, Who};
use signalbox_drivers::terminal::Reading;
use signalbox_pty::record::{PlainLog, Recorder, Secrets, Settings};
use signalbox_pty::side::Options;
use signalbox_pty::{Allow, Child, Exit, Person, Pump, Side, Size};
use signalbox_store::agents::{self, Ended, Record};
use signalbox_store::config::Config;
use signalbox_store::log::LogError;
use signalbox_store::outbox::Outbox;
use signalbox_store::session::Registered;
use signalbox_store::{Home, clock, files, new_event_id, process};

use crate::brain::{Brain, Known, Place};
use crate::door::{self, Room};
use crate::evidence::Evidence;
use crate::eye::Eye;
use crate::handed::Handed;
use crate::insights;
use crate::journal::Journal;
use crate::launch::Plan;
use crate::link::{self, Link};
use crate::usage;
use crate::worker;

/// The smallest terminal that agent CLIs can draw themselves on.
pub const LEAST: Size = Size::new(5, 20);
/// The terminal where nobody looks on.
const UNSEEN: Size = Size::new(40, 120);
const MEGABYTE: u64 = 1 << 20;

/// What an agent is started as.
pub struct Started<'a> {
    pub home: &'a Home,
    pub config: &'a Config,
    pub plan: Plan,
    pub name: Option<String>,
    pub ticket: Option<TicketId>,
    pub role: Option<String>,
    pub project: Option<ProjectName>,
    pub cwd: PathBuf,
    /// The record that was written for it beforehand.
    pub reserved: Option<AgentId>,
    /// Nobody sits at the terminal.
    pub headless: bool,
    /// What it is there for, as the daemon understands it.
    pub goal: Option<serde_json::Value>,
    /// Who is told, once, what could not be kept.
    pub tell: Box<dyn Fn(&str) + Send>,
}

/// Why an agent could not be run.
#[derive(Debug, thiserror::Error)]
pub enum Failed {
    #[error("standard input is not a terminal, and an agent needs one")]
    NoTerminal,
    #[error("the terminal has only {}x{} characters", .0.cols, .0.rows)]
    TooSmall(Size),
    #[error("start {program}")]
    Start { program: PathBuf, source: io::Error },
    #[error(transparent)]
    Refused(#[from] Refusal),
    #[error(transparent)]
    Log(#[from] LogError),
    #[error(transparent)]
    Store(#[from] signalbox_store::StoreError),
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Run an agent until its program has ended.
pub fn run(started: Started<'_>) -> Result<Exit, Failed> {
    let Started { home, config, plan, .. } = &started;
    let person = if started.headless { Person::absent() } else { Person::at_stdio()? };
    let size = size(&person, started.headless)?;
    home.prepare()?;
    for folder in [home.agents(), home.logs(), home.recordings(), home.agent_sockets()] {
        files::create_private_dir(&folder)?;
    }
    let record = match &started.reserved {
        None => agents::register(home, describe(&started, size))??,
        Some(id) => take_over(&started, id, size)?,
    };
    let recording = home.recordings().join(format!("{}.cast", record.id));
    let troubles = Troubles::default();
    let side = beside(&started, &record, &recording, size, &troubles)?;
    let journal = Journal::open(home, &record.id, record.project.clone())?;
    if record.branch.is_some()
        && let Err(error) = worker::register(&started, &record)
    {
        (started.tell)(&format!("what it may do could not be written down, so it does not start: {error}"));
        agents::update(home, &record.id, |record| {
            record.ended = Some(Ended { at: clock::now(), code: None, signal: None });
        })?;
        return Err(error);
    }
    let child = start(plan, &record, home, size, &person)?;
    let pid = child.pid();
    let running = process::process(pid).map(|p| Registered { pid: p.pid, started: p.started });
    if record.branch.is_some()
        && let Some(running) = running.clone()
        && let Err(error) = worker::tie(home, &record, running)
    {
        // It is known by the process above it all the same.
        (started.tell)(&format!("its process could not be written down: {error}"));
    }
    let noted = agents::update(home, &record.id, |record| {
        record.child = running;
        record.recording = config.agents.recording.then_some(recording);
    });
    let logged = journal.write("agent.started", facts(&record, pid));
    // The disk is full, for instance. The program runs already, and goes on.
    if let Some(error) = noted.err().map(|e| e.to_string()).or(logged.err().map(|e| e.to_string())) {
        (started.tell)(&format!("not all of its start could be written down: {error}"));
    }
    let pump = Pump::new(child, person)?.tapped(side.tap());
    let known = Arc::new(Known::default());
    let room = Room {
        agent: record.id.to_string(),
        handle: pump.handle(),
        side: side.clone(),
        known: Arc::clone(&known),
        own_size: Arc::new(crate::attach::own_size),
        journal: Arc::new(journal.scribe()),
    };
    if let Err(error) = door::open(&record.socket, room) {
        (started.tell)(&format!("nobody can attach to this agent: {error}"));
    }
    let outbox = Outbox::new(home, &record.id).project(record.project.clone());
    if let Some(prompt) = &plan.waits_for_prompt
        && let Err(error) = put_first(&outbox, prompt)
    {
        (started.tell)(&format!("it could not be told what to begin with: {error}"));
    }
    let brain = Brain {
        place: Place {
            home: (*home).clone(),
            program: plan.program.clone(),
            cwd: started.cwd.clone(),
            environment: plan.environment.clone(),
            config: plan.config.clone(),
            child: pid,
        },
        driver: plan.driver,
        insights: insights::of(plan.driver),
        handle: pump.handle(),
        tap: side.tap(),
        eye: Eye::new(side.clone(), plan.driver.map_or(Reading::nothing, |driver| driver.terminal.read)),
        outbox: outbox.clone(),
        journal,
        known: Arc::clone(&known),
        evidence: Evidence::default(),
        ready: None,
        prompts: Vec::new(),
        handed: Handed::default(),
    };
    Link {
        home: (*home).clone(),
        agent: record.id.clone(),
        directory: started.cwd.clone(),
        known: Arc::clone(&known),
        terminal: if started.headless { None } else { link::own_terminal() },
    }
    .keep();
    let brain = std::thread::Builder::new().name("brain".to_owned()).spawn(move || brain.run())?;
    if started.headless {
        let id = &record.id;
        (started.tell)(&format!(
            "{id} runs until it ends; `sb attach {id}` shows it, `sb agent stop {id}` ends it"
        ));
    }
    let exit = pump.run();
    known.end();
    side.finish();
    // Its last words, and the end of whatever it was delivering.
    let journal = brain.join().ok();
    let _ = io::stdout().write_all(&if started.headless { Vec::new() } else { side.undo() });
    let _ = io::stdout().flush();
    for words in troubles.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
        (started.tell)(&words);
    }
    let exit = exit?;
    let ended = Ended {
        at: clock::now(),
        code: if let Exit::Code(code) = exit { Some(code) } else { None },
        signal: if let Exit::Signal(signal) = exit { Some(signal) } else { None },
    };
    let _ = files::remove(&record.socket);
    if let Err(error) = agents::update(home, &record.id, |record| record.ended = Some(ended.clone())) {
        (started.tell)(&format!("its end could not be written down: {error}"));
    }
    if let Some(journal) = journal {
        let _ = journal.write("agent.exited", json!({ "code": ended.code, "signal": ended.signal }));
    }
    // What still waits can never arrive.
    let _ = outbox.close(Failure::Exited);
    Ok(exit)
}

fn size(person: &Person, headless: bool) -> Result<Size, Failed> {
    if headless {
        return Ok(UNSEEN);
    }
    if !person.is_present() {
        return Err(Failed::NoTerminal);
    }
    let size = person.size().unwrap_or_default();
    if size.rows < LEAST.rows || size.cols < LEAST.cols {
        return Err(Failed::TooSmall(size));
    }
    Ok(size)
}

/// What it begins with, for a CLI that takes no prompt on its command line.
fn put_first(outbox: &Outbox, prompt: &str) -> Result<(), Failed> {
    let now = clock::now();
    let injection = Injection::new(new_event_id(), prompt, Who::System.name(), now)?.priority(Priority::High);
    outbox.enqueue(&Who::System, injection, now).map_err(signalbox_store::StoreError::from)?;
    Ok(())
}

/// Become the agent that somebody made a place for, if the place is still there.
fn take_over(started: &Started<'_>, id: &AgentId, size: Size) -> Result<Record, Failed> {
    let given_up = || {
        Refusal::new("agent.given-up", format!("{id} was given up before it began"))
            .hint("Whoever wanted it starts another.")
    };
    let mut record = agents::take_over(started.home, id)?.ok_or_else(given_up)?;
    let wanted = describe(started, size);
    record.other.extend(wanted.other.clone());
    record.args.clone_from(&wanted.args);
    record.program.clone_from(&wanted.program);
    (record.cols, record.rows) = (size.cols, size.rows);
    let updated = record.clone();
    agents::update(started.home, id, move |record| *record = updated)?;
    Ok(record)
}

fn describe(started: &Started<'_>, size: Size) -> Record {
    let plan = &started.plan;
    let mut other = serde_json::Map::new();
    other.insert("config".to_owned(), json!(plan.config));
    if let Some(folder) = usage::data_folder(&plan.environment) {
        other.insert("data".to_owned(), json!(folder));
    }
    if let Some(goal) = &started.goal {
        other.insert("goal".to_owned(), goal.clone());
    }
    Record {
        other,
        name: started.name.clone(),
        args: plan.arguments.clone(),
        project: started.project.clone(),
        ticket: started.ticket.clone(),
        role: started.role.clone(),
        profile: plan.profile.clone(),
        cols: size.cols,
        rows: size.rows,
        ..Record::new(&plan.name, &plan.program, &started.cwd)
    }
}

fn facts(record: &Record, pid: u32) -> serde_json::Value {
    json!({
        "driver": record.driver, "program": record.program, "name": record.name, "cwd": record.cwd,
        "ticket": record.ticket, "role": record.role, "profile": record.profile, "pid": pid,
    })
}

/// What went wrong beside the program. The screen belongs to the program, so it is told when that has ended.
type Troubles = Arc<Mutex<Vec<String>>>;

/// Recording, log, screen and watchers. What of it cannot be kept is told once; the agent runs all the same.
fn beside(
    started: &Started<'_>,
    record: &Record,
    recording: &std::path::Path,
    size: Size,
    troubles: &Troubles,
) -> io::Result<Side> {
    let settings = &started.config.agents;
    let secrets = secrets(started);
    let log = PlainLog::create(&record.log, settings.log_max_mb.get() * MEGABYTE, &secrets);
    let log = log.map_err(|error| (started.tell)(&format!("there will be no log: {error}"))).ok();
    let variable = |name: &str| Some((name.to_owned(), std::env::var(name).ok()?));
    let cast = Settings {
        path: recording.to_owned(),
        size,
        began: clock::now().as_second().unsigned_abs(),
        title: Some(record.id.to_string()),
        env: ["TERM", "SHELL"].into_iter().filter_map(variable).collect(),
        cap: settings.recording_max_mb.get() * MEGABYTE,
    };
    let recorder = settings.recording.then(|| Recorder::create(cast, &secrets));
    let recorder = recorder.and_then(|made| {
        made.map_err(|error| (started.tell)(&format!("it will not be recorded: {error}"))).ok()
    });
    let troubles = Arc::clone(troubles);
    Side::start(Options {
        size,
        recorder,
        log,
        allow: Allow::default(),
        seat_idle: Some(std::time::Duration::from_secs(settings.seat_idle_seconds.get())),
        on_trouble: Box::new(move |trouble| {
            let words = match std::error::Error::source(&trouble) {
                Some(cause) => format!("{trouble}: {cause}"),
                None => trouble.to_string(),
            };
            troubles.lock().unwrap_or_else(PoisonError::into_inner).push(words);
        }),
    })
}

/// The values that must not be written down.
fn secrets(started: &Started<'_>) -> Secrets {
    let inherited = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    let all = inherited.chain(started.plan.environment.iter().cloned());
    Secrets::new(all.filter(|(name, _)| started.config.agents.is_secret(name)).map(|(_, value)| value))
}

fn start(plan: &Plan, record: &Record, home: &Home, size: Size, person: &Person) -> Result<Child, Failed> {
    let mut command = Command::new(&plan.program);
    command
        .args(&plan.arguments)
        .current_dir(&record.cwd)
        .envs(plan.environment.iter().map(|(name, value)| (name, value)))
        .env(crate::VARIABLE, record.id.as_str())
        .env("SIGNALBOX_HOME", home.root());
    if std::env::var_os("TERM").is_none_or(|term| term.is_empty()) {
        command.env("TERM", "xterm-256color");
    }
    Child::start(command, size, person.settings().as_ref())
        .map_err(|source| Failed::Start { program: plan.program.clone(), source })
}
