//! Tickets as a board and as a list: which there are, in columns or in an order, and what one can sift them by.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use signalbox_core::text::one_line;
use signalbox_core::{Priority, ProjectName, Status, Ticket, TicketId, time};
use signalbox_store::Index;
use signalbox_store::index::{Filter, Row};

use crate::{CommandError, Desk};

/// What is wanted; nothing: everything.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Sieve {
    pub project: String,
    pub status: String,
    pub priority: String,
    pub assignee: String,
    pub tag: String,
    /// Words that stand in the title or the id.
    pub text: String,
}

/// How a list is ordered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Sort {
    /// Most urgent first, then oldest first.
    #[default]
    Priority,
    Updated,
    Created,
    Status,
    Title,
}

impl Sort {
    pub const ALL: &[Self] = &[Self::Priority, Self::Updated, Self::Created, Self::Status, Self::Title];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Priority => "priority",
            Self::Updated => "updated",
            Self::Created => "created",
            Self::Status => "status",
            Self::Title => "title",
        }
    }
}

/// One ticket on a board or in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Card {
    pub id: String,
    /// One line, without control characters.
    pub title: String,
    pub project: String,
    pub status: String,
    pub priority: String,
    pub assignee: Option<String>,
    pub tags: Vec<String>,
    /// A question about it waits for a human.
    pub escalated: bool,
    /// A human put it on hold, with this reason.
    pub held: Option<String>,
    /// How many tickets it waits for.
    pub waits: usize,
    pub attempts: usize,
    pub criteria: usize,
    pub criteria_met: usize,
    /// Where it is in the merge queue.
    pub stage: Option<String>,
    pub created: String,
    pub updated: String,
    pub rev: u64,
}

/// The tickets of one status.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Column {
    pub status: String,
    /// How many there are; `cards` may be fewer.
    pub count: usize,
    pub cards: Vec<Card>,
}

/// All columns, in the order of the workflow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Board {
    pub columns: Vec<Column>,
    pub total: usize,
}

/// A page of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Listed {
    pub cards: Vec<Card>,
    pub total: usize,
    pub from: usize,
}

/// What there is to choose from. Each is as it was written, because it is looked for as it was written.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Choices {
    pub projects: Vec<String>,
    pub assignees: Vec<String>,
    pub tags: Vec<String>,
}

/// The order of columns: what is blocked stands with what is not begun.
pub const COLUMNS: [Status; 7] = [
    Status::Backlog,
    Status::Blocked,
    Status::Open,
    Status::InProgress,
    Status::Rework,
    Status::Review,
    Status::Done,
];

impl Desk {
    /// The board, with at most so many cards in a column.
    pub fn board(&self, sieve: &Sieve, most: usize) -> Result<Board, CommandError> {
        let index = self.index()?;
        let mut listing = index.list(&filter(sieve)?)?;
        // What was finished last is what one looks for among what is done.
        listing.sort_by_key(|row| {
            let done = (row.status == Status::Done).then(|| -row.updated.as_millisecond());
            (done.is_some(), done.unwrap_or(0))
        });
        let words = needles(&sieve.text);
        let rows: Vec<Row<'_>> = listing.iter().filter(|row| has(row, &words)).collect();
        let mut columns = Vec::new();
        for status in COLUMNS {
            let of_status: Vec<&Row<'_>> = rows.iter().filter(|row| row.status == status).collect();
            let cards = of_status.iter().take(most).filter_map(|row| card(&index, row).transpose());
            columns.push(Column {
                status: status.as_str().to_owned(),
                count: of_status.len(),
                cards: cards.collect::<Result<_, _>>()?,
            });
        }
        Ok(Board { columns, total: rows.len() })
    }

    /// Some of a list.
    pub fn list(&self, sieve: &Sieve, sort: Sort, from: usize, most: usize) -> Result<Listed, CommandError> {
        let index = self.index()?;
        let mut listing = index.list(&filter(sieve)?)?;
        match sort {
            Sort::Priority => {}
            Sort::Updated => listing.sort_by_key(|row| std::cmp::Reverse(row.updated)),
            Sort::Created => listing.sort_by_key(|row| row.created),
            Sort::Status => listing.sort_by_key(|row| COLUMNS.iter().position(|one| *one == row.status)),
            Sort::Title => listing.sort_by_key(|row| row.title.to_lowercase()),
        }
        let words = needles(&sieve.text);
        let rows: Vec<Row<'_>> = listing.iter().filter(|row| has(row, &words)).collect();
        let shown = rows.iter().skip(from).take(most);
        let cards = shown.filter_map(|row| card(&index, row).transpose()).collect::<Result<_, _>>()?;
        Ok(Listed { cards, total: rows.len(), from })
    }

    /// What one can sift by.
    pub fn choices(&self) -> Result<Choices, CommandError> {
        let index = self.index()?;
        let texts = |sql: &str| -> Result<Vec<String>, CommandError> {
            let rows = index.query(sql, None, None)?.rows;
            Ok(rows.into_iter().flatten().filter_map(|v| v.as_str().map(ToOwned::to_owned)).collect())
        };
        // One can file into a project that has no ticket yet.
        let mut projects = texts("SELECT DISTINCT project FROM tickets ORDER BY 1 LIMIT 200")?;
        projects.extend(self.projects()?.iter().map(ToString::to_string));
        projects.sort();
        projects.dedup();
        Ok(Choices {
            projects,
            assignees: texts(
                "SELECT DISTINCT assignee FROM tickets WHERE assignee IS NOT NULL ORDER BY 1 LIMIT 200",
            )?,
            tags: texts("SELECT DISTINCT value FROM tickets, json_each(tags) ORDER BY 1 LIMIT 200")?,
        })
    }
}

/// A card from a ticket, with what it waits for.
pub(crate) fn card_of(ticket: &Ticket, waits: usize) -> Card {
    Card {
        id: ticket.id.to_string(),
        title: one_line(&ticket.title).into_owned(),
        project: ticket.project.to_string(),
        status: ticket.status.as_str().to_owned(),
        priority: ticket.priority.as_str().to_owned(),
        assignee: ticket.assignee.as_deref().map(|name| one_line(name).into_owned()),
        tags: ticket.tags.iter().map(|tag| one_line(tag).into_owned()).collect(),
        escalated: ticket.escalated,
        held: ticket.hold.as_ref().map(|hold| one_line(&hold.reason).into_owned()),
        waits,
        attempts: ticket.attempts.len(),
        criteria: ticket.acceptance.len(),
        criteria_met: ticket.acceptance.iter().filter(|criterion| criterion.met).count(),
        stage: ticket.work.merge.as_ref().map(|merge| merge.stage().to_owned()),
        created: time::exact(ticket.created),
        updated: time::exact(ticket.updated),
        rev: ticket.rev,
    }
}

fn card(index: &Index, row: &Row<'_>) -> Result<Option<Card>, CommandError> {
    let Ok(id) = TicketId::parse(row.id) else { return Ok(None) };
    let Some(ticket) = index.ticket(&id)? else { return Ok(None) };
    let waits = if ticket.status == Status::Blocked { open_of(index, &ticket)? } else { 0 };
    Ok(Some(card_of(&ticket, waits)))
}

/// How many of the tickets that it depends on are not done.
fn open_of(index: &Index, ticket: &Ticket) -> Result<usize, CommandError> {
    let mut open = 0;
    for id in ticket.depends_on.iter().filter(|id| !ticket.waived.contains(id)) {
        open += usize::from(index.ticket(id)?.is_none_or(|other| other.status != Status::Done));
    }
    Ok(open)
}

/// The words that are looked for.
fn needles(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_lowercase).collect()
}

fn has(row: &Row<'_>, words: &[String]) -> bool {
    if words.is_empty() {
        return true;
    }
    let title = row.title.to_lowercase();
    let id = row.id.to_lowercase();
    words.iter().all(|word| title.contains(word.as_str()) || id.contains(word.as_str()))
}

fn filter(sieve: &Sieve) -> Result<Filter, CommandError> {
    let some = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
    let project = some(&sieve.project).map(|name| ProjectName::parse(&name)).transpose();
    let status = some(&sieve.status).map(|word| {
        Status::from_word(&word).ok_or_else(|| {
            CommandError::usage("status.unknown", format!("`{word}` is no status"))
                .hint(format!("There are {}.", Status::ALL.map(Status::as_str).join(", ")))
        })
    });
    let priority = some(&sieve.priority).map(|word| {
        Priority::from_word(&word).ok_or_else(|| {
            CommandError::usage("priority.unknown", format!("`{word}` is no priority"))
                .hint("There are P0 to P5.")
        })
    });
    Ok(Filter {
        project: project.map_err(|error| CommandError::usage("project.name", error.to_string()))?,
        statuses: status.transpose()?.into_iter().collect(),
        priorities: priority.transpose()?.into_iter().collect(),
        assignee: some(&sieve.assignee),
        tag: some(&sieve.tag),
        ..Filter::default()
    })
}
