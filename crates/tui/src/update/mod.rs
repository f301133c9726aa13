//! What follows from what happened: the one place that changes the state. Nothing here waits, reads or writes; what has
//! to be done comes back as effects.

mod keys;
mod mouse;
mod prompt;

use jiff::SignedDuration;
use signalbox_desk::{Act, Done, Sieve, Wanted};

use crate::layout;
use crate::message::{Ask, Effect, Msg, Trouble, View};
use crate::page::{Page, Tab};
use crate::prompt::Prompt;
use crate::state::{COLUMNS, Notice, Place, Preview, Screen, State};

/// How often views are read at the most.
const PAUSE: SignedDuration = SignedDuration::from_millis(200);
/// How often what changes without an event is read: an agent's state, the output of a validation.
const PULSE: SignedDuration = SignedDuration::from_secs(1);
/// How often the details of an agent are read: what it has used stands in long files of its CLI.
const DETAILS: SignedDuration = SignedDuration::from_secs(5);
/// How often it is asked who needs the person while they look at something else.
const NEEDS: SignedDuration = SignedDuration::from_secs(5);
/// How long good news stay, and bad news.
const GOOD: SignedDuration = SignedDuration::from_secs(4);
const BAD: SignedDuration = SignedDuration::from_secs(30);
/// How many rows of a list are read around the cursor, and of a feed.
const WINDOW: usize = 600;
const FEED: usize = 500;

/// Take in what happened.
pub fn update(state: &mut State, msg: Msg) -> Vec<Effect> {
    let mut effects = Vec::new();
    if !matches!(msg, Msg::Tick(_) | Msg::Grew) {
        state.is_dirty = true;
    }
    match msg {
        Msg::Key(key) => keys::press(state, key, &mut effects),
        Msg::Mouse(event) => mouse::mouse(state, event, &mut effects),
        Msg::Paste(text) => prompt::paste(state, &text),
        Msg::Resized { cols, rows } => {
            (state.cols, state.rows) = (cols, rows);
            state.drag = None;
            lay_out(state);
        }
        Msg::Tick(now) => tick(state, now),
        Msg::Grew => state.reading.is_stale = true,
        Msg::Read(ask, view) => read(state, &ask, *view),
        Msg::Acted(outcome) => acted(state, outcome),
        Msg::Shown { agent, picture } => {
            if state.watched.as_deref() == Some(&agent) {
                state.preview = Some(Preview { agent, picture: Ok(*picture) });
            }
        }
        Msg::Dark { agent, why } => {
            if state.watched.as_deref() == Some(&agent) {
                state.preview = Some(Preview { agent, picture: Err(why) });
            }
        }
        Msg::Returned(words) => {
            if !words.is_empty() {
                say(state, vec![words], false);
            }
            // The terminal is watched anew: somebody else's hands were on it.
            state.watched = None;
            state.reading.is_urgent = true;
        }
        Msg::Suspend => effects.push(Effect::Suspend),
        Msg::Continued => {
            state.reading.is_urgent = true;
            effects.push(Effect::Redraw);
        }
        Msg::Broken(_) | Msg::End(_) => effects.push(Effect::Quit),
    }
    settle(state, &mut effects);
    effects
}

/// Bring everything that follows from the rest in line: places, the window of the list, what is watched, what is read.
fn settle(state: &mut State, effects: &mut Vec<Effect>) {
    let shown = layout::cards_shown(state);
    for column in 0..COLUMNS {
        let count = state.cards(column).len();
        state.columns.places[column].keep(count, shown);
    }
    let visible = layout::columns(state).len();
    let at = state.columns.at;
    state.columns.first = state.columns.first.min(at).max((at + 1).saturating_sub(visible));
    let count = state.count();
    if let Some(table) = layout::table(state) {
        state.places[state.screen.index()].keep(count, table.shown());
    }
    if state.screen == Screen::List && count > 0 && state.listed(state.place().cursor).is_none() {
        state.reading.is_urgent = true;
    }
    watch(state, effects);
    if let Some(asks) = due(state) {
        state.reading.outstanding = asks.len();
        state.reading.is_stale = false;
        state.reading.is_urgent = false;
        state.reading.last = state.now;
        if asks.contains(&Ask::Now) {
            state.reading.needs = state.now;
        }
        if asks.iter().any(|ask| matches!(ask, Ask::Agent(_))) {
            state.reading.details = state.now;
        }
        effects.push(Effect::Read(asks));
    }
}

/// The agent whose terminal is to be seen.
fn watch(state: &mut State, effects: &mut Vec<Effect>) {
    let is_shown = state.screen == Screen::Agents && state.pages.is_empty();
    let agent = state.views.agents.get(state.place().cursor).filter(|agent| is_shown && agent.running);
    let wanted = agent.map(|agent| agent.id.clone());
    if wanted != state.watched {
        if state.preview.as_ref().is_some_and(|preview| wanted.as_ref() != Some(&preview.agent)) {
            state.preview = None;
        }
        state.watched.clone_from(&wanted);
        // Its details come with the next reading.
        state.reading.is_urgent |= wanted.is_some();
        effects.push(Effect::Watch(wanted));
    }
}

/// What is to be read now, if anything.
fn due(state: &State) -> Option<Vec<Ask>> {
    let reading = &state.reading;
    if reading.outstanding > 0 {
        return None;
    }
    let passed = state.now.duration_since(reading.last);
    let has_pulse = matches!(state.screen, Screen::Now | Screen::Agents | Screen::Queue);
    let needs = state.now.duration_since(reading.needs) >= NEEDS;
    // What takes long to read is read less often.
    let pause = (reading.took * 3).max(PAUSE);
    let is_due = reading.is_urgent
        || (reading.is_stale && passed >= pause)
        || (has_pulse && passed >= pause.max(PULSE));
    if !is_due && !needs {
        return None;
    }
    let mut asks = if is_due { wanted(state) } else { Vec::new() };
    if needs && !asks.contains(&Ask::Now) {
        asks.push(Ask::Now);
    }
    Some(asks)
}

/// What the person looks at.
fn wanted(state: &State) -> Vec<Ask> {
    if let Some(page) = state.pages.last() {
        let mut asks = vec![Ask::Ticket(page.id.clone())];
        let rev = page.view.as_ref().map(|view| view.card.rev);
        if page.tab == Tab::Diff && (page.patch.is_none() || page.patch_of != rev) {
            asks.push(Ask::Patch(page.id.clone()));
        }
        return asks;
    }
    match state.screen {
        Screen::Now => vec![Ask::Now],
        Screen::Board => {
            let deepest = state.columns.places.iter().map(|place| place.cursor).max().unwrap_or(0);
            let most = (deepest + 2 * layout::cards_shown(state) + 50).next_multiple_of(100);
            vec![Ask::Board { sieve: state.sieve.clone(), most }]
        }
        Screen::List => {
            let from = state.place().cursor.saturating_sub(WINDOW / 2) / 100 * 100;
            vec![Ask::List { sieve: state.sieve.clone(), sort: state.sort, from, most: WINDOW }]
        }
        Screen::Agents => {
            let known = state.views.agent.as_ref().map(|known| &known.agent.id);
            let is_old = state.now.duration_since(state.reading.details) >= DETAILS;
            let watched = state.at(state.place().cursor).agent.filter(|id| is_old || known != Some(id));
            [Ask::Agents { ended: state.ended }].into_iter().chain(watched.map(Ask::Agent)).collect()
        }
        Screen::Queue => vec![Ask::Queue, Ask::Health],
        Screen::Decisions => vec![Ask::Decisions],
        Screen::Feed => {
            let Sieve { project, text, .. } = state.sieve.clone();
            let wanted = Wanted { project, text, all: state.chatter, ..Wanted::default() };
            vec![Ask::Feed { wanted, most: FEED }]
        }
        Screen::Flow => vec![Ask::Flow(state.sieve.project.clone())],
    }
}

fn tick(state: &mut State, now: jiff::Timestamp) {
    // Ages change by the second.
    state.is_dirty |= now.as_second() != state.now.as_second();
    state.now = now;
    if state.notice.as_ref().is_some_and(|notice| notice.until <= now) {
        state.notice = None;
    }
}

/// Take in an answer.
fn read(state: &mut State, ask: &Ask, view: Result<View, Trouble>) {
    state.reading.outstanding = state.reading.outstanding.saturating_sub(1);
    if state.reading.outstanding == 0 {
        state.reading.took = state.now.duration_since(state.reading.last);
    }
    let view = match view {
        Ok(view) => {
            state.trouble = None;
            view
        }
        Err(trouble) => return unread(state, ask, trouble),
    };
    let before = state.identity(state.place().cursor);
    let cards: [Option<String>; COLUMNS] = std::array::from_fn(|column| {
        state.cards(column).get(state.columns.places[column].cursor).map(|card| card.id.clone())
    });
    let (now, width, height) = (state.now, page_width(state), page_height(state));
    match (view, ask) {
        (View::Now(mut view), _) => {
            view.needs.retain(|need| need.project.is_none() || is_wanted(state, need.project.as_ref()));
            view.agents.retain(|agent| is_wanted(state, agent.project.as_ref()));
            state.views.now = Some(view);
        }
        (View::Board(view), _) => {
            state.views.board = Some(view);
            for (column, card) in cards.iter().enumerate() {
                let found =
                    card.as_ref().and_then(|id| state.cards(column).iter().position(|card| card.id == *id));
                if let Some(row) = found {
                    state.columns.places[column].cursor = row;
                }
            }
        }
        (View::List(view), _) => state.views.list = Some(view),
        (View::Agents(mut view), _) => {
            view.retain(|agent| is_wanted(state, agent.project.as_ref()));
            state.views.agents = view;
        }
        (View::Agent(view), _) => state.views.agent = Some(*view),
        (View::Queue(view), _) => state.views.queue = Some(view),
        (View::Health(mut view), _) => {
            view.loops.retain(|one| is_wanted(state, Some(&one.project)));
            state.views.health = Some(view);
        }
        (View::Decisions(mut view), _) => {
            for some in [&mut view.pending, &mut view.drafts, &mut view.resolved] {
                some.retain(|one| is_wanted(state, one.project.as_ref()));
            }
            state.views.decisions = Some(view);
        }
        (View::Feed(view), _) => state.views.feed = Some(view),
        (View::Flow(view), _) => state.views.flow = Some(view),
        (View::Choices(view), _) => {
            state.views.choices = view;
            prompt::choices_came(state);
        }
        (View::Ticket(view), Ask::Ticket(id)) => {
            let page = state.pages.iter_mut().find(|page| page.id == *id);
            // A long text is not broken into rows again for nothing.
            if let Some(page) =
                page.filter(|page| page.view.as_ref() != Some(&view) || page.trouble.is_some())
            {
                page.view = Some(view);
                page.trouble = None;
                page.lay_out(width, height, now);
            }
        }
        (View::Patch(patch), Ask::Patch(id)) => {
            if let Some(page) = state.pages.iter_mut().find(|page| page.id == *id) {
                page.patch = Some(patch);
                page.patch_of = page.view.as_ref().map(|view| view.card.rev);
                page.lay_out(width, height, now);
            }
        }
        (View::Ticket(_) | View::Patch(_), _) => {}
    }
    find_again(state, before);
}

/// Whether something of this project is to be shown.
fn is_wanted(state: &State, project: Option<&String>) -> bool {
    state.sieve.project.is_empty() || project == Some(&state.sieve.project)
}

/// What could not be read is said where one looks for it.
fn unread(state: &mut State, ask: &Ask, trouble: Trouble) {
    let (now, width, height) = (state.now, page_width(state), page_height(state));
    match ask {
        Ask::Ticket(id) | Ask::Patch(id) => {
            if let Some(page) = state.pages.iter_mut().find(|page| page.id == *id) {
                page.trouble = Some(trouble);
                page.lay_out(width, height, now);
            }
        }
        // It was there a moment ago.
        Ask::Agent(_) => state.views.agent = None,
        _ => state.trouble = Some(trouble),
    }
}

/// Put the cursor on what it was on. At the top of the feed it stays with the newest.
fn find_again(state: &mut State, before: Option<String>) {
    let at = state.screen.index();
    let Some(before) = before.filter(|_| state.screen != Screen::Board) else { return };
    if state.screen == Screen::Feed && state.places[at].cursor == 0 {
        return;
    }
    if state.identity(state.places[at].cursor).as_ref() == Some(&before) {
        return;
    }
    let rows = match (&state.views.list, state.screen) {
        (Some(list), Screen::List) => list.from..list.from + list.cards.len(),
        _ => 0..state.count(),
    };
    if let Some(row) = rows.into_iter().find(|row| state.identity(*row).as_ref() == Some(&before)) {
        state.places[at].cursor = row;
    }
}

/// Something was done, or refused.
fn acted(state: &mut State, outcome: Result<Done, Trouble>) {
    state.reading.is_urgent = true;
    let sent = state.sent.pop_front().flatten();
    match outcome {
        Ok(done) => {
            let lines = std::iter::once(done.says).chain(done.warnings).collect();
            say(state, lines, false);
        }
        Err(trouble) => {
            let lines: Vec<String> = std::iter::once(trouble.message).chain(trouble.hints).collect();
            match sent {
                // What was typed is not lost.
                Some(Prompt::Line { purpose, line, .. }) if state.prompt.is_none() => {
                    state.prompt = Some(Prompt::Line { purpose, line, refused: lines });
                }
                _ => say(state, lines, true),
            }
        }
    }
}

/// Have something done; what was asked for it comes back if it is refused.
fn send(state: &mut State, act: Act, asked: Option<Prompt>, effects: &mut Vec<Effect>) {
    state.sent.push_back(asked);
    effects.push(Effect::Act(act));
}

/// Tell the person something.
fn say(state: &mut State, lines: Vec<String>, is_bad: bool) {
    let until = state.now + if is_bad { BAD } else { GOOD };
    state.notice = Some(Notice { lines, is_bad, until });
}

/// Go to a screen.
fn go(state: &mut State, screen: Screen) {
    state.screen = screen;
    state.pages.clear();
    state.drag = None;
    state.reading.is_urgent = true;
}

/// Open a ticket over what is shown.
fn open(state: &mut State, id: String) {
    if state.pages.last().is_some_and(|page| page.id == id) {
        return;
    }
    let mut page = Page::new(id);
    page.lay_out(page_width(state), page_height(state), state.now);
    state.pages.push(page);
    state.reading.is_urgent = true;
}

/// Something else is to be shown: from its top on.
fn sieve_changed(state: &mut State) {
    state.places[Screen::List.index()] = Place::default();
    state.places[Screen::Feed.index()] = Place::default();
    state.columns.places = Default::default();
    state.reading.is_urgent = true;
}

/// Write open tickets anew, for another width.
fn lay_out(state: &mut State) {
    let (now, width, height) = (state.now, page_width(state), page_height(state));
    for page in &mut state.pages {
        page.lay_out(width, height, now);
    }
}

fn page_width(state: &State) -> usize {
    usize::from(layout::page(state).width)
}

fn page_height(state: &State) -> usize {
    usize::from(layout::page(state).height)
}

#[cfg(test)]
#[path = "../update_tests.rs"]
mod tests;
