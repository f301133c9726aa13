//! The daemon watches a GitHub of our own for a real CLI in `sb agent`: what happens there reaches the model, once, in
//! the order of its importance, whoever is killed in between.
//!
//! What arrived is counted in what the scripted model was sent, not in our log.

use std::cell::Cell;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use signalbox_testkit::TestEnv;
use signalbox_testkit::clis::skip_without;
use signalbox_testkit::github::{Github, REPO, TOKEN};
use signalbox_testkit::model::{Gate, Model, Part, Turn};

use crate::support::{Scene, bash, can_type};
use crate::wrapped::{PATIENCE, Wrapped};

const CLAUDE: Row = Row { cli: "claude", scene: Scene::claude, shows: "❯", needs_prompt: false };
const CODEX: Row = Row { cli: "codex", scene: Scene::codex, shows: "›", needs_prompt: true };
const COPILOT: Row = Row { cli: "copilot", scene: Scene::copilot, shows: "❯", needs_prompt: false };

/// The name by which whoever is started again is known.
const NAME: [&str; 2] = ["--name", "ada"];

/// One CLI.
struct Row {
    cli: &'static str,
    scene: fn(&str) -> Scene,
    /// What is seen once somebody can type.
    shows: &'static str,
    /// Whether messages get in only after there was a first prompt.
    needs_prompt: bool,
}

/// A daemon that runs for as long as this lives.
struct Daemon(Child);

impl Daemon {
    fn start(env: &TestEnv) -> Self {
        let mut command = env.command();
        command.args(["up", "--foreground"]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let daemon = Self(command.spawn().expect("start the daemon"));
        let end = Instant::now() + PATIENCE;
        while json_of(env, &["status", "--json"])["daemon"]["pid"] != daemon.0.id() {
            assert!(Instant::now() < end, "the daemon does not answer");
            std::thread::park_timeout(Duration::from_millis(20));
        }
        daemon
    }
}

impl Drop for Daemon {
    /// As hard as can be.
    fn drop(&mut self) {
        kill(self.0.id(), Signal::KILL);
        let _ = self.0.wait();
    }
}

fn kill(process: u32, signal: Signal) {
    let process = i32::try_from(process).ok().and_then(Pid::from_raw).expect("a process");
    // It may have ended.
    let _ = kill_process(process, signal);
}

fn json_of(env: &TestEnv, words: &[&str]) -> Value {
    serde_json::from_str(&env.sb(words).stdout).unwrap_or_default()
}

/// A CLI at work on a branch that has a pull request, and the daemon that watches both.
struct Yard {
    row: &'static Row,
    github: Github,
    pull: u64,
    commits: u64,
    daemon: Option<Daemon>,
    at: Wrapped,
    /// What those heard who sat here before.
    before: Vec<Model>,
}

impl Yard {
    fn open(row: &'static Row) -> Self {
        let github = Github::start();
        let url = github.url();
        let scene =
            (row.scene)(&format!("[monitors.github]\napi_url = \"{url}\"\ntoken = \"{TOKEN}\"\nevery = 1\n"));
        let remote =
            format!("git checkout -q -b topic && git remote add origin https://github.com/{REPO}.git");
        scene.env.bash(&remote).success();
        github.push("topic", &commit(0));
        let pull = github.open("topic", "Add a thing");
        let daemon = Some(Daemon::start(&scene.env));
        let at = Wrapped::start_with(scene, row.cli, &NAME, &[]);
        let mut yard = Self { row, github, pull, commits: 0, daemon, at, before: Vec::new() };
        yard.settle();
        if row.needs_prompt {
            yard.begin();
        }
        yard
    }

    /// Wait until the agent can be told something and is watched.
    #[track_caller]
    fn settle(&self) {
        self.at.terminal.wait_for(self.row.shows, PATIENCE);
        if self.row.cli == "claude" {
            self.at.terminal.wait_until("an empty line to type in", PATIENCE, can_type);
        }
        self.at.wait_ready();
        self.wait_until("a first look", || {
            let rows = json_of(&self.at.scene.env, &["monitor", "list", "--json"]);
            let ours = |row: &&Value| row["agent"] == self.at.agent.as_str() && row["last"].is_string();
            rows.as_array()?.iter().find(ours).map(|_| ())
        });
    }

    fn begin(&mut self) {
        self.at.model.play([Turn::say("the very first answer")]);
        self.at.terminal.submit("the very first");
        self.at.terminal.wait_for("the very first answer", PATIENCE);
        self.at.wait_for("a conversation", |agents| {
            (!agents[0]["sessions"].as_array()?.is_empty()).then_some(())
        });
        self.at.wait_state("idle");
    }

    #[track_caller]
    fn wait_until<T>(&self, what: &str, wanted: impl Fn() -> Option<T>) -> T {
        self.at.wait_until(what, wanted)
    }

    fn kill_daemon(&mut self) {
        self.daemon = None;
    }

    fn start_daemon(&mut self) {
        self.daemon = Some(Daemon::start(&self.at.scene.env));
    }

    /// End the agent by this signal, do something, and start another one in its place.
    fn start_again(mut self, signal: Signal, meanwhile: impl FnOnce(&mut Self)) -> Self {
        kill(self.at.terminal.pid(), signal);
        assert!(self.at.terminal.ends_within(PATIENCE).is_some(), "{}", self.at.terminal.screen());
        meanwhile(&mut self);
        let Self { row, github, pull, commits, daemon, at, mut before } = self;
        let Wrapped { scene, model, terminal, .. } = at;
        drop(terminal);
        before.push(model);
        let at = Wrapped::start_with(scene, row.cli, &NAME, &[]);
        Self { row, github, pull, commits, daemon, at, before }
    }

    /// A check of a new commit turns red. The answer is a word in its log.
    fn turn_red(&mut self) -> String {
        self.commits += 1;
        let (sha, word) = (commit(self.commits), format!("RED{}END", self.commits));
        self.github.push("topic", &sha);
        let log = format!("compiling\nrunning 1 test\nassertion failed: left == right, {word}\n");
        self.github.check_fails(&sha, &format!("build {}", self.commits), "Run the tests", &log);
        word
    }

    /// Wait until the daemon has put something of this kind into an outbox, so many times in all.
    #[track_caller]
    fn wait_announced(&self, kind: &str, count: usize) {
        self.wait_until(&format!("{count} of {kind} announced"), || {
            let events = self.at.scene.events("monitor.announced");
            let ours = events.iter().filter(|event| event["data"]["kind"] == kind).count();
            (ours >= count).then_some(())
        });
    }

    /// Wait until these words reach the model. Some CLIs ask it for something else about them before.
    #[track_caller]
    fn hears(&self, words: &str) {
        self.wait_until(&format!("{words} in the conversation"), || self.arrived(words).map(drop));
    }

    /// When these words were first in the conversation.
    fn arrived(&self, words: &str) -> Option<Instant> {
        let requests = self.at.model.requests();
        let mut said = requests.iter().filter(|request| request.part == Part::Main);
        said.find(|request| request.body.to_string().contains(words)).map(|request| request.at)
    }

    /// How long it took from then until these words were with the model.
    fn took(&self, words: &str, begun: Instant) -> Duration {
        self.arrived(words).map_or(Duration::MAX, |at| at.saturating_duration_since(begun))
    }

    /// How often a text was told, to whomever sat here. A person says one thing more, so that what the model is sent last
    /// holds all that ever reached the agent.
    #[track_caller]
    fn times(&mut self, words: &[&str]) -> Vec<usize> {
        // Whatever is to come twice has the time of a few looks to come.
        let _ = self.github.asked();
        let looks = Cell::new(0);
        self.wait_until("a few looks", || {
            let asked = self.github.asked();
            looks.set(looks.get() + asked.iter().filter(|asked| asked.path.contains("/check-runs")).count());
            (looks.get() >= 3).then_some(())
        });
        self.at.wait_state("idle");
        self.at.model.play([Turn::say("the last answer")]);
        self.at.terminal.submit("LAST prompt of all");
        assert!(self.at.model.sees("LAST prompt of all", PATIENCE), "{}", self.at.terminal.screen());
        let models = self.before.iter().chain([&self.at.model]);
        let heard: Vec<String> =
            models.map(|model| model.conversation().pop().unwrap_or_default().to_string()).collect();
        let count = |words: &str| heard.iter().map(|heard| heard.matches(words).count()).sum();
        words.iter().map(|words| count(words)).collect()
    }
}

/// The number of a commit, as long as they are.
fn commit(number: u64) -> String {
    format!("{number:040x}")
}

/// For whoever measures.
fn tell(what: &str, took: Duration) {
    eprintln!("{what}: {} ms from the event to the model", took.as_millis());
}

/// A red check reaches the model, once, with all that is known of it. The word in its log.
fn hears_once(yard: &mut Yard) -> String {
    yard.at.model.play([Turn::say("first answer"), Turn::say("second answer")]);
    let begun = Instant::now();
    let first = yard.turn_red();
    yard.hears(&first);
    tell(&format!("{}, a red check", yard.row.cli), yard.took(&first, begun));
    let said = &yard.at.model;
    assert!(said.saw("CI failed on topic of octo/hello"));
    assert!(said.saw("Failed: \"build 1\", in the step \"Run the tests\""));
    assert!(said.saw("running 1 test\nassertion failed: left == right, RED1END"));
    yard.at.terminal.wait_for("first answer", PATIENCE);
    first
}

/// The same with another CLI.
fn others_hear_once(row: &'static Row) {
    if skip_without(row.cli) {
        return;
    }
    let mut yard = Yard::open(row);
    let first = hears_once(&mut yard);
    assert_eq!(yard.times(&[&first]), [1]);
}

#[test]
fn codex_is_told_once_what_failed_where_and_how() {
    others_hear_once(&CODEX);
}

#[test]
fn copilot_is_told_once_what_failed_where_and_how() {
    others_hear_once(&COPILOT);
}

#[test]
fn claude_is_told_once_what_failed_where_and_how_and_the_draft_stays() {
    if skip_without("claude") {
        return;
    }
    let mut yard = Yard::open(&CLAUDE);
    let first = hears_once(&mut yard);

    // Somebody has begun to write.
    yard.at.wait_state("idle");
    yard.at.terminal.type_text("half a draft");
    let begun = Instant::now();
    let second = yard.turn_red();
    yard.hears(&second);
    tell("claude, a red check beside a draft", yard.took(&second, begun));
    yard.at.terminal.wait_for("second answer", PATIENCE);
    yard.at.wait_state("idle");
    yard.at.terminal.wait_for("half a draft", PATIENCE);
    assert!(!yard.at.model.saw("half a draft"));
    yard.at.model.play([Turn::say("third answer")]);
    yard.at.terminal.press("!\r");
    yard.at.terminal.wait_for("third answer", PATIENCE);
    assert!(yard.at.model.saw("half a draft!"));
    assert_eq!(yard.times(&[&first, &second, "half a draft"]), [1, 1, 1]);
}

/// Where in what the model was sent last these words stand.
#[track_caller]
fn place(yard: &Yard, words: &str) -> usize {
    let last = yard.at.model.conversation().pop().unwrap_or_default().to_string();
    last.find(words).expect("it was heard")
}

#[test]
fn a_review_overtakes_a_red_check_that_waits_for_claude() {
    if skip_without("claude") {
        return;
    }
    let mut yard = Yard::open(&CLAUDE);
    // Twice: Claude Code can be told between two tools, and when it is done.
    for (round, uses_tool) in [(1, false), (2, true)] {
        let gate = Gate::default();
        let mut turns = vec![Turn::until(&gate)];
        if uses_tool {
            let (tool, input) = bash("ls src");
            turns.push(Turn::call(tool, input));
        }
        turns.extend((0..4).map(|number| Turn::say(format!("answer {round}.{number}"))));
        yard.at.wait_state("idle");
        yard.at.model.play(turns);
        yard.at.terminal.submit(&format!("PROMPT {round}"));
        assert!(gate.is_reached(PATIENCE));
        yard.at.wait_state("working");
        let check = yard.turn_red();
        yard.wait_announced("ci_failure", round);
        let review = format!("Please rename it, {round}.");
        let line = [("src/lib.rs", 1, "this one")];
        yard.github.review(yard.pull, "grace", "CHANGES_REQUESTED", &review, &line);
        yard.wait_announced("pr_review", round);
        let begun = Instant::now();
        gate.open();
        yard.hears(&review);
        yard.hears(&check);
        tell("a review that waited", yard.took(&review, begun));
        tell("a check that waited", yard.took(&check, begun));
        assert_eq!(yard.times(&[&check, &review]), [1, 1]);
        assert!(
            place(&yard, &review) < place(&yard, &check),
            "{:#?}",
            yard.at.scene.events("inject.delivered")
        );
    }
}

#[test]
fn claude_is_told_once_though_the_daemon_is_killed_in_between() {
    if skip_without("claude") {
        return;
    }
    let mut yard = Yard::open(&CLAUDE);
    yard.at.model.play((0..9).map(|number| Turn::say(format!("answer {number}"))).collect::<Vec<_>>());
    // It happens while nobody watches.
    yard.kill_daemon();
    let first = yard.turn_red();
    let begun = Instant::now();
    yard.start_daemon();
    yard.hears(&first);
    tell("a red check of before the daemon was started", yard.took(&first, begun));
    // The daemon dies with its word in the outbox.
    yard.at.wait_state("idle");
    let begun = Instant::now();
    let second = yard.turn_red();
    yard.wait_announced("ci_failure", 2);
    yard.kill_daemon();
    yard.hears(&second);
    tell("a red check, the daemon killed after its word", yard.took(&second, begun));
    yard.start_daemon();
    // It dies at any moment around it.
    let third = yard.turn_red();
    for pause in [300, 700, 1_100] {
        std::thread::park_timeout(Duration::from_millis(pause));
        yard.kill_daemon();
        yard.start_daemon();
    }
    yard.hears(&third);
    assert_eq!(yard.times(&[&first, &second, &third]), [1, 1, 1]);
}

/// What waits while Claude Code is busy is not lost with it.
fn told_to_the_next(signal: Signal) {
    if skip_without("claude") {
        return;
    }
    let mut yard = Yard::open(&CLAUDE);
    let gate = Gate::default();
    yard.at.model.play([Turn::until(&gate), Turn::say("unreached")]);
    yard.at.terminal.submit("PROMPT of the person");
    assert!(gate.is_reached(PATIENCE));
    yard.at.wait_state("working");
    let first = yard.turn_red();
    yard.wait_announced("ci_failure", 1);
    let begun = Instant::now();
    let yard = yard.start_again(signal, |_| {});
    yard.hears(&first);
    tell("what waited for one that ended, told to the next", yard.took(&first, begun));
    yard.settle();
    // It happens while there is no agent.
    let mut second = String::new();
    let mut yard = yard.start_again(signal, |yard| second = yard.turn_red());
    yard.hears(&second);
    assert_eq!(yard.times(&[&first, &second]), [1, 1]);
}

#[test]
fn the_next_claude_is_told_once_what_the_one_before_did_not_hear() {
    told_to_the_next(Signal::TERM);
}

#[test]
fn the_next_claude_is_told_once_though_the_wrapper_was_killed() {
    told_to_the_next(Signal::KILL);
}
