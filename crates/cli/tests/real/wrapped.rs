//! A real CLI in a terminal, run by `sb agent`.

use std::time::{Duration, Instant};

use serde_json::Value;
use signalbox_testkit::Run;
use signalbox_testkit::clis::{Size, Terminal};
use signalbox_testkit::model::Model;

use crate::support::Scene;

pub const PATIENCE: Duration = Duration::from_secs(60);

/// Between two looks at what only a command can tell.
const MOMENT: Duration = Duration::from_millis(50);

pub struct Wrapped {
    pub scene: Scene,
    pub model: Model,
    pub terminal: Terminal,
    pub agent: String,
}

impl Wrapped {
    pub fn start(scene: Scene, cli: &str, arguments: &[&str]) -> Self {
        Self::start_with(scene, cli, &[], arguments)
    }

    /// With options of `sb agent` itself, and arguments of the CLI.
    pub fn start_with(scene: Scene, cli: &str, options: &[&str], arguments: &[&str]) -> Self {
        let model = Model::start([]);
        let started = scene.start(&model);
        let mut words = vec!["agent", cli];
        words.extend(options.iter().chain(&["--"]).chain(arguments));
        let terminal = started.open_under(scene.env.program(), &words, Size::WIDE);
        let mut wrapped = Self { scene, model, terminal, agent: String::new() };
        wrapped.agent = wrapped
            .wait_for("an agent", |agents| agents.as_array()?.first()?["id"].as_str().map(ToOwned::to_owned));
        wrapped
    }

    /// Wait until it is idle and loses no key any more: while they load, Codex loses an Enter and Gemini all.
    pub fn wait_ready(&self) {
        self.wait_state("idle");
        match self.scene.cli {
            "codex" => self.terminal.wait_gone("loading", PATIENCE),
            "gemini" => self.terminal.wait_for("Type your message", PATIENCE),
            _ => {}
        }
    }

    /// Wait until `sb agents` says what is wanted.
    #[track_caller]
    pub fn wait_for<T>(&self, what: &str, wanted: impl Fn(&Value) -> Option<T>) -> T {
        self.wait_until(what, || {
            let agents = self.scene.env.sb(["agents", "--json"]).success();
            serde_json::from_str(&agents.stdout).ok().and_then(|agents| wanted(&agents))
        })
    }

    /// Wait until there is what is wanted.
    #[track_caller]
    pub fn wait_until<T>(&self, what: &str, wanted: impl Fn() -> Option<T>) -> T {
        let end = Instant::now() + PATIENCE;
        loop {
            if let Some(found) = wanted() {
                return found;
            }
            let agents = || self.scene.env.sb(["agents", "--json"]).to_string();
            assert!(Instant::now() < end, "there is not {what}: {}\n{}", agents(), self.terminal.screen());
            std::thread::park_timeout(MOMENT);
        }
    }

    #[track_caller]
    pub fn wait_state(&self, state: &str) {
        self.wait_for(state, |agents| (agents[0]["state"] == state).then_some(()));
    }

    /// Say something to it, and wait for the last receipt.
    pub fn tell(&self, text: &str) -> Run {
        self.scene.env.sb(["inject", &self.agent, "--wait", "60s", text])
    }

    /// How often a text reached the model in what it was sent last.
    pub fn times(&self, text: &str) -> usize {
        let last = self.model.conversation().pop().unwrap_or_default().to_string();
        last.matches(text).count()
    }
}
