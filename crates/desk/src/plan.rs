//! The plan of a project: all its tickets that are not done, what they wait for, and what waits for them.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;
use signalbox_core::{Status, TicketId};
use signalbox_store::index::Filter;

use crate::ticket::{Graph, drawn_together};
use crate::{CommandError, Desk};

/// The most tickets that are drawn.
const MOST: usize = 200;

/// What is planned, as a graph.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Plan {
    pub project: String,
    pub projects: Vec<String>,
    pub graph: Graph,
    /// How many tickets are not done.
    pub open: usize,
    /// How many of those wait for nothing and nobody.
    pub ready: usize,
}

impl Desk {
    /// The plan of a project; of the first one where none is named.
    pub fn plan(&self, project: &str) -> Result<Plan, CommandError> {
        let projects = self.projects()?;
        let project =
            if project.is_empty() { projects.first().cloned() } else { Some(self.project(project)?) };
        let projects: Vec<String> = projects.iter().map(ToString::to_string).collect();
        let Some(project) = project else {
            return Ok(Plan { project: String::new(), projects, graph: Graph::default(), open: 0, ready: 0 });
        };
        let index = self.index()?;
        let statuses = Status::ALL.into_iter().filter(|status| *status != Status::Done).collect();
        let filter = Filter { project: Some(project.clone()), statuses, ..Filter::default() };
        let tickets = index.tickets(&filter)?;
        let is_ready = |status: Status, escalated: bool| status == Status::Open && !escalated;
        let ready = tickets.iter().filter(|one| is_ready(one.status, one.escalated)).count();
        let mut shown: BTreeSet<TicketId> = tickets.iter().take(MOST).map(|one| one.id.clone()).collect();
        let below: Vec<TicketId> = tickets.iter().take(MOST).flat_map(|one| one.depends_on.clone()).collect();
        shown.extend(below.into_iter().take(MOST));
        let board = index.surroundings(shown.iter())?;
        let mut graph = drawn_together(&board, &shown);
        graph.cut = tickets.len() > MOST;
        Ok(Plan { project: project.to_string(), projects, graph, open: tickets.len(), ready })
    }
}
