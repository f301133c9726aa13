//! Agents: what each is doing, how that is known of the one below the cursor, and what its terminal shows.

use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use signalbox_desk::{AgentDetail, AgentView};
use signalbox_pty::View as Picture;
use signalbox_pty::screen::{Color as Paint, Style as Ink};

use super::Pen;
use crate::layout;
use crate::state::State;
use crate::style::{self, Look, Palette};
use crate::text;

pub fn draw(state: &State, pen: &mut Pen<'_>) {
    let area = layout::content(state);
    let Some(table) = layout::table(state) else { return };
    for (x, words) in [(1, "agent"), (24, "state"), (45, "since"), (51, "cli"), (60, "works on")] {
        pen.put(x, area.y, 20, words, Look::Dim);
    }
    let agents = &state.views.agents;
    if agents.is_empty() {
        let words =
            "None runs. `sb run` sets agents to work on tickets, `sb agent CLI` starts one of your own.";
        pen.put(1, area.y + 1, area.width - 2, words, Look::Dim);
        return;
    }
    let place = state.place();
    let shown = agents.iter().enumerate().skip(place.top).take(table.shown());
    for (y, (row, agent)) in (table.area.y..).zip(shown) {
        line(state, pen, y, agent);
        if row == place.cursor {
            pen.mark(Rect::new(0, y, area.width, 1), Look::Here);
        }
    }
    if let Some(agent) = agents.get(place.cursor) {
        below(state, pen, agent);
    }
}

fn line(state: &State, pen: &mut Pen<'_>, y: u16, agent: &AgentView) {
    pen.put(1, y, 22, agent.name.as_deref().unwrap_or(&agent.id), Look::Name);
    let guess = if agent.guess { "?" } else { "" };
    let code = agent.exit_code.filter(|_| !agent.running).map(|code| format!(" {code}")).unwrap_or_default();
    pen.put(24, y, 20, &format!("{}{code}{guess}", agent.state), style::agent(&agent.state));
    let since = agent.since.as_ref().or(agent.ended.as_ref()).unwrap_or(&agent.started);
    pen.put(45, y, 5, &text::age(since, state.now), Look::Dim);
    pen.put(51, y, 8, &agent.driver, Look::Text);
    let mut beside: Vec<String> =
        [&agent.role, &agent.ticket, &agent.project].iter().filter_map(|one| one.as_ref().cloned()).collect();
    if agent.waiting > 0 {
        beside.push(format!("{} waiting", text::counted(agent.waiting, "message")));
    }
    pen.put(60, y, state.cols.saturating_sub(61), &beside.join(" · "), Look::Text);
}

/// What is known of the agent, and what its terminal shows.
fn below(state: &State, pen: &mut Pen<'_>, agent: &AgentView) {
    let area = layout::lower(state);
    let known = state.views.agent.as_ref().filter(|known| known.agent.id == agent.id);
    let name = agent.name.as_deref().unwrap_or(&agent.id);
    pen.rule(area.x, area.y, area.width, &format!("{name}{}", known.map(used).unwrap_or_default()));
    let mut y = area.y + 1;
    let lines = usize::from(area.height / 5).max(3);
    for line in known.map_or(&[][..], |known| &known.explained).iter().take(lines) {
        pen.put(1, y, area.width - 2, line, Look::Dim);
        y += 1;
    }
    let rest = Rect::new(area.x, y, area.width, area.bottom().saturating_sub(y));
    let preview = state.preview.as_ref().filter(|preview| preview.agent == agent.id);
    match preview.map(|preview| &preview.picture) {
        Some(Ok(picture)) => screen(pen, rest, picture, state.palette),
        Some(Err(why)) => {
            pen.put(1, y, area.width - 2, why, Look::Dim);
        }
        None if !agent.running => {
            let words = format!("It has ended. `sb replay {}` shows what it did.", agent.id);
            pen.put(1, y, area.width - 2, &words, Look::Dim);
        }
        None => {
            pen.put(1, y, area.width - 2, "Looking at its terminal …", Look::Dim);
        }
    }
}

/// What it has used.
fn used(known: &AgentDetail) -> String {
    let used = known.usage.as_ref().map(|used| {
        let cost = used.cost_micros.map(|cost| format!(" · {}", text::money(cost))).unwrap_or_default();
        let (read, cached) = (text::amount(used.input_tokens), text::amount(used.cached_tokens));
        format!(
            " · {read} tokens read, {cached} from the cache, {} written{cost}",
            text::amount(used.output_tokens)
        )
    });
    used.unwrap_or_default()
}

/// The part of a terminal that has most to say: its last rows that are not empty, from the left.
fn screen(pen: &mut Pen<'_>, area: Rect, picture: &Picture, palette: Palette) {
    let filled = picture.rows.iter().rposition(|row| !row.is_empty()).map_or(0, |row| row + 1);
    let skip = filled.saturating_sub(usize::from(area.height));
    for (y, runs) in (area.top()..area.bottom()).zip(picture.runs.iter().skip(skip)) {
        for run in runs {
            let x = area.x + run.col;
            if x < area.right() {
                pen.put_styled(x, y, area.right() - x, &run.text, ink(run.style, palette));
            }
        }
    }
}

/// The look of a run. What is not one of the sixteen colours is left to the terminal.
fn ink(ink: Ink, palette: Palette) -> Style {
    let colour = |paint: Paint| match paint {
        Paint::Indexed(number @ 0..=15) if palette == Palette::Ansi => Some(Color::Indexed(number)),
        _ => None,
    };
    let mut style = Style::new();
    style.fg = colour(ink.foreground);
    style.bg = colour(ink.background);
    let marks = [
        (ink.bold, Modifier::BOLD),
        (ink.faint, Modifier::DIM),
        (ink.italic, Modifier::ITALIC),
        (ink.underline > 0, Modifier::UNDERLINED),
        (ink.inverse, Modifier::REVERSED),
        (ink.strikethrough, Modifier::CROSSED_OUT),
    ];
    for (is_set, modifier) in marks {
        if is_set {
            style = style.add_modifier(modifier);
        }
    }
    style
}
