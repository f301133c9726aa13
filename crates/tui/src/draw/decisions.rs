//! Questions for the person: a list on the left, the whole of one on the right.

use ratatui::layout::Rect;
use signalbox_desk::Decision;

use super::Pen;
use crate::layout;
use crate::paper::Paper;
use crate::state::State;
use crate::style::Look;
use crate::text;

pub fn draw(state: &State, pen: &mut Pen<'_>) {
    let area = layout::content(state);
    let Some(table) = layout::table(state) else { return };
    let all = state.decisions();
    if state.views.decisions.is_none() || all.is_empty() {
        let words =
            if state.views.decisions.is_none() { "Reading …" } else { "Nobody has asked anything." };
        pen.put(1, area.y, area.width, words, Look::Dim);
        return;
    }
    let place = state.place();
    let width = table.area.width - 2;
    for (y, (row, one)) in
        (area.y..).step_by(2).zip(all.iter().enumerate().skip(place.top).take(table.shown()))
    {
        let look = match one.state.as_str() {
            "pending" => Look::Warm,
            "draft" => Look::Strong,
            _ => Look::Dim,
        };
        let since = text::age(&one.at, state.now);
        pen.pieces(
            1,
            y,
            width,
            &[(look, &one.state), (Look::Dim, " "), (Look::Name, &one.id), (Look::Dim, &format!(" {since}"))],
        );
        let words = one.question.lines().next().unwrap_or_default();
        pen.put(1, y + 1, width, words, if look == Look::Dim { Look::Dim } else { Look::Text });
        if row == place.cursor {
            pen.mark(Rect::new(0, y, table.area.width - 1, 2), Look::Here);
        }
    }
    pen.wall(table.area.right() - 1, area.top(), area.bottom());
    if let Some(one) = all.get(place.cursor) {
        let x = table.area.right() + 1;
        let rows = whole(one, usize::from(area.right().saturating_sub(x + 1))).rows();
        for (y, row) in (area.top()..area.bottom()).zip(&rows) {
            pen.row(x, y, area.right().saturating_sub(x + 1), row);
        }
    }
}

fn whole(one: &Decision, width: usize) -> Paper {
    let mut paper = Paper::new(width);
    let about = [Some(&one.kind), one.ticket.as_ref(), one.project.as_ref(), Some(&one.by)];
    let about: Vec<&str> = about.into_iter().flatten().map(String::as_str).collect();
    paper.write(Look::Dim, &about.join(" · "));
    paper.gap();
    paper.write(Look::Strong, &one.question);
    paper.gap();
    if let Some(context) = &one.context {
        paper.write(Look::Text, context);
        paper.gap();
    }
    for (at, option) in one.options.iter().enumerate() {
        paper.indent("   ");
        paper.write(Look::Key, &format!("{} ", at + 1));
        paper.write(Look::Text, option);
        paper.end();
    }
    paper.indent("");
    if let Some(answer) = &one.answer {
        paper.gap();
        let by = one.answered_by.as_deref().unwrap_or("somebody");
        paper.write(Look::Good, &format!("{by} answered: "));
        paper.write(Look::Text, answer);
    }
    if let Some(reason) = &one.withdrawn {
        paper.gap();
        paper.write(Look::Dim, &format!("Withdrawn: {reason}"));
    }
    if !one.blocks.is_empty() {
        paper.gap();
        paper.write(Look::Dim, &format!("Waiting for it: {}", one.blocks.join(", ")));
    }
    for shown in &one.evidence {
        paper.heading(&shown.what);
        paper.write(Look::Dim, &shown.text);
        paper.end();
    }
    paper
}
