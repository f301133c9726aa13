//! Who needs me: what waits for the person, then what goes on without them.

use ratatui::layout::Rect;

use super::Pen;
use crate::layout;
use crate::state::State;
use crate::style::{self, Look};
use crate::text;

pub fn draw(state: &State, pen: &mut Pen<'_>) {
    let area = layout::content(state);
    let (Some(now), Some(table)) = (&state.views.now, layout::table(state)) else {
        pen.put(1, area.y, area.width, "Reading …", Look::Dim);
        return;
    };
    let waiting = match now.needs.len() {
        0 => "Nothing needs you".to_owned(),
        1 => "1 thing needs you".to_owned(),
        many => format!("{many} things need you"),
    };
    pen.put(
        1,
        area.y,
        area.width - 2,
        &waiting,
        if now.needs.is_empty() { Look::Good } else { Look::Strong },
    );
    let place = state.place();
    let shown = now.needs.iter().enumerate().skip(place.top).take(table.shown());
    for (y, (row, need)) in (table.area.y..).step_by(2).zip(shown) {
        let kind = format!("{:10} ", need.kind.as_str());
        pen.pieces(1, y, area.width - 2, &[(Look::Warm, &kind), (Look::Text, &need.words)]);
        let mut beside: Vec<String> = [&need.decision, &need.ticket, &need.agent, &need.project]
            .iter()
            .filter_map(|one| one.as_ref().cloned())
            .collect();
        beside.extend(need.since.as_ref().map(|since| format!("{} ago", text::age(since, state.now))));
        let options = need.options.iter().enumerate().map(|(at, option)| format!("{}: {option}", at + 1));
        beside.extend(options);
        pen.put(12, y + 1, area.width - 13, &beside.join(" · "), Look::Dim);
        if row == place.cursor {
            pen.mark(Rect::new(0, y, area.width, 2), Look::Here);
        }
    }
    agents(state, pen);
}

fn agents(state: &State, pen: &mut Pen<'_>) {
    let area = layout::content(state);
    let Some(now) = &state.views.now else { return };
    let height = layout::agents_below(state);
    let top = area.bottom() - height;
    pen.rule(0, top, area.width, &text::counted(now.agents.len(), "agent"));
    if now.agents.is_empty() {
        pen.put(1, top + 1, area.width - 2, "None runs. `sb run` or `sb agent CLI` starts some.", Look::Dim);
    }
    for (y, agent) in (top + 1..area.bottom() - 1).zip(&now.agents) {
        let name = agent.name.as_deref().unwrap_or(&agent.id);
        pen.put(1, y, 22, name, Look::Name);
        let guess = if agent.guess { "?" } else { "" };
        pen.put(24, y, 20, &format!("{}{guess}", agent.state), style::agent(&agent.state));
        let beside: Vec<&str> =
            [&agent.role, &agent.ticket, &agent.project].iter().filter_map(|one| one.as_deref()).collect();
        let since = agent.since.as_ref().map(|since| text::age(since, state.now)).unwrap_or_default();
        pen.put(45, y, 5, &since, Look::Dim);
        pen.put(51, y, area.width.saturating_sub(52), &beside.join(" · "), Look::Text);
    }
    let counts: Vec<String> = now.counts.iter().map(|(status, count)| format!("{count} {status}")).collect();
    pen.put(1, area.bottom() - 1, area.width - 2, &counts.join(" · "), Look::Dim);
}
