//! How a ticket gets to main: who was set to work on it, what was handed in, and where that is in the merge queue.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::fact::{Cause, Fact, Outcome, StatusChange};
use crate::id::SessionId;
use crate::role::Role;
use crate::status::Status;
use crate::ticket::Ticket;

/// What the orchestrator has to know of one ticket.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Work {
    /// The attempt under way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<Start>,
    /// Since when.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started: Option<Timestamp>,
    /// The session that was last set to work on it, to write tests or to make them pass.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<SessionId>,
    /// Tests that were seen to fail, as the ticket wants them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tests: Option<Tests>,
    /// What was handed in last, and is neither on main nor sent back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub submission: Option<Submission>,
    /// Where that is in the merge queue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub merge: Option<Merge>,
    /// Since when it is there: what goes back without blame keeps its place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queued: Option<Timestamp>,
    /// Since when it is at this stage of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub staged: Option<Timestamp>,
    /// The last run of the queue that had it. Runs only grow, so that one that was thought dead is known by its number.
    pub run: u64,
    /// What reached main.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub landed: Option<Landed>,
    /// How many attempts were made before a person answered: those count no more.
    pub forgiven: usize,
}

/// The data of `attempt.started`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Start {
    pub role: Role,
    /// The agent's name, for people.
    pub agent: String,
    /// The session that all its conversations descend from.
    pub session: SessionId,
    pub branch: String,
    /// The commit of main that the branch began from.
    pub base: String,
}

/// The data of `attempt.tests-ready`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tests {
    /// The commit that holds them and nothing else.
    pub commit: String,
    pub files: Vec<String>,
}

/// The data of `attempt.submitted`: the exact commit that is to be judged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Handed {
    pub commit: String,
    pub branch: String,
    pub place: Place,
}

/// Where the commit is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Place {
    /// In the ticket's own workspace.
    Workspace,
    /// In the person's repository.
    Repository,
}

/// Something handed in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Submission {
    #[serde(flatten)]
    pub handed: Handed,
    /// As whom it was handed in; `None` for a person, or an agent that nobody set to work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    pub by: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    #[serde(serialize_with = "crate::time::serialize")]
    pub at: Timestamp,
    /// Who approved exactly this commit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approved_by: Option<String>,
}

/// Where a submission is in the merge queue. Each is written down before it is begun.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "stage")]
pub enum Merge {
    Queued(Queued),
    Building(Building),
    Validated(Validated),
    Landing(Landing),
    Pushed(Pushed),
}

/// The data of `merge.queued`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Queued {
    pub commit: String,
}

/// The data of `merge.started`: the commit is being put on top of `onto`, together with others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Building {
    pub commit: String,
    /// Which run of the queue; grows, and is what fences off one that was thought dead.
    pub run: u64,
    pub onto: String,
}

/// The data of `merge.validated`: this tree passed, as a whole, all steps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Validated {
    pub commit: String,
    pub run: u64,
    pub onto: String,
    /// The commit that main would become.
    pub tip: String,
    pub tree: String,
    /// The commit on the way there that is this ticket's.
    pub becomes: String,
    /// How many tickets were validated as one. They land together or not at all.
    pub of: usize,
    /// It passed only when it was run again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub flaky: bool,
}

/// The data of `merge.landing`: main is about to be moved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Landing {
    pub commit: String,
    pub run: u64,
    pub from: String,
    pub to: String,
    pub tree: String,
    /// The commit on the way there that is this ticket's.
    pub becomes: String,
    /// How many tickets land together.
    pub of: usize,
}

/// The data of `merge.pushed`: what was validated is a branch of a remote, whose own rules merge it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pushed {
    pub commit: String,
    pub run: u64,
    /// Where main was.
    pub from: String,
    /// The commit that main would become, and its tree.
    pub to: String,
    pub tree: String,
    /// The commit on the way there that is this ticket's.
    pub becomes: String,
    pub remote: String,
    pub branch: String,
}

/// The data of `merge.landed`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Landed {
    /// What was handed in.
    pub commit: String,
    /// What it became on main.
    pub landed: String,
    pub tree: String,
    pub run: u64,
}

/// The data of `merge.failed`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergeFailed {
    pub commit: String,
    pub run: u64,
    pub why: MergeTrouble,
    /// One sentence.
    pub message: String,
    /// The end of what was printed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub output: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// What it would have changed, in a form that is the same for the same change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
}

/// Why a submission did not get to main.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MergeTrouble {
    /// It cannot be put on top of main.
    Conflict,
    /// A validation step failed.
    Validation,
    /// It changes files that its author's role may not.
    Boundary,
    /// It changes what no agent may.
    Protected,
    /// It does not come from main, or its branch was tampered with.
    Ancestry,
    /// There is nothing in it.
    Empty,
    /// The commit cannot be found any more.
    Missing,
    /// A person took it elsewhere when it was about to land.
    Withdrawn,
}

impl Merge {
    /// What was handed in.
    pub fn commit(&self) -> &str {
        match self {
            Self::Queued(at) => &at.commit,
            Self::Building(at) => &at.commit,
            Self::Validated(at) => &at.commit,
            Self::Landing(at) => &at.commit,
            Self::Pushed(at) => &at.commit,
        }
    }

    /// Which run of the queue has it; `None` while it waits.
    pub fn run(&self) -> Option<u64> {
        match self {
            Self::Queued(_) => None,
            Self::Building(at) => Some(at.run),
            Self::Validated(at) => Some(at.run),
            Self::Landing(at) => Some(at.run),
            Self::Pushed(at) => Some(at.run),
        }
    }

    /// The name of the stage.
    pub fn stage(&self) -> &'static str {
        match self {
            Self::Queued(_) => "queued",
            Self::Building(_) => "building",
            Self::Validated(_) => "validated",
            Self::Landing(_) => "landing",
            Self::Pushed(_) => "pushed",
        }
    }

    /// As it stands in a sentence: it is …
    pub fn words(&self) -> &'static str {
        match self {
            Self::Queued(_) => "waiting for its turn",
            Self::Building(_) => "being validated",
            Self::Validated(_) => "validated",
            Self::Landing(_) => "landing on main",
            Self::Pushed(_) => "at the remote, to be merged there",
        }
    }
}

impl MergeFailed {
    /// The same for the same failure.
    pub fn fingerprint(&self) -> String {
        format!("{}: {}", self.why.as_str(), self.message)
    }
}

impl MergeTrouble {
    pub const ALL: [Self; 8] = [
        Self::Conflict,
        Self::Validation,
        Self::Boundary,
        Self::Protected,
        Self::Ancestry,
        Self::Empty,
        Self::Missing,
        Self::Withdrawn,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Conflict => "conflict",
            Self::Validation => "validation",
            Self::Boundary => "boundary",
            Self::Protected => "protected",
            Self::Ancestry => "ancestry",
            Self::Empty => "empty",
            Self::Missing => "missing",
            Self::Withdrawn => "withdrawn",
        }
    }

    /// The trouble that a fingerprint tells of.
    pub fn of_fingerprint(fingerprint: &str) -> Option<Self> {
        let word = fingerprint.split(':').next()?;
        Self::ALL.into_iter().find(|trouble| trouble.as_str() == word)
    }
}

impl Work {
    /// Nothing has happened to it yet.
    pub fn is_untouched(&self) -> bool {
        *self == Self::default()
    }

    /// The attempts that count: those since a person last answered, without those that were nobody's fault, and without
    /// those at reviewing it, which say nothing about the work.
    pub fn counted(ticket: &Ticket) -> usize {
        let since = ticket.attempts.iter().skip(ticket.work.forgiven);
        since.filter(|attempt| attempt.report.counts()).count()
    }

    /// Whether this is another commit than the one that was handed in, if any was.
    pub fn is_newer(&self, handed: &Handed) -> bool {
        self.submission.as_ref().is_none_or(|submission| submission.handed.commit != handed.commit)
    }

    /// Whether a review would still change anything: what was handed in is neither approved nor on its way to main.
    pub fn wants_review(&self) -> bool {
        let is_approved = self.submission.as_ref().is_some_and(|submission| submission.approved_by.is_some());
        self.merge.is_none() && !is_approved
    }

    /// Whether main is about to be moved for it, or has been, and nobody has said so yet.
    pub fn is_landing(&self) -> bool {
        matches!(self.merge, Some(Merge::Landing(_)))
    }

    /// One more happening.
    pub(crate) fn apply(&mut self, fact: &Fact, by: &str, session: Option<&SessionId>, ts: Timestamp) {
        match fact {
            Fact::AttemptStarted(start) => {
                self.start = Some(start.clone());
                self.started = Some(ts);
                // A reviewer looks at what was handed in; everyone else begins anew.
                if start.role != Role::Reviewer {
                    self.last = Some(start.session.clone());
                    self.drop_submission();
                }
            }
            Fact::Submitted(handed) => {
                let role = self.author(session.is_some());
                self.drop_submission();
                self.submission = Some(Submission {
                    handed: handed.clone(),
                    role,
                    by: by.to_owned(),
                    session: session.cloned(),
                    at: ts,
                    approved_by: None,
                });
            }
            Fact::TestsReady(tests) => {
                self.tests = Some(tests.clone());
                self.drop_submission();
            }
            Fact::Attempt(report) => {
                let was_review = self.is_started_as(Role::Reviewer);
                self.drop_start();
                if report.outcome != Outcome::Completed && !was_review {
                    self.drop_submission();
                }
            }
            Fact::Assigned(_) if !self.is_started_as(Role::Reviewer) => self.taken_over(),
            Fact::ReviewApproved(approved) => {
                if let Some(submission) = &mut self.submission
                    && approved.commit.as_ref() == Some(&submission.handed.commit)
                {
                    submission.approved_by = Some(by.to_owned());
                }
            }
            // One that waits is not moved: it goes back to the pool when what it waits for is done.
            Fact::Released(_) => {
                self.drop_start();
                self.drop_submission();
            }
            Fact::Status(to, change) => self.moved(*to, change),
            Fact::MergeQueued(queued) => {
                self.stage(Merge::Queued(queued.clone()), ts);
                self.queued = self.queued.or(Some(ts));
            }
            Fact::MergeStarted(building) => self.stage(Merge::Building(building.clone()), ts),
            Fact::MergeValidated(validated) => self.stage(Merge::Validated(validated.clone()), ts),
            Fact::MergeLanding(landing) => self.stage(Merge::Landing(landing.clone()), ts),
            Fact::MergePushed(pushed) => self.stage(Merge::Pushed((**pushed).clone()), ts),
            Fact::MergeLanded(landed) => {
                self.leave_queue();
                self.landed = Some(landed.clone());
                self.run = self.run.max(landed.run);
            }
            Fact::MergeFailed(_) => self.leave_queue(),
            _ => {}
        }
    }

    /// Whoever moves a ticket elsewhere takes it out of the queue; a block only holds it where it is.
    fn moved(&mut self, to: Status, change: &StatusChange) {
        let is_override = change.cause == Cause::Override;
        if to == Status::Blocked || change.returns() {
            return;
        }
        if change.from == Status::Done {
            // What landed is on main with its tests, which pass. What is wanted now is something else.
            self.tests = None;
            self.landed = None;
        }
        if to == Status::Review {
            if is_override {
                self.taken_over();
            }
            return;
        }
        self.drop_submission();
        if to != Status::InProgress || is_override {
            self.drop_start();
        }
    }

    /// As whom the next thing is handed in. An agent stays what it was after its attempt was written down: nobody gets
    /// round what their role may change by being late.
    fn author(&self, is_agent: bool) -> Option<Role> {
        let now = self.start.as_ref().map(|start| start.role).filter(|role| *role != Role::Reviewer);
        let before = || self.submission.as_ref().and_then(|submission| submission.role).filter(|_| is_agent);
        now.or_else(before)
    }

    fn is_started_as(&self, role: Role) -> bool {
        self.start.as_ref().is_some_and(|start| start.role == role)
    }

    fn stage(&mut self, stage: Merge, ts: Timestamp) {
        self.run = self.run.max(stage.run().unwrap_or_default());
        self.merge = Some(stage);
        self.staged = Some(ts);
    }

    /// A person has it now. Tests that nobody saw fail are not work to be merged.
    fn taken_over(&mut self) {
        self.drop_start();
        if self.submission.as_ref().is_some_and(|submission| submission.role == Some(Role::TestWriter)) {
            self.drop_submission();
        }
    }

    fn drop_start(&mut self) {
        self.start = None;
        self.started = None;
    }

    /// What is landing may be on main already: that is forgotten only when it is known.
    fn drop_submission(&mut self) {
        if self.is_landing() {
            self.submission = None;
        } else {
            self.leave_queue();
        }
    }

    fn leave_queue(&mut self) {
        self.submission = None;
        self.merge = None;
        self.queued = None;
        self.staged = None;
    }
}
