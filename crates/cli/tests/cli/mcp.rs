//! `sb mcp`: the tickets as tools, for whoever started it and nobody else.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use serde_json::{Value, json};
use signalbox_core::toolbox;
use signalbox_testkit::{Agent, Run, TestEnv, quote};

use crate::env;
use crate::support::{in_review, status};

pub fn request(id: u32, method: &str, parameters: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": parameters })
}

pub fn call(id: u32, tool: &str, arguments: &Value) -> Value {
    request(id, "tools/call", &json!({ "name": tool, "arguments": arguments }))
}

pub fn lines(messages: &[Value]) -> String {
    messages.iter().map(|message| format!("{message}\n")).collect()
}

/// The answers, in their order.
#[track_caller]
pub fn answers(run: &Run) -> Vec<Value> {
    let answers = run.stdout.lines().map(serde_json::from_str).collect::<Result<Vec<Value>, _>>();
    answers.unwrap_or_else(|error| panic!("{error}:\n{run}"))
}

/// What the human is answered.
#[track_caller]
pub fn as_human(env: &TestEnv, messages: &[Value]) -> Vec<Value> {
    answers(&env.sb_with_input(["mcp"], lines(messages)).success())
}

/// What an agent is answered.
#[track_caller]
pub fn as_agent(agent: &mut Agent, messages: &[Value]) -> Vec<Value> {
    let input = quote(lines(messages).trim_end());
    answers(&agent.run(&format!("printf '%s\\n' {input} | sb mcp")).success())
}

/// The text of a tool's result, and whether it is an error.
#[track_caller]
pub fn told(answer: &Value) -> (String, bool) {
    let result = &answer["result"];
    let text = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"));
    (text.to_owned(), result["isError"].as_bool().unwrap_or(false))
}

#[test]
fn the_handshake() {
    let env = env();
    let hello = |version: &str| {
        request(1, "initialize", &json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": {} }))
    };
    for (asked, spoken) in
        [("2025-06-18", "2025-06-18"), ("2025-11-25", "2025-11-25"), ("2024-11-05", "2025-11-25")]
    {
        let answers = as_human(&env, &[hello(asked)]);
        assert_eq!(answers[0]["result"]["protocolVersion"], spoken);
    }
    let answers = as_human(
        &env,
        &[
            hello("2025-11-25"),
            json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
            json!({ "jsonrpc": "2.0", "id": 99, "result": {} }),
            request(2, "ping", &Value::Null),
            json!({ "jsonrpc": "2.0", "id": "three", "method": "tools/list" }),
            request(4, "resources/list", &Value::Null),
        ],
    );
    let ids: Vec<&Value> = answers.iter().map(|answer| &answer["id"]).collect();
    assert_eq!(ids, [&json!(1), &json!(2), &json!("three"), &json!(4)]);
    assert_eq!(answers[0]["result"]["serverInfo"]["name"], "signalbox");
    assert_eq!(answers[1]["result"], json!({}));
    assert_eq!(answers[3]["error"]["code"], -32601);
    let tools = answers[2]["result"]["tools"].as_array().expect("tools");
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().expect("a name")).collect();
    insta::assert_snapshot!(names.join(" "), @"context get_status list_tickets show_ticket new_ticket pick_ticket add_note submit_ticket review_ticket approve_ticket reject_ticket draft_escalation signal_goal list_goal_types get_usage list_monitors list_monitor_types add_monitor remove_monitor list_notifiers list_notifier_types add_notifier remove_notifier");
    for tool in tools {
        assert_eq!(tool["inputSchema"]["type"], "object");
        let rule = toolbox::named(tool["name"].as_str().expect("a name")).expect("a rule");
        assert_eq!(tool["annotations"]["readOnlyHint"], rule.reads_only, "{tool}");
    }
}

#[test]
fn work_through_tools() {
    let env = env();
    let id = env.new_ticket("Limit logins");
    let (mut ada, mut bowie) = (env.agent("ada"), env.agent("bowie"));
    let answers = as_agent(
        &mut ada,
        &[
            call(1, "context", &json!({})),
            call(2, "list_tickets", &json!({ "ready": true })),
            call(3, "pick_ticket", &json!({ "id": id })),
            call(4, "add_note", &json!({ "text": "--it begins\nlike an option" })),
            call(5, "submit_ticket", &json!({ "message": "done" })),
            call(6, "approve_ticket", &json!({ "id": id })),
        ],
    );
    let told: Vec<(String, bool)> = answers.iter().map(told).collect();
    assert!(told[0].0.contains("you are ada, session ada"), "{told:?}");
    assert_eq!(
        told[1].0,
        format!(
            "{{\"id\":\"{id}\",\"title\":\"Limit logins\",\"status\":\"open\",\"priority\":\"P3\",\"project\":\"shop\"}}"
        )
    );
    let picked: Value = serde_json::from_str(&told[2].0).expect("a ticket");
    assert_eq!(picked["assignee"], "ada");
    assert!(!told[3].1 && !told[4].1, "{told:?}");
    // Nobody reviews their own work, and the tool says why and what to do.
    assert!(told[5].1 && told[5].0.contains("this session worked on it"), "{told:?}");
    assert!(told[5].0.contains("\nhint: ") && told[5].0.contains("\nevidence: event "), "{told:?}");
    assert_eq!(status(&env, &id), "review");
    env.sb(["show", &id]).success().says("--it begins");

    let answers = as_agent(
        &mut bowie,
        &[
            call(1, "review_ticket", &json!({ "id": id })),
            call(2, "reject_ticket", &json!({ "id": id, "reason": "-" })),
            call(3, "list_tickets", &json!({ "status": "rework" })),
        ],
    );
    assert!(answers.iter().all(|answer| !self::told(answer).1), "{answers:?}");
    assert!(self::told(&answers[2]).0.contains(&id));
    let again =
        [call(1, "pick_ticket", &json!({})), call(2, "submit_ticket", &json!({ "message": "better" }))];
    as_agent(&mut ada, &again);
    let last = [
        call(1, "review_ticket", &json!({ "id": id })),
        call(2, "approve_ticket", &json!({ "id": id, "message": "good" })),
    ];
    as_agent(&mut bowie, &last);
    assert_eq!(status(&env, &id), "done");
}

/// Reading through the tool counts as reading.
#[test]
fn who_read_a_ticket_may_not_review_it() {
    let env = env();
    let (mut ada, mut bowie) = (env.agent("ada"), env.agent("bowie"));
    let id = in_review(&env, &mut ada, "One");
    let answers = as_agent(
        &mut bowie,
        &[call(1, "show_ticket", &json!({ "id": id })), call(2, "review_ticket", &json!({ "id": id }))],
    );
    assert!(!told(&answers[0]).1);
    let (text, is_error) = told(&answers[1]);
    assert!(is_error && text.contains("bowie may not review"), "{text}");
}

/// Whoever starts the server acts, and nothing the model says makes it somebody else.
#[test]
fn identity_comes_from_the_processes() {
    let env = env();
    let mut ada = env.agent("ada");
    let id = in_review(&env, &mut ada, "One");
    let forged = [
        call(1, "approve_ticket", &json!({ "id": id, "as": "human" })),
        call(2, "approve_ticket", &json!({ "id": format!("{id} --as human") })),
        json!({ "jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {
            "name": "approve_ticket", "arguments": { "id": id }, "_meta": { "session": "bowie", "actor": "human" },
        }}),
    ];
    for answer in as_agent(&mut ada, &forged) {
        assert!(told(&answer).1, "{answer}");
    }
    assert_eq!(status(&env, &id), "review");
    let answers = as_human(&env, &[call(1, "approve_ticket", &json!({ "id": id }))]);
    assert!(!told(&answers[0]).1, "{answers:?}");
    assert_eq!(status(&env, &id), "done");
}

#[test]
fn what_makes_no_sense_is_answered_and_survived() {
    let env = env();
    let ping = request(7, "ping", &Value::Null).to_string();
    for (line, code) in [
        ("{\"jsonrpc\":", -32700),
        ("not JSON", -32700),
        ("\u{0}", -32700),
        ("[]", -32600),
        ("{}", -32600),
        ("{\"id\":1}", -32600),
        ("{\"id\":1,\"method\":3}", -32600),
        ("{\"id\":null,\"method\":\"ping\"}", -32600),
        ("{\"id\":1,\"method\":\"tools/call\"}", -32602),
        ("{\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"rm_rf\"}}", -32602),
        ("{\"id\":1,\"method\":\"tools/call\",\"params\":[]}", -32602),
    ] {
        let answers = answers(&env.sb_with_input(["mcp"], format!("{line}\n\n{ping}\n")).success());
        assert_eq!((answers.len(), &answers[0]["error"]["code"]), (2, &json!(code)), "{line}: {answers:?}");
        assert_eq!(answers[1]["result"], json!({}), "{line}");
    }
    let bytes = [b"\xff\xfe\n".as_slice(), ping.as_bytes()].concat();
    assert_eq!(answers(&env.sb_with_input(["mcp"], bytes).success())[1]["id"], 7);
    // Of a line without end nothing is kept.
    let huge = format!("{{\"id\":1,\"method\":\"{}\"}}\n{ping}\n", "x".repeat(20 * 1024 * 1024));
    let answers = answers(&env.sb_with_input(["mcp"], huge).success());
    assert_eq!((&answers[0]["error"]["code"], &answers[1]["id"]), (&json!(-32700), &json!(7)));
}

#[test]
fn bad_arguments_are_for_the_model_to_mend() {
    let env = env();
    let answers = as_human(
        &env,
        &[
            call(1, "add_note", &json!({})),
            call(2, "show_ticket", &json!({ "id": "--help" })),
            call(3, "show_ticket", &json!({ "id": "sb_zzzzzz" })),
            call(4, "list_tickets", &json!({ "status": "wip2" })),
            call(5, "list_tickets", &json!({})),
            call(6, "add_note", &json!({ "text": "nowhere" })),
        ],
    );
    let told: Vec<(String, bool)> = answers.iter().map(told).collect();
    for (at, part) in [
        (0, "`text` is missing"),
        (1, "no ticket's id"),
        (2, "there is no ticket"),
        (3, "not a status"),
        (5, "no current ticket"),
    ] {
        assert!(told[at].1 && told[at].0.contains(part), "{part}: {:?}", told[at]);
    }
    assert_eq!(told[4], ("No ticket is like that.".to_owned(), false));
}

/// A note of a megabyte is no argument of a command line.
#[test]
fn long_texts_arrive_whole() {
    let env = env();
    let id = env.new_ticket("One");
    let text = "ä\"\\\n".repeat(100_000);
    let answers = as_human(&env, &[call(1, "add_note", &json!({ "id": id, "text": text }))]);
    assert!(!told(&answers[0]).1, "{}", told(&answers[0]).0);
    let noted = env.sb(["log", "--ticket", &id, "--json"]).success().stdout;
    assert!(noted.lines().any(|line| line.len() > 500_000), "the note is in the log");
}

#[test]
fn it_ends_with_its_input_or_by_a_signal() {
    let env = env();
    env.sb_with_input(["mcp"], "").success();
    let mut command = env.command();
    let mut server =
        command.arg("mcp").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("start the server");
    let mut input = server.stdin.take().expect("its input");
    let mut output = BufReader::new(server.stdout.take().expect("its output"));
    writeln!(input, "{}", request(1, "ping", &Value::Null)).expect("write");
    let mut line = String::new();
    output.read_line(&mut line).expect("an answer");
    assert!(line.contains("\"id\":1"), "{line}");
    env.bash(&format!("kill {}", server.id())).success();
    let status = server.wait().expect("its end");
    assert!(!status.success(), "{status}");
}
