//! What is answered to whoever asks, and who may ask for what.

use serde::Serialize;
use serde_json::json;
use signalbox_api::rows::{AgentRow, MonitorRow, NotifierRow, Origin};
use signalbox_api::wire::{Answer, Kind, Problem};
use signalbox_api::{
    AddMonitor, AddNotifier, Asker, Done, MonitorList, NotifierList, Register, RemoveMonitor, RemoveNotifier,
    Report, Request,
};
use signalbox_core::{AgentId, Event, Refusal, Who};
use signalbox_store::agents::Record;
use signalbox_store::outside::names_variables;

use super::agents::unknown_agent;
use super::kinds::{is_name, kind_of};
use super::outlets::outlet_name;
use super::{Dirty, Outside, State};
use crate::msg::{Asked, Caller, Effect};

/// An answer, or why there is none; `None` where it comes later.
type Replied = Result<Option<Answer>, Problem>;

impl State {
    pub(super) fn answer(&mut self, asked: Asked, outside: &mut Outside<'_>) {
        let (connection, id) = (asked.connection, asked.id);
        let answer = match self.reply(asked, outside) {
            Ok(Some(answer)) => answer,
            Ok(None) => return,
            Err(problem) => Answer::Error(problem),
        };
        self.effects.push(Effect::Answer { connection, id, answer });
    }

    fn reply(&mut self, asked: Asked, outside: &mut Outside<'_>) -> Replied {
        let Asked { connection, id, caller, request, record } = asked;
        may_ask(&request, &caller, record.as_ref())?;
        match request {
            Request::Status(_) => given(&self.report(&caller)),
            Request::Register(told) => self.reply_register(connection, record, told, outside),
            Request::Surroundings(told) => given(&self.surround(told, outside)?),
            Request::Monitors(wanted) => {
                given(&MonitorList { monitors: self.monitors(&caller, wanted.agent.as_ref()) })
            }
            Request::AddMonitor(wanted) => given(&self.add_monitor(&caller, wanted, outside)?),
            Request::RemoveMonitor(wanted) => given(&self.remove_monitor(&caller, &wanted, outside)?),
            Request::LookNow(wanted) => {
                let agent = self.subject(&caller, wanted.agent.as_ref())?;
                let row = self.visible_monitor(&caller, &agent, &wanted.name)?;
                self.look_now(&agent, &wanted.name, outside.now);
                given(&row)
            }
            Request::Notifiers(wanted) => {
                given(&NotifierList { notifiers: self.notifiers(&caller, wanted.agent.as_ref()) })
            }
            Request::AddNotifier(wanted) => given(&self.add_notifier(&caller, wanted, outside)?),
            Request::RemoveNotifier(wanted) => given(&self.remove_notifier(&caller, &wanted)?),
            Request::Tell(wanted) => {
                let message = wanted.message.unwrap_or_else(|| "This is a test.".to_owned());
                let event = test_event(&message, outside)?;
                self.try_out(&wanted.notifier, connection, id, event)?;
                Ok(None)
            }
            // The door deals with streams itself.
            Request::Events(_) => given(&Done {}),
            Request::OpenPage(wanted) => {
                self.effects.push(Effect::Page { connection, id, token: wanted.token });
                Ok(None)
            }
            Request::Reload(_) => {
                self.effects.push(Effect::ReadConfig);
                given(&Done {})
            }
            Request::Stop(_) => {
                self.say("it was asked to end");
                self.effects.push(Effect::Answer { connection, id, answer: Answer::of(&Done {}) });
                self.effects.push(Effect::Exit);
                Ok(None)
            }
        }
    }

    fn reply_register(
        &mut self,
        connection: u64,
        record: Option<Record>,
        told: Register,
        outside: &mut Outside<'_>,
    ) -> Replied {
        let Some(record) = record else { return Err(unknown_agent(&told.agent)) };
        given(&self.register(connection, record, told, outside)?)
    }

    fn report(&self, caller: &Caller) -> Report {
        let agents = self.agents.values().map(|agent| self.agent_row(caller, agent.id())).collect::<Vec<_>>();
        let unfit = self.agents.values().flat_map(|agent| {
            agent.unfit.iter().map(|(name, why)| format!("monitor `{name}` of {}: {why}", agent.called()))
        });
        let beat = self.beat.trouble.iter().map(|why| format!("the heartbeat failed: {why}"));
        Report {
            version: self.about.version.clone(),
            pid: self.about.pid,
            since: self.about.since,
            agents: agents.into_iter().flatten().collect(),
            notifiers: self.notifiers(caller, None),
            plugins: self.config.plugins.iter().filter(|plugin| !plugin.decides).count(),
            bad_config: self.bad_config.clone(),
            // What is wrong with settings may quote them.
            troubles: if caller.is_agent() {
                Vec::new()
            } else {
                self.troubles.iter().cloned().chain(unfit).chain(beat).collect()
            },
            next_heartbeat: self.beat.next,
        }
    }

    fn agent_row(&self, caller: &Caller, id: &AgentId) -> Option<AgentRow> {
        let agent = self.agents.get(id)?;
        let seat = self.seats.get(&agent.seat)?;
        Some(AgentRow {
            id: id.clone(),
            name: agent.record.name.clone(),
            driver: agent.record.driver.clone(),
            state: agent.state.clone(),
            since: agent.since,
            project: agent.record.project.clone(),
            ticket: agent.record.ticket.clone(),
            branch: agent.environment.branch.clone(),
            goal: self.goal_row(id),
            claimed: seat.claimed,
            stalled: agent.stalled,
            monitors: self.monitors(caller, Some(id)),
            notifiers: seat.notifiers.keys().cloned().collect(),
        })
    }

    fn monitors(&self, caller: &Caller, of: Option<&AgentId>) -> Vec<MonitorRow> {
        let one = of.and_then(|id| self.agents.get(id));
        let all = of.is_none().then(|| self.agents.values());
        let rows = one
            .into_iter()
            .chain(all.into_iter().flatten())
            .flat_map(|agent| agent.watches.keys().filter_map(|name| self.monitor_row(agent.id(), name)));
        rows.filter(|row| !(row.privileged && caller.is_agent())).collect()
    }

    fn notifiers(&self, caller: &Caller, of: Option<&AgentId>) -> Vec<NotifierRow> {
        let rows = self.notifier_rows().into_iter();
        let is_meant = |row: &NotifierRow| of.is_none() || row.agent.as_ref() == of;
        rows.filter(|row| is_meant(row) && !(row.privileged && caller.is_agent())).collect()
    }

    /// The agent that a request is about: the asker's own, or the one that a person names.
    fn subject(&self, caller: &Caller, named: Option<&AgentId>) -> Result<AgentId, Problem> {
        let id = match (caller.is_agent(), named, &caller.agent) {
            (true, _, None) => {
                let message = "you are an agent that was not started by `sb agent`, so there is nothing to watch for you";
                return Err(Problem::new(Kind::Precondition, "agent.none", message)
                    .hint("Ask the person to start you with `sb agent`."));
            }
            (true, Some(named), Some(own)) if named != own => {
                let message = format!("you are {own}, and may not change what belongs to {named}");
                return Err(Problem::new(Kind::Precondition, "agent.other", message));
            }
            (true, _, Some(own)) => own.clone(),
            (false, Some(named), _) => named.clone(),
            (false, None, _) => match self.agents.keys().collect::<Vec<_>>().as_slice() {
                [only] => (*only).clone(),
                _ => {
                    let message = format!("{} agents run, so say which one is meant", self.agents.len());
                    return Err(Problem::new(Kind::Usage, "agent.which", message)
                        .hint("`sb agents` lists those that run."));
                }
            },
        };
        if self.agents.contains_key(&id) { Ok(id) } else { Err(unknown_agent(&id)) }
    }

    /// A monitor, as far as this asker may know that it is there.
    fn visible_monitor(&self, caller: &Caller, agent: &AgentId, name: &str) -> Result<MonitorRow, Problem> {
        let row = self.monitor_row(agent, name).filter(|row| !(row.privileged && caller.is_agent()));
        row.ok_or_else(|| {
            let visible: Vec<String> =
                self.monitors(caller, Some(agent)).into_iter().map(|row| row.name).collect();
            let problem =
                Problem::new(Kind::NotFound, "monitor.unknown", format!("{agent} has no monitor `{name}`"));
            match signalbox_core::nearest(name, visible.iter().map(String::as_str)) {
                Some(near) => problem.hint(format!("Did you mean `{near}`?")),
                None => problem.hint(format!("It has: {}.", list(&visible))),
            }
        })
    }

    fn add_monitor(
        &mut self,
        caller: &Caller,
        wanted: AddMonitor,
        outside: &mut Outside<'_>,
    ) -> Result<MonitorRow, Problem> {
        let id = self.subject(caller, wanted.agent.as_ref())?;
        let AddMonitor { name, settings, .. } = wanted;
        if !is_name(&name) {
            return Err(bad_name(&name));
        }
        if settings.is_empty()
            && let Some(row) = self.bring_back(caller, &id, &name, outside)
        {
            return Ok(row);
        }
        let kind = kind_of(&name, &settings).map_err(|why| Problem::new(Kind::Usage, "monitor.type", why))?;
        if caller.is_agent() {
            let by_type =
                kind.privileged || self.config.privileged.monitors.iter().any(|name| name == kind.name);
            if by_type || settings.contains_key("privileged") {
                return Err(only_people(&format!("add a monitor of type `{}`", kind.name)));
            }
            if names_variables(&settings) {
                return Err(only_people("name variables of the daemon in settings"));
            }
            // With these an agent could have a token of the person's sent to itself.
            let guarded = kind.keys.iter().find(|key| key.guarded && settings.contains_key(key.name));
            if let Some(key) = guarded {
                return Err(only_people(&format!("set `{}` of a monitor", key.name)));
            }
        }
        let Some(agent) = self.agents.get(&id) else { return Err(unknown_agent(&id)) };
        let seat_name = agent.seat.clone();
        if agent.watches.get(&name).is_some_and(|watch| watch.privileged && caller.is_agent()) {
            return Err(only_people("change that monitor"));
        }
        if agent.watches.contains_key(&name) {
            let message = format!("{id} has a monitor `{name}` already");
            return Err(Problem::new(Kind::Precondition, "monitor.exists", message)
                .hint("Give the new one another name, or remove the old one first."));
        }
        let Some(seat) = self.seats.get_mut(&seat_name) else { return Err(unknown_agent(&id)) };
        let was_removed = seat.removed.iter().position(|removed| *removed == name);
        if let Some(at) = was_removed {
            seat.removed.remove(at);
        }
        seat.added.insert(name.clone(), settings);
        self.dirty.insert(Dirty::Seat(seat_name.clone()));
        self.set_watches(&id, outside);
        // What cannot be is not kept.
        let unfit = self.agents.get(&id).and_then(|agent| agent.unfit.get(&name)).cloned();
        if let Some(why) = unfit {
            if let Some(seat) = self.seats.get_mut(&seat_name) {
                seat.added.remove(&name);
                seat.removed.extend(was_removed.map(|_| name.clone()));
            }
            self.set_watches(&id, outside);
            return Err(Problem::new(Kind::Usage, "monitor.settings", why)
                .hint(format!("`sb monitor types {}` says what it takes.", kind.name)));
        }
        self.record_of(
            &id,
            "monitor.added",
            json!({ "monitor": name, "type": kind.name, "by": caller.who.name() }),
            outside,
        );
        self.monitor_row(&id, &name).ok_or_else(|| unknown_agent(&id))
    }

    /// A monitor of the configuration or the place that was removed comes back as it was.
    fn bring_back(
        &mut self,
        caller: &Caller,
        id: &AgentId,
        name: &str,
        outside: &mut Outside<'_>,
    ) -> Option<MonitorRow> {
        let seat_name = self.seat_of(id)?;
        let seat = self.seats.get_mut(&seat_name)?;
        let at = seat.removed.iter().position(|removed| removed == name)?;
        seat.removed.remove(at);
        self.dirty.insert(Dirty::Seat(seat_name.clone()));
        self.set_watches(id, outside);
        let row = self.monitor_row(id, name).filter(|row| !(row.privileged && caller.is_agent()));
        if row.is_none()
            && let Some(seat) = self.seats.get_mut(&seat_name)
        {
            seat.removed.push(name.to_owned());
            self.set_watches(id, outside);
        }
        row
    }

    /// A monitor that was added and cannot be can be taken away all the same.
    fn is_unfit(&self, caller: &Caller, id: &AgentId, name: &str) -> bool {
        let unfit = self.agents.get(id).is_some_and(|agent| agent.unfit.contains_key(name));
        unfit && !caller.is_agent()
    }

    fn remove_monitor(
        &mut self,
        caller: &Caller,
        wanted: &RemoveMonitor,
        outside: &mut Outside<'_>,
    ) -> Result<Done, Problem> {
        let id = self.subject(caller, wanted.agent.as_ref())?;
        let (origin, kind) = if self.is_unfit(caller, &id, &wanted.name) {
            (None, String::new())
        } else {
            let row = self.visible_monitor(caller, &id, &wanted.name)?;
            (Some(row.origin), row.kind)
        };
        let Some(agent) = self.agents.get(&id) else { return Err(unknown_agent(&id)) };
        let seat_name = agent.seat.clone();
        if let Some(seat) = self.seats.get_mut(&seat_name) {
            let was_added = seat.added.remove(&wanted.name).is_some();
            seat.watches.remove(&wanted.name);
            // What configuration or place want comes back unless that is remembered.
            if origin != Some(Origin::Added) && !was_added {
                seat.removed.push(wanted.name.clone());
            }
        }
        self.dirty.insert(Dirty::Seat(seat_name));
        self.set_watches(&id, outside);
        let data = json!({ "monitor": wanted.name, "type": kind, "by": caller.who.name() });
        self.record_of(&id, "monitor.removed", data, outside);
        Ok(Done {})
    }

    fn add_notifier(
        &mut self,
        caller: &Caller,
        wanted: AddNotifier,
        outside: &mut Outside<'_>,
    ) -> Result<NotifierRow, Problem> {
        let id = self.subject(caller, wanted.agent.as_ref())?;
        let AddNotifier { name, mut settings, .. } = wanted;
        if !is_name(&name) {
            return Err(bad_name(&name));
        }
        settings.entry("type").or_insert_with(|| json!(name));
        let outlet = self.outlet(&settings, Some(id.clone()), Origin::Added, outside).map_err(|why| {
            Problem::new(Kind::Usage, "notifier.settings", why)
                .hint("`sb notifier types` says what there is.")
        })?;
        if caller.is_agent() && (outlet.privileged || names_variables(&settings)) {
            return Err(only_people("add such a notifier"));
        }
        let full = outlet_name(&id, &name);
        if self.outlets.contains_key(&full) {
            let message = format!("{id} has a notifier `{name}` already");
            return Err(Problem::new(Kind::Precondition, "notifier.exists", message));
        }
        let Some(seat_name) = self.agents.get(&id).map(|agent| agent.seat.clone()) else {
            return Err(unknown_agent(&id));
        };
        if let Some(seat) = self.seats.get_mut(&seat_name) {
            seat.notifiers.insert(name, settings);
        }
        self.dirty.insert(Dirty::Seat(seat_name));
        self.outlets.insert(full.clone(), outlet);
        let row = self.notifier_rows().into_iter().find(|row| row.name == full);
        row.ok_or_else(|| unknown_agent(&id))
    }

    fn remove_notifier(&mut self, caller: &Caller, wanted: &RemoveNotifier) -> Result<Done, Problem> {
        let id = self.subject(caller, wanted.agent.as_ref())?;
        let full = outlet_name(&id, &wanted.name);
        let visible = self.outlets.get(&full).is_some_and(|outlet| !(outlet.privileged && caller.is_agent()));
        if !visible {
            let message = format!("{id} has no notifier `{}` of its own", wanted.name);
            return Err(Problem::new(Kind::NotFound, "notifier.unknown", message)
                .hint("Those for all agents stand in config.toml."));
        }
        self.outlets.remove(&full);
        let Some(seat_name) = self.agents.get(&id).map(|agent| agent.seat.clone()) else {
            return Err(unknown_agent(&id));
        };
        if let Some(seat) = self.seats.get_mut(&seat_name) {
            seat.notifiers.remove(&wanted.name);
        }
        self.effects.push(Effect::Forget { file: crate::kept::outlet_file(&full) });
        self.dirty.insert(Dirty::Seat(seat_name));
        Ok(Done {})
    }
}

/// Whether this asker may ask that at all.
fn may_ask(request: &Request, caller: &Caller, record: Option<&Record>) -> Result<(), Problem> {
    match request.who() {
        Asker::People if caller.is_agent() => {
            Err(only_people(&format!("ask the daemon for `{}`", request.name())))
        }
        Asker::People | Asker::Anyone => Ok(()),
        Asker::Wrapper => {
            let wrapper = record.and_then(|record| record.wrapper.as_ref());
            if wrapper.is_some_and(|wrapper| wrapper.pid == caller.pid) {
                return Ok(());
            }
            let message = format!("only the `sb agent` around an agent may ask for `{}`", request.name());
            Err(Problem::new(Kind::Precondition, "agent.not-yours", message))
        }
    }
}

/// The same words as everywhere.
fn only_people(what: &str) -> Problem {
    let refusal = Refusal::new("human.only", format!("only a human may {what}"));
    Problem::new(Kind::Precondition, refusal.code, refusal.message)
        .hint("Say in a note what you need and why: `sb note \"…\"`.")
}

fn bad_name(name: &str) -> Problem {
    let shown: String = name.chars().take(40).collect();
    let message = format!("`{shown}` is no name: it has letters, digits, `-`, `_` and `.`, 64 at most");
    Problem::new(Kind::Usage, "name.bad", message)
}

fn list(names: &[String]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

fn given(reply: &impl Serialize) -> Replied {
    Ok(Some(Answer::of(reply)))
}

/// An event that never was, to try a notifier with.
fn test_event(message: &str, outside: &mut Outside<'_>) -> Result<Event, Problem> {
    let data = json!({ "message": message });
    Event::apart((outside.id)(), outside.now, "notifier.test", &Who::Human, None, &data)
        .map_err(|error| Problem::new(Kind::Failure, "event", error.to_string()))
}
