//! A repository with a contract, a script for its agents, and `sb run` over it; and what can be known of it from outside.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use signalbox_testkit::{Run, TestEnv};

/// How long anything here may take. Others build on the same machine.
const LONG: Duration = Duration::from_secs(60);

/// Every file in `src` must end in `ok`; every script in `tests` must pass.
pub const CHECK: &str = "for f in src/*; do tail -n1 \"$f\" | grep -qx ok || exit 1; done; \
                         for t in tests/*.sh; do sh \"$t\" || exit 1; done";

/// The contract of most tests here: puppets in every role, short times, one step.
pub fn contract() -> String {
    format!(
        "tests = [\"tests/**\"]\n\
         [run]\nconcurrency = 3\nattempts = 3\nstall = \"6s\"\nbackoff = \"1s\"\n\
         [roles.doer]\ndriver = \"puppet\"\n[roles.test-writer]\ndriver = \"puppet\"\n\
         [roles.reviewer]\ndriver = \"puppet\"\n\
         [validate]\nretry_flaky = false\nsteps = [{{ name = \"test\", run = {}, time = \"20s\" }}]\n",
        toml_text(CHECK)
    )
}

/// A text as TOML takes it.
pub fn toml_text(text: &str) -> String {
    format!("'''{text}'''")
}

/// A person's repository, registered as `shop`, with a contract that they trust.
pub struct Shop {
    pub env: TestEnv,
}

impl Shop {
    pub fn new() -> Self {
        Self::with(&contract())
    }

    /// With this contract.
    pub fn with(contract: &str) -> Self {
        let shop = Self { env: TestEnv::empty(env!("CARGO_BIN_EXE_sb")) };
        let project = shop.env.project();
        for folder in ["src", "tests", ".signalbox"] {
            std::fs::create_dir_all(project.join(folder)).expect("make a folder");
        }
        shop.git(&["init", "-q", "-b", "main"]);
        shop.env.write(project.join("src/first"), "the first\nok\n");
        shop.env.write(project.join("src/shared"), "nobody\nok\n");
        shop.env.write(project.join("tests/first.sh"), "grep -q first src/first\n");
        shop.env.write(project.join(".signalbox/project.toml"), contract);
        shop.commit("Begin");
        shop.env.sb(["init", "--name", "shop"]).success();
        shop.env.sb(["trust", "--yes"]).success();
        shop.env.sb(["hooks", "install", "--cli", "puppet", "--yes"]).success();
        shop
    }

    /// What agents do: by words of the prompt that they begin with, a line of shell for each step.
    pub fn script(&mut self, scenes: &[(&str, Vec<Value>)]) {
        let prompts: Vec<Value> =
            scenes.iter().map(|(words, steps)| json!({ "match": words, "steps": steps })).collect();
        let path = self.env.root().join("script.json");
        let otherwise = json!([{ "say": "I do not know what to do." }, { "crash": 3 }]);
        self.env.write(&path, json!({ "prompts": prompts, "otherwise": otherwise }).to_string());
        self.env.set("PUPPET_SCRIPT", path.to_str().expect("UTF-8"));
    }

    /// Git in the person's checkout, as they would run it.
    #[track_caller]
    pub fn git(&self, words: &[&str]) -> String {
        self.git_in(&self.env.project(), words)
    }

    #[track_caller]
    pub fn git_in(&self, directory: &Path, words: &[&str]) -> String {
        let mut command = Command::new("git");
        self.env.prepare(&mut command);
        command.env("GIT_CONFIG_NOSYSTEM", "1").current_dir(directory);
        // Whoever only looks must not take the lock that an agent's commit needs.
        command.env("GIT_OPTIONAL_LOCKS", "0");
        command.args(["-c", "user.name=Pat", "-c", "user.email=pat@example.com", "-c", "gc.auto=0"]);
        command.args(words);
        self.env.run(command).success().stdout.trim_end().to_owned()
    }

    /// Commit everything in the checkout, as the person. The commit.
    #[track_caller]
    pub fn commit(&self, message: &str) -> String {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", message]);
        self.git(&["rev-parse", "HEAD"])
    }

    /// Git in Signalbox's own repository.
    #[track_caller]
    pub fn ours(&self, words: &[&str]) -> String {
        self.git_in(&self.env.home().join("integration/shop.git"), words)
    }

    /// File a ticket `area/slug` that needs no tests, or with `more` words of `sb new`.
    #[track_caller]
    pub fn ticket(&self, branch: &str, more: &[&str]) -> String {
        let (area, slug) = branch.split_once('/').expect("area/slug");
        let words = ["new", "--area", area, "--slug", slug, &format!("Do {slug}")].map(str::to_owned);
        let words = words.into_iter().chain(more.iter().map(|word| (*word).to_owned()));
        self.env.sb(words).success().stdout.trim().to_owned()
    }

    /// Take everything as far as it goes without a person.
    #[track_caller]
    pub fn run(&self) -> Run {
        self.begin(&["run", "--until-idle"]).end()
    }

    /// `sb` with these words, at work beside the test.
    pub fn begin(&self, words: &[&str]) -> Loop {
        let mut command = self.env.command();
        let (out, err) = (self.env.root().join("loop.out"), self.env.root().join("loop.err"));
        let file = |path: &Path| {
            self.env.write(path, "");
            std::fs::OpenOptions::new().append(true).open(path).expect("a file")
        };
        command.args(words).stdin(Stdio::null()).stdout(file(&out)).stderr(file(&err));
        let child = command.spawn().expect("start sb");
        Loop { child, out, err, what: format!("sb {}", words.join(" ")) }
    }

    /// A ticket as `sb show --json` has it.
    #[track_caller]
    pub fn show(&self, id: &str) -> Value {
        self.json(&["show", id, "--json"])
    }

    #[track_caller]
    pub fn json(&self, words: &[&str]) -> Value {
        let run = self.env.sb(words).success();
        serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{}: {error}:\n{run}", run.what))
    }

    pub fn status(&self, id: &str) -> String {
        self.show(id)["status"].as_str().unwrap_or_default().to_owned()
    }

    /// How each attempt at a ticket ended: role, outcome and what failed.
    pub fn attempts(&self, id: &str) -> Vec<(String, String, String)> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let shown = self.show(id);
        let attempts = shown["attempt_reports"].as_array().cloned().unwrap_or_default();
        attempts
            .iter()
            .map(|one| (text(&one["role"]), text(&one["outcome"]), text(&one["failure"])))
            .collect()
    }

    /// The questions that wait for an answer, by the ticket they are about.
    pub fn questions(&self) -> BTreeMap<String, Value> {
        let listed = self.json(&["esc", "list", "--json"]);
        let all = listed.as_array().cloned().unwrap_or_default();
        all.into_iter().map(|one| (one["ticket"].as_str().unwrap_or_default().to_owned(), one)).collect()
    }

    /// Answer the question about a ticket.
    #[track_caller]
    pub fn answer(&self, ticket: &str, words: &str) {
        let questions = self.questions();
        let question =
            questions.get(ticket).unwrap_or_else(|| panic!("no question about {ticket}: {questions:?}"));
        self.env.sb(["esc", "answer", question["id"].as_str().expect("an id"), words]).success();
    }

    /// Where main is, ours.
    pub fn main(&self) -> String {
        self.ours(&["rev-parse", "refs/heads/main"])
    }

    /// The files of a commit of ours, with what they hold.
    pub fn files_at(&self, commit: &str) -> BTreeMap<String, String> {
        let names = self.ours(&["ls-tree", "-r", "--name-only", commit]);
        let read = |name: &str| self.ours(&["cat-file", "-p", &format!("{commit}:{name}")]);
        names.lines().map(|name| (name.to_owned(), read(name))).collect()
    }

    /// Where a ticket is worked on.
    pub fn workspace(&self, branch: &str) -> PathBuf {
        self.env.root().join("hóme of sb-workspaces/shop").join(branch.replace('/', "-"))
    }

    /// The records of the agents of a branch, the oldest first.
    pub fn agents(&self, branch: &str) -> Vec<Value> {
        // Files come and go while agents run.
        let entries = std::fs::read_dir(self.env.home().join("agents")).into_iter().flatten().flatten();
        let read = |path: PathBuf| serde_json::from_slice::<Value>(&std::fs::read(path).ok()?).ok();
        let records = entries.filter_map(|entry| read(entry.path()));
        let mut records: Vec<Value> = records.filter(|record| record["branch"] == branch).collect();
        records.sort_by_key(|record| record["started"].as_str().unwrap_or_default().to_owned());
        records
    }

    /// The name and the data of every event in the log.
    pub fn events(&self) -> Vec<(String, Value)> {
        let files = self.env.files_below(self.env.home().join("events"));
        let mut events = Vec::new();
        for (_, bytes) in files.iter().filter(|(path, _)| path.extension().is_some_and(|end| end == "jsonl"))
        {
            for line in String::from_utf8_lossy(bytes).lines() {
                let Ok(event) = serde_json::from_str::<Value>(line) else { continue };
                events.push((event["event"].as_str().unwrap_or_default().to_owned(), event));
            }
        }
        events
    }

    /// What agents said that could not begin, and the end of what the others printed.
    fn complaints(&self) -> String {
        let logs = self.env.files_below(self.env.home().join("logs"));
        let mut told = String::new();
        for (path, bytes) in logs {
            let text = String::from_utf8_lossy(&bytes);
            let from = text.char_indices().rev().nth(600).map_or(0, |(at, _)| at);
            told.push_str(&format!("--- {}\n{}\n", path.display(), &text[from..]));
        }
        told
    }

    /// All that a person sees of their checkout: every file, the index, where HEAD and their branches are.
    pub fn checkout(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let project = self.env.project();
        let git = project.join(".git");
        let theirs = |path: &Path| {
            !path.starts_with(&git)
                || path == git.join("HEAD")
                || path == git.join("index")
                || path.starts_with(git.join("refs/heads"))
        };
        self.env.files_below(&project).into_iter().filter(|(path, _)| theirs(path)).collect()
    }

    /// Main is a line of commits from where the person began, each of which passes what validates it.
    #[track_caller]
    pub fn assert_main_is_linear_and_green(&self, from: &str) {
        let parents = self.ours(&["rev-list", "--parents", "--reverse", &format!("{from}..refs/heads/main")]);
        let mut last = from.to_owned();
        for line in parents.lines() {
            let (commit, parent) = line.split_once(' ').expect("a commit with one parent");
            assert_eq!(parent, last, "main is not a line at {commit}");
            last = commit.to_owned();
            self.assert_green(commit);
        }
        assert_eq!(last, self.main());
    }

    #[track_caller]
    fn assert_green(&self, commit: &str) {
        let folder = tempfile::tempdir().expect("a folder");
        let archive = folder.path().join("tree.tar");
        self.ours(&["archive", "-o", archive.to_str().expect("UTF-8"), commit]);
        let mut command = Command::new("sh");
        self.env.prepare(&mut command);
        let line = format!("tar xf tree.tar && rm tree.tar && {CHECK}");
        command.current_dir(folder.path()).args(["-c", &line]);
        self.env.run(command).success();
    }
}

impl Drop for Shop {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("{}", self.complaints());
        }
    }
}

/// `sb run` as a process of its own.
pub struct Loop {
    pub child: Child,
    out: PathBuf,
    err: PathBuf,
    what: String,
}

impl Loop {
    /// What it has said so far.
    pub fn said(&self) -> String {
        let mut text = String::new();
        for path in [&self.out, &self.err] {
            let mut bytes = Vec::new();
            std::fs::File::open(path).expect("its output").read_to_end(&mut bytes).expect("its output");
            text.push_str(&String::from_utf8_lossy(&bytes));
        }
        text
    }

    /// Wait for its end.
    #[track_caller]
    pub fn end(mut self) -> Run {
        eventually("the end of the loop", || self.child.try_wait().expect("wait").is_some());
        let status = self.child.wait().expect("wait");
        let (stdout, stderr) = (self.read(&self.out), self.read(&self.err));
        Run { stdout, stderr, code: status.code(), what: self.what.clone() }
    }

    fn read(&self, path: &Path) -> String {
        String::from_utf8_lossy(&std::fs::read(path).expect("its output")).into_owned()
    }

    /// As Ctrl-C does.
    pub fn interrupt(&self) {
        signal(self.child.id(), rustix::process::Signal::INT);
    }

    pub fn kill(&self) {
        kill(self.child.id());
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("{} said:\n{}", self.what, self.said());
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Kill a process that this test started, or that was started for it.
pub fn kill(pid: u32) {
    signal(pid, rustix::process::Signal::KILL);
}

fn signal(pid: u32, signal: rustix::process::Signal) {
    let pid = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw).expect("a process");
    let _ = rustix::process::kill_process(pid, signal);
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

/// The steps of an agent.
pub mod play {
    use serde_json::{Value, json};

    /// Really run a line of shell.
    pub fn sh(line: &str) -> Value {
        json!({ "tool": { "input": { "command": line }, "run": true } })
    }

    /// Write a file.
    pub fn write(path: &str, content: &str) -> Value {
        json!({ "tool": { "name": "Write", "input": { "file_path": path, "content": content }, "run": true } })
    }

    /// Commit everything.
    pub fn commit() -> Value {
        sh("git add -A && git commit -q -m work")
    }

    pub fn submit() -> Value {
        sh("sb submit -m done")
    }

    /// End, as a person ends it who has seen enough.
    pub fn end() -> Value {
        json!({ "crash": 1 })
    }

    /// Write one file, commit it, hand it in, end.
    pub fn does(path: &str, content: &str) -> Vec<Value> {
        vec![write(path, content), commit(), submit(), json!({ "think": 100 }), end()]
    }
}
