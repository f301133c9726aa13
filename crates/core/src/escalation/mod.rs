//! Questions that only a human can answer: what one holds, and its life from draft over pending to resolved.
//!
//! Like a ticket, an escalation is the fold of its events. Which tickets wait for its answer is said in it; that they
//! wait is theirs ([`crate::Ticket::escalated`]) and written as events of theirs, in the same batch.

mod rules;

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

pub use rules::{Decision, Reply, Told, Wish, decide};

use crate::event::{Event, FORMAT_VERSION};
use crate::id::{EventId, ProjectName, SessionId, TicketId};

pub const DRAFTED: &str = "escalation.drafted";
pub const PROMOTED: &str = "escalation.promoted";
pub const ANSWERED: &str = "escalation.answered";
pub const WITHDRAWN: &str = "escalation.withdrawn";

/// What the key of a question begins with that is asked because nobody manages to review a ticket.
pub const OF_REVIEW: &str = "review/";

/// What is asked.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Question {
    pub kind: Kind,
    pub question: String,
    /// What one has to know to answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// Suggested answers.
    pub options: Vec<String>,
    /// The ticket it is about, which waits for the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ticket: Option<TicketId>,
    /// Other tickets that wait for it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blocks: Vec<TicketId>,
    /// What shows that it must be asked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<Evidence>,
    /// Why it may have come to this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hypothesis: Option<Hypothesis>,
    /// What makes two of them the same: of one key one is pending at a time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

impl Question {
    /// The tickets that wait for the answer. What is only suggested holds up nobody.
    pub fn blocked(&self) -> Vec<TicketId> {
        let mut blocked: Vec<TicketId> = Vec::new();
        if self.kind != Kind::Suggestion {
            for id in self.ticket.iter().chain(&self.blocks) {
                if !blocked.contains(id) {
                    blocked.push(id.clone());
                }
            }
        }
        blocked
    }

    /// Whether a person's verdict on the ticket says all that it asks.
    pub fn is_of_review(&self) -> bool {
        self.key.as_ref().is_some_and(|key| key.starts_with(OF_REVIEW))
    }

    /// Whether it has to do with a ticket.
    pub fn concerns(&self, ticket: &TicketId) -> bool {
        self.ticket.as_ref() == Some(ticket) || self.blocks.contains(ticket)
    }
}

/// What sort of question it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    Decision,
    Blocker,
    #[default]
    Question,
    Approval,
    /// Somebody at work thinks that something else should be done too.
    Suggestion,
    /// A ticket failed as often as it may.
    RepeatedFailure,
    /// Work does not fit onto main any more.
    Conflict,
    /// A pool of credentials is used up.
    Quota,
    /// What is to be run is not trusted.
    Trust,
    /// Of a newer version.
    #[serde(other)]
    Other,
}

impl Kind {
    /// Those that agents and people ask; the others are Signalbox's own.
    pub const ASKED: &[Self] =
        &[Self::Decision, Self::Blocker, Self::Question, Self::Approval, Self::Suggestion];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Decision => "decision",
            Self::Blocker => "blocker",
            Self::Question => "question",
            Self::Approval => "approval",
            Self::Suggestion => "suggestion",
            Self::RepeatedFailure => "repeated-failure",
            Self::Conflict => "conflict",
            Self::Quota => "quota",
            Self::Trust => "trust",
            Self::Other => "other",
        }
    }

    /// The kind that somebody who asks means.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ASKED.iter().copied().find(|kind| kind.as_str().eq_ignore_ascii_case(word))
    }
}

/// Why work may fail again and again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Hypothesis {
    MissingContext,
    FlawedRequirements,
    Hard,
    Environment,
    #[serde(other)]
    Unknown,
}

impl Hypothesis {
    pub const ALL: &[Self] =
        &[Self::MissingContext, Self::FlawedRequirements, Self::Hard, Self::Environment, Self::Unknown];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::MissingContext => "missing-context",
            Self::FlawedRequirements => "flawed-requirements",
            Self::Hard => "hard",
            Self::Environment => "environment",
            Self::Unknown => "unknown",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|one| one.as_str().eq_ignore_ascii_case(word))
    }
}

/// One thing that shows something: an attempt's record, the end of an output, an event.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Evidence {
    /// What it is, in a few words.
    pub what: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event: Option<EventId>,
}

/// How far it is. Each is a folder too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    Draft,
    Pending,
    Resolved,
}

impl State {
    pub const ALL: &[Self] = &[Self::Draft, Self::Pending, Self::Resolved];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Draft => "draft",
            Self::Pending => "pending",
            Self::Resolved => "resolved",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|state| state.as_str().eq_ignore_ascii_case(word))
    }
}

/// An escalation: what its events add up to, and what its file holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Escalation {
    pub v: u32,
    /// `esc-0001`
    pub id: String,
    #[serde(flatten)]
    pub asked: Question,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<ProjectName>,
    /// Who asks, as far as the system itself knows.
    pub actor: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lineage: Vec<SessionId>,
    #[serde(serialize_with = "crate::time::serialize")]
    pub drafted: Timestamp,
    /// The event that tells of it.
    pub event: EventId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub promoted: Option<Promoted>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Answer>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub withdrawn: Option<Withdrawn>,
}

/// That a human, or Signalbox itself, put it before a human.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Promoted {
    pub by: String,
    #[serde(serialize_with = "crate::time::serialize")]
    pub at: Timestamp,
}

/// What a human said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    pub answer: String,
    /// Which of the suggested ones it is, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub option: Option<usize>,
    pub by: String,
    #[serde(serialize_with = "crate::time::serialize")]
    pub at: Timestamp,
}

/// That it need not be answered any more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Withdrawn {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    pub by: String,
    #[serde(serialize_with = "crate::time::serialize")]
    pub at: Timestamp,
}

impl Escalation {
    pub fn state(&self) -> State {
        match (&self.promoted, &self.answer, &self.withdrawn) {
            (_, Some(_), _) | (_, _, Some(_)) => State::Resolved,
            (Some(_), None, None) => State::Pending,
            (None, None, None) => State::Draft,
        }
    }

    /// The number in its id.
    pub fn number(id: &str) -> Option<u64> {
        id.strip_prefix("esc-")?.parse().ok()
    }

    /// The id with that number.
    pub fn id_of(number: u64) -> String {
        format!("esc-{number:04}")
    }
}

/// The data of `escalation.drafted`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToldDrafted {
    escalation: String,
    #[serde(flatten)]
    asked: Question,
}

/// The data of the other events.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToldChanged {
    escalation: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    answer: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    option: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

/// All escalations, by their numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Book {
    escalations: BTreeMap<u64, Escalation>,
    last: Option<u64>,
}

impl Book {
    /// Fold one more event. Whatever the log holds, it goes on: what cannot be read changes nothing, and what was
    /// resolved once stays as it was resolved.
    pub fn apply(&mut self, event: &Event) {
        if event.event == DRAFTED {
            let Ok(ToldDrafted { escalation, asked }) = serde_json::from_str(event.data.get()) else {
                return;
            };
            let Some(number) = Escalation::number(&escalation) else { return };
            self.escalations.entry(number).or_insert_with(|| Escalation {
                v: FORMAT_VERSION,
                id: escalation,
                asked,
                project: event.project.clone(),
                actor: event.actor.clone(),
                session: event.session.clone(),
                lineage: event.lineage.clone(),
                drafted: millisecond(event.ts),
                event: event.id.clone(),
                promoted: None,
                answer: None,
                withdrawn: None,
            });
            self.last = Some(number);
            return;
        }
        let Ok(told) = serde_json::from_str::<ToldChanged>(event.data.get()) else { return };
        let Some(number) = Escalation::number(&told.escalation) else { return };
        let Some(one) = self.escalations.get_mut(&number) else { return };
        if one.state() == State::Resolved {
            return;
        }
        let (by, at) = (event.actor.clone(), millisecond(event.ts));
        match event.event.as_str() {
            PROMOTED if one.promoted.is_none() => one.promoted = Some(Promoted { by, at }),
            ANSWERED => {
                let answer = told.answer.unwrap_or_default();
                one.answer = Some(Answer { answer, option: told.option, by, at });
            }
            WITHDRAWN => {
                one.withdrawn = Some(Withdrawn { reason: told.reason.unwrap_or_default(), by, at });
            }
            _ => return,
        }
        self.last = Some(number);
    }

    /// The oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Escalation> {
        self.escalations.values()
    }

    pub fn get(&self, id: &str) -> Option<&Escalation> {
        self.escalations.get(&Escalation::number(id)?)
    }

    /// The one that the newest event was about.
    pub fn last(&self) -> Option<&Escalation> {
        self.escalations.get(&self.last?)
    }

    /// The highest number there is.
    pub fn highest(&self) -> u64 {
        self.escalations.keys().next_back().copied().unwrap_or(0)
    }

    pub fn pending(&self) -> impl Iterator<Item = &Escalation> {
        self.iter().filter(|one| one.state() == State::Pending)
    }

    /// What waits for a human's answer before this ticket may go on.
    pub fn blocking(&self, ticket: &TicketId) -> Vec<&Escalation> {
        self.pending().filter(|one| one.asked.blocked().contains(ticket)).collect()
    }

    /// What humans answered about this ticket, for whoever works on it next.
    pub fn answers_for(&self, ticket: &TicketId) -> Vec<(&str, &str)> {
        let about = self.iter().filter(|one| one.asked.concerns(ticket));
        about
            .filter_map(|one| Some((one.asked.question.as_str(), one.answer.as_ref()?.answer.as_str())))
            .collect()
    }
}

/// The log keeps milliseconds, and a file is the same whoever writes it.
fn millisecond(ts: Timestamp) -> Timestamp {
    Timestamp::from_millisecond(ts.as_millisecond()).unwrap_or(ts)
}
