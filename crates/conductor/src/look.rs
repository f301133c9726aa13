//! One look at everything: the tickets, the agents, the limits. The planner sees nothing else.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use signalbox_core::orchestra::{
    Fleet, Gates, Item, Job, Limits, Plan, ProjectLimits, ReviewedBy, Trust, plan,
};
use signalbox_core::{Board, Role, Ticket, open_dependencies};
use signalbox_store::contract::{By, Contract, Gate};
use signalbox_store::{Index, escalation, trust};

use crate::control::Asked;
use crate::error::Failed;
use crate::fleet::{self, Watched};
use crate::questions;
use crate::site::{Agreed, Site};

/// What was seen, and what is to be done about it.
pub struct Look {
    pub tickets: Vec<Ticket>,
    pub fleet: Fleet,
    pub limits: ProjectLimits,
    pub plan: Plan,
}

impl Look {
    pub fn ticket(&self, id: &signalbox_core::TicketId) -> Option<&Ticket> {
        self.tickets.iter().find(|ticket| ticket.id == *id)
    }
}

/// Look, and plan.
pub fn look(
    site: &Site,
    index: &Index,
    agreed: &Agreed,
    asked: &Asked,
    jobs: Vec<Job>,
    watched: &mut Watched,
    now: Timestamp,
) -> Result<Look, Failed> {
    let (tickets, board) = site.tickets(index)?;
    let contract = &agreed.contract;
    let pool_of = |role: Role| contract.role(role).pool().to_owned();
    let wanted = |session: &signalbox_core::SessionId| {
        tickets.iter().any(|ticket| ticket.work.start.as_ref().is_some_and(|start| start.session == *session))
    };
    let agents = fleet::agents(site, index, &pool_of, watched, &wanted)?;
    let pools = fleet::pools(index, watched, now)?;
    let fleet = Fleet { agents, jobs, pools };
    let mut limits = limits(site, agreed, asked);
    limits.setup_question = questions::about_set_up(index, &site.project)?;
    limits.remote_question = questions::about_remote(index, &site.project)?;
    let all = Limits {
        agents: limits.concurrency,
        projects: BTreeMap::from([(site.project.clone(), limits.clone())]),
    };
    let items = items(site, index, &tickets, &board, watched)?;
    let plan = plan(&items, &fleet, &all, now);
    Ok(Look { plan, tickets, fleet, limits })
}

fn items<'a>(
    site: &Site,
    index: &Index,
    tickets: &'a [Ticket],
    board: &Board,
    watched: &mut Watched,
) -> Result<Vec<Item<'a>>, Failed> {
    let mut items = Vec::new();
    for ticket in tickets {
        let escalation = escalation::blocking(index, &ticket.id)?.into_iter().next();
        let mut files: Vec<String> = ticket.files.clone();
        // What a branch has changed already is no guess.
        if let Some(submission) = &ticket.work.submission {
            files.extend(watched.handed(site, &ticket.id, &submission.handed.commit));
        }
        items.push(Item::of(ticket, open_dependencies(board, ticket), escalation, files));
    }
    Ok(items)
}

/// What the contract, the person and the trust in it allow.
fn limits(site: &Site, agreed: &Agreed, asked: &Asked) -> ProjectLimits {
    let Contract { run, review, .. } = &agreed.contract;
    let span = |length: signalbox_store::contract::Length| {
        SignedDuration::try_from(length.as_duration()).unwrap_or(SignedDuration::MAX)
    };
    let trust = match &agreed.trust {
        trust::State::Trusted { .. } => Trust::Trusted,
        other => {
            let why = other.require(&site.project).err().map(|refusal| refusal.message).unwrap_or_default();
            Trust::Untrusted { why, hash: agreed.hash.clone() }
        }
    };
    let reviewed_by = match review.by {
        By::Agent => ReviewedBy::Agent,
        By::Human => ReviewedBy::Human,
        By::Either => ReviewedBy::Either,
    };
    let pools = [Role::TestWriter, Role::Doer, Role::Reviewer]
        .map(|role| (role, agreed.contract.role(role).pool().to_owned()));
    ProjectLimits {
        concurrency: usize::try_from(asked.concurrency.unwrap_or(run.concurrency.get())).unwrap_or(1),
        attempts: usize::try_from(run.attempts.get()).unwrap_or(1),
        stall: span(run.stall),
        max_time: span(run.max_time),
        backoff: span(run.backoff),
        gates: Gates {
            validate: review.gates.contains(&Gate::Validate),
            independent: review.gates.contains(&Gate::Independent).then_some(reviewed_by),
        },
        control: asked.control,
        trust,
        pools: pools.to_vec(),
        ..ProjectLimits::default()
    }
}
