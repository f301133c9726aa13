//! Claude Code without a terminal: what a session is told, what a discussing one and a doer may do.

use std::path::Path;

use serde_json::{Value, json};
use signalbox_testkit::clis::skip_without;
use signalbox_testkit::model::{Script, Turn};
use signalbox_testkit::quote;

use crate::NOTHING;
use crate::support::{BYPASS, DISCUSSION, FIRST, Outcome, Scene, bash, passed, refused};

#[test]
fn a_session_is_told_its_batch_mode_and_role() {
    if skip_without("claude") {
        return;
    }
    let scene = Scene::claude("");
    let ticket = scene.env.new_ticket("Limit logins");
    let talk = scene.talk([Turn::say("the last word")], "PROMPT of the test", &NOTHING);
    talk.run.success().says("the last word");
    for words in ["Ready to be worked on:", &ticket, "Limit logins", "Mode: implementation."] {
        assert!(talk.model.saw(words), "{words}");
    }
    let mut scene = Scene::claude(DISCUSSION);
    let ticket = scene.env.new_ticket("Limit logins");
    scene.prepare_doer(FIRST, &ticket);
    let talk = scene.talk([Turn::say("the last word")], "PROMPT of the test", &["--session-id", FIRST]);
    talk.run.success();
    for words in
        ["Mode: discussion.", "Role: doer.", "Branch: work, and no other.", "Your current ticket:", &ticket]
    {
        assert!(talk.model.saw(words), "{words}");
    }
    let started = scene.events("session.started");
    assert_eq!(started.len(), 1, "{started:#?}");
    assert_eq!(started[0]["data"]["role"], "doer");
    let ended = scene.events("session.ended");
    assert_eq!(ended.len(), 1, "{ended:#?}");
    scene.found("A session is told its work, mode and role when it starts", Outcome::Works);
    scene.found("The end of a session", Outcome::Recorded);
}

#[test]
fn a_discussing_session_reads_and_writes_nothing() {
    if skip_without("claude") {
        return;
    }
    let scene = Scene::claude(DISCUSSION);
    let before = (scene.read("src/lib.rs"), scene.read("book.ipynb"));
    let lib = scene.at("src/lib.rs");
    let results = scene.calls(
        &[
            ("Read", json!({ "file_path": lib })),
            ("Read", json!({ "file_path": scene.at("book.ipynb") })),
            bash("ls src && git log --oneline | head -3"),
            bash("grep -rn limit src"),
            ("Write", json!({ "file_path": scene.at("new.txt"), "content": "x" })),
            ("Edit", json!({ "file_path": lib, "old_string": "{ 3 }", "new_string": "{ 4 }" })),
            (
                "NotebookEdit",
                json!({ "notebook_path": scene.at("book.ipynb"), "cell_id": "one", "new_source": "2" }),
            ),
            bash("echo x > new.txt"),
            bash("sed -i s/3/4/ src/lib.rs"),
            bash("python3 -c 'open(\"new.txt\",\"w\").write(\"x\")'"),
            bash("sh -c 'touch new.txt'"),
            bash("git commit --allow-empty -m x"),
        ],
        &BYPASS,
    );
    results[..4].iter().for_each(passed);
    assert!(results[2].text.contains("The first"), "{:?}", results[2]);
    for result in &results[4..] {
        refused(result, "mode");
        assert!(result.text.contains("go ahead"), "what to do instead: {result:?}");
    }
    assert_eq!(scene.read("new.txt"), None);
    assert_eq!((scene.read("src/lib.rs"), scene.read("book.ipynb")), before);
    let denied = scene.events("hook.pre-tool").iter().filter(|e| e["data"]["permission"] == "deny").count();
    assert_eq!(denied, 8);
    scene.found("Discussion mode: file tools that write", Outcome::Warned);
    scene.found("Discussion mode: shell commands that write", Outcome::Warned);
    scene.found("Discussion mode: reading goes on", Outcome::Works);
}

#[test]
fn the_phrase_opens_a_resumed_session_and_an_agent_cannot() {
    if skip_without("claude") {
        return;
    }
    let scene = Scene::claude(DISCUSSION);
    let write = || Turn::call("Write", json!({ "file_path": scene.at("new.txt"), "content": "x" }));
    let arguments = [&BYPASS[..], &["--session-id", FIRST]].concat();
    let line = "sb mode implementation; sb mode toggle";
    let talk = scene.talk([write(), Turn::call("Bash", bash(line).1)], "What would you change?", &arguments);
    talk.run.success();
    let results = talk.model.tool_results();
    refused(&results[0], "mode");
    refused(&results[1], "human");
    assert_eq!(scene.read("new.txt"), None);

    let arguments = [&BYPASS[..], &["--resume", FIRST]].concat();
    let talk = scene.talk([write()], "Do not go ahead yet.", &arguments);
    talk.run.success();
    refused(&talk.model.tool_results()[2], "mode");
    let talk = scene.talk([write()], "Good. Go ahead.", &arguments);
    talk.run.success();
    passed(&talk.model.tool_results()[3]);
    assert_eq!(scene.read("new.txt").as_deref(), Some("x"));
    assert!(talk.model.saw("this session is now in implementation mode"));
    let changed = scene.events("mode.changed");
    assert_eq!(changed.len(), 1, "{changed:#?}");
    assert_eq!(changed[0]["data"]["trigger_phrase"], "go ahead");
    scene.found("The person's phrase opens implementation mode", Outcome::Works);
}

#[test]
fn a_doer_stays_in_its_worktree_on_its_branch_and_off_the_tests() {
    if skip_without("claude") {
        return;
    }
    let mut scene = Scene::claude("");
    let ticket = scene.env.new_ticket("Limit logins");
    let [main, outside, hook] = ["src/lib.rs", "new.txt", ".git/hooks/pre-commit"].map(|name| scene.at(name));
    scene.prepare_doer(FIRST, &ticket);
    let read = |path: String| ("Read", json!({ "file_path": path }));
    let write = |path: String| ("Write", json!({ "file_path": path, "content": "x" }));
    let edit = |path: String, old: &str| {
        ("Edit", json!({ "file_path": path, "old_string": old, "new_string": "{ 4 }" }))
    };
    let first = [
        bash(&format!("sb pick {ticket}")),
        read(scene.at("tests/api.rs")),
        read(scene.at("src/lib.rs")),
        read(main.clone()),
    ];
    let wrong = [
        (write(scene.at("tests/new.rs")), "tests"),
        (edit(scene.at("tests/api.rs"), "holds"), "tests"),
        (bash("echo x > tests/api.rs"), "tests"),
        (bash("sed -i s/holds/h/ tests/api.rs"), "tests"),
        (bash("git checkout main"), "branch"),
        (bash("git switch -c other"), "branch"),
        (bash("git push --force origin work"), "branch"),
        (write(hook.clone()), "protected"),
        (write(scene.at(".claude/settings.json")), "protected"),
        (bash("mkdir -p .claude && echo x > .claude/settings.json"), "protected"),
        (write(main.clone()), "outside"),
        (bash(&format!("echo x > {}", quote(&outside))), "outside"),
        (bash("echo x > Makefile"), "build"),
    ];
    let right = [
        write(scene.at("src/new.rs")),
        edit(scene.at("src/lib.rs"), "{ 3 }"),
        bash(
            "echo '// more' >> src/new.rs && git add -A && git commit -q -m 'The second' && git status --short",
        ),
        bash("sb note 'done it' && sb submit"),
    ];
    let calls: Vec<_> =
        first.iter().chain(wrong.iter().map(|(call, _)| call)).chain(&right).cloned().collect();
    let results = scene.calls(&calls, &[&BYPASS[..], &["--session-id", FIRST]].concat());
    let (first, rest) = results.split_at(first.len());
    let (stopped, done) = rest.split_at(wrong.len());
    for ((call, rule), result) in wrong.iter().zip(stopped) {
        assert!(
            result.text.contains(&format!("(rule: {rule})")),
            "{call:?} is not refused by {rule}: {result:?}"
        );
    }
    for result in first.iter().chain(done) {
        assert!(!result.is_error, "{result:?}");
    }
    assert_eq!(scene.read("tests/api.rs").as_deref(), Some("#[test]\nfn holds() {}\n"));
    assert_eq!(scene.read("src/lib.rs").as_deref(), Some("pub fn limit() -> u32 { 4 }\n"));
    assert_eq!(scene.env.read(main), "pub fn limit() -> u32 { 3 }\n");
    assert!(!Path::new(&outside).exists() && !Path::new(&hook).exists() && scene.read("Makefile").is_none());
    scene.env.bash("git -C ../tree log -1 --format=%s:%D").success().says("The second:HEAD -> work");
    assert_eq!(scene.status(&ticket), "review");
    for what in ["tests", "other branches", "protected files", "files outside the worktree", "build files"] {
        scene.found(&format!("A doer and {what}"), Outcome::Warned);
    }
}

#[test]
fn a_resumed_and_a_forked_conversation_keep_identity_and_charter() {
    if skip_without("claude") {
        return;
    }
    let mut scene = Scene::claude("");
    let ticket = scene.env.new_ticket("Limit logins");
    scene.prepare_doer(FIRST, &ticket);
    let pick = bash(&format!("sb pick {ticket} && sb submit -m done"));
    scene.calls(&[pick], &[&BYPASS[..], &["--session-id", FIRST]].concat());
    let calls = [
        ("Write", json!({ "file_path": scene.at("tests/new.rs"), "content": "x" })),
        bash("sb context --json"),
        bash(&format!("sb approve {ticket}")),
    ];
    let mut ids = Vec::new();
    for more in [&["--resume", FIRST][..], &["--resume", FIRST, "--fork-session"]] {
        let turns: Vec<Turn> = calls.iter().map(|(tool, input)| Turn::call(tool, input.clone())).collect();
        let talk = scene.talk(turns, "PROMPT again", &[&BYPASS[..], more].concat());
        talk.run.success();
        let results = talk.model.tool_results();
        let [.., write, context, approve] = results.as_slice() else { panic!("{results:#?}") };
        refused(write, "tests");
        assert!(approve.text.contains("may not review"), "{approve:?}");
        let context: Value = serde_json::from_str(&context.text).expect("the context");
        ids.push((context["session"].as_str().expect("a session").to_owned(), context["lineage"].clone()));
        for words in ["Role: doer.", "Branch: work, and no other."] {
            assert!(talk.model.saw(words), "{words}");
        }
    }
    assert_eq!(ids[0], (FIRST.to_owned(), json!([])));
    assert_ne!(ids[1].0, FIRST);
    assert_eq!(ids[1].1, json!([FIRST]));
    assert_eq!(scene.read("tests/new.rs"), None);
    assert_eq!(scene.status(&ticket), "review");
    scene.found("A resumed conversation keeps its identity and charter", Outcome::Works);
    scene.found("A forked conversation descends from the first and keeps its charter", Outcome::Works);
}

/// A doer cannot shed its role by starting another agent.
#[test]
fn an_agent_that_is_started_by_an_agent_is_bound_as_that_one_is() {
    if skip_without("claude") {
        return;
    }
    let mut scene = Scene::claude("");
    let ticket = scene.env.new_ticket("Limit logins");
    scene.prepare_doer(FIRST, &ticket);
    let program = signalbox_testkit::clis::Cli::find("claude").expect("it is there");
    let line = format!(
        "{} -p 'INNER, go' --permission-mode bypassPermissions",
        quote(program.to_str().expect("UTF-8"))
    );
    let write = Turn::call("Write", json!({ "file_path": scene.at("tests/new.rs"), "content": "x" }));
    let script =
        Script::new([Turn::call("Bash", bash(&line).1)]).beside("INNER", [write, Turn::say("inner word")]);
    let talk = scene.talk(script, "PROMPT of the test", &[&BYPASS[..], &["--session-id", FIRST]].concat());
    talk.run.success();
    assert_eq!(scene.read("tests/new.rs"), None);
    let results = talk.model.tool_results();
    let inner = results.iter().any(|result| result.text.contains("(rule: tests)"));
    assert!(inner || results[0].text.contains("Signalbox refused"), "{results:#?}");
    scene.found("An agent that a doer starts is bound as the doer is", Outcome::Warned);
}
