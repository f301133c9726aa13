//! The agents that run: they come, say where they work, go, and come back.

use std::collections::BTreeMap;
use std::path::PathBuf;

use jiff::{SignedDuration, Timestamp};
use serde_json::json;
use signalbox_api::wire::{Kind, Problem};
use signalbox_api::{Register, Registered, Surroundings, Watched};
use signalbox_core::AgentId;
use signalbox_core::goal::Stall;
use signalbox_integrations::monitor::Environment;
use signalbox_store::agents::{Life, Record};

use super::goals::GoalWatch;
use super::watches::Watch;
use super::{AWAY, Dirty, Outside, State};
use crate::kept::{self, Seat};
use crate::msg::{Connection, Effect};

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
        if record.life() != Life::Runs {
            return Err(Problem::new(Kind::Precondition, "agent.ended", format!("{} no longer runs", record.id)));
        }
        let wants = Registered { files: Environment::FILES.iter().map(ToString::to_string).collect() };
        let id = record.id.clone();
        if let Some(known) = self.agents.get_mut(&id) {
            known.record = record;
            known.connection = Some(connection);
            known.left = None;
            known.state = told.state;
            known.since = told.since;
            return Ok(wants);
        }
        let seat = self.free_seat(&record);
        let now = outside.now;
        let kept = self.seats.entry(seat.clone()).or_insert_with(|| Seat::new(&id, now));
        let is_new = kept.agent != id || kept.used == now;
        kept.agent = id.clone();
        kept.used = now;
        if kept.goal.as_ref().is_some_and(|goal| goal.agent != id) {
            kept.goal = None;
            kept.claimed = false;
        }
        self.dirty.insert(Dirty::Seat(seat.clone()));
        let agent = Agent {
            record,
            connection: Some(connection),
            left: None,
            checking: false,
            state: told.state,
            since: told.since,
            environment: Environment::default(),
            seat,
            watches: BTreeMap::new(),
            unfit: BTreeMap::new(),
            goal: GoalWatch::default(),
            stall: None,
            stalled: false,
        };
        self.say(format!("{id} is here{}", if is_new { "" } else { " again" }));
        self.agents.insert(id.clone(), agent);
        self.begin_goal(&id, outside);
        self.open_agent_outlets(&id, outside);
        Ok(wants)
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
    pub(super) fn surround(&mut self, told: Surroundings, outside: &mut Outside<'_>) -> Result<Watched, Problem> {
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
        let Some(agent) = self.agents.get_mut(id) else { return };
        agent.checking = false;
        if agent.is_connected() {
            return;
        }
        if runs {
            agent.left = Some(outside.now);
            return;
        }
        // Nobody wrote down its end, or it would have been heard.
        self.record_of(id, "agent.vanished", json!({}), outside);
        self.end_agent(id, None, outside);
    }

    /// An agent has ended, with that exit code if somebody saw it.
    pub(super) fn end_agent(&mut self, id: &AgentId, code: Option<i64>, outside: &mut Outside<'_>) {
        let Some(agent) = self.agents.get(id) else { return };
        let project = agent.record.project.clone();
        self.effects.push(Effect::Close { agent: id.clone(), project });
        self.goal_of_ended(id, code, outside);
        self.close_agent_outlets(id);
        if let Some(agent) = self.agents.remove(id) {
            if let Some(seat) = self.seats.get_mut(&agent.seat) {
                seat.used = outside.now;
                seat.claimed = false;
            }
            self.dirty.insert(Dirty::Seat(agent.seat));
            self.say(format!("{id} has ended"));
        }
    }

    /// Looks, goals, stalls and those who left.
    pub(super) fn agents_due(&mut self, outside: &mut Outside<'_>) {
        let now = outside.now;
        let known: Vec<AgentId> = self.agents.keys().cloned().collect();
        for id in known {
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
        Vec::new()
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
