//! Where the demo plays: a folder that is home to everybody in it, how programs are run there, and its end.

use std::ffi::{OsStr, OsString};
use std::fs::DirBuilder;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use signalbox_agent::attach;
use signalbox_desk::error::{CommandError, Kind};
use signalbox_store::agents::{self, Life, Record};
use signalbox_store::session::Registered;
use signalbox_store::{Home, entropy, files, process};

use super::cast::Driver;

/// How long the loop may take to end, and then each agent that was asked to.
const LOOP_ENDS: Duration = Duration::from_secs(12);
const AGENT_ENDS: Duration = Duration::from_secs(3);
const LOOK: Duration = Duration::from_millis(25);
/// How often it is looked for agents that still run.
const ROUNDS: usize = 3;
/// How often the folder is tried to be removed: whoever dies in it may write a last file.
const TRIES: usize = 20;

/// The folder, and the loop that runs in it.
pub struct Stage {
    root: PathBuf,
    program: PathBuf,
    driver: Driver,
    running: Option<Child>,
    page: Option<Child>,
}

impl Stage {
    /// Make the folder, with Signalbox's own home in it.
    pub fn new(driver: Driver) -> Result<Self, CommandError> {
        let above = std::env::temp_dir();
        let root = above.join(format!("sb-demo-{:08x}", entropy::number() & 0xffff_ffff));
        // Nothing above it is made: a folder of the person's that is not there is not ours to make.
        DirBuilder::new().mode(0o700).create(&root).map_err(|error| {
            let message = format!("the demo cannot make its folder in {}: {error}", above.display());
            CommandError::precondition("demo.folder", message)
                .hint("Set TMPDIR to a folder that can be written to.")
        })?;
        let stage = Self { root, program: std::env::current_exe()?, driver, running: None, page: None };
        match stage.furnish() {
            Ok(()) => Ok(stage),
            Err(error) => {
                stage.remove();
                Err(error)
            }
        }
    }

    fn furnish(&self) -> Result<(), CommandError> {
        for folder in ["bin", "tmp"] {
            files::create_private_dir(&self.root.join(folder))?;
        }
        files::create_private_dir(&self.repository())?;
        files::create_private_dir(self.home().root())?;
        // Whoever runs the demo plays the human in it, also an agent.
        let config = b"[identity]\nagent_programs = []\n";
        files::replace(&self.home().config(), config, files::PRIVATE)?;
        // Agents say `sb`.
        let program = self.program.to_str().ok_or_else(|| {
            CommandError::precondition("sb.path", format!("{} is not UTF-8", self.program.display()))
        })?;
        files::replace_link(program, &self.root.join("bin/sb"))?;
        files::replace(&self.own_sb(), self.own_sb_text().as_bytes(), 0o700)?;
        Ok(())
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The person's checkout.
    pub fn repository(&self) -> PathBuf {
        self.root.join("corner-shop")
    }

    pub fn home(&self) -> Home {
        Home::new(self.root.join(".signalbox"))
    }

    /// What agents without a model do.
    pub fn script(&self) -> PathBuf {
        self.root.join("script.json")
    }

    /// `sb` for whoever looks on from another terminal.
    pub fn own_sb(&self) -> PathBuf {
        self.root.join("sb")
    }

    fn own_sb_text(&self) -> String {
        let home = self.home();
        format!(
            "#!/bin/sh\n# `sb` in the demo's own home.\ncd {} || exit 1\n\
             exec env -i PATH=\"$PATH\" TERM=\"$TERM\" LANG=\"$LANG\" LC_ALL=\"$LC_ALL\" HOME={} SIGNALBOX_HOME={} {} \"$@\"\n",
            quoted(self.repository().as_os_str()),
            quoted(self.root.as_os_str()),
            quoted(home.root().as_os_str()),
            quoted(self.program.as_os_str()),
        )
    }

    fn variables(&self) -> Vec<(String, OsString)> {
        let mut path = self.root.join("bin").into_os_string();
        if let Some(theirs) = std::env::var_os("PATH").filter(|theirs| !theirs.is_empty()) {
            path.push(":");
            path.push(theirs);
        }
        let mut all = self.driver.environment();
        let mut set = |name: &str, value: OsString| {
            all.retain(|(known, _)| known != name);
            all.push((name.to_owned(), value));
        };
        set("PATH", path);
        set("SIGNALBOX_HOME", self.home().root().as_os_str().to_owned());
        set("GIT_CONFIG_NOSYSTEM", "1".into());
        set("GIT_CONFIG_GLOBAL", "/dev/null".into());
        if self.driver.has_own_home() {
            set("HOME", self.root.clone().into_os_string());
            set("TMPDIR", self.root.join("tmp").into_os_string());
            set("PUPPET_SCRIPT", self.script().into_os_string());
        }
        all
    }

    /// A program in the repository, with nothing of the person's but where programs are.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command.env_clear().envs(self.variables()).current_dir(self.repository());
        command
    }

    /// Run git in the checkout, as the person would. What it prints.
    pub fn git(&self, words: &[&str]) -> Result<String, CommandError> {
        let output = self.command("git").args(words).stdin(Stdio::null()).output()?;
        printed(output, &format!("git {}", words.join(" ")))
    }

    /// Run `sb` as the person. What it prints.
    pub fn sb(&self, words: &[&str]) -> Result<String, CommandError> {
        self.sb_with(words, &[])
    }

    /// The same with more variables.
    pub fn sb_with(&self, words: &[&str], more: &[(&str, &OsStr)]) -> Result<String, CommandError> {
        let mut command = self.command(&self.program);
        let output = command.args(words).envs(more.iter().copied()).stdin(Stdio::null()).output()?;
        printed(output, &format!("sb {}", words.join(" ")))
    }

    /// `sb`, at the person's own terminal.
    pub fn show_sb(&self, words: &[&str]) -> Result<(), CommandError> {
        self.command(&self.program).args(words).status()?;
        Ok(())
    }

    /// Begin to take tickets to main.
    pub fn begin(&mut self) -> Result<(), CommandError> {
        let (log, _) = files::open_append(&self.root.join("run.log"))?;
        let mut command = self.command(&self.program);
        command.arg("run").stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        // A person's Ctrl-C is for the demo, which ends everybody in order.
        self.running = Some(command.process_group(0).spawn()?);
        Ok(())
    }

    /// Serve the web page. The link that lets a browser in, once.
    pub fn open_page(&mut self) -> Result<String, CommandError> {
        let (log, _) = files::open_append(&self.root.join("web.log"))?;
        let mut command = self.command(&self.program);
        command.args(["web", "--here", "--json"]).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log);
        let child = self.page.insert(command.process_group(0).spawn()?);
        let mut line = String::new();
        if let Some(said) = child.stdout.take() {
            BufReader::new(said).read_line(&mut line)?;
        }
        let said: serde_json::Value = serde_json::from_str(&line).unwrap_or_default();
        said["link"].as_str().map(ToOwned::to_owned).ok_or_else(|| {
            let message = "the web page cannot be served here";
            CommandError::new(Kind::Failure, "demo.page", message)
        })
    }

    /// What the loop said last, where it has ended though nobody wanted it to.
    pub fn has_ended(&mut self) -> Result<Option<String>, CommandError> {
        let Some(child) = &mut self.running else { return Ok(None) };
        if child.try_wait()?.is_none() {
            return Ok(None);
        }
        let log = files::read_optional(&self.root.join("run.log"))?.unwrap_or_default();
        let said = String::from_utf8_lossy(&log);
        Ok(Some(said.lines().last().unwrap_or_default().to_owned()))
    }

    /// End the loop, and then whoever still works: nobody starts anybody any more.
    pub fn end(&mut self) {
        if let Some(child) = self.running.take() {
            end(child, LOOP_ENDS);
        }
        let home = self.home();
        // Whoever has not begun yet does not.
        for id in agents::ids(&home).unwrap_or_default() {
            let _ = agents::give_up(&home, &id);
        }
        for _ in 0..ROUNDS {
            let running: Vec<Record> = agents::all(&home).unwrap_or_default();
            let running: Vec<Record> = running.into_iter().filter(|one| one.life() == Life::Runs).collect();
            if running.is_empty() {
                return;
            }
            for record in &running {
                let _ = attach::stop(&record.socket);
            }
            let processes = || running.iter().flat_map(|record| record.wrapper.iter().chain(&record.child));
            if !within(AGENT_ENDS, || !processes().any(is_running)) {
                processes()
                    .filter(|process| is_running(process))
                    .for_each(|one| signal(one.pid, Signal::KILL));
            }
        }
    }

    /// End the web page too.
    pub fn close_page(&mut self) {
        if let Some(child) = self.page.take() {
            end(child, AGENT_ENDS);
        }
    }

    /// Take the folder away. Says why, where that cannot be done.
    pub fn remove(&self) -> Option<CommandError> {
        let mut last = None;
        for _ in 0..TRIES {
            match std::fs::remove_dir_all(&self.root) {
                Ok(()) => return None,
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
                Err(error) => last = Some(error),
            }
            std::thread::sleep(LOOK);
        }
        let why = last.map(|error| error.to_string()).unwrap_or_default();
        let message = format!("{} could not be removed: {why}", self.root.display());
        Some(CommandError::new(Kind::Failure, "demo.left", message).hint("Remove it by hand."))
    }
}

/// End a program of ours: it is asked, and killed if it takes too long.
fn end(mut child: Child, patience: Duration) {
    signal(child.id(), Signal::TERM);
    if !within(patience, || matches!(child.try_wait(), Ok(Some(_)) | Err(_))) {
        let _ = child.kill();
        let _ = child.wait();
    }
}

/// Wait until it is so, at most so long. Says whether it is.
fn within(time: Duration, mut is_so: impl FnMut() -> bool) -> bool {
    let begun = Instant::now();
    while !is_so() {
        if begun.elapsed() > time {
            return false;
        }
        std::thread::sleep(LOOK);
    }
    true
}

fn is_running(registered: &Registered) -> bool {
    // The one who asks is not there to be ended.
    registered.pid != std::process::id() && process::is_running(registered.pid, registered.started)
}

fn signal(pid: u32, signal: Signal) {
    if let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
        let _ = kill_process(pid, signal);
    }
}

fn printed(output: Output, what: &str) -> Result<String, CommandError> {
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let said = said.lines().next().unwrap_or("it said nothing").trim_start_matches("error: ").to_owned();
    Err(CommandError::new(Kind::Failure, "demo.failed", format!("`{what}` failed: {said}")))
}

/// One word for a shell.
fn quoted(word: &OsStr) -> String {
    format!("'{}'", word.to_string_lossy().replace('\'', r"'\''"))
}
