//! What people are told of an event, in a sentence.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use signalbox_core::{AgentId, Event};
use signalbox_integrations::notifier::Notice;

use super::agents::Agent;
use super::hear::agent_in;

/// A notice of an event.
pub fn notice(event: &Event, agents: &BTreeMap<AgentId, Agent>) -> Notice {
    let data: Value = serde_json::from_str(event.data.get()).unwrap_or_default();
    let agent = agent_in(&data);
    let known = agent.as_ref().and_then(|id| agents.get(id));
    let text = |key: &str| data[key].as_str().map(ToOwned::to_owned);
    let called =
        known.map(Agent::called).or_else(|| text("name")).or_else(|| agent.as_ref().map(ToString::to_string));
    let monitor = text("monitor").map(|name| (name.clone(), text("type").unwrap_or(name)));
    let mut context = data.clone();
    if let Some(fields) = context.as_object_mut() {
        fields.insert(
            "agent".to_owned(),
            json!({
                "id": agent, "name": called, "driver": known.map(|agent| &agent.record.driver),
                "role": known.and_then(|agent| agent.record.role.as_ref()),
                "state": known.map(|agent| &agent.state),
            }),
        );
        fields.insert(
            "ticket".to_owned(),
            json!(event.ticket.as_ref().map(ToString::to_string).or_else(|| text("ticket"))),
        );
        fields.insert("project".to_owned(), json!(event.project));
        fields.insert("actor".to_owned(), json!(event.actor));
    }
    Notice {
        event: event.event.clone(),
        message: sentence(event, &data, called.as_deref()),
        agent: agent.map(|id| id.to_string()),
        monitor,
        at: event.ts.to_string(),
        context,
    }
}

fn sentence(event: &Event, data: &Value, called: Option<&str>) -> String {
    let who = called.unwrap_or("an agent");
    let word = |key: &str| data[key].as_str().unwrap_or_default().to_owned();
    let with = |sentence: String, more: &str| match word(more) {
        detail if detail.is_empty() => sentence,
        detail => format!("{sentence}: {detail}"),
    };
    let ticket = event.ticket.as_ref().map(ToString::to_string).unwrap_or_default();
    match event.event.as_str() {
        "agent.spawned" => format!("{who} was started"),
        "agent.started" => format!("{who} runs"),
        "agent.completed" => with(format!("{who} has done what it was there for"), "summary"),
        "agent.failed" => with(format!("{who} has failed"), "summary"),
        "agent.timed-out" => format!("{who} took longer than it may, and was ended"),
        "agent.blocked" => with(format!("{who} needs help"), "summary"),
        "agent.stalled" => {
            let minutes = data["idle_seconds"].as_i64().unwrap_or_default() / 60;
            format!("{who} has done nothing for {minutes} minutes")
        }
        "agent.terminated" => with(format!("{who} was ended by a person"), "by"),
        "agent.exited" => format!("{who} has ended"),
        "agent.vanished" => format!("{who} is gone without a word"),
        "agent.claimed" => format!("{who} was taken over by a person"),
        "agent.unclaimed" => format!("{who} works on its own again"),
        "agent.state" => format!("{who} is {}", word("state")),
        "attach.promoted" => format!("somebody types into {who}"),
        "attach.demoted" => format!("nobody types into {who} any more"),
        "attach.idle-timeout" => format!("whoever typed into {who} has been away for long and only watches"),
        "attach.force-takeover" => format!("somebody took the keyboard of {who} over"),
        "goal.changed" => format!("{who} is {} with what it is there for", word("status")),
        "monitor.announced" => with(format!("{} has news for {who}", word("monitor")), "message"),
        "monitor.failing" => with(format!("the monitor {} of {who} does not work", word("monitor")), "why"),
        "monitor.recovered" => format!("the monitor {} of {who} works again", word("monitor")),
        "notifier.test" => word("message"),
        "notifier.failing" => with(format!("the notifier {} reaches nobody", word("notifier")), "why"),
        "daemon.config-bad" => with("config.toml cannot be used".to_owned(), "why"),
        "hook.unguarded" => format!("an agent of {} used a tool without being checked", event.actor),
        name if name.starts_with("status.") => {
            format!("{ticket} is now {}", name.trim_start_matches("status."))
        }
        "review.approved" => format!("{} accepted {ticket}", event.actor),
        "review.rejected" => with(format!("{} sent {ticket} back", event.actor), "reason"),
        name => {
            let about = if ticket.is_empty() { called.unwrap_or_default().to_owned() } else { ticket };
            if about.is_empty() { name.to_owned() } else { format!("{name} ({about})") }
        }
    }
}
