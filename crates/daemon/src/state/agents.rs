//! The agents that run: they come, say where they work, go, and come back.

use std::collections::BTreeMap;
use std::path::PathBuf;

use jiff::{SignedDuration, Timestamp};
use serde_json::json;
use signalbox_api::wire::{Kind, Problem};
use signalbox_api::{Register, Registered, Surroundings, Watched};
use signalbox_core::goal::Stall;
use signalbox_core::{AgentId, EventId};
use signalbox_integrations::monitor::Environment;
use signalbox_store::agents::Record;

use super::goals::GoalWatch;
use super::watches::Watch;
use super::{AWAY, Dirty, Missing, Outside, State};
use crate::kept::{self, Seat};
use crate::msg::{Connection, Effect};

/// How often somebody looks for an agent that has not come back.
const LOOK_AGAIN: SignedDuration = SignedDuration::from_secs(20);

/// How old what is written of a seat's last use may be. Seats are forgotten after weeks.
const SEAT_WRITTEN: SignedDuration = SignedDuration::from_hours(24);

/// One agent that runs.
#[derive(Debug)]
pub struct Agent {
    pub record: Record,
    pub(super) connection: Option<Connection>,
    /// Since when it is not connected.
    pub(super) left: Option<Timestamp>,
    checking: bool,
    pub state: String,
    pub since: Timestamp,
    terminal: Option<PathBuf>,
    pub(super) environment: Environment,
    pub(super) seat: String,
    pub(super) watches: BTreeMap<String, Watch>,
    /// Monitors that cannot be, and why.
    pub(super) unfit: BTreeMap<String, String>,
    pub(super) goal: GoalWatch,
    pub(super) stall: Option<Stall>,
    pub(super) stalled: bool,
}

impl Agent {
    pub fn id(&self) -> &AgentId {
        &self.record.id
    }

    /// What people call it.
    pub fn called(&self) -> String {
        self.record.name.clone().unwrap_or_else(|| self.record.id.to_string())
    }

    pub(super) fn is_connected(&self) -> bool {
        self.connection.is_some()
    }

    pub(super) fn next_due(&self, seats: &BTreeMap<String, Seat>) -> Option<Timestamp> {
        let away = self.left.filter(|_| !self.checking).map(|left| left + AWAY);
        let watches = self.watches.values().filter_map(|watch| watch.next_due(self.is_connected()));
        let seat = seats.get(&self.seat);
        let goal = self.goal_due(seat);
        watches.chain(away).chain(goal).min()
    }
}

impl State {
    /// An agent says that it runs.
    pub(super) fn register(
        &mut self,
        connection: Connection,
        record: Record,
        told: Register,
        outside: &mut Outside<'_>,
    ) -> Result<Registered, Problem> {
        if !(outside.runs)(&record) {
            return Err(Problem::new(
                Kind::Precondition,
                "agent.ended",
                format!("{} no longer runs", record.id),
            ));
        }
        let wants = Registered { files: Environment::FILES.iter().map(ToString::to_string).collect() };
        let id = record.id.clone();
        if let Some(known) = self.agents.get_mut(&id) {
            known.record = record;
            known.connection = Some(connection);
            known.left = None;
            known.terminal = told.terminal;
            known.state = told.state;
            known.since = told.since;
            return Ok(wants);
        }
        if let Some(before) = self.unfinished(&record, outside) {
            let message = format!("what {before} leaves behind is being looked after");
            return Err(
                Problem::new(Kind::Precondition, "agent.too-soon", message).hint("Ask again in a moment.")
            );
        }
        let seat = self.free_seat(&record);
        let now = outside.now;
        let kept = self.seats.entry(seat.clone()).or_insert_with(|| Seat::new(&id, now));
        let is_new = kept.agent != id || kept.used == now;
        // All come back at once after a restart, and nearly all to what is written down already.
        let is_written = !is_new && kept.occupied && now.duration_since(kept.used) < SEAT_WRITTEN;
        kept.agent = id.clone();
        kept.occupied = true;
        kept.used = now;
        if kept.goal.as_ref().is_some_and(|goal| goal.agent != id) {
            kept.goal = None;
            kept.claimed = false;
        }
        if !is_written {
            self.dirty.insert(Dirty::Seat(seat.clone()));
        }
        let agent = Agent {
            record,
            connection: Some(connection),
            left: None,
            checking: false,
            state: told.state,
            since: told.since,
            terminal: told.terminal,
            environment: Environment::default(),
            seat,
            watches: BTreeMap::new(),
            unfit: BTreeMap::new(),
            goal: GoalWatch::default(),
            stall: None,
            stalled: false,
        };
        self.missing.remove(&id);
        self.say(format!("{id} is here{}", if is_new { "" } else { " again" }));
        self.agents.insert(id.clone(), agent);
        self.begin_goal(&id, outside);
        self.open_agent_outlets(&id, outside);
        Ok(wants)
    }

    /// Whoever had the seat before and is gone, as long as it is not known what became of all that was sent to it.
    fn unfinished(&self, record: &Record, outside: &Outside<'_>) -> Option<AgentId> {
        let seat =
            self.seats.get(&kept::seat_of(record)).filter(|seat| seat.occupied && seat.agent != record.id)?;
        match self.agents.get(&seat.agent) {
            // One that runs has its seat, and the new one gets another.
            Some(agent) => {
                (!agent.is_connected() && !(outside.runs)(&agent.record)).then(|| seat.agent.clone())
            }
            None => Some(seat.agent.clone()),
        }
    }

    /// The seat of an agent; where somebody sits in it, the next one.
    fn free_seat(&self, record: &Record) -> String {
        let first = kept::seat_of(record);
        let taken = |seat: &str| self.agents.values().any(|agent| agent.seat == seat);
        // An agent that comes back after the daemon was away has the seat that it had.
        let own = self.seats.iter().find(|(_, seat)| seat.agent == record.id).map(|(name, _)| name.clone());
        own.into_iter()
            .chain([first.clone()])
            .chain((2..).map(|number| format!("{first}-{number}")))
            .find(|seat| !taken(seat))
            .unwrap_or(first)
    }

    /// An agent says where it works.
    pub(super) fn surround(
        &mut self,
        told: Surroundings,
        outside: &mut Outside<'_>,
    ) -> Result<Watched, Problem> {
        let Surroundings { agent: id, branch, head, remotes, files } = told;
        let Some(agent) = self.agents.get_mut(&id) else {
            return Err(unknown_agent(&id).hint("It has to register first."));
        };
        agent.environment = Environment { branch, head, remotes, files };
        self.set_watches(&id, outside);
        let monitors = self.agents.get(&id).map(|agent| agent.watches.keys().cloned().collect());
        Ok(Watched { monitors: monitors.unwrap_or_default() })
    }

    /// A connection is closed: if it was an agent's, that may have ended, or only lost us.
    pub(super) fn leave(&mut self, connection: Connection, outside: &mut Outside<'_>) {
        for agent in self.agents.values_mut().filter(|agent| agent.connection == Some(connection)) {
            agent.connection = None;
            agent.left = Some(outside.now);
        }
        self.forget_questions(connection);
    }

    /// Whether an agent that left still runs is known now.
    pub(super) fn life(&mut self, id: &AgentId, runs: bool, outside: &mut Outside<'_>) {
        match self.agents.get_mut(id) {
            Some(agent) => {
                agent.checking = false;
                if agent.is_connected() {
                    return;
                }
                if runs {
                    agent.left = Some(outside.now);
                    return;
                }
            }
            None if runs || self.missing.get(id).is_none_or(|missing| missing.ended) => return,
            None => {}
        }
        // Nobody wrote down its end, or it would have been heard.
        self.record_of(id, "agent.vanished", json!({}), outside);
        self.end_agent(id, None, outside);
    }

    /// An agent has ended, with that exit code if somebody saw it. Its seat is free once its outbox is closed.
    pub(super) fn end_agent(&mut self, id: &AgentId, code: Option<i64>, outside: &mut Outside<'_>) {
        let Some(seat_name) = self.seat_of(id) else { return };
        self.close_outbox(id);
        self.goal_of_ended(id, code, outside);
        // There is nobody left to be asked.
        self.effects.retain(|effect| !matches!(effect, Effect::StopAgent { agent, .. } if agent == id));
        self.close_agent_outlets(id, outside.now);
        if let Some(seat) = self.seats.get_mut(&seat_name) {
            seat.used = outside.now;
            seat.claimed = false;
        }
        self.dirty.insert(Dirty::Seat(seat_name));
        if self.agents.remove(id).is_some() {
            self.say(format!("{id} has ended"));
        }
        // If the outbox cannot be closed now, it is tried again.
        self.missing.insert(id.clone(), Missing { at: outside.now + LOOK_AGAIN, ended: true });
    }

    /// Nothing more gets to an agent that is gone. Of some messages it is not known whether they wait for it.
    fn close_outbox(&mut self, id: &AgentId) {
        let Some(seat) = self.seat_of(id).and_then(|seat| self.seats.get(&seat)) else { return };
        let messages = seat.watches.values().flat_map(|watch| &watch.pending);
        let unsure =
            messages.filter(|message| message.to.as_ref() == Some(id)).map(|message| message.id.clone());
        let project = self.agents.get(id).and_then(|agent| agent.record.project.clone());
        self.effects.push(Effect::Close { agent: id.clone(), project, unsure: unsure.collect() });
    }

    /// The outbox of an agent that is gone is closed: what never was in it may go to another.
    pub(super) fn closed(&mut self, id: &AgentId, never: &[EventId]) {
        self.missing.remove(id);
        for (name, seat) in self.seats.iter_mut().filter(|(_, seat)| seat.agent == *id) {
            seat.occupied = false;
            let messages = seat.watches.values_mut().flat_map(|watch| &mut watch.pending);
            for message in messages.filter(|message| never.contains(&message.id)) {
                message.to = None;
            }
            self.dirty.insert(Dirty::Seat(name.clone()));
        }
    }

    /// The seat in which an agent sits, or sat last.
    pub(super) fn seat_of(&self, id: &AgentId) -> Option<String> {
        let sits = self.agents.get(id).map(|agent| agent.seat.clone());
        sits.or_else(|| self.seats.iter().find(|(_, seat)| seat.agent == *id).map(|(name, _)| name.clone()))
    }

    /// Looks, goals, stalls and those who left.
    pub(super) fn agents_due(&mut self, outside: &mut Outside<'_>) {
        let now = outside.now;
        let due: Vec<(AgentId, bool)> = self
            .missing
            .iter()
            .filter(|(_, missing)| missing.at <= now)
            .map(|(id, one)| (id.clone(), one.ended))
            .collect();
        for (id, ended) in due {
            if ended {
                self.close_outbox(&id);
            } else {
                self.effects.push(Effect::CheckLife(id.clone()));
            }
            self.missing.insert(id, Missing { at: now + LOOK_AGAIN, ended });
        }
        // Only those for whom something is due: with hundreds of agents this is done hundreds of times a second.
        let is_due = |agent: &&Agent| {
            // Of a stall it also counts that it is over.
            agent.stall.is_some() || agent.stalled || agent.next_due(&self.seats).is_some_and(|at| at <= now)
        };
        let due: Vec<AgentId> = self.agents.values().filter(is_due).map(|agent| agent.id().clone()).collect();
        for id in due {
            let Some(agent) = self.agents.get_mut(&id) else { continue };
            if !agent.checking && agent.left.is_some_and(|left| left + AWAY <= now) {
                agent.checking = true;
                self.effects.push(Effect::CheckLife(id.clone()));
            }
            self.watches_due(&id, outside);
            self.goal_due(&id, outside);
            self.stall_due(&id, outside);
        }
    }

    fn stall_due(&mut self, id: &AgentId, outside: &mut Outside<'_>) {
        let Some(agent) = self.agents.get_mut(id) else { return };
        let claimed = self.seats.get(&agent.seat).is_some_and(|seat| seat.claimed);
        let idle = (agent.state == "idle" && !claimed).then_some(agent.since);
        agent.stalled = agent.stalled && idle.is_some();
        let Some(stall) = &mut agent.stall else { return };
        let Some(idle) = stall.look(idle, outside.now) else { return };
        agent.stalled = true;
        let seconds = idle.as_secs();
        self.record_of(id, "agent.stalled", json!({ "idle_seconds": seconds }), outside);
    }

    /// The terminals at which people see agents.
    pub(super) fn terminals(&self) -> Vec<PathBuf> {
        self.agents.values().filter_map(|agent| agent.terminal.clone()).collect()
    }
}

impl Agent {
    /// When a stall is to be told, if nothing happens.
    pub(super) fn stall_at(&self, threshold: Option<u64>) -> Option<Timestamp> {
        let threshold = SignedDuration::from_secs(i64::try_from(threshold?).ok()?);
        (self.state == "idle" && !self.stalled).then(|| self.since + threshold)
    }
}

pub(super) fn unknown_agent(id: &AgentId) -> Problem {
    Problem::new(Kind::NotFound, "agent.unknown", format!("no agent `{id}` runs that the daemon knows of"))
        .hint("`sb agents` lists those that run.")
}
