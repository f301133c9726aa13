//! Any web service.

use std::io::Write;
use std::time::Duration;

use serde_json::{Value, json};

use super::{Stage, lasting, passing};
use crate::server::{Server, answer, ok};

fn stage(server: &Server, more: Value) -> Stage {
    let mut stage =
        Stage::new("webhook", json!({ "url": server.url("/hooks/secret"), "allow_private": true }));
    let Value::Object(more) = more else { unreachable!("settings are a table") };
    stage.settings.extend(more);
    stage
}

#[test]
fn what_happened_arrives_as_json() {
    let server = Server::answering(vec![ok(""), answer("204 No Content", &[], "")]);
    let told = stage(&server, json!({}));
    assert_eq!(told.tell().unwrap(), Value::Null);
    let asked = server.asked();
    assert_eq!(asked.line, "POST /hooks/secret");
    assert_eq!(asked.json(), told.notice.to_json());
    assert_eq!(asked.header("content-type"), Some("application/json"));
    assert_eq!(asked.header("x-signalbox-event"), Some("agent.completed"));
    assert_eq!(asked.header("x-signalbox-signature"), None);
    let more =
        json!({ "method": "put", "headers": { "Authorization": "Bearer x", "content-type": "text/json" } });
    stage(&server, more).tell().unwrap();
    let asked = server.asked();
    assert_eq!(asked.line, "PUT /hooks/secret");
    assert_eq!(
        (asked.header("authorization"), asked.header("content-type")),
        (Some("Bearer x"), Some("text/json"))
    );
}

#[test]
fn a_template_makes_another_body_and_a_secret_signs_it() {
    let server = Server::answering(vec![ok(""), ok("")]);
    let told = stage(&server, json!({ "secret": "key" }));
    told.template("default", "{\"text\": {{ message | tojson }}}\n");
    told.tell().unwrap();
    let asked = server.asked();
    assert_eq!(asked.body, br#"{"text":"builder has reached its goal"}"#);
    let signature = "sha256=5cc15537905acfb04b72f9916fcda16688712f058117a804821fa5ee18a97ca4";
    assert_eq!(asked.header("x-signalbox-signature"), Some(signature));
    told.template("default", "{{ message }}");
    let untold = told.untold();
    assert!(untold.why.starts_with("what the template makes is not JSON: ") && !untold.passing, "{untold}");
    assert!(!server.was_asked());
}

#[test]
fn an_answer_that_is_no_success_is_said() {
    for (status, headers, want) in [
        (
            "302 Found",
            [("Location", "http://127.0.0.1/")],
            lasting(
                "the web service answered with a redirect (302), which is not followed; set the address it leads to",
            ),
        ),
        ("400 Bad", [("X", "x")], lasting("the web service does not take it (400)")),
        (
            "401 No",
            [("X", "x")],
            lasting("the web service does not let us in (401); is what identifies us right?"),
        ),
        ("404 No", [("X", "x")], lasting("the web service has nothing at that address any more (404)")),
        ("429 Slow", [("Retry-After", "30")], passing("the web service asks to wait for 30 seconds")),
        ("429 Slow", [("Retry-After", "soon")], passing("the web service asks to wait")),
        ("503 Oh", [("X", "x")], passing("the web service has trouble of its own (503)")),
    ] {
        let server = Server::answering(vec![answer(status, &headers, "secret")]);
        assert_eq!(stage(&server, json!({})).untold(), want);
    }
}

#[test]
fn a_service_that_hangs_floods_or_talks_nonsense_harms_nothing() {
    let flood = Server::doing(|stream, _| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
        for _ in 0..16_384 {
            if stream.write_all(&[b'x'; 65_536]).is_err() {
                return;
            }
        }
    });
    assert_eq!(stage(&flood, json!({})).untold(), passing("127.0.0.1 answered with more than 262144 bytes"));
    let silent = Server::doing(|stream, _| drop(std::io::Read::read(stream, &mut [0])));
    let mut told = stage(&silent, json!({}));
    told.time = Duration::from_millis(200);
    assert_eq!(told.untold(), passing("127.0.0.1 did not answer within 1 seconds"));
    let garbage = Server::answering(vec![vec![0xff; 100]]);
    assert_eq!(
        stage(&garbage, json!({})).untold(),
        passing("127.0.0.1 answered with something that is not HTTP")
    );
    // One that hangs up at once, as a server does that has panicked.
    let gone = Server::doing(|_, _| {});
    let untold = stage(&gone, json!({})).untold();
    assert!(untold.passing && untold.why.starts_with("127.0.0.1 broke off"), "{untold}");
}

#[test]
fn private_addresses_need_leave_and_settings_are_checked() {
    let server = Server::answering(vec![ok("")]);
    let refused = "127.0.0.1 is not asked, because its address is not on the public internet";
    let told = Stage::new("webhook", json!({ "url": server.url("/hooks/secret") }));
    assert_eq!(told.wrong(), format!("`url` or `headers`: {refused}"));
    assert!(!told.untold().passing && !server.was_asked());
    for (settings, want) in [
        (json!({}), "`webhook` needs `url`: Where it is sent"),
        (json!({ "url": "ftp://example.com/secret" }), "has to begin with `https://`"),
        (json!({ "url": "https://user:secret@example.com/" }), "has a user or password in it"),
        (
            json!({ "url": "https://example.com/secret", "method": "GET" }),
            "`method` has to be POST, PUT or PATCH, and GET is none of them",
        ),
        (
            json!({ "url": "https://example.com/secret", "headers": ["x"] }),
            "`headers` has to be a table of names and texts",
        ),
        (
            json!({ "url": "https://example.com/secret", "headers": { "X": 1 } }),
            "the header `X` has to be text",
        ),
        (
            json!({ "url": "https://example.com/secret", "headers": { "X": "secret\r\nY: z" } }),
            "the header `x` has a line break",
        ),
        (
            json!({ "url": "https://example.com/secret", "headers": { "a b": "secret" } }),
            "`a b` is no name for a header",
        ),
        (
            json!({ "url": "https://example.com/secret", "allow_private": "yes" }),
            "`allow_private` has to be true or false",
        ),
    ] {
        let wrong = Stage::new("webhook", settings).wrong();
        assert!(wrong.contains(want) && !wrong.contains("secret"), "{wrong}");
    }
}
