//! What can be asked for.

use crate::fact::AttemptReport;
use crate::id::{ProjectName, TicketId};
use crate::priority::Priority;
use crate::status::Status;
use crate::work::{Building, Handed, Landed, Landing, MergeFailed, Pushed, Start, Tests, Validated};

/// A request to change something. Reading needs no command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    New(Box<NewTicket>),
    /// File several, all or none. One may depend on those before it.
    NewAll(Vec<NewTicket>),
    /// Claim a ticket.
    Pick {
        id: TicketId,
    },
    /// Claim the first of these that is ready; they are given in the order of work.
    Pop {
        candidates: Vec<TicketId>,
    },
    /// `sb status`: whatever leads to that status from where the ticket is.
    Move {
        id: TicketId,
        to: Status,
        text: Option<String>,
    },
    Submit {
        id: TicketId,
        note: Option<String>,
        /// The commit that is handed in, where the project's work is merged by the queue.
        handed: Option<Handed>,
    },
    Note {
        id: TicketId,
        text: String,
    },
    Release {
        id: TicketId,
        reason: String,
        report: Option<AttemptReport>,
    },
    Review {
        id: TicketId,
    },
    Approve {
        id: TicketId,
        note: Option<String>,
    },
    Reject {
        id: TicketId,
        reason: String,
    },
    Check {
        id: TicketId,
        criterion: usize,
        met: bool,
    },
    Edit {
        id: TicketId,
        changes: Box<Changes>,
    },
    /// Have tickets wait for a human's answer, and others no longer.
    Escalate {
        hold: Vec<TicketId>,
        free: Vec<TicketId>,
    },
    Assign {
        id: TicketId,
        assignee: Option<String>,
    },
    Hold {
        id: TicketId,
        reason: String,
    },
    Unhold {
        id: TicketId,
        note: Option<String>,
    },
    Override {
        id: TicketId,
        to: Status,
        reason: String,
    },
    Close {
        id: TicketId,
        note: Option<String>,
    },
    Reopen {
        id: TicketId,
        reason: String,
    },
    /// The orchestrator sets an agent to work.
    Start {
        id: TicketId,
        start: Start,
    },
    /// The orchestrator found that an attempt is over.
    EndAttempt {
        id: TicketId,
        report: Box<AttemptReport>,
        ending: Ending,
    },
    /// What was handed in goes into the merge queue.
    Queue {
        id: TicketId,
    },
    /// The merge queue goes a step further with these.
    Merge {
        steps: Vec<(TicketId, MergeStep)>,
    },
}

/// Where a ticket goes when an attempt has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// To whom it was handed in: it stays where it is.
    Submitted,
    /// Back to the pool, with tests that fail as they should.
    TestsReady(Tests),
    /// Back to the pool.
    Pool,
}

/// One step of a merge, for one ticket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MergeStep {
    Started(Building),
    Validated(Validated),
    Landing(Landing),
    Pushed(Box<Pushed>),
    Landed(Landed),
    Failed(MergeFailed),
    /// Back to its place in the queue: main moved, or it was not this one's fault.
    Back {
        run: u64,
    },
}

impl MergeStep {
    /// What it is called: `landing`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Started(_) => "started",
            Self::Validated(_) => "validated",
            Self::Landing(_) => "landing",
            Self::Pushed(_) => "pushed",
            Self::Landed(_) => "landed",
            Self::Failed(_) => "failed",
            Self::Back { .. } => "back",
        }
    }

    /// The commit it is about.
    pub fn commit(&self) -> Option<&str> {
        match self {
            Self::Started(step) => Some(&step.commit),
            Self::Validated(step) => Some(&step.commit),
            Self::Landing(step) => Some(&step.commit),
            Self::Pushed(step) => Some(&step.commit),
            Self::Landed(step) => Some(&step.commit),
            Self::Failed(step) => Some(&step.commit),
            Self::Back { .. } => None,
        }
    }
}

/// A ticket to be filed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTicket {
    /// Chosen by the caller, who knows which ids are taken.
    pub id: TicketId,
    pub project: ProjectName,
    pub title: String,
    pub body: String,
    pub priority: Priority,
    pub backlog: bool,
    pub depends_on: Vec<TicketId>,
    pub tags: Vec<String>,
    pub initiative: Option<String>,
    pub area: Option<String>,
    pub slug: Option<String>,
    pub needs_tests: bool,
    pub acceptance: Vec<String>,
    pub branch: Option<String>,
    pub services: Vec<String>,
    pub submodule: Option<String>,
    /// What it will change, as far as anybody can say: paths and patterns below the root.
    pub files: Vec<String>,
}

impl NewTicket {
    /// A ticket with a title and otherwise the defaults.
    pub fn titled(id: TicketId, project: ProjectName, title: impl Into<String>) -> Self {
        Self {
            id,
            project,
            title: title.into(),
            body: String::new(),
            priority: Priority::default(),
            backlog: false,
            depends_on: Vec::new(),
            tags: Vec::new(),
            initiative: None,
            area: None,
            slug: None,
            needs_tests: true,
            acceptance: Vec::new(),
            branch: None,
            services: Vec::new(),
            submodule: None,
            files: Vec::new(),
        }
    }
}

/// Changes to a ticket's fields: what is `None` stays, an empty text clears.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changes {
    pub title: Option<String>,
    pub priority: Option<Priority>,
    pub add_depends_on: Vec<TicketId>,
    pub remove_depends_on: Vec<TicketId>,
    pub add_tags: Vec<String>,
    pub remove_tags: Vec<String>,
    pub initiative: Option<String>,
    pub area: Option<String>,
    pub slug: Option<String>,
    pub needs_tests: Option<bool>,
    pub escalated: Option<bool>,
    pub add_acceptance: Vec<String>,
    pub branch: Option<String>,
    pub services: Option<Vec<String>>,
    pub submodule: Option<String>,
    pub files: Option<Vec<String>>,
}

impl Command {
    /// The tickets it names, whose surroundings the rules need to see.
    pub fn tickets(&self) -> Vec<&TicketId> {
        match self {
            Self::New(new) => new.depends_on.iter().collect(),
            Self::NewAll(all) => all.iter().flat_map(|new| &new.depends_on).collect(),
            Self::Pop { candidates } => candidates.iter().collect(),
            Self::Escalate { hold, free } => hold.iter().chain(free).collect(),
            Self::Edit { id, changes } => std::iter::once(id).chain(&changes.add_depends_on).collect(),
            Self::Pick { id }
            | Self::Move { id, .. }
            | Self::Submit { id, .. }
            | Self::Note { id, .. }
            | Self::Release { id, .. }
            | Self::Review { id }
            | Self::Approve { id, .. }
            | Self::Reject { id, .. }
            | Self::Check { id, .. }
            | Self::Assign { id, .. }
            | Self::Hold { id, .. }
            | Self::Unhold { id, .. }
            | Self::Override { id, .. }
            | Self::Close { id, .. }
            | Self::Reopen { id, .. }
            | Self::Start { id, .. }
            | Self::EndAttempt { id, .. }
            | Self::Queue { id } => vec![id],
            Self::Merge { steps } => steps.iter().map(|(id, _)| id).collect(),
        }
    }
}
