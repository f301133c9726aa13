//! Who needs me? Everything that waits for a person, the most pressing first.

use schemars::JsonSchema;
use serde::Serialize;
use signalbox_core::agent::State;
use signalbox_core::escalation;
use signalbox_core::text::one_line;
use signalbox_core::{Status, time};
use signalbox_store::index::Filter;

use crate::{AgentView, CommandError, Desk};

/// Why a person is needed. The order is the order in which they are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NeedKind {
    /// A question waits for an answer.
    Decision,
    /// An agent asks whether it may do something.
    Permission,
    /// An agent asks something in its terminal.
    Answer,
    /// An agent has not done anything for long.
    Stalled,
    /// Work waits for a reviewer, and nobody reviews it.
    Review,
    /// An agent suggests something.
    Draft,
    /// Something is wrong with Signalbox or its surroundings.
    Trouble,
}

impl NeedKind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Decision => "decision",
            Self::Permission => "permission",
            Self::Answer => "answer",
            Self::Stalled => "stalled",
            Self::Review => "review",
            Self::Draft => "draft",
            Self::Trouble => "trouble",
        }
    }
}

/// One thing that waits for a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Need {
    pub kind: NeedKind,
    /// One sentence.
    pub words: String,
    pub since: Option<String>,
    pub ticket: Option<String>,
    pub agent: Option<String>,
    pub decision: Option<String>,
    pub project: Option<String>,
    /// Suggested answers of a decision.
    pub options: Vec<String>,
}

/// What waits for a person, and what goes on without them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Now {
    pub needs: Vec<Need>,
    /// Those that run.
    pub agents: Vec<AgentView>,
    /// How many tickets there are of each status, in the order of the board.
    pub counts: Vec<(String, usize)>,
}

impl Desk {
    pub fn now(&self) -> Result<Now, CommandError> {
        let index = self.index()?;
        let agents = self.agents(false)?;
        let report = self.daemon_report();
        let mut needs = Vec::new();
        let book = signalbox_store::escalation::book(&index)?;
        for one in book.iter() {
            let kind = match one.state() {
                escalation::State::Pending => NeedKind::Decision,
                escalation::State::Draft => NeedKind::Draft,
                escalation::State::Resolved => continue,
            };
            needs.push(Need {
                ticket: one.asked.ticket.as_ref().map(ToString::to_string),
                decision: Some(one.id.clone()),
                project: one.project.as_ref().map(ToString::to_string),
                options: one.asked.options.iter().map(|text| one_line(text).into_owned()).collect(),
                ..need(kind, &one.asked.question, Some(time::exact(one.drafted)))
            });
        }
        let stalled: Vec<String> = report
            .iter()
            .flat_map(|report| &report.agents)
            .filter(|agent| agent.stalled)
            .map(|agent| agent.id.to_string())
            .collect();
        for agent in &agents {
            let name = agent.name.as_deref().unwrap_or(&agent.id);
            let (kind, words) = if agent.state == State::WaitingPermission.as_str() {
                (NeedKind::Permission, format!("{name} asks whether it may do something"))
            } else if agent.state == State::WaitingAnswer.as_str() {
                (NeedKind::Answer, format!("{name} asks something in its terminal"))
            } else if stalled.contains(&agent.id) {
                (NeedKind::Stalled, format!("{name} has done nothing for long"))
            } else {
                continue;
            };
            needs.push(Need {
                agent: Some(agent.id.clone()),
                ticket: agent.ticket.clone(),
                project: agent.project.clone(),
                ..need(kind, &words, agent.since.clone())
            });
        }
        let reviews = Filter { statuses: vec![Status::Review], ..Filter::default() };
        for ticket in index.tickets(&reviews)? {
            // What the merge queue has needs nobody, and neither does what somebody reviews already.
            let is_free = ticket.reviewer.is_none() && ticket.work.merge.is_none() && !ticket.escalated;
            if is_free {
                needs.push(Need {
                    ticket: Some(ticket.id.to_string()),
                    project: Some(ticket.project.to_string()),
                    ..need(NeedKind::Review, &ticket.title, Some(time::exact(ticket.updated)))
                });
            }
        }
        let troubles = report.iter().flat_map(|report| &report.troubles);
        needs.extend(troubles.map(|words| need(NeedKind::Trouble, words, None)));
        needs.sort_by(|a, b| (a.kind, &a.since).cmp(&(b.kind, &b.since)));
        let listing = index.list(&Filter::default())?;
        let count = |status: Status| listing.iter().filter(|row| row.status == status).count();
        let counts = crate::board::COLUMNS.iter().map(|one| (one.as_str().to_owned(), count(*one)));
        Ok(Now { needs, agents, counts: counts.collect() })
    }
}

fn need(kind: NeedKind, words: &str, since: Option<String>) -> Need {
    Need {
        kind,
        words: one_line(words).into_owned(),
        since,
        ticket: None,
        agent: None,
        decision: None,
        project: None,
        options: Vec::new(),
    }
}
