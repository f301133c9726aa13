//! A call as a CLI would announce it to its hook, made to see whether the hook stops it.

use serde_json::{Value, json};

use crate::driver::Driver;

/// What the CLI would send before it runs this command line.
pub fn shell_call(driver: &Driver, session: &str, cwd: &str, command: &str) -> String {
    let call = match driver.name {
        "gemini" => json!({
            "session_id": session, "cwd": cwd, "hook_event_name": "BeforeTool", "timestamp": "2026-01-01T00:00:00Z",
            "tool_name": "run_shell_command", "tool_input": { "command": command },
        }),
        "copilot" => json!({
            "sessionId": session, "timestamp": 0, "cwd": cwd, "toolName": "bash", "toolArgs": { "command": command },
        }),
        "goose" => json!({
            "event": "PreToolUse", "session_id": session, "working_dir": cwd, "tool_name": "developer__shell",
            "tool_input": { "command": command },
        }),
        _ => json!({
            "session_id": session, "cwd": cwd, "hook_event_name": "PreToolUse", "tool_name": "Bash",
            "tool_input": { "command": command }, "tool_use_id": "canary",
        }),
    };
    call.to_string()
}

/// Whether the hook's answer keeps the tool from running, as the CLI reads it.
pub fn is_refusal(driver: &Driver, stdout: &str, exit: Option<i32>) -> bool {
    let said: Value = serde_json::from_str(stdout).unwrap_or_default();
    let nested = &said["hookSpecificOutput"]["permissionDecision"];
    let flat = match driver.name {
        "copilot" => &said["permissionDecision"],
        _ => &said["decision"],
    };
    let no = |value: &Value| matches!(value.as_str(), Some("deny" | "block"));
    match driver.name {
        "claude" | "codex" => no(nested) || exit == Some(2),
        "copilot" => no(flat) || no(nested) || exit.is_some_and(|code| code != 0),
        _ => no(flat) || exit == Some(2),
    }
}
