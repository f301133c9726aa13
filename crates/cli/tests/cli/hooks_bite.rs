//! `hooks test`, and the installed hooks as a CLI starts them: also where `sb` is gone, dies or says nothing.

use std::path::{Path, PathBuf};

use serde_json::Value;
use signalbox_testkit::{Agent, TestEnv, quote};

use crate::payloads::{CLIS, passed, refusal, refused_by, shell_call};
use crate::support::{env, json};

const RULES: [&str; 8] = ["mode", "human", "protected", "branch", "outside", "tests", "build", "ownership"];

/// What `hooks test` says of a CLI: a rule and its result.
fn results(run: &signalbox_testkit::Run) -> Vec<(String, String)> {
    let rows = json(run);
    let rows = rows.as_array().expect("a list").iter();
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    rows.map(|row| (text(&row["rule"]), text(&row["result"]))).collect()
}

fn all(result: &str) -> Vec<(String, String)> {
    RULES.iter().map(|rule| ((*rule).to_owned(), result.to_owned())).collect()
}

#[test]
fn every_rule_bites_in_every_cli() {
    let env = env();
    for cli in CLIS {
        for scope in ["user", "project"] {
            let test = ["hooks", "test", "--cli", cli, "--scope", scope];
            let run = env.sb(test).code(4);
            assert_eq!(run.stdout.matches("not installed").count(), 8, "{run}");
            run.says("8 of 8 calls that must be refused would run")
                .says("`sb hooks install` installs the hooks.");
            env.sb(["hooks", "install", "--cli", cli, "--scope", scope, "--yes"]).success();
            assert_eq!(
                results(&env.sb(test.iter().chain(&["--json"])).success()),
                all("warned"),
                "{cli}, {scope}"
            );
            let run = env.sb(test).success();
            assert_eq!(
                run.stdout.lines().filter(|line| line.starts_with(cli) && line.ends_with("warned")).count(),
                8
            );
        }
    }
    // Trying them leaves nothing behind.
    env.sb(["log", "--event", "hook.*"]).success().never_says("canary");
    env.sb(["session", "list", "--all"]).success().never_says("canary");
}

/// A hook that answers yes to everything.
#[test]
fn a_hook_without_teeth() {
    let env = env();
    let fake = script(&env, "fake", "printf '{}'");
    for cli in CLIS {
        env.sb(["hooks", "install", "--cli", cli, "--yes"]).success();
        let file = installed(&env, cli);
        let text =
            env.read(&file).replace(env.program().to_str().expect("UTF-8"), fake.to_str().expect("UTF-8"));
        env.write(&file, text);
        let run = env.sb(["hooks", "test", "--cli", cli, "--json"]).code(4);
        assert_eq!(results(&run), all("recorded"), "{cli}");
    }
    // A hook for some tools only is none for the others.
    let env = crate::support::env();
    env.sb(["hooks", "install", "--cli", "claude", "--yes"]).success();
    let file = installed(&env, "claude");
    let mut settings: Value = serde_json::from_str(&env.read(&file)).expect("JSON");
    settings["hooks"]["PreToolUse"][0]["matcher"] = "Edit".into();
    env.write(&file, settings.to_string());
    assert_eq!(
        results(&env.sb(["hooks", "test", "--cli", "claude", "--json"]).code(4)),
        all("not installed")
    );
}

/// A program called `sb` that does this.
fn script(env: &TestEnv, folder: &str, body: &str) -> PathBuf {
    let path = env.root().join(folder).join("sb");
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    // Another process writes it: see `agent_program`.
    let at = quote(path.to_str().expect("UTF-8"));
    env.bash(&format!("printf '#!/bin/sh\\n%s\\n' {} >{at} && chmod 755 {at}", quote(body))).success();
    path
}

fn installed(env: &TestEnv, cli: &str) -> PathBuf {
    env.root().join(match cli {
        "claude" => ".claude/settings.json",
        "codex" => ".codex/hooks.json",
        "gemini" => ".gemini/settings.json",
        "copilot" => ".copilot/hooks/signalbox.json",
        _ => ".agents/plugins/signalbox/hooks/hooks.json",
    })
}

/// The command line by which the CLI starts its hook before a tool.
fn line(env: &TestEnv, cli: &str) -> String {
    let settings: Value = serde_json::from_str(&env.read(installed(env, cli))).expect("JSON");
    let event = match cli {
        "gemini" => "BeforeTool",
        "copilot" => "preToolUse",
        _ => "PreToolUse",
    };
    let first = &settings["hooks"][event][0];
    let hook = if cli == "copilot" { first } else { &first["hooks"][0] };
    let word = |value: &Value| value.as_str().expect("a word").to_owned();
    match hook["args"].as_array() {
        Some(arguments) => {
            let words = std::iter::once(&hook["command"]).chain(arguments).map(|value| quote(&word(value)));
            words.collect::<Vec<_>>().join(" ")
        }
        None => word(if cli == "copilot" { &hook["bash"] } else { &hook["command"] }),
    }
}

/// As the CLI starts it: an answer to everything, and a no where there is none.
#[test]
fn as_the_cli_starts_it() {
    let env = env();
    let mut ada = env.agent("ada");
    for cli in CLIS {
        env.sb(["hooks", "install", "--cli", cli, "--yes"]).success();
        let line = line(&env, cli);
        let mut call = |line: &str, command: &str| {
            env.write(env.root().join("payload"), shell_call(&env, cli, "ada", command).to_string());
            ada.run(&format!("/bin/sh -c {} <\"$HOME/payload\"", quote(line))).success()
        };
        passed(cli, &call(&line, "ls"));
        refused_by(cli, "human", &call(&line, "sb close 1"));
        let own = env.program().to_str().expect("UTF-8");
        let dead = script(&env, "dead", "kill -9 $$");
        let failing = script(&env, "failing", "printf '{}'; exit 1");
        let silent = script(&env, "silent", "exit 0");
        let babbling = script(&env, "babbling", "echo hello");
        let gone = env.root().join("gone/sb");
        for program in [&dead, &failing, &silent, &babbling, &gone] {
            let line = line.replace(own, program.to_str().expect("UTF-8"));
            let run = call(&line, "ls");
            let reason = refusal(cli, &run);
            assert!(
                reason.starts_with("Signalbox gave no answer to this call"),
                "{}: {reason}",
                program.display()
            );
        }
    }
}

/// A session that only ever sees its installed hooks: start, prompt, tools and end in Claude Code's own order.
#[test]
fn a_whole_session_through_the_installed_hooks() {
    let env = env();
    let id = env.new_ticket("Limit logins");
    env.sb(["hooks", "install", "--cli", "claude", "--yes"]).success();
    let settings: Value = serde_json::from_str(&env.read(installed(&env, "claude"))).expect("JSON");
    let mut ada = Agent::shell(&env, "ada");
    for (wire, payload, says) in [
        ("SessionStart", "SessionStart-startup", id.as_str()),
        ("UserPromptSubmit", "UserPromptSubmit", ""),
        ("PreToolUse", "PreToolUse-Bash", "{}"),
        ("PostToolUse", "PostToolUse-Bash", ""),
        ("PostToolUseFailure", "PostToolUseFailure-Bash", ""),
        ("PermissionRequest", "PermissionRequest-Bash", ""),
        ("SubagentStart", "SubagentStart", ""),
        ("SubagentStop", "SubagentStop", ""),
        ("TaskCreated", "TaskCreated", ""),
        ("TaskCompleted", "TaskCompleted", ""),
        ("TeammateIdle", "TeammateIdle", ""),
        ("Stop", "Stop", ""),
        ("StopFailure", "StopFailure-rate_limit", ""),
        ("Notification", "Notification-idle_prompt", ""),
        ("PreCompact", "PreCompact-auto", ""),
        ("PostCompact", "PostCompact-auto", ""),
        ("SessionEnd", "SessionEnd-other", ""),
    ] {
        let hook = &settings["hooks"][wire][0]["hooks"][0];
        let words = std::iter::once(&hook["command"]).chain(hook["args"].as_array().expect("arguments"));
        let words: Vec<String> = words.map(|word| quote(word.as_str().expect("a word"))).collect();
        // One and the same call, before and after.
        let call = serde_json::json!({ "tool_use_id": "toolu_1" });
        let payload = crate::payloads::claude(&env, payload, "ada", &call);
        env.write(env.root().join("payload"), payload.to_string());
        let run = ada.run(&format!("{} <\"$HOME/payload\"", words.join(" "))).success();
        assert!(run.stdout.contains(says) && (!says.is_empty() || run.stdout.is_empty()), "{wire}: {run}");
        assert!(run.stderr.is_empty(), "{wire}: {run}");
    }
    let seen = env.sb(["query", "SELECT DISTINCT hook_name FROM hook_events"]).success().stdout;
    assert_eq!(seen.lines().count(), 1 + 17, "{seen}");
    env.sb(["session", "list"]).success().never_says("ada");
    assert!(Path::new(&env.home().join("sessions/ada.json")).exists());
}
