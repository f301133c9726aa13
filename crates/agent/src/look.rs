//! Everything that is known of an agent at one moment.

use signalbox_core::agent::Assessment;
use signalbox_drivers::terminal::{Reading, Sight};

/// A look at the agent.
#[derive(Debug, Clone)]
pub struct Look {
    pub sight: Sight,
    pub reading: Reading,
    pub assessment: Assessment,
    /// Whether the program asked for pastes to be marked as such.
    pub brackets_paste: bool,
}
