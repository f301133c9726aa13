//! Everything that is known of an agent at one moment.

use signalbox_core::agent::Assessment;

use crate::eye::Seen;

/// A look at the agent.
#[derive(Debug, Clone)]
pub struct Look {
    pub seen: Seen,
    pub assessment: Assessment,
}
