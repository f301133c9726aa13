//! What is said over an agent's socket, in the frames of [`signalbox_pty::frame`]: JSON, both ends from the same binary
//! or not. Unknown fields are ignored.

use serde::{Deserialize, Serialize};
use signalbox_core::agent::{Certainty, State};

/// The version of all of this.
pub const VERSION: u32 = 1;

/// The first word of whoever connects.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    pub v: u32,
    pub wants: Wants,
    /// The size of the terminal that attaches.
    #[serde(default)]
    pub rows: u16,
    #[serde(default)]
    pub cols: u16,
}

/// What whoever connects wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Wants {
    /// To be told about the agent, once.
    About,
    /// To see the screen.
    Watch,
    /// To see it and to type, if nobody else does.
    Seat,
    /// To see it and to type, whoever else does.
    SeatByForce,
    /// That the agent ends.
    Stop,
}

/// About an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    pub v: u32,
    pub agent: String,
    pub state: State,
    pub certainty: Certainty,
    /// Since when, as a timestamp.
    #[serde(default)]
    pub since: Option<String>,
    /// What speaks for the state and against it, a sentence each.
    #[serde(default)]
    pub explained: Vec<String>,
    pub rows: u16,
    pub cols: u16,
    pub watchers: usize,
    /// How many milliseconds ago somebody last typed.
    #[serde(default)]
    pub quiet_ms: Option<u64>,
    /// Whether whoever connected may type.
    pub seated: bool,
}

/// Something that whoever attached should know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Notice {
    SeatTakenOver,
    SeatExpired,
    Ended,
}

impl Notice {
    /// For people.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::SeatTakenOver => "somebody else types now; you are watching",
            Self::SeatExpired => "you have not typed for long; you are only watching now",
            Self::Ended => "the agent has ended",
        }
    }
}
