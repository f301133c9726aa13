//! How much may be done at once, how long it may take, and what must be true before work gets to main.

use std::collections::BTreeMap;

use jiff::SignedDuration;

use crate::id::ProjectName;
use crate::role::Role;

/// The limits of all projects that are run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Limits {
    /// How many agents may be at work at once, over all projects.
    pub agents: usize,
    /// A project that is not named here is not run.
    pub projects: BTreeMap<ProjectName, ProjectLimits>,
}

/// The limits of one project, from its contract.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectLimits {
    /// How many agents may be at work at once.
    pub concurrency: usize,
    /// How many attempts that count are made before a person is asked.
    pub attempts: usize,
    /// How long an agent may give no sign of life.
    pub stall: SignedDuration,
    /// How long one attempt may take.
    pub max_time: SignedDuration,
    /// The shortest wait after an attempt that failed; every further one waits longer.
    pub backoff: SignedDuration,
    /// How long a ticket may wait for others that change the same files.
    pub overlap: SignedDuration,
    pub gates: Gates,
    pub control: Control,
    pub trust: Trust,
    /// The account each role draws on; a role that is not named draws on none that could be empty.
    pub pools: Vec<(Role, String)>,
    /// The question that waits for an answer because no workspace can be set up.
    pub setup_question: Option<String>,
    /// The question that waits for an answer because the remote that merges cannot be reached.
    pub remote_question: Option<String>,
}

/// What has to be true of work before it gets to main.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gates {
    /// The steps of the contract pass.
    pub validate: bool,
    /// Somebody independent approved exactly this commit.
    pub independent: Option<ReviewedBy>,
}

/// Who may approve it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReviewedBy {
    /// An agent, which is set to it.
    Agent,
    Human,
    /// Whoever is first; an agent is set to it.
    Either,
}

/// What a person wants of the loop.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Control {
    #[default]
    Running,
    /// Nobody is set to work, nothing lands; agents go on.
    Paused,
    /// Nobody is set to new work; what is under way is reviewed and merged.
    Draining,
    /// Agents are ended, their work kept.
    Stopping,
}

/// Whether a person trusts the commands in the project's contract, as it is now.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Trust {
    #[default]
    Trusted,
    Untrusted {
        /// One sentence.
        why: String,
        /// The same for the same contract.
        hash: String,
    },
}

impl Default for ProjectLimits {
    fn default() -> Self {
        Self {
            concurrency: 3,
            attempts: 3,
            stall: SignedDuration::from_mins(30),
            max_time: SignedDuration::from_hours(4),
            backoff: SignedDuration::from_mins(1),
            overlap: SignedDuration::from_mins(30),
            gates: Gates { validate: true, independent: None },
            control: Control::Running,
            trust: Trust::Trusted,
            pools: Vec::new(),
            setup_question: None,
            remote_question: None,
        }
    }
}

impl ProjectLimits {
    /// The account that a role draws on.
    pub fn pool(&self, role: Role) -> Option<&str> {
        self.pools.iter().find(|(of, _)| *of == role).map(|(_, pool)| pool.as_str())
    }

    /// Whether the queue may begin anything, or move main.
    pub fn lands(&self) -> bool {
        self.trust == Trust::Trusted && matches!(self.control, Control::Running | Control::Draining)
    }

    /// Whether somebody may be set to work in this role.
    pub(super) fn starts(&self, role: Role) -> bool {
        match self.control {
            Control::Running => true,
            Control::Draining => role == Role::Reviewer,
            Control::Paused | Control::Stopping => false,
        }
    }
}
