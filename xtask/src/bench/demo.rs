//! The demo without anybody at a terminal: from its start to the last ticket on main.

use std::process::Stdio;
use std::time::{Duration, Instant};

use super::home::Size;
use super::report::{Goal, Limit, Section, duration};
use super::{Bench, progress};
use crate::Result;

/// What is promised.
const PROMISED: Duration = Duration::from_secs(60);
const RUNS: usize = 3;

pub fn run(bench: &mut Bench) -> Result<Section> {
    let mut section = Section::new("demo: eight tickets to main", &["what", "measured"]);
    let home = bench.home(Size::EMPTY)?;
    let mut slowest = Duration::ZERO;
    for number in 1..=RUNS {
        progress(&format!("the demo, {number} of {RUNS}"));
        let begun = Instant::now();
        let mut demo = bench.sb(&home, ["demo", "--headless", "--json"]);
        let ran = demo.stdout(Stdio::piped()).stderr(Stdio::null()).output()?;
        let took = begun.elapsed();
        if !ran.status.success() {
            return Err(format!("the demo failed: {}", String::from_utf8_lossy(&ran.stdout)).into());
        }
        section.rows.push(vec![format!("run {number}"), duration(took)]);
        slowest = slowest.max(took);
    }
    let ratio = slowest.as_secs_f64() / PROMISED.as_secs_f64();
    section.goals = vec![Goal::new("the slowest run against 60 s", Some(ratio), Limit::AtMost(1.0))];
    Ok(section)
}
