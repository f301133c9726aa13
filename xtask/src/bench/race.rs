//! Many processes that file tickets at once, against one that files as many; and what the disk could do.

use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::home::{Home, Size};
use super::measure::Timing;
use super::report::{Goal, Limit, Section, duration};
use super::story::{Random, title};
use super::{Bench, machine};
use crate::{Result, run};

const WRITERS: usize = 8;
const EACH: usize = 50;
const ALL: usize = WRITERS * EACH;
const ROUNDS: usize = 3;

pub fn run(bench: &mut Bench) -> Result<Section> {
    let title = format!("race: filing {ALL} tickets, median of {ROUNDS} rounds");
    let mut section = Section::new(&title, &["what", "p50", "a second", "filed", "lost"]);
    let (mut alone, mut together, mut disk) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        disk.push(machine::flushed_appends(bench.scratch.path(), 400)?);
        alone.push(file(bench, 1, ALL, &format!("race-alone-{round}"))?);
        together.push(file(bench, WRITERS, EACH, &format!("race-together-{round}"))?);
    }
    let mut all_lost = 0;
    for (what, rounds) in
        [("`sb new`, one after the other", alone), ("`sb new`, eight at a time, 50 each", together)]
    {
        let filed: usize = rounds.iter().map(|(_, filed)| filed).sum();
        let lost = ALL * ROUNDS - filed;
        all_lost += lost;
        let timing = Timing::new(what.to_owned(), rounds.iter().map(|(took, _)| *took).collect());
        let rate = ALL as f64 / timing.p50().as_secs_f64();
        let cells = [
            what.to_owned(),
            duration(timing.p50()),
            format!("{rate:.0}"),
            filed.to_string(),
            lost.to_string(),
        ];
        section.rows.push(cells.to_vec());
    }
    disk.sort_by(f64::total_cmp);
    let rate = disk[ROUNDS / 2];
    let cells = ["the raw disk: 4 kB appended and flushed", "-", &format!("{rate:.0}"), "-", "-"];
    section.rows.push(cells.map(ToOwned::to_owned).to_vec());
    section.goals.push(Goal::new("tickets lost when filed at once", Some(all_lost as f64), Limit::Zero));
    Ok(section)
}

/// Let so many writers file so many tickets each in a new home; how long it took and how many there are then.
fn file(bench: &Bench, writers: usize, each: usize, name: &str) -> Result<(Duration, usize)> {
    let home = bench.homes.make(Size::EMPTY, name)?;
    // The first command of a home makes the log and the index, which is not what is measured.
    file_one(bench, &home, 0)?;
    let begun = Instant::now();
    std::thread::scope(|scope| -> Result<()> {
        let write = |writer: usize| {
            let home = &home;
            let each = move || (0..each).try_for_each(|i| file_one(bench, home, writer * each + i));
            scope.spawn(move || each().map_err(|error| error.to_string()))
        };
        let threads: Vec<_> = (0..writers).map(write).collect();
        for thread in threads {
            thread.join().map_err(|_| "a writer panicked")??;
        }
        Ok(())
    })?;
    let took = begun.elapsed();
    let sql = "SELECT count(*) AS tickets FROM tickets";
    let rows: Vec<Value> =
        serde_json::from_str(&run::output(&mut bench.sb(&home, ["query", sql, "--json"]))?)?;
    let filed =
        rows.first().and_then(|row| row["tickets"].as_u64()).ok_or("sb does not say how many there are")?;
    Ok((took, usize::try_from(filed)?.saturating_sub(1)))
}

fn file_one(bench: &Bench, home: &Home, number: usize) -> Result<()> {
    let mut command = bench.sb(home, ["new", &title(&mut Random(number as u64))]);
    let output = command.stdout(Stdio::null()).output()?;
    if !output.status.success() {
        return Err(format!("`sb new` failed: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    Ok(())
}
