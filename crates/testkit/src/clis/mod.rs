//! Real agent CLIs in a test: each with a home that was prepared so that nothing is asked, an environment that
//! holds nothing of the machine's user, and a scripted model in the place of the real one.
//!
//! They are looked for in `SIGNALBOX_CLIS`, a folder that holds `node_modules/.bin`; `cargo xtask clis` makes
//! one. A test begins with `skip_without`, because not every machine has them.

mod claude;
mod codex;
mod copilot;
mod gemini;
mod goose;
mod look;
mod process;
mod screen;
mod terminal;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::{Run, TestEnv};
pub use look::Look;
pub use screen::Size;
pub use terminal::Terminal;

/// A key that opens nothing. It is long enough to be taken for one.
const KEY: &str = "sk-dummy-0123456789-not-a-key";

/// Where a CLI plays.
#[derive(Debug, Clone)]
pub struct Place {
    home: PathBuf,
    project: PathBuf,
    variables: Vec<(String, String)>,
    /// The folder the CLIs are installed in, where `SIGNALBOX_CLIS` does not say.
    clis: Option<PathBuf>,
}

impl Place {
    /// `path` is the `PATH` the CLI gets; it should begin with the folder of `sb`.
    pub fn new(home: impl Into<PathBuf>, project: impl AsRef<Path>, path: &str) -> Self {
        // What a CLI trusts is the folder as the kernel names it.
        let project = project.as_ref().canonicalize().expect("the project's folder");
        let place = Self {
            home: home.into(),
            project,
            variables: vec![("PATH".to_owned(), path.to_owned())],
            clis: None,
        };
        std::fs::create_dir_all(place.temporary()).expect("make a folder");
        place
    }

    /// The home and the project of a test environment, with `sb` on the `PATH`.
    pub fn of(env: &TestEnv) -> Self {
        assert!(env.clockwork.is_none(), "all commands of a CLI would get the same random numbers");
        let mut command = Command::new("sb");
        env.prepare(&mut command);
        let text = |word: &std::ffi::OsStr| word.to_string_lossy().into_owned();
        let variables = command.get_envs().filter_map(|(name, value)| Some((text(name), text(value?))));
        let variables = variables.collect();
        Self { variables, ..Self::new(env.root(), env.project(), "") }
    }

    /// CLIs leave logs, sockets and reports of errors behind, which must not outlive the test.
    fn temporary(&self) -> PathBuf {
        self.home.join(".tmp")
    }

    /// CLIs that are installed in this folder.
    #[must_use]
    pub fn with_clis(mut self, folder: impl Into<PathBuf>) -> Self {
        self.clis = Some(folder.into());
        self
    }

    /// One more variable in the environment of the CLI.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Most CLIs are scripts of node, which may be anywhere. Where it is comes last.
    fn path_with_node(&self) -> String {
        let own =
            self.variables.iter().rfind(|(name, _)| name == "PATH").map_or("", |(_, path)| path.as_str());
        let machine = std::env::var_os("PATH").unwrap_or_default();
        let node = std::env::split_paths(&machine).find(|folder| folder.join("node").is_file());
        node.map_or(own.to_owned(), |folder| format!("{own}:{}", folder.display()))
    }

    /// Write a file below the home, unless it is there already.
    #[expect(clippy::disallowed_methods, reason = "this plays the person, not the product")]
    fn seed(&self, path: &str, text: &str) {
        let path = self.home.join(path);
        if !path.exists() {
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("make a folder");
            std::fs::write(path, text).expect("write a file");
        }
    }
}

/// An agent CLI that is ready to run.
#[derive(Debug)]
pub struct Cli {
    program: PathBuf,
    place: Place,
    /// The words that every run begins with.
    always: Vec<String>,
    /// The words before and after a prompt where nobody sits at the terminal.
    before: Vec<String>,
    after: Vec<String>,
    patience: Duration,
}

impl Cli {
    /// Where a CLI is, if it is installed.
    pub fn find(name: &str) -> Option<PathBuf> {
        Self::find_in(Path::new(&std::env::var_os("SIGNALBOX_CLIS")?), name)
    }

    fn find_in(folder: &Path, name: &str) -> Option<PathBuf> {
        let program = folder.join("node_modules/.bin").join(name);
        program.exists().then_some(program)
    }

    fn new(name: &str, place: &Place) -> Self {
        let program = match &place.clis {
            Some(folder) => Self::find_in(folder, name),
            None => Self::find(name),
        };
        let program = program.unwrap_or_else(|| panic!("{name}: begin with `skip_without`"));
        Self {
            program,
            place: place.clone(),
            always: Vec::new(),
            before: Vec::new(),
            after: Vec::new(),
            patience: Duration::from_secs(120),
        }
    }

    fn set(mut self, variables: &[(&str, &str)]) -> Self {
        for (name, value) in variables {
            self.place = self.place.with(name, value);
        }
        self
    }

    fn always(mut self, words: &[&str]) -> Self {
        self.always = owned(words);
        self
    }

    fn words(mut self, before: &[&str], after: &[&str]) -> Self {
        (self.before, self.after) = (owned(before), owned(after));
        self
    }

    /// How long a run may take before it is ended; 120 seconds otherwise.
    #[must_use]
    pub fn within(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// The CLI's home.
    pub fn home(&self) -> &Path {
        &self.place.home
    }

    /// Give it a prompt and wait for its end, without a terminal. The other arguments come after it.
    #[must_use = "say how it must end: `success` or `code`"]
    pub fn prompt<S: AsRef<str>>(&self, prompt: &str, arguments: impl IntoIterator<Item = S>) -> Run {
        let mut command = self.command();
        command.args(&self.before).arg(prompt).args(&self.after);
        command.args(arguments.into_iter().map(|word| word.as_ref().to_owned()));
        process::run(command, self.patience)
    }

    /// Run it with these arguments and nothing else.
    #[must_use = "say how it must end: `success` or `code`"]
    pub fn run<S: AsRef<str>>(&self, arguments: impl IntoIterator<Item = S>) -> Run {
        let mut command = self.command();
        command.args(arguments.into_iter().map(|word| word.as_ref().to_owned()));
        process::run(command, self.patience)
    }

    /// Start it in a terminal.
    pub fn open<S: AsRef<str>>(&self, arguments: impl IntoIterator<Item = S>) -> Terminal {
        self.open_sized(arguments, Size::WIDE)
    }

    /// Start it in a terminal of this size.
    pub fn open_sized<S: AsRef<str>>(&self, arguments: impl IntoIterator<Item = S>, size: Size) -> Terminal {
        let mut command = self.command();
        command.args(arguments.into_iter().map(|word| word.as_ref().to_owned()));
        Terminal::open(&command, size)
    }

    /// Start another program in a terminal with its environment: one that starts it in turn, by its name.
    pub fn open_under(&self, program: &Path, words: &[&str], size: Size) -> Terminal {
        let inner = self.command();
        let mut command = Command::new(program);
        command.args(words).args(inner.get_args()).env_clear().current_dir(&self.place.project);
        command.envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let own = self.program.parent().unwrap_or(Path::new("")).display().to_string();
        command.env("PATH", format!("{own}:{}", self.place.path_with_node()));
        Terminal::open(&command, size)
    }

    /// One more variable in its environment.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.place = self.place.with(name, value);
        self
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(&self.always)
            .env_clear()
            .env("HOME", &self.place.home)
            .env("TMPDIR", self.place.temporary())
            .env("TERM", "xterm-256color")
            .env("LC_ALL", "C.UTF-8")
            .env("SHELL", "/bin/bash")
            .envs(self.place.variables.iter().map(|(name, value)| (name, value)))
            .env("PATH", self.place.path_with_node())
            .current_dir(&self.place.project);
        command
    }
}

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// Where a package that scripts load is installed, if it is.
pub fn package(name: &str) -> Option<PathBuf> {
    let folder = Path::new(&std::env::var_os("SIGNALBOX_CLIS")?).join("node_modules").join(name);
    folder.join("package.json").exists().then_some(folder)
}

/// The `node` that runs CLIs and scripts.
pub fn node() -> PathBuf {
    let machine = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&machine).map(|folder| folder.join("node")).find(|node| node.is_file());
    found.expect("node, which whatever npm installed needs")
}

/// Whether a CLI or a package is missing and the test must end at once. It is said loudly: the test has shown nothing.
#[must_use = "return where it is true"]
pub fn skip_without(name: &str) -> bool {
    if Cli::find(name).or_else(|| package(name)).is_some() {
        return false;
    }
    // Not the macro: what it prints is hidden where a test passes.
    let test = std::thread::current().name().unwrap_or("a test").to_owned();
    let text = format!("SKIPPED: {test}: {name} is not in SIGNALBOX_CLIS; `cargo xtask clis` installs it\n");
    let _ = std::io::stderr().write_all(text.as_bytes());
    true
}
