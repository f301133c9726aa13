//! Monitors of agents: which there are, when they look, and what becomes of what they see.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value, json};
use signalbox_api::rows::{MonitorRow, Origin};
use signalbox_core::pace::{Outcome, Pace};
use signalbox_core::{AgentId, EventId};
use signalbox_integrations::monitor::{self, COMMON, MonitorType, Seen, Trouble};
use signalbox_integrations::settings::{self, Settings};
use signalbox_store::outside::filled_in;

use super::kinds::{is_name, kind_of};
use super::{Dirty, GRACE, Outside, Running, State};
use crate::kept::{self, Message};
use crate::msg::{Delivery, Effect, LookJob, Task, Work};

/// How long a look may take, unless its settings say more.
const LOOK_TIME: Duration = Duration::from_secs(45);
/// The most events that are taken of one look.
const MOST_EVENTS: usize = 50;
/// The most messages of one monitor that wait for an agent to come; the oldest go first.
const MOST_PENDING: usize = 100;
/// Within how long monitors that are new look for the first time, and within how long those do that should have looked while
/// there was no daemon.
const FIRST_LOOKS: Duration = Duration::from_secs(2);
const LATE_LOOKS: Duration = Duration::from_secs(15);
/// How soon it is written down that monitors have looked. What a killed daemon did not write is looked at again.
const LOOKS_WRITTEN: SignedDuration = SignedDuration::from_secs(2);
/// After how many failures in a row somebody is told.
const PATIENCE: u32 = 3;
/// When what a person has to put right is looked at again.
const AGAIN: SignedDuration = SignedDuration::from_mins(15);
/// When messages that could not be queued are tried again.
const DELIVER_AGAIN: SignedDuration = SignedDuration::from_secs(5);

/// One monitor of one agent.
#[derive(Debug)]
pub struct Watch {
    pub kind: &'static MonitorType,
    /// As they were given, with the names of variables in them.
    given: Settings,
    pub settings: Settings,
    pub origin: Origin,
    pub privileged: bool,
    pub every: Duration,
    pace: Pace,
    last: Option<Timestamp>,
    next: Option<Timestamp>,
    /// It was due when many were, and looks when `next` comes.
    has_turn: bool,
    running: Option<Running>,
    pub trouble: Option<String>,
    /// Somebody was told of the trouble.
    told: bool,
    /// The keeper has its messages.
    delivering: bool,
    deliver_at: Option<Timestamp>,
}

impl Watch {
    pub(super) fn next_due(&self, connected: bool) -> Option<Timestamp> {
        let look = if connected && self.running.is_none() { self.next } else { None };
        let late = self.running.map(|running| running.until);
        look.into_iter().chain(late).chain(self.deliver_at).min()
    }
}

/// A monitor as it is wanted.
struct Wanted {
    settings: Settings,
    origin: Origin,
}

impl State {
    /// Bring an agent's monitors in line with configuration, place and what was added and removed.
    pub(super) fn set_watches(&mut self, id: &AgentId, outside: &mut Outside<'_>) {
        let wanted = self.wanted(id);
        let Some(agent) = self.agents.get_mut(id) else { return };
        let Some(seat) = self.seats.get_mut(&agent.seat) else { return };
        agent.unfit.clear();
        let mut old = std::mem::take(&mut agent.watches);
        for (name, wanted) in wanted {
            let made = kind_of(&name, &wanted.settings).and_then(|kind| {
                let filled = filled_in(&wanted.settings, outside.variable)
                    .map_err(|variable| format!("it names the variable {variable}, which the daemon does not have; set it and run `sb restart`"))?;
                let complete = (kind.complete)(filled, &agent.environment);
                kind.check(&complete).map_err(|bad| bad.to_string())?;
                Ok((kind, complete))
            });
            let (kind, complete) = match made {
                Ok(made) => made,
                Err(why) => {
                    agent.unfit.insert(name, why);
                    continue;
                }
            };
            let about = about(kind, &complete);
            let kept = seat.watches.entry(name.clone()).or_default();
            if kept.about != about {
                kept.about.clone_from(&about);
                kept.state = Value::Null;
                self.dirty.insert(Dirty::Seat(agent.seat.clone()));
            }
            let privileged = kind.privileged
                || settings::switch(&complete, "privileged").unwrap_or(false)
                || self.config.privileged.monitors.iter().any(|kind_name| kind_name == kind.name);
            // One that is as it was goes on as it does.
            if let Some(same) =
                old.remove(&name).filter(|old| std::ptr::eq(old.kind, kind) && old.settings == complete)
            {
                agent.watches.insert(name, Watch { origin: wanted.origin, privileged, ..same });
                continue;
            }
            let every =
                settings::seconds(&complete, "every").ok().flatten().map_or(kind.every, Duration::from_secs);
            let last = self
                .looks
                .last(&agent.seat, &name)
                .filter(|last| !kept.state.is_null() && *last <= outside.now);
            let due = last.map(|last| last + signed(every)).filter(|due| *due > outside.now);
            // A restart changes nothing for what is not due. Many that begin or are late together do not look together.
            let within = if kept.state.is_null() { FIRST_LOOKS } else { LATE_LOOKS };
            let spread = every.min(within).mul_f64((outside.dice)());
            let watch = Watch {
                kind,
                given: wanted.settings,
                settings: complete,
                origin: wanted.origin,
                privileged,
                every,
                pace: Pace::new(signed(every)),
                last,
                next: Some(due.unwrap_or(outside.now + signed(spread))),
                has_turn: false,
                running: None,
                trouble: None,
                told: false,
                delivering: false,
                deliver_at: Some(outside.now),
            };
            agent.watches.insert(name, watch);
        }
    }

    /// Configuration first; what the place suggests fills the gaps; what was added or removed at run time has the last word.
    fn wanted(&self, id: &AgentId) -> BTreeMap<String, Wanted> {
        let mut all: BTreeMap<String, Wanted> = BTreeMap::new();
        let Some(agent) = self.agents.get(id) else { return all };
        let Some(seat) = self.seats.get(&agent.seat) else { return all };
        for (name, settings) in self.config.monitors.iter().filter(|(name, _)| is_name(name)) {
            let projects = settings::texts(settings, "projects").unwrap_or_default();
            let is_meant = projects.is_empty()
                || agent
                    .record
                    .project
                    .as_ref()
                    .is_some_and(|project| projects.iter().any(|p| p == project.as_str()));
            if is_meant {
                all.insert(name.clone(), Wanted { settings: settings.clone(), origin: Origin::Config });
            }
        }
        for proposal in monitor::TYPES.iter().filter_map(|kind| (kind.propose)(&agent.environment)) {
            let wanted = all
                .entry(proposal.name)
                .or_insert_with(|| Wanted { settings: Map::new(), origin: Origin::Proposed });
            for (key, value) in proposal.settings {
                wanted.settings.entry(key).or_insert(value);
            }
        }
        for (name, settings) in &seat.added {
            all.insert(name.clone(), Wanted { settings: settings.clone(), origin: Origin::Added });
        }
        for name in &seat.removed {
            all.remove(name);
        }
        all
    }

    /// Looks that are due, looks that are late, and messages that wait.
    pub(super) fn watches_due(&mut self, id: &AgentId, outside: &mut Outside<'_>) {
        let now = outside.now;
        let Some(agent) = self.agents.get(id) else { return };
        let connected = agent.is_connected();
        let due = |watch: &Watch| watch.next_due(connected).is_some_and(|at| at <= now);
        let names: Vec<String> =
            agent.watches.iter().filter(|(_, watch)| due(watch)).map(|(name, _)| name.clone()).collect();
        for name in names {
            let Some(watch) = self.watch(id, &name) else { continue };
            if watch.deliver_at.is_some_and(|at| at <= now) {
                watch.deliver_at = None;
                self.deliver(id, &name);
            }
            let Some(watch) = self.watch(id, &name) else { continue };
            if let Some(running) = watch.running.filter(|running| running.until <= now) {
                self.effects.push(Effect::Abandon);
                let late = Trouble::Passing("it does not come back".to_owned());
                self.looked(id, &name, running.number, Err(late), outside);
                continue;
            }
            let is_time = watch.running.is_none() && watch.next.is_some_and(|next| next <= now);
            if connected && is_time {
                let wait = if watch.has_turn { Duration::ZERO } else { self.turns.take(now) };
                let Some(watch) = self.watch(id, &name) else { continue };
                watch.has_turn = !wait.is_zero();
                if watch.has_turn {
                    watch.next = Some(now + signed(wait));
                    continue;
                }
                self.look(id, &name, now);
            }
        }
    }

    fn watch(&mut self, id: &AgentId, name: &str) -> Option<&mut Watch> {
        self.agents.get_mut(id)?.watches.get_mut(name)
    }

    fn look(&mut self, id: &AgentId, name: &str, now: Timestamp) {
        let number = self.task();
        let Some(agent) = self.agents.get_mut(id) else { return };
        let Some(watch) = agent.watches.get_mut(name) else { return };
        let Some(kept) = self.seats.get(&agent.seat).and_then(|seat| seat.watches.get(name)) else { return };
        let own = settings::seconds(&watch.settings, "timeout").ok().flatten().map(Duration::from_secs);
        let time = own.map_or(LOOK_TIME, |own| (own + Duration::from_secs(5)).max(LOOK_TIME));
        watch.running = Some(Running { number, until: now + signed(time) + GRACE });
        let job = LookJob {
            task: Task { what: Work::Monitor { agent: id.clone(), name: name.to_owned() }, number },
            kind: watch.kind,
            name: name.to_owned(),
            agent: id.clone(),
            settings: watch.settings.clone(),
            environment: agent.environment.clone(),
            directory: agent.record.cwd.clone(),
            before: kept.state.clone(),
            now,
            time,
        };
        self.effects.push(Effect::Look(Box::new(job)));
    }

    /// A look is over.
    pub(super) fn looked(
        &mut self,
        id: &AgentId,
        name: &str,
        number: u64,
        found: Result<Seen, Trouble>,
        outside: &mut Outside<'_>,
    ) {
        let now = outside.now;
        let Some(watch) = self.watch(id, name) else { return };
        if watch.running.is_none_or(|running| running.number != number) {
            return;
        }
        watch.running = None;
        watch.last = Some(now);
        if let Some(agent) = self.agents.get(id) {
            self.looks.note(&agent.seat, name, now);
            self.write_looks.get_or_insert(now + LOOKS_WRITTEN);
        }
        let Some(watch) = self.watch(id, name) else { return };
        match found {
            Ok(seen) => {
                let usual = watch.pace.next(Outcome::Fine, now, (outside.dice)());
                watch.next = usual.into_iter().chain(seen.not_before).max();
                let recovered = watch.told;
                (watch.trouble, watch.told) = (None, false);
                if recovered {
                    self.record_of(id, "monitor.recovered", json!({ "monitor": name }), outside);
                }
                self.take_in(id, name, seen, outside);
            }
            Err(trouble) => self.troubled(id, name, &trouble, outside),
        }
    }

    /// What was seen is remembered first; then it is on its way.
    fn take_in(&mut self, id: &AgentId, name: &str, seen: Seen, outside: &mut Outside<'_>) {
        let Some(agent) = self.agents.get(id) else { return };
        let Some(kept) = self.seats.get_mut(&agent.seat).and_then(|seat| seat.watches.get_mut(name)) else {
            return;
        };
        if kept.state == seen.state && seen.events.is_empty() {
            return;
        }
        kept.state = seen.state;
        for event in seen.events.into_iter().take(MOST_EVENTS) {
            kept.pending.push(Message { id: (outside.id)(), at: outside.now, event, to: None });
            kept.announced += 1;
        }
        let too_many = kept.pending.len().saturating_sub(MOST_PENDING);
        kept.pending.drain(..too_many);
        self.dirty.insert(Dirty::Seat(agent.seat.clone()));
        self.deliver(id, name);
    }

    fn troubled(&mut self, id: &AgentId, name: &str, trouble: &Trouble, outside: &mut Outside<'_>) {
        let now = outside.now;
        let Some(watch) = self.watch(id, name) else { return };
        let dice = (outside.dice)();
        let next = match trouble {
            Trouble::Passing(_) => watch.pace.next(Outcome::Failed, now, dice),
            Trouble::Limited { until, .. } => watch.pace.next(Outcome::Limited(*until), now, dice),
            Trouble::Lasting(_) => {
                watch.pace.next(Outcome::Failed, now, dice);
                Some(now + AGAIN)
            }
        };
        watch.next = next;
        let words = trouble.to_string();
        watch.trouble = Some(words.clone());
        let is_serious = matches!(trouble, Trouble::Lasting(_)) || watch.pace.failures() >= PATIENCE;
        let (kind, first) = (watch.kind.name, is_serious && !watch.told);
        watch.told = watch.told || first;
        if first {
            self.say(format!("monitor `{name}` of {id}: {words}"));
            self.record_of(
                id,
                "monitor.failing",
                json!({ "monitor": name, "type": kind, "why": words }),
                outside,
            );
        }
    }

    /// Hand over what waits, if the agent is there to take it. To whom is written down first: until it is known whether a
    /// message got there, nobody else gets it.
    fn deliver(&mut self, id: &AgentId, name: &str) {
        let Some(agent) = self.agents.get_mut(id) else { return };
        let Some(watch) = agent.watches.get_mut(name) else { return };
        let seat = self.seats.get_mut(&agent.seat);
        let Some(kept) = seat.and_then(|seat| seat.watches.get_mut(name)) else { return };
        if watch.delivering {
            return;
        }
        let mut messages = Vec::new();
        for message in &mut kept.pending {
            if message.to.get_or_insert_with(|| id.clone()) == id {
                messages.push(message.clone());
            }
        }
        if messages.is_empty() {
            return;
        }
        watch.delivering = true;
        self.dirty.insert(Dirty::Seat(agent.seat.clone()));
        let delivery = Delivery {
            agent: id.clone(),
            agent_name: agent.record.name.clone(),
            project: agent.record.project.clone(),
            seat: agent.seat.clone(),
            monitor: name.to_owned(),
            kind: watch.kind,
            messages,
            ttl: settings::seconds(&watch.settings, "ttl").ok().flatten(),
        };
        self.effects.push(Effect::Deliver(Box::new(delivery)));
    }

    /// The keeper has put messages into the outbox, all or some.
    pub(super) fn delivered(
        &mut self,
        seat: &str,
        name: &str,
        done: &[EventId],
        trouble: Option<String>,
        outside: &mut Outside<'_>,
    ) {
        if let Some(kept) = self.seats.get_mut(seat).and_then(|seat| seat.watches.get_mut(name)) {
            let (sent, pending): (Vec<Message>, Vec<Message>) =
                std::mem::take(&mut kept.pending).into_iter().partition(|message| done.contains(&message.id));
            kept.pending = pending;
            kept.sent.extend(sent);
            let waits = !kept.pending.is_empty();
            self.dirty.insert(Dirty::Seat(seat.to_owned()));
            let agent = self.agents.values_mut().find(|agent| agent.seat == seat);
            if let Some(watch) = agent.and_then(|agent| agent.watches.get_mut(name)) {
                watch.delivering = false;
                let pause = if trouble.is_some() { DELIVER_AGAIN } else { SignedDuration::ZERO };
                watch.deliver_at = waits.then(|| outside.now + pause);
            }
        }
        if let Some(why) = trouble {
            self.say(format!("monitor `{name}`: {why}"));
        }
    }

    /// A message in an outbox has come to its end. If the agent ended before it could arrive, whoever sits down next is
    /// told; under a new id, because it is another agent's.
    pub(super) fn settled(
        &mut self,
        agent: &AgentId,
        injection: &EventId,
        exited: bool,
        outside: &mut Outside<'_>,
    ) {
        let mut freed = None;
        for (name, seat) in &mut self.seats {
            for (monitor, watch) in &mut seat.watches {
                // The receipt may be quicker than the keeper's word that the message is queued.
                let lists = [&mut watch.sent, &mut watch.pending];
                let Some(message) = lists.into_iter().find_map(|list| taken(list, injection, agent)) else {
                    continue;
                };
                if exited {
                    watch.pending.push(Message { id: (outside.id)(), to: None, ..message });
                    freed = Some((name.clone(), monitor.clone()));
                }
                self.dirty.insert(Dirty::Seat(name.clone()));
            }
        }
        // Whoever sits there now may have been waiting for it.
        if let Some((seat, monitor)) = freed {
            let sitting =
                self.agents.values().find(|agent| agent.seat == seat).map(|agent| agent.id().clone());
            if let Some(watch) = sitting.and_then(|id| self.agents.get_mut(&id)?.watches.get_mut(&monitor)) {
                watch.deliver_at.get_or_insert(outside.now);
            }
        }
    }

    /// What is told of a monitor.
    pub(super) fn monitor_row(&self, id: &AgentId, name: &str) -> Option<MonitorRow> {
        let agent = self.agents.get(id)?;
        let watch = agent.watches.get(name)?;
        let kept = self.seats.get(&agent.seat).and_then(|seat| seat.watches.get(name));
        Some(MonitorRow {
            agent: id.clone(),
            name: name.to_owned(),
            kind: watch.kind.name.to_owned(),
            origin: watch.origin,
            privileged: watch.privileged,
            settings: shown(watch),
            every_seconds: watch.every.as_secs(),
            last: watch.last,
            next: watch.next,
            trouble: watch.trouble.clone(),
            announced: kept.map_or(0, |kept| kept.announced),
            waiting: kept.map_or(0, |kept| kept.pending.len() + kept.sent.len()),
        })
    }

    /// Look as soon as possible, whatever was before.
    pub(super) fn look_now(&mut self, id: &AgentId, name: &str, now: Timestamp) {
        if let Some(watch) = self.watch(id, name) {
            watch.next = Some(now);
        }
    }
}

fn taken(list: &mut Vec<Message>, id: &EventId, agent: &AgentId) -> Option<Message> {
    let at = list.iter().position(|message| message.id == *id && message.to.as_ref() == Some(agent))?;
    Some(list.remove(at))
}

/// Settings without what is secret, and without what stands in a variable.
fn shown(watch: &Watch) -> Settings {
    let secret = |name: &str| watch.kind.keys.iter().any(|key| key.secret && key.name == name);
    let named = |name: &str| watch.given.get(name).filter(|value| value.to_string().contains("${"));
    let hidden = |name: &str, value: &Value| {
        if secret(name) { json!("…") } else { named(name).unwrap_or(value).clone() }
    };
    watch.settings.iter().map(|(name, value)| (name.clone(), hidden(name, value))).collect()
}

/// What a monitor looks at, as far as its knowledge depends on it.
fn about(kind: &MonitorType, settings: &Settings) -> String {
    let matters = |name: &str| {
        COMMON.iter().all(|key| key.name != name)
            && kind.keys.iter().all(|key| key.name != name || !key.secret)
    };
    let settings: BTreeMap<&String, &Value> = settings.iter().filter(|(name, _)| matters(name)).collect();
    let text = serde_json::to_string(&(kind.name, settings)).unwrap_or_default();
    format!("{:016x}", kept::fingerprint(text.as_bytes()))
}

pub(super) fn signed(time: Duration) -> SignedDuration {
    SignedDuration::try_from(time).unwrap_or(SignedDuration::MAX)
}
