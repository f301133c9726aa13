//! What the daemon knows, and what it makes of what it hears. Pure: time, dice, ids and variables come from outside, and
//! whatever is to be done is an effect.

mod agents;
mod goals;
mod hear;
mod kinds;
mod outlets;
mod requests;
mod sentences;
mod turns;
mod watches;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use signalbox_core::{AgentId, EventId, ProjectName};
use signalbox_store::agents::Record;
use signalbox_store::config::Config;
use signalbox_store::heartbeat::When;
use signalbox_store::log::Position;

use crate::kept::{self, Kept, Looks, Seat};
use crate::msg::{Effect, Happening, Msg, Work};

pub use agents::Agent;
pub use outlets::Outlet;
use turns::Turns;
pub use watches::Watch;

/// How often the configuration is looked at for changes.
const CONFIG_LOOK: SignedDuration = SignedDuration::from_secs(5);
/// How long an agent may be disconnected before somebody looks whether it still runs.
const AWAY: SignedDuration = SignedDuration::from_secs(5);
/// How much longer than its time a worker may take before it is given up.
const GRACE: SignedDuration = SignedDuration::from_secs(20);
/// For how long an empty seat is kept.
const SEAT_KEPT: SignedDuration = SignedDuration::from_hours(24 * 30);

/// What is not the daemon's to decide.
pub struct Outside<'a> {
    pub now: Timestamp,
    /// Between 0 and 1.
    pub dice: &'a mut dyn FnMut() -> f64,
    pub id: &'a mut dyn FnMut() -> EventId,
    /// A variable of the environment.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
    /// Whether an agent's process is there.
    pub runs: &'a dyn Fn(&Record) -> bool,
    /// Where the person lives, for schedules.
    pub zone: &'a TimeZone,
}

/// Who the daemon is.
#[derive(Debug, Clone)]
pub struct About {
    pub version: String,
    pub pid: u32,
    pub since: Timestamp,
}

/// Everything it knows.
pub struct State {
    about: About,
    config: Config,
    bad_config: Option<String>,
    agents: BTreeMap<AgentId, Agent>,
    seats: BTreeMap<String, Seat>,
    /// Agents whose seats are not free yet though they are not here.
    missing: BTreeMap<AgentId, Missing>,
    outlets: BTreeMap<String, Outlet>,
    /// What outlets had to tell when the daemon last ended.
    left_over: BTreeMap<String, kept::Outlet>,
    /// What is wrong with single monitors and notifiers of the configuration.
    troubles: Vec<String>,
    next_config: Timestamp,
    beat: Beat,
    tasks: u64,
    turns: Turns,
    looks: Looks,
    /// When the looks are written down, if there were any since.
    write_looks: Option<Timestamp>,
    effects: Vec<Effect>,
    dirty: BTreeSet<Dirty>,
    /// How far the log is heard, where that is news.
    heard: Option<Position>,
}

/// An agent that sat somewhere and is not here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Missing {
    /// When to look after it.
    at: Timestamp,
    /// It is known to have ended, and its outbox is being closed.
    ended: bool,
}

/// The daemon's own rhythm.
#[derive(Debug, Clone, Default)]
struct Beat {
    next: Option<Timestamp>,
    running: bool,
    trouble: Option<String>,
}

/// What has to be written down before the step is over.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Dirty {
    Seat(String),
    Outlet(String),
}

/// Work that somebody is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Running {
    number: u64,
    until: Timestamp,
}

impl State {
    pub fn new(about: About, config: Config, kept: Kept, outside: &mut Outside<'_>) -> Self {
        let now = outside.now;
        let (seats, old): (BTreeMap<String, Seat>, BTreeMap<String, Seat>) =
            kept.seats.into_iter().partition(|(_, seat)| now.duration_since(seat.used) < SEAT_KEPT);
        let forgotten = old.keys().map(|name| Effect::Forget { file: kept::seat_file(name) }).collect();
        let occupied = seats.values().filter(|seat| seat.occupied);
        let missing =
            occupied.map(|seat| (seat.agent.clone(), Missing { at: now + AWAY, ended: false })).collect();
        let mut state = Self {
            next_config: now + CONFIG_LOOK,
            about,
            config,
            bad_config: None,
            agents: BTreeMap::new(),
            seats,
            missing,
            outlets: BTreeMap::new(),
            left_over: kept.outlets,
            troubles: Vec::new(),
            beat: Beat::default(),
            tasks: 0,
            turns: Turns::new(now),
            looks: kept.looks,
            write_looks: None,
            effects: forgotten,
            dirty: BTreeSet::new(),
            heard: None,
        };
        state.configure(outside);
        state
    }

    /// Hear one thing.
    pub fn step(&mut self, msg: Msg, outside: &mut Outside<'_>) -> Vec<Effect> {
        match msg {
            Msg::Asked(asked) => self.answer(*asked, outside),
            Msg::Left(connection) => self.leave(connection, outside),
            Msg::Logged { events, position } => {
                for event in &events {
                    self.hear(event, outside);
                }
                self.heard = Some(position);
            }
            Msg::Looked { task, found } => {
                if let Work::Monitor { agent, name } = &task.what {
                    self.looked(agent, name, task.number, found, outside);
                }
            }
            Msg::Progressed { task, found } => {
                if let Work::Goal { agent } = &task.what {
                    self.progressed(agent, task.number, found, outside);
                }
            }
            Msg::Told { task, result } => {
                if let Work::Outlet(name) = &task.what {
                    self.told(name, task.number, result, outside);
                }
            }
            Msg::Delivered { seat, monitor, done, trouble } => {
                self.delivered(&seat, &monitor, &done, trouble, outside);
            }
            Msg::Closed { agent, never } => self.closed(&agent, &never),
            Msg::Life { agent, runs } => self.life(&agent, runs, outside),
            Msg::Config(read) => self.reconfigure(read, outside),
            Msg::Beaten(result) => self.beaten(result, outside),
            Msg::Tick => {}
            Msg::Stop => self.effects.push(Effect::Exit),
        }
        self.do_what_is_due(outside);
        self.write_down();
        std::mem::take(&mut self.effects)
    }

    /// When something is due next.
    pub fn next_due(&self) -> Timestamp {
        let agents = self.agents.values().filter_map(|agent| agent.next_due(&self.seats));
        let outlets = self.outlets.values().filter_map(Outlet::next_due);
        let missing = self.missing.values().map(|missing| missing.at);
        let own = self.beat.next.into_iter().chain(self.write_looks);
        agents.chain(outlets).chain(missing).chain(own).fold(self.next_config, Timestamp::min)
    }

    fn do_what_is_due(&mut self, outside: &mut Outside<'_>) {
        let now = outside.now;
        if self.next_config <= now {
            self.next_config = now + CONFIG_LOOK;
            self.effects.push(Effect::ReadConfig);
        }
        if self.write_looks.is_some_and(|at| at <= now) {
            self.write_looks = None;
            self.looks.retain(|seat, monitor| {
                self.seats.get(seat).is_some_and(|seat| seat.watches.contains_key(monitor))
            });
            self.effects.extend(keep(kept::LOOKS.to_owned(), &self.looks));
        }
        self.agents_due(outside);
        self.outlets_due(outside);
        self.beat_due(now);
    }

    /// What changed is written before anything that rests on it is done, because the keeper does one thing after the
    /// other: so these go in front.
    fn write_down(&mut self) {
        let mut writes = Vec::new();
        for dirty in std::mem::take(&mut self.dirty) {
            match dirty {
                Dirty::Seat(name) => match self.seats.get(&name) {
                    Some(seat) => writes.extend(keep(kept::seat_file(&name), seat)),
                    None => writes.push(Effect::Forget { file: kept::seat_file(&name) }),
                },
                Dirty::Outlet(name) => {
                    let Some(outlet) = self.outlets.get(&name) else { continue };
                    let file = kept::outlet_file(&name);
                    let named = kept::NamedOutlet {
                        v: kept::VERSION,
                        name: name.clone(),
                        outlet: outlet.kept.clone(),
                    };
                    if outlet.is_empty() {
                        writes.push(Effect::Forget { file });
                    } else {
                        writes.extend(keep(file, &named));
                    }
                }
            }
        }
        let effects = std::mem::take(&mut self.effects);
        self.effects = writes.into_iter().chain(effects).collect();
        // Last: what was heard is heard once all that follows from it is done.
        if let Some(position) = self.heard.take() {
            self.effects.extend(keep(kept::POSITION.to_owned(), &position));
        }
    }

    fn task(&mut self) -> u64 {
        self.tasks += 1;
        self.tasks
    }

    fn say(&mut self, words: impl Into<String>) {
        self.effects.push(Effect::Say(words.into()));
    }

    fn record(
        &mut self,
        event: &'static str,
        project: Option<ProjectName>,
        data: Value,
        outside: &mut Outside<'_>,
    ) {
        let happening = Happening { id: (outside.id)(), at: outside.now, event, project, data };
        self.effects.push(Effect::Record(Box::new(happening)));
    }

    /// An event about one agent.
    fn record_of(
        &mut self,
        agent: &AgentId,
        event: &'static str,
        mut data: Value,
        outside: &mut Outside<'_>,
    ) {
        let known = self.agents.get(agent);
        let project = known.and_then(|agent| agent.record.project.clone());
        if let Some(fields) = data.as_object_mut() {
            fields.insert("agent".to_owned(), json!(agent));
            if let Some(name) = known.and_then(|agent| agent.record.name.as_ref()) {
                fields.insert("name".to_owned(), json!(name));
            }
            if let Some(ticket) = known.and_then(|agent| agent.record.ticket.as_ref()) {
                fields.insert("ticket".to_owned(), json!(ticket));
            }
        }
        self.record(event, project, data, outside);
    }

    fn reconfigure(&mut self, read: Result<Box<Config>, String>, outside: &mut Outside<'_>) {
        match read {
            Ok(config) => {
                self.bad_config = None;
                self.config = *config;
                self.configure(outside);
                self.say("the configuration was read anew");
            }
            Err(why) => {
                if self.bad_config.as_ref() != Some(&why) {
                    self.say(format!("the configuration cannot be used, so the one before it stays: {why}"));
                    self.record("daemon.config-bad", None, json!({ "why": why }), outside);
                }
                self.bad_config = Some(why);
            }
        }
    }

    /// Make everything as the configuration wants it.
    fn configure(&mut self, outside: &mut Outside<'_>) {
        self.troubles = kinds::troubles_of(&self.config);
        self.open_outlets(outside);
        self.set_beat(outside);
        let known: Vec<AgentId> = self.agents.keys().cloned().collect();
        for agent in known {
            self.set_watches(&agent, outside);
        }
    }

    fn set_beat(&mut self, outside: &Outside<'_>) {
        self.beat.next = match &self.config.heartbeat.schedule {
            When::Never => None,
            When::By(schedule) => schedule.next_after(outside.now, outside.zone),
        };
    }

    fn beat_due(&mut self, now: Timestamp) {
        if self.beat.next.is_some_and(|next| next <= now) && !self.beat.running {
            self.beat.running = true;
            self.beat.next = None;
            let lines = u64::try_from(self.config.heartbeat.run.len()).unwrap_or(0);
            let seconds = self.config.heartbeat.timeout.get().saturating_mul(lines).saturating_add(60);
            self.effects.push(Effect::Beat { time: Duration::from_secs(seconds) });
        }
    }

    fn beaten(&mut self, result: Result<Option<String>, String>, outside: &mut Outside<'_>) {
        self.beat.running = false;
        match result {
            Ok(done) => {
                self.beat.trouble = None;
                if let Some(done) = done {
                    self.say(format!("heartbeat: {done}"));
                }
            }
            Err(why) => {
                self.say(format!("the heartbeat failed: {why}"));
                self.beat.trouble = Some(why);
            }
        }
        self.set_beat(outside);
    }
}

fn keep(file: String, value: &impl serde::Serialize) -> Option<Effect> {
    serde_json::to_vec(value).ok().map(|bytes| Effect::Keep { file, bytes })
}
