//! Why a ticket is where it is: one reason, one sentence, and what a person can do about it. Every face says these words.

use std::fmt;

use jiff::{SignedDuration, Timestamp};

use super::fleet::EndReason;
use super::limits::{Control, ReviewedBy};
use super::trouble::Question;
use crate::id::TicketId;
use crate::role::Role;
use crate::work::Merge;

/// The one reason that a ticket is where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    Done {
        /// The commit that it is on main as, where the queue put it there.
        landed: Option<String>,
    },
    /// Its project is not run by a loop.
    NotRun,
    Backlog,
    Held {
        reason: String,
        waits_for: Vec<TicketId>,
    },
    Waits {
        waits_for: Vec<TicketId>,
    },
    /// A question about it waits for a person's answer.
    Escalated {
        escalation: Option<String>,
    },
    /// A question about it is about to be asked.
    Asking {
        question: Question,
    },
    /// Somebody has it whom the loop did not set to work.
    Somebodys {
        name: String,
    },
    /// A person wants nothing to be started or to land.
    Control {
        control: Control,
    },
    Untrusted {
        why: String,
    },
    /// An agent is being started.
    Starting {
        role: Role,
    },
    /// It is this one's turn.
    Starts {
        role: Role,
    },
    Working {
        agent: String,
        role: Role,
        time: SignedDuration,
    },
    /// Its agent waits for a permission or an answer.
    NeedsPerson {
        agent: String,
        time: SignedDuration,
        /// When it is ended, if nobody comes.
        left: SignedDuration,
    },
    /// A person has claimed its agent.
    Claimed {
        agent: String,
    },
    Ending {
        agent: String,
        reason: EndReason,
    },
    /// Its agent has handed in its work and says its last words.
    Finishing {
        agent: String,
    },
    /// Its attempt is over, and that is being written down.
    Ended,
    /// The tests that were written for it are run: they must fail.
    CheckingTests,
    /// It is in review without a commit, and so a person's to judge.
    ByHand,
    /// It waits for somebody to review it.
    Unreviewed {
        by: ReviewedBy,
    },
    BeingReviewed {
        by: String,
    },
    /// Everything that is asked of it is there.
    Enqueues,
    InQueue {
        stage: Stage,
        /// How many are before it.
        before: usize,
        /// How long it is at this stage.
        time: SignedDuration,
    },
    /// It is a branch of a remote, whose own rules merge it.
    AtRemote {
        remote: String,
        branch: String,
        time: SignedDuration,
    },
    BackOff {
        attempts: usize,
        until: Timestamp,
        left: SignedDuration,
    },
    OutOfQuota {
        pool: String,
        until: Timestamp,
        left: SignedDuration,
    },
    /// Something of our own did not work for it.
    Unready {
        why: String,
        left: SignedDuration,
    },
    /// As many agents are at work as may be.
    NoRoom {
        running: usize,
        /// How many tickets are before it.
        before: usize,
        /// It is the limit over all projects that is reached.
        overall: bool,
    },
    Overlaps {
        with: TicketId,
        file: String,
        /// When it waits no longer for that.
        left: SignedDuration,
    },
}

/// Where in the merge queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    Queued,
    Validating,
    Validated,
    Landing,
}

impl Stage {
    pub fn of(merge: &Merge) -> Self {
        match merge {
            Merge::Queued(_) => Self::Queued,
            Merge::Building(_) => Self::Validating,
            Merge::Validated(_) => Self::Validated,
            Merge::Landing(_) | Merge::Pushed(_) => Self::Landing,
        }
    }
}

impl Why {
    /// Stable, for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Done { .. } => "done",
            Self::NotRun => "not-run",
            Self::Backlog => "backlog",
            Self::Held { .. } => "held",
            Self::Waits { .. } => "waits",
            Self::Escalated { .. } => "escalated",
            Self::Asking { .. } => "asking",
            Self::Somebodys { .. } => "somebodys",
            Self::Control { control: Control::Running } => "running",
            Self::Control { control: Control::Paused } => "paused",
            Self::Control { control: Control::Draining } => "draining",
            Self::Control { control: Control::Stopping } => "stopping",
            Self::Untrusted { .. } => "untrusted",
            Self::Starting { .. } => "starting",
            Self::Starts { .. } => "starts",
            Self::Working { .. } => "working",
            Self::NeedsPerson { .. } => "needs-person",
            Self::Claimed { .. } => "claimed",
            Self::Ending { .. } => "ending",
            Self::Finishing { .. } => "finishing",
            Self::Ended => "ended",
            Self::CheckingTests => "checking-tests",
            Self::ByHand => "by-hand",
            Self::Unreviewed { .. } => "unreviewed",
            Self::BeingReviewed { .. } => "being-reviewed",
            Self::Enqueues => "enqueues",
            Self::InQueue { .. } => "in-queue",
            Self::AtRemote { .. } => "at-remote",
            Self::BackOff { .. } => "back-off",
            Self::OutOfQuota { .. } => "out-of-quota",
            Self::Unready { .. } => "unready",
            Self::NoRoom { .. } => "no-room",
            Self::Overlaps { .. } => "overlaps",
        }
    }

    /// The tickets it waits for.
    pub fn waits_for(&self) -> &[TicketId] {
        match self {
            Self::Held { waits_for, .. } | Self::Waits { waits_for } => waits_for,
            Self::Overlaps { with, .. } => std::slice::from_ref(with),
            _ => &[],
        }
    }

    /// What a person can run to get the ticket on.
    pub fn command(&self, id: &TicketId) -> Option<String> {
        match self {
            Self::NotRun => Some("sb run".to_owned()),
            Self::Backlog => Some(format!("sb status open {id}")),
            Self::Held { .. } => Some(format!("sb unhold {id}")),
            Self::Escalated { escalation: Some(question) } => Some(format!("sb esc answer {question}")),
            Self::Escalated { escalation: None } => Some(format!("sb edit {id} --escalated false")),
            Self::Somebodys { .. } => Some(format!("sb release {id}")),
            Self::Control { control: Control::Running } => None,
            Self::Control { .. } => Some("sb run resume".to_owned()),
            Self::Untrusted { .. } => Some("sb trust".to_owned()),
            Self::NeedsPerson { agent, .. } => Some(format!("sb attach {agent}")),
            Self::Claimed { agent } => Some(format!("sb unclaim {agent}")),
            Self::ByHand | Self::Unreviewed { by: ReviewedBy::Human | ReviewedBy::Either } => {
                Some(format!("sb approve {id}"))
            }
            _ => None,
        }
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Done { landed: Some(commit) } => write!(f, "It is on main as {commit}."),
            Self::Done { landed: None } => write!(f, "It is done."),
            Self::NotRun => write!(f, "No loop runs for its project."),
            Self::Backlog => write!(f, "It is in the backlog, not yet scoped for work."),
            Self::Held { reason, waits_for } if waits_for.is_empty() => {
                write!(f, "A person holds it: {reason}")
            }
            Self::Held { reason, waits_for } => {
                write!(f, "A person holds it: {reason}; and it waits for {}.", list(waits_for))
            }
            Self::Waits { waits_for } => write!(f, "It waits for {}.", list(waits_for)),
            Self::Escalated { escalation: Some(question) } => {
                write!(f, "It waits for an answer to {question}.")
            }
            Self::Escalated { escalation: None } => write!(f, "It was handed to a person, and waits."),
            Self::Asking { question } => write!(f, "A person is asked, because {}.", question.words()),
            Self::Somebodys { name } => write!(f, "It belongs to {name}, whom the loop did not set to work."),
            Self::Control { control } => f.write_str(match control {
                Control::Running => "The loop is running.",
                Control::Paused => "The loop is paused.",
                Control::Draining => "The loop finishes what is under way, and starts nothing new.",
                Control::Stopping => "The loop is being stopped.",
            }),
            Self::Untrusted { why } => write!(f, "The commands of its project are not trusted: {why}"),
            Self::Starting { role } => write!(f, "{} is being started.", capital(*role)),
            Self::Starts { role } => write!(f, "It is its turn: {} is set to work.", role.with_article()),
            Self::Working { agent, role, time } => {
                write!(f, "{agent} works on it as {}, for {}.", role.with_article(), spoken(*time))
            }
            Self::NeedsPerson { agent, time, left } => write!(
                f,
                "{agent} waits for a person, for {}; it is ended in {} if nobody comes.",
                spoken(*time),
                spoken(*left)
            ),
            Self::Claimed { agent } => write!(f, "A person has claimed its agent {agent}."),
            Self::Ending { agent, reason } => write!(f, "{agent} is being ended, because {reason}."),
            Self::Finishing { agent } => write!(f, "{agent} has handed in its work and is about to end."),
            Self::Ended => write!(f, "Its attempt is over, and that is being written down."),
            Self::CheckingTests => write!(f, "The tests written for it are run, and must fail."),
            Self::ByHand => {
                write!(f, "It is in review without a commit, and waits for a person to judge it.")
            }
            Self::Unreviewed { by } => f.write_str(match by {
                ReviewedBy::Human => "It waits for a person to review it.",
                ReviewedBy::Agent => "It waits for an independent agent to review it.",
                ReviewedBy::Either => "It waits for a person or an independent agent to review it.",
            }),
            Self::BeingReviewed { by } => write!(f, "{by} is reviewing it."),
            Self::Enqueues => write!(f, "All gates are met, and it goes into the merge queue."),
            Self::InQueue { stage, before, time } => in_queue(f, *stage, *before, *time),
            Self::AtRemote { remote, branch, time } => write!(
                f,
                "It is at `{remote}` as {branch}, for {}; it is done when main there has it.",
                spoken(*time)
            ),
            Self::BackOff { attempts, left, .. } => {
                let times = if *attempts == 1 { "once".to_owned() } else { format!("{attempts} times") };
                write!(f, "It failed {times}, and is tried again in {}.", spoken(*left))
            }
            Self::OutOfQuota { pool, left, .. } => {
                write!(f, "The account `{pool}` is empty, and is used again in {}.", spoken(*left))
            }
            Self::Unready { why, left } => {
                write!(f, "{}; it is tried again in {}.", why.trim_end_matches('.'), spoken(*left))
            }
            Self::NoRoom { running, before, overall } => {
                let of = if *overall { "over all projects" } else { "in its project" };
                write!(f, "As many agents are at work {of} as may be ({running}); {}.", ahead(*before))
            }
            Self::Overlaps { with, file, left } => {
                write!(
                    f,
                    "It would change `{file}`, as {with} does; it waits for that, for {} at most.",
                    spoken(*left)
                )
            }
        }
    }
}

fn in_queue(f: &mut fmt::Formatter<'_>, stage: Stage, before: usize, time: SignedDuration) -> fmt::Result {
    let time = spoken(time);
    match stage {
        Stage::Queued => write!(f, "It is in the merge queue, for {time}; {}.", ahead(before)),
        Stage::Validating => {
            write!(f, "It is put on top of main and validated, for {time}; {}.", ahead(before))
        }
        Stage::Validated => write!(f, "It is validated, and about to land."),
        Stage::Landing => write!(f, "It is landing on main."),
    }
}

fn ahead(before: usize) -> String {
    match before {
        0 => "it is next".to_owned(),
        1 => "1 is before it".to_owned(),
        more => format!("{more} are before it"),
    }
}

fn capital(role: Role) -> String {
    let words = role.with_article();
    let mut letters = words.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

fn list(ids: &[TicketId]) -> String {
    ids.iter().map(TicketId::as_str).collect::<Vec<_>>().join(", ")
}

/// A span of time as people say it: `40 s`, `3 min`, `2 h 5 min`, `3 d`.
pub fn spoken(time: SignedDuration) -> String {
    let seconds = time.as_secs().max(0);
    let (minutes, hours) = (seconds / 60, seconds / 3600);
    match (hours, minutes) {
        (_, 0) => format!("{seconds} s"),
        (0, _) => format!("{minutes} min"),
        (48.., _) => format!("{} d", hours / 24),
        _ if minutes % 60 == 0 => format!("{hours} h"),
        _ => format!("{hours} h {} min", minutes % 60),
    }
}
