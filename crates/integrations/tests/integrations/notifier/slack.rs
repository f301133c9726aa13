//! Slack, played by a server that answers as Slack does.

use serde_json::{Value, json};

use super::{Stage, lasting, passing};
use crate::server::{Server, answer, ok};

fn bot(server: &Server) -> Stage {
    let settings = json!({ "token": "xoxb-secret", "channel": "C1", "api_url": server.url("/api/"), "allow_private": true });
    Stage::new("slack", settings)
}

fn by_webhook(server: &Server) -> Stage {
    Stage::new("slack", json!({ "webhook_url": server.url("/services/secret"), "allow_private": true }))
}

/// The blocks that a template makes.
fn blocks(change: impl FnOnce(&mut Stage)) -> Value {
    let server = Server::answering(vec![ok("ok")]);
    let mut stage = by_webhook(&server);
    change(&mut stage);
    stage.tell().unwrap();
    server.asked().json()["blocks"].take()
}

fn made(template: &str) -> Value {
    blocks(|stage| stage.template("default", template))
}

fn text(blocks: &Value, path: &str) -> String {
    blocks.pointer(path).and_then(Value::as_str).unwrap_or_default().to_owned()
}

#[test]
fn the_template_that_comes_along_says_it_all() {
    let server = Server::answering(vec![ok("ok")]);
    let stage = by_webhook(&server);
    assert_eq!(stage.tell().unwrap(), Value::Null);
    let asked = server.asked();
    assert_eq!(asked.line, "POST /services/secret");
    assert_eq!(
        asked.json(),
        json!({
            "text": ":white_check_mark: Agent completed: builder has reached its goal",
            "blocks": [
                { "type": "header", "text": { "type": "plain_text", "text": ":white_check_mark: Agent completed", "emoji": true } },
                { "type": "section", "text": { "type": "mrkdwn", "text": "builder has reached its goal" } },
                { "type": "context", "elements": [{ "type": "mrkdwn", "text": "agent `builder-1` · monitor `ci` · 2026-11-15T12:00:00Z" }] },
            ],
            "unfurl_links": false,
            "unfurl_media": false,
        })
    );
    // And as much as there is, where little is known.
    let little = blocks(|stage| {
        stage.notice.agent = None;
        stage.notice.monitor = None;
        stage.notice.context = Value::Null;
    });
    assert_eq!(text(&little, "/2/elements/0/text"), "2026-11-15T12:00:00Z");
}

#[test]
fn templates_make_blocks_in_their_order() {
    let blocks = made(
        "ignored {{ header('H') }}{{ button('A', 'https://a.example', style='primary') }}\
         {{ button('B', 'https://b.example', 'odd') }}{{ divider() }}{{ button('C', url='http://c.example') }}\
         {{ button('D', 'javascript:alert(1)') }}{{ fields(['*x*', none, ' ', 2]) }}{{ fields('one\\n\\ntwo') }}\
         {{ image('https://a.example/i.png', 'I') }}{{ image('file:///x', 'I') }}{{ rich_text('<r>') }}{{ section(' ') }}\
         {{ context([event | event_emoji, 'deploy.completed' | event_emoji, 'odd' | event_emoji] | join_present) }}",
    );
    let button = |text: &str, url: &str| json!({ "type": "button", "text": { "type": "plain_text", "text": text, "emoji": true }, "url": url });
    let mut first = button("A", "https://a.example");
    first["style"] = json!("primary");
    let field = |text: &str| json!({ "type": "mrkdwn", "text": text });
    assert_eq!(
        blocks,
        json!([
            { "type": "header", "text": { "type": "plain_text", "text": "H", "emoji": true } },
            { "type": "actions", "elements": [first, button("B", "https://b.example")] },
            { "type": "divider" },
            { "type": "actions", "elements": [button("C", "http://c.example")] },
            { "type": "section", "fields": [field("*x*"), field("2")] },
            { "type": "section", "fields": [field("one"), field("two")] },
            { "type": "image", "image_url": "https://a.example/i.png", "alt_text": "I" },
            { "type": "rich_text", "elements": [{ "type": "rich_text_section", "elements": [{ "type": "text", "text": "<r>" }] }] },
            { "type": "context", "elements": [field(":white_check_mark: · :white_check_mark: · :bell:")] },
        ])
    );
    // Plain text is one section, and nothing at all is the message.
    assert_eq!(text(&made(" just *text* "), "/0/text/text"), "just *text*");
    assert_eq!(text(&made(" \n"), "/0/text/text"), "builder has reached its goal");
}

#[test]
fn nothing_is_longer_than_slack_takes_and_nobody_is_mentioned() {
    let evil = "<!channel> <https://evil.example|bank> & <@U1>";
    let safe = "&lt;!channel&gt; &lt;https://evil.example|bank&gt; &amp; &lt;@U1&gt;";
    let blocks_ = blocks(|stage| {
        stage.template("default", "{{ section(message) }}{{ context(message) }}{{ fields([message]) }}");
        evil.clone_into(&mut stage.notice.message);
    });
    for path in ["/0/text/text", "/1/elements/0/text", "/2/fields/0/text"] {
        assert_eq!(text(&blocks_, path), safe);
    }
    let long = made(
        "{{ header('ü' * 500) }}{{ section('<' * 3000) }}{{ fields(['x' * 5000] * 20) }}{{ button('b' * 500, 'https://x') }}\
         {{ section('x' * 3000) }}{{ header('😀' * 100) }}",
    );
    let units = |path: &str| text(&long, path).encode_utf16().count();
    assert_eq!(units("/0/text/text"), 150);
    assert!(text(&long, "/1/text/text").ends_with("&lt;…") && units("/1/text/text") <= 3000);
    assert_eq!((units("/2/fields/0/text"), long[2]["fields"].as_array().unwrap().len()), (2000, 10));
    assert_eq!((units("/3/elements/0/text/text"), units("/4/text/text")), (75, 3000));
    assert!(units("/5/text/text") <= 150);
    let many = made("{% for n in range(90) %}{{ divider() }}{% endfor %}");
    assert_eq!(many.as_array().unwrap().len(), 50);
    assert_eq!(text(&many, "/49/elements/0/text"), "…");
    let buttons = made("{% for n in range(30) %}{{ button(n, 'https://x') }}{% endfor %}");
    let counts: Vec<usize> =
        buttons.as_array().unwrap().iter().map(|block| block["elements"].as_array().unwrap().len()).collect();
    assert_eq!(counts, [25, 5]);
}

#[test]
fn a_bot_keeps_one_thread_an_agent() {
    let posted = |ts: &str| ok(&json!({ "ok": true, "ts": ts, "channel": "C1" }).to_string());
    let server = Server::answering(vec![
        posted("1.1"),
        posted("1.2"),
        posted("1.3"),
        posted("1.4"),
        ok(r#"{"ok":true}"#),
    ]);
    let mut stage = bot(&server);
    let first = stage.tell().unwrap();
    assert_eq!(first, json!({ "channel": "C1", "thread_ts": "1.1" }));
    let asked = server.asked();
    assert_eq!(asked.line, "POST /api/chat.postMessage");
    assert_eq!(asked.header("authorization"), Some("Bearer xoxb-secret"));
    assert_eq!((&asked.json()["channel"], asked.json().get("thread_ts")), (&json!("C1"), None));
    stage.remembered = first.clone();
    assert_eq!(stage.tell().unwrap(), first);
    assert_eq!(server.asked().json()["thread_ts"], "1.1");
    // Another channel has other threads.
    stage.settings.insert("channel".to_owned(), json!("C2"));
    assert_eq!(stage.tell().unwrap(), json!({ "channel": "C2", "thread_ts": "1.3" }));
    assert_eq!(server.asked().json().get("thread_ts"), None);
    stage.settings.insert("thread_ts".to_owned(), json!("0.9"));
    assert_eq!(stage.tell().unwrap(), json!({ "channel": "C2", "thread_ts": "0.9" }));
    assert_eq!(server.asked().json()["thread_ts"], "0.9");
    stage.settings.remove("thread_ts");
    stage.remembered = json!(["nonsense"]);
    assert_eq!(stage.tell().unwrap(), Value::Null);
}

#[test]
fn what_slack_objects_to_is_said_with_what_to_do() {
    for (body, want) in [
        (
            r#"{"ok":false,"error":"invalid_auth"}"#,
            lasting("Slack does not know the token; copy the bot's own (`xoxb-…`) into `token` again"),
        ),
        (
            r#"{"ok":false,"error":"channel_not_found"}"#,
            lasting(
                "Slack knows no such channel, or the bot does not see it; check `channel`, and invite the bot to it",
            ),
        ),
        (
            r#"{"ok":false,"error":"not_in_channel"}"#,
            lasting("the bot is not in the channel; invite it there with `/invite`"),
        ),
        (r#"{"ok":false,"error":"ratelimited"}"#, passing("Slack asks to wait")),
        (r#"{"ok":false,"error":"new <b>\u001b"}"#, lasting("Slack does not take it: `newb`")),
        (r#"{"ok":false}"#, lasting("Slack does not take it: ``")),
        ("<html>", passing("Slack answered with something that is none of its answers")),
        ("[]", passing("Slack answered with something that is none of its answers")),
        ("", passing("Slack answered with something that is none of its answers")),
    ] {
        let server = Server::answering(vec![ok(body)]);
        assert_eq!(bot(&server).untold(), want, "{body}");
    }
    let server = Server::answering(vec![answer("429 Too Many", &[("Retry-After", "7")], "")]);
    assert_eq!(bot(&server).untold(), passing("Slack asks to wait for 7 seconds"));
    for (status, body, want) in [
        (
            "404 Not Found",
            "no_service",
            lasting("Slack knows no such webhook any more; make a new one and set it as `webhook_url`"),
        ),
        ("410 Gone", "channel_is_archived", lasting("the channel is archived; choose another")),
        (
            "400 Bad Request",
            "invalid_blocks",
            lasting("Slack cannot show what the template makes; see `sb templates check`"),
        ),
        ("500 Oh", "<html>", passing("Slack has trouble of its own (500)")),
    ] {
        let server = Server::answering(vec![answer(status, &[], body)]);
        assert_eq!(by_webhook(&server).untold(), want, "{body}");
    }
}

#[test]
fn settings_that_cannot_work_are_named() {
    for (settings, want) in [
        (json!({}), "`slack` needs `webhook_url`, or `token` and `channel`"),
        (json!({ "token": "secret" }), "`slack` needs `channel` besides `token`: where the bot posts"),
        (
            json!({ "channel": "C" }),
            "`slack` needs `token` besides `channel`: the bot's, with the scope `chat:write`",
        ),
        (
            json!({ "webhook_url": "https://example.com/secret", "token": "secret" }),
            "`slack` takes either `webhook_url`, or `token` and `channel`, not both",
        ),
        (
            json!({ "webhook_url": "http://localhost/secret" }),
            "`slack` cannot be asked like that: localhost is not asked, because it is this machine",
        ),
        (
            json!({ "token": "secret\n", "channel": "C" }),
            "`slack` cannot be asked like that: the header `authorization` has a line break or a sign that headers \
             cannot have",
        ),
    ] {
        assert_eq!(Stage::new("slack", settings).wrong(), want);
    }
    let server = Server::answering(Vec::new());
    let stage = by_webhook(&server);
    stage.template("default", "{{ header() }}");
    let why = stage.untold().why;
    assert!(why.ends_with("default.jinja, line 1: `header` needs `text`"), "{why}");
    assert!(!server.was_asked());
}
