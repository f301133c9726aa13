//! Listing 10,000 tickets, against Backlog.md with the same 10,000 tasks.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::home::{Home, Size};
use super::measure::{Competitor, side_by_side};
use super::report::{Goal, Limit, Section, timing_row};
use super::story::{Random, title};
use super::{Bench, progress, skipped};
use crate::{Result, run};

const PACKAGE: &str = "backlog.md";
const ROUNDS: usize = 30;
/// It takes seconds each time.
const PEER_ROUNDS: usize = 3;

pub fn run(bench: &mut Bench) -> Result<Section> {
    let mut section = Section::new("list: all of 10,000 tickets", &["what", "n", "p50", "p95", "x ours"]);
    let home = bench.home(Size::LARGE)?;
    let peer = match install(&bench.peers) {
        Ok(program) => Some(Peer::prepare(bench, program)?),
        Err(error) => {
            skipped(&mut section, &format!("Backlog.md cannot be had ({error})"));
            None
        }
    };
    check_lengths(bench, &home, peer.as_ref())?;
    let bench = &*bench;
    let mut competitors =
        vec![Competitor::new("`sb list --all`", ROUNDS, |_| bench.sb(&home, ["list", "--all"]))];
    if let Some(peer) = &peer {
        let label = format!("Backlog.md {}: `backlog task list --plain`", peer.version);
        let competitor = Competitor::new(label, PEER_ROUNDS, |_| peer.list());
        competitors.push(Competitor { warm_up: 0, ..competitor });
    }
    let timings = side_by_side(competitors)?;
    section.rows = timings.iter().map(|timing| timing_row(timing, timings.first())).collect();
    let faster = match timings.as_slice() {
        [ours, theirs] => Some(theirs.times(ours)),
        _ => None,
    };
    section.goals.push(Goal::new("`sb list` faster than Backlog.md", faster, Limit::AtLeast(400.0)));
    Ok(section)
}

/// Make sure that both list what they should: a program that prints nothing would win.
fn check_lengths(bench: &Bench, home: &Home, peer: Option<&Peer>) -> Result<()> {
    let path = bench.scratch.path().join("listed");
    let count = |command: &mut Command, mark: &str| -> Result<usize> {
        // Into a file, because Backlog.md ends before a pipe has taken all it says.
        let file: File = std::fs::OpenOptions::new().write(true).create(true).truncate(true).open(&path)?;
        command.stdout(file).status()?;
        Ok(std::fs::read_to_string(&path)?.lines().filter(|line| line.contains(mark)).count())
    };
    let ours = count(&mut bench.sb(home, ["list", "--all"]), "sb_")?;
    let theirs = peer.map(|peer| count(&mut peer.list(), "TASK-")).transpose()?;
    let wanted = Size::LARGE.tickets;
    if ours != wanted || theirs.is_some_and(|theirs| theirs != wanted) {
        return Err(format!("sb lists {ours} tickets and Backlog.md {theirs:?} tasks, not {wanted}").into());
    }
    Ok(())
}

/// Backlog.md with its tasks.
struct Peer {
    program: PathBuf,
    version: String,
    home: PathBuf,
    project: PathBuf,
}

impl Peer {
    fn prepare(bench: &Bench, program: PathBuf) -> Result<Self> {
        let home = bench.scratch.path().join("backlog");
        let project = home.join("project");
        std::fs::create_dir_all(&project)?;
        let mut peer = Self { program, version: String::new(), home, project };
        peer.version = run::output(peer.command().arg("--version"))?.trim().to_owned();
        // Without git it has the least to do.
        let mut init = peer.command();
        init.args(["init", "bench", "--defaults", "--integration-mode", "none", "--no-git"]);
        run::output(&mut init)?;
        progress("writing 10,000 tasks for Backlog.md");
        write_tasks(&peer.project.join("backlog").join("tasks"), Size::LARGE.tickets)?;
        Ok(peer)
    }

    fn command(&self) -> Command {
        let mut command = run::hermetic(&self.program, &self.home);
        command.current_dir(&self.project);
        command
    }

    fn list(&self) -> Command {
        let mut command = self.command();
        command.args(["task", "list", "--plain"]).stderr(Stdio::null());
        command
    }
}

fn write_tasks(folder: &Path, count: usize) -> Result<()> {
    let mut random = Random(1);
    for number in 1..=count {
        let title = title(&mut random);
        let name = format!("task-{number} - {}.md", title.replace(' ', "-"));
        run::write(&folder.join(name), task(number, &title))?;
    }
    Ok(())
}

/// A task as Backlog.md writes it.
fn task(number: usize, title: &str) -> String {
    let status = match number % 10 {
        0..=5 => "To Do",
        6..=8 => "In Progress",
        _ => "Done",
    };
    let priority = ["high", "medium", "low"][number % 3];
    format!(
        "---\nid: TASK-{number}\ntitle: {title}\nstatus: {status}\nassignee: []\ncreated_date: '2026-01-01 10:00'\n\
         labels:\n  - web\ndependencies: []\npriority: {priority}\nordinal: {number}000\n---\n\n## Description\n\n\
         <!-- SECTION:DESCRIPTION:BEGIN -->\n\
         What is seen, what should be seen instead, and how to see it again.\n\
         <!-- SECTION:DESCRIPTION:END -->\n"
    )
}

/// Backlog.md's own binary. The npm package starts it through node; going around that favours it.
fn install(peers: &Path) -> Result<PathBuf> {
    if let Some(found) = binary(peers) {
        return Ok(found);
    }
    if !run::is_installed("npm") {
        return Err("npm is not installed".into());
    }
    progress("installing Backlog.md");
    std::fs::create_dir_all(peers)?;
    let mut npm = Command::new("npm");
    npm.args(["install", "--silent", "--no-audit", "--no-fund", "--prefix"]).arg(peers).arg(PACKAGE);
    run::output(&mut npm)?;
    binary(peers).ok_or_else(|| "its package holds no binary for this machine".into())
}

fn binary(peers: &Path) -> Option<PathBuf> {
    let packages = std::fs::read_dir(peers.join("node_modules")).ok()?;
    packages
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().starts_with("backlog.md-"))
        .map(|entry| entry.path().join("backlog"))
        .find(|path| path.is_file())
}
