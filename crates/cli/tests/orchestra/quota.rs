//! An account that is empty: only those who draw on it pause, and go on with the same conversation when it is not.

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::kit::play::{commit, does, end, sh, submit, write};
use crate::kit::{Shop, contract, eventually};

/// Doers draw on one account, and those who write tests on another.
fn shop() -> Shop {
    let of = |role: &str| format!("[roles.{role}]\ndriver = \"puppet\"\n");
    let with = |role: &str, pool: &str| format!("{}pool = \"{pool}\"\n", of(role));
    let text = contract()
        .replace(&of("doer"), &with("doer", "doers"))
        .replace(&of("test-writer"), &with("test-writer", "testers"));
    Shop::with(&text)
}

/// The turn ends, because the account is empty, for so many seconds if that is said.
fn empty(error: &str, seconds: Option<u64>) -> Value {
    json!({ "fail": { "error": error, "seconds": seconds } })
}

fn why(shop: &Shop, id: &str) -> String {
    shop.json(&["why", id, "--json"])["why"].as_str().unwrap_or_default().to_owned()
}

fn time(event: &Value) -> Timestamp {
    event["ts"].as_str().and_then(|at| at.parse().ok()).expect("a time")
}

#[test]
fn only_those_who_draw_on_it_pause_and_then_go_on_with_the_same_conversation() {
    let mut shop = shop();
    shop.script(&[
        ("You were cut short", {
            vec![sh("mv src/half src/one"), commit(), submit(), json!({ "think": 100 }), end()]
        }),
        (
            "doer of core/one, attempt 1",
            vec![write("src/half", "one\nok\n"), empty("rate_limit", Some(10)), json!({ "think": 60_000 })],
        ),
        ("test-writer of core/two,", does("tests/two.sh", "grep -q two src/two\n")),
        ("doer of core/two,", does("src/two", "two\nok\n")),
        ("doer of core/three,", does("src/three", "three\nok\n")),
    ]);
    let one = shop.ticket("core/one", &["--no-tests"]);
    let run = shop.begin(&["run", "--until-idle"]);
    let fails = |shop: &Shop| shop.events().into_iter().find(|(name, _)| name == "hook.stop-failure");
    eventually("the end of its turn", || fails(&shop).is_some());
    let two = shop.ticket("core/two", &[]);
    let three = shop.ticket("core/three", &["--no-tests"]);
    for id in [&one, &three] {
        eventually("a word of it", || why(&shop, id).contains("The account `doers` is empty"));
    }
    let status = shop.json(&["run", "status", "--json"]);
    assert_eq!(status["empty"][0]["pool"], json!("doers"), "{status}");
    shop.env.sb(["run", "status"]).success().says("The account `doers` is empty");
    run.end().success();

    let (_, failure) = fails(&shop).expect("an event");
    let until: Timestamp = failure["data"]["until"].as_str().expect("a time").parse().expect("a time");
    let starts: Vec<Value> = shop
        .events()
        .into_iter()
        .filter(|(name, event)| name == "attempt.started" && time(event) > time(&failure))
        .map(|(_, event)| event)
        .collect();
    let of =
        |role: &str| starts.iter().filter(move |event| event["data"]["role"] == role).collect::<Vec<_>>();
    assert!(of("doer").iter().all(|event| time(event) >= until), "{starts:?}");
    assert!(of("test-writer").iter().all(|event| time(event) < until), "{starts:?}");
    for id in [&one, &two, &three] {
        assert_eq!(shop.status(id), "done");
    }
    let outcomes: Vec<String> = shop.attempts(&one).into_iter().map(|(_, outcome, _)| outcome).collect();
    assert_eq!(outcomes, ["out_of_quota", "completed"]);
    // One conversation, in which both was said.
    let agents = shop.agents("core/one");
    assert_eq!(agents.len(), 2);
    let conversation = agents[0]["sessions"][0].as_str().expect("a conversation");
    assert_eq!(agents[1]["sessions"], json!([conversation]));
    let transcripts = shop.env.files_below(shop.env.root().join(".puppet/projects"));
    let of_it = |path: &std::path::Path| path.file_stem().is_some_and(|stem| stem == conversation);
    let text: String = transcripts
        .iter()
        .filter(|(path, _)| of_it(path))
        .map(|(_, bytes)| String::from_utf8_lossy(bytes).into_owned())
        .collect();
    assert!(text.contains("attempt 1") && text.contains("You were cut short"), "{text}");
}

#[test]
fn an_account_that_does_not_say_until_when_is_left_alone_for_a_while() {
    let mut shop = shop();
    shop.script(&[("of core/one,", vec![empty("billing_error", None)])]);
    let one = shop.ticket("core/one", &["--no-tests"]);
    let run = shop.begin(&["run", "--until-idle"]);
    eventually("the end of its agent", || !shop.attempts(&one).is_empty());
    let said = why(&shop, &one);
    assert!(said.contains("The account `doers` is empty, and is used again in 4 min"), "{said}");
    assert_eq!(shop.show(&one)["work"]["start"], json!(null));
    // A loop that begins now knows it too.
    run.interrupt();
    run.end().success();
    shop.begin(&["run", "--once"]).end().success();
    assert_eq!(shop.agents("core/one").len(), 1);
}
