//! One ticket with everything about it: its text, what it waits for, what was tried, what it changes, and why it is
//! where it is.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;
use signalbox_conductor::{self as conductor, Site};
use signalbox_core::text::{self, many_lines, one_line};
use signalbox_core::{Board, Event, Fact, Refusal, Role, Ticket, TicketId, time};
use signalbox_git::Oid;
use signalbox_store::index::{Found, History};
use signalbox_store::{Index, StoreError, agents, escalation};

use crate::board::{Card, card_of};
use crate::decisions::{Decision, decision};
use crate::timeline::{Entry, entry};
use crate::{CommandError, Desk};

/// The most of a change that is shown, in bytes.
const MOST_PATCH: usize = 2 << 20;
/// The most tickets in a graph.
const MOST_NODES: usize = 200;

/// Something that must be true when the ticket is done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Criterion {
    pub text: String,
    pub met: bool,
}

/// One attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AttemptView {
    pub by: String,
    pub role: Option<String>,
    pub at: String,
    pub outcome: String,
    pub summary: String,
    pub blockers: String,
    pub learnings: String,
}

/// A ticket in the graph of what waits for what.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Node {
    pub id: String,
    pub title: String,
    pub status: String,
}

/// `from` waits for `to`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Edge {
    pub from: String,
    pub to: String,
}

/// What waits for what around a ticket.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Graph {
    pub nodes: Vec<Node>,
    pub edges: Vec<Edge>,
    /// There are more, which are left out.
    pub cut: bool,
}

/// Everything about a ticket.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TicketView {
    #[serde(flatten)]
    pub card: Card,
    /// Markdown, as it was filed.
    pub body: String,
    pub acceptance: Vec<Criterion>,
    pub reviewer: Option<String>,
    pub initiative: Option<String>,
    pub branch: Option<String>,
    pub files: Vec<String>,
    pub completion_notes: Option<String>,
    pub attempts_made: Vec<AttemptView>,
    /// Why it is where it is, in the planner's words; `None` where its project is in no orchestrator's hands.
    pub why: Option<String>,
    /// Why that could not be said.
    pub why_not: Option<String>,
    /// The tickets that it waits for.
    pub depends_on: Vec<Node>,
    /// The tickets that wait for it.
    pub needed_by: Vec<Node>,
    pub graph: Graph,
    /// The questions about it, also those that are answered.
    pub decisions: Vec<Decision>,
    /// Agents that worked on it, the newest first.
    pub agents: Vec<String>,
    /// The newest first.
    pub timeline: Vec<Entry>,
    /// Where its markdown is.
    pub path: String,
}

/// What a ticket's branch changes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Patch {
    /// The commit it is of; absent: nothing was committed or handed in yet.
    pub commit: Option<String>,
    pub base: Option<String>,
    /// A unified diff, without control characters.
    pub text: String,
    /// It was too long to be whole.
    pub cut: bool,
}

impl Desk {
    /// The ticket that an id, or its beginning, means.
    pub fn ticket(&self, typed: &str) -> Result<TicketView, CommandError> {
        let store = self.store()?;
        let (index, _) = store.read()?;
        let ticket = found(&index, typed)?;
        let history = History { ticket: Some(ticket.id.clone()), ..History::default() };
        let events: Vec<Event> = index.events(&history)?.into_iter().map(|(_, event)| event).collect();
        let board = index.surroundings([&ticket.id])?;
        let open = signalbox_core::open_dependencies(&board, &ticket);
        let (why, why_not) = self.why(&ticket);
        let book = escalation::book(&index)?;
        let asked = book.iter().filter(|one| one.asked.concerns(&ticket.id));
        let worked = agents::all(&self.home)?;
        let mut worked: Vec<_> =
            worked.iter().filter(|record| record.ticket.as_ref() == Some(&ticket.id)).collect();
        worked.sort_by_key(|record| std::cmp::Reverse(record.started));
        let told = events.iter().filter(|event| !event.event.starts_with("hook."));
        Ok(TicketView {
            card: card_of(&ticket, open.len()),
            body: body(&events),
            acceptance: ticket
                .acceptance
                .iter()
                .map(|one| Criterion { text: one_line(&one.text).into_owned(), met: one.met })
                .collect(),
            reviewer: ticket.reviewer.as_ref().map(|one| one_line(&one.name).into_owned()),
            initiative: ticket.initiative.as_deref().map(|text| one_line(text).into_owned()),
            branch: branch(&ticket),
            files: ticket.files.iter().map(|path| one_line(path).into_owned()).collect(),
            completion_notes: ticket.completion_notes.as_deref().map(|text| many_lines(text).into_owned()),
            attempts_made: attempts(&ticket),
            why,
            why_not,
            depends_on: ticket.depends_on.iter().map(|id| node(&board, id)).collect(),
            needed_by: board.dependents(&ticket.id).map(|one| node(&board, &one.id)).collect(),
            graph: graph(&board, &ticket.id),
            decisions: asked.map(decision).collect(),
            agents: worked.iter().map(|record| record.id.to_string()).collect(),
            timeline: told.rev().map(entry).collect(),
            path: store.vault().path(&ticket).display().to_string(),
        })
    }

    /// Why it is where it is; or why that is not known.
    fn why(&self, ticket: &Ticket) -> (Option<String>, Option<String>) {
        if !Site::exists(&self.home, &ticket.project) {
            return (None, None);
        }
        let explained = self
            .config()
            .and_then(|config| Ok(conductor::why(&self.home, &config, &ticket.project, &ticket.id)?));
        match explained {
            Ok(explained) => (explained.map(|one| one_line(&one.why).into_owned()), None),
            Err(error) => (None, Some(one_line(&error.message).into_owned())),
        }
    }

    /// What its branch changes.
    pub fn patch(&self, typed: &str) -> Result<Patch, CommandError> {
        let index = self.index()?;
        let ticket = found(&index, typed)?;
        if !Site::exists(&self.home, &ticket.project) {
            return Ok(Patch::default());
        }
        let site = Site::open(&self.home, &self.config()?, &ticket.project)?;
        let Some((base, commit)) = ends(&site, &ticket)? else { return Ok(Patch::default()) };
        let (bytes, cut) = site.integration.patch(&base, &commit, MOST_PATCH)?;
        let text = String::from_utf8_lossy(&bytes);
        Ok(Patch {
            commit: Some(commit.to_string()),
            base: Some(base.to_string()),
            text: many_lines(&text).into_owned(),
            cut,
        })
    }
}

/// From where to where the ticket's work goes: what reached main, what was handed in, or what its workspace had last.
fn ends(site: &Site, ticket: &Ticket) -> Result<Option<(Oid, Oid)>, CommandError> {
    let there = |text: &str| Oid::parse(text).filter(|oid| site.integration.exists(oid).unwrap_or(false));
    if let Some(landed) = ticket.work.landed.as_ref().and_then(|one| there(&one.landed)) {
        return Ok(site.integration.first_parent(&landed)?.map(|parent| (parent, landed)));
    }
    let handed = ticket.work.submission.as_ref().and_then(|one| there(&one.handed.commit));
    let tip = match handed {
        Some(handed) => Some(handed),
        None => site.workspace(&ticket.id)?.map(|one| one.last_tip()).transpose()?.flatten(),
    };
    let Some(tip) = tip else { return Ok(None) };
    Ok(site.integration.merge_base(&site.tip()?, &tip)?.map(|base| (base, tip)))
}

/// The ticket that a typed id means.
pub fn ticket_meant(index: &Index, typed: &str) -> Result<TicketId, StoreError> {
    // An empty text is the beginning of every id, and most likely a variable that was not set.
    if typed.strip_prefix("sb_").unwrap_or(typed).is_empty() {
        return Err(Refusal::usage("ticket.empty", "the ticket's id is empty")
            .hint("Type at least its first letter; `sb list` shows the ids.")
            .into());
    }
    let list = |found: &[(TicketId, String)]| -> String {
        found.iter().map(|(id, title)| format!("\n  {id}  {}", text::one_line(title))).collect()
    };
    match index.find(typed)? {
        Found::One(id) => Ok(id),
        Found::Many(found) => Err(Refusal::usage(
            "ticket.ambiguous",
            format!("`{typed}` could be any of these:{}", list(&found)),
        )
        .hint("Type more of the id.")
        .into()),
        Found::Nothing(near) => {
            let refusal = Refusal::not_found("ticket.unknown", format!("there is no ticket `{typed}`"));
            Err(match near {
                Some((id, title)) => refusal.hint(format!("Did you mean {id} ({})?", text::one_line(&title))),
                None => refusal.hint("`sb list --all` shows every ticket."),
            }
            .into())
        }
    }
}

/// The same, with all that is known of it.
pub(crate) fn found(index: &Index, typed: &str) -> Result<Ticket, CommandError> {
    let id = ticket_meant(index, typed.trim())?;
    index
        .ticket(&id)?
        .ok_or_else(|| CommandError::not_found("ticket.unknown", format!("there is no ticket `{id}`")))
}

fn body(events: &[Event]) -> String {
    let body = events.iter().find_map(|event| match Fact::of(event) {
        Ok(Some(Fact::Created(created))) => Some(created.body),
        _ => None,
    });
    many_lines(&body.unwrap_or_default()).into_owned()
}

fn branch(ticket: &Ticket) -> Option<String> {
    let started = ticket.work.start.as_ref().map(|start| start.branch.clone());
    let handed = || ticket.work.submission.as_ref().map(|one| one.handed.branch.clone());
    let named = started.or_else(handed).or_else(|| ticket.branch.clone());
    named.map(|name| one_line(&name).into_owned())
}

fn attempts(ticket: &Ticket) -> Vec<AttemptView> {
    let view = |attempt: &signalbox_core::Attempt| AttemptView {
        by: one_line(&attempt.by).into_owned(),
        role: attempt.report.role.map(|role: Role| role.as_str().to_owned()),
        at: time::exact(attempt.ts),
        outcome: attempt.report.outcome.as_str().to_owned(),
        summary: many_lines(&attempt.report.summary).into_owned(),
        blockers: many_lines(&attempt.report.blockers).into_owned(),
        learnings: many_lines(&attempt.report.learnings).into_owned(),
    };
    ticket.attempts.iter().map(view).collect()
}

fn node(board: &Board, id: &TicketId) -> Node {
    let ticket = board.ticket(id);
    Node {
        id: id.to_string(),
        title: ticket.map(|one| one_line(&one.title).into_owned()).unwrap_or_default(),
        status: ticket.map_or("missing", |one| one.status.as_str()).to_owned(),
    }
}

/// The tickets around this one, the nearest where there are many, and what waits for what among them.
fn graph(board: &Board, center: &TicketId) -> Graph {
    let mut near: BTreeMap<TicketId, usize> = BTreeMap::from([(center.clone(), 0)]);
    let mut turn = vec![center.clone()];
    let mut cut = false;
    while let Some(id) = (!turn.is_empty()).then(|| turn.remove(0)) {
        let below = board.ticket(&id).map(|one| one.depends_on.clone()).unwrap_or_default();
        let above = board.dependents(&id).map(|one| one.id.clone());
        for other in below.into_iter().chain(above) {
            if near.contains_key(&other) {
                continue;
            }
            if near.len() >= MOST_NODES {
                cut = true;
                continue;
            }
            near.insert(other.clone(), near.len());
            turn.push(other);
        }
    }
    Graph { cut, ..drawn_together(board, &near.into_keys().collect()) }
}

/// These tickets, and what waits for what among them.
pub(crate) fn drawn_together(board: &Board, shown: &BTreeSet<TicketId>) -> Graph {
    let nodes: Vec<Node> = shown.iter().map(|id| node(board, id)).collect();
    let mut edges = Vec::new();
    for id in shown {
        let waits = board.ticket(id).map(|one| one.depends_on.as_slice()).unwrap_or_default();
        for to in waits.iter().filter(|to| shown.contains(*to)) {
            edges.push(Edge { from: id.to_string(), to: to.to_string() });
        }
    }
    Graph { nodes, edges, cut: false }
}
