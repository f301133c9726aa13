//! Getting to main: what a merge costs against the git commands that it cannot avoid, how long many take that are validated
//! together, and what a workspace costs against a worktree of git's own.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use serde_json::Value;
use signalbox_core::work::{Handed, Place};
use signalbox_core::{Command as Wish, NewTicket, ProjectName, TicketId, Who};
use signalbox_git::{BranchName, Git, Integration, Key, UserRepository, WorkspaceSpec};
use signalbox_store::{Home, Store};

use super::measure::Timing;
use super::report::{Goal, Limit, Section, duration, ratio, timing_row};
use super::{Bench, progress};
use crate::{Result, run};

/// How many merges are timed in one go, and how often the two take turns.
const MERGES: usize = 10;
const TURNS: usize = 3;
/// How many tickets are validated together, and how long a validation of theirs takes.
const QUEUED: usize = 16;
const SECONDS: [u64; 2] = [2, 5];
const WORKSPACES: usize = 5;
/// About what a file of a program has.
const BYTES: usize = 4_800;

pub fn run(bench: &mut Bench) -> Result<Section> {
    let title = "merge: tickets that are handed in, to main and into the person's checkout";
    let mut section = Section::new(title, &["what", "n", "p50", "p95", "x git"]);
    for files in [1_000, 10_000] {
        progress(&format!("merging in a repository of {files} files"));
        let (ours, bare) = merges(bench, files)?;
        section.rows.push(timing_row(&bare, Some(&bare)));
        section.rows.push(timing_row(&ours, Some(&bare)));
        let what = format!("a merge to bare git, {files} files");
        section.goals.push(Goal::new(what, Some(ours.times(&bare)), Limit::AtMost(3.0)));
    }
    for seconds in SECONDS {
        progress(&format!("{QUEUED} tickets with a validation of {seconds} s"));
        let took = together(bench, seconds)?;
        let times = took.as_secs_f64() / seconds as f64;
        let what = format!("{QUEUED} tickets, each validation {seconds} s");
        section.rows.push(vec![what.clone(), "1".into(), duration(took), "-".into(), "-".into()]);
        let remark =
            format!("{what}: {} validation times, from the start of the loop to its end.", ratio(times));
        section.remarks.push(remark);
        section.goals.push(Goal::new(format!("{what}, to one of them"), Some(times), Limit::AtMost(4.0)));
    }
    progress("making workspaces");
    let (ours, theirs) = workspaces(bench)?;
    section.rows.push(timing_row(&theirs, Some(&theirs)));
    section.rows.push(timing_row(&ours, Some(&theirs)));
    let what = "a workspace of 10,000 files to a worktree of git";
    section.goals.push(Goal::new(what, Some(ours.times(&theirs)), Limit::AtMost(1.5)));
    section.remarks.push(
        "Bare git for a merge: fetch the branch into a bare repository, merge-tree, commit-tree, update-ref, read-tree \
         into a directory that holds main, and in the person's checkout fetch and merge --ff-only; as a person's git is set \
         up, so without the flushes to the disk that ours makes."
            .to_owned(),
    );
    Ok(section)
}

/// A merge of ours and one by bare git, in turns.
fn merges(bench: &Bench, files: usize) -> Result<(Timing, Timing)> {
    let root = bench.scratch.path().join(format!("merge-{files}"));
    let ours = Ground::make(&bench.sb, &root.join("ours"), files, "batch = 1", "")?;
    let theirs = Bare::make(&root.join("git"), files)?;
    let (mut mine, mut bare) = (Vec::new(), Vec::new());
    for turn in 0..TURNS {
        ours.hand_in(turn * MERGES..(turn + 1) * MERGES)?;
        ours.run()?;
        mine.extend(ours.between_landings(MERGES)?);
        bare.extend(theirs.merge(turn * MERGES..(turn + 1) * MERGES)?);
    }
    let label = |who: &str| format!("{who}, {files} files");
    Ok((Timing::new(label("a merge"), mine), Timing::new(label("bare git"), bare)))
}

/// Many that wait, and how long the loop takes for all of them.
fn together(bench: &Bench, seconds: u64) -> Result<Duration> {
    let root = bench.scratch.path().join(format!("queue-{seconds}"));
    let steps = format!("[validate]\nsteps = [{{ name = \"test\", run = \"sleep {seconds}\" }}]\n");
    let ground = Ground::make(&bench.sb, &root, 1_000, "", &steps)?;
    ground.hand_in(0..QUEUED)?;
    let begun = Instant::now();
    ground.run()?;
    let took = begun.elapsed();
    let landed = ground.landings()?.len();
    if landed == QUEUED { Ok(took) } else { Err(format!("only {landed} of {QUEUED} have landed").into()) }
}

/// Making a workspace, and git making a worktree, in turns.
fn workspaces(bench: &Bench) -> Result<(Timing, Timing)> {
    let root = bench.scratch.path().join("workspaces");
    let user = root.join("user");
    make_repository(&user, 10_000, "")?;
    let found = Git::find(&std::env::var_os("PATH").unwrap_or_default())?;
    let repository = UserRepository::open(&found, &user)?;
    let main = BranchName::parse("main")?;
    let folder = root.join("integration.git");
    let integration = Integration::create(&found, &folder, repository.object_format(), &main)?;
    let tip = repository.import(&integration, &main)?;
    integration.update_ref(&main.as_ref_name(), &tip, None)?;
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for number in 0..WORKSPACES {
        let spec = WorkspaceSpec {
            key: Key::parse(&format!("ticket-{number}"))?,
            path: root.join(format!("workspace-{number}")),
            branch: BranchName::parse(&format!("work/{number}"))?,
            start: tip.clone(),
            base: tip.clone(),
            main: Some(main.clone()),
            name: "Ada".to_owned(),
            email: "ada@example.org".to_owned(),
        };
        let begun = Instant::now();
        let workspace = integration.workspaces().create(&spec)?;
        ours.push(begun.elapsed());
        let worktree = root.join(format!("worktree-{number}")).display().to_string();
        let words = ["-c", "checkout.workers=2", "worktree", "add", "-q", "--detach", &worktree, "main"];
        let begun = Instant::now();
        git(&user, &words)?;
        theirs.push(begun.elapsed());
        let kept = workspace.keep("measured", Timestamp::now())?;
        workspace.remove(&kept)?;
        git(&user, &["worktree", "remove", &worktree])?;
    }
    Ok((
        Timing::new("a workspace, 10,000 files".to_owned(), ours),
        Timing::new("git worktree add with two workers, 10,000 files".to_owned(), theirs),
    ))
}

/// A home with one project, whose tickets are handed in without an agent.
struct Ground {
    sb: PathBuf,
    folder: PathBuf,
    project: PathBuf,
}

impl Ground {
    fn make(sb: &Path, folder: &Path, files: usize, merge: &str, more: &str) -> Result<Self> {
        let project = folder.join("project");
        make_repository(&project, files, &format!("[merge]\n{merge}\n{more}"))?;
        run::write(&folder.join(".signalbox/config.toml"), "[identity]\nagent_programs = []\n")?;
        let ground = Self { sb: sb.to_owned(), folder: folder.to_owned(), project };
        run::output(&mut ground.sb(&["init", "--name", "bench"]))?;
        run::output(&mut ground.sb(&["trust", "--yes"]))?;
        ground.run()?;
        Ok(ground)
    }

    fn sb(&self, words: &[&str]) -> Command {
        let mut command = run::hermetic(&self.sb, &self.folder);
        command.args(words).current_dir(&self.project).stderr(Stdio::null());
        command
    }

    fn run(&self) -> Result<()> {
        run::output(&mut self.sb(&["run", "--until-idle"])).map(drop)
    }

    fn hand_in(&self, numbers: std::ops::Range<usize>) -> Result<()> {
        let home = Home::new(self.folder.join(".signalbox"));
        let store = Store::new(home.clone(), home.default_vault());
        let project = ProjectName::parse("bench")?;
        for number in numbers {
            let id = TicketId::parse(&format!("sb_{number:06}"))?;
            let (branch, note) = (branch(number), Some("done".to_owned()));
            let commit = git(&self.project, &["rev-parse", &branch])?;
            let new = NewTicket::titled(id.clone(), project.clone(), format!("Ticket {number}"));
            let handed = Some(Handed { commit, branch, place: Place::Repository });
            for wish in [
                Wish::New(Box::new(NewTicket { needs_tests: false, ..new })),
                Wish::Pick { id: id.clone() },
                Wish::Submit { id, note, handed },
            ] {
                store.execute(&Who::Human, &|_| Ok(wish.clone()))?;
            }
        }
        Ok(())
    }

    /// When each ticket landed, as the log tells.
    fn landings(&self) -> Result<Vec<Timestamp>> {
        let mut landed = Vec::new();
        for file in std::fs::read_dir(self.folder.join(".signalbox/events"))? {
            let path = file?.path();
            if path.is_symlink() || path.extension().is_none_or(|ending| ending != "jsonl") {
                continue;
            }
            let text = std::fs::read_to_string(path)?;
            let events = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
            let events = events.filter(|event| event["event"] == "merge.landed");
            landed.extend(events.filter_map(|event| event["ts"].as_str()?.parse::<Timestamp>().ok()));
        }
        landed.sort();
        Ok(landed)
    }

    /// The times between the landings of the last so many: each is all of one merge.
    fn between_landings(&self, count: usize) -> Result<Vec<Duration>> {
        let landed = self.landings()?;
        let last = landed.get(landed.len().saturating_sub(count)..).unwrap_or_default();
        if last.len() < count {
            return Err(format!("only {} have landed", landed.len()).into());
        }
        let between = |pair: &[Timestamp]| Duration::try_from(pair[1].duration_since(pair[0]));
        Ok(last.windows(2).map(between).collect::<std::result::Result<_, _>>()?)
    }
}

/// The same by hand.
struct Bare {
    user: PathBuf,
    bare: PathBuf,
    tree: PathBuf,
}

impl Bare {
    fn make(folder: &Path, files: usize) -> Result<Self> {
        let (user, bare, tree) = (folder.join("user"), folder.join("bare.git"), folder.join("tree"));
        make_repository(&user, files, "")?;
        let words = ["clone", "-q", "--bare", "--no-local", "--single-branch", "user", "bare.git"];
        git(folder, &words)?;
        std::fs::create_dir_all(&tree)?;
        let made = Self { user, bare, tree };
        made.read_tree("main")?;
        Ok(made)
    }

    fn read_tree(&self, commit: &str) -> Result<()> {
        let index = self.bare.join("tree.index");
        let mut command = plain(&self.tree);
        command.env("GIT_DIR", &self.bare).env("GIT_WORK_TREE", &self.tree).env("GIT_INDEX_FILE", index);
        run::output(command.args(["read-tree", "--reset", "-u", commit])).map(drop)
    }

    fn merge(&self, numbers: std::ops::Range<usize>) -> Result<Vec<Duration>> {
        let (user, bare) = (self.user.display().to_string(), self.bare.display().to_string());
        let mut times = Vec::new();
        for number in numbers {
            let begun = Instant::now();
            let handed = format!("refs/handed/{number}");
            let main = git(&self.bare, &["rev-parse", "main"])?;
            git(&self.bare, &["fetch", "-q", &user, &format!("refs/heads/{}:{handed}", branch(number))])?;
            let tree = git(&self.bare, &["merge-tree", "--write-tree", &main, &handed])?;
            let commit = git(&self.bare, &["commit-tree", "-p", &main, "-m", "Ticket", &tree])?;
            self.read_tree(&commit)?;
            git(&self.bare, &["update-ref", "refs/heads/main", &commit, &main])?;
            git(&self.user, &["fetch", "-q", &bare, "main"])?;
            git(&self.user, &["merge", "-q", "--ff-only", "FETCH_HEAD"])?;
            times.push(begun.elapsed());
        }
        Ok(times)
    }
}

fn branch(number: usize) -> String {
    format!("mine/{number}")
}

/// A repository of so many files with a contract, checked out, and branches that each add one file and change another.
fn make_repository(folder: &Path, files: usize, contract: &str) -> Result<()> {
    std::fs::create_dir_all(folder)?;
    git(folder, &["init", "-q", "-b", "main"])?;
    let mut stream = String::new();
    let head = "committer Ada <ada@example.org> 1700000000 +0000";
    let _ = writeln!(stream, "commit refs/heads/main\n{head}\ndata 6\nBegin\n");
    file(&mut stream, ".signalbox/project.toml", contract);
    for number in 0..files {
        file(&mut stream, &path(number), &content(number));
    }
    for number in 0..TURNS * MERGES {
        let _ = writeln!(
            stream,
            "commit refs/heads/{}\n{head}\ndata 5\nWork\nfrom refs/heads/main",
            branch(number)
        );
        file(&mut stream, &format!("new/{number}.txt"), &content(number));
        file(&mut stream, &path(number * 31), &format!("changed\n{}", content(number * 31)));
    }
    let mut import = plain(folder);
    let mut child = import.args(["fast-import", "--quiet"]).stdin(Stdio::piped()).spawn()?;
    child.stdin.take().ok_or("no standard input")?.write_all(stream.as_bytes())?;
    if !child.wait()?.success() {
        return Err("git fast-import failed".into());
    }
    git(folder, &["reset", "-q", "--hard", "main"]).map(drop)
}

fn path(number: usize) -> String {
    format!("src/{}/{}/file{number}.txt", number % 10, number / 10 % 10)
}

/// A text that no other file has.
fn content(number: usize) -> String {
    let line = format!("{number}: a line of a program, about as long as they are in most of them\n");
    line.repeat(BYTES / line.len())
}

fn file(stream: &mut String, path: &str, content: &str) {
    let _ = writeln!(stream, "M 100644 inline {path}\ndata {}\n{content}", content.len());
}

/// Git as a person has it, without any settings of theirs.
fn plain(directory: &Path) -> Command {
    let mut command = run::hermetic("git", directory);
    command
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .envs([("GIT_AUTHOR_NAME", "Ada"), ("GIT_AUTHOR_EMAIL", "ada@example.org")])
        .envs([("GIT_COMMITTER_NAME", "Ada"), ("GIT_COMMITTER_EMAIL", "ada@example.org")])
        .current_dir(directory);
    command
}

fn git(directory: &Path, words: &[&str]) -> Result<String> {
    Ok(run::output(plain(directory).args(words))?.trim_end().to_owned())
}
