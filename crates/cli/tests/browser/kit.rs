//! A home with a daemon that serves the page, agents in it, and scripts that play a person at a browser.

use std::io::Write;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use signalbox_testkit::TestEnv;
use signalbox_testkit::clis::{node, package};

/// How long anything here may take. Others build on the same machine.
const LONG: Duration = Duration::from_secs(60);
/// How long a whole scenario may take.
const SCENARIO: Duration = Duration::from_secs(240);

const SCRIPTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/browser/scripts");

/// What tests open the page with, if the machine has all of it.
pub struct Tools {
    chromium: PathBuf,
    modules: PathBuf,
}

impl Tools {
    /// What there is; what is missing is said aloud.
    pub fn find() -> Option<Self> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let on_path = |name: &str| {
            std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
        };
        let chromium = on_path("chromium").or_else(|| on_path("chromium-browser"));
        let library = package("playwright-core").filter(|_| package("axe-core").is_some());
        let modules = library.and_then(|library| library.parent().map(Path::to_owned));
        match (chromium, modules, on_path("node")) {
            (Some(chromium), Some(modules), Some(_)) => Some(Self { chromium, modules }),
            (chromium, modules, node) => {
                let missing: Vec<&str> = [
                    ("chromium (`apt-get install chromium`)", chromium.is_none()),
                    (
                        "playwright-core and axe-core in SIGNALBOX_CLIS (`cargo xtask clis`)",
                        modules.is_none(),
                    ),
                    ("node", node.is_none()),
                ]
                .into_iter()
                .filter_map(|(what, is_missing)| is_missing.then_some(what))
                .collect();
                // Not the macro: what it prints is hidden where a test passes.
                let test = std::thread::current().name().unwrap_or("a test").to_owned();
                let text =
                    format!("SKIPPED: {test}: not tested in a browser without {}\n", missing.join(", "));
                let _ = std::io::stderr().write_all(text.as_bytes());
                None
            }
        }
    }
}

/// Everything that a scenario plays in.
pub struct World {
    pub env: TestEnv,
    tools: Tools,
    daemon: Option<Running>,
    agents: Vec<Running>,
}

impl World {
    /// A project `shop`, and the daemon; nothing where there is no browser.
    pub fn new() -> Option<Self> {
        let tools = Tools::find()?;
        Some(Self::with(TestEnv::new(env!("CARGO_BIN_EXE_sb")), tools))
    }

    /// The daemon in a home that is there already.
    pub fn with(env: TestEnv, tools: Tools) -> Self {
        let path = env.home().join("config.toml");
        let config = format!("{}\n[web]\nport = 0\n", env.read(&path));
        env.write(path, config);
        let mut world = Self { env, tools, daemon: None, agents: Vec::new() };
        world.start_daemon();
        world
    }

    /// Start the daemon, after the one before it has ended.
    pub fn start_daemon(&mut self) {
        self.daemon = None;
        let daemon = Running::start(self.env.command().args(["up", "--foreground"]));
        self.daemon = Some(daemon);
        let socket = self.env.home().join("run/daemon.sock");
        eventually("the daemon to answer", || UnixStream::connect(&socket).is_ok());
    }

    /// The daemon's process.
    pub fn daemon(&self) -> u32 {
        self.daemon.as_ref().map_or(0, |daemon| daemon.0.id())
    }

    /// A puppet with this script, that anybody may attach to.
    pub fn puppet(&mut self, name: &str, script: &Value, options: &[&str]) {
        let path = self.env.root().join(format!("{name}.script.json"));
        self.env.write(&path, script.to_string());
        let mut command = self.env.command();
        command.args(["agent", "puppet", "--headless", "--name", name]).args(options);
        command.args(["--", "--script"]).arg(path).env("TERM", "xterm-256color");
        self.agent(name, &mut command);
    }

    /// Any program as an agent.
    pub fn program(&mut self, name: &str, words: &[&str]) {
        let mut command = self.env.command();
        command.args(["agent", "--headless", "--name", name, "--"]).args(words).env("TERM", "xterm-256color");
        self.agent(name, &mut command);
    }

    fn agent(&mut self, name: &str, command: &mut Command) {
        self.agents.push(Running::start(command));
        eventually("the agent to run", || {
            let listed = self.env.sb(["agents", "--all", "--json"]).stdout;
            let rows: Value = serde_json::from_str(&listed).unwrap_or_default();
            rows.as_array().into_iter().flatten().any(|row| row["name"] == name)
        });
    }

    /// Play a scenario, which must come to its end without any trouble in the browser. What it found.
    #[track_caller]
    pub fn play(&self, scenario: &str, given: Value) -> Value {
        let mut all = json!({ "modules": self.tools.modules, "chromium": self.tools.chromium, "daemon": self.daemon() });
        if let (Some(all), Value::Object(given)) = (all.as_object_mut(), given) {
            all.extend(given);
        }
        let file = self.env.root().join(format!("{scenario}.given.json"));
        self.env.write(&file, all.to_string());
        let mut command = Command::new(node());
        self.env.prepare(&mut command);
        command.arg(Path::new(SCRIPTS).join(format!("{scenario}.mjs"))).arg(file);
        // A browser that is lost must not be waited for.
        let mut limited = Command::new("timeout");
        limited.args(["--kill-after=5", &SCENARIO.as_secs().to_string()]).arg(command.get_program());
        limited.args(command.get_args()).env_clear();
        limited.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        limited.current_dir(self.env.project());
        let run = self.env.run(limited).success();
        let said: Value =
            serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{scenario}: {error}:\n{run}"));
        if let Some(failure) = said["failure"].as_str() {
            panic!("{scenario}: {failure}\ntroubles: {:#}", said["troubles"]);
        }
        assert_eq!(said["troubles"], json!([]), "{scenario}");
        said["found"].clone()
    }
}

/// A process that is ended when this is dropped.
struct Running(Child);

impl Running {
    fn start(command: &mut Command) -> Self {
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        Self(command.spawn().expect("start sb"))
    }

    fn signal(&self, signal: Signal) {
        let pid = i32::try_from(self.0.id()).ok().and_then(Pid::from_raw).expect("a process");
        let _ = kill_process(pid, signal);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // An agent ends its program; only then may it be killed.
        self.signal(Signal::TERM);
        let begun = Instant::now();
        while !matches!(self.0.try_wait(), Ok(Some(_))) && begun.elapsed() < Duration::from_secs(10) {
            std::thread::park_timeout(Duration::from_millis(20));
        }
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Wait until it is so.
#[track_caller]
pub fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < LONG, "waited in vain for {what}");
        std::thread::park_timeout(Duration::from_millis(50));
    }
}
