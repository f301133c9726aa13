//! For tests alone: a hermetic environment that owns home, time, randomness and `PATH`, and agents in it: shells
//! that play one, or real agent CLIs that talk to a scripted model.
#![expect(clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

mod agent;
pub mod clis;
mod clockwork;
mod dice;
pub mod github;
pub mod model;
mod run;

use std::path::{Path, PathBuf};
use std::process::Command;

pub use agent::{Agent, quote};
use clockwork::Clockwork;
pub use dice::Dice;
pub use run::{Run, without_root};

/// How the name of every test's directory begins. A space and a letter beyond ASCII, because users' have them.
const ROOT: &str = "sb test ü ";

/// A home and a project of its own, and `sb` in it. Nothing of the machine's user is seen or touched.
#[derive(Debug)]
pub struct TestEnv {
    root: tempfile::TempDir,
    program: PathBuf,
    variables: Vec<(String, String)>,
    clockwork: Option<Clockwork>,
}

impl TestEnv {
    /// An environment without a project. `program` is `env!("CARGO_BIN_EXE_sb")`.
    pub fn empty(program: impl Into<PathBuf>) -> Self {
        let root = tempfile::Builder::new().prefix(ROOT).tempdir().expect("a temporary directory");
        let env = Self { root, program: program.into(), variables: Vec::new(), clockwork: None };
        for folder in [env.home(), env.project()] {
            std::fs::create_dir_all(folder).expect("make a folder");
        }
        // The tests themselves may run below an agent CLI; nobody here is an agent by the name of a program.
        env.write(env.home().join("config.toml"), "[identity]\nagent_programs = []\n");
        restrict(&env.home());
        env
    }

    /// An environment with the project `shop`.
    pub fn new(program: impl Into<PathBuf>) -> Self {
        let env = Self::empty(program);
        env.sb(["init", "--name", "shop"]).success();
        env
    }

    /// An environment with the project `shop` in which every run is the same: the first command runs on
    /// 2026-11-15 at 10:00:00 UTC, each other one a second later, and random numbers come from the seed. Only
    /// debug builds of `sb` obey.
    pub fn ticking(program: impl Into<PathBuf>, seed: u64) -> Self {
        let env = Self { clockwork: Some(Clockwork::new(seed, true)), ..Self::empty(program) };
        env.sb(["init", "--name", "shop"]).success();
        env
    }

    /// The same random numbers in every run, others for each command. Only debug builds of `sb` obey.
    #[must_use]
    pub fn seeded(self, seed: u64) -> Self {
        Self { clockwork: Some(Clockwork::new(seed, false)), ..self }
    }

    /// A clock that stands still. Only debug builds of `sb` obey.
    pub fn set_clock(&mut self, time: &str) {
        self.set("SIGNALBOX_CLOCK", time);
    }

    pub fn set(&mut self, name: &str, value: &str) {
        self.unset(name);
        self.variables.push((name.to_owned(), value.to_owned()));
    }

    pub fn unset(&mut self, name: &str) {
        self.variables.retain(|(known, _)| known != name);
    }

    pub fn root(&self) -> &Path {
        self.root.path()
    }

    /// `SIGNALBOX_HOME`.
    pub fn home(&self) -> PathBuf {
        self.root().join("hóme of sb")
    }

    /// The directory commands run in.
    pub fn project(&self) -> PathBuf {
        self.root().join("shop")
    }

    pub fn program(&self) -> &Path {
        &self.program
    }

    /// A command ready to run in this environment.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        self.prepare(&mut command);
        command
    }

    /// Give another program this environment, with `sb` on its `PATH`.
    pub fn prepare(&self, command: &mut Command) {
        let bin = self.program.parent().expect("the program's folder");
        command
            .env_clear()
            .env("PATH", format!("{}:/usr/local/bin:/usr/bin:/bin", bin.display()))
            .env("HOME", self.root())
            .env("SIGNALBOX_HOME", self.home())
            .env("LC_ALL", "C.UTF-8")
            .env("TZ", "UTC")
            .envs(self.clockwork.iter().flat_map(Clockwork::next))
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .current_dir(self.project());
    }

    /// Run `sb` as the human.
    #[must_use = "say how it must end: `success` or `code`"]
    pub fn sb<S: AsRef<str>>(&self, arguments: impl IntoIterator<Item = S>) -> Run {
        self.sb_with_input(arguments, "")
    }

    /// Run `sb` as the human with something on standard input.
    #[must_use = "say how it must end: `success` or `code`"]
    pub fn sb_with_input<S: AsRef<str>>(
        &self,
        arguments: impl IntoIterator<Item = S>,
        input: impl AsRef<[u8]>,
    ) -> Run {
        let mut command = self.command();
        command.args(arguments.into_iter().map(|word| word.as_ref().to_owned()));
        self.run_with_input(command, input)
    }

    /// Run `sb` as the human in another directory.
    #[must_use = "say how it must end: `success` or `code`"]
    pub fn sb_in<S: AsRef<str>>(
        &self,
        directory: impl AsRef<Path>,
        arguments: impl IntoIterator<Item = S>,
    ) -> Run {
        let mut command = self.command();
        command.args(arguments.into_iter().map(|word| word.as_ref().to_owned())).current_dir(directory);
        self.run(command)
    }

    /// Run any program that was prepared for this environment.
    #[must_use = "say how it must end: `success` or `code`"]
    pub fn run(&self, command: Command) -> Run {
        self.run_with_input(command, "")
    }

    /// Run any program that was prepared for this environment, with something on standard input.
    #[must_use = "say how it must end: `success` or `code`"]
    pub fn run_with_input(&self, command: Command, input: impl AsRef<[u8]>) -> Run {
        Run::of(command, input.as_ref())
    }

    /// Run a line of shell as the human.
    #[must_use = "say how it must end: `success` or `code`"]
    pub fn bash(&self, line: &str) -> Run {
        let mut command = Command::new("bash");
        self.prepare(&mut command);
        command.args(["--norc", "--noprofile", "-c", line]);
        self.run(command)
    }

    /// File a ticket as the human; the answer is its id.
    pub fn new_ticket(&self, title: &str) -> String {
        self.sb(["new", title]).success().stdout.trim().to_owned()
    }

    /// An agent session: a process of its own, registered by the hook as agent CLIs do it.
    pub fn agent(&self, name: &str) -> Agent {
        Agent::start(self, name)
    }

    /// A shell in a terminal session of its own: a second window of the human's.
    pub fn terminal(&self, name: &str) -> Agent {
        Agent::terminal(self, name)
    }

    /// Put text into a file, as a person would with an editor.
    #[expect(clippy::disallowed_methods, reason = "this plays the person, not the product")]
    pub fn write(&self, path: impl AsRef<Path>, text: impl AsRef<[u8]>) {
        std::fs::write(path, text).expect("write a file");
    }

    /// Rename a file, as a person or a sync tool would.
    #[expect(clippy::disallowed_methods, reason = "this plays the person, not the product")]
    pub fn rename(&self, from: impl AsRef<Path>, to: impl AsRef<Path>) {
        std::fs::rename(from, to).expect("rename a file");
    }

    pub fn read(&self, path: impl AsRef<Path>) -> String {
        String::from_utf8(std::fs::read(path).expect("read a file")).expect("UTF-8")
    }

    /// Change a file's text, as a person would with an editor. What is replaced must be there.
    pub fn edit(&self, path: impl AsRef<Path>, from: &str, to: &str) {
        let text = self.read(&path);
        assert!(text.contains(from), "{from:?} is not in\n{text}");
        self.write(path, text.replacen(from, to, 1));
    }

    /// The markdown file of a ticket.
    pub fn ticket_file(&self, id: &str) -> PathBuf {
        let folder = self.home().join("vault/tickets");
        let names = std::fs::read_dir(&folder).expect("the tickets folder");
        let found = names
            .map(|entry| entry.expect("an entry").path())
            .find(|path| path.to_string_lossy().ends_with(&format!("-{id}.md")));
        found.unwrap_or_else(|| panic!("no file of {id} in {}", folder.display()))
    }

    /// Every file below a folder, with its whole content.
    pub fn files_below(&self, folder: impl AsRef<Path>) -> Vec<(PathBuf, Vec<u8>)> {
        let mut files = Vec::new();
        let mut folders = vec![folder.as_ref().to_owned()];
        while let Some(folder) = folders.pop() {
            let Ok(entries) = std::fs::read_dir(&folder) else { continue };
            for path in entries.map(|entry| entry.expect("an entry").path()) {
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let bytes = std::fs::read(&path).expect("read a file");
                    files.push((path, bytes));
                }
            }
        }
        files.sort();
        files
    }

    /// The event log's newest file.
    pub fn log_file(&self) -> PathBuf {
        self.home().join("events/current").canonicalize().expect("events/current")
    }

    pub fn index_file(&self) -> PathBuf {
        self.home().join("index.db")
    }
}

fn restrict(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o700)).expect("chmod");
}
