//! What agent CLIs send their hooks: as recorded, with what a test needs changed; and what they take for an answer.

use std::path::Path;

use serde_json::{Value, json};
use signalbox_testkit::{Agent, Run, TestEnv, quote};

/// The agent CLIs.
pub const CLIS: [&str; 5] = ["claude", "codex", "gemini", "copilot", "goose"];

/// A payload as it was recorded: `claude/PreToolUse-Bash`.
pub fn recorded(name: &str) -> Value {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../drivers/tests/payloads");
    let text = std::fs::read_to_string(folder.join(format!("{name}.json"))).expect("a recorded payload");
    serde_json::from_str(&text).expect("JSON")
}

/// A recorded payload with these fields in place of its own.
pub fn changed(name: &str, fields: &Value) -> Value {
    let mut payload = recorded(name);
    for (key, value) in fields.as_object().expect("an object") {
        payload[key] = value.clone();
    }
    payload
}

/// A recorded payload of Claude Code in the project's folder, for this session.
pub fn claude(env: &TestEnv, event: &str, session: &str, fields: &Value) -> Value {
    let mut payload =
        changed(&format!("claude/{event}"), &json!({ "session_id": session, "cwd": env.project() }));
    for (key, value) in fields.as_object().expect("an object") {
        payload[key] = value.clone();
    }
    payload
}

/// What a CLI sends before it runs a command line.
pub fn shell_call(env: &TestEnv, cli: &str, session: &str, command: &str) -> Value {
    let cwd = env.project();
    let (name, fields) = match cli {
        "claude" => ("claude/PreToolUse-Bash", json!({ "session_id": session, "cwd": cwd })),
        "codex" => ("codex/PreToolUse-Bash", json!({ "session_id": session, "cwd": cwd })),
        "gemini" => ("gemini/BeforeTool-run_shell_command", json!({ "session_id": session, "cwd": cwd })),
        "copilot" => ("copilot/preToolUse-bash", json!({ "sessionId": session, "cwd": cwd })),
        _ => ("goose/PreToolUse-shell", json!({ "session_id": session, "working_dir": cwd })),
    };
    let mut payload = changed(name, &fields);
    let input = if cli == "copilot" { "toolArgs" } else { "tool_input" };
    payload[input]["command"] = command.into();
    payload
}

/// What a CLI sends before its own tool writes a file.
pub fn write_call(env: &TestEnv, cli: &str, session: &str, path: &str) -> Value {
    let cwd = env.project();
    let ids = json!({ "session_id": session, "cwd": cwd });
    match cli {
        "claude" => {
            let mut payload = changed("claude/PreToolUse-Write", &ids);
            payload["tool_input"]["file_path"] = path.into();
            payload
        }
        "codex" => {
            let patch = format!("*** Begin Patch\n*** Add File: {path}\n+hello\n*** End Patch\n");
            let mut payload = changed("codex/PreToolUse-apply_patch", &ids);
            payload["tool_input"]["command"] = patch.into();
            payload
        }
        "gemini" => {
            let mut payload = changed("gemini/BeforeTool-write_file", &ids);
            payload["tool_input"]["file_path"] = path.into();
            payload
        }
        "copilot" => {
            let ids = json!({ "sessionId": session, "cwd": cwd });
            let mut payload = changed("copilot/preToolUse-create", &ids);
            payload["toolArgs"]["path"] = path.into();
            payload
        }
        _ => {
            let fields = json!({ "event": "PreToolUse", "session_id": session, "working_dir": cwd });
            let mut payload = changed("goose/PostToolUse-write", &fields);
            payload["tool_input"]["path"] = path.into();
            payload
        }
    }
}

/// Call a hook as the agent's own CLI does.
#[must_use = "say how it must end: `success` or `code`"]
pub fn hook(env: &TestEnv, agent: &mut Agent, event: &str, cli: &str, payload: &Value) -> Run {
    let file = env.root().join("payload.json");
    env.write(&file, payload.to_string());
    agent.run(&format!("sb hook {event} --cli {cli} <{}", quote(&file.to_string_lossy())))
}

/// Ask a CLI's gate about a call, as that CLI does.
#[track_caller]
pub fn ask(env: &TestEnv, agent: &mut Agent, cli: &str, payload: &Value) -> Run {
    hook(env, agent, "pre-tool", cli, payload).success()
}

/// Ask Claude Code's gate about a command line.
#[track_caller]
pub fn ask_shell(env: &TestEnv, agent: &mut Agent, command: &str) -> Run {
    let session = agent.name.clone();
    ask(env, agent, "claude", &shell_call(env, "claude", &session, command))
}

/// Why the gate refused, in exactly the shape that this CLI takes for a no.
#[track_caller]
pub fn refusal(cli: &str, run: &Run) -> String {
    let said: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}:\n{run}"));
    let reason = match cli {
        "claude" | "codex" => &said["hookSpecificOutput"]["permissionDecisionReason"],
        "copilot" => &said["permissionDecisionReason"],
        _ => &said["reason"],
    };
    let expected = match cli {
        "claude" | "codex" => json!({ "hookSpecificOutput": {
            "hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": reason,
        }}),
        "gemini" => json!({ "decision": "deny", "reason": reason }),
        "copilot" => json!({ "permissionDecision": "deny", "permissionDecisionReason": reason }),
        _ => json!({ "decision": "block", "reason": reason }),
    };
    assert_eq!(said, expected, "{cli} does not take this for a no:\n{run}");
    assert!(reason.as_str().is_some_and(|reason| !reason.is_empty()), "{cli} needs a reason:\n{run}");
    reason.as_str().unwrap_or_default().to_owned()
}

/// The gate must refuse, and name this rule.
#[track_caller]
pub fn refused_by(cli: &str, rule: &str, run: &Run) {
    let reason = refusal(cli, run);
    assert!(reason.contains(&format!("(rule: {rule})")), "not by `{rule}`: {reason}");
}

/// The gate must let it pass, in exactly the shape that this CLI takes for that.
#[track_caller]
pub fn passed(cli: &str, run: &Run) {
    let expected = if cli == "goose" { r#"{"decision":"allow"}"# } else { "{}" };
    assert_eq!(run.stdout, expected, "{cli}: {run}");
}

/// The events of this name in the log, the oldest first.
#[track_caller]
pub fn events(env: &TestEnv, name: &str) -> Vec<Value> {
    let log = env.sb(["log", "--event", name, "--json", "--limit", "100000"]).success().stdout;
    log.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// Where a session's record is.
pub fn record_file(env: &TestEnv, session: &str) -> std::path::PathBuf {
    env.home().join("sessions").join(format!("{session}.json"))
}
