//! Real CLIs inside `sb agent`: messages reach them by their own doors, and what the person has typed stays.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use signalbox_testkit::clis::skip_without;
use signalbox_testkit::model::{Gate, Turn};

use crate::support::{Scene, bash, can_type};
use crate::wrapped::{PATIENCE, Wrapped};

/// What a scene is made by, from what is added to `config.toml`.
type Make = fn(&str) -> Scene;

/// Those that can be told nothing but by the keyboard.
const TYPED_INTO: [(&str, Make); 2] = [("goose", Scene::goose), ("gemini", Scene::gemini)];

#[test]
fn claude_is_told_by_its_own_hook_and_the_draft_stays() {
    if skip_without("claude") {
        return;
    }
    let mut claude = Wrapped::start(Scene::claude(""), "claude", &[]);
    claude.terminal.wait_until("an empty line to type in", PATIENCE, can_type);
    claude.wait_state("idle");
    claude.model.play([Turn::say("first answer"), Turn::say("second answer")]);
    claude.tell("FIRST thing that changed").success().says("delivered through the waiter");
    claude.terminal.wait_for("first answer", PATIENCE);
    assert!(claude.model.saw("FIRST thing that changed"));

    // A half-typed line stays where it is, to the letter.
    claude.wait_state("idle");
    claude.terminal.type_text("half a draft");
    claude.tell("SECOND thing that changed").success().says("delivered through the waiter");
    claude.terminal.wait_for("second answer", PATIENCE);
    claude.wait_state("idle");
    claude.terminal.wait_for("half a draft", PATIENCE);
    assert!(!claude.model.saw("half a draft"));
    claude.model.play([Turn::say("third answer")]);
    claude.terminal.press("!\r");
    claude.terminal.wait_for("third answer", PATIENCE);
    assert!(claude.model.saw("half a draft!"));
    assert_eq!((claude.times("FIRST thing"), claude.times("SECOND thing")), (1, 1));

    claude.wait_state("idle");
    let used = claude.scene.env.sb(["agent", "usage", &claude.agent, "--json"]).success();
    let used: Value = serde_json::from_str(&used.stdout).expect("JSON");
    assert!(used["output_tokens"].as_u64() > Some(0) && used["model"].is_string(), "{used}");
    // Money is told to the status line, which `sb hooks install` has set up.
    assert!(used["cost_micros"].as_u64().is_some(), "{used}");
}

#[test]
fn claude_at_work_is_told_between_two_tools_and_a_dialog_is_left_alone() {
    if skip_without("claude") {
        return;
    }
    let mut claude = Wrapped::start(Scene::claude(""), "claude", &[]);
    claude.terminal.wait_until("an empty line to type in", PATIENCE, can_type);
    claude.wait_state("idle");
    let call = |(tool, input): (&str, Value)| Turn::call(tool, input);
    let gate = Gate::default();
    claude.model.play([
        Turn::until(&gate),
        call(bash("ls src")),
        call(bash("touch asked.txt")),
        Turn::say("all done"),
    ]);
    claude.terminal.submit("PROMPT of the person");
    assert!(gate.is_reached(PATIENCE));
    claude.wait_state("working");
    claude.scene.env.sb(["inject", &claude.agent, "MEANWHILE this changed"]).success();
    gate.open();
    claude.terminal.wait_for("Do you want to", PATIENCE);
    assert!(claude.model.saw("MEANWHILE this changed"));
    assert_eq!(claude.scene.events("inject.delivered")[0]["data"]["door"], json!("context"));
    claude.wait_state("waiting-permission");
    // Whatever is said now, nobody answers the dialog but the person.
    let waits = claude.scene.env.sb(["inject", &claude.agent, "BEHIND the dialog"]);
    waits.success();
    let end = Instant::now() + Duration::from_secs(4);
    while Instant::now() < end {
        assert!(claude.terminal.shows("Do you want to"), "{}", claude.terminal.screen());
        assert_eq!(claude.scene.read("asked.txt"), None);
        std::thread::yield_now();
    }
    claude.model.play([Turn::say("after the dialog"), Turn::say("and after the message")]);
    claude.terminal.press("\r");
    assert!(claude.model.sees("BEHIND the dialog", PATIENCE), "{}", claude.terminal.screen());
    assert!(claude.scene.read("asked.txt").is_some());
    assert_eq!((claude.times("MEANWHILE this"), claude.times("BEHIND the dialog")), (1, 1));
}

#[test]
fn claude_is_told_after_its_conversation_was_cleared_and_leaves_nobody_behind() {
    if skip_without("claude") {
        return;
    }
    let mut claude = Wrapped::start(Scene::claude(""), "claude", &[]);
    claude.terminal.wait_until("an empty line to type in", PATIENCE, can_type);
    claude.wait_state("idle");
    claude.terminal.submit("/clear");
    claude.wait_for("a second conversation", |agents| {
        (agents[0]["sessions"].as_array()?.len() == 2).then_some(())
    });
    claude.wait_state("idle");
    claude.model.play([Turn::say("heard after all")]);
    claude.tell("AFTER the clear").success().says("delivered");
    claude.terminal.wait_for("heard after all", PATIENCE);
    claude.wait_state("idle");
    claude.terminal.press("\x04");
    claude.terminal.press("\x04");
    assert_eq!(claude.terminal.ends_within(PATIENCE), Some(Some(0)), "{}", claude.terminal.screen());
    let waiters = claude.scene.env.home().join("run/waiters");
    let end = Instant::now() + PATIENCE;
    let somebody = || {
        let names = std::fs::read_dir(&waiters).expect("the folder").flatten();
        names.into_iter().any(|entry| entry.path().extension() == Some("json".as_ref()))
    };
    while somebody() {
        assert!(Instant::now() < end, "somebody still waits");
    }
}

#[test]
fn codex_is_told_through_its_queue_and_the_draft_stays() {
    if skip_without("codex") {
        return;
    }
    let mut codex = Wrapped::start(Scene::codex(""), "codex", &[]);
    codex.wait_ready();
    codex.model.play([Turn::say("first answer")]);
    codex.terminal.submit("PROMPT of the person");
    codex.terminal.wait_for("first answer", PATIENCE);
    codex.wait_state("idle");
    codex.wait_for("a conversation", |agents| (!agents[0]["sessions"].as_array()?.is_empty()).then_some(()));
    codex.terminal.type_text("half a draft");
    codex.model.play([Turn::say("second answer")]);
    codex.tell("THING that changed").success().says("delivered through the queue");
    codex.terminal.wait_for("second answer", PATIENCE);
    assert!(codex.terminal.shows("half a draft"), "{}", codex.terminal.screen());
    assert_eq!(codex.times("THING that changed"), 1);
    assert!(!codex.model.saw("half a draft"));
}

#[test]
fn codex_hears_what_it_was_told_behind_a_dialog_that_the_person_declines() {
    if skip_without("codex") {
        return;
    }
    let asks = ["-s", "workspace-write", "-a", "on-request"];
    let mut codex = Wrapped::start(Scene::codex(""), "codex", &asks);
    codex.wait_ready();
    let call =
        json!({ "cmd": "touch asked.txt", "sandbox_permissions": "require_escalated", "justification": "j" });
    codex.model.play([
        Turn::call("exec_command", call),
        Turn::say("first answer"),
        Turn::say("second answer"),
    ]);
    codex.terminal.submit("PROMPT of the person");
    codex.terminal.wait_for("Would you like to run the following command?", PATIENCE);
    codex.wait_state("waiting-permission");
    codex.scene.env.sb(["inject", &codex.agent, "BEHIND the dialog"]).success();
    let end = Instant::now() + Duration::from_secs(4);
    while Instant::now() < end {
        assert!(codex.terminal.shows("Would you like to"), "{}", codex.terminal.screen());
        std::thread::park_timeout(Duration::from_millis(50));
    }
    codex.terminal.press("\x1b");
    codex.terminal.wait_gone("Would you like to", PATIENCE);
    // Codex takes nothing from its queue after that, until there is a prompt: so the message has to be one.
    codex.model.play([Turn::say("first answer"), Turn::say("second answer")]);
    assert!(codex.model.sees("BEHIND the dialog", PATIENCE), "{}", codex.terminal.screen());
    let receipt = codex.wait_until("a receipt", || codex.scene.events("inject.delivered").pop());
    assert_eq!(receipt["data"]["door"], "keyboard");
    codex.wait_state("idle");
    // After it the queue is open again.
    codex.tell("AFTER the dialog").success().says("delivered through the queue");
    assert!(codex.model.saw("AFTER the dialog"), "said to be delivered");
    assert_eq!(codex.times("BEHIND the dialog"), 1);
    assert_eq!(codex.scene.read("asked.txt"), None);
}

#[test]
fn gemini_is_typed_into_only_when_nobody_else_types() {
    if skip_without("gemini") {
        return;
    }
    let mut gemini = Wrapped::start(Scene::gemini(""), "gemini", &[]);
    gemini.wait_ready();
    gemini.terminal.type_text("half a draft");
    let waits = gemini.scene.env.sb(["inject", &gemini.agent, "--wait", "4s", "THING that changed"]);
    waits.code(4).says("a half-typed line stands in the input box");
    assert!(gemini.terminal.shows("half a draft"), "{}", gemini.terminal.screen());
    gemini.model.play([Turn::say("first answer"), Turn::say("second answer")]);
    gemini.terminal.press("\r");
    gemini.terminal.wait_for("first answer", PATIENCE);
    gemini.terminal.wait_for("second answer", PATIENCE);
    assert_eq!(gemini.times("THING that changed"), 1);
    let receipts = gemini.scene.events("inject.delivered");
    assert_eq!(receipts.len(), 1, "{receipts:#?}");
    assert_eq!(receipts[0]["data"]["door"], json!("keyboard"));
}

#[test]
fn goose_is_typed_into_only_when_nobody_else_types_and_nothing_is_asked() {
    if skip_without("goose") {
        return;
    }
    let mut goose = Wrapped::start(Scene::goose_asking(""), "goose", &[]);
    goose.wait_state("idle");
    goose.terminal.type_text("half a draft");
    let waits = goose.scene.env.sb(["inject", &goose.agent, "--wait", "4s", "THING that changed"]);
    waits.code(4).says("a half-typed line stands in the input box");
    assert!(goose.terminal.shows("half a draft"), "{}", goose.terminal.screen());
    let call = Turn::call("shell", json!({ "command": "touch asked.txt" }));
    goose.model.play([call, Turn::say("first answer"), Turn::say("second answer")]);
    goose.terminal.press("\r");
    goose.terminal.wait_for("do you allow?", PATIENCE);
    goose.wait_state("waiting-permission");
    let waits = goose.scene.env.sb(["inject", &goose.agent, "--wait", "4s", "BEHIND the dialog"]);
    waits.code(4).says("not delivered");
    assert_eq!(goose.scene.read("asked.txt"), None);
    goose.terminal.press("\r");
    goose.terminal.wait_for("second answer", PATIENCE);
    assert!(goose.scene.read("asked.txt").is_some());
    goose.model.play([Turn::say("third answer")]);
    goose.terminal.wait_for("third answer", PATIENCE);
    assert_eq!((goose.times("THING that changed"), goose.times("BEHIND the dialog")), (1, 1));
    for receipt in goose.scene.events("inject.delivered") {
        assert_eq!(receipt["data"]["door"], json!("keyboard"));
    }
    goose.wait_state("idle");
    let used = goose.scene.env.sb(["agent", "usage", &goose.agent, "--json"]).success();
    let used: Value = serde_json::from_str(&used.stdout).expect("JSON");
    let calls = goose.model.conversation().len() as u64;
    assert_eq!((&used["input_tokens"], &used["output_tokens"]), (&json!(107 * calls), &json!(20 * calls)));
    assert!(used["cost_micros"].as_u64() > Some(0) && used["model"].is_string(), "{used}");
    // No hook tells of an interrupted turn, but the line that it reads then does.
    let gate = Gate::default();
    goose.model.play([Turn::until(&gate), Turn::say("too late")]);
    goose.terminal.submit("PROMPT of the person");
    assert!(gate.is_reached(PATIENCE));
    goose.wait_state("working");
    goose.terminal.press("\x03");
    goose.wait_state("idle");
}

/// Hints in an empty box are faint otherwise.
#[test]
fn those_without_a_door_are_typed_into_without_colours_too() {
    for (cli, scene) in TYPED_INTO {
        if skip_without(cli) {
            continue;
        }
        let mut scene = scene("");
        scene.set("NO_COLOR", "1");
        let mut agent = Wrapped::start(scene, cli, &[]);
        agent.wait_ready();
        agent.terminal.type_text("half a draft");
        let waits = agent.scene.env.sb(["inject", &agent.agent, "--wait", "4s", "THING that changed"]);
        waits.code(4).says("a half-typed line stands in the input box");
        agent.model.play([Turn::say("first answer"), Turn::say("second answer")]);
        agent.terminal.press("\r");
        agent.terminal.wait_for("second answer", PATIENCE);
        assert_eq!((agent.times("half a draft"), agent.times("THING that changed")), (1, 1), "{cli}");
    }
}

/// The log of a failed build, say. One CLI shows it as a mark, the other one shows no more than its end.
#[test]
fn a_text_that_is_larger_than_the_window_is_typed_into_those_without_a_door() {
    let log = (1..=100).map(|line| format!("line {line} of the LOG")).collect::<Vec<_>>().join("\n");
    let long = format!("{}END", "a long way to the ".repeat(400));
    for (cli, scene) in TYPED_INTO {
        if skip_without(cli) {
            continue;
        }
        let agent = Wrapped::start(scene(""), cli, &[]);
        agent.wait_ready();
        for (text, answer) in [(&log, "first answer"), (&long, "second answer")] {
            agent.model.play([Turn::say(answer)]);
            agent.tell(text).success().says("delivered through the keyboard");
            agent.terminal.wait_for(answer, PATIENCE);
            let last = agent.model.conversation().pop().unwrap_or_default();
            assert!(last.to_string().contains(&json!(text).to_string()[1..]), "{cli}: {last:#}");
            agent.wait_state("idle");
        }
    }
}

#[test]
fn copilot_is_told_by_its_extension_and_the_draft_stays() {
    if skip_without("copilot") {
        return;
    }
    let mut copilot = Wrapped::start(Scene::copilot(""), "copilot", &[]);
    copilot.wait_state("idle");
    copilot.model.play([Turn::say("first answer"), Turn::say("second answer")]);
    // Before any prompt, in a session that nobody has spoken to.
    copilot.tell("FIRST thing that chänged").success().says("delivered through the extension");
    copilot.terminal.wait_for("first answer", PATIENCE);
    assert!(copilot.model.saw("FIRST thing that chänged"));

    copilot.wait_state("idle");
    copilot.terminal.type_text("half a draft");
    copilot.tell("SECOND thing that changed").success().says("delivered through the extension");
    copilot.terminal.wait_for("second answer", PATIENCE);
    copilot.wait_state("idle");
    copilot.terminal.wait_for("half a draft", PATIENCE);
    assert!(!copilot.model.saw("half a draft"));
    copilot.model.play([Turn::say("third answer")]);
    copilot.terminal.press("!");
    copilot.terminal.press("\r");
    copilot.terminal.wait_for("third answer", PATIENCE);
    assert!(copilot.model.saw("half a draft!"));
    assert_eq!((copilot.times("FIRST thing"), copilot.times("SECOND thing")), (1, 1));
}
