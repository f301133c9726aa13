//! Each CLI without a terminal.

use std::time::Duration;

use serde_json::{Value, json};
use signalbox_testkit::clis::{Cli, Place, skip_without};
use signalbox_testkit::model::{Gate, Model, Part, Script, Turn};

use crate::{NOTHING, Scene};

const LINE: &str = "echo hi > out.txt; echo printed";

/// A prompt, a call of the CLI's shell, and a last word. The file must be there, the model must have been told
/// what the shell printed, and the last word must have come out.
fn converse(cli: impl FnOnce(&Place, &Model) -> Cli, tool: &str, input: Value, arguments: &[&str]) {
    let scene = Scene::new();
    let model = Model::start([Turn::call(tool, input), Turn::say("the last word")]);
    let run = cli(&scene.place(), &model).prompt("PROMPT of the test", arguments).success();
    assert!(model.saw("PROMPT of the test"), "{run}");
    assert_eq!(scene.read("out.txt").as_deref(), Some("hi\n"), "{run}\n{:#?}", model.tool_results());
    let results = model.tool_results();
    assert_eq!(results.len(), 1, "{results:?}");
    assert!(results[0].text.contains("printed") && !results[0].is_error, "{results:?}");
    assert_eq!(model.conversation().len(), 2);
    run.says("the last word");
}

#[test]
fn claude() {
    if skip_without("claude") {
        return;
    }
    let input = json!({ "command": LINE, "description": "say hi" });
    converse(Cli::claude, "Bash", input, &["--allowedTools", "Bash"]);
}

#[test]
fn codex() {
    if skip_without("codex") {
        return;
    }
    converse(Cli::codex, "exec_command", json!({ "cmd": LINE }), &[]);
}

#[test]
fn gemini() {
    if skip_without("gemini") {
        return;
    }
    converse(Cli::gemini, "run_shell_command", json!({ "command": LINE }), &[]);
}

#[test]
fn copilot() {
    if skip_without("copilot") {
        return;
    }
    converse(Cli::copilot, "bash", json!({ "command": LINE, "description": "say hi" }), &[]);
}

/// The subagent runs the shell, and the main conversation goes on when it is done.
fn delegate(cli: impl FnOnce(&Place, &Model) -> Cli, script: Script, arguments: &[&str]) -> Model {
    let scene = Scene::new();
    let model = Model::start(script);
    let run = cli(&scene.place(), &model).prompt("PROMPT of the test", arguments).success();
    assert_eq!(scene.read("out.txt").as_deref(), Some("hi\n"), "{run}\n{:#?}", model.tool_results());
    let of_subagent = Part::Beside("SUBAGENT".to_owned());
    assert!(model.requests().iter().filter(|request| request.part == of_subagent).count() >= 2, "{run}");
    run.says("the last word");
    model
}

#[test]
fn claude_with_a_subagent() {
    if skip_without("claude") {
        return;
    }
    let agent = json!({ "description": "d", "prompt": "SUBAGENT, go", "subagent_type": "general-purpose" });
    let script = Script::new([Turn::call("Agent", agent), Turn::say("the last word")]).beside(
        "SUBAGENT",
        [Turn::call("Bash", json!({ "command": LINE, "description": "d" })), Turn::say("it is done")],
    );
    let model = delegate(Cli::claude, script, &["--allowedTools", "Bash"]);
    assert!(model.tool_results().iter().any(|result| result.text.contains("it is done")));
}

#[test]
fn codex_with_a_subagent() {
    if skip_without("codex") {
        return;
    }
    // The call returns at once; only the gate tells that the subagent is done.
    let gate = Gate::default();
    let spawn = Turn::call("spawn_agent", json!({ "message": "SUBAGENT, go" }));
    let script = Script::new([spawn, Turn::until(&gate), Turn::say("the last word")]).beside(
        "SUBAGENT",
        [Turn::call("exec_command", json!({ "cmd": LINE })), Turn::open(&gate), Turn::say("it is done")],
    );
    delegate(Cli::codex, script, &[]);
}

#[test]
fn gemini_with_a_subagent() {
    if skip_without("gemini") {
        return;
    }
    let agent = json!({ "agent_name": "generalist", "prompt": "SUBAGENT, go" });
    let script = Script::new([Turn::call("invoke_agent", agent), Turn::say("the last word")]).beside(
        "SUBAGENT",
        [
            Turn::call("run_shell_command", json!({ "command": LINE })),
            Turn::call("complete_task", json!({ "result": { "response": "it is done" } })),
        ],
    );
    let model = delegate(Cli::gemini, script, &[]);
    assert!(model.tool_results().iter().any(|result| result.text.contains("it is done")));
}

#[test]
fn copilot_with_a_subagent() {
    if skip_without("copilot") {
        return;
    }
    let agent = json!({
        "agent_type": "general-purpose", "name": "n", "description": "d", "prompt": "SUBAGENT, go",
    });
    let script = Script::new([Turn::call("task", agent), Turn::say("the last word")]).beside(
        "SUBAGENT",
        [Turn::call("bash", json!({ "command": LINE, "description": "d" })), Turn::say("it is done")],
    );
    let model = delegate(Cli::copilot, script, &[]);
    assert!(model.tool_results().iter().any(|result| result.text.contains("it is done")));
}

#[test]
fn claude_resumes_and_forks_with_another_model() {
    if skip_without("claude") {
        return;
    }
    const ID: &str = "11111111-2222-4333-8444-555555555555";
    let (scene, line) = (Scene::new(), json!({ "command": "echo a line", "description": "d" }));
    let allowed = ["--allowedTools", "Bash", "--output-format", "json"];
    let model = Model::start([Turn::calls([("Bash", line.clone()), ("Bash", line)]), Turn::say("the first")]);
    let begun = Cli::claude(&scene.place(), &model);
    begun.prompt("PROMPT one", allowed.into_iter().chain(["--session-id", ID])).success().says(ID);
    assert_eq!(model.tool_results().len(), 2, "{:?}", model.tool_results());
    drop(model);

    let model = Model::start([Turn::say("the second"), Turn::say("the third")]);
    let resumed = Cli::claude(&scene.place(), &model);
    resumed.prompt("PROMPT two", allowed.into_iter().chain(["--resume", ID])).success().says(ID);
    assert!(model.saw("PROMPT one") && model.saw("the first"));
    let arguments = allowed.into_iter().chain(["--resume", ID, "--fork-session"]);
    resumed.prompt("PROMPT three", arguments).success().says("the third").never_says(ID);
    assert!(model.saw("the second"));
}

#[test]
fn what_hangs_is_ended_and_what_fails_is_told() {
    if skip_without("claude") {
        return;
    }
    let scene = Scene::new();
    let model = Model::start([Turn::fail(500), Turn::until(&Gate::default())]);
    let claude = Cli::claude(&scene.place(), &model);
    claude.prompt("PROMPT one", NOTHING).code(1).says("500");
    let run = claude.within(Duration::from_secs(2)).prompt("PROMPT two", NOTHING);
    assert_eq!(run.code, None, "{run}");
    run.says("ended after 2 seconds");
}
