//! The daemon with a fleet: 200 agents, 1,000 monitors, 50 kills in 10 minutes. How fast it answers, what it costs when
//! nothing happens, whether it grows, and whether everything arrives once.
//!
//! `SIGNALBOX_FLEET=20` and `SIGNALBOX_MINUTES=2` make it smaller.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use signalbox_api::{Client, Status};

use super::asked::{Asked, at};
use super::report::{Goal, Limit, Section, duration};
use super::{Bench, progress};
use crate::{Result, run};

/// Monitors of each agent.
const EACH: usize = 5;
const KILLS: usize = 50;
/// What a control request may take at the 99th percentile.
const PROMPT: Duration = Duration::from_millis(20);
/// What share of a core it may use when nothing happens.
const QUIET: f64 = 0.10;
/// How long the quiet is measured.
const QUIET_FOR: Duration = Duration::from_secs(60);
/// How long what happened last may take to arrive.
const PATIENCE: Duration = Duration::from_secs(240);

pub fn run(bench: &mut Bench) -> Result<Section> {
    let number =
        |name: &str, usual: usize| std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(usual);
    let (agents, minutes) = (number("SIGNALBOX_FLEET", 200), number("SIGNALBOX_MINUTES", 10));
    let title = format!("daemon: {agents} agents and {} monitors for {minutes} minutes", agents * EACH);
    let mut section = Section::new(&title, &["what", "measured"]);
    let mut fleet = Fleet::start(&bench.sb, &bench.scratch.path().join("fleet"), agents)?;
    let busy = Duration::from_secs(60 * minutes as u64).saturating_sub(QUIET_FOR);

    progress("nothing happens for a minute");
    let asked = Asked::begin(fleet.socket(), &bench.scratch.path().join("idler.sock"))?;
    let (before, begun) = (fleet.daemon_cpu()?, Instant::now());
    let memory_first = fleet.daemon_memory()?;
    std::thread::sleep(QUIET_FOR);
    let share = (fleet.daemon_cpu()? - before).as_secs_f64() / begun.elapsed().as_secs_f64();
    let memory_quiet = fleet.daemon_memory()?;

    progress("every monitor has news once, and the daemon is killed now and then");
    let pause = busy / u32::try_from(KILLS)?;
    let files = agents * EACH;
    for round in 0..KILLS {
        for file in (round * files / KILLS)..((round + 1) * files / KILLS) {
            fleet.news(file % agents, file / agents)?;
        }
        std::thread::sleep(pause / 2);
        fleet.kill_daemon()?;
        fleet.start_daemon()?;
        std::thread::sleep(pause / 2);
    }
    let (missed, doubled, late) = fleet.wait_for_news()?;
    let times = asked.end();
    if times.daemon.len() * 2 < times.idler.len() {
        let (answered, asked) = (times.daemon.len(), times.idler.len());
        return Err(format!("the daemon answered only {answered} of {asked} requests").into());
    }
    let memory_last = fleet.daemon_memory()?;
    let p99 = at(&times.daemon, 99);

    let mut row = |what: &str, measured: String| section.rows.push(vec![what.to_owned(), measured]);
    row("control requests", times.daemon.len().to_string());
    row("a request, p50", duration(at(&times.daemon, 50)));
    row("a request, p99", duration(p99));
    row(
        "the same until this program, which is not optimised, has understood it, p99",
        duration(at(&times.understood, 99)),
    );
    row("the same to a server that does nothing else, p50", duration(at(&times.idler, 50)));
    row("the same to a server that does nothing else, p99", duration(at(&times.idler, 99)));
    row(
        "processor time when nothing happens, with all that monitors run",
        format!("{:.1} % of a core", share * 100.0),
    );
    row("memory at first", format!("{memory_first} kB"));
    row("memory after a quiet minute", format!("{memory_quiet} kB"));
    row("memory at the end (of the last daemon)", format!("{memory_last} kB"));
    row("news", format!("{files}, the last of them {} after it happened", duration(late)));
    row("kills of the daemon", KILLS.to_string());
    let ratio = |value: f64, limit: f64| Some(value / limit);
    section.goals.push(Goal::new(
        "p99 of a request against 20 ms",
        ratio(p99.as_secs_f64(), PROMPT.as_secs_f64()),
        Limit::AtMost(1.0),
    ));
    section.goals.push(Goal::new("quiet against 10 % of a core", ratio(share, QUIET), Limit::AtMost(1.0)));
    section.goals.push(Goal::new(
        "memory after a quiet minute against before",
        ratio(memory_quiet as f64, memory_first as f64),
        Limit::AtMost(1.1),
    ));
    section.goals.push(Goal::new("missed", Some(missed as f64), Limit::Zero));
    section.goals.push(Goal::new("doubled", Some(doubled as f64), Limit::Zero));
    Ok(section)
}

struct Fleet {
    sb: PathBuf,
    folder: PathBuf,
    daemon: Child,
    agents: Vec<Child>,
    /// When each piece of news happened.
    happened: BTreeMap<String, Instant>,
}

impl Fleet {
    fn start(sb: &Path, folder: &Path, count: usize) -> Result<Self> {
        std::fs::create_dir_all(folder.join(".signalbox"))?;
        let mut config = "[identity]\nagent_programs = []\n[agents]\nrecording = false\n".to_owned();
        for monitor in 0..EACH {
            config.push_str(&format!(
                "[monitors.m{monitor}]\ntype = \"shell\"\ncommand = \"cat m{monitor}.txt\"\non_change = true\nevery = 60\n"
            ));
        }
        run::write(&folder.join(".signalbox/config.toml"), config)?;
        let daemon = spawn(sb, folder, folder, &["up", "--foreground"])?;
        let mut fleet = Self {
            sb: sb.to_owned(),
            folder: folder.to_owned(),
            daemon,
            agents: Vec::new(),
            happened: BTreeMap::new(),
        };
        for agent in 0..count {
            let place = fleet.place(agent);
            std::fs::create_dir_all(&place)?;
            for monitor in 0..EACH {
                run::write(&place.join(format!("m{monitor}.txt")), "nothing\n")?;
            }
            let name = format!("a{agent}");
            fleet.agents.push(spawn(
                sb,
                folder,
                &place,
                &["agent", "puppet", "--headless", "--name", &name],
            )?);
            if agent % 20 == 19 {
                progress(&format!("{} agents are started", agent + 1));
                fleet.wait_until(|report| report.agents.len() > agent.saturating_sub(5))?;
            }
        }
        fleet.wait_until(|report| {
            report.agents.len() == count
                && report.agents.iter().all(|agent| {
                    agent.monitors.len() == EACH
                        && agent.monitors.iter().all(|monitor| monitor.last.is_some())
                })
        })?;
        Ok(fleet)
    }

    fn place(&self, agent: usize) -> PathBuf {
        self.folder.join(format!("place-{agent}"))
    }

    fn socket(&self) -> PathBuf {
        self.folder.join(".signalbox/run/daemon.sock")
    }

    fn wait_until(&self, is_so: impl Fn(&signalbox_api::Report) -> bool) -> Result<()> {
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            let report =
                Client::connect(&self.socket()).ok().and_then(|mut client| client.ask(Status {}).ok());
            if report.is_some_and(|report| is_so(&report)) {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(200));
        }
        Err("the fleet did not get ready in time".into())
    }

    fn news(&mut self, agent: usize, monitor: usize) -> Result<()> {
        let words = format!("story-{agent}-{monitor}.");
        // In one piece, so that nobody reads half of it.
        let file = self.place(agent).join(format!("m{monitor}.txt"));
        let early = file.with_extension("new");
        run::write(&early, format!("{words}\n"))?;
        signalbox_store::files::rename(&early, &file)?;
        self.happened.insert(words, Instant::now());
        Ok(())
    }

    fn kill_daemon(&mut self) -> Result<()> {
        self.daemon.kill()?;
        self.daemon.wait()?;
        Ok(())
    }

    fn start_daemon(&mut self) -> Result<()> {
        self.daemon = spawn(&self.sb, &self.folder, &self.folder, &["up", "--foreground"])?;
        Ok(())
    }

    /// How often each piece of news was taken by an agent. Missed, doubled, and how long the slowest took.
    fn wait_for_news(&self) -> Result<(usize, usize, Duration)> {
        let begun = Instant::now();
        let mut late = Duration::ZERO;
        let mut seen: BTreeMap<String, Instant> = BTreeMap::new();
        loop {
            let prompts = self.prompts()?;
            let count =
                |words: &String| prompts.iter().filter(|prompt| prompt.contains(words.as_str())).count();
            let counts: Vec<(&String, usize)> =
                self.happened.keys().map(|words| (words, count(words))).collect();
            for (words, _) in counts.iter().filter(|(_, count)| *count > 0) {
                seen.entry((*words).clone()).or_insert_with(Instant::now);
            }
            let missed = counts.iter().filter(|(_, count)| *count == 0).count();
            if missed == 0 || begun.elapsed() > PATIENCE {
                for (words, at) in &seen {
                    let happened = self.happened.get(words).copied().unwrap_or(*at);
                    // Those that were there at the first look arrived at some time before it.
                    if at.duration_since(begun) > Duration::from_secs(1) {
                        late = late.max(at.duration_since(happened));
                    }
                }
                let doubled = counts.iter().filter(|(_, count)| *count > 1).count();
                return Ok((missed, doubled, late));
            }
            std::thread::sleep(Duration::from_secs(1));
        }
    }

    fn prompts(&self) -> Result<Vec<String>> {
        let mut prompts = Vec::new();
        let mut folders = vec![self.folder.join(".puppet")];
        while let Some(folder) = folders.pop() {
            let Ok(entries) = std::fs::read_dir(&folder) else { continue };
            for entry in entries {
                let path = entry?.path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|end| end == "jsonl") {
                    for line in std::fs::read_to_string(&path)?.lines() {
                        let line: serde_json::Value = serde_json::from_str(line).unwrap_or_default();
                        if line["type"] == "user" {
                            prompts.extend(line["message"]["content"].as_str().map(ToOwned::to_owned));
                        }
                    }
                }
            }
        }
        Ok(prompts)
    }

    /// The processor time of the daemon and of all it ran.
    fn daemon_cpu(&self) -> Result<Duration> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.daemon.id()))?;
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
        let ticks: u64 = (11..15).filter_map(|at| fields.get(at)?.parse::<u64>().ok()).sum();
        Ok(Duration::from_millis(ticks * 10))
    }

    /// In kB.
    fn daemon_memory(&self) -> Result<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.daemon.id()))?;
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).ok_or("no memory is told")?;
        Ok(line.split_whitespace().nth(1).ok_or("no memory is told")?.parse()?)
    }
}

impl Drop for Fleet {
    fn drop(&mut self) {
        for child in self.agents.iter_mut().chain([&mut self.daemon]) {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn spawn(sb: &Path, home: &Path, directory: &Path, words: &[&str]) -> Result<Child> {
    let mut command = Command::new(sb);
    command
        .args(words)
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("HOME", home)
        .env("SIGNALBOX_HOME", home.join(".signalbox"))
        .env("TERM", "xterm-256color")
        .current_dir(directory)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    Ok(command.spawn()?)
}
