//! `sim`: the orchestrator under simulated faults, seed by seed, optimised but with the checks of a debug build.

use crate::run::cargo;
use crate::{Result, Verdict};

/// Run seeds as the simulator's own arguments say; ten thousand where they say nothing.
pub fn run(arguments: &[&str]) -> Result<Verdict> {
    let is_good = command(arguments).status()?.success();
    Ok(if is_good { Verdict::Good } else { Verdict::Bad })
}

pub fn command(arguments: &[&str]) -> std::process::Command {
    let mut simulator = cargo();
    simulator.args(["run", "--quiet", "--profile", "sim", "--package", "signalbox-simulator", "--"]);
    simulator.args(arguments);
    simulator
}
