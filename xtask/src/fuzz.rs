//! `fuzz`: the property tests of everything that reads what an agent or its CLI wrote, optimised and for as long as
//! asked, with new random cases in every round.

use std::time::{Duration, Instant};

use crate::run::cargo;
use crate::{Result, Verdict};

/// How many cases each property tries in one round.
const ROUND: &str = "20000";

/// The package and the test binary that hold the properties, and which of its tests.
const PROPERTIES: &[(&str, &str, &str)] = &[
    ("signalbox-shell", "shell", "properties"),
    ("signalbox-core", "judge", "random"),
    ("signalbox-drivers", "wire", "mutated"),
];

pub fn run(minutes: u64) -> Result<Verdict> {
    let (begun, limit) = (Instant::now(), Duration::from_secs(minutes * 60));
    let mut rounds = 0;
    while rounds == 0 || begun.elapsed() < limit {
        for (package, binary, filter) in PROPERTIES {
            let mut tests = cargo();
            tests.args(["test", "--release", "--quiet", "--package", package, "--test", binary, filter]);
            if !tests.env("PROPTEST_CASES", ROUND).status()?.success() {
                println!("fuzz: {package} failed in round {}; proptest has kept the case", rounds + 1);
                return Ok(Verdict::Bad);
            }
        }
        rounds += 1;
    }
    println!(
        "fuzz: {rounds} rounds of {ROUND} cases a property in {:.0} s, nothing found",
        begun.elapsed().as_secs_f64()
    );
    Ok(Verdict::Good)
}
