//! Who asks for a command, or did what an event tells.

use serde::{Deserialize, Serialize};

use crate::id::SessionId;
use crate::refusal::Refusal;

/// The asker. Never taken from a name or variable the asker could set: see the CLI's `identity`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Who {
    Human,
    Agent(Agent),
    /// Signalbox itself, for what follows from another's act.
    System,
}

/// One session of an agent CLI, with the sessions it was started from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agent {
    pub name: String,
    pub session: SessionId,
    /// Its ancestors, the oldest first, without itself.
    pub lineage: Vec<SessionId>,
}

impl Who {
    /// The name that stands in events and files.
    pub fn name(&self) -> &str {
        match self {
            Self::Human => "human",
            Self::Agent(agent) => &agent.name,
            Self::System => "sb",
        }
    }

    pub fn session(&self) -> Option<&SessionId> {
        match self {
            Self::Agent(agent) => Some(&agent.session),
            Self::Human | Self::System => None,
        }
    }

    pub fn lineage(&self) -> &[SessionId] {
        match self {
            Self::Agent(agent) => &agent.lineage,
            Self::Human | Self::System => &[],
        }
    }

    /// Refuse what agents may not do: "only a human may …".
    pub fn must_be_human(&self, what: &str) -> Result<(), Refusal> {
        if !self.is_agent() {
            return Ok(());
        }
        let message = format!("only a human may {what}, and {} is an agent", self.name());
        Err(Refusal::new("human.only", message).hint("Say in a note what you need and why: `sb note \"…\"`."))
    }

    pub fn is_agent(&self) -> bool {
        matches!(self, Self::Agent(_))
    }
}
