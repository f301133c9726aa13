//! The Claude Code plugin, loaded by the real Claude Code on a scripted model: hooks, agents, commands and MCP tools come
//! from one folder, with nothing installed anywhere else.
#![expect(clippy::expect_used, reason = "tests fail by panicking")]

use std::path::PathBuf;

use serde_json::{Value, json};
use signalbox_drivers::claude;
use signalbox_testkit::clis::{Cli, Place, skip_without};
use signalbox_testkit::model::{Model, Script, Turn};
use signalbox_testkit::{TestEnv, quote};

/// A session id that the tests choose.
const SESSION: &str = "11111111-2222-4333-8444-555555555555";
/// Nothing is asked: whatever stops a tool is the hook.
const BYPASS: [&str; 4] = ["--permission-mode", "bypassPermissions", "--session-id", SESSION];

/// A project, a home of `sb`, and the plugin in a folder of its own. `sb` itself is on nobody's `PATH`.
struct Scene {
    env: TestEnv,
}

impl Scene {
    /// `config` is added to `config.toml`.
    fn new(config: &str) -> Self {
        let scene = Self { env: TestEnv::new(env!("CARGO_BIN_EXE_sb")) };
        let path = scene.env.home().join("config.toml");
        scene.env.write(&path, format!("{}\n{config}", scene.env.read(&path)));
        let parts = claude::PluginParts {
            sb: "${CLAUDE_PLUGIN_ROOT}/bin/sb",
            version: env!("CARGO_PKG_VERSION"),
            agents: claude::AGENTS,
            mcp: claude::MCP,
        };
        for file in claude::plugin(&parts) {
            scene.write(&format!("market/sb/{}", file.path), &file.text);
        }
        let marketplace = claude::marketplace("sb");
        scene.write(&format!("market/{}", marketplace.path), &marketplace.text);
        let bin = scene.plugin().join("bin");
        std::fs::create_dir_all(&bin).expect("make a folder");
        // Another process copies it: a file that is open to be written cannot be run.
        let (from, to) = (scene.env.program().to_string_lossy(), bin.join("sb"));
        scene.env.bash(&format!("cp {} {}", quote(&from), quote(&to.to_string_lossy()))).success();
        scene
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.env.root().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("make a folder");
        self.env.write(path, text);
    }

    fn plugin(&self) -> PathBuf {
        self.env.root().join("market/sb")
    }

    fn cli(&self, model: &Model) -> Cli {
        let place = Place::new(self.env.root(), self.env.project(), "/usr/local/bin:/usr/bin:/bin");
        let home = self.env.home();
        Cli::claude(&place.with("SIGNALBOX_HOME", &home.to_string_lossy()), model)
    }

    /// One prompt, with the plugin loaded.
    #[track_caller]
    fn talk(&self, script: impl Into<Script>, prompt: &str) -> Model {
        let model = Model::start(script);
        let plugin = self.plugin();
        let loaded = ["--plugin-dir", plugin.to_str().expect("UTF-8")];
        self.cli(&model).prompt(prompt, BYPASS.into_iter().chain(loaded)).success();
        model
    }

    fn status(&self, ticket: &str) -> String {
        let shown: Value =
            serde_json::from_str(&self.env.sb(["show", ticket, "--json"]).success().stdout).expect("JSON");
        shown["status"].as_str().expect("a status").to_owned()
    }
}

/// A call of one of the plugin's MCP tools.
fn mcp(tool: &str, arguments: Value) -> Turn {
    Turn::call(&format!("mcp__plugin_sb_signalbox__{tool}"), arguments)
}

fn bash(line: &str) -> Turn {
    Turn::call("Bash", json!({ "command": line, "description": "d" }))
}

#[test]
fn claude_code_finds_nothing_wrong_with_it() {
    if skip_without("claude") {
        return;
    }
    let (scene, model) = (Scene::new(""), Model::start([]));
    for folder in [scene.plugin(), scene.plugin().parent().expect("the marketplace").to_owned()] {
        let run = scene.cli(&model).run(["plugin", "validate", folder.to_str().expect("UTF-8")]).success();
        run.says("Validation passed").never_says("warning");
    }
}

/// Installed from the marketplace beside it, it needs no argument any more.
#[test]
fn it_is_installed_from_its_marketplace() {
    if skip_without("claude") {
        return;
    }
    let scene = Scene::new("");
    let ticket = scene.env.new_ticket("Limit logins");
    let model = Model::start([bash("sb context"), Turn::say("end")]);
    let claude = scene.cli(&model);
    let market = scene.env.root().join("market");
    claude.run(["plugin", "marketplace", "add", market.to_str().expect("UTF-8")]).success();
    claude.run(["plugin", "install", "sb@signalbox"]).success();
    claude.prompt("PROMPT of the test", BYPASS).success();
    assert!(model.saw(&format!("{ticket}  P3  Limit logins")), "the batch reached the model");
    let results = model.tool_results();
    assert!(results[0].text.contains(&format!("session {SESSION}")), "{results:#?}");
}

#[test]
fn hooks_agents_commands_and_tools_come_with_it() {
    if skip_without("claude") {
        return;
    }
    let scene = Scene::new("[mode]\ndefault = \"discussion\"\n");
    let ticket = scene.env.new_ticket("Limit logins");
    let new = scene.env.project().join("new.txt");
    let model = scene.talk(
        [
            Turn::call("Write", json!({ "file_path": new, "content": "x" })),
            bash("sb context && command -v sb"),
            Turn::say("end"),
        ],
        "PROMPT of the test",
    );
    let first = model.conversation().remove(0);

    // The hooks run the plugin's own program: the session is known, told of its work, and stopped.
    assert!(model.saw(&format!("{ticket}  P3  Limit logins")), "the batch reached the model");
    let results = model.tool_results();
    assert!(results[0].is_error && results[0].text.contains("discussion mode"), "{results:#?}");
    assert!(!new.exists());
    assert!(results[1].text.contains(&format!("session {SESSION}")), "{results:#?}");
    assert!(results[1].text.contains("market/sb/bin/sb"), "`sb` is the plugin's: {results:#?}");
    let log = scene.env.sb(["log", "--event", "session.*"]).success().stdout;
    assert!(log.contains("session.started") && log.contains("session.ended"), "{log}");

    // What the model is offered.
    let tools: Vec<&str> =
        first["tools"].as_array().expect("tools").iter().filter_map(|t| t["name"].as_str()).collect();
    for tool in ["context", "list_tickets", "pick_ticket", "submit_ticket", "review_ticket", "approve_ticket"]
    {
        let name = format!("mcp__plugin_sb_signalbox__{tool}");
        assert!(tools.contains(&name.as_str()), "{name} is not among {tools:?}");
    }
    for (name, _) in claude::AGENTS {
        assert!(model.saw(&format!("- sb:{name}: ")), "{name}");
    }
    assert!(model.saw("Begin with `context`"), "the server's instructions");
}

#[test]
fn a_command_names_the_plugins_own_program() {
    if skip_without("claude") {
        return;
    }
    let scene = Scene::new("");
    let model = scene.talk([Turn::say("end")], "/sb:status");
    assert!(model.saw("market/sb/bin/sb\" context"), "{:#?}", model.conversation());
}

#[test]
fn nobody_approves_their_own_work_through_the_tools() {
    if skip_without("claude") {
        return;
    }
    let scene = Scene::new("");
    let ticket = scene.env.new_ticket("Limit logins");
    let model = scene.talk(
        [
            mcp("context", json!({})),
            mcp("pick_ticket", json!({ "id": ticket })),
            mcp("submit_ticket", json!({ "message": "done" })),
            mcp("approve_ticket", json!({ "id": ticket })),
            mcp("approve_ticket", json!({})),
            Turn::say("end"),
        ],
        "PROMPT of the test",
    );
    let results = model.tool_results();
    assert!(results[0].text.contains(&format!("session {SESSION}")), "{results:#?}");
    assert!(!results[1].is_error && !results[2].is_error, "{results:#?}");
    assert!(results[3].is_error && results[3].text.contains("this session worked on it"), "{results:#?}");
    assert!(results[3].text.contains("hint: "), "{results:#?}");
    assert!(results[4].is_error, "{results:#?}");
    assert_eq!(scene.status(&ticket), "review");
}

#[test]
fn an_agent_of_the_plugin_gets_the_conversation_and_its_ticket() {
    if skip_without("claude") {
        return;
    }
    let scene = Scene::new("");
    let ticket = scene.env.new_ticket("Limit logins");
    let prompt = format!("SUBAGENT, log the work on {ticket}");
    let agent = json!({ "description": "d", "prompt": prompt, "subagent_type": "sb:logging" });
    let note = format!("sb note {ticket} - <<'END'\nWork log of the test\nEND");
    let script =
        Script::new([bash(&format!("sb pick {ticket}")), Turn::call("Agent", agent), Turn::say("end")])
            .beside("SUBAGENT", [bash(&note), Turn::say("logged")]);
    let model = scene.talk(script, "PROMPT of the test");
    assert!(model.saw("You keep the log of the work on a ticket"), "its own instructions");
    assert!(model.saw(&format!("Ticket {ticket}: Limit logins")), "its ticket");
    assert!(model.saw("conversation-001.md"), "the conversation");
    let shown = scene.env.sb(["show", &ticket]).success();
    assert!(shown.stdout.contains("Work log of the test"), "{shown}\n{:#?}", model.tool_results());
    let noted =
        scene.env.sb(["log", "--ticket", &ticket, "--event", "note.added", "--json"]).success().stdout;
    assert!(noted.contains("sb:logging-"), "the note is the agent's: {noted}");
}

/// Tickets in the native task list: Claude Code lists them, and a task is not completed before its ticket is handed in.
#[test]
fn tickets_are_tasks_of_claude_code() {
    if skip_without("claude") {
        return;
    }
    let scene = Scene::new("");
    let ticket = scene.env.new_ticket("Limit logins");
    let task = |status: &str| Turn::call("TaskUpdate", json!({ "taskId": "1", "status": status }));
    let own = json!({ "subject": "Found on the way", "description": "d" });
    let model = scene.talk(
        [
            bash(&format!("sb pick {ticket} && sb tasklist push")),
            Turn::call("TaskList", json!({})),
            task("completed"),
            Turn::call("TaskCreate", own),
            bash("sb tasklist pull"),
            bash(&format!("sb submit {ticket} -m done")),
            task("completed"),
            bash("sb tasklist status --json"),
            Turn::say("end"),
        ],
        "PROMPT of the test",
    );
    let results = model.tool_results();
    assert!(results[1].text.contains(&format!("{ticket}: Limit logins")), "{results:#?}");
    assert!(results[2].text.contains("hand it in with"), "{results:#?}");
    assert!(results[4].text.contains("for task 2"), "{results:#?}");
    let shown: Value = serde_json::from_str(&results[7].text).expect("JSON");
    assert_eq!(shown["list"], SESSION, "{shown:#}");
    assert_eq!(
        (&shown["tasks"][0]["task_status"], &shown["tasks"][0]["ticket"]),
        (&json!("completed"), &json!(ticket))
    );
    assert_eq!(shown["tasks"][0]["difference"], Value::Null, "{shown:#}");
    let found = shown["tasks"][1]["ticket"].as_str().expect("a ticket");
    assert_eq!(scene.status(found), "open");
    // Claude Code wrote the first task anew, and kept which ticket it stands for.
    let file = scene.env.root().join(".claude/tasks").join(SESSION).join("1.json");
    let written: Value = serde_json::from_str(&scene.env.read(file)).expect("JSON");
    assert_eq!(written["metadata"]["signalbox"], json!(ticket), "{written:#}");
}
