//! Which agents run above a process: what an agent cannot shed by dropping its environment.

use std::io;

use signalbox_core::{Agent, SessionId};

use crate::config::Config;
use crate::home::Home;
use crate::process::{self, Process};
use crate::session;

/// An agent that runs above this process.
#[derive(Debug, Clone)]
pub struct Above {
    pub agent: Agent,
    pub program: String,
    /// Its session was registered when it started; else it is known by its program alone.
    pub registered: bool,
}

/// The agents above this process, the nearest first.
pub fn agents_among(home: &Home, config: &Config, ancestors: &[Process]) -> io::Result<Vec<Above>> {
    let anything_registered = home.processes().is_dir();
    let mut found: Vec<Above> = Vec::new();
    let mut below_is_agent = false;
    for ancestor in ancestors.iter().rev() {
        let registered = if anything_registered { session::of_process(home, ancestor)? } else { None };
        let program = program(config, ancestor);
        let above = found.last();
        if let Some(id) = registered {
            let agent = match session::load(home, &id)? {
                Some(session) => session.agent(),
                None => Agent { name: id.to_string(), session: id, lineage: chain(above) },
            };
            found.push(Above { agent, program, registered: true });
            below_is_agent = true;
        } else if config.is_agent_program(&program) {
            // An agent CLI is often several processes of one name, one below the other: that is one agent.
            let same = below_is_agent && above.is_some_and(|above| above.program == program);
            if !same
                && let Ok(id) = SessionId::parse(&format!("{program}.{}.{}", ancestor.pid, ancestor.started))
            {
                let agent = Agent { name: program.clone(), session: id, lineage: chain(above) };
                found.push(Above { agent, program, registered: false });
            }
            below_is_agent = true;
        } else {
            below_is_agent = false;
        }
    }
    found.reverse();
    Ok(found)
}

/// The agent CLI that a process runs, or else its own name.
pub fn program(config: &Config, process: &Process) -> String {
    let names = process::program_names(process);
    names.into_iter().find(|name| config.is_agent_program(name)).unwrap_or_else(|| process.name.clone())
}

/// The lineage of whoever runs below this agent.
pub fn chain(above: Option<&Above>) -> Vec<SessionId> {
    above.map(|above| descends_from(&above.agent)).unwrap_or_default()
}

/// The lineage of whoever was started by this agent.
pub fn descends_from(agent: &Agent) -> Vec<SessionId> {
    agent.lineage.iter().cloned().chain([agent.session.clone()]).collect()
}
