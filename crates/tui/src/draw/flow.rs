//! How work flows: the figures of a month, and a bar a day.

use signalbox_desk::Day;

use super::Pen;
use crate::layout;
use crate::state::State;
use crate::style::Look;
use crate::text;

const BARS: [&str; 9] = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];
/// The lines that a plot is high.
const HEIGHT: u16 = 2;

/// Something that is plotted.
struct Plot {
    title: &'static str,
    value: fn(&Day) -> u64,
    say: fn(u64) -> String,
}

pub fn draw(state: &State, pen: &mut Pen<'_>) {
    let area = layout::content(state);
    let Some(flow) = &state.views.flow else {
        pen.put(1, area.y, area.width, "Reading …", Look::Dim);
        return;
    };
    let figures = &flow.figures;
    let two = |p50: Option<u64>, p90: Option<u64>| match (p50, p90) {
        (Some(p50), Some(p90)) => format!("{} (nine of ten within {})", text::span(p50), text::span(p90)),
        _ => "not known yet".to_owned(),
    };
    let rework =
        format!("{}.{} % were sent back", figures.rework_permille / 10, figures.rework_permille % 10);
    let cost = figures.cost_micros_each.map_or_else(|| "not known".to_owned(), text::money);
    let lines = [
        ("done in 31 days", format!("{} · {rework}", text::counted(figures.done, "ticket"))),
        ("from begin to done", two(figures.cycle_p50, figures.cycle_p90)),
        ("waits for review", two(figures.review_p50, figures.review_p90)),
        ("costs each", format!("{cost} · {} tokens in all", text::amount(figures.tokens))),
    ];
    let mut y = area.y;
    for (what, words) in lines {
        pen.put(1, y, 20, what, Look::Dim);
        pen.put(22, y, area.width - 23, &words, Look::Text);
        y += 1;
    }
    let plots: [Plot; 4] = [
        Plot {
            title: "done",
            value: |day| u64::try_from(day.done).unwrap_or(0),
            say: |most| most.to_string(),
        },
        Plot { title: "begin to done", value: |day| day.cycle_seconds.unwrap_or(0), say: text::span },
        Plot { title: "review wait", value: |day| day.review_seconds.unwrap_or(0), say: text::span },
        Plot { title: "cost", value: |day| day.cost_micros, say: text::money },
    ];
    let step =
        (area.width.saturating_sub(26) / u16::try_from(flow.days.len().max(1)).unwrap_or(1)).clamp(1, 3);
    let room = area.bottom().saturating_sub(y + 1);
    // Where there is room, a blank line stands between them.
    let apart = if room > 4 * (HEIGHT + 1) { HEIGHT + 1 } else { HEIGHT };
    for one in plots {
        if y + apart >= area.bottom() {
            break;
        }
        y += apart;
        plot(pen, y, step, &one, &flow.days);
    }
    if let (Some(first), Some(last)) = (flow.days.first(), flow.days.last())
        && y + 1 < area.bottom()
    {
        pen.put(22, y + 1, 12, &first.day, Look::Dim);
        let width = step * u16::try_from(flow.days.len()).unwrap_or(0);
        pen.put((22 + width).saturating_sub(10).max(34), y + 1, 12, &last.day, Look::Dim);
    }
}

/// A bar a day, ending at line `y`.
fn plot(pen: &mut Pen<'_>, y: u16, step: u16, one: &Plot, days: &[Day]) {
    let value = one.value;
    let most = days.iter().map(value).max().unwrap_or(0);
    pen.put(1, y - 1, 20, one.title, Look::Strong);
    pen.put(1, y, 20, &format!("at most {}", (one.say)(most)), Look::Dim);
    let eighths = u64::from(HEIGHT) * 8;
    for (x, day) in (22..).step_by(usize::from(step)).zip(days) {
        let filled = (value(day) * eighths).checked_div(most).unwrap_or(0);
        // Something is never drawn as nothing.
        let filled = if value(day) > 0 { filled.max(1) } else { 0 };
        for line in 0..HEIGHT {
            let here = usize::try_from(filled.saturating_sub(u64::from(line) * 8).min(8)).unwrap_or(0);
            let bar = BARS[here].repeat(usize::from(if step > 1 { step - 1 } else { 1 }));
            pen.put(x, y - line, step, &bar, Look::Name);
        }
        if value(day) == 0 {
            pen.put(x, y, 1, "·", Look::Dim);
        }
    }
}
