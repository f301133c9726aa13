//! Questions that wait for a human, and those that were answered.

use schemars::JsonSchema;
use serde::Serialize;
use signalbox_core::escalation::{Escalation, State};
use signalbox_core::text::{many_lines, one_line};
use signalbox_core::time;
use signalbox_store::escalation;

use crate::{CommandError, Desk};

/// How many that are resolved are shown.
const MOST_RESOLVED: usize = 50;

/// One question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Decision {
    pub id: String,
    /// `draft`, `pending` or `resolved`.
    pub state: String,
    pub kind: String,
    pub question: String,
    pub context: Option<String>,
    /// Suggested answers.
    pub options: Vec<String>,
    pub ticket: Option<String>,
    pub blocks: Vec<String>,
    pub project: Option<String>,
    pub by: String,
    pub at: String,
    pub evidence: Vec<Shown>,
    pub answer: Option<String>,
    pub answered_by: Option<String>,
    pub withdrawn: Option<String>,
}

/// Something that shows that it must be asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Shown {
    pub what: String,
    pub text: String,
}

/// What waits, the oldest first, and what was resolved, the newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Decisions {
    pub pending: Vec<Decision>,
    pub drafts: Vec<Decision>,
    pub resolved: Vec<Decision>,
}

impl Desk {
    pub fn decisions(&self) -> Result<Decisions, CommandError> {
        let book = escalation::book(&self.index()?)?;
        let of = |state: State| book.iter().filter(move |one| one.state() == state).map(decision);
        let mut resolved: Vec<Decision> = of(State::Resolved).collect();
        resolved.reverse();
        resolved.truncate(MOST_RESOLVED);
        Ok(Decisions { pending: of(State::Pending).collect(), drafts: of(State::Draft).collect(), resolved })
    }

    pub fn decision(&self, id: &str) -> Result<Decision, CommandError> {
        let book = escalation::book(&self.index()?)?;
        book.get(id).map(decision).ok_or_else(|| {
            CommandError::not_found("escalation.unknown", format!("there is no escalation `{id}`"))
                .hint("`sb esc list --all` lists them.")
        })
    }
}

/// A question as it is shown.
pub(crate) fn decision(one: &Escalation) -> Decision {
    let line = |text: &str| one_line(text).into_owned();
    let lines = |text: &str| many_lines(text).into_owned();
    Decision {
        id: one.id.clone(),
        state: one.state().as_str().to_owned(),
        kind: one.asked.kind.as_str().to_owned(),
        question: lines(&one.asked.question),
        context: one.asked.context.as_deref().map(lines),
        options: one.asked.options.iter().map(|text| line(text)).collect(),
        ticket: one.asked.ticket.as_ref().map(ToString::to_string),
        blocks: one.asked.blocks.iter().map(ToString::to_string).collect(),
        project: one.project.as_ref().map(ToString::to_string),
        by: line(&one.actor),
        at: time::exact(one.drafted),
        evidence: one
            .asked
            .evidence
            .iter()
            .map(|shown| Shown { what: line(&shown.what), text: lines(&shown.text) })
            .collect(),
        answer: one.answer.as_ref().map(|answer| lines(&answer.answer)),
        answered_by: one.answer.as_ref().map(|answer| line(&answer.by)),
        withdrawn: one.withdrawn.as_ref().map(|withdrawn| line(&withdrawn.reason)),
    }
}
