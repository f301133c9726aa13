//! The scripted model by itself: no CLI is needed.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use signalbox_testkit::model::{Gate, Model, Part, Script, Turn};

/// Ask as a CLI does, over a connection that closes afterwards.
fn ask(model: &Model, path: &str, body: &Value) -> String {
    let address = model.url().trim_start_matches("http://").to_owned();
    let mut stream = TcpStream::connect(address).expect("connect");
    let body = body.to_string();
    let head = format!("POST {path} HTTP/1.1\r\nhost: model\r\ncontent-length: {}\r\n\r\n", body.len());
    stream.write_all(format!("{head}{body}").as_bytes()).expect("ask");
    stream.shutdown(std::net::Shutdown::Write).expect("finish the question");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer
}

fn said(words: &str) -> Value {
    json!({ "model": "m", "tools": [{ "name": "Bash" }], "messages": [{ "role": "user", "content": words }] })
}

#[test]
fn turns_come_in_order_and_helpers_use_none_up() {
    let model =
        Model::start([Turn::call("Bash", json!({ "command": "ls" })), Turn::fail(529), Turn::say("bye")]);
    let helper = json!({ "messages": [{ "role": "user", "content": "a title, please" }] });
    assert!(ask(&model, "/v1/messages", &helper).contains(r#""text":"{}""#));
    assert!(ask(&model, "/v1/messages/count_tokens", &said("x")).contains("input_tokens"));
    assert!(ask(&model, "/v1/models", &Value::Null).contains(r#""data":[]"#));
    assert!(ask(&model, "/v1/messages", &said("x")).contains(r#""name":"Bash""#));
    assert!(ask(&model, "/v1/messages", &said("x")).starts_with("HTTP/1.1 529"));
    assert!(ask(&model, "/v1/messages", &said("x")).contains(r#""text":"bye""#));
    assert!(ask(&model, "/v1/messages", &said("x")).contains(r#""text":"done""#));
    model.play([Turn::say("again")]);
    assert!(ask(&model, "/v1/messages", &said("x")).contains(r#""text":"again""#));
    assert_eq!(model.conversation().len(), 5);
    assert_eq!(model.requests().len(), 8);
}

#[test]
fn a_conversation_is_known_by_its_opening_alone() {
    let model = Model::start(Script::new([Turn::say("main")]).beside("SUBAGENT", [Turn::say("sub")]));
    assert!(ask(&model, "/v1/messages", &said("SUBAGENT, go")).contains(r#""text":"sub""#));
    let mut later = said("start");
    later["messages"] = json!([
        { "role": "user", "content": "start" },
        { "role": "assistant", "content": [{ "type": "text", "text": "SUBAGENT, go" }] },
        { "role": "user", "content": "the SUBAGENT is done" },
    ]);
    assert!(ask(&model, "/v1/messages", &later).contains(r#""text":"main""#));
    let parts: Vec<Part> = model.requests().into_iter().map(|request| request.part).collect();
    assert_eq!(parts, [Part::Beside("SUBAGENT".to_owned()), Part::Main]);
}

#[test]
fn what_reached_the_model_is_found_once() {
    let model = Model::start([]);
    let mut body = said("say \"hi\"");
    body["messages"] = json!([{ "role": "user", "content": [
        { "type": "text", "text": "say \"hi\"\nand leave" },
        { "type": "tool_result", "tool_use_id": "a", "content": [{ "type": "text", "text": "fine" }] },
        { "type": "tool_result", "tool_use_id": "b", "content": "broken", "is_error": true },
    ]}]);
    for _ in 0..2 {
        ask(&model, "/v1/messages", &body);
    }
    assert!(model.saw("say \"hi\"\nand leave") && !model.saw("say \\\"hi"));
    let results: Vec<(String, String, bool)> =
        model.tool_results().into_iter().map(|result| (result.id, result.text, result.is_error)).collect();
    let (a, b) = (("a", "fine", false), ("b", "broken", true));
    assert_eq!(results, [a, b].map(|(id, text, bad)| (id.to_owned(), text.to_owned(), bad)));
}

#[test]
fn every_protocol_answers_in_its_own_way() {
    let calls = || Turn::calls([("one", json!({ "a": 1 })), ("two", json!({ "b": 2 }))]);
    let model = Model::start([calls(), calls(), calls()]);
    let mut body = said("x");
    body["stream"] = json!(true);
    let answer = ask(&model, "/v1/messages?beta=true", &body);
    assert!(answer.contains("event: content_block_start") && answer.contains(r#"{\"b\":2}"#), "{answer}");
    let tools = json!([{ "type": "namespace", "name": "group", "tools": [{ "name": "two" }] }]);
    let answer = ask(&model, "/v1/responses", &json!({ "tools": tools, "input": [] }));
    assert!(answer.contains(r#""name":"one","arguments":"{\"a\":1}"}"#), "{answer}");
    assert!(answer.contains(r#""namespace":"group""#), "{answer}");
    let body = json!({ "tools": [{}], "contents": [] });
    let answer = ask(&model, "/v1beta/models/m:streamGenerateContent?alt=sse", &body);
    assert!(answer.contains("data: {") && answer.contains(r#""name":"two","args":{"b":2}"#), "{answer}");
    assert_eq!(model.conversation().len(), 3);
}

#[test]
fn a_gate_holds_the_model_back_and_a_drop_lets_go() {
    let (gate, never) = (Gate::default(), Gate::default());
    let script = [Turn::until(&gate), Turn::say("on"), Turn::until(&never), Turn::say("never")];
    let model = Model::start(script);
    std::thread::scope(|scope| {
        let asked = scope.spawn(|| ask(&model, "/v1/messages", &said("knock")));
        assert!(gate.is_reached(Duration::from_secs(10)));
        assert!(model.sees("knock", Duration::from_secs(10)));
        assert!(!asked.is_finished());
        gate.open();
        assert!(asked.join().expect("an answer").contains(r#""text":"on""#));
    });
    let address = model.url().trim_start_matches("http://").to_owned();
    let mut stream = TcpStream::connect(&address).expect("connect");
    let body = said("x").to_string();
    let request = format!("POST /v1/messages HTTP/1.1\r\ncontent-length: {}\r\n\r\n{body}", body.len());
    stream.write_all(request.as_bytes()).expect("ask");
    assert!(never.is_reached(Duration::from_secs(10)));
    let begun = Instant::now();
    drop(model);
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    assert!(TcpStream::connect(address).is_err(), "nobody listens any more");
}
