//! Claude Code in a terminal, with a person before it.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use signalbox_testkit::clis::{Terminal, skip_without};
use signalbox_testkit::model::{Model, Script, Turn};

use crate::support::{DISCUSSION, FIRST, Outcome, Scene, bash, can_type, refused};

const PATIENCE: Duration = Duration::from_secs(60);

/// What may be written is written without asking.
const EDITS: [&str; 2] = ["--permission-mode", "acceptEdits"];

/// A person at a terminal.
struct Seat {
    model: Model,
    terminal: Terminal,
}

impl Seat {
    fn take(scene: &Scene, arguments: &[&str]) -> Self {
        let model = Model::start([]);
        let terminal = scene.start(&model).open(arguments);
        terminal.wait_for("❯", PATIENCE);
        Self { model, terminal }
    }

    /// Wait until Claude Code itself says that it waits for a prompt: what is typed sooner can be lost.
    #[track_caller]
    fn wait_idle(&self, scene: &Scene) {
        self.terminal.wait_until("an empty line to type in", PATIENCE, can_type);
        let end = Instant::now() + PATIENCE;
        let folder = scene.env.root().join(".claude/sessions");
        let is_idle = || {
            let files = scene.env.files_below(&folder);
            let states = files.iter().filter_map(|(_, bytes)| serde_json::from_slice::<Value>(bytes).ok());
            states.filter(|state| state["status"] == "idle").count() == 1
        };
        while !is_idle() {
            assert!(Instant::now() < end, "it is not idle:\n{}", self.terminal.screen());
            std::thread::yield_now();
        }
    }

    /// Type a prompt and send it off, once that is possible.
    #[track_caller]
    fn submit(&mut self, scene: &Scene, prompt: &str) {
        self.wait_idle(scene);
        self.terminal.submit(prompt);
    }

    /// Type a prompt, have the model answer like this, and wait until the turn is over. The last turn must be a text.
    #[track_caller]
    fn say(&mut self, scene: &Scene, prompt: &str, turns: impl Into<Script>, last: &str) {
        self.model.play(turns);
        self.submit(scene, prompt);
        self.terminal.wait_for(last, PATIENCE);
        self.terminal.wait_gone("esc to interrupt", PATIENCE);
    }
}

fn call((tool, input): (&str, Value)) -> Turn {
    Turn::call(tool, input)
}

/// Wait until the log has so many events of this name that fit.
#[track_caller]
fn wait_for_events(scene: &Scene, name: &str, count: usize, fits: impl Fn(&Value) -> bool) {
    let end = Instant::now() + PATIENCE;
    while scene.events(name).iter().filter(|event| fits(event)).count() < count {
        assert!(Instant::now() < end, "no {count} events {name}:\n{:#?}", scene.events(name));
    }
}

#[test]
fn the_phrase_that_is_typed_opens_implementation_mode() {
    if skip_without("claude") {
        return;
    }
    let scene = Scene::claude(DISCUSSION);
    let write = || call(("Write", json!({ "file_path": scene.at("new.txt"), "content": "x" })));
    let mut seat = Seat::take(&scene, &EDITS);
    seat.say(&scene, "What would you change?", [write(), Turn::say("one answer")], "one answer");
    refused(&seat.model.tool_results()[0], "mode");
    assert_eq!(scene.read("new.txt"), None);
    seat.say(&scene, "Fine, go ahead!", [write(), Turn::say("another answer")], "another answer");
    assert_eq!(scene.read("new.txt").as_deref(), Some("x"));
    assert!(seat.model.saw("this session is now in implementation mode"));
}

/// A project in which two things are approved while there is a ticket.
const APPROVE: &str = "[projects.shop.approve]\ntools = [\"Write\"]\ncommands = [\"touch listed.txt\"]\n";
const QUESTION: &str = "Do you want to";

#[test]
fn only_what_is_listed_is_approved_and_only_with_a_ticket() {
    if skip_without("claude") {
        return;
    }
    let scene = Scene::claude(APPROVE);
    let ticket = scene.env.new_ticket("Limit logins");
    let mut seat = Seat::take(&scene, &["--allowedTools", "Bash(sb *)"]);
    let asked = |event: &Value| event["data"]["permission"] == "ask";

    // Without a ticket the dialog stays.
    seat.model.play([call(bash("touch listed.txt")), Turn::say("unreached")]);
    seat.submit(&scene, "PROMPT one");
    seat.terminal.wait_for(QUESTION, PATIENCE);
    wait_for_events(&scene, "hook.permission-request", 1, asked);
    assert!(seat.terminal.shows(QUESTION), "{}", seat.terminal.screen());
    assert_eq!(scene.read("listed.txt"), None);
    seat.terminal.press("\x1b");
    seat.terminal.wait_gone(QUESTION, PATIENCE);

    // With one, what is listed runs without an answer.
    let turns = [
        call(bash(&format!("sb pick {ticket}"))),
        call(bash("touch listed.txt")),
        call(("Write", json!({ "file_path": scene.at("new.txt"), "content": "x" }))),
        Turn::say("all approved"),
    ];
    seat.say(&scene, "PROMPT two", turns, "all approved");
    assert!(scene.read("listed.txt").is_some() && scene.read("new.txt").is_some());
    let allowed = |event: &Value| event["data"]["permission"] == "allow";
    wait_for_events(&scene, "hook.permission-request", 2, allowed);

    // What is not listed waits for the person, also with what is listed before it.
    for (at, line) in ["touch other.txt", "touch listed.txt && touch other.txt"].into_iter().enumerate() {
        seat.model.play([call(bash(line)), Turn::say("unreached")]);
        seat.submit(&scene, &format!("PROMPT and {at}"));
        seat.terminal.wait_for(QUESTION, PATIENCE);
        wait_for_events(&scene, "hook.permission-request", 2 + at, asked);
        assert!(seat.terminal.shows(QUESTION), "{}", seat.terminal.screen());
        assert_eq!(scene.read("other.txt"), None);
        seat.terminal.press("\x1b");
        seat.terminal.wait_gone(QUESTION, PATIENCE);
    }
    assert!(!seat.terminal.showed("unreached"));
    scene.found(
        "A permission dialog is answered only where it is listed and there is a ticket",
        Outcome::Works,
    );
}

#[test]
fn a_refusal_closes_the_dialog() {
    if skip_without("claude") {
        return;
    }
    let scene = Scene::claude(DISCUSSION);
    let mut seat = Seat::take(&scene, &[]);
    seat.say(
        &scene,
        "PROMPT one",
        [call(bash("touch new.txt")), Turn::say("the last word")],
        "the last word",
    );
    refused(&seat.model.tool_results()[0], "mode");
    assert!(!seat.terminal.showed(QUESTION), "{}", seat.terminal.log());
}

#[test]
fn compaction_keeps_mode_role_and_ticket() {
    if skip_without("claude") {
        return;
    }
    let mut scene = Scene::claude(DISCUSSION);
    let ticket = scene.env.new_ticket("Limit logins");
    scene.prepare_doer(FIRST, &ticket);
    scene.trust(&scene.folder);
    let mut seat = Seat::take(&scene, &[&EDITS[..], &["--session-id", FIRST]].concat());
    // Fewer messages are not enough to be compacted.
    for (prompt, answer) in
        [("PROMPT one", "one answer"), ("PROMPT more", "more of it"), ("PROMPT most", "most of it")]
    {
        seat.say(&scene, prompt, [call(bash("ls src")), Turn::say(answer)], answer);
    }
    let before = seat.model.requests().len();
    seat.model.play([Turn::say("<summary>They talked.</summary>"), Turn::say("more")]);
    seat.submit(&scene, "/compact");
    seat.terminal.wait_for("Compacted", PATIENCE);
    wait_for_events(&scene, "session.started", 2, |_| true);
    wait_for_events(&scene, "hook.post-compact", 1, |_| true);
    let write = call(("Write", json!({ "file_path": scene.at("src/new.rs"), "content": "x" })));
    seat.say(&scene, "PROMPT two", [write, Turn::say("another answer")], "another answer");
    let after = &seat.model.requests()[before..];
    let last =
        after.iter().rfind(|request| !request.body["tools"].is_null()).expect("a request").body.to_string();
    assert!(!last.contains("PROMPT one"), "it was not compacted: {last}");
    for words in ["Mode: discussion.", "Role: doer.", "Branch: work", &ticket] {
        assert!(last.contains(words), "{words}: {last}");
    }
    assert_eq!(scene.read("src/new.rs"), None);
    let started = scene.events("session.started");
    assert_eq!((&started[1]["data"]["source"], &started[1]["session"]), (&json!("compact"), &json!(FIRST)));
    scene.found("Compaction keeps mode, role and ticket", Outcome::Works);
}

#[test]
fn a_cleared_session_descends_from_the_one_before_and_keeps_its_charter() {
    if skip_without("claude") {
        return;
    }
    let mut scene = Scene::claude(DISCUSSION);
    let ticket = scene.env.new_ticket("Limit logins");
    scene.prepare_doer(FIRST, &ticket);
    scene.trust(&scene.folder);
    let mut seat =
        Seat::take(&scene, &[&EDITS[..], &["--session-id", FIRST, "--allowedTools", "Bash(sb *)"]].concat());
    seat.say(
        &scene,
        "PROMPT one",
        [call(bash(&format!("sb show {ticket}"))), Turn::say("one answer")],
        "one answer",
    );
    seat.submit(&scene, "/clear");
    wait_for_events(&scene, "session.started", 2, |_| true);
    seat.terminal.wait_gone("one answer", PATIENCE);
    let started = scene.events("session.started");
    assert_eq!(started[1]["data"]["source"], "clear");
    assert_ne!(started[1]["session"], FIRST);
    assert_eq!(started[1]["lineage"], json!([FIRST]));
    assert_eq!(
        (&started[1]["data"]["role"], &started[1]["data"]["mode"]),
        (&json!("doer"), &json!("discussion"))
    );
    let write = call(("Write", json!({ "file_path": scene.at("tests/new.rs"), "content": "x" })));
    seat.say(&scene, "Well then: go ahead!", [write, Turn::say("another answer")], "another answer");
    let results = seat.model.tool_results();
    refused(results.last().expect("a result"), "tests");
    scene.found("A cleared conversation keeps its identity and charter", Outcome::Works);
}
