//! Goals: what an agent is there for, how far it is, and what happens when it is done or its time is up.

use std::time::Duration;

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use signalbox_api::rows::GoalRow;
use signalbox_core::AgentId;
use signalbox_core::goal::{Allowance, GoalStatus, Stall};
use signalbox_core::pace::{Outcome, Pace};
use signalbox_integrations::goal::{self, Progress};
use signalbox_integrations::monitor::Trouble;
use signalbox_integrations::settings;
use signalbox_store::outside::filled_in;

use super::agents::Agent;
use super::watches::signed;
use super::{Dirty, GRACE, Outside, Running, State};
use crate::kept::{Goal, Seat};
use crate::msg::{Effect, GoalJob, Task, Work};

/// How often a goal is looked at unless its settings say otherwise.
const EVERY: Duration = Duration::from_secs(60);
/// No limit is longer, in seconds: ten years.
const LONGEST: u64 = 10 * 365 * 24 * 60 * 60;
/// How long a look may take, unless its settings say more.
const LOOK_TIME: Duration = Duration::from_secs(45);

/// The looking at a goal.
#[derive(Debug, Default)]
pub struct GoalWatch {
    next: Option<Timestamp>,
    running: Option<Running>,
    pace: Option<Pace>,
    trouble: Option<String>,
}

/// A goal as an agent's record has it, and as `goal.set` tells it.
#[derive(Debug, Clone, Deserialize)]
pub struct Wish {
    #[serde(rename = "type", default = "usual")]
    pub kind: String,
    #[serde(default)]
    pub settings: Map<String, Value>,
    #[serde(default)]
    pub max_seconds: Option<u64>,
    #[serde(default)]
    pub stall_seconds: Option<u64>,
}

fn usual() -> String {
    "agent_signal".to_owned()
}

impl Agent {
    /// When something about its goal is due.
    pub(super) fn goal_due(&self, seat: Option<&Seat>) -> Option<Timestamp> {
        let goal = seat.and_then(|seat| seat.goal.as_ref()).filter(|goal| !goal.over);
        let claimed = seat.is_some_and(|seat| seat.claimed);
        let stall = self.stall_at(goal.and_then(|goal| goal.stall_seconds)).filter(|_| !claimed);
        let end = goal.and_then(|goal| goal.allowance.as_ref()).and_then(Allowance::ends);
        let look = self.goal.next.filter(|_| !claimed && self.goal.running.is_none() && self.is_connected());
        let late = self.goal.running.map(|running| running.until);
        stall.into_iter().chain(end).chain(look).chain(late).min()
    }
}

impl State {
    /// An agent begins, or comes back: its goal with it.
    pub(super) fn begin_goal(&mut self, id: &AgentId, outside: &mut Outside<'_>) {
        let Some(agent) = self.agents.get(id) else { return };
        let is_known = self.seats.get(&agent.seat).is_some_and(|seat| seat.goal.is_some());
        let wish = agent.record.other.get("goal").and_then(|wish| Wish::deserialize(wish).ok());
        match wish {
            Some(wish) if !is_known => {
                self.set_goal(id, wish, outside);
                self.record_of(id, "agent.spawned", json!({}), outside);
            }
            _ => self.follow_goal(id, outside),
        }
    }

    /// Somebody says what an agent is there for.
    pub(super) fn set_goal(&mut self, id: &AgentId, wish: Wish, outside: &mut Outside<'_>) {
        let now = outside.now;
        let Some(agent) = self.agents.get(id) else { return };
        let Some(seat) = self.seats.get_mut(&agent.seat) else { return };
        let seconds = |seconds: u64| signed(Duration::from_secs(seconds.min(LONGEST)));
        let mut allowance = wish.max_seconds.map(|most| Allowance::new(seconds(most), now));
        if let Some(allowance) = allowance.as_mut().filter(|_| seat.claimed) {
            allowance.freeze(now);
        }
        seat.goal = Some(Goal {
            agent: id.clone(),
            kind: wish.kind,
            settings: wish.settings,
            status: GoalStatus::Pending,
            summary: None,
            allowance,
            stall_seconds: wish.stall_seconds.map(|seconds| seconds.min(LONGEST)),
            over: false,
        });
        self.dirty.insert(Dirty::Seat(agent.seat.clone()));
        self.follow_goal(id, outside);
    }

    /// Set up the looking at the goal that is kept.
    fn follow_goal(&mut self, id: &AgentId, outside: &mut Outside<'_>) {
        let Some(agent) = self.agents.get_mut(id) else { return };
        let goal = self.seats.get(&agent.seat).and_then(|seat| seat.goal.as_ref());
        agent.goal = GoalWatch::default();
        agent.stall = None;
        let Some(goal) = goal.filter(|goal| !goal.over) else { return };
        agent.stall = goal.stall_seconds.map(|seconds| Stall::new(signed(Duration::from_secs(seconds))));
        let Some(kind) = goal::find(&goal.kind) else {
            agent.goal.trouble = Some(format!("there is no type of goal `{}`", goal.kind));
            return;
        };
        if kind.look.is_some() {
            let every =
                settings::seconds(&goal.settings, "every").ok().flatten().map_or(EVERY, Duration::from_secs);
            agent.goal.pace = Some(Pace::new(signed(every)));
            agent.goal.next = Some(outside.now);
        }
    }

    /// What is due about an agent's goal: a look, a late look, the end of its time.
    pub(super) fn goal_due(&mut self, id: &AgentId, outside: &mut Outside<'_>) {
        let now = outside.now;
        let Some(agent) = self.agents.get(id) else { return };
        let Some(seat) = self.seats.get(&agent.seat) else { return };
        let Some(goal) = seat.goal.as_ref().filter(|goal| !goal.over) else { return };
        if goal.allowance.as_ref().is_some_and(|allowance| !seat.claimed && allowance.is_over(now)) {
            self.progress(id, GoalStatus::TimedOut, Some("its time is up".to_owned()), outside);
            return;
        }
        if let Some(running) = agent.goal.running.filter(|running| running.until <= now) {
            self.effects.push(Effect::Abandon);
            let late = Trouble::Passing("the look at it does not come back".to_owned());
            self.progressed(id, running.number, Err(late), outside);
            return;
        }
        let is_time = agent.goal.running.is_none() && agent.goal.next.is_some_and(|next| next <= now);
        if is_time && agent.is_connected() && !seat.claimed {
            self.look_at_goal(id, outside);
        }
    }

    fn look_at_goal(&mut self, id: &AgentId, outside: &mut Outside<'_>) {
        let number = self.task();
        let Some(agent) = self.agents.get_mut(id) else { return };
        let Some(goal) = self.seats.get(&agent.seat).and_then(|seat| seat.goal.as_ref()) else { return };
        let Some(kind) = goal::find(&goal.kind) else { return };
        let settings = match filled_in(&goal.settings, outside.variable) {
            Ok(settings) => settings,
            Err(variable) => {
                agent.goal.next = None;
                agent.goal.trouble =
                    Some(format!("it names the variable {variable}, which the daemon does not have"));
                return;
            }
        };
        let own = settings::seconds(&settings, "timeout").ok().flatten().map(Duration::from_secs);
        let time = own.map_or(LOOK_TIME, |own| (own + Duration::from_secs(5)).max(LOOK_TIME));
        agent.goal.running = Some(Running { number, until: outside.now + signed(time) + GRACE });
        let job = GoalJob {
            task: Task { what: Work::Goal { agent: id.clone() }, number },
            kind,
            agent: id.clone(),
            settings,
            environment: agent.environment.clone(),
            directory: agent.record.cwd.clone(),
            time,
        };
        self.effects.push(Effect::Progress(Box::new(job)));
    }

    /// A look at a goal is over.
    pub(super) fn progressed(
        &mut self,
        id: &AgentId,
        number: u64,
        found: Result<Progress, Trouble>,
        outside: &mut Outside<'_>,
    ) {
        let now = outside.now;
        let Some(agent) = self.agents.get_mut(id) else { return };
        if agent.goal.running.is_none_or(|running| running.number != number) {
            return;
        }
        agent.goal.running = None;
        let dice = (outside.dice)();
        let outcome = match &found {
            Ok(_) => Outcome::Fine,
            Err(Trouble::Limited { until, .. }) => Outcome::Limited(*until),
            Err(_) => Outcome::Failed,
        };
        agent.goal.next = agent.goal.pace.as_mut().and_then(|pace| pace.next(outcome, now, dice));
        agent.goal.trouble = found.as_ref().err().map(ToString::to_string);
        // A person who took it over while somebody looked has the word.
        let claimed = self.seats.get(&agent.seat).is_some_and(|seat| seat.claimed);
        match found {
            Ok(progress) if !claimed => self.progress(id, progress.status, progress.summary, outside),
            _ => {}
        }
    }

    /// How far an agent is, is known anew.
    pub(super) fn progress(
        &mut self,
        id: &AgentId,
        status: GoalStatus,
        summary: Option<String>,
        outside: &mut Outside<'_>,
    ) {
        let Some(seat_name) = self.seat_of(id) else { return };
        let Some(seat) = self.seats.get_mut(&seat_name) else { return };
        let Some(goal) = seat.goal.as_mut().filter(|goal| !goal.over && goal.agent == *id) else { return };
        let before = goal.status;
        if before != status || goal.summary != summary {
            goal.status = status;
            goal.summary.clone_from(&summary);
            self.dirty.insert(Dirty::Seat(seat_name));
        }
        let claimed = seat.claimed;
        if before != status {
            let data = json!({ "status": status, "before": before, "summary": summary });
            self.record_of(id, "goal.changed", data, outside);
            if status == GoalStatus::Errored {
                self.record_of(id, "agent.blocked", json!({ "summary": summary }), outside);
            }
        }
        if status.is_final() && !claimed {
            self.finish(id, outside);
        }
    }

    /// An agent has reached its end, good or bad: it is told, and the agent is asked to end.
    fn finish(&mut self, id: &AgentId, outside: &mut Outside<'_>) {
        let Some(seat_name) = self.seat_of(id) else { return };
        let socket = self.agents.get(id).map(|agent| agent.record.socket.clone());
        let Some(goal) = self.seats.get_mut(&seat_name).and_then(|seat| seat.goal.as_mut()) else { return };
        if std::mem::replace(&mut goal.over, true) {
            return;
        }
        let (status, data) = (goal.status, json!({ "summary": goal.summary, "goal": goal.kind }));
        self.dirty.insert(Dirty::Seat(seat_name));
        let event = match status {
            GoalStatus::Completed => "agent.completed",
            GoalStatus::TimedOut => "agent.timed-out",
            _ => "agent.failed",
        };
        self.record_of(id, event, data, outside);
        self.effects.extend(socket.map(|socket| Effect::StopAgent { agent: id.clone(), socket }));
    }

    /// The agent is gone. For some that is the goal, for others it means that the goal was missed.
    pub(super) fn goal_of_ended(&mut self, id: &AgentId, code: Option<i64>, outside: &mut Outside<'_>) {
        let Some(seat) = self.seat_of(id).and_then(|seat| self.seats.get_mut(&seat)) else { return };
        seat.claimed = false;
        let Some(goal) = seat.goal.as_ref().filter(|goal| !goal.over && goal.agent == *id) else { return };
        let how = match code {
            Some(code) => format!("its program ended with code {code}"),
            None => "its program is gone".to_owned(),
        };
        let status = match (goal.kind.as_str(), goal.status, code) {
            (_, status, _) if status.is_final() => status,
            ("agent_exit", _, Some(0)) => GoalStatus::Completed,
            _ => GoalStatus::Failed,
        };
        let summary = goal.summary.clone().or(Some(how));
        self.progress(id, status, summary, outside);
    }

    /// Whether the agent itself says when its goal is reached.
    pub(super) fn ends_by_its_word(&self, id: &AgentId) -> bool {
        let seat = self.seat_of(id).and_then(|seat| self.seats.get(&seat));
        seat.and_then(|seat| seat.goal.as_ref()).is_some_and(|goal| goal.kind == "agent_signal")
    }

    /// A person ended the agent: that is neither a success nor a failure of its own.
    pub(super) fn let_go(&mut self, id: &AgentId) {
        let Some(seat_name) = self.seat_of(id) else { return };
        let goal = self.seats.get_mut(&seat_name).and_then(|seat| seat.goal.as_mut());
        if let Some(goal) = goal.filter(|goal| goal.agent == *id) {
            goal.over = true;
            self.dirty.insert(Dirty::Seat(seat_name));
        }
    }

    /// A person takes an agent over, or gives it back.
    pub(super) fn claim(&mut self, id: &AgentId, claimed: bool, outside: &mut Outside<'_>) {
        let now = outside.now;
        let Some(agent) = self.agents.get(id) else { return };
        let Some(seat) = self.seats.get_mut(&agent.seat) else { return };
        seat.claimed = claimed;
        let mut is_final = false;
        if let Some(goal) = seat.goal.as_mut() {
            if let Some(allowance) = goal.allowance.as_mut() {
                if claimed { allowance.freeze(now) } else { allowance.thaw(now) }
            }
            is_final = goal.status.is_final() && !goal.over;
        }
        self.dirty.insert(Dirty::Seat(agent.seat.clone()));
        if is_final && !claimed {
            self.finish(id, outside);
        }
    }

    pub(super) fn goal_row(&self, id: &AgentId) -> Option<GoalRow> {
        let agent = self.agents.get(id)?;
        let goal = self.seats.get(&agent.seat)?.goal.as_ref()?;
        Some(GoalRow {
            kind: goal.kind.clone(),
            status: goal.status,
            summary: goal.summary.clone(),
            until: goal.allowance.as_ref().and_then(Allowance::ends),
            trouble: agent.goal.trouble.clone(),
        })
    }
}
