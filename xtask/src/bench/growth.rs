//! How the cost of a command grows with the number of tickets and of events.

use super::Bench;
use super::home::{Home, Size};
use super::measure::{Competitor, Timing, WARM_UP, side_by_side};
use super::report::{Goal, Limit, Section, duration, ratio};
use super::story::{Random, title};
use crate::Result;

/// Every turn of `pick` needs an open ticket of its own, and the smallest home has sixty.
const ROUNDS: usize = 55;
const OPERATIONS: [&str; 4] = ["list", "show", "new", "pick"];
const MOST: f64 = 1.5;

pub fn run(bench: &mut Bench) -> Result<Section> {
    let sizes = [Size::tickets(100), Size::tickets(1_000), Size::LARGE, Size::MILLION];
    let homes = sizes.iter().map(|size| bench.home(*size)).collect::<Result<Vec<Home>>>()?;
    let bench = &*bench;
    let mut competitors = Vec::new();
    for operation in OPERATIONS {
        for home in &homes {
            competitors
                .push(Competitor::new(operation, ROUNDS, move |turn| command(bench, home, operation, turn)));
        }
    }
    let timings = side_by_side(competitors)?;
    let title = "growth: the same command in homes of different sizes, p50 / p95";
    let headings = [
        "command",
        "n",
        "100 tickets",
        "1,000",
        "10,000",
        "10,000 and 1,000,000 events",
        "x at 10,000",
        "x at 1,000,000",
    ];
    let mut section = Section::new(title, &headings);
    for (operation, row) in OPERATIONS.iter().zip(timings.chunks(sizes.len())) {
        let [small, _, large, million] = row else { return Err("a home was not measured".into()) };
        let shown = |timing: &Timing| format!("{} / {}", duration(timing.p50()), duration(timing.p95()));
        let mut cells = vec![format!("`sb {operation}`"), small.count().to_string()];
        cells.extend(row.iter().map(shown));
        cells.extend([large, million].map(|timing| ratio(timing.times(small))));
        section.rows.push(cells);
        // A list is as long as what it lists; everything else should not care.
        if *operation != "list" {
            for (where_, timing) in [("10,000 tickets", large), ("1,000,000 events", million)] {
                let what = format!("`sb {operation}` at {where_} to 100 tickets");
                section.goals.push(Goal::new(what, Some(timing.times(small)), Limit::AtMost(MOST)));
            }
        }
    }
    Ok(section)
}

fn command(bench: &Bench, home: &Home, operation: &str, turn: usize) -> std::process::Command {
    // Far apart, so that no command finds what it needs because the one before had just used it.
    let of = |list: &[signalbox_core::TicketId]| {
        list[turn * (list.len() / (ROUNDS + WARM_UP)) % list.len()].to_string()
    };
    match operation {
        "list" => bench.sb(home, ["list", "--all"]),
        "show" => bench.sb(home, ["show", &of(&home.cast.tickets)]),
        "new" => bench.sb(home, ["new", &title(&mut Random(turn as u64))]),
        _ => bench.sb(home, ["pick", &of(&home.cast.open)]),
    }
}
