//! Subagents of Claude Code: each gets its ticket, is a session of its own, and may no more than its parent.

use serde_json::{Value, json};
use signalbox_testkit::clis::skip_without;
use signalbox_testkit::model::{Part, Script, ToolResult, Turn};

use crate::support::{BYPASS, DISCUSSION, FIRST, Outcome, Scene, Talk, bash, refused};

/// A main agent that makes these calls, then sets a subagent to work that makes the others.
fn delegate(scene: &Scene, first: &[(&str, Value)], task: &str, calls: &[(&str, Value)]) -> Talk {
    let prompt = format!("SUBAGENT, {task}");
    let agent = json!({ "description": "d", "prompt": prompt, "subagent_type": "general-purpose" });
    let turn = |(tool, input): &(&str, Value)| Turn::call(tool, input.clone());
    let main = first.iter().map(turn).chain([Turn::call("Agent", agent), Turn::say("the last word")]);
    let script =
        Script::new(main).beside("SUBAGENT", calls.iter().map(turn).chain([Turn::say("it is done")]));
    scene.talk(script, "PROMPT of the test", &[&BYPASS[..], &["--session-id", FIRST]].concat())
}

/// What the subagent's calls came to.
fn results(talk: &Talk) -> Vec<ToolResult> {
    let all = talk.model.tool_results();
    let requests = talk.model.requests();
    let bodies: Vec<String> =
        requests.iter().filter(|r| matches!(r.part, Part::Beside(_))).map(|r| r.body.to_string()).collect();
    all.into_iter()
        .filter(|result| bodies.iter().any(|body| body.contains(&format!("\"{}\"", result.id))))
        .collect()
}

/// Whether the subagent itself was told.
fn told(talk: &Talk, words: &str) -> bool {
    let beside = talk.model.requests().into_iter().filter(|request| matches!(request.part, Part::Beside(_)));
    beside.map(|request| request.body.to_string()).any(|body| body.contains(words))
}

/// A ticket that another agent worked on and handed in.
fn in_review(scene: &Scene) -> String {
    let ticket = scene.env.new_ticket("Limit logins");
    let mut worker = scene.env.agent("worker");
    worker.sb(["pick", &ticket]).success();
    worker.sb(["submit", "-m", "done"]).success();
    ticket
}

#[test]
fn a_subagent_gets_its_ticket_and_is_a_session_of_its_own() {
    if skip_without("claude") {
        return;
    }
    let scene = Scene::claude("");
    let body = "No more than three attempts a minute";
    let run =
        scene.env.sb(["new", "Limit logins", "--body", body, "--accept", "The fourth is refused"]).success();
    let ticket = run.stdout.trim();
    let calls = [bash("sb context --json"), bash(&format!("sb pick {ticket}")), bash("echo no sb here")];
    let talk = delegate(&scene, &[], &format!("work on {ticket}, please"), &calls);
    let results = results(&talk);
    talk.run.clone().success().says("the last word");
    for words in [body, "The fourth is refused", &format!("sb pick {ticket}"), "Signalbox: you are"] {
        assert!(told(&talk, words), "{words}");
    }
    let context: Value = serde_json::from_str(&results[0].text).expect("the context");
    let own = context["session"].as_str().expect("a session").to_owned();
    assert!(own.starts_with(&format!("{FIRST}.agent-")), "{own}");
    assert_eq!(context["lineage"], json!([FIRST]));
    assert_eq!(context["ticket"], json!(ticket));
    assert!(results.iter().all(|result| !result.is_error), "{results:?}");
    let sessions = scene.sessions();
    let session = sessions.iter().find(|session| session["id"] == own.as_str()).expect("its record");
    assert_eq!((&session["lineage"], &session["subagent"]), (&json!([FIRST]), &json!("general-purpose")));
    let claimed =
        scene.events("status.*").into_iter().rfind(|event| event["ticket"] == ticket).expect("a claim");
    assert_eq!((&claimed["session"], &claimed["lineage"]), (&json!(own), &json!([FIRST])));
    assert_eq!(scene.events("hook.subagent-stop").len(), 1);
    scene.found("A subagent is told its ticket and commands", Outcome::Works);
    scene.found("A subagent's `sb` knows that it is the subagent", Outcome::Works);
    scene.found("What a subagent does, under its own name and its parent's", Outcome::Recorded);
}

#[test]
fn a_subagent_of_one_who_only_read_may_review() {
    if skip_without("claude") {
        return;
    }
    let scene = Scene::claude("");
    let ticket = in_review(&scene);
    let first = [bash(&format!("sb show {ticket}")), bash(&format!("sb approve {ticket}"))];
    let task = format!("review {ticket}");
    let calls = [bash(&format!("sb review {ticket}")), bash(&format!("sb approve {ticket} -m fine"))];
    let talk = delegate(&scene, &first, &task, &calls);
    let of_parent = talk.model.tool_results();
    assert!(of_parent[1].text.contains("read it before the review"), "{of_parent:#?}");
    let results = results(&talk);
    assert!(results.iter().all(|result| !result.is_error), "{results:#?}");
    assert!(told(&talk, "It waits for an independent review"));
    talk.run.success();
    assert_eq!(scene.status(&ticket), "done");
    scene.found("A subagent of one who only read may review", Outcome::Works);
}

#[test]
fn neither_who_worked_on_it_nor_its_subagent_may_review() {
    if skip_without("claude") {
        return;
    }
    let scene = Scene::claude("");
    let ticket = scene.env.new_ticket("Limit logins");
    let approve = format!("sb approve {ticket} -m fine");
    let first = [bash(&format!("sb pick {ticket} && sb submit -m done")), bash(&approve)];
    let calls = [
        bash(&approve),
        bash(&format!("env -u SIGNALBOX_SESSION {approve}")),
        bash(&format!("setsid {approve}")),
    ];
    let talk = delegate(&scene, &first, "approve what waits", &calls);
    let all = talk.model.tool_results();
    let results = results(&talk);
    assert!(all[1].text.contains("may not review"), "{all:#?}");
    assert_eq!(results.len(), calls.len(), "{results:#?}");
    for result in &results {
        assert!(result.is_error && result.text.contains("may not review"), "{result:?}");
    }
    talk.run.success();
    assert_eq!(scene.status(&ticket), "review");
    scene.found("Approving one's own work through the shell", Outcome::Blocked);
}

#[test]
fn a_subagent_is_refused_what_its_parents_mode_refuses() {
    if skip_without("claude") {
        return;
    }
    let scene = Scene::claude(DISCUSSION);
    let write = ("Write", json!({ "file_path": scene.at("new.txt"), "content": "x" }));
    let calls = [write, bash("echo x > new.txt"), bash("sb mode implementation"), bash("ls src")];
    let talk = delegate(&scene, &[], "write it down", &calls);
    let results = results(&talk);
    assert_eq!(results.len(), 4, "{results:#?}");
    refused(&results[0], "mode");
    refused(&results[1], "mode");
    refused(&results[2], "human");
    assert!(!results[3].is_error, "{:?}", results[3]);
    assert_eq!(scene.read("new.txt"), None);
    talk.run.success();
    scene.found("A subagent of a discussing session", Outcome::Warned);
}
