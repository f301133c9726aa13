//! A ticket: everything its events add up to.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::fact::{AttemptReport, Outcome};
use crate::id::{EventId, ProjectName, SessionId, TicketId};
use crate::priority::Priority;
use crate::status::Status;
use crate::who::Who;
use crate::work::Work;

/// The state of one ticket: the fold of its events and of nothing else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ticket {
    pub id: TicketId,
    pub title: String,
    pub project: ProjectName,
    pub status: Status,
    /// Where a blocked ticket goes back to.
    pub prior_status: Option<Status>,
    pub assignee: Option<String>,
    pub assignee_session: Option<SessionId>,
    pub reviewer: Option<Reviewer>,
    pub priority: Priority,
    pub depends_on: Vec<TicketId>,
    /// Dependencies that a human's override no longer waits for.
    pub waived: Vec<TicketId>,
    pub hold: Option<Hold>,
    pub tags: Vec<String>,
    pub initiative: Option<String>,
    pub area: Option<String>,
    pub slug: Option<String>,
    pub needs_tests: bool,
    pub attempts: Vec<Attempt>,
    pub last_outcome: Option<Outcome>,
    pub escalated: bool,
    pub acceptance: Vec<Criterion>,
    pub completion_notes: Option<String>,
    pub branch: Option<String>,
    pub services: Vec<String>,
    pub submodule: Option<String>,
    /// What it will change, as far as anybody could say beforehand.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// How it gets to main.
    #[serde(default, skip_serializing_if = "Work::is_untouched")]
    pub work: Work,
    #[serde(serialize_with = "crate::time::serialize")]
    pub created: Timestamp,
    #[serde(serialize_with = "crate::time::serialize")]
    pub updated: Timestamp,
    /// How many events have changed it.
    pub rev: u64,
    /// A note was written since the present work began.
    pub noted: bool,
    /// Which sessions had to do with it, the first of each kind.
    pub touches: Vec<Touch>,
}

/// Who is reviewing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reviewer {
    pub name: String,
    pub session: Option<SessionId>,
}

/// A human's stop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hold {
    pub reason: String,
    #[serde(serialize_with = "crate::time::serialize")]
    pub since: Timestamp,
}

/// Something that must be true when the ticket is done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Criterion {
    pub text: String,
    pub met: bool,
}

/// One attempt and who made it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    pub by: String,
    #[serde(serialize_with = "crate::time::serialize")]
    pub ts: Timestamp,
    #[serde(flatten)]
    pub report: AttemptReport,
}

/// That a session had to do with the ticket, and by which event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Touch {
    pub session: SessionId,
    pub lineage: Vec<SessionId>,
    pub kind: TouchKind,
    pub event: EventId,
    pub name: String,
    #[serde(serialize_with = "crate::time::serialize")]
    pub ts: Timestamp,
}

/// How a session had to do with a ticket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TouchKind {
    Created,
    Read,
    Worked,
    /// As its reviewer: this alone never disqualifies.
    Reviewed,
}

impl Ticket {
    /// A ticket whose creation is not known: its record was damaged, or is yet to be read.
    pub(crate) fn unknown(id: TicketId, project: ProjectName, ts: Timestamp) -> Self {
        Self {
            title: format!("{id} (its creation record is damaged)"),
            id,
            project,
            status: Status::Open,
            prior_status: None,
            assignee: None,
            assignee_session: None,
            reviewer: None,
            priority: Priority::default(),
            depends_on: Vec::new(),
            waived: Vec::new(),
            hold: None,
            tags: Vec::new(),
            initiative: None,
            area: None,
            slug: None,
            needs_tests: true,
            attempts: Vec::new(),
            last_outcome: None,
            escalated: false,
            acceptance: Vec::new(),
            completion_notes: None,
            branch: None,
            services: Vec::new(),
            submodule: None,
            files: Vec::new(),
            work: Work::default(),
            created: ts,
            updated: ts,
            rev: 0,
            noted: false,
            touches: Vec::new(),
        }
    }

    /// Whether the ticket is this asker's to work on. A session goes on with what the one it came from began.
    pub fn is_assigned_to(&self, who: &Who) -> bool {
        match (&self.assignee, who) {
            (Some(_), Who::Agent(agent)) => {
                self.assignee_session
                    .as_ref()
                    .is_some_and(|s| *s == agent.session || agent.lineage.contains(s))
                    || (self.assignee_session.is_none() && self.names(who))
            }
            (Some(name), who) => self.assignee_session.is_none() && name == who.name(),
            (None, _) => false,
        }
    }

    /// Whether the assignee's name means this asker: a human may assign by name or by session.
    fn names(&self, who: &Who) -> bool {
        self.assignee.as_deref().is_some_and(|name| {
            name == who.name() || who.session().is_some_and(|session| session.as_str() == name)
        })
    }

    pub fn is_reviewed_by(&self, who: &Who) -> bool {
        self.reviewer.as_ref().is_some_and(|reviewer| match who.session() {
            Some(session) => reviewer.session.as_ref() == Some(session),
            None => reviewer.session.is_none() && reviewer.name == who.name(),
        })
    }

    /// Open, not escalated, and free or meant for this asker.
    pub fn is_ready_for(&self, who: &Who) -> bool {
        self.status == Status::Open
            && !self.escalated
            && (self.assignee.is_none() || self.is_assigned_to(who))
    }
}
