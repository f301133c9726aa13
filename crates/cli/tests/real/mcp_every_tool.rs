//! Claude Code in an agent that the daemon knows calls every tool of `sb mcp`, and sees none that its role lacks.

use std::process::{Command, Stdio};

use serde_json::{Value, json};
use signalbox_core::Role;
use signalbox_core::toolbox::TOOLBOX;
use signalbox_testkit::TestEnv;
use signalbox_testkit::clis::skip_without;
use signalbox_testkit::model::{ToolResult, Turn};

use crate::support::{BYPASS, DISCUSSION, FIRST, Scene, can_type};
use crate::wrapped::{PATIENCE, Wrapped};

/// How Claude Code calls our tools.
const SERVER: &str = "mcp__signalbox__";

/// A daemon that ends with the test, also where that fails and its home is gone by then.
pub struct Daemon {
    down: Command,
    pid: String,
}

impl Daemon {
    #[track_caller]
    pub fn start(env: &TestEnv) -> Self {
        let said = env.sb(["up"]).success().stderr;
        let pid =
            said.split_once("(process ").and_then(|(_, rest)| rest.split_once(')')).expect("its process");
        let mut down = env.command();
        down.arg("down").stderr(Stdio::null());
        Self { down, pid: pid.0.to_owned() }
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        if !self.down.status().is_ok_and(|status| status.success()) {
            let _ = Command::new("kill").arg(&self.pid).status();
        }
    }
}

/// What a doer calls: all it has, and last what it has not.
pub fn doers(one: &str, other: &str) -> Vec<(&'static str, Value)> {
    let github = json!({ "repo": "octo/hello", "branch": "main", "every": 3600 });
    vec![
        ("context", json!({})),
        ("get_status", json!({})),
        ("list_tickets", json!({ "ready": true })),
        ("pick_ticket", json!({ "id": one })),
        ("show_ticket", json!({})),
        ("new_ticket", json!({ "title": "Found on the way", "tags": ["later"], "backlog": true })),
        ("add_note", json!({ "text": "half/of/it" })),
        ("draft_escalation", json!({ "question": "Keep it?", "options": ["yes/no"], "context": "c" })),
        ("list_goal_types", json!({})),
        ("get_usage", json!({})),
        ("list_monitor_types", json!({ "type": "github" })),
        ("add_monitor", json!({ "name": "ci", "type": "github", "settings": github })),
        ("list_monitors", json!({})),
        ("remove_monitor", json!({ "name": "ci" })),
        ("list_notifier_types", json!({})),
        (
            "add_notifier",
            json!({ "name": "bell", "type": "terminal_bell", "settings": { "events": ["agent.*"] } }),
        ),
        ("list_notifiers", json!({ "limit": 5 })),
        ("remove_notifier", json!({ "name": "bell" })),
        ("submit_ticket", json!({ "message": "done" })),
        ("pick_ticket", json!({ "id": other })),
        ("submit_ticket", json!({ "message": "done as well" })),
        ("signal_goal", json!({ "status": "in-progress", "summary": "handed in" })),
        ("approve_ticket", json!({ "id": one })),
    ]
}

/// What a reviewer calls.
pub fn reviewers(one: &str, other: &str) -> Vec<(&'static str, Value)> {
    vec![
        ("review_ticket", json!({ "id": one })),
        ("reject_ticket", json!({ "id": one, "reason": "more" })),
        ("review_ticket", json!({ "id": other })),
        ("approve_ticket", json!({ "id": other, "message": "fine" })),
        ("pick_ticket", json!({ "id": one })),
        ("add_monitor", json!({ "name": "ci", "type": "github" })),
    ]
}

/// Which of our tools the model is offered in a request, in the order of their names.
fn offered(body: &Value) -> Vec<String> {
    let tools = body["tools"].as_array().into_iter().flatten().filter_map(|tool| tool["name"].as_str());
    let mut names: Vec<String> =
        tools.filter_map(|name| name.strip_prefix(SERVER)).map(ToOwned::to_owned).collect();
    names.sort();
    names
}

/// An agent in which the model makes these calls. What it was ever offered of ours, and what became of the calls.
#[track_caller]
fn in_agent(
    scene: Scene,
    role: Role,
    calls: &[(&'static str, Value)],
) -> (Scene, Vec<Vec<String>>, Vec<ToolResult>) {
    let allowed = ["--allowedTools", "mcp__signalbox"];
    let mut claude = Wrapped::start_with(scene, "claude", &["--role", role.as_str()], &allowed);
    claude.terminal.wait_until("an empty line to type in", PATIENCE, can_type);
    claude.wait_state("idle");
    // Claude Code does not wait for its servers before it asks the model for the first time.
    for time in 1.. {
        assert!(time < 20, "the server was never there");
        claude.model.play([Turn::say(format!("ANSWER {time}"))]);
        claude.terminal.submit(&format!("PROMPT {time}"));
        claude.terminal.wait_for(&format!("ANSWER {time}"), PATIENCE);
        claude.wait_state("idle");
        if claude.model.conversation().iter().any(|body| !offered(body).is_empty()) {
            break;
        }
    }
    let turns = calls.iter().map(|(tool, input)| Turn::call(&format!("{SERVER}{tool}"), input.clone()));
    claude.model.play(turns.chain([Turn::say("THE END")]).collect::<Vec<_>>());
    claude.terminal.submit("PROMPT of the test");
    claude.terminal.wait_for("THE END", PATIENCE);
    let results = claude.model.tool_results();
    assert_eq!(results.len(), calls.len(), "{}\n{results:#?}", claude.terminal.screen());
    let mut offered: Vec<Vec<String>> = claude.model.conversation().iter().map(offered).collect();
    offered.retain(|names| !names.is_empty());
    offered.dedup();
    (claude.scene, offered, results)
}

#[test]
fn claude_calls_every_tool_that_its_role_has() {
    if skip_without("claude") {
        return;
    }
    let mut scene = Scene::claude("");
    scene.env.sb(["mcp", "install", "--cli", "claude", "--yes"]).success();
    let daemon = Daemon::start(&scene.env);
    let (one, other) = (scene.env.new_ticket("Limit logins"), scene.env.new_ticket("Say why"));
    for (role, calls) in [(Role::Doer, doers(&one, &other)), (Role::Reviewer, reviewers(&one, &other))] {
        let (back, offered, results) = in_agent(scene, role, &calls);
        scene = back;
        let mut has: Vec<&str> =
            TOOLBOX.iter().filter(|tool| tool.is_for(role)).map(|tool| tool.name).collect();
        has.sort_unstable();
        assert_eq!(offered, [has.clone()], "{role}");
        for ((name, _), result) in calls.iter().zip(&results) {
            assert_eq!(result.is_error, !has.contains(name), "{role} {name}: {result:#?}");
        }
    }
    assert_eq!((scene.status(&one).as_str(), scene.status(&other).as_str()), ("rework", "done"));
    drop(daemon);
}

/// In discussion mode our tools pass as `sb` in a shell does, and other servers' do not.
#[test]
fn claude_may_use_our_tools_while_discussing() {
    if skip_without("claude") {
        return;
    }
    let scene = Scene::claude(DISCUSSION);
    scene.env.sb(["mcp", "install", "--cli", "claude", "--yes"]).success();
    let ticket = scene.env.new_ticket("Limit logins");
    let name = |tool: &str| format!("{SERVER}{tool}");
    let calls = [
        (name("context"), json!({})),
        (name("list_goal_types"), json!({})),
        (name("add_note"), json!({ "id": ticket, "text": "src/lib.rs" })),
        (name("draft_escalation"), json!({ "question": "Which?" })),
    ];
    let calls: Vec<(&str, Value)> =
        calls.iter().map(|(tool, input)| (tool.as_str(), input.clone())).collect();
    for result in scene.calls(&calls, &BYPASS) {
        assert!(!result.is_error && !result.text.contains("refused"), "{result:#?}");
    }
}

/// A person said what a session is for before it starts. Claude Code starts servers beside the hook that registers the
/// session, and yet the model is never offered more.
#[test]
fn claude_as_a_prepared_doer_is_never_offered_more() {
    if skip_without("claude") {
        return;
    }
    let scene = Scene::claude("");
    scene.env.sb(["mcp", "install", "--cli", "claude", "--yes"]).success();
    scene.env.sb(["session", "set", "--session", FIRST, "--role", "doer"]).success();
    let ticket = scene.env.new_ticket("Limit logins");
    let approve = Turn::call(&format!("{SERVER}approve_ticket"), json!({ "id": ticket }));
    let arguments = [&BYPASS[..], &["--session-id", FIRST]].concat();
    let talk = scene.talk([approve, Turn::say("end")], "PROMPT of the test", &arguments);
    let lists: Vec<Vec<String>> = talk.model.conversation().iter().map(offered).collect();
    assert!(lists.iter().any(|names| names.iter().any(|name| name == "submit_ticket")), "{lists:?}");
    assert!(!lists.iter().flatten().any(|name| name == "approve_ticket"), "{lists:?}");
    let results = talk.model.tool_results();
    assert!(results[0].is_error, "{results:#?}");
}
