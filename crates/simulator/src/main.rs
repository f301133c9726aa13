//! Run seeds: `--seed N` one of them, with its story; `--seeds N` so many, on all processors.

use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use signalbox_simulator::{Failure, Summary, run};

const USAGE: &str = "usage: simulate [--seed N | --seeds N [--from N]]";
/// How many seeds are run if nobody says.
const USUAL: u64 = 10_000;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let number = |text: &str| text.parse::<u64>().ok();
    match words.as_slice() {
        [] => many(0, USUAL),
        ["--seed", seed] => number(seed).map_or_else(usage, one),
        ["--seeds", count] => number(count).map_or_else(usage, |count| many(0, count)),
        ["--seeds", count, "--from", from] => match (number(count), number(from)) {
            (Some(count), Some(from)) => many(from, count),
            _ => usage(),
        },
        _ => usage(),
    }
}

fn usage() -> ExitCode {
    eprintln!("{USAGE}");
    ExitCode::from(2)
}

fn one(seed: u64) -> ExitCode {
    match run(seed) {
        Ok(summary) => {
            println!("seed {seed}: {summary:?}");
            ExitCode::SUCCESS
        }
        Err(failure) => {
            eprint!("{}", failure.story());
            ExitCode::FAILURE
        }
    }
}

fn many(from: u64, count: u64) -> ExitCode {
    let (next, total) = (AtomicU64::new(from), Mutex::new(Summary::default()));
    let failed: Mutex<Vec<Failure>> = Mutex::new(Vec::new());
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let work = || {
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= from + count {
                return;
            }
            match run(seed) {
                Ok(one) => {
                    if let Ok(mut total) = total.lock() {
                        total.add(&one);
                    }
                }
                Err(failure) => {
                    if let Ok(mut failed) = failed.lock() {
                        failed.push(*failure);
                    }
                }
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(work);
        }
    });
    let mut failed = failed.into_inner().unwrap_or_default();
    failed.sort_by_key(|failure| failure.seed);
    println!("{count} seeds: {:?}", total.into_inner().unwrap_or_default());
    let Some(first) = failed.first() else { return ExitCode::SUCCESS };
    eprint!("{}", first.story());
    for other in failed.iter().skip(1).take(20) {
        eprintln!("seed {}: {}", other.seed, other.what);
    }
    eprintln!("{} of {count} seeds failed", failed.len());
    ExitCode::FAILURE
}
