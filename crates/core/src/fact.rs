//! What an event says about one ticket, typed. The wire form is the event's name and its data.

use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};

use crate::event::Event;
use crate::id::{SessionId, TicketId};
use crate::priority::Priority;
use crate::role::Role;
use crate::status::Status;
use crate::work::{Building, Handed, Landed, Landing, MergeFailed, Pushed, Queued, Start, Tests, Validated};

/// One happening in the life of a ticket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fact {
    Created(Box<Created>),
    Edited(Box<Edited>),
    Assigned(Assigned),
    Released(Reason),
    Read,
    Held(Reason),
    Unheld(Remark),
    Waived(Waived),
    Checked(Checked),
    Status(Status, Box<StatusChange>),
    Noted(Noted),
    ReviewStarted,
    ReviewApproved(Approved),
    ReviewRejected(Reason),
    ReviewReleased(Reason),
    Attempt(Box<AttemptReport>),
    AttemptStarted(Start),
    TestsReady(Tests),
    Submitted(Handed),
    MergeQueued(Queued),
    MergeStarted(Building),
    MergeValidated(Validated),
    MergeLanding(Landing),
    MergePushed(Box<Pushed>),
    MergeLanded(Landed),
    MergeFailed(Box<MergeFailed>),
}

/// The data of `ticket.created`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Created {
    pub title: String,
    pub status: Status,
    pub priority: Priority,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub body: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<TicketId>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub initiative: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub area: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slug: Option<String>,
    pub needs_tests: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub acceptance: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub services: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub submodule: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
}

/// The data of `ticket.edited`: what is absent stays, an empty text clears.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Edited {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<Priority>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depends_on: Option<Vec<TicketId>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub initiative: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub area: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slug: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needs_tests: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub escalated: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub acceptance: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub services: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub submodule: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<Vec<String>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assigned {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assignee: Option<String>,
}

/// A remark that may be missing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remark {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// The data of `review.approved`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approved {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The one commit that is approved, where one was handed in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
}

/// A reason; empty where none was asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reason {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waived {
    pub depends_on: Vec<TicketId>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checked {
    /// Counted from 1, as people do.
    pub criterion: usize,
    pub met: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Noted {
    pub text: String,
}

/// Why a status changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    Work,
    Review,
    Dependencies,
    Hold,
    Override,
    Release,
    Reopen,
    Merge,
}

/// The data of every `status.*` event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatusChange {
    pub from: Status,
    pub cause: Cause,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waits_on: Vec<TicketId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assignee: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assignee_session: Option<SessionId>,
}

impl StatusChange {
    pub fn new(from: Status, cause: Cause) -> Self {
        Self {
            from,
            cause,
            note: None,
            reason: None,
            waits_on: Vec::new(),
            assignee: None,
            assignee_session: None,
        }
    }

    /// Whether nothing blocks the ticket any more, and it is where it was.
    pub fn returns(&self) -> bool {
        self.from == Status::Blocked && matches!(self.cause, Cause::Hold | Cause::Dependencies)
    }
}

/// How an attempt ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    Completed,
    Failed,
    GaveUpContext,
    GaveUpTests,
    FailedReview,
    /// What was handed in did not get to main.
    FailedMerge,
    /// Its process ended without a word.
    Crashed,
    /// It did nothing for too long, and was ended.
    Stalled,
    /// Its account has nothing left for now.
    OutOfQuota,
    /// A person ended it, or the loop was stopped.
    Stopped,
}

impl Outcome {
    pub const ALL: [Self; 10] = [
        Self::Completed,
        Self::Failed,
        Self::GaveUpContext,
        Self::GaveUpTests,
        Self::FailedReview,
        Self::FailedMerge,
        Self::Crashed,
        Self::Stalled,
        Self::OutOfQuota,
        Self::Stopped,
    ];

    /// Whether it counts against the ticket. An empty account and a person's word say nothing about the work.
    pub fn counts(self) -> bool {
        !matches!(self, Self::Completed | Self::OutOfQuota | Self::Stopped)
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::GaveUpContext => "gave_up_context",
            Self::GaveUpTests => "gave_up_tests",
            Self::FailedReview => "failed_review",
            Self::FailedMerge => "failed_merge",
            Self::Crashed => "crashed",
            Self::Stalled => "stalled",
            Self::OutOfQuota => "out_of_quota",
            Self::Stopped => "stopped",
        }
    }

    pub fn from_word(word: &str) -> Option<Self> {
        let word = word.trim().to_ascii_lowercase().replace('-', "_");
        let word = if word == "context_exhausted" { "gave_up_context" } else { word.as_str() };
        Self::ALL.into_iter().find(|outcome| outcome.as_str() == word)
    }
}

/// What the next one at a ticket should know of an attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttemptReport {
    pub outcome: Outcome,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub summary: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub blockers: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub learnings: String,
    #[serde(default)]
    pub branch_kept: bool,
    /// As whom it was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// What failed, in a form that is the same when it fails the same way again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// What had been changed, likewise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
}

impl AttemptReport {
    /// That it ended so, with a sentence.
    pub fn new(outcome: Outcome, summary: impl Into<String>) -> Self {
        Self {
            outcome,
            summary: summary.into(),
            blockers: String::new(),
            learnings: String::new(),
            branch_kept: false,
            role: None,
            failure: None,
            diff: None,
        }
    }

    /// Whether it counts against the work. That nobody managed to review it does not.
    pub fn counts(&self) -> bool {
        self.outcome.counts() && self.role != Some(Role::Reviewer)
    }
}

impl Fact {
    /// The event's name.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Created(_) => "ticket.created",
            Self::Edited(_) => "ticket.edited",
            Self::Assigned(_) => "ticket.assigned",
            Self::Released(_) => "ticket.released",
            Self::Read => "ticket.read",
            Self::Held(_) => "ticket.held",
            Self::Unheld(_) => "ticket.unheld",
            Self::Waived(_) => "ticket.waived",
            Self::Checked(_) => "ticket.checked",
            Self::Status(Status::Backlog, _) => "status.backlog",
            Self::Status(Status::Open, _) => "status.open",
            Self::Status(Status::InProgress, _) => "status.in-progress",
            Self::Status(Status::Review, _) => "status.review",
            Self::Status(Status::Rework, _) => "status.rework",
            Self::Status(Status::Done, _) => "status.done",
            Self::Status(Status::Blocked, _) => "status.blocked",
            Self::Noted(_) => "note.added",
            Self::ReviewStarted => "review.started",
            Self::ReviewApproved(_) => "review.approved",
            Self::ReviewRejected(_) => "review.rejected",
            Self::ReviewReleased(_) => "review.released",
            Self::Attempt(_) => "attempt.recorded",
            Self::AttemptStarted(_) => "attempt.started",
            Self::TestsReady(_) => "attempt.tests-ready",
            Self::Submitted(_) => "attempt.submitted",
            Self::MergeQueued(_) => "merge.queued",
            Self::MergeStarted(_) => "merge.started",
            Self::MergeValidated(_) => "merge.validated",
            Self::MergeLanding(_) => "merge.landing",
            Self::MergePushed(_) => "merge.pushed",
            Self::MergeLanded(_) => "merge.landed",
            Self::MergeFailed(_) => "merge.failed",
        }
    }

    /// The event's data.
    pub fn data(&self) -> serde_json::Result<Box<RawValue>> {
        match self {
            Self::Created(data) => to_raw_value(data),
            Self::Edited(data) => to_raw_value(data),
            Self::Assigned(data) => to_raw_value(data),
            Self::Released(data)
            | Self::Held(data)
            | Self::ReviewRejected(data)
            | Self::ReviewReleased(data) => to_raw_value(data),
            Self::Unheld(data) => to_raw_value(data),
            Self::ReviewApproved(data) => to_raw_value(data),
            Self::Waived(data) => to_raw_value(data),
            Self::Checked(data) => to_raw_value(data),
            Self::Status(_, data) => to_raw_value(data),
            Self::Noted(data) => to_raw_value(data),
            Self::Attempt(data) => to_raw_value(data),
            Self::AttemptStarted(data) => to_raw_value(data),
            Self::TestsReady(data) => to_raw_value(data),
            Self::Submitted(data) => to_raw_value(data),
            Self::MergeQueued(data) => to_raw_value(data),
            Self::MergeStarted(data) => to_raw_value(data),
            Self::MergeValidated(data) => to_raw_value(data),
            Self::MergeLanding(data) => to_raw_value(data),
            Self::MergePushed(data) => to_raw_value(data),
            Self::MergeLanded(data) => to_raw_value(data),
            Self::MergeFailed(data) => to_raw_value(data),
            Self::Read | Self::ReviewStarted => to_raw_value(&serde_json::Map::new()),
        }
    }

    /// What an event says about a ticket; `None` where it says nothing that counts.
    pub fn of(event: &Event) -> serde_json::Result<Option<Self>> {
        let data = event.data.get();
        let fact = match event.event.as_str() {
            "ticket.created" => Self::Created(serde_json::from_str(data)?),
            "ticket.edited" => Self::Edited(serde_json::from_str(data)?),
            "ticket.assigned" => Self::Assigned(serde_json::from_str(data)?),
            "ticket.released" => Self::Released(serde_json::from_str(data)?),
            "ticket.read" => Self::Read,
            "ticket.held" => Self::Held(serde_json::from_str(data)?),
            "ticket.unheld" => Self::Unheld(serde_json::from_str(data)?),
            "ticket.waived" => Self::Waived(serde_json::from_str(data)?),
            "ticket.checked" => Self::Checked(serde_json::from_str(data)?),
            "note.added" => Self::Noted(serde_json::from_str(data)?),
            "review.started" => Self::ReviewStarted,
            "review.approved" => Self::ReviewApproved(serde_json::from_str(data)?),
            "review.rejected" => Self::ReviewRejected(serde_json::from_str(data)?),
            "review.released" => Self::ReviewReleased(serde_json::from_str(data)?),
            "attempt.recorded" => Self::Attempt(serde_json::from_str(data)?),
            "attempt.started" => Self::AttemptStarted(serde_json::from_str(data)?),
            "attempt.tests-ready" => Self::TestsReady(serde_json::from_str(data)?),
            "attempt.submitted" => Self::Submitted(serde_json::from_str(data)?),
            "merge.queued" => Self::MergeQueued(serde_json::from_str(data)?),
            "merge.started" => Self::MergeStarted(serde_json::from_str(data)?),
            "merge.validated" => Self::MergeValidated(serde_json::from_str(data)?),
            "merge.landing" => Self::MergeLanding(serde_json::from_str(data)?),
            "merge.pushed" => Self::MergePushed(serde_json::from_str(data)?),
            "merge.landed" => Self::MergeLanded(serde_json::from_str(data)?),
            "merge.failed" => Self::MergeFailed(serde_json::from_str(data)?),
            name => match name.strip_prefix("status.").and_then(Status::from_name) {
                Some(status) => Self::Status(status, serde_json::from_str(data)?),
                None => return Ok(None),
            },
        };
        Ok(Some(fact))
    }

    /// The fields of its data with their values as people read them, named as in a ticket's file.
    pub fn changed_fields(&self) -> Vec<(String, String)> {
        fn shown(value: &serde_json::Value) -> String {
            match value {
                serde_json::Value::String(text) => text.clone(),
                serde_json::Value::Array(items) => items.iter().map(shown).collect::<Vec<_>>().join(", "),
                other => other.to_string(),
            }
        }
        let data = self.data().ok();
        let fields: Option<serde_json::Map<_, _>> =
            data.and_then(|data| serde_json::from_str(data.get()).ok());
        fields
            .unwrap_or_default()
            .iter()
            .map(|(name, value)| (name.replace('_', "-"), shown(value)))
            .collect()
    }

    /// Whether it changes the ticket and so stands in its file and counts in its `rev`. The single steps of a merge
    /// do not: the file tells how it went.
    pub fn changes_ticket(&self) -> bool {
        !matches!(self, Self::Read | Self::MergeStarted(_) | Self::MergeValidated(_) | Self::MergeLanding(_))
    }
}
