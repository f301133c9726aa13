//! Those who are told: notifiers and plugins, each with a queue of its own, so that none waits for another.
//!
//! What is to be told is on disk before the log counts as heard, and leaves it when it was told. Whoever kills the daemon
//! in between makes it tell one thing twice at the most.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;
use signalbox_api::Done;
use signalbox_api::rows::{NotifierRow, Origin};
use signalbox_api::wire::{Answer, Kind, Problem};
use signalbox_core::plugin::Plugin;
use signalbox_core::{AgentId, Event};
use signalbox_integrations::notifier::{self, NotifierType, Untold};
use signalbox_integrations::settings::{self, Settings};
use signalbox_store::outside::filled_in;

use super::hear::agent_in;
use super::{Dirty, GRACE, Outside, Running, State, sentences};
use crate::kept;
use crate::msg::{Connection, Effect, Listener, Task, TellJob, Work};

/// How long telling may take, unless the settings say more.
const TELL_TIME: Duration = Duration::from_secs(20);
/// How often one thing is tried.
const MOST_TRIES: u32 = 3;
/// The most that waits to be told; the oldest go first.
const MOST_WAITING: usize = 500;
/// How long the notifiers of an agent outlive it, so that they hear of its end.
const LINGER: SignedDuration = SignedDuration::from_secs(30);
/// How long after a failure it is tried again, for the first time.
const AGAIN: SignedDuration = SignedDuration::from_secs(10);

/// Who is told.
#[derive(Debug)]
enum Who {
    Notifier { kind: &'static NotifierType, settings: Settings },
    Plugin(Plugin),
}

/// One of them.
#[derive(Debug)]
pub struct Outlet {
    who: Who,
    /// Only this agent's events.
    agent: Option<AgentId>,
    pub(super) origin: Origin,
    pub(super) privileged: bool,
    patterns: Vec<String>,
    pub(super) kept: kept::Outlet,
    running: Option<Running>,
    tries: u32,
    next: Option<Timestamp>,
    told: u64,
    trouble: Option<String>,
    /// Whoever tries it out waits for the answer.
    asked: Option<(Connection, u64, Event)>,
    /// What is being told is only a try.
    trying: bool,
    /// Its agent has ended: it goes when that has been told.
    closes: Option<Timestamp>,
}

impl Outlet {
    fn new(
        who: Who,
        agent: Option<AgentId>,
        origin: Origin,
        privileged: bool,
        patterns: Vec<String>,
    ) -> Self {
        Self {
            who,
            agent,
            origin,
            privileged,
            patterns,
            kept: kept::Outlet::default(),
            running: None,
            tries: 0,
            next: None,
            told: 0,
            trouble: None,
            asked: None,
            trying: false,
            closes: None,
        }
    }

    pub(super) fn next_due(&self) -> Option<Timestamp> {
        match self.running {
            Some(running) => Some(running.until),
            None => self.next.into_iter().chain(self.closes).min(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.kept.queue.is_empty() && self.kept.remembered.is_empty()
    }

    fn wants(&self, event: &str, agent: Option<&AgentId>) -> bool {
        self.agent.as_ref().is_none_or(|own| Some(own) == agent)
            && match &self.who {
                Who::Notifier { .. } => notifier::is_told(&self.patterns, event),
                Who::Plugin(plugin) => plugin.wants(event),
            }
    }
}

impl State {
    /// The notifiers and plugins that the configuration wants; those that were there go on with what they have.
    pub(super) fn open_outlets(&mut self, outside: &mut Outside<'_>) {
        let mut old = std::mem::take(&mut self.outlets);
        let usual = [("type".to_owned(), Value::from("terminal_bell"))].into_iter().collect();
        let configured =
            if self.config.notifiers.is_empty() { vec![usual] } else { self.config.notifiers.clone() };
        for (number, settings) in (1..).zip(configured) {
            let name = name_of(&settings, |name| self.outlets.contains_key(name));
            match self.outlet(&settings, None, Origin::Config, outside) {
                Ok(outlet) => {
                    let before = old.remove(&name);
                    self.open(name, outlet, before, outside.now);
                }
                Err(why) => self.troubles.push(format!("notifier {number} (`{name}`): {why}")),
            }
        }
        for plugin in self.config.plugins.clone().into_iter().filter(|plugin| !plugin.decides) {
            let name = format!("plugin {}", plugin.name);
            let before = old.remove(&name);
            let patterns = plugin.events.clone();
            let outlet = Outlet::new(Who::Plugin(plugin), None, Origin::Config, true, patterns);
            self.open(name, outlet, before, outside.now);
        }
        // Those of single agents stay.
        self.outlets.extend(old.into_iter().filter(|(_, outlet)| outlet.agent.is_some()));
    }

    fn open(&mut self, name: String, mut outlet: Outlet, before: Option<Outlet>, now: Timestamp) {
        match before {
            // What is under way goes on, whatever the settings are now.
            Some(before) => {
                outlet.kept = before.kept;
                outlet.running = before.running;
                outlet.trying = before.trying;
                outlet.asked = before.asked;
                outlet.tries = before.tries;
                outlet.told = before.told;
                outlet.trouble = before.trouble;
            }
            None => outlet.kept = self.left_over.remove(&name).unwrap_or_default(),
        }
        outlet.next = (!outlet.kept.queue.is_empty()).then_some(now);
        self.outlets.insert(name, outlet);
    }

    /// A notifier from its settings.
    pub(super) fn outlet(
        &self,
        settings: &Settings,
        agent: Option<AgentId>,
        origin: Origin,
        outside: &Outside<'_>,
    ) -> Result<Outlet, String> {
        let kind = kind_of(settings)?;
        let settings = filled_in(settings, outside.variable)
            .map_err(|variable| format!("it names the variable {variable}, which the daemon does not have; set it and run `sb restart`"))?;
        kind.check(&settings).map_err(|bad| bad.to_string())?;
        let patterns = notifier::patterns(&settings).map_err(|bad| bad.to_string())?;
        let privileged = kind.privileged
            || settings::switch(&settings, "privileged").unwrap_or(false)
            || self.config.privileged.notifiers.iter().any(|name| name == kind.name);
        Ok(Outlet::new(Who::Notifier { kind, settings }, agent, origin, privileged, patterns))
    }

    /// The notifiers of one agent alone come with it.
    pub(super) fn open_agent_outlets(&mut self, id: &AgentId, outside: &Outside<'_>) {
        let Some(agent) = self.agents.get(id) else { return };
        let Some(seat) = self.seats.get(&agent.seat) else { return };
        for (name, settings) in seat.notifiers.clone() {
            if let Ok(outlet) = self.outlet(&settings, Some(id.clone()), Origin::Added, outside) {
                let name = outlet_name(id, &name);
                let before = self.outlets.remove(&name);
                self.open(name, outlet, before, outside.now);
            }
        }
    }

    /// What is still to be told is told; then they are gone with the agent.
    pub(super) fn close_agent_outlets(&mut self, id: &AgentId, now: Timestamp) {
        let text = id.to_string();
        for (name, outlet) in &mut self.outlets {
            if outlet.kept.remembered.remove(&text).is_some() {
                self.dirty.insert(Dirty::Outlet(name.clone()));
            }
        }
        // Its end has still to be heard.
        for outlet in self.outlets.values_mut().filter(|outlet| outlet.agent.as_ref() == Some(id)) {
            outlet.closes = Some(now + LINGER);
        }
    }

    /// Those of agents that are gone go when there is nothing left to tell.
    fn close_idle(&mut self, now: Timestamp) {
        let is_over = |outlet: &Outlet| {
            outlet.closes.is_some_and(|at| at <= now)
                && outlet.kept.queue.is_empty()
                && outlet.running.is_none()
        };
        let over: Vec<String> =
            self.outlets.iter().filter(|(_, outlet)| is_over(outlet)).map(|(name, _)| name.clone()).collect();
        for name in over {
            self.outlets.remove(&name);
            self.effects.push(Effect::Forget { file: kept::outlet_file(&name) });
        }
    }

    /// Something happened: whoever wants to hear of it has it in their queue.
    pub(super) fn tell_outlets(&mut self, event: &Event) {
        let data: Value = serde_json::from_str(event.data.get()).unwrap_or_default();
        let agent = agent_in(&data);
        for (name, outlet) in &mut self.outlets {
            if outlet.wants(&event.event, agent.as_ref()) {
                outlet.kept.queue.push_back(event.clone());
                if outlet.kept.queue.len() > MOST_WAITING {
                    outlet.kept.queue.pop_front();
                }
                outlet.next.get_or_insert(event.ts);
                self.dirty.insert(Dirty::Outlet(name.clone()));
            }
        }
    }

    pub(super) fn outlets_due(&mut self, outside: &mut Outside<'_>) {
        let now = outside.now;
        self.close_idle(now);
        let due = |outlet: &Outlet| outlet.next_due().is_some_and(|at| at <= now) || outlet.asked.is_some();
        let names: Vec<String> =
            self.outlets.iter().filter(|(_, outlet)| due(outlet)).map(|(name, _)| name.clone()).collect();
        for name in names {
            let Some(outlet) = self.outlets.get(&name) else { continue };
            match outlet.running {
                Some(running) if running.until <= now => {
                    self.effects.push(Effect::Abandon);
                    let late = Untold { why: "it does not come back".to_owned(), passing: false };
                    self.told(&name, running.number, Err(late), outside);
                }
                Some(_) => {}
                None => self.tell(&name, now),
            }
        }
    }

    fn tell(&mut self, name: &str, now: Timestamp) {
        let number = self.task();
        let terminals = self.terminals();
        let Some(outlet) = self.outlets.get(name) else { return };
        let asked = outlet.asked.as_ref().map(|(_, _, event)| event);
        let Some(event) = asked.or(outlet.kept.queue.front()) else {
            if let Some(outlet) = self.outlets.get_mut(name) {
                outlet.next = None;
            }
            return;
        };
        let data: Value = serde_json::from_str(event.data.get()).unwrap_or_default();
        let remembered = agent_in(&data).and_then(|agent| outlet.kept.remembered.get(agent.as_str()));
        let (to, time) = match &outlet.who {
            Who::Notifier { kind, settings } => {
                let own = settings::seconds(settings, "timeout").ok().flatten().map(Duration::from_secs);
                let notice = sentences::notice(event, &self.agents);
                (Listener::Notifier { kind, settings: settings.clone(), notice }, own.unwrap_or(TELL_TIME))
            }
            Who::Plugin(plugin) => {
                let to = Listener::Plugin { plugin: plugin.clone(), event: event.clone() };
                (to, signalbox_plugins::time(plugin))
            }
        };
        let job = TellJob {
            task: Task { what: Work::Outlet(name.to_owned()), number },
            to,
            remembered: remembered.cloned().unwrap_or_default(),
            terminals,
            time,
        };
        if let Some(outlet) = self.outlets.get_mut(name) {
            outlet.trying = outlet.asked.is_some();
            outlet.running = Some(Running { number, until: now + super::watches::signed(time) + GRACE });
        }
        self.effects.push(Effect::Tell(Box::new(job)));
    }

    /// Somebody was told, or not.
    pub(super) fn told(
        &mut self,
        name: &str,
        number: u64,
        result: Result<Value, Untold>,
        outside: &mut Outside<'_>,
    ) {
        let now = outside.now;
        let Some(outlet) = self.outlets.get_mut(name) else { return };
        if outlet.running.is_none_or(|running| running.number != number) {
            return;
        }
        outlet.running = None;
        outlet.next = Some(now);
        if std::mem::take(&mut outlet.trying)
            && let Some((connection, id, _)) = outlet.asked.take()
        {
            outlet.trouble = result.as_ref().err().map(ToString::to_string);
            let answer = match result {
                Ok(_) => Answer::of(&Done {}),
                Err(untold) => Answer::Error(
                    Problem::new(Kind::Failure, "notifier.failed", format!("`{name}` told nobody: {untold}"))
                        .hint("Its settings stand in config.toml under `[[notifiers]]`."),
                ),
            };
            self.effects.push(Effect::Answer { connection, id, answer });
            return;
        }
        self.dirty.insert(Dirty::Outlet(name.to_owned()));
        match result {
            Ok(remembered) => {
                let event = outlet.kept.queue.pop_front();
                outlet.told += 1;
                outlet.tries = 0;
                outlet.trouble = None;
                let data =
                    event.map(|event| serde_json::from_str::<Value>(event.data.get()).unwrap_or_default());
                if let Some(agent) = data.as_ref().and_then(agent_in).filter(|_| !remembered.is_null()) {
                    outlet.kept.remembered.insert(agent.to_string(), remembered);
                }
            }
            Err(untold) => {
                outlet.tries += 1;
                let first = outlet.trouble.is_none();
                outlet.trouble = Some(untold.to_string());
                if untold.passing && outlet.tries < MOST_TRIES {
                    outlet.next = Some(now + AGAIN * i32::try_from(outlet.tries).unwrap_or(1));
                } else {
                    outlet.tries = 0;
                    outlet.kept.queue.pop_front();
                }
                if first {
                    self.say(format!("{name}: {untold}"));
                    let data = serde_json::json!({ "notifier": name, "why": untold.to_string() });
                    self.record("notifier.failing", None, data, outside);
                }
            }
        }
    }

    /// Try a notifier out. The answer comes when it is done.
    pub(super) fn try_out(
        &mut self,
        name: &str,
        connection: Connection,
        id: u64,
        event: Event,
    ) -> Result<(), Problem> {
        let known: Vec<String> = self.outlets.keys().cloned().collect();
        let Some(outlet) = self.outlets.get_mut(name) else {
            let problem =
                Problem::new(Kind::NotFound, "notifier.unknown", format!("there is no notifier `{name}`"));
            return Err(problem.hint(format!("There are: {}.", known.join(", "))));
        };
        if outlet.asked.is_some() {
            return Err(Problem::new(
                Kind::Precondition,
                "notifier.busy",
                format!("`{name}` is being tried already"),
            ));
        }
        outlet.asked = Some((connection, id, event));
        Ok(())
    }

    /// Whoever asked has left.
    pub(super) fn forget_questions(&mut self, connection: Connection) {
        for outlet in self.outlets.values_mut() {
            if outlet.running.is_none()
                && outlet.asked.as_ref().is_some_and(|(asker, ..)| *asker == connection)
            {
                outlet.asked = None;
            }
        }
    }

    pub(super) fn notifier_rows(&self) -> Vec<NotifierRow> {
        let row = |(name, outlet): (&String, &Outlet)| NotifierRow {
            name: name.clone(),
            kind: match &outlet.who {
                Who::Notifier { kind, .. } => kind.name.to_owned(),
                Who::Plugin(_) => "plugin".to_owned(),
            },
            agent: outlet.agent.clone(),
            origin: outlet.origin,
            privileged: outlet.privileged,
            events: outlet.patterns.clone(),
            told: outlet.told,
            waiting: outlet.kept.queue.len(),
            trouble: outlet.trouble.clone(),
        };
        self.outlets.iter().map(row).collect()
    }
}

/// The type that settings mean.
pub(super) fn kind_of(settings: &Settings) -> Result<&'static NotifierType, String> {
    let known = || notifier::TYPES.iter().map(|kind| kind.name);
    let all = || format!("there are {}", known().collect::<Vec<_>>().join(", "));
    let Some(Value::String(kind)) = settings.get("type") else {
        return Err(format!("a notifier needs `type`; {}", all()));
    };
    notifier::find(kind).ok_or_else(|| {
        let meant = signalbox_core::nearest(kind, known()).map(|near| format!("did you mean `{near}`?"));
        format!("there is no type of notifier `{kind}`; {}", meant.unwrap_or_else(all))
    })
}

/// Its own name, or its type's, with a number where that is taken.
fn name_of(settings: &Settings, taken: impl Fn(&str) -> bool) -> String {
    let text = |key: &str| settings.get(key).and_then(Value::as_str);
    let first = text("name").or(text("type")).unwrap_or("notifier").to_owned();
    let numbered = (2..).map(|number| format!("{first}-{number}"));
    std::iter::once(first.clone()).chain(numbered).find(|name| !taken(name)).unwrap_or(first)
}

/// A notifier of one agent is told apart from those of others.
pub(super) fn outlet_name(agent: &AgentId, name: &str) -> String {
    format!("{agent}/{name}")
}
