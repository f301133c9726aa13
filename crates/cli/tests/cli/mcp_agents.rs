//! `sb mcp` in an agent that the daemon knows: every tool, once.

use serde_json::{Value, json};
use signalbox_core::toolbox::TOOLBOX;
use signalbox_testkit::{TestEnv, quote};

use crate::env;
use crate::mcp::{call, lines, told};
use crate::support::status;

/// A daemon that ends with the test.
struct Daemon<'a>(&'a TestEnv);

impl<'a> Daemon<'a> {
    fn start(env: &'a TestEnv) -> Self {
        env.sb(["up"]).success();
        Self(env)
    }
}

impl Drop for Daemon<'_> {
    fn drop(&mut self) {
        let _ = self.0.sb(["down"]);
    }
}

/// What a session in an agent of this role is answered, by tool.
#[track_caller]
fn inside(env: &TestEnv, role: &str, calls: &[(&'static str, Value)]) -> Vec<(&'static str, String, bool)> {
    let messages: Vec<Value> = calls.iter().map(|(tool, arguments)| call(1, tool, arguments)).collect();
    let (asked, said) =
        (env.project().join(format!("{role}.ask")), env.project().join(format!("{role}.said")));
    env.write(&asked, lines(&messages));
    let script = format!(
        "printf '{{\"session_id\":\"{role}\",\"cwd\":\"%s\",\"source\":\"startup\"}}' \"$PWD\" \
         | sb hook session-start >/dev/null; sb mcp <{} >{}",
        quote(&asked.to_string_lossy()),
        quote(&said.to_string_lossy())
    );
    env.sb(["agent", "--headless", "--name", role, "--role", role, "--", "bash", "-c", &script]).success();
    let answers = env.read(&said);
    let answers: Vec<Value> = answers.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(answers.len(), calls.len(), "{answers:?}");
    let told = |answer: &Value| {
        if answer["result"]["content"] == json!([]) { (String::new(), false) } else { told(answer) }
    };
    calls.iter().zip(&answers).map(|((tool, _), answer)| (*tool, told(answer).0, told(answer).1)).collect()
}

#[test]
fn every_tool_once() {
    let env = env();
    let _daemon = Daemon::start(&env);
    let (id, other) = (env.new_ticket("Limit logins"), env.new_ticket("Say why"));
    let github = json!({ "repo": "octo/hello", "branch": "main", "every": 3600 });
    let doer = inside(
        &env,
        "doer",
        &[
            ("context", json!({})),
            ("get_status", json!({})),
            ("list_tickets", json!({})),
            ("pick_ticket", json!({ "id": id })),
            ("show_ticket", json!({})),
            (
                "new_ticket",
                json!({ "title": "Found on the way", "body": "b", "tags": ["later"], "backlog": true }),
            ),
            ("add_note", json!({ "text": "half of it" })),
            ("draft_escalation", json!({ "question": "Keep it?", "options": ["yes", "no"] })),
            ("list_goal_types", json!({})),
            ("get_usage", json!({})),
            ("list_monitor_types", json!({})),
            ("list_monitor_types", json!({ "type": "github" })),
            ("add_monitor", json!({ "name": "ci", "type": "github", "settings": github })),
            ("add_monitor", json!({ "name": "disk", "type": "shell", "settings": { "command": "df" } })),
            (
                "add_monitor",
                json!({ "name": "own", "type": "github", "settings": { "api_url": "https://x.example" } }),
            ),
            ("list_monitors", json!({})),
            ("remove_monitor", json!({ "name": "ci" })),
            ("list_monitors", json!({})),
            ("list_notifier_types", json!({})),
            (
                "add_notifier",
                json!({ "name": "bell", "type": "terminal_bell", "settings": { "events": ["agent.*"] } }),
            ),
            (
                "add_notifier",
                json!({ "name": "out", "type": "webhook", "settings": { "url": "https://x.example" } }),
            ),
            ("list_notifiers", json!({})),
            ("remove_notifier", json!({ "name": "bell" })),
            ("submit_ticket", json!({ "message": "done" })),
            ("pick_ticket", json!({ "id": other })),
            ("submit_ticket", json!({ "message": "done as well" })),
            ("approve_ticket", json!({ "id": id })),
            ("signal_goal", json!({ "status": "in-progress", "summary": "handed in" })),
        ],
    );
    let reviewer = inside(
        &env,
        "reviewer",
        &[
            ("pick_ticket", json!({ "id": id })),
            ("review_ticket", json!({ "id": id })),
            ("reject_ticket", json!({ "id": id, "reason": "more" })),
            ("review_ticket", json!({ "id": other })),
            ("approve_ticket", json!({ "id": other, "message": "fine" })),
        ],
    );
    let mut said = String::new();
    for (who, answers) in [("doer", &doer), ("reviewer", &reviewer)] {
        for (tool, text, is_error) in answers {
            let error = if *is_error { " (error)" } else { "" };
            let text = text.replace(&id, "sb_ID");
            said.push_str(&format!(
                "{who}: {tool}{error}\n  {}\n",
                text.lines().take(3).collect::<Vec<_>>().join("\n  ")
            ));
        }
    }
    let refused: Vec<&str> =
        doer.iter().chain(&reviewer).filter(|(_, _, error)| *error).map(|(tool, ..)| *tool).collect();
    assert_eq!(
        refused,
        ["get_usage", "add_monitor", "add_monitor", "add_notifier", "approve_ticket", "pick_ticket"],
        "{said}"
    );
    for (tool, part) in [
        ("get_status", "doer"),
        ("list_goal_types", "agent_signal"),
        ("list_monitor_types", "github: "),
        ("add_monitor", "\"name\":\"ci\""),
        ("list_monitors", "\"name\":\"ci\""),
        ("remove_monitor", "ci is no longer watched."),
        ("list_notifier_types", "terminal_bell"),
        ("list_notifiers", "\"name\":"),
        ("remove_notifier", "bell"),
        ("signal_goal", "in-progress"),
    ] {
        let first = doer.iter().find(|(name, ..)| *name == tool).expect("a call");
        assert!(first.1.contains(part), "{tool}: {first:?}\n{said}");
    }
    // What is for people alone is neither offered nor done.
    for (tool, text, is_error) in &doer {
        if tool.ends_with("_types") {
            assert!(!text.contains("for people alone") && !text.contains("webhook"), "{tool}: {text}");
        } else if tool.starts_with("add_") && *is_error {
            assert!(text.contains("only a human may") && text.contains("hint: "), "{tool}: {text}");
        }
    }
    assert_eq!((status(&env, &id), status(&env, &other)), ("rework".to_owned(), "done".to_owned()));
    for tool in TOOLBOX {
        assert!(
            doer.iter().chain(&reviewer).any(|(name, ..)| *name == tool.name),
            "{} is not tried",
            tool.name
        );
    }
}

/// Without the daemon the tools that need it say so.
#[test]
fn without_a_daemon() {
    let env = env();
    let answers = inside(
        &env,
        "lead",
        &[
            ("list_monitors", json!({})),
            ("add_notifier", json!({ "name": "desktop" })),
            ("get_status", json!({})),
        ],
    );
    for (tool, text, is_error) in &answers[..2] {
        assert!(*is_error && text.contains("no daemon runs") && text.contains("hint: "), "{tool}: {text}");
    }
    assert!(answers[2].1.contains("does not run"), "{answers:?}");
}
