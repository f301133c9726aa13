//! `hook permission-request`: which dialogs of Claude Code are answered for the person.

use serde_json::{Value, json};

use crate::payloads::{claude, events, hook};
use crate::support::env;

/// A dialog is answered with yes only for what a person listed, with a ticket, within the project; with no where a rule
/// refuses; and else by the person.
#[test]
fn permission_dialogs() {
    let env = env();
    let config = env.home().join("config.toml");
    let approve = "[projects.shop.approve]\ntools = [\"Write\"]\ncommands = [\"cargo test*\"]\n";
    env.write(&config, format!("{}\n{approve}", env.read(&config)));
    let mut ada = env.agent("ada");
    let id = env.new_ticket("One");
    let inside = env.project().join("src/a.rs");
    let outside = env.root().join("a.rs");
    let mut answer = |tool: &str, input: Value| {
        let fields = json!({ "tool_name": tool, "tool_input": input });
        let payload = claude(&env, "PermissionRequest-Bash", "ada", &fields);
        let said = hook(&env, &mut ada, "permission-request", "claude", &payload).success().stdout;
        let said: Value =
            if said.is_empty() { Value::Null } else { serde_json::from_str(&said).expect("JSON") };
        said["hookSpecificOutput"]["decision"]["behavior"].as_str().unwrap_or("ask").to_owned()
    };
    assert_eq!(
        answer("Bash", json!({ "command": "cargo test" })),
        "ask",
        "nothing is waved through without a ticket"
    );
    env.sb(["session", "set", "--session", "ada", "--ticket", &id]).success();
    for (tool, input, expected) in [
        ("Bash", json!({ "command": "cargo test --all" }), "allow"),
        ("Bash", json!({ "command": "cargo test 2>&1 | tail -5" }), "allow"),
        ("Bash", json!({ "command": "cargo test; rm -rf src" }), "ask"),
        ("Bash", json!({ "command": "cargo test $(touch a)" }), "ask"),
        ("Bash", json!({ "command": "cargo build" }), "ask"),
        ("Bash", json!({ "command": "cargo test && sb close 1" }), "deny"),
        ("Write", json!({ "file_path": inside, "content": "x" }), "allow"),
        ("Write", json!({ "file_path": outside, "content": "x" }), "ask"),
        ("Write", json!({ "file_path": ".git/config", "content": "x" }), "deny"),
        ("Edit", json!({ "file_path": inside, "old_string": "x", "new_string": "y" }), "ask"),
    ] {
        assert_eq!(answer(tool, input.clone()), expected, "{tool} {input}");
    }
    let last: Vec<Value> = events(&env, "hook.permission-request")
        .iter()
        .map(|event| event["data"]["permission"].clone())
        .collect();
    assert_eq!(last.len(), 11);
    assert_eq!((&last[1], &last[3], &last[6]), (&"allow".into(), &"ask".into(), &"deny".into()));
}
