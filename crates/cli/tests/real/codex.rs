//! Codex.

use serde_json::{Value, json};
use signalbox_testkit::TestEnv;
use signalbox_testkit::clis::{Cli, skip_without};
use signalbox_testkit::model::{Gate, Model, Part, Script, Turn};

use crate::NOTHING;
use crate::core_set::Dialect;
use crate::support::{DISCUSSION, Outcome, Scene, knows_itself, refused};

const CODEX: Dialect = Dialect {
    scene: Scene::codex,
    shell: |line| ("exec_command", json!({ "cmd": line })),
    write: |path, text| {
        ("apply_patch", json!(format!("*** Begin Patch\n*** Add File: {path}\n+{text}\n*** End Patch\n")))
    },
    read: None,
    // To a model that it does not know it offers no tool for patches.
    arguments: &["-m", "gpt-5.5"],
};

#[test]
fn a_session_is_told_its_work_and_its_end_is_recorded() {
    if !skip_without("codex") {
        CODEX.is_told_at_the_start();
    }
}

#[test]
fn a_discussing_session_reads_and_writes_nothing() {
    if !skip_without("codex") {
        CODEX.discusses_and_writes_nothing();
    }
}

#[test]
fn the_phrase_opens_implementation_mode_and_an_agent_cannot() {
    if !skip_without("codex") {
        CODEX.is_opened_by_the_phrase();
    }
}

#[test]
fn a_doer_stays_in_its_worktree_on_its_branch_and_off_the_tests() {
    if !skip_without("codex") {
        CODEX.keeps_a_doer_in_its_bounds();
    }
}

#[test]
fn a_doer_is_held_back_twice_and_then_let_go() {
    if !skip_without("codex") {
        CODEX.is_held_back_twice_at_the_stop();
    }
}

#[test]
fn nobody_approves_their_own_work() {
    if !skip_without("codex") {
        CODEX.cannot_approve_its_own_work();
    }
}

/// Codex runs no hook that its user has not looked at, and `sb` does not look for them.
#[test]
fn hooks_that_nobody_trusted_are_skipped_and_the_installer_says_so() {
    if skip_without("codex") {
        return;
    }
    let scene = Scene::without_hooks(TestEnv::new(env!("CARGO_BIN_EXE_sb")), "codex", Cli::codex, DISCUSSION);
    scene.install(&[]).success().says("Codex will skip these hooks until you trust them");
    scene.calls(&[(CODEX.shell)("echo x > new.txt")], CODEX.arguments);
    assert_eq!(scene.read("new.txt").as_deref(), Some("x\n"));
    assert_eq!(scene.events("session.started"), [Value::Null; 0]);
    scene.found("Anything before the person has trusted the hooks", Outcome::NotPossible);
    // Looked at and trusted, they bite.
    scene.install(&["--trust"]).success().says("Codex trusts them");
    let results = scene.calls(&[(CODEX.shell)("echo x > other.txt")], CODEX.arguments);
    refused(&results[0], "mode");
    assert_eq!(scene.read("other.txt"), None);
}

#[test]
fn a_subagent_gets_its_ticket_and_may_no_more_than_its_parent() {
    if skip_without("codex") {
        return;
    }
    let scene = Scene::codex(DISCUSSION);
    let run =
        scene.env.sb(["new", "Limit logins", "--body", "No more than three attempts a minute"]).success();
    let ticket = run.stdout.trim();
    let gate = Gate::default();
    let shell = |line: &str| Turn::call("exec_command", json!({ "cmd": line }));
    let spawn = Turn::call("spawn_agent", json!({ "message": format!("SUBAGENT, work on {ticket}") }));
    let script = Script::new([spawn, Turn::until(&gate), Turn::say("the last word")]).beside(
        "SUBAGENT",
        [shell("sb context --json"), shell("echo x > new.txt"), Turn::open(&gate), Turn::say("it is done")],
    );
    let model = Model::start(script);
    scene.start(&model).prompt("PROMPT of the test", NOTHING).success();
    let beside: Vec<String> = model
        .requests()
        .into_iter()
        .filter(|request| matches!(request.part, Part::Beside(_)))
        .map(|request| request.body.to_string())
        .collect();
    for words in ["No more than three attempts a minute", &format!("sb pick {ticket}"), "Signalbox: you are"]
    {
        assert!(beside.iter().any(|body| body.contains(words)), "{words}: {beside:#?}");
    }
    assert!(beside.iter().any(|body| body.contains("(rule: mode)")), "{beside:#?}");
    assert_eq!(scene.read("new.txt"), None);
    let main = scene.events("session.started")[0]["session"].clone();
    let sessions = scene.sessions();
    let own = sessions.iter().find(|session| !session["subagent"].is_null()).expect("its session");
    assert_eq!(own["lineage"], json!([main]));
    assert!(knows_itself(&beside, own["id"].as_str().expect("an id")), "{beside:#?}");
    scene.found("A subagent is told its ticket and commands", Outcome::Works);
    scene.found("A subagent's `sb` knows that it is the subagent", Outcome::Works);
    scene.found("A subagent of a discussing session", Outcome::Warned);
    scene.found("What a subagent does, under its own name and its parent's", Outcome::Recorded);
}

/// Codex applies a patch itself where `apply_patch` stands in a command line.
#[test]
fn a_patch_in_a_command_line_is_a_patch() {
    if skip_without("codex") {
        return;
    }
    let mut scene = Scene::codex("");
    let ticket = scene.env.new_ticket("Limit logins");
    let patch = |name: &str| {
        (CODEX.shell)(&format!(
            "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: {name}\n+x\n*** End Patch\nEOF"
        ))
    };
    let turns = [patch("tests/new.rs"), patch("src/new.rs")].map(|(tool, input)| Turn::call(tool, input));
    let talk = CODEX.as_doer(&mut scene, &ticket, turns.to_vec());
    talk.run.success();
    let results = talk.model.tool_results();
    refused(&results[0], "tests");
    assert_eq!(scene.read("tests/new.rs"), None);
    assert_eq!(scene.read("src/new.rs").as_deref(), Some("x\n"), "{results:#?}");
}

#[test]
fn whatever_happens_to_the_hook_nothing_refused_is_executed() {
    if !skip_without("codex") {
        CODEX.refuses_when_the_hook_is_gone();
    }
}
