//! All that the board knows. It is changed by [`crate::update`] alone and drawn by [`crate::draw`] alone.

use std::collections::VecDeque;

use jiff::{SignedDuration, Timestamp};
use signalbox_desk::{
    Activity, AgentDetail, AgentView, Board, Card, Choices, Decision, Decisions, Flow, Health, Listed, Now,
    Queue, QueueEntry, QueueProject, Sieve, Sort,
};
use signalbox_pty::View as Picture;

use crate::message::Trouble;
use crate::page::Page;
use crate::prompt::Prompt;
use crate::style::Palette;

/// The screens, in the order of their tabs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Screen {
    #[default]
    Now,
    Board,
    List,
    Agents,
    Queue,
    Decisions,
    Feed,
    Flow,
}

impl Screen {
    pub const ALL: [Self; 8] = [
        Self::Now,
        Self::Board,
        Self::List,
        Self::Agents,
        Self::Queue,
        Self::Decisions,
        Self::Feed,
        Self::Flow,
    ];

    pub fn title(self) -> &'static str {
        match self {
            Self::Now => "Now",
            Self::Board => "Board",
            Self::List => "List",
            Self::Agents => "Agents",
            Self::Queue => "Queue",
            Self::Decisions => "Decisions",
            Self::Feed => "Feed",
            Self::Flow => "Flow",
        }
    }

    /// The word for it on a command line.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|screen| screen.title().eq_ignore_ascii_case(word))
    }

    /// Where it stands among all of them.
    pub fn index(self) -> usize {
        Self::ALL.iter().position(|screen| *screen == self).unwrap_or(0)
    }
}

/// Where one is in something that can be longer than its place on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Place {
    pub cursor: usize,
    /// The first that is shown.
    pub top: usize,
}

impl Place {
    /// Stay among so many, and keep the cursor in sight where so many are shown.
    pub fn keep(&mut self, count: usize, shown: usize) {
        self.cursor = self.cursor.min(count.saturating_sub(1));
        let shown = shown.max(1);
        self.top = self.top.min(self.cursor).max((self.cursor + 1).saturating_sub(shown));
        self.top = self.top.min(count.saturating_sub(shown));
    }

    pub fn by(&mut self, step: isize) {
        self.cursor = self.cursor.saturating_add_signed(step);
    }
}

/// What was read last of each view.
#[derive(Debug, Default)]
pub struct Views {
    pub now: Option<Now>,
    pub board: Option<Board>,
    pub list: Option<Listed>,
    pub agents: Vec<AgentView>,
    pub agent: Option<AgentDetail>,
    pub queue: Option<Queue>,
    pub health: Option<Health>,
    pub decisions: Option<Decisions>,
    pub feed: Option<Activity>,
    pub flow: Option<Flow>,
    pub choices: Choices,
}

/// How many columns the board has.
pub const COLUMNS: usize = 7;

/// Where one is on the board.
#[derive(Debug, Clone, Copy, Default)]
pub struct Columns {
    pub at: usize,
    /// The first that is shown.
    pub first: usize,
    pub places: [Place; COLUMNS],
}

/// A card that is carried to another column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drag {
    pub ticket: String,
    pub from: usize,
    /// The column that it is above now; `None`: the mouse has not moved.
    pub over: Option<usize>,
    /// The cursor was on it already, so that letting go opens it.
    pub opens: bool,
}

/// What an agent's terminal shows.
#[derive(Debug, Clone)]
pub struct Preview {
    pub agent: String,
    pub picture: Result<Picture, String>,
}

/// Words for the person, until they do something else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    pub lines: Vec<String>,
    pub is_bad: bool,
    /// When it goes by itself; bad news stays longer.
    pub until: Timestamp,
}

/// When views are read: at most every so often, and nothing twice at once.
#[derive(Debug, Clone, Copy)]
pub struct Reading {
    /// How many answers are still to come.
    pub outstanding: usize,
    /// Something has changed since.
    pub is_stale: bool,
    /// The person looks at something that was not read yet.
    pub is_urgent: bool,
    pub last: Timestamp,
    /// How long the last reading took.
    pub took: SignedDuration,
    /// When the details of an agent were last asked for.
    pub details: Timestamp,
    /// When it was last asked who needs the person, for the number in the tab.
    pub needs: Timestamp,
}

/// Everything.
#[derive(Debug)]
pub struct State {
    pub cols: u16,
    pub rows: u16,
    pub now: Timestamp,
    pub palette: Palette,
    pub screen: Screen,
    pub sieve: Sieve,
    pub sort: Sort,
    /// Agents that have ended are shown too.
    pub ended: bool,
    /// The feed shows what hooks record too.
    pub chatter: bool,
    pub views: Views,
    /// Where one is on each screen but the board.
    pub places: [Place; Screen::ALL.len()],
    pub columns: Columns,
    /// Tickets that are open, each over the one that it was opened from.
    pub pages: Vec<Page>,
    pub prompt: Option<Prompt>,
    /// Acts whose answers are awaited, in their order: what was asked for each, which comes back if it is refused.
    pub sent: VecDeque<Option<Prompt>>,
    pub help: bool,
    pub notice: Option<Notice>,
    /// Why a view could not be read.
    pub trouble: Option<Trouble>,
    pub drag: Option<Drag>,
    pub preview: Option<Preview>,
    /// The agent whose terminal is watched.
    pub watched: Option<String>,
    pub reading: Reading,
    /// Something is to be drawn.
    pub is_dirty: bool,
}

/// What the cursor is on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Picked {
    pub ticket: Option<String>,
    pub agent: Option<String>,
    pub decision: Option<String>,
    pub project: Option<String>,
}

/// A row of the queue's screen.
#[derive(Debug, Clone, Copy)]
pub enum QueueRow<'a> {
    /// A project and its loop.
    Project(&'a str),
    Entry(&'a QueueProject, &'a QueueEntry),
}

impl State {
    pub fn new(screen: Screen, project: String, palette: Palette, now: Timestamp) -> Self {
        Self {
            cols: 0,
            rows: 0,
            now,
            palette,
            screen,
            sieve: Sieve { project, ..Sieve::default() },
            sort: Sort::default(),
            ended: false,
            chatter: false,
            views: Views::default(),
            places: Default::default(),
            columns: Columns { at: 2, ..Columns::default() },
            pages: Vec::new(),
            prompt: None,
            sent: VecDeque::new(),
            help: false,
            notice: None,
            trouble: None,
            drag: None,
            preview: None,
            watched: None,
            reading: Reading {
                outstanding: 0,
                is_stale: true,
                is_urgent: true,
                last: now,
                took: SignedDuration::ZERO,
                details: Timestamp::UNIX_EPOCH,
                needs: Timestamp::UNIX_EPOCH,
            },
            is_dirty: true,
        }
    }

    pub fn place(&self) -> Place {
        self.places[self.screen.index()]
    }

    /// The cards of a column of the board.
    pub fn cards(&self, column: usize) -> &[Card] {
        let board = self.views.board.as_ref();
        board.and_then(|board| board.columns.get(column)).map_or(&[], |column| &column.cards)
    }

    /// The card that the cursor is on.
    pub fn card(&self) -> Option<&Card> {
        match self.screen {
            Screen::Board => self.cards(self.columns.at).get(self.columns.places[self.columns.at].cursor),
            Screen::List => self.listed(self.place().cursor),
            _ => None,
        }
    }

    /// A row of the list, if it was read.
    pub fn listed(&self, row: usize) -> Option<&Card> {
        let list = self.views.list.as_ref()?;
        list.cards.get(row.checked_sub(list.from)?)
    }

    /// Pending questions first, then drafts, then those that are answered.
    pub fn decisions(&self) -> Vec<&Decision> {
        let all = self.views.decisions.as_ref();
        all.map(|all| all.pending.iter().chain(&all.drafts).chain(&all.resolved).collect())
            .unwrap_or_default()
    }

    /// Every project that has a loop or a queue, with what waits in it.
    pub fn queue_rows(&self) -> Vec<QueueRow<'_>> {
        let queues = self.views.queue.as_ref().map_or(&[][..], |queue| &queue.projects);
        let loops = self.views.health.as_ref().map_or(&[][..], |health| &health.loops);
        let mut rows = Vec::new();
        for one in loops {
            rows.push(QueueRow::Project(&one.project));
            if let Some(queue) = queues.iter().find(|queue| queue.project == one.project) {
                rows.extend(queue.entries.iter().map(|entry| QueueRow::Entry(queue, entry)));
            }
        }
        rows
    }

    /// How many rows the screen has that the cursor can be on.
    pub fn count(&self) -> usize {
        match self.screen {
            Screen::Now => self.views.now.as_ref().map_or(0, |now| now.needs.len()),
            Screen::Board => self.cards(self.columns.at).len(),
            Screen::List => self.views.list.as_ref().map_or(0, |list| list.total),
            Screen::Agents => self.views.agents.len(),
            Screen::Queue => self.queue_rows().len(),
            Screen::Decisions => self.decisions().len(),
            Screen::Feed => self.views.feed.as_ref().map_or(0, |feed| feed.entries.len()),
            Screen::Flow => 0,
        }
    }

    /// What the cursor is on: the open ticket, or the row.
    pub fn picked(&self) -> Picked {
        match self.pages.last() {
            Some(page) => Picked {
                ticket: Some(page.id.clone()),
                project: page.view.as_ref().map(|view| view.card.project.clone()),
                ..Picked::default()
            },
            None => self.at(self.place().cursor),
        }
    }

    /// What is on a row of the screen.
    pub fn at(&self, row: usize) -> Picked {
        let of_card = |card: &Card| Picked {
            ticket: Some(card.id.clone()),
            project: Some(card.project.clone()),
            ..Picked::default()
        };
        let found = match self.screen {
            Screen::Now => self.views.now.as_ref().and_then(|now| now.needs.get(row)).map(|need| Picked {
                ticket: need.ticket.clone(),
                agent: need.agent.clone(),
                decision: need.decision.clone(),
                project: need.project.clone(),
            }),
            Screen::Board => self.card().map(of_card),
            Screen::List => self.listed(row).map(of_card),
            Screen::Agents => self.views.agents.get(row).map(|agent| Picked {
                ticket: agent.ticket.clone(),
                agent: Some(agent.id.clone()),
                decision: None,
                project: agent.project.clone(),
            }),
            Screen::Queue => self.queue_rows().get(row).map(|row| match row {
                QueueRow::Project(name) => Picked { project: Some((*name).to_owned()), ..Picked::default() },
                QueueRow::Entry(queue, entry) => Picked {
                    ticket: Some(entry.ticket.clone()),
                    project: Some(queue.project.clone()),
                    ..Picked::default()
                },
            }),
            Screen::Decisions => self.decisions().get(row).map(|one| Picked {
                ticket: one.ticket.clone(),
                decision: Some(one.id.clone()),
                agent: None,
                project: one.project.clone(),
            }),
            Screen::Feed => {
                let entry = self.views.feed.as_ref().and_then(|feed| feed.entries.get(row));
                entry.map(|entry| Picked {
                    ticket: entry.ticket.clone(),
                    project: entry.project.clone(),
                    ..Picked::default()
                })
            }
            Screen::Flow => None,
        };
        found.unwrap_or_default()
    }

    /// What a row is, so that the cursor stays on it when others come and go.
    pub fn identity(&self, row: usize) -> Option<String> {
        match self.screen {
            Screen::Feed => self.views.feed.as_ref()?.entries.get(row).map(|entry| entry.id.clone()),
            Screen::Flow => None,
            Screen::Now => {
                let need = self.views.now.as_ref()?.needs.get(row)?;
                let of = [&need.ticket, &need.agent, &need.decision].map(|id| id.clone().unwrap_or_default());
                Some(format!("{} {}", need.kind.as_str(), of.join(" ")))
            }
            // Whoever answers one goes on with the next.
            Screen::Decisions => {
                self.decisions().get(row).filter(|one| one.state != "resolved").map(|one| one.id.clone())
            }
            Screen::Agents => self.at(row).agent,
            Screen::Board | Screen::List => self.at(row).ticket,
            Screen::Queue => {
                let at = self.at(row);
                at.ticket.or(at.project)
            }
        }
    }

    /// Whether the letters for tickets count on this screen. On some they mean something else.
    pub fn has_ticket_keys(&self) -> bool {
        let is_other =
            matches!(self.screen, Screen::Agents | Screen::Queue | Screen::Decisions | Screen::Feed);
        !self.pages.is_empty() || !is_other
    }

    /// How many wait for the person.
    pub fn needs(&self) -> usize {
        self.views.now.as_ref().map_or(0, |now| now.needs.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cursor_stays_in_sight() {
        let kept = |cursor, top, count, shown| {
            let mut place = Place { cursor, top };
            place.keep(count, shown);
            (place.cursor, place.top)
        };
        assert_eq!(kept(0, 0, 0, 10), (0, 0));
        assert_eq!(kept(9, 0, 5, 10), (4, 0));
        assert_eq!(kept(12, 0, 100, 10), (12, 3));
        assert_eq!(kept(2, 8, 100, 10), (2, 2));
        assert_eq!(kept(99, 95, 100, 10), (99, 90));
        assert_eq!(kept(3, 3, 4, 10), (3, 0));
    }
}
