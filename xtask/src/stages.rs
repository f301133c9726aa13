//! `check` and `test`: stages one after the other. All of them run, so that one failure does not hide the
//! next, and each says how long it took.

use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use crate::run::{cargo, is_installed};
use crate::{Result, Verdict, chromium, clis, docs, sim, tidy};

/// How long tests may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    Quick,
    Full,
}

/// How many cases a property test tries in a quick run; it is 256 otherwise.
const QUICK_CASES: &str = "32";

pub fn check() -> Result<Verdict> {
    let mut stages = Stages::default();
    stages.check(Effort::Full);
    Ok(stages.summary())
}

pub fn test(effort: Effort, arguments: &[&str]) -> Result<Verdict> {
    heed_signals()?;
    let mut stages = Stages::default();
    stages.check(effort);
    let mut tests = cargo();
    tests.args(["test", "--workspace", "--no-fail-fast"]).args(arguments);
    if std::env::var_os(clis::VARIABLE).is_none() {
        stages.clis(&mut tests);
    }
    stages.browser();
    if effort == Effort::Quick && std::env::var_os("PROPTEST_CASES").is_none() {
        tests.env("PROPTEST_CASES", QUICK_CASES);
    }
    stages.program("cargo test", &mut tests);
    if effort == Effort::Full {
        stages.program("simulator", &mut sim::command(&[]));
    }
    Ok(stages.summary())
}

/// Whoever starts this in the background of a script ignores interrupts, and every program below inherits that; tests of
/// what an interrupt does would wait for ever. A signal that has a handler is one that programs are started with as usual.
fn heed_signals() -> Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT};
    let always = Arc::new(AtomicBool::new(true));
    for signal in [SIGHUP, SIGINT, SIGQUIT] {
        signal_hook::flag::register_conditional_default(signal, Arc::clone(&always))?;
    }
    Ok(())
}

/// What ran, how long it took and what came of it.
#[derive(Default)]
struct Stages {
    done: Vec<(&'static str, Duration, Outcome)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Passed,
    Failed,
    Skipped,
}

impl Stages {
    fn check(&mut self, effort: Effort) {
        self.program("cargo fmt", cargo().args(["fmt", "--all", "--check"]));
        let clippy = ["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"];
        self.program("cargo clippy", cargo().args(clippy));
        self.stage("tidy", tidy::run);
        self.stage("docs --check", docs::check);
        if effort == Effort::Full {
            self.deny();
        }
    }

    fn deny(&mut self) {
        if !is_installed("cargo-deny") {
            self.skip(
                "cargo deny",
                "cargo-deny is not installed, so licences, bans and advisories were not checked; \
                 `cargo install cargo-deny --locked` installs it",
            );
            return;
        }
        let deny = || {
            let mut deny = cargo();
            deny.args(["deny", "--log-level", "error"]);
            deny
        };
        // Only the advisories need a network, and a machine without one can still check the rest.
        let mut fetch = deny();
        fetch.args(["fetch", "db"]).stdout(Stdio::null()).stderr(Stdio::null());
        if fetch.status().is_ok_and(|status| status.success()) {
            self.program("cargo deny", deny().arg("check"));
        } else {
            self.program("cargo deny", deny().args(["check", "bans", "licenses", "sources"]));
            self.skip(
                "advisories",
                "the advisory database could not be fetched, so advisories were not checked",
            );
        }
    }

    /// Give the tests the real agent CLIs. Where some are missing, their tests skip themselves.
    fn clis(&mut self, tests: &mut Command) {
        let mut missing = Vec::new();
        self.stage("clis", || {
            let installed = clis::install()?;
            tests.env(clis::VARIABLE, installed.folder);
            missing = installed.missing;
            Ok(Verdict::Good)
        });
        for line in missing {
            self.skip("agent CLIs", &line);
        }
    }

    /// Give the tests a browser. Where there is none, those that need one skip themselves.
    fn browser(&mut self) {
        let mut missing = None;
        self.stage("chromium", || {
            missing = chromium::install();
            Ok(Verdict::Good)
        });
        if let Some(why) = missing {
            self.skip("browser", &why);
        }
    }

    fn skip(&mut self, name: &'static str, why: &str) {
        println!("SKIPPED: {why}");
        self.done.push((name, Duration::ZERO, Outcome::Skipped));
    }

    fn program(&mut self, name: &'static str, command: &mut Command) {
        self.stage(name, || {
            let status = command.status().map_err(|e| format!("run {command:?}: {e}"))?;
            Ok(if status.success() { Verdict::Good } else { Verdict::Bad })
        });
    }

    fn stage(&mut self, name: &'static str, run: impl FnOnce() -> Result<Verdict>) {
        println!("== {name}");
        let begun = Instant::now();
        let outcome = match run() {
            Ok(Verdict::Good) => Outcome::Passed,
            Ok(Verdict::Bad) => Outcome::Failed,
            Err(error) => {
                println!("{name}: {error}");
                Outcome::Failed
            }
        };
        self.done.push((name, begun.elapsed(), outcome));
    }

    fn summary(&self) -> Verdict {
        println!("==");
        let mut verdict = Verdict::Good;
        for (name, time, outcome) in &self.done {
            let word = match outcome {
                Outcome::Passed => "passed",
                Outcome::Failed => "FAILED",
                Outcome::Skipped => "SKIPPED",
            };
            println!("{name:14} {:6.1} s  {word}", time.as_secs_f64());
            if *outcome == Outcome::Failed {
                verdict = Verdict::Bad;
            }
        }
        verdict
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_bad_stage_spoils_the_whole_but_stops_nothing() {
        let mut stages = Stages::default();
        let mut ran = 0;
        stages.stage("first", || Err("it broke".into()));
        stages.stage("second", || {
            ran += 1;
            Ok(Verdict::Good)
        });
        assert_eq!(ran, 1);
        assert_eq!(stages.summary(), Verdict::Bad);
    }
}
