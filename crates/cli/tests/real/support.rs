//! What these tests share: a repository with the hooks installed, a CLI that makes given calls in it, and the rows of
//! the published table.

use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use signalbox_testkit::clis::{Cli, Place};
use signalbox_testkit::model::{Model, Script, ToolResult, Turn};
use signalbox_testkit::{Run, TestEnv, quote};

/// Session ids that tests choose.
pub const FIRST: &str = "11111111-2222-4333-8444-555555555555";
pub const SECOND: &str = "22222222-3333-4444-8555-666666666666";

/// Discussion is the mode that sessions start in.
pub const DISCUSSION: &str = "[mode]\ndefault = \"discussion\"\n";

/// Nothing is asked: whatever stops a tool is the hook.
pub const BYPASS: [&str; 2] = ["--permission-mode", "bypassPermissions"];

/// How a CLI is started.
type Start = fn(&Place, &Model) -> Cli;

/// A repository, a home of `sb`, and one CLI with the hooks installed.
pub struct Scene {
    pub env: TestEnv,
    pub cli: &'static str,
    /// Where the CLI runs, as the kernel names it.
    pub folder: PathBuf,
    start: Start,
    variables: Vec<(String, String)>,
}

impl Scene {
    pub fn claude(config: &str) -> Self {
        Self::new("claude", Cli::claude, config, &[])
    }

    /// Claude Code without the hooks.
    pub fn claude_alone(config: &str) -> Self {
        Self::without_hooks(TestEnv::new(env!("CARGO_BIN_EXE_sb")), "claude", Cli::claude, config)
    }

    pub fn codex(config: &str) -> Self {
        Self::new("codex", Cli::codex, config, &["--trust"])
    }

    pub fn gemini(config: &str) -> Self {
        Self::new("gemini", Cli::gemini, config, &[])
    }

    pub fn goose(config: &str) -> Self {
        Self::new("goose", Cli::goose, config, &[])
    }

    /// Goose that asks before each tool.
    pub fn goose_asking(config: &str) -> Self {
        Self::new("goose", Cli::goose_asking, config, &[])
    }

    pub fn copilot(config: &str) -> Self {
        Self::new("copilot", Cli::copilot, config, &[])
    }

    /// `config` is added to `config.toml`.
    fn new(cli: &'static str, start: Start, config: &str, install: &[&str]) -> Self {
        let scene = Self::without_hooks(TestEnv::new(env!("CARGO_BIN_EXE_sb")), cli, start, config);
        scene.install(install).success();
        scene
    }

    /// All but the hooks.
    pub fn without_hooks(env: TestEnv, cli: &'static str, start: Start, config: &str) -> Self {
        let path = env.home().join("config.toml");
        let known = env.read(&path);
        env.write(&path, format!("{known}\n{config}"));
        let folder = env.project().canonicalize().expect("the project's folder");
        let scene = Self { env, cli, folder, start, variables: Vec::new() };
        for (name, text) in FILES {
            scene.write(name, text);
        }
        let commit = "git init -q -b main . && git config user.name Ada && git config user.email ada@example.org \
                      && git add -A && git commit -q -m 'The first'";
        scene.env.bash(commit).success();
        // A login shell, as Codex starts it, has a path of its own.
        let bin = scene.env.program().parent().expect("the program's folder");
        scene
            .env
            .write(scene.env.root().join(".profile"), format!("export PATH={}:$PATH\n", quote(text(bin))));
        // A CLI that finds its own settings leaves them as they are, so it must have written them before the hooks are
        // merged in.
        drop(scene.start(&Model::start([])));
        scene
    }

    pub fn install(&self, more: &[&str]) -> Run {
        let words = ["hooks", "install", "--cli", self.cli, "--yes"].into_iter().chain(more.iter().copied());
        self.env.sb(words)
    }

    /// The CLI, ready to run.
    pub fn start(&self, model: &Model) -> Cli {
        let bin = self.env.program().parent().expect("the program's folder").display();
        let path = format!("{bin}:/usr/local/bin:/usr/bin:/bin");
        let mut place = Place::new(self.env.root(), &self.folder, &path);
        place = place.with("SIGNALBOX_HOME", text(&self.env.home()));
        for (name, value) in &self.variables {
            place = place.with(name, value);
        }
        (self.start)(&place, model)
    }

    /// One more variable in the environment of the CLI.
    pub fn set(&mut self, name: &str, value: &str) {
        self.variables.push((name.to_owned(), value.to_owned()));
    }

    /// A path where the CLI runs, as text.
    pub fn at(&self, name: &str) -> String {
        text(&self.folder.join(name)).to_owned()
    }

    pub fn write(&self, name: &str, text: &str) {
        let path = self.env.project().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("make a folder");
        self.env.write(path, text);
    }

    /// A file where the CLI runs; `None` where it does not exist.
    pub fn read(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.folder.join(name)).ok()
    }

    /// One prompt without a terminal.
    pub fn talk(&self, script: impl Into<Script>, prompt: &str, arguments: &[&str]) -> Talk {
        let model = Model::start(script);
        let run = self.start(&model).prompt(prompt, arguments);
        Talk { model, run }
    }

    /// One prompt, in answer to which the model makes these calls, one after the other. What became of each.
    #[track_caller]
    pub fn calls(&self, calls: &[(&str, Value)], arguments: &[&str]) -> Vec<ToolResult> {
        let turns: Vec<Turn> = calls.iter().map(|(tool, input)| Turn::call(tool, input.clone())).collect();
        let talk = self.talk(turns, "PROMPT of the test", arguments);
        let results = talk.model.tool_results();
        assert_eq!(results.len(), calls.len(), "{}\n{results:#?}", talk.run);
        let run = talk.run.success();
        drop(run);
        results
    }

    /// Every event in the log with such a name, the oldest first.
    pub fn events(&self, name: &str) -> Vec<Value> {
        let run = self.env.sb(["log", "--event", name, "-n", "100000", "--json"]).success();
        run.stdout.lines().map(|line| serde_json::from_str(line).expect("an event")).collect()
    }

    /// Every session that is remembered.
    pub fn sessions(&self) -> Vec<Value> {
        let run = self.env.sb(["session", "list", "--all", "--json"]).success();
        serde_json::from_str(&run.stdout).expect("a list")
    }

    pub fn status(&self, ticket: &str) -> String {
        let run = self.env.sb(["show", ticket, "--json"]).success();
        let ticket: Value = serde_json::from_str(&run.stdout).expect("a ticket");
        ticket["status"].as_str().expect("a status").to_owned()
    }

    /// A doer on the branch `work`, in a worktree of its own, prepared before it starts.
    pub fn prepare_doer(&mut self, session: &str, ticket: &str) {
        self.make_worktree();
        self.make_doer(session, ticket);
    }

    /// Go into a worktree with the branch `work`.
    pub fn make_worktree(&mut self) {
        self.env.bash("[ -d ../tree ] || git worktree add -q ../tree -b work").success();
        self.folder = self.env.root().join("tree").canonicalize().expect("the worktree");
    }

    pub fn make_doer(&self, session: &str, ticket: &str) {
        let words =
            ["session", "set", "--session", session, "--role", "doer", "--worktree", text(&self.folder)];
        let words = words.into_iter().chain(["--branch", "work", "--ticket", ticket]);
        self.env.sb(words).success().says("is a doer now");
    }

    /// Have Claude Code take a folder for trusted, so that it asks nothing in a terminal.
    pub fn trust(&self, folder: &Path) {
        let path = self.env.root().join(".claude.json");
        let mut state: Value = serde_json::from_str(&self.env.read(&path)).expect("its state");
        state["projects"][text(folder)]["hasTrustDialogAccepted"] = json!(true);
        self.env.write(path, state.to_string());
    }

    /// Put what was found into the published table.
    pub fn found(&self, what: &str, outcome: Outcome) {
        let Some(path) = std::env::var_os("SIGNALBOX_MATRIX") else { return };
        let row = json!({
            "cli": self.cli, "version": version(self.cli), "what": what, "outcome": outcome.word(),
        });
        let mut file = std::fs::OpenOptions::new().append(true).create(true).open(path).expect("the table");
        // One write: other tests write to it too.
        file.write_all(format!("{row}\n").as_bytes()).expect("write a row");
    }
}

pub fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// What a repository has to begin with.
const FILES: &[(&str, &str)] = &[
    ("src/lib.rs", "pub fn limit() -> u32 { 3 }\n"),
    ("tests/api.rs", "#[test]\nfn holds() {}\n"),
    (
        "book.ipynb",
        r#"{"cells":[{"cell_type":"code","id":"one","metadata":{},"source":["1"],"outputs":[],"execution_count":null}],"metadata":{"language_info":{"name":"python"}},"nbformat":4,"nbformat_minor":5}"#,
    ),
];

/// What became of a rule, in the words of the published table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// `sb` itself refuses, however it is reached.
    Blocked,
    /// The hook refuses, and the CLI heeds it.
    Warned,
    /// It happens, and is in the log.
    Recorded,
    /// Not a rule: it does what it should.
    Works,
    NotPossible,
}

impl Outcome {
    fn word(self) -> &'static str {
        match self {
            Self::Blocked => "blocked",
            Self::Warned => "warned",
            Self::Recorded => "recorded",
            Self::Works => "works",
            Self::NotPossible => "not possible",
        }
    }
}

/// The version that was installed, as `cargo xtask clis` notes it.
fn version(cli: &str) -> String {
    let folder = std::env::var_os("SIGNALBOX_CLIS").unwrap_or_default();
    std::fs::read_to_string(Path::new(&folder).join("installed").join(cli))
        .unwrap_or_default()
        .trim()
        .to_owned()
}

/// A finished conversation.
pub struct Talk {
    pub model: Model,
    pub run: Run,
}

/// Whether Signalbox refused the call, with this rule and a reason that reached the model.
#[track_caller]
pub fn refused(result: &ToolResult, rule: &str) {
    let words = format!("(rule: {rule})");
    assert!(
        result.text.contains("Signalbox refused this") && result.text.contains(&words),
        "not refused by {rule}: {result:?}"
    );
}

#[track_caller]
pub fn passed(result: &ToolResult) {
    assert!(!result.is_error && !result.text.contains("Signalbox"), "{result:?}");
}

pub fn bash(line: &str) -> (&'static str, Value) {
    ("Bash", json!({ "command": line, "description": "d" }))
}

/// The configuration of an MCP server with two tools: `run` runs `sb` with these words, `put` writes a file.
pub fn mcp(scene: &Scene) -> String {
    let path = scene.env.root().join("mcp.sh");
    scene.env.write(&path, MCP);
    json!({ "mcpServers": { "box": { "type": "stdio", "command": "/bin/bash", "args": [text(&path)] } } })
        .to_string()
}

/// A line in, a line out. The id is the last field of a request.
const MCP: &str = r#"
field() { sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p" <<<"$line"; }
while IFS= read -r line; do
  id=$(sed -n 's/.*"id":\([0-9]*\).*/\1/p' <<<"$line")
  [ -n "$id" ] || continue
  case $line in
    *'"method":"initialize"'*)
      result='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"box","version":"1"}}';;
    *'"method":"tools/list"'*)
      result='{"tools":[{"name":"run","description":"d","inputSchema":{"type":"object"}},{"name":"put","description":"d","inputSchema":{"type":"object"}}]}';;
    *'"method":"tools/call"'*)
      failed=false
      case $line in
        *'"name":"run"'*) said=$(sb $(field words) 2>&1) || failed=true;;
        *) said=$(echo put > "$(field path)" 2>&1) || failed=true;;
      esac
      said=$(tr -d '"\\\n' <<<"$said")
      result="{\"content\":[{\"type\":\"text\",\"text\":\"ran: $said\"}],\"isError\":$failed}";;
    *) result='{}';;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
"#;

/// Whether one of these requests holds what `sb context --json` says to this session.
pub fn knows_itself(requests: &[String], session: &str) -> bool {
    let said = [format!("\\\"session\\\":\\\"{session}\\\""), format!("\\\"session\\\": \\\"{session}\\\"")];
    requests.iter().any(|body| said.iter().any(|said| body.contains(said)))
}

/// Whether the line in which a person types to Claude Code is there and empty.
pub fn can_type(screen: &str) -> bool {
    screen.lines().rfind(|line| line.starts_with('❯')).is_some_and(|line| line.trim() == "❯")
}
