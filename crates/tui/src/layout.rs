//! Where everything is, worked out from the state alone, so that drawing and clicking never disagree.

use ratatui::layout::Rect;
use signalbox_desk::Sort;

use crate::page::Tab;
use crate::state::{COLUMNS, Screen, State};

/// The smallest terminal that the board is drawn on.
pub const LEAST: (u16, u16) = (80, 24);
/// The rows of a card.
pub const CARD: u16 = 3;
/// The lines below the feed, for the whole of what is below the cursor.
pub const WHOLE: u16 = 5;
/// The least columns of a column of the board.
const NARROWEST: u16 = 23;

/// Rows on which the cursor can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Table {
    pub area: Rect,
    /// How many lines a row takes.
    pub step: u16,
}

impl Table {
    /// How many rows it shows.
    pub fn shown(self) -> usize {
        usize::from(self.area.height / self.step.max(1))
    }
}

/// Something that can be clicked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spot {
    Screen(Screen),
    Tab(Tab),
    /// A column of the board, and the card in it, if there is one below the mouse.
    Card {
        column: usize,
        row: usize,
    },
    Row(usize),
    /// What the list can be sorted by.
    Head(Sort),
    /// A line of an open ticket.
    Line(usize),
}

pub fn is_too_small(state: &State) -> bool {
    state.cols < LEAST.0 || state.rows < LEAST.1
}

/// What is between the two lines on top and the keys at the bottom.
pub fn content(state: &State) -> Rect {
    Rect::new(0, 2, state.cols, state.rows.saturating_sub(3))
}

/// The tabs of the screens: where each begins, and how wide it is.
pub fn tabs(state: &State) -> Vec<(Screen, u16, u16)> {
    let mut x = 0;
    let mut tabs = Vec::new();
    for screen in Screen::ALL {
        let width = u16::try_from(tab_title(state, screen).chars().count()).unwrap_or(0);
        tabs.push((screen, x, width));
        x += width;
    }
    tabs
}

/// The words of a tab, with blanks around.
pub fn tab_title(state: &State, screen: Screen) -> String {
    let number = screen.index() + 1;
    match (screen, state.needs()) {
        (Screen::Now, needs @ 1..) => format!(" {number} Now({needs}) "),
        _ => format!(" {number} {} ", screen.title()),
    }
}

/// The tabs of an open ticket, on the first line of the content.
pub fn page_tabs(state: &State) -> Vec<(Tab, u16, u16)> {
    let area = content(state);
    let mut x = area.x;
    let mut tabs = Vec::new();
    for tab in Tab::ALL {
        let width = u16::try_from(tab.title().len()).unwrap_or(0) + 2;
        tabs.push((tab, x, width));
        x += width;
    }
    tabs
}

/// Where the text of an open ticket is.
pub fn page(state: &State) -> Rect {
    let area = content(state);
    Rect::new(area.x + 1, area.y + 2, area.width.saturating_sub(2), area.height.saturating_sub(2))
}

/// The columns of the board that are shown, from the left.
pub fn columns(state: &State) -> Vec<(usize, Rect)> {
    let area = content(state);
    let count = usize::from((area.width / NARROWEST).max(1)).min(COLUMNS);
    let first = state.columns.first.min(COLUMNS - count);
    let mut columns = Vec::new();
    let mut x = area.x;
    for number in 0..count {
        let left = area.right() - x;
        let width = left / u16::try_from(count - number).unwrap_or(1);
        columns.push((first + number, Rect::new(x, area.y, width, area.height)));
        x += width;
    }
    columns
}

/// How many cards a column shows: below its title and the line beneath that.
pub fn cards_shown(state: &State) -> usize {
    usize::from(content(state).height.saturating_sub(2) / CARD)
}

/// The rows of the screen, where it has some.
pub fn table(state: &State) -> Option<Table> {
    let area = content(state);
    let below = |skip: u16, height: u16| Rect::new(area.x, area.y + skip, area.width, height);
    match state.screen {
        Screen::Now => {
            let height = area.height.saturating_sub(agents_below(state) + 1);
            Some(Table { area: below(1, height), step: 2 })
        }
        Screen::Board | Screen::Flow => None,
        Screen::List => Some(Table { area: below(1, area.height.saturating_sub(1)), step: 1 }),
        Screen::Feed => Some(Table { area: below(0, area.height.saturating_sub(WHOLE)), step: 1 }),
        Screen::Agents | Screen::Queue => Some(Table { area: below(1, upper(area) - 1), step: 1 }),
        Screen::Decisions => {
            let width = (area.width / 3).max(28);
            Some(Table { area: Rect::new(area.x, area.y, width, area.height), step: 2 })
        }
    }
}

/// The columns of the list: where each begins, its title, and what a click on it sorts by.
pub fn heads(state: &State) -> [(u16, &'static str, Sort); 5] {
    [
        (1, "prio", Sort::Priority),
        (6, "id", Sort::Created),
        (17, "status", Sort::Status),
        (30, "title", Sort::Title),
        (state.cols.saturating_sub(12), "changed", Sort::Updated),
    ]
}

/// The lines that the running agents take on the first screen.
pub fn agents_below(state: &State) -> u16 {
    let agents = state.views.now.as_ref().map_or(0, |now| now.agents.len());
    2 + u16::try_from(agents).unwrap_or(u16::MAX).min(content(state).height / 3).max(1)
}

/// How much of a screen its rows take, where there is something below them.
pub fn upper(area: Rect) -> u16 {
    (area.height / 3).max(5)
}

/// What is below the rows of a screen.
pub fn lower(state: &State) -> Rect {
    let area = content(state);
    let upper = upper(area);
    Rect::new(area.x, area.y + upper, area.width, area.height.saturating_sub(upper))
}

/// What is at a point.
pub fn spot(state: &State, x: u16, y: u16) -> Option<Spot> {
    let within = |begin: u16, width: u16| (begin..begin + width).contains(&x);
    if y == 0 {
        let tabs = tabs(state);
        return tabs
            .iter()
            .find(|(_, begin, width)| within(*begin, *width))
            .map(|(tab, ..)| Spot::Screen(*tab));
    }
    if let Some(open) = state.pages.last() {
        let area = content(state);
        if y == area.y + 1 {
            let tabs = page_tabs(state);
            return tabs
                .iter()
                .find(|(_, begin, width)| within(*begin, *width))
                .map(|(tab, ..)| Spot::Tab(*tab));
        }
        let area = page(state);
        return (area.top()..area.bottom())
            .contains(&y)
            .then(|| Spot::Line(open.top + usize::from(y - area.y)));
    }
    if state.screen == Screen::Board {
        let area = content(state);
        let (column, _) = columns(state).into_iter().find(|(_, area)| within(area.x, area.width))?;
        if !(area.top()..area.bottom()).contains(&y) {
            return None;
        }
        let row = usize::from(y.saturating_sub(area.y + 2) / CARD);
        return Some(Spot::Card { column, row: state.columns.places[column].top + row });
    }
    let table = table(state)?;
    if state.screen == Screen::List && y == content(state).y {
        return heads(state).into_iter().rfind(|(begin, ..)| *begin <= x).map(|(.., sort)| Spot::Head(sort));
    }
    let area = table.area;
    let is_in = within(area.x, area.width) && (area.top()..area.bottom()).contains(&y);
    let row = state.place().top + usize::from(y.saturating_sub(area.y) / table.step);
    (is_in && row < state.count()).then_some(Spot::Row(row))
}
