//! Who had to do with a ticket, among 1,000,000 events: the index against grep and jq on the log.

use std::process::Command;

use serde_json::Value;

use super::home::{Home, Size};
use super::measure::{Competitor, side_by_side};
use super::report::{Goal, Limit, Section, timing_row};
use super::{Bench, skipped};
use crate::{Result, run};

const ROUNDS: usize = 50;
const PEER_ROUNDS: usize = 5;

pub fn run(bench: &mut Bench) -> Result<Section> {
    let title = "who: who had to do with a ticket, among 1,000,000 events";
    let mut section = Section::new(title, &["what", "n", "p50", "p95", "x ours"]);
    let home = bench.home(Size::MILLION)?;
    let bench = &*bench;
    let ids = &home.cast.tickets;
    let has_tools = run::is_installed("jq") && run::is_installed("bash") && run::is_installed("grep");
    if has_tools {
        check_answers(bench, &home, ids[ids.len() / 2].as_str())?;
    } else {
        skipped(&mut section, "jq, grep or bash is not installed");
    }
    // Another ticket each time, for both.
    let id = |turn: usize| ids[(turn + 1) * 97 % ids.len()].as_str();
    let label = "`sb query --report touches --ticket ID`";
    let mut competitors = vec![Competitor::new(label, ROUNDS, |turn| bench.sb(&home, report(id(turn))))];
    if has_tools {
        let competitor = Competitor::new("grep, jq, sort and uniq on the log", PEER_ROUNDS, |turn| {
            pipeline(&home, id(turn))
        });
        competitors.push(Competitor { warm_up: 1, ..competitor });
    }
    let timings = side_by_side(competitors)?;
    section.rows = timings.iter().map(|timing| timing_row(timing, timings.first())).collect();
    let faster = match timings.as_slice() {
        [ours, theirs] => Some(theirs.times(ours)),
        _ => None,
    };
    section.goals.push(Goal::new("`touches` faster than grep and jq", faster, Limit::AtLeast(20.0)));
    Ok(section)
}

fn report(id: &str) -> [&str; 5] {
    ["query", "--report", "touches", "--ticket", id]
}

/// What someone would type who has only the log.
fn pipeline(home: &Home, id: &str) -> Command {
    let line = format!(
        "set -o pipefail; grep -h {id} *.jsonl | jq -r 'select(.ticket==\"{id}\") | [.actor,.session] | @tsv' \
         | sort | uniq -c"
    );
    let mut command = run::hermetic("bash", &home.folder);
    command.current_dir(home.events()).args(["-c", &line]);
    command
}

/// Make sure that both count the same events.
fn check_answers(bench: &Bench, home: &Home, id: &str) -> Result<()> {
    let rows: Vec<Value> = serde_json::from_str(&run::output(bench.sb(home, report(id)).arg("--json"))?)?;
    let ours: u64 = rows.iter().filter_map(|row| row["events"].as_u64()).sum();
    let theirs = run::output(&mut pipeline(home, id))?;
    let counts: Vec<u64> =
        theirs.lines().filter_map(|line| line.split_whitespace().next()?.parse().ok()).collect();
    if (rows.len(), ours) != (counts.len(), counts.iter().sum()) {
        return Err(format!("sb answers {rows:?}, and grep and jq {theirs:?}").into());
    }
    Ok(())
}
