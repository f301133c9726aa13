//! `hook`: what agent CLIs send, and what they get.

use signalbox_testkit::Agent;

use crate::support::{empty, env, json, safe, story};

#[test]
fn the_answer_to_a_start_is_the_context() {
    let env = story();
    env.new_ticket("Limit logins");
    let mut shell = Agent::shell(&env, "ada");
    let started = shell.start_session("3f2a-long-enough-to-be-cut").success();
    insta::assert_snapshot!(started, @r#"{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"Signalbox — shop — you are bash-3f2a-lon, session 3f2a-long-enough-to-be-cut\n\nReady to be worked on:\n  sb_Bq5DH9  P3  Limit logins\nClaim one with `sb pick ID`, or the first with `sb pop`.\n\nMode: implementation.\n"}}"#);
    let context = json(&shell.sb(["context", "--json"]).success());
    assert_eq!(
        (&context["actor"], &context["session"]),
        (&"bash-3f2a-lon".into(), &"3f2a-long-enough-to-be-cut".into())
    );
    let event = json(&env.sb(["log", "--event", "session.started", "--json"]).success());
    assert_eq!((&event["data"]["cli"], &event["data"]["source"]), (&"bash".into(), &"startup".into()));
    assert_eq!(event["data"]["pid"], shell.pid());
    assert_eq!(event["project"], "shop");
}

#[test]
fn what_is_no_payload() {
    let env = env();
    let large = format!("{{\"session_id\":\"x\",\"prompt\":\"{}\"}}", "x".repeat(17 * 1024 * 1024));
    for (payload, says) in [
        ("", "standard input is not the JSON of a hook"),
        ("not json", "standard input is not the JSON of a hook"),
        ("\"text\"", "standard input is not the JSON of a hook"),
        ("[]", "the payload has no `session_id`"),
        ("{}", "the payload has no `session_id`"),
        ("{\"session_id\":3}", "the payload has no `session_id`"),
        ("{\"session_id\":\"\"}", "the payload has no `session_id`"),
        ("{\"session_id\":\"../../etc/passwd\"}", "is no session id"),
        ("{\"session_id\":\"a/b\"}", "is no session id"),
        ("{\"session_id\":\"a\\nb\"}", "is no session id"),
        ("{\"session_id\":\".hidden\"}", "is no session id"),
        ("{\"session_id\":\"a\\u0000b\"}", "is no session id"),
        (&large, "and 16777216 are read"),
    ] {
        for hook in ["session-start", "session-end"] {
            safe(env.sb_with_input(["hook", hook], payload).code(1).says(says));
        }
    }
    env.sb_with_input(["hook", "session-start"], [b'{', 0xff, 0xfe]).code(1);
    env.sb_with_input(["hook", "session-begin"], "{}").code(2);
    env.sb(["log", "--event", "session.*"]).success().never_says("started");
    // What went wrong is known to the doctor.
    env.sb(["log", "--event", "hook.failed"]).success().says("is no session id");
    assert!(!env.root().join("etc").exists());
    insta::assert_snapshot!(env.sb_with_input(["hook", "session-start"], "{}"), @r#"
    --- stderr
    sb hook session-start: the payload has no `session_id`
    --- exit 1
    "#);
}

/// What a CLI sends more, and what it leaves out, does not matter.
#[test]
fn an_unknown_field_is_ignored() {
    let env = env();
    let mut shell = Agent::shell(&env, "ada");
    shell
        .run("printf '{\"session_id\":\"ada\",\"hook_event_name\":\"SessionStart\",\"later\":{\"a\":[1]},\"cwd\":\"/nowhere/at/all\"}' | sb hook session-start --cli claude")
        .success();
    let event = json(&env.sb(["log", "--event", "session.started", "--json"]).success());
    assert_eq!((&event["data"]["cli"], &event["project"]), (&"claude".into(), &"untracked".into()));
}

/// A CLI that nobody knows is not taken for another.
#[test]
fn a_strange_name_of_a_cli_is_refused() {
    let env = env();
    let mut shell = Agent::shell(&env, "ada");
    let run = shell.run("printf '{\"session_id\":\"a\"}' | sb hook pre-tool --cli $'\\e[31mev\\nil \\u202e'");
    safe(run.code(2)).says("Known are: claude, codex, gemini, copilot, goose.");
    shell
        .run("printf '{\"session_id\":\"a\"}' | sb hook session-start --cli cladue")
        .code(2)
        .says("Did you mean `claude`?");
}

/// The first thing that ever happens in a home may be a session's start.
#[test]
fn a_start_in_a_fresh_home() {
    let env = empty();
    let mut ada = env.agent("ada");
    ada.sb(["new", "x"]).code(4).says("belongs to no project");
    ada.sb(["init"]).success();
    ada.sb(["new", "x"]).success();
    env.sb(["doctor"]).success();
}

/// An agent CLI calls its hooks through a shell of its own; the session is the CLI's, not that shell's.
#[test]
fn the_shell_of_the_hook_is_not_the_session() {
    let env = env();
    let mut ada = Agent::shell(&env, "ada");
    ada.run("bash -c 'printf \"{\\\"session_id\\\":\\\"ada\\\"}\" | sb hook session-start; true'").success();
    let context = json(&ada.sb(["context", "--json"]).success());
    assert_eq!(context["session"], "ada");
    let event = json(&env.sb(["log", "--event", "session.started", "--json"]).success());
    assert_eq!(event["data"]["pid"], ada.pid());
}

#[test]
fn known_secrets_do_not_stand_in_the_log() {
    let env = env();
    let line = |command: &str| {
        let call = serde_json::json!({
            "session_id": "secretive", "hook_event_name": "PreToolUse", "cwd": env.project(),
            "tool_name": "Bash", "tool_input": { "command": command },
        });
        let hook = format!(
            "{} hook pre-tool --cli claude",
            signalbox_testkit::quote(&env.program().display().to_string())
        );
        env.bash(&format!("export GITHUB_TOKEN=hunter2-and-more; {hook} <<'END'\n{call}\nEND"))
    };
    let start = serde_json::json!({ "session_id": "secretive", "cwd": env.project(), "source": "startup" });
    env.sb_with_input(["hook", "session-start", "--cli", "claude"], start.to_string()).success();
    line("curl -H 'token: hunter2-and-more' https://example.org").success();
    let log = env.sb(["log", "--event", "hook.pre-tool", "--json"]).success();
    assert!(log.stdout.contains("token: ****************'"), "{log}");
    let _ = log.never_says("hunter2");
}
