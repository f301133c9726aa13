//! Running what a contract says proves a tree: in order, each within its time, with nothing of the caller's environment
//! but what the contract names, and all that is printed in a file as it comes.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use signalbox_core::text;
use signalbox_runner::{End, Program};
use signalbox_store::contract::Contract;

use crate::error::Failed;

/// What steps get besides what the contract names: to find programs, and their own files.
const ALWAYS_PASSED: &[&str] = &["PATH", "HOME", "USER", "LANG", "LC_ALL", "TMPDIR", "TZ"];
/// How much of the end of what was printed is told.
const TAIL: u64 = 4_000;

/// A line that is run.
pub struct Line<'a> {
    pub name: &'a str,
    pub run: &'a str,
    pub time: Duration,
}

/// How it went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    Passed,
    Failed(Failure),
    /// Somebody stopped the loop meanwhile.
    Stopped,
}

/// What failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    pub step: String,
    /// One sentence.
    pub message: String,
    /// The end of what it printed.
    pub output: String,
    /// The command could not be run at all.
    pub is_missing: bool,
}

/// Where steps run, and what with.
pub struct Bench<'a> {
    pub contract: &'a Contract,
    pub directory: &'a Path,
    /// Where all that they print goes.
    pub log: PathBuf,
    pub stop: &'a AtomicBool,
}

impl Bench<'_> {
    /// All steps of the contract, until one fails.
    pub fn validate(&self) -> Result<Verdict, Failed> {
        for step in &self.contract.validate.steps {
            let line =
                Line { name: step.name.as_str(), run: step.run.as_str(), time: step.time.as_duration() };
            match self.run(&line)? {
                Verdict::Passed => {}
                other => return Ok(other),
            }
        }
        Ok(Verdict::Passed)
    }

    /// One line.
    pub fn run(&self, line: &Line<'_>) -> Result<Verdict, Failed> {
        let doing = || format!("write {}", self.log.display());
        let mut file = signalbox_store::files::open_append(&self.log).map_err(Failed::doing(doing()))?.0;
        use std::io::Write;
        writeln!(file, "== {}: {}", line.name, line.run).map_err(Failed::doing(doing()))?;
        let from = file.metadata().map_err(Failed::doing(doing()))?.len();
        let most = usize::try_from(self.contract.validate.output_mb.get()).unwrap_or(64) << 20;
        let mut program = Program::shell(line.run)
            .in_directory(self.directory)
            .without_our_environment()
            .within(line.time)
            .printing_at_most(most)
            .with("SIGNALBOX", "validation");
        let named = self.contract.validate.env.iter().map(signalbox_store::contract::Variable::as_str);
        for name in ALWAYS_PASSED.iter().copied().chain(named) {
            if let Some(value) = std::env::var_os(name) {
                program = program.with(name, value);
            }
        }
        let end = program.run_into(&file, &|| !self.stop.load(Ordering::SeqCst)).map_err(Failed::doing(
            format!("run the step `{}` in {}", line.name, self.directory.display()),
        ))?;
        if self.stop.load(Ordering::SeqCst) && end != End::Code(0) {
            return Ok(Verdict::Stopped);
        }
        if end == End::Code(0) {
            return Ok(Verdict::Passed);
        }
        let is_missing = matches!(end, End::Code(126 | 127));
        let message = match end {
            End::Code(127) => format!("the step `{}` names a command that is not there", line.name),
            End::Code(126) => format!("the step `{}` names something that cannot be run", line.name),
            End::TimedOut => {
                format!("the step `{}` was not done after {} s and was ended", line.name, line.time.as_secs())
            }
            End::TooMuch => {
                format!("the step `{}` printed more than {} MB and was ended", line.name, most >> 20)
            }
            other => format!("the step `{}` failed: {other}", line.name),
        };
        let output = tail(&self.log, from).map_err(Failed::doing(format!("read {}", self.log.display())))?;
        Ok(Verdict::Failed(Failure { step: line.name.to_owned(), message, output, is_missing }))
    }
}

/// The end of what was printed since then, as text that is safe to show.
fn tail(log: &Path, from: u64) -> std::io::Result<String> {
    let mut file = File::open(log)?;
    let end = file.metadata()?.len();
    file.seek(SeekFrom::Start(end.saturating_sub(TAIL).max(from)))?;
    let mut bytes = Vec::new();
    file.take(TAIL).read_to_end(&mut bytes)?;
    Ok(text::many_lines(&String::from_utf8_lossy(&bytes)).trim().to_owned())
}
