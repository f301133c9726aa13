//! What the daemon makes of the log: whatever is written there, by whomever, it hears once.

use serde::Deserialize;
use serde_json::Value;
use signalbox_core::goal::GoalStatus;
use signalbox_core::inject::{Failure, Fate, Receipt};
use signalbox_core::{AgentId, Event};

use super::goals::Wish;
use super::{Outside, State};

impl State {
    pub(super) fn hear(&mut self, event: &Event, outside: &mut Outside<'_>) {
        let data = || -> Value { serde_json::from_str(event.data.get()).unwrap_or_default() };
        match event.event.as_str() {
            "agent.state" => {
                let data = data();
                let Some(id) = agent_in(&data) else { return };
                if let (Some(agent), Some(state)) = (self.agents.get_mut(&id), data["state"].as_str()) {
                    // A word from before it came back is old.
                    if event.ts >= agent.since {
                        state.clone_into(&mut agent.state);
                        agent.since = event.ts;
                    }
                }
            }
            "agent.exited" => {
                let data = data();
                if let Some(id) = agent_in(&data) {
                    self.tell_outlets(event);
                    self.end_agent(&id, data["code"].as_i64(), outside);
                }
                return;
            }
            "agent.claimed" | "agent.unclaimed" => {
                if let Some(id) = agent_in(&data()) {
                    self.claim(&id, event.event == "agent.claimed", outside);
                }
            }
            "agent.terminated" => {
                if let Some(id) = agent_in(&data()) {
                    self.let_go(&id);
                }
            }
            "goal.set" => {
                let data = data();
                if let (Some(id), Ok(wish)) = (agent_in(&data), Wish::deserialize(&data)) {
                    self.set_goal(&id, wish, outside);
                }
            }
            "goal.signalled" => {
                let data = data();
                let status = data["status"].as_str().and_then(GoalStatus::from_word);
                if let (Some(id), Some(status)) = (agent_in(&data), status) {
                    // That something else is reached is not for the agent to say.
                    if status.is_final() && event.session.is_some() && !self.ends_by_its_word(&id) {
                        self.say(format!(
                            "{id} says that it is {}, but its goal is another",
                            status.as_str()
                        ));
                        return;
                    }
                    let summary = data["summary"].as_str().map(ToOwned::to_owned);
                    self.progress(&id, status, summary, outside);
                }
            }
            "status.done" => self.hear_done(event, outside),
            name if name.starts_with("inject.") => {
                if let Some((agent, receipt)) = Receipt::of(event)
                    && receipt.is_last()
                {
                    let exited = matches!(receipt.fate, Fate::Failed { reason: Failure::Exited, .. });
                    self.settled(&agent, &receipt.injection, exited, outside);
                }
            }
            _ => {}
        }
        self.tell_outlets(event);
    }

    /// A ticket is done: so is whoever was there for it.
    fn hear_done(&mut self, event: &Event, outside: &mut Outside<'_>) {
        let Some(ticket) = &event.ticket else { return };
        let is_there_for_it = |id: &AgentId| {
            let agent = self.agents.get(id)?;
            let goal = self.seats.get(&agent.seat)?.goal.as_ref()?;
            let named = goal.settings.get("ticket").and_then(Value::as_str);
            let own = agent.record.ticket.as_ref().map(signalbox_core::TicketId::as_str);
            (goal.kind == "ticket_done" && named.or(own) == Some(ticket.as_str())).then_some(())
        };
        let done: Vec<AgentId> =
            self.agents.keys().filter(|id| is_there_for_it(id).is_some()).cloned().collect();
        for id in done {
            self.progress(&id, GoalStatus::Completed, Some(format!("{ticket} is done")), outside);
        }
    }
}

/// The agent that an event is about.
pub(super) fn agent_in(data: &Value) -> Option<AgentId> {
    AgentId::parse(data["agent"].as_str()?).ok()
}
