//! Answers that no GitHub gives: whatever comes back, a look ends in time and says so.

use std::sync::Arc;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use serde_json::{Value, json};
use signalbox_integrations::monitor::Trouble;
use signalbox_testkit::github::{Body, Github};

use crate::github::{instead, watcher};

/// A branch about which there is something to say everywhere.
fn busy() -> Github {
    let github = Github::start();
    github.push("fix/login", "c0ffee1234");
    let number = github.open("fix/login", "Fix the login");
    github.check_fails("c0ffee1234", "build", "Run the tests", "##[error]no");
    github.status("c0ffee1234", "ci/old", "failure", "no");
    github.review(number, "ann", "CHANGES_REQUESTED", "Please.", &[("src/x.rs", 3, "Why?")]);
    github.comment(number, "ben", "Hello.");
    github
}

/// Every kind of question that a look asks.
const PLACES: [&str; 8] = [
    "/pulls?",
    "/pulls/1",
    "/reviews",
    "/pulls/1/comments",
    "/issues/1/comments",
    "/check-runs",
    "/status",
    "/user",
];

#[test]
fn garbage_is_a_passing_trouble() {
    for place in PLACES {
        for body in [
            "",
            "garbage",
            "{",
            "[",
            "null",
            "7",
            "\"x\"",
            "[null]",
            "{\"check_runs\":7}",
            "\u{0}\u{1b}[31m",
            "[[[[[[",
        ] {
            let github = busy();
            let mut watcher = watcher(&github, json!({}));
            github.instead(instead(place, 200, &[], Body::Bytes(body.as_bytes().to_vec())));
            match watcher.try_look() {
                Err(Trouble::Passing(why)) => assert!(!why.contains('\u{1b}'), "{why:?}"),
                // `null` and lists can be what was asked for.
                Ok(_) => {}
                Err(other) => unreachable!("{place} {body:?}: {other:?}"),
            }
        }
    }
    let github = busy();
    let mut watcher = watcher(&github, json!({}));
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    github.instead(instead("/pulls?", 200, &[], Body::Bytes(deep.into_bytes())));
    assert!(matches!(watcher.try_look(), Err(Trouble::Passing(_))));
}

#[test]
fn a_gigabyte_or_an_endless_answer_is_cut_short() {
    for place in ["/pulls?", "/check-runs", "/issues/1/comments"] {
        for body in [Body::Long(1 << 30), Body::Stuck] {
            let github = busy();
            let mut watcher = watcher(&github, json!({}));
            watcher.time = Duration::from_secs(2);
            github.instead(instead(place, 200, &[], body));
            let begun = Instant::now();
            let trouble = watcher.try_look().unwrap_err();
            assert!(matches!(trouble, Trouble::Passing(_)), "{place}: {trouble:?}");
            assert!(begun.elapsed() < Duration::from_secs(30), "{place} took {:?}", begun.elapsed());
        }
    }
}

#[test]
fn servers_in_trouble_and_strange_answers_pass() {
    for status in [500, 502, 503, 504, 418, 304, 400] {
        let github = busy();
        let mut watcher = watcher(&github, json!({}));
        github.instead(instead("/pulls?", status, &[], Body::Bytes(b"<html>".to_vec())));
        let trouble = watcher.try_look().unwrap_err();
        assert!(matches!(trouble, Trouble::Passing(_)), "{status}: {trouble:?}");
    }
    let mut gone = watcher(&busy(), json!({ "api_url": "http://127.0.0.1:1" }));
    assert!(matches!(gone.try_look(), Err(Trouble::Passing(_))));
}

#[test]
fn a_redirect_of_a_log_leads_to_no_other_kind_of_place() {
    for location in
        ["file:///etc/passwd", "gopher://x", "", "/etc/passwd", "javascript:1", "http://[", "https://"]
    {
        let github = busy();
        let mut watcher = watcher(&github, json!({}));
        github.instead(instead("/logs", 302, &[("Location", location)], Body::Bytes(Vec::new())));
        assert!(watcher.kinds().contains(&"ci_failure".to_owned()), "{location}");
    }
}

#[test]
fn nothing_a_terminal_acts_on_gets_through() {
    let evil = "a\u{1b}]52;c;eA==\u{7}b\u{1b}[201~c\u{202e}\u{0}\r\n```\nd";
    let github = Github::start();
    github.push("fix/login", "c0ffee1234");
    let number = github.open("fix/login", evil);
    let mut watcher = watcher(&github, json!({}));
    watcher.look();
    github.check_fails("c0ffee1234", evil, evil, evil);
    github.app_fails("c0ffee1234", "other", evil, evil);
    github.status("c0ffee1234", evil, "error", evil);
    github.review(number, "ann", "CHANGES_REQUESTED", evil, &[(evil, 1, evil)]);
    github.comment(number, evil, evil);
    github.mergeable(number, Some(false));
    let events = watcher.look();
    assert_eq!(events.len(), 4);
    for event in &events {
        let text = watcher.text(event);
        let is_evil = |c: char| (c.is_control() && c != '\n' && c != '\t') || c == '\u{202e}';
        assert!(!text.contains(is_evil), "{text:?}");
        assert!(!text.contains("]52;") && !text.contains("[201~"), "{text:?}");
    }
    assert!(watcher.state.to_string().len() < 64 << 10);
}

/// A state from another version, another place or nowhere is a first look and no more.
#[test]
fn any_state_will_do() {
    let github = busy();
    for state in [
        json!(7),
        json!("x"),
        json!([]),
        json!({ "of": 1 }),
        json!({ "since": "never" }),
        json!({ "checks": null }),
    ] {
        let mut watcher = watcher(&github, json!({}));
        watcher.state = state;
        assert_eq!(watcher.kinds(), ["ci_failure"]);
        // And a real one that somebody changed.
        for name in ["since", "pull", "checks", "reviews", "comments", "me", "pulls_tag"] {
            let kept = watcher.state.clone();
            watcher.state[name] = json!({ "page": 4_294_967_295_u32, "seen": [1, 2], "number": 1 });
            let _ = watcher.try_look();
            watcher.state = kept;
        }
    }
}

/// Change one thing somewhere in an answer.
fn mutated(value: Value, path: &[usize], with: &Value) -> Value {
    let Some((first, rest)) = path.split_first() else { return with.clone() };
    match value {
        Value::Array(mut list) if !list.is_empty() => {
            let at = first % list.len();
            list[at] = mutated(list[at].take(), rest, with);
            Value::Array(list)
        }
        Value::Object(mut map) if !map.is_empty() => {
            let name = map.keys().nth(first % map.len()).cloned().unwrap_or_default();
            if rest.is_empty() && with == &json!("remove") {
                map.remove(&name);
            } else if let Some(inner) = map.get_mut(&name) {
                *inner = mutated(inner.take(), rest, with);
            }
            Value::Object(map)
        }
        _ => with.clone(),
    }
}

fn has_escape(text: &str) -> bool {
    text.contains('\u{1b}')
}

fn anything() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!("remove")),
        Just(Value::Null),
        Just(json!([])),
        Just(json!({})),
        Just(json!(-1)),
        Just(json!(u64::MAX)),
        Just(json!(1e300)),
        Just(json!(true)),
        Just(json!("\u{1b}[31m\u{0}")),
        Just(json!("9999-99-99T99:99:99Z")),
        Just(json!("x".repeat(100_000))),
        Just(json!([[[[{}]]]])),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    /// Nothing that is wrong somewhere in an answer makes a look do anything but find something or say what is wrong.
    #[test]
    fn mutated_answers_never_panic(place in 0..PLACES.len(), path in prop::collection::vec(0_usize..40, 1..6), with in anything()) {
        let github = busy();
        let mut watcher = watcher(&github, json!({}));
        let change = Body::Changed(Arc::new(move |value| mutated(value, &path, &with)));
        github.instead(instead(PLACES[place], 200, &[], change));
        for _ in 0..2 {
            match watcher.try_look() {
                Ok(events) => {
                    for event in &events {
                        let text = watcher.text(event);
                        prop_assert!(!has_escape(&text) && text.len() < 100_000);
                    }
                }
                Err(trouble) => prop_assert!(!has_escape(&trouble.to_string())),
            }
            prop_assert!(watcher.state.to_string().len() < 300_000);
        }
    }
}
