//! `mode`, `session` and `statusline`: what a session may do, who says so, and where it is seen.

use serde_json::{Value, json};
use signalbox_testkit::TestEnv;

use crate::payloads::{ask_shell, changed, claude, events, hook, passed, refused_by};
use crate::support::{env, json as one, json_error, story};

fn mode_of(env: &TestEnv, session: &str) -> Value {
    one(&env.sb(["mode", "--session", session, "--json"]).success())["mode"].clone()
}

fn charter(env: &TestEnv, session: &str) -> Value {
    one(&env.sb(["session", "show", session, "--json"]).success())["charter"].clone()
}

#[test]
fn a_person_switches() {
    let env = env();
    env.sb(["mode", "bogus"]).code(2).says("there is no mode `bogus`").never_says("no session runs");
    let _ada = env.agent("ada");
    for (word, mode) in [
        ("status", "implementation"),
        ("discussion", "discussion"),
        ("Discussion", "discussion"),
        ("toggle", "implementation"),
        ("toggle", "discussion"),
        ("implementation", "implementation"),
    ] {
        env.sb(["mode", word, "--session", "ada"]).success();
        assert_eq!(mode_of(&env, "ada"), mode, "{word}");
    }
    // Without a name it is the only one that runs here.
    insta::assert_snapshot!(env.sb(["mode", "discussion"]), @"
    --- stderr
    ada is in discussion mode.
    ");
    insta::assert_snapshot!(env.sb(["mode"]), @"discussion");
    let told = one(&env.sb(["mode", "toggle", "--json"]).success());
    assert_eq!(told, json!({ "session": "ada", "name": "ada", "mode": "implementation" }));
    env.sb(["mode", "planning"]).code(2).says("there is no mode `planning`");
    env.sb(["mode", "--session", "nobody"]).code(3).says("there is no session `nobody`");
    let _bowie = env.agent("bowie");
    env.sb(["mode"]).code(4).says("several sessions run in this project");
    // Only what changed is recorded.
    assert_eq!(events(&env, "mode.changed").len(), 6);
}

#[test]
fn nobody_to_switch() {
    let env = env();
    env.sb(["mode"]).code(3).says("no session runs in this project");
    let error = json_error(&env.sb(["mode", "discussion", "--json"]).code(3));
    assert_eq!(error["code"], "session.none");
}

/// An agent may hold itself back, and nobody else; a person lets it go on.
#[test]
fn an_agent_switches() {
    let env = env();
    let (mut ada, _bowie) = (env.agent("ada"), env.agent("bowie"));
    ada.sb(["mode", "implementation"]).code(4).says("only a human may open implementation mode");
    ada.sb(["mode", "toggle"]).success();
    assert_eq!(mode_of(&env, "ada"), "discussion");
    for words in [
        &["mode", "implementation"][..],
        &["mode", "toggle"],
        &["mode", "implementation", "--session", "bowie"],
    ] {
        ada.sb(words).code(4).says("only a human may open implementation mode");
    }
    ada.sb(["mode", "discussion", "--session", "bowie"])
        .code(4)
        .says("only a human may switch another session's mode");
    ada.sb(["mode", "status", "--session", "bowie"]).success().says("implementation");
    assert_eq!(
        (mode_of(&env, "ada"), mode_of(&env, "bowie")),
        ("discussion".into(), "implementation".into())
    );
    refused_by("claude", "mode", &ask_shell(&env, &mut ada, "touch a"));
    env.sb(["mode", "implementation", "--session", "ada"]).success();
    passed("claude", &ask_shell(&env, &mut ada, "touch a"));
}

#[test]
fn changes_are_recorded_and_counted() {
    let env = story();
    let id = env.new_ticket("One");
    let mut ada = env.agent("ada");
    ada.sb(["pick", &id]).success();
    env.sb(["mode", "discussion", "--session", "ada"]).success();
    let prompt = claude(&env, "UserPromptSubmit", "ada", &json!({ "prompt": "yes, go ahead" }));
    hook(&env, &mut ada, "prompt", "claude", &prompt).success();
    ada.sb(["mode", "discussion"]).success();
    let changes: Vec<Value> =
        events(&env, "mode.changed").iter().map(|event| event["data"].clone()).collect();
    let change = |from: &str, to: &str, trigger: &str| (json!(from), json!(to), json!(trigger));
    let seen =
        changes.iter().map(|c| (c["previous_mode"].clone(), c["new_mode"].clone(), c["trigger"].clone()));
    assert_eq!(
        seen.collect::<Vec<_>>(),
        [
            change("implementation", "discussion", "command"),
            change("discussion", "implementation", "user_phrase"),
            change("implementation", "discussion", "command"),
        ]
    );
    assert_eq!(changes[1]["trigger_phrase"], "go ahead");
    // As the seed's queries ask for it.
    let sql = "SELECT session_id, correlation_id = :ticket AS of_ticket, json_extract(event_data, '$.previous_mode') AS from_mode, \
               json_extract(event_data, '$.new_mode') AS to_mode, json_extract(event_data, '$.trigger') AS trigger \
               FROM hook_events WHERE hook_name = 'user_prompt_submit' AND event_data LIKE '%mode_transition%' ORDER BY timestamp_ns";
    insta::assert_snapshot!(env.sb(["query", sql, "--ticket", &id]), @"
    session_id  of_ticket  from_mode       to_mode         trigger
    ada         1          implementation  discussion      command
    ada         1          discussion      implementation  user_phrase
    ada         1          implementation  discussion      command
    ");
    insta::assert_snapshot!(env.sb(["query", "--report", "time-per-mode"]), @"
    session  mode            seconds
    ada      discussion      1.0
    ada      implementation  1.0
    ");
    insta::assert_snapshot!(env.sb(["query", "--report", "time-per-mode", "--ticket", &id]), @"
    session  mode            seconds
    ada      discussion      1.0
    ada      implementation  1.0
    ");
}

/// What a person types may open implementation mode; nothing else may.
#[test]
fn phrases_that_open() {
    let env = env();
    let mut ada = env.agent("ada");
    for (name, prompt, extra, opens) in [
        ("UserPromptSubmit", "Looks right. Go ahead!", json!({}), true),
        ("UserPromptSubmit", "make it so", json!({}), true),
        ("UserPromptSubmit", "do the thing", json!({}), false),
        ("UserPromptSubmit", "don't go ahead yet", json!({}), false),
        ("UserPromptSubmit", "what happens before you go ahead?", json!({}), false),
        ("UserPromptSubmit", "what does `go ahead` mean to you?", json!({}), false),
        ("UserPromptSubmit", "she said \"ship it\" and left", json!({}), false),
        ("UserPromptSubmit", "> go ahead\n\nno, wait", json!({}), false),
        ("UserPromptSubmit", "```\ngo ahead\n```", json!({}), false),
        ("UserPromptSubmit", "", json!({}), false),
        // A report of a background task is a machine's, whatever stands in it.
        (
            "UserPromptSubmit",
            "<task-notification>\n<result>go ahead</result>\n</task-notification>",
            json!({}),
            false,
        ),
        (
            "UserPromptSubmit-task_notification",
            "<task-notification>go ahead</task-notification>",
            json!({}),
            false,
        ),
        // A subagent's prompt is its parent's.
        ("UserPromptSubmit", "go ahead", json!({ "agent_id": "a1", "agent_type": "general-purpose" }), false),
    ] {
        env.sb(["mode", "discussion", "--session", "ada"]).success();
        let mut payload = claude(&env, name, "ada", &extra);
        payload["prompt"] = prompt.into();
        let run = hook(&env, &mut ada, "prompt", "claude", &payload).success();
        let said = one_line(&run.stdout);
        assert_eq!(mode_of(&env, "ada"), if opens { "implementation" } else { "discussion" }, "{prompt}");
        let told = if opens {
            "is now in implementation mode"
        } else {
            "is in discussion mode: read, think and answer"
        };
        assert!(said.contains(told), "{prompt}: {run}");
    }
    // In implementation mode there is nothing to say.
    env.sb(["mode", "implementation", "--session", "ada"]).success();
    let payload = claude(&env, "UserPromptSubmit", "ada", &json!({ "prompt": "go ahead" }));
    assert_eq!(hook(&env, &mut ada, "prompt", "claude", &payload).success().stdout, "");
    let recorded = events(&env, "hook.prompt");
    assert_eq!((recorded.len(), &recorded[13]["data"]["prompt"]), (14, &"go ahead".into()));
    assert_eq!(recorded[10]["data"]["from_machine"], true);
}

/// The context that a hook's answer hands to the model.
fn one_line(stdout: &str) -> String {
    let said: Value = serde_json::from_str(stdout).expect("JSON");
    said["hookSpecificOutput"]["additionalContext"].as_str().expect("a context").to_owned()
}

#[test]
fn phrases_in_every_cli_and_of_ones_own() {
    let env = env();
    env.sb(["config", "set", "mode.triggers", "engage, full speed"]).success();
    let mut ada = env.agent("ada");
    for (cli, name, key) in [
        ("claude", "claude/UserPromptSubmit", "prompt"),
        ("codex", "codex/UserPromptSubmit", "prompt"),
        ("gemini", "gemini/BeforeAgent", "prompt"),
        ("copilot", "copilot/userPromptSubmitted", "prompt"),
        ("goose", "goose/UserPromptSubmit", "message"),
    ] {
        for (prompt, opens) in [("go ahead", false), ("Full speed, please", true)] {
            env.sb(["mode", "discussion", "--session", "ada"]).success();
            let id = if cli == "copilot" { "sessionId" } else { "session_id" };
            let mut payload = changed(name, &json!({ id: "ada" }));
            payload[key] = prompt.into();
            hook(&env, &mut ada, "prompt", cli, &payload).success();
            assert_eq!(
                mode_of(&env, "ada"),
                if opens { "implementation" } else { "discussion" },
                "{cli}: {prompt}"
            );
        }
    }
}

#[test]
fn who_runs() {
    let env = story();
    insta::assert_snapshot!(env.sb(["session", "list"]), @"
    --- stderr
    No session runs.
    ");
    let id = env.new_ticket("One");
    let (mut ada, bowie) = (env.agent("ada"), env.agent("bowie"));
    ada.sb(["pick", &id]).success();
    env.sb(["mode", "discussion", "--session", "bowie"]).success();
    env.sb(["session", "set", "--session", "later", "--role", "doer"]).success();
    insta::assert_snapshot!(env.sb(["session", "list"]), @"
    later  implementation  doer          -          shop  not started
    bowie  discussion      assistant     -          shop
    ada    implementation  assistant     sb_W7094S  shop
    ");
    let list = one(&env.sb(["session", "list", "--json"]).success());
    assert_eq!(list.as_array().expect("a list").len(), 3);
    assert!(!list.to_string().contains("capability"), "what proves who it is stays here: {list}");
    drop(bowie);
    env.sb(["session", "list"]).success().never_says("bowie");
    env.sb(["session", "list", "--all"]).success().says("bowie").says("ended");
    insta::assert_snapshot!(env.sb(["session", "show", "ada"]), @"
    ada  session ada
      cli        bash
      project    shop
      mode       implementation
      role       assistant
      ticket     sb_W7094S
      root       ROOT/shop
      tests      tests/**, test/**, spec/**, **/tests/**, **/__tests__/**, **/*_test.*, **/*_tests.*, **/*.test.*, **/*.spec.*, **/*_spec.*, **/test_*.py
      started    2026-11-15T10:00:04Z
    ");
    let shown = one(&ada.sb(["session", "show", "--json"]).success());
    assert_eq!(
        (&shown["id"], &shown["running"], &shown["charter"]["ticket"]),
        (&"ada".into(), &true.into(), &id.into())
    );
    assert_eq!(shown["pid"], ada.pid());
    // A prepared session is nothing to worry about.
    env.sb(["doctor"]).success().never_says("later");
}

#[test]
fn which_session_is_meant() {
    let env = env();
    let _sessions = [env.agent("abc-one"), env.agent("abc-two"), env.agent("xyz")];
    env.sb(["session", "show", "xy"]).success().says("session xyz");
    env.sb(["session", "show", "abc"]).code(4).says("more than one session begins with `abc`");
    env.sb(["session", "show", "abc-one"]).success();
    for unknown in ["nobody", "", "../x"] {
        env.sb(["session", "show", unknown]).code(3).says("there is no session");
        env.sb(["session", "refresh", unknown]).code(3);
        env.sb(["mode", "--session", unknown]).code(3);
    }
    env.sb(["session", "show"]).code(4).says("several sessions run");
}

#[test]
fn what_a_session_cannot_be_given() {
    let env = env();
    let mut ada = env.agent("ada");
    let set = |words: &[&str]| {
        let words: Vec<&str> = ["session", "set", "--session", "ada"].iter().chain(words).copied().collect();
        env.sb(words)
    };
    set(&["--role", "dore"]).code(2).says("there is no role `dore`").says("Did you mean `doer`?");
    set(&["--role", "emperor"]).code(2).says("The roles are: assistant, orchestrator");
    set(&["--worktree", "/nowhere/at/all"]).code(3).says("/nowhere/at/all is no folder");
    set(&["--ticket", "sb_zzzzzz"]).code(3);
    env.sb(["session", "set", "--session", "../x", "--role", "doer"]).code(2);
    env.sb(["session", "set", "--role", "doer"]).code(2);
    ada.sb(["session", "set", "--session", "ada", "--role", "lead"]).code(4).says("only a human may");
    assert_eq!(charter(&env, "ada")["role"], "assistant");
    assert_eq!(events(&env, "session.assigned").len(), 0);
}

/// A person says what a session will be before it begins.
#[test]
fn a_session_that_was_prepared() {
    let env = env();
    let id = env.new_ticket("Limit logins");
    let tree = env.root().join("tree");
    std::fs::create_dir(&tree).expect("a folder");
    let tree = tree.to_str().expect("UTF-8");
    let words = ["session", "set", "--session", "later", "--role", "test_writer", "--ticket", &id, "--json"];
    let told = one(&env.sb(words.iter().chain(&["--worktree", tree, "--branch", "limit"])).success());
    assert_eq!((&told["running"], &told["charter"]["role"]), (&false.into(), &"test-writer".into()));
    let mut later = signalbox_testkit::Agent::shell(&env, "later");
    let run = later.start_session("later").success();
    for says in ["Role: test-writer.", "Branch: limit, and no other.", "You write only in ", &id] {
        assert!(run.stdout.contains(says), "{says}: {run}");
    }
    let charter = charter(&env, "later");
    let expected =
        json!({ "role": "test-writer", "branch": "limit", "root": tree, "confined": true, "ticket": id });
    for (key, value) in expected.as_object().expect("an object") {
        assert_eq!(charter[key], *value, "{key}");
    }
    refused_by("claude", "outside", &ask_shell(&env, &mut later, "echo x > tests/a.rs"));
    passed("claude", &ask_shell(&env, &mut later, &format!("echo x > '{tree}/tests/a.rs'")));
    refused_by("claude", "tests", &ask_shell(&env, &mut later, &format!("echo x > '{tree}/src/a.rs'")));
    // What is not said again stays.
    env.sb(["session", "set", "--session", "later", "--role", "doer"])
        .success()
        .says("later is a doer now: ticket");
    assert_eq!(charter_field(&env, "later", "branch"), "limit");
    refused_by("claude", "tests", &ask_shell(&env, &mut later, &format!("echo x > '{tree}/tests/a.rs'")));
}

fn charter_field(env: &TestEnv, session: &str, key: &str) -> Value {
    charter(env, session)[key].clone()
}

/// Whoever descends from a session may do no more than it.
#[test]
fn what_is_passed_on() {
    let env = env();
    let mut ada = env.agent("ada");
    env.sb(["session", "set", "--session", "ada", "--role", "doer", "--branch", "own"]).success();
    env.sb(["mode", "discussion", "--session", "ada"]).success();
    // The conversation is cleared: the CLI announces another one in the same process.
    let run =
        hook(&env, &mut ada, "session-end", "claude", &claude(&env, "SessionEnd-clear", "ada", &json!({})));
    run.success();
    let start = claude(&env, "SessionStart-clear", "next", &json!({}));
    hook(&env, &mut ada, "session-start", "claude", &start)
        .success()
        .says("Mode: discussion.")
        .says("Role: doer.");
    let next = charter(&env, "next");
    assert_eq!(
        (&next["role"], &next["branch"], &next["mode"]),
        (&"doer".into(), &"own".into(), &"discussion".into())
    );
    // Another agent is started from its shell.
    let line = "bash -s <<<'printf \"{\\\"session_id\\\":\\\"below\\\"}\" | sb hook session-start; true'";
    ada.run(line).success();
    assert_eq!(charter(&env, "below")["role"], "doer");
    // Somebody else begins as always.
    let _carol = env.agent("carol");
    assert_eq!(charter(&env, "carol")["role"], "assistant");
}

#[test]
fn the_ticket_in_the_charter() {
    let env = env();
    let mut ada = env.agent("ada");
    let (first, second) = (env.new_ticket("One"), env.new_ticket("Two"));
    for (words, ticket) in [
        (&["pick", &first][..], json!(first)),
        (&["pick", &second], json!(second)),
        (&["switch", &first], json!(first)),
        (&["clear"], Value::Null),
        (&["switch", &second], json!(second)),
        (&["submit", "-m", "done"], json!(second)),
    ] {
        ada.sb(words).success();
        let now = charter_field(&env, "ada", "ticket");
        assert_eq!(now, ticket, "{words:?}");
        ask_shell(&env, &mut ada, "ls");
        let event = events(&env, "hook.pre-tool").pop().expect("an event");
        assert_eq!(event.get("ticket").cloned().unwrap_or_default(), ticket, "{words:?}");
    }
    env.sb(["session", "set", "--session", "ada", "--ticket", &first]).success();
    assert_eq!(charter_field(&env, "ada", "ticket"), first);
    assert_eq!(one(&ada.sb(["context", "--json"]).success())["ticket"], first);
}

/// A repository may ask for less than a person allows, never for more.
#[test]
fn what_a_repository_says() {
    let env = env();
    let policy = env.project().join(".signalbox/project.toml");
    std::fs::create_dir(env.project().join(".signalbox")).expect("a folder");
    env.write(
        &policy,
        "mode = \"discussion\"\nprotect = [\"infra/**\"]\ntests = [\"checks/**\"]\n[somebody.else]\nx = 1\n",
    );
    let mut ada = env.agent("ada");
    assert_eq!(mode_of(&env, "ada"), "discussion");
    env.sb(["mode", "implementation", "--session", "ada"]).success();
    refused_by("claude", "protected", &ask_shell(&env, &mut ada, "touch infra/main.tf"));
    // What it calls tests are tests besides the usual ones.
    let tests = charter_field(&env, "ada", "tests");
    for pattern in ["tests/**", "checks/**"] {
        assert!(tests.as_array().expect("a list").contains(&pattern.into()), "{tests}");
    }
    env.sb(["config", "set", "mode.default", "talking"]).code(2).says("`mode.default` cannot be `talking`");
    env.sb(["config", "set", "debug.level", "loud"]).code(2).says("`debug.level` cannot be `loud`");
    env.sb(["config", "set", "debug.format", "xml"]).code(2).says("`debug.format` cannot be `xml`");
    env.sb(["config", "set", "debug.level", ""]).success();
    for elsewhere in ["/etc/zz", "../../dbg"] {
        env.sb(["config", "set", "debug.file", elsewhere]).code(2).says("below $SIGNALBOX_HOME");
    }
    env.sb(["session", "set", "--session", "ada"]).code(2).says("there is nothing to set");
    env.sb(["config", "set", "mode.default", "discussion"]).success();
    env.write(&policy, "mode = \"implementation\"\n");
    let _bowie = env.agent("bowie");
    assert_eq!(mode_of(&env, "bowie"), "discussion");
    let tests = charter_field(&env, "bowie", "tests");
    for pattern in ["tests/**", "**/*_test.*", "**/*.spec.*", "**/test_*.py"] {
        assert!(tests.as_array().expect("a list").contains(&pattern.into()), "{tests}");
    }
    // The project's own setting of a person counts for more than the user's.
    let config = env.home().join("config.toml");
    env.edit(&config, "[projects.shop]\n", "[projects.shop]\nmode = \"implementation\"\n");
    let _carol = env.agent("carol");
    assert_eq!(mode_of(&env, "carol"), "implementation");
}

#[test]
fn a_charter_compiled_anew() {
    let env = env();
    let mut ada = env.agent("ada");
    passed("claude", &ask_shell(&env, &mut ada, "touch infra/a"));
    env.sb(["config", "set", "protect.also", "infra/**"]).success();
    passed("claude", &ask_shell(&env, &mut ada, "touch infra/a"));
    insta::assert_snapshot!(env.sb(["session", "refresh"]), @"
    --- stderr
    The charter of ada is compiled anew.
    ");
    refused_by("claude", "protected", &ask_shell(&env, &mut ada, "touch infra/a"));
}

/// What Claude Code 2.1.197 sends its status line, as recorded, without what is not looked at.
fn status_line(env: &TestEnv, session: &str) -> String {
    json!({
        "session_id": session, "cwd": env.project(), "model": { "id": "claude-opus-4-8[1m]", "display_name": "Opus 4.8" },
        "workspace": { "current_dir": env.project(), "project_dir": env.project(), "added_dirs": [] },
        "version": "2.1.197", "output_style": { "name": "default" },
        "cost": { "total_cost_usd": 0.126, "total_duration_ms": 8997, "total_lines_added": 0 },
        "context_window": { "context_window_size": 1_000_000, "used_percentage": 41.6, "remaining_percentage": 58.4 },
    })
    .to_string()
}

#[test]
fn the_line_for_a_status_bar() {
    let env = story();
    let id = env.new_ticket("One");
    let mut ada = env.agent("ada");
    let line = |session: &str| env.sb_with_input(["statusline"], status_line(&env, session)).success().stdout;
    assert_eq!(line("ada"), "no ticket · implementation · $0.13 · 42% context\n");
    for input in ["", "not json", "{}", "{\"session_id\": \"../x\"}", "[]"] {
        let run = env.sb_with_input(["statusline"], input).success();
        assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("\n", ""), "{input}");
    }
    ada.sb(["pick", &id]).success();
    env.sb(["mode", "discussion", "--session", "ada"]).success();
    std::fs::create_dir(env.project().join(".git")).expect("a folder");
    env.write(env.project().join(".git/HEAD"), "ref: refs/heads/limit-logins\n");
    assert_eq!(line("ada"), format!("{id} · discussion · limit-logins · $0.13 · 42% context\n"));
    assert_eq!(line("somebody-else"), "limit-logins · $0.13 · 42% context\n");
}

/// An agent CLI may be gone without a word, and where its process cannot be seen, only a person can know.
#[test]
fn a_person_ends_a_session() {
    let env = env();
    let mut ada = env.agent("ada");
    let running = || one(&env.sb(["session", "list", "--json"]).success()).as_array().expect("a list").len();
    assert_eq!(running(), 1);
    env.sb(["session", "end", "ada"]).success().says("ada has ended.");
    env.sb(["session", "end", "ada"]).success().says("has ended already");
    env.sb(["session", "end", "nobody"]).code(3);
    assert_eq!(running(), 0);
    assert_eq!(events(&env, "session.ended").len(), 1);
    // If it goes on after all, it is a session like any other again.
    passed("claude", &ask_shell(&env, &mut ada, "ls"));
    assert_eq!(running(), 1);
}
