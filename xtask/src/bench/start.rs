//! How long it takes to start: against an empty static program, which no program can beat.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::home::Size;
use super::measure::{Competitor, side_by_side};
use super::report::{Goal, Limit, Section, timing_row};
use super::{Bench, skipped};
use crate::{Result, run};

const ROUNDS: usize = 1_000;

pub fn run(bench: &mut Bench) -> Result<Section> {
    let title = "start: one call, from its start to its end";
    let mut section = Section::new(title, &["what", "n", "p50", "p95", "x floor"]);
    let home = bench.home(Size::tickets(1_000))?;
    let floor = floor(bench)?;
    let mut competitors = Vec::new();
    if let Some(program) = &floor {
        let label = "floor: an empty static C program";
        let folder = &home.folder;
        competitors.push(Competitor::new(label, ROUNDS, move |_| run::hermetic(program, folder)));
    } else {
        skipped(
            &mut section,
            "there is no floor to compare with, for want of a C compiler with a static library",
        );
    }
    let bench = &*bench;
    competitors.push(Competitor::new("`sb --version`", ROUNDS, |_| bench.sb(&home, ["--version"])));
    competitors.push(Competitor::new("`sb show ID`, 1,000 tickets", ROUNDS, |turn| {
        let id = &home.cast.tickets[turn % home.cast.tickets.len()];
        bench.sb(&home, ["show", id.as_str()])
    }));
    let timings = side_by_side(competitors)?;
    let base = floor.as_ref().and(timings.first());
    section.rows = timings.iter().map(|timing| timing_row(timing, base)).collect();
    let ours = timings.iter().rev().take(2).rev();
    for (timing, (what, limit)) in
        ours.zip([("`sb --version` to the floor", 2.0), ("`sb show` to the floor", 3.0)])
    {
        let ratio = base.map(|base| timing.times(base));
        section.goals.push(Goal::new(what, ratio, Limit::AtMost(limit)));
    }
    Ok(section)
}

/// The empty program; `None` where it cannot be made.
pub fn floor(bench: &Bench) -> Result<Option<PathBuf>> {
    let source = bench.scratch.path().join("floor.c");
    run::write(&source, "int main(void) { return 0; }\n")?;
    let program = bench.scratch.path().join("floor");
    let mut compiler = Command::new("cc");
    compiler.args(["-O2", "-static", "-o"]).arg(&program).arg(&source).stderr(Stdio::null());
    Ok(compiler.status().is_ok_and(|status| status.success()).then_some(program))
}
