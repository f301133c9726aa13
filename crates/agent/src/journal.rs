//! The event log as an agent sees it: what its hooks wrote since it last looked, and what it writes itself.

use serde_json::{Value, json};
use signalbox_core::{AgentId, Event, ProjectName, SessionId, Who};
use signalbox_store::log::{EventLog, FileLog, Item, LogError, Position, Tail};
use signalbox_store::{Home, clock, new_event_id};

/// Follows the log for one agent.
#[derive(Debug)]
pub struct Journal {
    log: FileLog,
    agent: AgentId,
    project: Option<ProjectName>,
    seen: Position,
    /// The conversations that its CLI had inside this agent, the newest last.
    sessions: Vec<SessionId>,
}

impl Journal {
    /// From now on.
    pub fn open(home: &Home, agent: &AgentId, project: Option<ProjectName>) -> Result<Self, LogError> {
        let log = FileLog::new(home.events());
        let seen = log.end()?;
        Ok(Self { log, agent: agent.clone(), project, seen, sessions: Vec::new() })
    }

    pub fn sessions(&self) -> &[SessionId] {
        &self.sessions
    }

    /// What this agent's sessions did since the last time.
    pub fn news(&mut self) -> Result<Vec<Event>, LogError> {
        if self.log.is_at_end(&self.seen)? {
            return Ok(Vec::new());
        }
        let mut news = Vec::new();
        let (agent, sessions) = (self.agent.as_str(), &mut self.sessions);
        self.seen = self.log.read_after(&self.seen, Tail::Live, &mut |_, item| {
            let Item::Event(event) = item else { return };
            let Some(session) = event.session.clone() else { return };
            // The session that the agent was set to work as is no conversation: nobody can go on with it.
            if event.event == "session.started" && session.as_str() != agent && is_inside(&event, agent) {
                sessions.retain(|known| *known != session);
                sessions.push(session.clone());
            }
            if sessions.contains(&session) {
                news.push(*event);
            }
        })?;
        Ok(news)
    }

    /// Write down what happened to the agent. The work goes on where that fails; the reason is returned.
    pub fn write(&self, name: &str, data: Value) -> Result<(), LogError> {
        self.scribe().write(name, data)
    }

    /// Somebody else who writes down what happens to the agent.
    pub fn scribe(&self) -> Scribe {
        Scribe { log: self.log.clone(), agent: self.agent.clone(), project: self.project.clone() }
    }
}

/// Writes down what happens to one agent.
#[derive(Debug, Clone)]
pub struct Scribe {
    log: FileLog,
    agent: AgentId,
    project: Option<ProjectName>,
}

impl Scribe {
    pub fn write(&self, name: &str, mut data: Value) -> Result<(), LogError> {
        if let Some(fields) = data.as_object_mut() {
            fields.insert("agent".to_owned(), json!(self.agent.as_str()));
        }
        let (id, now) = (new_event_id(), clock::now());
        let event = Event::apart(id, now, name, &Who::System, self.project.clone(), &data)
            .map_err(LogError::Encode)?;
        self.log.record(&event)
    }
}

/// Whether a session says that it began inside this agent.
fn is_inside(event: &Event, agent: &str) -> bool {
    let data: Value = serde_json::from_str(event.data.get()).unwrap_or_default();
    data["agent"] == agent
}
