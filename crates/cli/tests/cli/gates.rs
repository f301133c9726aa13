//! `hook pre-tool`: every rule, in every agent CLI's own words, and a trace of every call in the log.

use serde_json::{Value, json};
use signalbox_testkit::{Agent, TestEnv};

use crate::payloads::{
    CLIS, ask, ask_shell, claude, events, hook, passed, record_file, refusal, refused_by, shell_call,
    write_call,
};
use crate::support::{env, json as one};

/// The agents of one project: one that does as it likes, one that only talks, a doer and a reviewer.
struct Crew {
    env: TestEnv,
    agents: Vec<Agent>,
}

impl Crew {
    fn new() -> Self {
        let env = env();
        let config = env.home().join("config.toml");
        let rules = "\n[[rules]]\nname = \"no publishing\"\ndecision = \"deny\"\ncommand = \"cargo publish*\"\n\
                     reason = \"releases are made by people\"\nmatch = [\"cargo publish --dry-run\"]\n\
                     not_match = [\"cargo build\"]\n\n[[rules]]\nname = \"local make\"\ndecision = \"allow\"\n\
                     path = \"local/**\"\n";
        env.write(&config, format!("{}{rules}", env.read(&config)));
        std::fs::create_dir_all(env.project().join("src")).expect("a folder");
        std::fs::create_dir_all(env.project().join("tests")).expect("a folder");
        let agents = ["plain", "talker", "doer", "reviewer"].map(|name| env.agent(name)).into();
        env.sb(["mode", "discussion", "--session", "talker"]).success();
        let project = env.project();
        let project = project.to_str().expect("UTF-8");
        let doer = [
            "session",
            "set",
            "--session",
            "doer",
            "--role",
            "doer",
            "--branch",
            "own",
            "--worktree",
            project,
        ];
        env.sb(doer).success();
        env.sb(["session", "set", "--session", "reviewer", "--role", "reviewer"]).success();
        Self { env, agents }
    }

    fn agent(&mut self, name: &str) -> (&TestEnv, &mut Agent) {
        let agent = self.agents.iter_mut().find(|agent| agent.name == name).expect("one of the crew");
        (&self.env, agent)
    }
}

/// Session, rule, a command line that it refuses, and one that it lets pass.
const COMMANDS: &[(&str, &str, &str, &str)] = &[
    ("talker", "mode", "echo hi > out.txt; ls", "ls -la; cat src/lib.rs | grep fn"),
    ("plain", "human", "cd src && sb override sb_000000 done", "sb list --all"),
    ("plain", "protected", "printf x | tee .git/hooks/pre-commit", "printf x | tee out.txt"),
    ("plain", "own", "env A=1 cargo publish --dry-run", "cargo build"),
    ("doer", "branch", "git checkout main", "git commit -m 'Limit logins'"),
    ("doer", "outside", "touch /srv/canary", "touch src/canary"),
    ("doer", "tests", "rm -rf tests", "cargo test"),
    ("doer", "build", "echo all: > Makefile", "echo all: > local/Makefile"),
    ("reviewer", "ownership", "touch src/canary", "cat src/lib.rs"),
];

#[test]
fn every_rule_for_command_lines_in_every_cli() {
    let mut crew = Crew::new();
    for (session, rule, no, yes) in COMMANDS {
        for cli in CLIS {
            let (env, agent) = crew.agent(session);
            refused_by(cli, rule, &ask(env, agent, cli, &shell_call(env, cli, session, no)));
            passed(cli, &ask(env, agent, cli, &shell_call(env, cli, session, yes)));
        }
    }
}

#[test]
fn every_rule_for_files_in_every_cli() {
    let mut crew = Crew::new();
    for (session, rule, no, yes) in [
        ("talker", "mode", "src/a.rs", None),
        ("plain", "protected", ".claude/settings.json", Some("src/a.rs")),
        ("plain", "protected", "src/../.GIT/hooks/pre-commit", Some("src/../b.rs")),
        ("doer", "outside", "../elsewhere.rs", Some("src/a.rs")),
        ("doer", "tests", "tests/login.rs", Some("src/tested.rs")),
        ("doer", "build", "CLAUDE.md", Some("docs/notes.md")),
        ("reviewer", "ownership", "src/a.rs", None),
    ] {
        for cli in CLIS {
            let (env, agent) = crew.agent(session);
            let at = |path: &str| env.project().join(path).to_str().expect("UTF-8").to_owned();
            refused_by(cli, rule, &ask(env, agent, cli, &write_call(env, cli, session, &at(no))));
            if let Some(yes) = yes {
                passed(cli, &ask(env, agent, cli, &write_call(env, cli, session, &at(yes))));
            }
        }
    }
}

/// What the agent is told: why not, what instead, and which rule says so.
#[test]
fn the_words_of_a_refusal() {
    let mut crew = Crew::new();
    let (env, doer) = crew.agent("doer");
    let run = ask_shell(env, doer, "rm tests/login.rs");
    insta::assert_snapshot!(refusal("claude", &run), @r#"Signalbox refused this: `tests/login.rs` is a test, and a doer does not change tests. Make the tests pass as they are. If a test is wrong, say which and why: `sb note "…"`, or give the ticket back with `sb release`. (rule: tests)"#);
    let (env, talker) = crew.agent("talker");
    let run = ask_shell(env, talker, "cargo test");
    insta::assert_snapshot!(refusal("claude", &run), @r#"Signalbox refused this: this session is in discussion mode, and `cargo` runs the project's code and writes files. Say what you would do and why. The person opens implementation mode with a phrase such as "go ahead", or with `sb mode implementation`. (rule: mode)"#);
}

#[test]
fn every_call_is_in_the_log_and_in_the_view() {
    let env = env();
    let mut ada = env.agent("ada");
    let id = env.new_ticket("Limit logins");
    ada.sb(["pick", &id]).success();
    ask_shell(&env, &mut ada, "sb close it");
    passed("claude", &ask_shell(&env, &mut ada, "ls"));
    let calls = events(&env, "hook.pre-tool");
    let [refused, allowed] = calls.as_slice() else { panic!("{calls:?}") };
    let shared = json!({
        "tool": "Bash", "tool_name": "Bash", "execution_id": "toolu_0002", "mode": "implementation", "cwd": env.project(),
    });
    for (event, permission, command) in [(refused, "deny", "sb close it"), (allowed, "allow", "ls")] {
        for (key, value) in shared.as_object().expect("an object") {
            assert_eq!(event["data"][key], *value, "{key}: {event}");
        }
        assert_eq!(event["data"]["permission"], permission);
        assert_eq!(event["data"]["command"], command);
        let whose = (&event["session"], &event["actor"], &event["ticket"], &event["project"]);
        assert_eq!(whose, (&"ada".into(), &"ada".into(), &id.as_str().into(), &"shop".into()));
    }
    assert_eq!((&refused["data"]["rule"], &refused["data"]["code"]), (&"human".into(), &"human.only".into()));
    assert_eq!((&allowed["data"]["rule"], &allowed["data"]["reason"]), (&Value::Null, &Value::Null));
    let sql = "SELECT session_id, correlation_id, execution_id, json_extract(event_data, '$.permission') AS permission, \
               json_extract(event_data, '$.daic_mode') AS mode FROM hook_events WHERE hook_name = 'pre_tool_use' ORDER BY id";
    let row = |permission: &str| {
        json!({ "session_id": "ada", "correlation_id": id, "execution_id": "toolu_0002", "permission": permission,
                "mode": "implementation" })
    };
    assert_eq!(one(&env.sb(["query", "--json", sql]).success()), json!([row("deny"), row("allow")]));
    env.sb(["query", "--report", "refusals"]).success().says("Bash  ada      1");
}

/// A server's tool is judged by what it is given: files and command lines.
#[test]
fn tools_of_mcp_servers() {
    let mut crew = Crew::new();
    let call = |env: &TestEnv, session: &str, tool: &str, input: Value| {
        claude(env, "PreToolUse-mcp__tiny__echo", session, &json!({ "tool_name": tool, "tool_input": input }))
    };
    for (session, rule, tool, input) in [
        (
            "plain",
            "protected",
            "mcp__files__write",
            json!({ "path": ".git/hooks/pre-commit", "content": "x" }),
        ),
        (
            "plain",
            "protected",
            "mcp__files__write_many",
            json!({ "files": { ".claude/settings.json": "{}" } }),
        ),
        ("plain", "protected", "mcp__files__move", json!({ "from": "a", "to": "file:///x/.git/con%66ig" })),
        (
            "plain",
            "human",
            "mcp__shell__run",
            json!({ "command": "sb", "args": ["approve-all"], "script": "sb close 1" }),
        ),
        ("plain", "human", "mcp__shell__exec", json!({ "argv": ["sb", "override", "sb_000000", "done"] })),
        ("plain", "own", "mcp__shell__run", json!({ "cmd": "cargo publish" })),
        ("doer", "tests", "mcp__files__write", json!({ "file_path": "tests/login.rs" })),
        ("doer", "outside", "mcp__files__write", json!({ "file_path": "/srv/canary" })),
        ("talker", "mode", "mcp__tiny__echo", json!({ "text": "hey" })),
        ("talker", "mode", "mcp__signalbox2__add_note", json!({ "text": "hey" })),
        ("talker", "mode", "mcp__signalbox__write", json!({ "text": "hey" })),
        ("talker", "mode", "mcp__signalbox__add_monitor", json!({ "settings": { "command": "rm -r src" } })),
        ("plain", "human", "mcp__signalbox__add_note", json!({ "command": "sb override sb_000000 done" })),
        ("reviewer", "ownership", "mcp__files__write", json!({ "path": "src/lib.rs" })),
    ] {
        let (env, agent) = crew.agent(session);
        refused_by("claude", rule, &ask(env, agent, "claude", &call(env, session, tool, input)));
    }
    for (session, tool, input) in [
        ("plain", "mcp__tiny__echo", json!({ "text": "hey" })),
        ("plain", "mcp__files__write", json!({ "path": "src/lib.rs", "content": "x" })),
        ("talker", "mcp__tracker__get_issue", json!({ "id": 3 })),
        // Our own do what `sb` in a shell may do as well, and name no files though it may look so.
        ("talker", "mcp__signalbox__context", json!({})),
        ("talker", "mcp__signalbox__list_goal_types", json!({})),
        ("talker", "mcp__signalbox__add_note", json!({ "text": "yes/no" })),
        (
            "talker",
            "mcp__plugin_sb_signalbox__draft_escalation",
            json!({ "question": "q", "options": ["/etc/x"] }),
        ),
        (
            "talker",
            "mcp__signalbox__add_monitor",
            json!({ "name": "ci", "settings": { "repo": "octo/hello" } }),
        ),
        ("reviewer", "mcp__signalbox__approve_ticket", json!({ "id": "sb_000000", "message": "src/lib.rs" })),
        ("talker", "mcp__files__read_file", json!({ "path": ".git/config" })),
        ("doer", "mcp__files__write", json!({ "path": "src/lib.rs" })),
    ] {
        let (env, agent) = crew.agent(session);
        passed("claude", &ask(env, agent, "claude", &call(env, session, tool, input)));
    }
    let seen = events(&crew.env, "hook.pre-tool");
    assert_eq!(seen.len(), 25);
    assert_eq!(seen[0]["data"]["files"], json!([".git/hooks/pre-commit"]));
    assert_eq!(seen[4]["data"]["commands"], json!(["sb override sb_000000 done"]));
}

#[test]
fn a_tool_nobody_has_heard_of() {
    let mut crew = Crew::new();
    for cli in CLIS {
        for (session, target, rule) in [
            ("plain", ".claude/settings.json", Some("protected")),
            ("plain", "src/a.rs", None),
            ("doer", "tests/a.rs", Some("tests")),
            ("talker", "src/a.rs", Some("mode")),
        ] {
            let (env, agent) = crew.agent(session);
            let mut payload = shell_call(env, cli, session, "");
            let (name, input) =
                if cli == "copilot" { ("toolName", "toolArgs") } else { ("tool_name", "tool_input") };
            payload[name] = "Frobnicate".into();
            payload[input] = json!({ "deep": [{ "targetFile": target }] });
            let run = ask(env, agent, cli, &payload);
            match rule {
                Some(rule) => refused_by(cli, rule, &run),
                None => passed(cli, &run),
            }
        }
    }
}

#[test]
fn a_session_id_that_is_a_path() {
    let env = env();
    let mut ada = env.agent("ada");
    let before = env.files_below(env.home().join("sessions")).len();
    for cli in CLIS {
        for id in ["../ada", "../../escaped", "a/b", ".", "", "human"] {
            let reason = refusal(cli, &ask(&env, &mut ada, cli, &shell_call(&env, cli, id, "ls")));
            assert!(
                reason.starts_with("Signalbox could not judge this call, so it may not run: "),
                "{reason}"
            );
        }
    }
    assert_eq!(env.files_below(env.home().join("sessions")).len(), before, "nothing was made for them");
    assert!(!env.root().join("escaped.json").exists() && !env.home().join("escaped.json").exists());
    assert_eq!(events(&env, "hook.failed").len(), 30);
    assert_eq!(events(&env, "hook.pre-tool").len(), 0);
}

#[test]
fn what_a_payload_may_leave_out() {
    let env = env();
    let mut ada = env.agent("ada");
    let without = |key: &str, command: &str| {
        let mut payload = shell_call(&env, "claude", "ada", command);
        payload.as_object_mut().expect("an object").remove(key);
        payload
    };
    for key in ["session_id", "tool_name", "tool_input"] {
        let reason = refusal("claude", &ask(&env, &mut ada, "claude", &without(key, "ls")));
        assert!(reason.contains(&format!("the payload has no `{key}`")), "{reason}");
    }
    for key in ["cwd", "hook_event_name", "tool_use_id", "transcript_path", "permission_mode", "prompt_id"] {
        passed("claude", &ask(&env, &mut ada, "claude", &without(key, "ls")));
        refused_by(
            "claude",
            "protected",
            &ask(&env, &mut ada, "claude", &without(key, "echo > .git/config")),
        );
    }
    // Two readings of one call are none.
    let twice =
        r#"{"session_id":"ada","tool_name":"Bash","tool_input":{"command":"ls","command":"rm -rf /"}}"#;
    env.write(env.root().join("twice"), twice);
    let run = ada.run("sb hook pre-tool --cli claude <\"$HOME/twice\"").success();
    assert!(refusal("claude", &run).contains("`command` appears twice"), "{run}");
}

#[test]
fn a_folder_that_no_longer_exists() {
    let mut crew = Crew::new();
    let gone = crew.env.project().join("gone");
    let at = |env: &TestEnv, session: &str, command: &str| {
        let mut payload = shell_call(env, "claude", session, command);
        payload["cwd"] = gone.to_str().into();
        payload
    };
    for (session, command, rule) in [
        ("plain", "echo x > a.txt", None),
        ("plain", "echo x > ../.git/config", Some("protected")),
        ("doer", "echo x > ../src/a.rs", None),
        ("doer", "echo x > ../tests/a.rs", Some("tests")),
        ("doer", "echo x > ../../a.rs", Some("outside")),
    ] {
        let (env, agent) = crew.agent(session);
        let run = ask(env, agent, "claude", &at(env, session, command));
        match rule {
            Some(rule) => refused_by("claude", rule, &run),
            None => passed("claude", &run),
        }
    }
    // Also where the hook itself is started there.
    let (env, plain) = crew.agent("plain");
    env.write(env.root().join("payload"), at(env, "plain", "sb close 1").to_string());
    let line = "mkdir gone && cd gone && rmdir ../gone && sb hook pre-tool --cli claude <\"$HOME/payload\"";
    refused_by("claude", "human", &plain.run(line).success());
}

#[test]
fn two_sessions_with_one_id() {
    let env = env();
    let (mut first, mut second) = (env.agent("same"), Agent::shell(&env, "second"));
    env.sb(["mode", "discussion", "--session", "same"]).success();
    let call = shell_call(&env, "claude", "same", "touch a");
    refused_by("claude", "mode", &ask(&env, &mut first, "claude", &call));
    // The other one was never announced, and is somebody else from here on.
    let run = ask(&env, &mut second, "claude", &call);
    let own = format!("same.{}", second.pid());
    let last = events(&env, "hook.pre-tool").pop().expect("an event");
    assert_eq!((&last["session"], &last["lineage"]), (&own.as_str().into(), &json!(["same"])), "{run}");
    // A copy of a conversation may do no more than the conversation.
    refused_by("claude", "mode", &run);
    let names: Vec<Value> =
        events(&env, "hook.pre-tool").iter().map(|event| event["session"].clone()).collect();
    assert_eq!(names, [json!("same"), json!(own)]);
}

#[test]
fn an_unknown_session_is_adopted() {
    let env = env();
    let mut shell = Agent::shell(&env, "ada");
    for cli in CLIS {
        let id = format!("never-announced-{cli}");
        let mut agent = Agent::shell(&env, cli);
        passed(cli, &ask(&env, &mut agent, cli, &shell_call(&env, cli, &id, "ls")));
        let started = events(&env, "session.started").pop().expect("an event");
        assert_eq!((&started["data"]["source"], &started["data"]["cli"]), (&"adopted".into(), &cli.into()));
        assert_eq!((&started["session"], &started["project"]), (&id.as_str().into(), &"shop".into()));
        assert_eq!(started["data"]["pid"], agent.pid());
        env.sb(["session", "list", "--json"]).success().says(&id);
    }
    // Not only a gate adopts: whichever hook is heard first.
    let prompt = claude(&env, "UserPromptSubmit", "late", &json!({}));
    hook(&env, &mut shell, "prompt", "claude", &prompt).success();
    assert_eq!(events(&env, "session.started").pop().expect("an event")["session"], "late");
    env.sb(["doctor"]).success();
}

#[test]
fn a_charter_of_a_newer_version() {
    let env = env();
    let mut ada = env.agent("ada");
    let file = record_file(&env, "ada");
    let mut record: Value = serde_json::from_str(&env.read(&file)).expect("JSON");
    record["charter"]["v"] = 99.into();
    record["charter"]["later"] = json!({ "may": "say no" });
    env.write(&file, record.to_string());
    for cli in CLIS {
        let run = ask(&env, &mut ada, cli, &shell_call(&env, cli, "ada", "ls"));
        refused_by(cli, "charter", &run);
        run.says("written by a newer Signalbox (version 99, this one knows 1)");
    }
    assert_eq!(events(&env, "hook.pre-tool").len(), 5);
}

/// A record that is there and cannot be read may have said no.
#[test]
fn a_torn_record() {
    let env = env();
    let mut ada = env.agent("ada");
    let file = record_file(&env, "ada");
    let whole = env.read(&file);
    for torn in ["", "{", &whole[..whole.len() / 2], "[]", "null"] {
        env.write(&file, torn);
        let reason = refusal("claude", &ask_shell(&env, &mut ada, "ls"));
        assert!(reason.contains("the record of session ada cannot be read"), "{reason}");
    }
    assert_eq!(events(&env, "hook.failed").len(), 5);
    env.sb(["doctor"]).code(1).says("cannot be read");
    // A session that begins again gets what the log knows of it.
    ada.start_session("ada").success();
    passed("claude", &ask_shell(&env, &mut ada, "ls"));
}

/// Who takes its record away gets it back as it was: the log knows.
#[test]
fn a_record_that_was_taken_away() {
    for everything in [false, true] {
        let mut crew = Crew::new();
        for (session, rule, no, _) in COMMANDS.iter().filter(|(session, ..)| *session != "plain") {
            std::fs::remove_file(record_file(&crew.env, session)).expect("the record");
            if everything {
                std::fs::remove_dir_all(crew.env.home().join("run/processes")).expect("the processes");
            }
            let (env, agent) = crew.agent(session);
            refused_by("claude", rule, &ask_shell(env, agent, no));
        }
        let shown = one(&crew.env.sb(["session", "show", "doer", "--json"]).success());
        let charter = &shown["charter"];
        assert_eq!((&charter["role"], &charter["branch"]), (&"doer".into(), &"own".into()));
        assert_eq!((&charter["confined"], &charter["mode"]), (&true.into(), &"implementation".into()));
        let shown = one(&crew.env.sb(["session", "show", "talker", "--json"]).success());
        assert_eq!(shown["charter"]["mode"], "discussion");
    }
}

/// Sources that cannot be understood may have said no: nothing runs until a person has put them right.
#[test]
fn a_charter_that_could_not_be_made() {
    let env = env();
    let mut ada = env.agent("ada");
    let (policy, config) = (env.project().join(".signalbox/project.toml"), env.home().join("config.toml"));
    std::fs::create_dir(env.project().join(".signalbox")).expect("a folder");
    let (good, rule) =
        (env.read(&config), "[[rules]]\nname = \"x\"\ndecision = \"deny\"\ncommand = \"curl *\"\n");
    for (file, text, says) in [
        (&policy, "mode = \n".to_owned(), "project.toml, line 1: "),
        (&policy, "mode = \"dicsussion\"\n".to_owned(), "project.toml, line 1: `dicsussion` is not known"),
        (
            &policy,
            rule.replace("deny", "allow"),
            "the rule `x` allows something, and a repository may only deny",
        ),
        (
            &policy,
            format!("{rule}match = [\"wget x\"]\n"),
            "the rule `x` should be about `wget x`, and is not",
        ),
        (
            &config,
            format!("{good}{rule}match = [\"wget x\"]\n"),
            "the rule `x` should be about `wget x`, and is not",
        ),
        (
            &config,
            format!("{good}{rule}not_match = [\"curl x\"]\n"),
            "the rule `x` should not be about `curl x`, and is",
        ),
    ] {
        env.write(file, text);
        env.sb(["session", "refresh", "ada"]).code(4).says("could not be made");
        for cli in CLIS {
            let run = ask(&env, &mut ada, cli, &shell_call(&env, cli, "ada", "ls"));
            refused_by(cli, "charter", &run);
            run.says(says);
        }
        ada.start_session("ada")
            .success()
            .says("Nothing may run in this session until a person puts this right");
        env.write(&config, &good);
        env.write(&policy, "");
        env.sb(["session", "refresh", "ada"]).success();
        passed("claude", &ask_shell(&env, &mut ada, "ls"));
    }
}
