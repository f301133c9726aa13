//! A world for the daemon's mind: a disk, a log, outboxes and agents, all in memory, and a clock that is set by hand. It
//! can be killed between any two effects, and begins anew from what is on the disk.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value, json};
use signalbox_api::wire::{Answer, Problem};
use signalbox_api::{Command, Register, Request, Surroundings};
use signalbox_core::{Agent as AgentWho, AgentId, Event, EventId, SessionId, Who};
use signalbox_daemon::kept::{self, Kept};
use signalbox_daemon::msg::{Asked, Caller, Delivery, Effect, GoalJob, LookJob, Msg, TellJob};
use signalbox_daemon::state::{About, Outside, State};
use signalbox_integrations::monitor::{Seen, Trouble};
use signalbox_store::agents::Record;
use signalbox_store::config::Config;
use signalbox_store::log::Position;

pub const OWN_PID: u32 = 77;

/// Everything around the mind.
pub struct World {
    pub now: Timestamp,
    pub state: Option<State>,
    pub config: Config,
    pub disk: BTreeMap<String, Vec<u8>>,
    pub log: Vec<Event>,
    pub running: BTreeMap<AgentId, Record>,
    /// What waits in each outbox, and every id that was ever in one.
    pub outboxes: BTreeMap<AgentId, Vec<EventId>>,
    pub queued: BTreeSet<(AgentId, EventId)>,
    pub looks: Vec<LookJob>,
    pub goals: Vec<GoalJob>,
    pub tells: Vec<TellJob>,
    pub deliveries: Vec<Delivery>,
    closings: Vec<Msg>,
    pub answers: Vec<(u64, Answer)>,
    pub stopped: Vec<AgentId>,
    pub checks: Vec<AgentId>,
    pub said: Vec<String>,
    pub beats: usize,
    /// Agents that run and whom the daemon does not want yet.
    pub unregistered: BTreeSet<AgentId>,
    has_variables: bool,
    ids: u64,
    asked: u64,
    /// How many more effects are done before the daemon is killed.
    pub fuse: Option<usize>,
}

impl World {
    pub fn new(config: &str) -> Self {
        let mut world = Self {
            now: "2026-11-15T10:00:00Z".parse().expect("a time"),
            state: None,
            config: toml::from_str(config).expect("a configuration"),
            disk: BTreeMap::new(),
            log: Vec::new(),
            running: BTreeMap::new(),
            outboxes: BTreeMap::new(),
            queued: BTreeSet::new(),
            looks: Vec::new(),
            goals: Vec::new(),
            tells: Vec::new(),
            deliveries: Vec::new(),
            closings: Vec::new(),
            answers: Vec::new(),
            stopped: Vec::new(),
            checks: Vec::new(),
            said: Vec::new(),
            beats: 0,
            unregistered: BTreeSet::new(),
            has_variables: true,
            ids: 0,
            asked: 0,
            fuse: None,
        };
        world.start();
        world
    }

    fn with_outside<T>(
        &mut self,
        work: impl FnOnce(Option<&mut State>, &Config, &mut Outside<'_>) -> T,
    ) -> T {
        let mut ids = self.ids;
        let now = self.now;
        let mut id = || {
            ids += 1;
            let millis = now.as_millisecond().unsigned_abs();
            let [a, b, c, d, e, f, g, h] = ids.to_be_bytes();
            EventId::new(millis, [0, 0, a, b, c, d, e, f, g, h])
        };
        let mut dice = || 0.5;
        let has_variables = self.has_variables;
        let variable = |name: &str| (name == "TOKEN" && has_variables).then(|| "s3cret".to_owned());
        let alive: BTreeSet<AgentId> = self.running.keys().cloned().collect();
        let runs = |record: &Record| alive.contains(&record.id);
        let mut outside = Outside {
            now,
            dice: &mut dice,
            id: &mut id,
            variable: &variable,
            runs: &runs,
            zone: &TimeZone::UTC,
        };
        let result = work(self.state.as_mut(), &self.config, &mut outside);
        self.ids = ids;
        result
    }

    /// A daemon from what is on the disk. It hears what was written to the log meanwhile.
    pub fn start(&mut self) {
        let mut kept = Kept::default();
        for (file, bytes) in &self.disk {
            if let Some(seat) = file.strip_prefix("seats/") {
                let name = seat.trim_end_matches(".json").to_owned();
                kept.seats.insert(name, serde_json::from_slice(bytes).expect("a seat"));
            } else if file.starts_with("outlets/") {
                let named: kept::NamedOutlet = serde_json::from_slice(bytes).expect("an outlet");
                kept.outlets.insert(named.name, named.outlet);
            } else if file == kept::LOOKS {
                kept.looks = serde_json::from_slice(bytes).expect("looks");
            }
        }
        let about = About { version: "1".to_owned(), pid: 1, since: self.now };
        let state = self.with_outside(|_, config, outside| State::new(about, config.clone(), kept, outside));
        self.state = Some(state);
        self.looks.clear();
        self.goals.clear();
        self.tells.clear();
    }

    pub fn kill(&mut self) {
        self.state = None;
        self.deliveries.clear();
        self.closings.clear();
    }

    fn heard(&self) -> usize {
        let position = self.disk.get(kept::POSITION);
        let position: Option<Position> =
            position.map(|bytes| serde_json::from_slice(bytes).expect("a position"));
        position
            .and_then(|position| position.current)
            .map_or(0, |(_, at)| usize::try_from(at).expect("a count"))
    }

    /// One step, and all that follows from it; but for looks and the like, which are answered by hand.
    pub fn step(&mut self, msg: Msg) {
        if self.state.is_none() {
            return;
        }
        let effects = self.with_outside(|state, _, outside| state.expect("a daemon").step(msg, outside));
        for effect in effects {
            match &mut self.fuse {
                Some(0) => {
                    self.fuse = None;
                    self.kill();
                    return;
                }
                Some(left) => *left -= 1,
                None => {}
            }
            self.effect(effect);
        }
    }

    fn effect(&mut self, effect: Effect) {
        match effect {
            Effect::Keep { file, bytes } => {
                self.disk.insert(file, bytes);
            }
            Effect::Forget { file } => {
                self.disk.remove(&file);
            }
            Effect::Record(happening) => {
                let event = event(happening.event, &happening.data, self.now, &happening.id);
                self.log.push(event);
            }
            Effect::Deliver(delivery) => self.deliveries.push(*delivery),
            Effect::Close { agent, unsure, .. } => {
                self.close(&agent);
                let never =
                    unsure.into_iter().filter(|id| !self.queued.contains(&(agent.clone(), id.clone())));
                self.closings.push(Msg::Closed { agent: agent.clone(), never: never.collect() });
            }
            Effect::Look(job) => self.looks.push(*job),
            Effect::Progress(job) => self.goals.push(*job),
            Effect::Tell(job) => self.tells.push(*job),
            Effect::Answer { id, answer, .. } => self.answers.push((id, answer)),
            Effect::StopAgent { agent, .. } => self.stopped.push(agent),
            Effect::CheckLife(agent) => self.checks.push(agent),
            Effect::Say(words) => self.said.push(words),
            Effect::Beat { .. } => self.beats += 1,
            Effect::ReadConfig | Effect::Page { .. } | Effect::Abandon | Effect::Exit => {}
        }
    }

    /// Let time pass. Agents that wait to be wanted ask again.
    pub fn pass(&mut self, seconds: i64) {
        self.now += SignedDuration::from_secs(seconds);
        self.step(Msg::Tick);
        for agent in std::mem::take(&mut self.unregistered) {
            if self.running.contains_key(&agent) {
                self.register(&agent);
            }
        }
    }

    /// Let time pass as the loop sees it: it wakes up whenever something is due.
    pub fn live(&mut self, time: SignedDuration) {
        let end = self.now + time;
        while let Some(due) = self.state.as_ref().map(State::next_due).filter(|due| *due < end) {
            // Whatever is due now and stays so would keep it awake for ever.
            self.now = due.max(self.now + SignedDuration::from_micros(100));
            self.step(Msg::Tick);
        }
        self.now = self.now.max(end);
    }

    /// Let the daemon hear what is in the log and it has not heard.
    pub fn feed(&mut self) {
        for _ in 0..10 {
            let heard = self.heard();
            if self.state.is_none() || heard >= self.log.len() {
                return;
            }
            let events = self.log.get(heard..).unwrap_or_default().to_vec();
            let end = u64::try_from(self.log.len()).expect("a count");
            let position = Position { previous: None, current: Some(("log".to_owned(), end)) };
            self.step(Msg::Logged { events, position });
        }
    }

    /// Do what the keeper would: put messages into outboxes, and say so.
    pub fn keep_delivering(&mut self) {
        for closed in std::mem::take(&mut self.closings) {
            self.step(closed);
        }
        for delivery in std::mem::take(&mut self.deliveries) {
            let mut done = Vec::new();
            for message in &delivery.messages {
                if !self.running.contains_key(&delivery.agent) {
                    break;
                }
                if self.queued.insert((delivery.agent.clone(), message.id.clone())) {
                    self.outboxes.entry(delivery.agent.clone()).or_default().push(message.id.clone());
                }
                done.push(message.id.clone());
            }
            self.step(Msg::Delivered { seat: delivery.seat, monitor: delivery.monitor, done, trouble: None });
        }
    }

    /// The daemon's environment has nothing any more.
    pub fn forget_variables(&mut self) {
        self.has_variables = false;
    }

    /// What the keeper has done is not told.
    pub fn lose_closings(&mut self) {
        self.closings.clear();
    }

    fn close(&mut self, agent: &AgentId) {
        for id in self.outboxes.remove(agent).unwrap_or_default() {
            self.write("inject.failed", json!({ "agent": agent, "injection": id, "reason": "exited" }));
        }
    }

    /// An agent's CLI takes all that waits for it.
    pub fn take(&mut self, agent: &AgentId) -> Vec<EventId> {
        let taken = self.outboxes.remove(agent).unwrap_or_default();
        for id in &taken {
            self.write(
                "inject.delivered",
                json!({ "agent": agent, "injection": id, "door": "keyboard", "tries": 1 }),
            );
        }
        taken
    }

    /// An agent ends, as its wrapper sees it.
    pub fn exit(&mut self, agent: &AgentId, code: i64) {
        self.running.remove(agent);
        self.close(agent);
        self.write("agent.exited", json!({ "agent": agent, "code": code }));
    }

    pub fn write(&mut self, name: &str, data: Value) {
        self.ids += 1;
        let [.., e, f, g, h] = self.ids.to_be_bytes();
        let id = EventId::new(self.now.as_millisecond().unsigned_abs(), [9, 0, 0, 0, 0, 0, e, f, g, h]);
        self.log.push(event(name, &data, self.now, &id));
    }

    pub fn record(&self, number: u64, name: Option<&str>) -> Record {
        let mut record = Record::new("puppet", "/bin/puppet", PathBuf::from("/a/place"));
        record.id = AgentId::from_random("puppet", number);
        record.name = name.map(ToOwned::to_owned);
        if let Some(wrapper) = &mut record.wrapper {
            record.child = Some(wrapper.clone());
        }
        record
    }

    /// Start an agent, and let it register.
    pub fn begin(&mut self, record: Record) -> AgentId {
        let id = record.id.clone();
        self.running.insert(id.clone(), record);
        self.register(&id);
        id
    }

    /// An agent finds the daemon.
    pub fn register(&mut self, id: &AgentId) {
        if self.state.is_none() {
            return;
        }
        let told = Register { agent: id.clone(), state: "idle".to_owned(), since: self.now, terminal: None };
        let connection = self.connection(id);
        let pid =
            self.running.get(id).and_then(|record| record.wrapper.as_ref()).map_or(0, |wrapper| wrapper.pid);
        let asked = self.ask_as(connection, human(pid), told.into(), Some(id));
        let refused = |(id, answer): &(u64, Answer)| *id == asked && matches!(answer, Answer::Error(_));
        // It asks again later.
        if self.answers.iter().any(refused) {
            self.unregistered.insert(id.clone());
            return;
        }
        self.unregistered.remove(id);
        let around = Surroundings {
            agent: id.clone(),
            branch: Some("topic".to_owned()),
            head: None,
            remotes: Vec::new(),
            files: Vec::new(),
        };
        self.ask_as(connection, human(pid), around.into(), Some(id));
    }

    fn connection(&self, id: &AgentId) -> u64 {
        1_000 + kept::fingerprint(id.as_str().as_bytes()) % 1_000_000
    }

    /// An agent's connection breaks.
    pub fn disconnect(&mut self, id: &AgentId) {
        let connection = self.connection(id);
        self.step(Msg::Left(connection));
    }

    fn ask_as(&mut self, connection: u64, caller: Caller, request: Request, about: Option<&AgentId>) -> u64 {
        self.asked += 1;
        let record = about.and_then(|id| self.running.get(id)).cloned();
        let id = self.asked;
        self.step(Msg::Asked(Box::new(Asked { connection, id, caller, request, record })));
        id
    }

    /// Ask for what is answered later.
    pub fn request(&mut self, caller: Caller, command: impl Command) {
        self.ask_as(1, caller, command.into(), None);
    }

    /// Ask, and get the answer.
    pub fn ask<C: Command>(&mut self, caller: Caller, command: C) -> Result<C::Reply, Problem> {
        let id = self.ask_as(1, caller, command.into(), None);
        let (_, answer) = self.answers.iter().rev().find(|(asked, _)| *asked == id).expect("an answer");
        match answer {
            Answer::Ok(value) => Ok(serde_json::from_str(value.get()).expect("the reply of the command")),
            Answer::Error(problem) => Err(problem.clone()),
        }
    }

    /// Ask as the `sb agent` around an agent.
    pub fn ask_wrapper(&mut self, pid: u32, told: Surroundings) -> Result<signalbox_api::Watched, Problem> {
        let agent = told.agent.clone();
        let id = self.ask_as(1, human(pid), told.into(), Some(&agent));
        let (_, answer) = self.answers.iter().rev().find(|(asked, _)| *asked == id).expect("an answer");
        match answer {
            Answer::Ok(value) => Ok(serde_json::from_str(value.get()).expect("the reply")),
            Answer::Error(problem) => Err(problem.clone()),
        }
    }

    /// Answer the next look of a monitor.
    pub fn looked(&mut self, found: Result<Seen, Trouble>) {
        let job = self.looks.remove(0);
        self.step(Msg::Looked { task: job.task, found });
    }

    pub fn events(&self, name: &str) -> Vec<Value> {
        let of = self.log.iter().filter(|event| event.event == name);
        of.map(|event| serde_json::from_str(event.data.get()).expect("data")).collect()
    }
}

pub fn human(pid: u32) -> Caller {
    Caller { pid, who: Who::Human, out_of_sight: false, agent: None }
}

/// Somebody in an agent.
pub fn inside(agent: &AgentId) -> Caller {
    let session = SessionId::parse("s-1").expect("an id");
    let who = Who::Agent(AgentWho { name: "claude".to_owned(), session, lineage: Vec::new() });
    Caller { pid: OWN_PID, who, out_of_sight: false, agent: Some(agent.clone()) }
}

pub fn event(name: &str, data: &Value, at: Timestamp, id: &EventId) -> Event {
    let line = json!({ "v": 1, "id": id, "ts": at.to_string(), "event": name, "actor": "sb", "data": data });
    serde_json::from_str(&line.to_string()).expect("an event")
}

pub fn settings(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(settings) => settings,
        other => panic!("{other} are no settings"),
    }
}
