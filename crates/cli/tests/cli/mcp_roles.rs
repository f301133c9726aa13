//! `sb mcp`: a session's role decides which tools it has, and nothing the session says decides its role.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use signalbox_core::Role;
use signalbox_core::toolbox::TOOLBOX;
use signalbox_testkit::{Agent, TestEnv, quote};

use crate::env;
use crate::mcp::{as_agent, as_human, call, lines, request, told};
use crate::support::{in_review, status};

/// A session of this role.
fn session(env: &TestEnv, name: &str, role: Role) -> Agent {
    env.sb(["session", "set", "--session", name, "--role", role.as_str()]).success();
    env.agent(name)
}

/// The names of the tools in an answer.
#[track_caller]
fn names(answer: &Value) -> Vec<&str> {
    let tools = answer["result"]["tools"].as_array().unwrap_or_else(|| panic!("{answer}"));
    tools.iter().filter_map(|tool| tool["name"].as_str()).collect()
}

#[test]
fn each_role_has_its_own_tools() {
    let env = env();
    for role in Role::ALL {
        let mut agent = session(&env, &format!("a-{role}"), *role);
        let calls = TOOLBOX.iter().map(|tool| call(2, tool.name, &json!({ "nonsense": 1 })));
        let asked: Vec<Value> = [request(1, "tools/list", &json!({}))].into_iter().chain(calls).collect();
        let answers = as_agent(&mut agent, &asked);
        let has: Vec<&str> = TOOLBOX.iter().filter(|tool| tool.is_for(*role)).map(|tool| tool.name).collect();
        assert_eq!(names(&answers[0]), has, "{role}");
        for (tool, answer) in TOOLBOX.iter().zip(&answers[1..]) {
            let (text, is_error) = told(answer);
            let refused = text.contains(&format!("this session is {}, and", role.with_article()));
            assert!(is_error && refused != has.contains(&tool.name), "{role} {}: {text}", tool.name);
            assert_eq!(text.contains("\nhint: "), refused, "{role} {}: {text}", tool.name);
        }
    }
}

#[test]
fn a_forged_identity_changes_nothing() {
    let env = env();
    let mut ada = env.agent("ada");
    let id = in_review(&env, &mut ada, "One");
    let mut doer = session(&env, "bowie", Role::Doer);
    // A reviewer whose word could be borrowed.
    let mut reviewer = session(&env, "cleo", Role::Reviewer);
    let borrowed = reviewer.capability();
    let mut forged: Vec<Value> = ["agent_id", "agent", "session", "actor", "role", "as", "capability"]
        .iter()
        .map(|name| call(1, "approve_ticket", &json!({ "id": id, *name: "cleo" })))
        .collect();
    forged.push(json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
        "name": "approve_ticket", "arguments": { "id": id },
        "_meta": { "session": "cleo", "actor": "human", "role": "reviewer", "SIGNALBOX_SESSION": borrowed },
        "role": "reviewer", "agent_id": "cleo",
    }}));
    let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": { "role": "reviewer" },
                        "clientInfo": { "name": "human", "role": "reviewer" } });
    forged.insert(0, request(0, "initialize", &hello));
    for answer in &as_agent(&mut doer, &forged)[1..] {
        let (text, is_error) = told(answer);
        assert!(
            is_error && text.starts_with("this session is a doer, and `approve_ticket` is for"),
            "{text}"
        );
    }
    // Nor does another's capability, or none, in the environment of the server.
    for variable in [format!("SIGNALBOX_SESSION={}", quote(&borrowed)), "SIGNALBOX_SESSION=".to_owned()] {
        let input = quote(lines(&[call(1, "approve_ticket", &json!({ "id": id }))]).trim_end());
        let run =
            doer.run(&format!("printf '%s\\n' {input} | {variable} SIGNALBOX_AGENT=cleo sb mcp")).success();
        assert!(run.stdout.contains("this session is a doer"), "{run}");
    }
    assert_eq!(status(&env, &id), "review");
    let calls =
        [call(1, "review_ticket", &json!({ "id": id })), call(2, "approve_ticket", &json!({ "id": id }))];
    assert!(as_agent(&mut reviewer, &calls).iter().all(|answer| !told(answer).1));
    assert_eq!(status(&env, &id), "done");
}

/// A capability that was never minted is some agent's, nobody knows whose.
#[test]
fn who_cannot_be_known_may_only_read() {
    let mut env = env();
    env.set("SIGNALBOX_SESSION", "sbc_made-up");
    let asked = [
        request(1, "tools/list", &json!({})),
        call(2, "add_note", &json!({ "text": "x" })),
        call(3, "list_tickets", &json!({})),
    ];
    let answers = as_human(&env, &asked);
    let reads: Vec<&str> = TOOLBOX.iter().filter(|tool| tool.reads_only).map(|tool| tool.name).collect();
    assert_eq!(names(&answers[0]), reads);
    let (text, is_error) = told(&answers[1]);
    assert!(
        is_error && text.contains("it is not known which session this is") && text.contains("hint: "),
        "{text}"
    );
    assert!(!told(&answers[2]).1, "{answers:?}");
}

/// A person gives the session another role while the server runs: the client is told, and asks again.
#[test]
fn a_new_role_is_heard_of() {
    let env = env();
    let mut agent = session(&env, "ada", Role::Doer);
    let ask = quote(&request(1, "tools/list", &json!({})).to_string());
    let wait = "while [ ! -e go ]; do sleep 0.05; done";
    agent.run(&format!("{{ echo {ask}; {wait}; echo {ask}; }} | sb mcp >said 2>&1 &")).success();
    let said = || -> Vec<Value> {
        let text = std::fs::read_to_string(env.project().join("said")).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    };
    let until = |count: usize| {
        let begun = Instant::now();
        while said().len() < count {
            assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", said());
            std::thread::yield_now();
        }
    };
    until(1);
    // What changes no tools is not worth a word.
    env.sb(["session", "set", "--session", "ada", "--role", "worker"]).success();
    env.sb(["session", "set", "--session", "ada", "--role", "reviewer"]).success();
    until(2);
    env.write(env.project().join("go"), "");
    until(3);
    let said = said();
    assert!(names(&said[0]).contains(&"submit_ticket") && !names(&said[0]).contains(&"approve_ticket"));
    assert_eq!(said[1], json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" }));
    assert!(!names(&said[2]).contains(&"submit_ticket") && names(&said[2]).contains(&"approve_ticket"));
}

/// Nobody becomes an assistant by damage.
#[test]
fn a_session_that_cannot_be_read_has_no_tools() {
    let env = env();
    let mut agent = session(&env, "ada", Role::Doer);
    env.write(env.home().join("sessions/ada.json"), "{");
    let asked = [request(1, "tools/list", &json!({})), call(2, "context", &json!({}))];
    for answer in as_agent(&mut agent, &asked) {
        assert_eq!(answer["error"]["code"], -32603, "{answer}");
    }
}
