//! What the mouse does: click, wheel, and carrying a card to another column.

use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};

use super::keys::{see_to_it, set_tab, sit_down, sort_by, step_by};
use super::{go, open, page_height, prompt};
use crate::layout::{self, Spot};
use crate::message::Effect;
use crate::state::{Drag, Screen, State};

/// How many rows the wheel moves by.
const WHEEL: isize = 3;

pub(super) fn mouse(state: &mut State, event: MouseEvent, effects: &mut Vec<Effect>) {
    if layout::is_too_small(state) || state.prompt.is_some() {
        return;
    }
    let spot = layout::spot(state, event.column, event.row);
    match event.kind {
        MouseEventKind::Down(MouseButton::Left) => {
            if std::mem::take(&mut state.help) || state.notice.take().is_some() {
                return;
            }
            press(state, spot, effects);
        }
        MouseEventKind::Drag(MouseButton::Left) => {
            let over = match spot {
                Some(Spot::Card { column, .. }) => Some(column),
                _ => None,
            };
            if let Some(drag) = &mut state.drag {
                drag.over = over;
            }
        }
        MouseEventKind::Up(MouseButton::Left) => {
            let Some(drag) = state.drag.take() else { return };
            match drag.over {
                Some(over) if over != drag.from => drop_card(state, drag.ticket, over, effects),
                None if drag.opens => open(state, drag.ticket),
                _ => {}
            }
        }
        MouseEventKind::ScrollUp => wheel(state, spot, -WHEEL),
        MouseEventKind::ScrollDown => wheel(state, spot, WHEEL),
        _ => {}
    }
}

fn press(state: &mut State, spot: Option<Spot>, effects: &mut Vec<Effect>) {
    match spot {
        Some(Spot::Screen(screen)) => go(state, screen),
        Some(Spot::Tab(tab)) => set_tab(state, tab),
        Some(Spot::Head(sort)) => sort_by(state, sort),
        Some(Spot::Card { column, row }) => {
            let was = (state.columns.at, state.columns.places[column].cursor);
            state.columns.at = column;
            let Some(card) = state.cards(column).get(row) else { return };
            let ticket = card.id.clone();
            state.columns.places[column].cursor = row;
            state.drag = Some(Drag { ticket, from: column, over: None, opens: was == (column, row) });
        }
        Some(Spot::Row(row)) => {
            let at = state.screen.index();
            let is_again = state.places[at].cursor == row;
            state.places[at].cursor = row;
            if is_again {
                enter(state, effects);
            }
        }
        Some(Spot::Line(line)) => {
            let leads = state.pages.last().and_then(|page| page.rows.get(line)?.leads.clone());
            if let Some(ticket) = leads {
                open(state, ticket);
            }
        }
        None => {}
    }
}

/// A second click is the Enter key.
fn enter(state: &mut State, effects: &mut Vec<Effect>) {
    let picked = state.picked();
    match state.screen {
        Screen::Now => see_to_it(state, effects),
        Screen::Decisions => {
            if let Some(id) = picked.decision {
                prompt::answer(state, &id);
            }
        }
        Screen::Agents => {
            if let Some(agent) = picked.agent {
                sit_down(state, agent, true, effects);
            }
        }
        _ => {
            if let Some(ticket) = picked.ticket {
                open(state, ticket);
            }
        }
    }
}

fn drop_card(state: &mut State, ticket: String, column: usize, effects: &mut Vec<Effect>) {
    let board = state.views.board.as_ref();
    let Some(to) = board.and_then(|board| board.columns.get(column)).map(|column| column.status.clone())
    else {
        return;
    };
    let cards = board.into_iter().flat_map(|board| &board.columns).flat_map(|column| &column.cards);
    let from =
        cards.filter(|card| card.id == ticket).map(|card| card.status.clone()).next().unwrap_or_default();
    prompt::move_to(state, ticket, &from, to, effects);
}

fn wheel(state: &mut State, spot: Option<Spot>, step: isize) {
    let height = page_height(state);
    if let Some(page) = state.pages.last_mut() {
        return page.scroll(step, height);
    }
    if let Some(Spot::Card { column, .. }) = spot {
        state.columns.at = column;
    }
    step_by(state, step);
}
