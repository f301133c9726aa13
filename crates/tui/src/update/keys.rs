//! What the keys do.

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use signalbox_desk::{Act, Loop, Sieve, Sort};

use super::{go, lay_out, open, page_height, prompt, say, send, sieve_changed};
use crate::layout;
use crate::message::Effect;
use crate::page::Tab;
use crate::prompt::{Choice, Line, Prompt, Purpose};
use crate::state::{COLUMNS, Screen, State};

pub(super) fn press(state: &mut State, key: KeyEvent, effects: &mut Vec<Effect>) {
    if key.kind == KeyEventKind::Release {
        return;
    }
    // Alt is nobody's key here. It is Escape and another key that came at once, over a slow line.
    if key.modifiers.contains(KeyModifiers::ALT) {
        press(state, KeyEvent::new(KeyCode::Esc, KeyModifiers::NONE), effects);
        return press(state, KeyEvent { modifiers: key.modifiers - KeyModifiers::ALT, ..key }, effects);
    }
    if key.modifiers.contains(KeyModifiers::CONTROL) {
        match key.code {
            KeyCode::Char('c') if state.prompt.is_none() => return effects.push(Effect::Quit),
            KeyCode::Char('z') => return effects.push(Effect::Suspend),
            _ => {}
        }
    }
    if state.prompt.is_some() {
        return prompt::press(state, key, effects);
    }
    if std::mem::take(&mut state.help) {
        return;
    }
    let had_notice = state.notice.take().is_some();
    if key.modifiers.contains(KeyModifiers::CONTROL) {
        if key.code == KeyCode::Char('l') {
            state.reading.is_urgent = true;
            lay_out(state);
            effects.push(Effect::Redraw);
        }
        return;
    }
    match key.code {
        KeyCode::Char('?') => state.help = true,
        KeyCode::Char(digit @ '1'..='8') => {
            let index = usize::from(digit as u8 - b'1');
            go(state, Screen::ALL[index]);
        }
        KeyCode::Char('/') => {
            let before = state.sieve.text.clone();
            let line = Line::of(&before);
            state.prompt =
                Some(Prompt::Line { purpose: Purpose::Search { before }, line, refused: Vec::new() });
        }
        KeyCode::Char('f') => prompt::choose_field(state),
        KeyCode::Char('F') => {
            state.sieve = Sieve::default();
            sieve_changed(state);
        }
        KeyCode::Char('N') => prompt::new_ticket(state, effects),
        KeyCode::Esc if had_notice => {}
        _ if !state.pages.is_empty() => on_page(state, key.code),
        KeyCode::Char('q') => effects.push(Effect::Quit),
        KeyCode::Tab => turn(state, 1),
        KeyCode::BackTab => turn(state, Screen::ALL.len() - 1),
        KeyCode::Esc => {
            if state.sieve.text.is_empty() {
                return;
            }
            state.sieve.text.clear();
            sieve_changed(state);
        }
        code => {
            if !travel(state, code) && !on_screen(state, code, effects) {
                on_ticket(state, code);
            }
        }
    }
}

/// So many screens further.
fn turn(state: &mut State, step: usize) {
    let index = (state.screen.index() + step) % Screen::ALL.len();
    go(state, Screen::ALL[index]);
}

/// Keys that move the cursor. Whether it was one.
fn travel(state: &mut State, code: KeyCode) -> bool {
    let shown = match layout::table(state) {
        Some(table) => table.shown(),
        None => layout::cards_shown(state),
    };
    let shown = isize::try_from(shown).unwrap_or(1).max(1);
    let step = match code {
        KeyCode::Up | KeyCode::Char('k') => -1,
        KeyCode::Down | KeyCode::Char('j') => 1,
        KeyCode::PageUp => -shown,
        KeyCode::PageDown => shown,
        KeyCode::Home => isize::MIN,
        KeyCode::End => isize::MAX,
        KeyCode::Left if state.screen == Screen::Board => {
            state.columns.at = state.columns.at.saturating_sub(1);
            return true;
        }
        KeyCode::Right if state.screen == Screen::Board => {
            state.columns.at = (state.columns.at + 1).min(COLUMNS - 1);
            return true;
        }
        _ => return false,
    };
    step_by(state, step);
    true
}

/// Move the cursor of the screen.
pub(super) fn step_by(state: &mut State, step: isize) {
    let count = state.count();
    let place = match state.screen {
        Screen::Board => &mut state.columns.places[state.columns.at],
        screen => &mut state.places[screen.index()],
    };
    place.by(step);
    place.cursor = place.cursor.min(count.saturating_sub(1));
    let column = state.columns.at;
    let (cursor, read) = (state.columns.places[column].cursor, state.cards(column).len());
    let all = state
        .views
        .board
        .as_ref()
        .and_then(|board| board.columns.get(column))
        .map_or(0, |column| column.count);
    // The end of what was read is near, and there is more.
    if state.screen == Screen::Board && read < all && cursor + 2 * layout::cards_shown(state) >= read {
        state.reading.is_urgent = true;
    }
}

fn on_page(state: &mut State, code: KeyCode) {
    let height = page_height(state);
    let whole = isize::try_from(height).unwrap_or(1);
    let Some(page) = state.pages.last_mut() else { return };
    match code {
        KeyCode::Esc | KeyCode::Backspace | KeyCode::Char('q') => {
            state.pages.pop();
            state.reading.is_urgent = true;
        }
        KeyCode::Left => show_tab(state, -1),
        KeyCode::Right => show_tab(state, 1),
        KeyCode::Up | KeyCode::Char('k') => page.scroll(-1, height),
        KeyCode::Down | KeyCode::Char('j') => page.scroll(1, height),
        KeyCode::PageUp => page.scroll(-whole, height),
        KeyCode::PageDown | KeyCode::Char(' ') => page.scroll(whole, height),
        KeyCode::Home => page.scroll(isize::MIN, height),
        KeyCode::End => page.scroll(isize::MAX, height),
        KeyCode::Tab => page.next_link(true, height),
        KeyCode::BackTab => page.next_link(false, height),
        KeyCode::Enter => {
            let leads = page.link.and_then(|link| page.rows.get(link)).and_then(|row| row.leads.clone());
            if let Some(ticket) = leads {
                open(state, ticket);
            }
        }
        KeyCode::Char('c') => {
            let Some(view) = &page.view else { return };
            let met: Vec<bool> = view.acceptance.iter().map(|one| one.met).collect();
            if met.is_empty() {
                say(state, vec!["It has no criteria.".to_owned()], false);
            } else {
                state.prompt = Some(Prompt::line(Purpose::Check { ticket: page.id.clone(), met }));
            }
        }
        code => on_ticket(state, code),
    }
}

/// The part of the open ticket that is so many further.
fn show_tab(state: &mut State, step: isize) {
    if let Some(tab) = state.pages.last().map(|page| page.tab.by(step)) {
        set_tab(state, tab);
    }
}

pub(super) fn set_tab(state: &mut State, tab: Tab) {
    if let Some(page) = state.pages.last_mut() {
        page.tab = tab;
        page.top = 0;
        page.link = None;
    }
    state.reading.is_urgent |= tab == Tab::Diff;
    lay_out(state);
}

/// Keys of the screen. Whether it was one.
fn on_screen(state: &mut State, code: KeyCode, effects: &mut Vec<Effect>) -> bool {
    let picked = state.picked();
    match (state.screen, code) {
        (Screen::Now, KeyCode::Enter) => see_to_it(state, effects),
        (Screen::Decisions, KeyCode::Enter) => {
            if let Some(id) = picked.decision {
                prompt::answer(state, &id);
            }
        }
        (Screen::Decisions, KeyCode::Char('p')) => {
            if let Some(decision) = picked.decision {
                send(state, Act::Promote { decision }, None, effects);
            }
        }
        (Screen::Decisions, KeyCode::Char('w')) => {
            state.prompt = picked.decision.map(|id| Prompt::line(Purpose::Withdraw(id)));
        }
        (Screen::Agents, KeyCode::Enter | KeyCode::Char('w')) => {
            if let Some(agent) = picked.agent {
                sit_down(state, agent, code == KeyCode::Enter, effects);
            }
        }
        (Screen::Agents, KeyCode::Char('t')) => {
            state.prompt = picked.agent.map(|id| Prompt::line(Purpose::Tell(id)));
        }
        (Screen::Agents, KeyCode::Char('x')) => {
            let yes_no = || vec!["no, let it go on".to_owned(), "yes, end it".to_owned()];
            state.prompt = picked.agent.map(|id| Prompt::choose(Choice::StopAgent(id), yes_no()));
        }
        (Screen::Agents, KeyCode::Char('e')) => {
            state.ended = !state.ended;
            state.reading.is_urgent = true;
        }
        (Screen::Feed, KeyCode::Char('e')) => {
            state.chatter = !state.chatter;
            state.reading.is_urgent = true;
        }
        (Screen::Queue, KeyCode::Char(wish @ ('p' | 'd' | 'g'))) => {
            let wish = match wish {
                'p' => Loop::Pause,
                'd' => Loop::Drain,
                _ => Loop::Resume,
            };
            if let Some(project) = picked.project {
                send(state, Act::Loop { project, wish, agents: None }, None, effects);
            }
        }
        (Screen::Queue, KeyCode::Char('c')) => {
            state.prompt = picked.project.map(|name| Prompt::line(Purpose::Agents(name)));
        }
        (Screen::Queue, KeyCode::Char('x')) => {
            let yes_no = || vec!["no, let it run".to_owned(), "yes, end it".to_owned()];
            state.prompt = picked.project.map(|name| Prompt::choose(Choice::StopLoop(name), yes_no()));
        }
        (Screen::List, KeyCode::Char('s')) => {
            let at = Sort::ALL.iter().position(|sort| *sort == state.sort).unwrap_or(0);
            sort_by(state, Sort::ALL[(at + 1) % Sort::ALL.len()]);
        }
        (_, KeyCode::Enter | KeyCode::Char('o')) => {
            if let Some(ticket) = picked.ticket {
                open(state, ticket);
            }
        }
        _ => return false,
    }
    true
}

/// Sort the list, and begin at its top.
pub(super) fn sort_by(state: &mut State, sort: Sort) {
    state.sort = sort;
    state.places[Screen::List.index()] = Default::default();
    state.views.list = None;
    state.reading.is_urgent = true;
}

/// Do what the need asks for.
pub(super) fn see_to_it(state: &mut State, effects: &mut Vec<Effect>) {
    let picked = state.picked();
    if let Some(id) = picked.decision {
        prompt::answer(state, &id);
    } else if let Some(agent) = picked.agent {
        sit_down(state, agent, true, effects);
    } else if let Some(ticket) = picked.ticket {
        open(state, ticket);
    }
}

pub(super) fn sit_down(state: &mut State, agent: String, types: bool, effects: &mut Vec<Effect>) {
    let known = state.views.agents.iter().find(|one| one.id == agent);
    if known.is_some_and(|one| !one.running) {
        return say(state, vec![format!("{agent} has ended. `sb replay {agent}` shows what it did.")], false);
    }
    // Its terminal is not looked at from here while one sits at it.
    state.watched = None;
    effects.push(Effect::Watch(None));
    effects.push(Effect::Attach { agent, types });
}

/// Keys for the ticket that the cursor is on.
fn on_ticket(state: &mut State, code: KeyCode) {
    let KeyCode::Char(letter) = code else { return };
    let Some(ticket) = state.picked().ticket else { return };
    if !state.has_ticket_keys() {
        return;
    }
    let page = state.pages.last().and_then(|page| page.view.as_ref());
    let card = page.map(|view| &view.card).or_else(|| state.card());
    let purpose = match letter {
        'm' => {
            let from = card.map(|card| card.status.clone()).unwrap_or_default();
            return prompt::choose_status(state, ticket, from);
        }
        'n' => Purpose::Note(ticket),
        'a' => Purpose::Approve(ticket),
        'r' => Purpose::Reject(ticket),
        'h' if card.is_some_and(|card| card.held.is_some()) => Purpose::Unhold(ticket),
        'h' => Purpose::Hold(ticket),
        '@' => Purpose::Assign(ticket),
        _ => return,
    };
    state.prompt = Some(Prompt::line(purpose));
}
