//! `bench`: what the goals are measured with. Everything that is compared is measured side by side in one
//! run, because only ratios mean something on another machine.

mod asked;
mod claude;
mod daemon;
mod demo;
mod growth;
mod home;
mod hook;
mod list;
mod machine;
mod measure;
mod merge;
mod pty;
mod race;
mod report;
mod start;
mod story;
mod tui;
mod web;
mod who;

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::run::{self, Profile};
use crate::{Result, Verdict};
use home::{Home, Homes, Size};
use report::Section;

/// A bench's name and what runs it.
type Row = (&'static str, fn(&mut Bench) -> Result<Section>);

/// In the order of a run: what only reads the homes comes before what adds tickets to them.
const BENCHES: &[Row] = &[
    ("start", start::run),
    ("hook", hook::run),
    ("claude", claude::run),
    ("list", list::run),
    ("who", who::run),
    ("growth", growth::run),
    ("race", race::run),
    ("pty", pty::run),
    ("daemon", daemon::run),
    ("merge", merge::run),
    ("web", web::run),
    ("demo", demo::run),
    ("tui", tui::run),
];

/// These measure a part by itself; `sb` takes minutes to build.
const WITHOUT_SB: &[&str] = &["pty"];

/// What all benches share.
pub struct Bench {
    sb: PathBuf,
    /// Gone when the run ends.
    scratch: TempDir,
    /// Programs to compare with; kept from run to run.
    peers: PathBuf,
    homes: Homes,
}

impl Bench {
    fn new(needs_sb: bool) -> Result<Self> {
        let metadata = run::metadata()?;
        let target =
            metadata["target_directory"].as_str().ok_or("cargo metadata names no target directory")?;
        // Not in the system's temporary directory: that may be memory, and disks are what is measured.
        let folder = Path::new(target).join("bench");
        std::fs::create_dir_all(&folder)?;
        let scratch = tempfile::Builder::new().prefix("run-").tempdir_in(&folder)?;
        // As an installed program lies in memory: in large pieces, and not page by page as a linker leaves it, which
        // costs every start a sixth more.
        let sb = scratch.path().join("sb");
        if needs_sb {
            progress("building sb");
            std::fs::copy(run::build_sb(Profile::Release)?, &sb)?;
        }
        let homes = Homes::new(&sb, scratch.path())?;
        Ok(Self { sb, scratch, peers: folder.join("peers"), homes })
    }

    fn home(&mut self, size: Size) -> Result<Home> {
        self.homes.get(size)
    }

    /// `sb` with these words in that home.
    fn sb<'a>(&self, home: &Home, words: impl IntoIterator<Item = &'a str>) -> Command {
        home::command(&self.sb, home, words)
    }
}

/// Run all benches, or one of them.
pub fn run(name: Option<&str>) -> Result<Verdict> {
    let wanted: Vec<&Row> = BENCHES.iter().filter(|(row, _)| name.is_none_or(|name| name == *row)).collect();
    if wanted.is_empty() {
        let names: Vec<&str> = BENCHES.iter().map(|(name, _)| *name).collect();
        return Err(format!("there is no such bench; there are {}", names.join(", ")).into());
    }
    let mut bench = Bench::new(wanted.iter().any(|(name, _)| !WITHOUT_SB.contains(name)))?;
    let mut sections = Vec::new();
    let mut failed = Vec::new();
    for (name, measure) in wanted {
        progress(&format!("measuring {name}"));
        match measure(&mut bench) {
            Ok(section) => sections.push(section),
            // What takes half an hour is not lost for one of them.
            Err(error) => failed.push(format!("{name}: {error}")),
        }
    }
    let text = report::render(&machine::describe()?, &sections);
    println!("{text}");
    if !failed.is_empty() {
        return Err(failed.join("\n").into());
    }
    // Figures of several runs must not stand side by side, so one bench alone changes nothing.
    if name.is_none() {
        report::rewrite(&run::root().join("bench").join("README.md"), &text)?;
    }
    Ok(Verdict::Good)
}

/// Say on standard error what is going on.
fn progress(what: &str) {
    eprintln!("bench: {what}");
}

/// Say loudly that something could not be measured.
fn skipped(section: &mut Section, why: &str) {
    let remark = format!("SKIPPED: {why}");
    progress(&remark);
    section.remarks.push(remark);
}
