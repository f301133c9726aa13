//! Who is asking. Not what a name or variable says, but what was minted and what runs above.
//!
//! A session is known by its capability, a secret handed to it when it started, and by its processes: an
//! ancestor that was registered at the session's start, or that runs a program known to be an agent. Where
//! the two disagree the processes win, because a variable is inherited and can be copied. Whoever has
//! neither is the human.

use signalbox_core::{Agent, SessionId, Who};
pub use signalbox_store::above::{Above, agents_among, descends_from, program};
use signalbox_store::config::Config;
use signalbox_store::process;
use signalbox_store::{Home, session};

use signalbox_desk::error::CommandError;

pub const CAPABILITY: &str = "SIGNALBOX_SESSION";

/// The asker, and where it keeps its current ticket.
#[derive(Debug, Clone)]
pub struct Identity {
    pub who: Who,
    /// Some agent, unknown which: it may read, but change nothing.
    pub unverified: Option<Unverified>,
    /// The session's or the terminal's.
    pub desk: String,
}

/// Why it cannot be known who asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unverified {
    /// A capability was shown that was never minted, or whose session has ended.
    Capability,
    /// The processes above cannot be seen from here, and this session may be one of them.
    OutOfSight(SessionId),
    /// The environment says that an agent CLI started this, but none can be found.
    Marked,
}

/// Work out who asks.
pub fn resolve(home: &Home, config: &Config) -> Result<Identity, CommandError> {
    let ancestors = process::ancestors();
    let agents = agents_among(home, config, &ancestors)?;
    let shown = std::env::var(CAPABILITY).ok().filter(|word| !word.is_empty());
    let minted = match &shown {
        Some(word) => session::verify(home, word)?,
        None => None,
    };
    let unverified = if minted.is_some() || !agents.is_empty() {
        None
    } else if shown.is_some() {
        Some(Unverified::Capability)
    } else if let Some(session) = session::out_of_sight(home)? {
        Some(Unverified::OutOfSight(session))
    } else {
        let marked =
            config.knows_agent_programs() && std::env::var_os("CLAUDECODE").is_some_and(|v| v == "1");
        marked.then_some(Unverified::Marked)
    };
    let agent = match (agents.into_iter().next(), minted) {
        (Some(nearest), Some(minted)) if !nearest.registered && speaks_for(&minted, &nearest) => {
            Some(minted.agent())
        }
        // A subagent runs in its parent's process, and is told apart by what it was handed.
        (Some(nearest), Some(minted))
            if minted.subagent.is_some() && minted.lineage.last() == Some(&nearest.agent.session) =>
        {
            Some(minted.agent())
        }
        (Some(nearest), _) => Some(nearest.agent),
        (None, Some(minted)) => Some(minted.agent()),
        (None, None) if unverified.is_some() => {
            Some(Agent { name: "unknown agent".into(), session: unknown_session()?, lineage: Vec::new() })
        }
        (None, None) => None,
    };
    let desk = match &agent {
        Some(agent) => agent.session.to_string(),
        None => match process::terminal_session() {
            Some((leader, started)) => format!("terminal-{leader}-{started}"),
            None => "terminal".to_owned(),
        },
    };
    Ok(Identity { who: agent.map_or(Who::Human, Who::Agent), unverified, desk })
}

fn unknown_session() -> Result<SessionId, CommandError> {
    SessionId::parse("unknown").map_err(|e| CommandError::failed("identity", &e))
}

/// Whether a capability belongs to an agent that is known by its program alone: same program, and the
/// process it was minted for is not another one that still runs.
fn speaks_for(minted: &session::Session, nearest: &Above) -> bool {
    let elsewhere = minted.process.as_ref().is_some_and(|p| process::is_running(p.pid, p.started));
    minted.cli == nearest.program && !elsewhere
}
