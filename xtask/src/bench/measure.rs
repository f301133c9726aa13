//! Timing programs from their start to their end, taking turns, so that whatever else the machine does hits
//! all of them alike.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::Result;

/// Turns that are taken before the clock counts: caches fill, the disk wakes up.
pub const WARM_UP: usize = 5;

/// One of the programs that are compared.
pub struct Competitor<'a> {
    pub label: String,
    /// How often it is timed, warming up not counted.
    pub rounds: usize,
    pub warm_up: usize,
    /// What to run in which turn, counted from 0 with those for warming up.
    pub command: Box<dyn FnMut(usize) -> Command + 'a>,
    /// What stands on standard input; nothing, if not said.
    pub input: Option<PathBuf>,
    /// How many run at once; the time is that of all of them.
    pub at_once: usize,
}

impl<'a> Competitor<'a> {
    pub fn new(label: impl Into<String>, rounds: usize, command: impl FnMut(usize) -> Command + 'a) -> Self {
        let command = Box::new(command);
        Self { label: label.into(), rounds, warm_up: WARM_UP, command, input: None, at_once: 1 }
    }

    /// The same, with this file on standard input.
    pub fn reading(mut self, input: &Path) -> Self {
        self.input = Some(input.to_owned());
        self
    }

    /// The same, so many at once.
    pub fn at_once(mut self, count: usize) -> Self {
        self.at_once = count;
        self
    }

    fn time(&mut self, turn: usize) -> Result<Duration> {
        let mut commands: Vec<Command> = (0..self.at_once).map(|_| (self.command)(turn)).collect();
        for command in &mut commands {
            let stdin = match &self.input {
                Some(path) => Stdio::from(File::open(path)?),
                None => Stdio::null(),
            };
            command.stdin(stdin).stdout(Stdio::null()).stderr(Stdio::null());
        }
        let label = &self.label;
        let begun = Instant::now();
        let children: Vec<_> = commands.iter_mut().map(Command::spawn).collect();
        let mut ended = Vec::new();
        for child in children {
            ended.push(child.and_then(|mut child| child.wait()).map_err(|e| format!("run {label}: {e}"))?);
        }
        let took = begun.elapsed();
        match ended.iter().find(|status| !status.success()) {
            Some(status) => Err(format!("{label} ended with {status}").into()),
            None => Ok(took),
        }
    }
}

/// How long a program took, each time it ran.
#[derive(Debug, Clone)]
pub struct Timing {
    pub label: String,
    sorted: Vec<Duration>,
}

impl Timing {
    pub fn new(label: String, mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        Self { label, sorted: times }
    }

    pub fn count(&self) -> usize {
        self.sorted.len()
    }

    /// The time that so many percent of the runs did not exceed.
    pub fn percentile(&self, percent: usize) -> Duration {
        let rank = (self.sorted.len() * percent).div_ceil(100);
        self.sorted.get(rank.saturating_sub(1)).copied().unwrap_or_default()
    }

    pub fn p50(&self) -> Duration {
        self.percentile(50)
    }

    pub fn p95(&self) -> Duration {
        self.percentile(95)
    }

    /// The same by the 95th percentiles.
    pub fn times_at_p95(&self, other: &Self) -> f64 {
        self.p95().as_secs_f64() / other.p95().as_secs_f64()
    }

    /// How many times as long as `other` this takes, by the medians.
    pub fn times(&self, other: &Self) -> f64 {
        self.p50().as_secs_f64() / other.p50().as_secs_f64()
    }
}

/// Time all of them, taking turns. Whoever runs less often is spread over the whole.
pub fn side_by_side(mut competitors: Vec<Competitor<'_>>) -> Result<Vec<Timing>> {
    let mut times: Vec<Vec<Duration>> = competitors.iter().map(|_| Vec::new()).collect();
    for turn in 0..competitors.iter().map(|c| c.warm_up).max().unwrap_or(0) {
        for competitor in competitors.iter_mut().filter(|c| turn < c.warm_up) {
            competitor.time(turn)?;
        }
    }
    let most = competitors.iter().map(|c| c.rounds).max().unwrap_or(0);
    for round in 0..most {
        for (competitor, times) in competitors.iter_mut().zip(&mut times) {
            if is_turn(round, most, competitor.rounds) {
                times.push(competitor.time(competitor.warm_up + times.len())?);
            }
        }
    }
    Ok(competitors.into_iter().zip(times).map(|(c, times)| Timing::new(c.label, times)).collect())
}

/// Whether one that runs `rounds` times in `most` rounds runs in this one.
fn is_turn(round: usize, most: usize, rounds: usize) -> bool {
    (round + 1) * rounds / most > round * rounds / most
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles() {
        let timing = Timing::new("x".into(), (1..=100).rev().map(Duration::from_millis).collect());
        assert_eq!(timing.p50(), Duration::from_millis(50));
        assert_eq!(timing.p95(), Duration::from_millis(95));
        let one = Timing::new("y".into(), vec![Duration::from_millis(25)]);
        assert_eq!((one.p50(), one.p95()), (Duration::from_millis(25), Duration::from_millis(25)));
        assert!((timing.times(&one) - 2.0).abs() < 1e-9);
        assert_eq!(Timing::new("z".into(), Vec::new()).p50(), Duration::ZERO);
    }

    #[test]
    fn turns_are_spread_and_none_is_lost() {
        for (most, rounds) in [(30, 3), (10, 10), (7, 3), (5, 1)] {
            let turns: Vec<usize> = (0..most).filter(|round| is_turn(*round, most, rounds)).collect();
            assert_eq!(turns.len(), rounds, "{most} {rounds}");
        }
    }

    #[test]
    fn a_program_that_fails_is_an_error_and_not_a_time() {
        let fails = Competitor::new("false", 1, |_| Command::new("false"));
        assert!(side_by_side(vec![fails]).is_err());
    }
}
