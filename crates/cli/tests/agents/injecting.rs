//! `sb inject`: at the right moment, exactly once, never over a half-typed line, never into a dialog.

use serde_json::json;
use signalbox_pty::Size;

use crate::kit::{Agent, env, json_of, quick, receipts};
use crate::window::{USUAL, eventually};

/// A puppet that thinks for a while about anything with `long` in it, and asks before anything with `delete` in it.
fn moody() -> serde_json::Value {
    json!({
        "prompts": [
            { "match": "long", "steps": [{ "think": 8_000 }, { "say": "That took long." }] },
            { "match": "delete", "steps": [
                { "tool": { "name": "Bash", "input": { "command": "rm -r build" }, "ask": true } },
                { "say": "APPROVED" },
            ] },
            { "match": "choose", "steps": [
                { "question": { "text": "Which one?", "choices": ["left", "right"] } },
                { "say": "Chosen." },
            ] },
        ],
        "otherwise": [{ "say": "Done." }],
    })
}

#[test]
fn an_idle_agent_is_told_once() {
    let env = env();
    let agent = Agent::puppet(&env, &quick());
    let message = agent.inject(&["Please run the tests"]);
    assert_eq!(agent.fate(&message), "inject.delivered");
    eventually("the prompt", || !agent.prompts().is_empty());
    agent.window.wait_for("● Done.");
    assert_eq!(agent.prompts(), ["Please run the tests"]);
    let (_, delivered) = agent.receipts(&message).pop().expect("a receipt");
    assert_eq!(delivered["door"], "keyboard");
    assert_eq!(agent.receipts(&message).iter().filter(|(name, _)| name == "inject.delivered").count(), 1);
    env.sb(["outbox", &agent.id]).success().says("Nothing waits.").says("delivered");
    // Somebody may know it by the beginning of its id, or wait for it.
    let half = agent.id.get(..agent.id.len() - 1).expect("a beginning");
    env.sb(["inject", half, "--wait", "60s", "And again"]).success().says("delivered");
    assert_eq!(agent.prompts(), ["Please run the tests", "And again"]);
}

#[test]
fn an_agent_that_shows_nothing_for_seconds_is_waited_for() {
    let env = env();
    let slow = json!({ "echo_delay_ms": 5_000, "otherwise": [{ "think": 400 }, { "say": "Done." }] });
    let agent = Agent::puppet(&env, &slow);
    let message = agent.inject(&["Please run the tests"]);
    assert_eq!(agent.fate(&message), "inject.delivered");
    agent.window.wait_for("● Done.");
    assert_eq!(agent.prompts(), ["Please run the tests"]);
    // It was not taken out and typed again.
    let names: Vec<String> = agent.receipts(&message).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["inject.queued", "inject.delivered"]);
}

#[test]
fn a_half_typed_line_is_left_alone() {
    let env = env();
    let agent = Agent::puppet(&env, &quick());
    agent.window.press("half a thou");
    agent.window.wait_for("> half a thou");
    let message = agent.inject(&["Later please"]);
    agent.waits_for(&message, "draft");
    env.sb(["outbox", &agent.id]).success().says("a half-typed line stands in the input box");
    assert!(agent.window.shows("> half a thou") && !agent.window.shows("Later please"));
    // Also where the cursor is: what is typed goes on there.
    agent.window.press("\x1b[D\x1b[D");
    agent.window.press("XY\r");
    eventually("both prompts", || agent.prompts().len() == 2);
    assert_eq!(agent.prompts(), ["half a thXYou", "Later please"]);
    assert_eq!(agent.fate(&message), "inject.delivered");
}

#[test]
fn nothing_is_typed_into_a_permission_dialog() {
    let env = env();
    let agent = Agent::puppet(&env, &moody());
    agent.window.press("delete it\r");
    agent.window.wait_for("Do you want to proceed?");
    let message = agent.inject(&["--priority", "high", "Stop that"]);
    agent.waits_for(&message, "dialog");
    // Enter would approve. Whoever waits a while sees the dialog still open and nothing approved.
    agent.window.rest(std::time::Duration::from_secs(3));
    assert!(agent.window.shows("Do you want to proceed?"), "{}", agent.window.text());
    assert!(agent.answers().is_empty() && agent.prompts() == ["delete it"]);
    agent.window.press("2");
    assert_eq!(agent.fate(&message), "inject.delivered");
    eventually("the prompt", || agent.prompts() == ["delete it", "Stop that"]);
    assert!(!agent.answers().contains(&"APPROVED".to_owned()));
}

#[test]
fn nothing_is_typed_into_a_question_or_a_dialog_of_the_persons() {
    let env = env();
    let agent = Agent::puppet(&env, &moody());
    agent.window.press("choose one\r");
    agent.window.wait_for("Which one?");
    let first = agent.inject(&["To the question"]);
    agent.waits_for(&first, "dialog");
    agent.window.press("\x1b[B\r");
    agent.window.wait_for("Answered: right");
    assert_eq!(agent.fate(&first), "inject.delivered");
    agent.window.press("/help\r");
    agent.window.wait_for("Esc to close");
    let second = agent.inject(&["To the help"]);
    agent.waits_for(&second, "dialog");
    agent.window.press("\x1b");
    assert_eq!(agent.fate(&second), "inject.delivered");
    eventually("the prompts", || agent.prompts() == ["choose one", "To the question", "To the help"]);
}

#[test]
fn a_busy_agent_is_told_when_it_is_done() {
    let env = env();
    let agent = Agent::puppet(&env, &moody());
    agent.window.press("think long\r");
    agent.window.wait_for("Working…");
    let message = agent.inject(&["Next thing"]);
    agent.waits_for(&message, "busy");
    assert_eq!(agent.fate(&message), "inject.delivered");
    eventually("the prompts", || agent.prompts() == ["think long", "Next thing"]);
    assert_eq!(agent.answers(), ["That took long.", "Done."]);
}

#[test]
fn priorities_keys_time_to_live_and_taking_back() {
    let env = env();
    let agent = Agent::puppet(&env, &quick());
    agent.window.press("a draft");
    agent.window.wait_for("> a draft");
    let low = agent.inject(&["--priority", "low", "the low one"]);
    let normal = agent.inject(&["the normal one"]);
    let high = agent.inject(&["--priority", "high", "the high one"]);
    let old = agent.inject(&["--key", "ci", "CI is red"]);
    let new = agent.inject(&["--key", "ci", "CI is green"]);
    let short = agent.inject(&["--ttl", "2s", "soon too late"]);
    let regretted = agent.inject(&["never mind"]);
    let unsaid = agent.inject(&["never mind that either"]);
    env.sb(["outbox", "--cancel", &unsaid]).success().says("cancelled").says(&agent.id);
    env.sb(["outbox", "--cancel", &unsaid]).code(3).says("no message");
    env.sb(["outbox", &agent.id, "--cancel", &regretted]).success().says("cancelled");
    env.sb(["outbox", &agent.id, "--cancel", &regretted]).code(3).says("no message");
    env.sb(["outbox", &agent.id, "--cancel", "nonsense"]).code(3);
    assert_eq!(agent.fate(&old), "inject.superseded");
    assert_eq!(agent.fate(&regretted), "inject.failed");
    assert_eq!(agent.fate(&short), "inject.expired");
    let waiting = json_of(&env.sb(["outbox", &agent.id, "--json"]).success());
    let waiting = waiting[0]["waiting"].as_array().expect("a list").len();
    assert_eq!(waiting, 4);
    agent.window.press("\r");
    for message in [&high, &normal, &new, &low] {
        assert_eq!(agent.fate(message), "inject.delivered");
    }
    eventually("the prompts", || agent.prompts().len() == 5);
    assert_eq!(agent.prompts(), ["a draft", "the high one", "the normal one", "CI is green", "the low one"]);
}

#[test]
fn an_agent_that_never_becomes_idle_and_one_that_ends() {
    let env = env();
    let script = json!({ "otherwise": [{ "think": 600_000 }] });
    let mut agent = Agent::puppet(&env, &script);
    agent.window.press("work\r");
    agent.window.wait_for("Working…");
    let waited = env.sb(["inject", &agent.id, "--ttl", "8s", "--wait", "60s", "Hello?"]).code(4);
    assert!(waited.stderr.contains("working"), "{waited}");
    env.sb(["inject", &agent.id, "--wait", "8s", "Still there?"]).code(4).says("working");
    let last = agent.inject(&["And now?"]);
    env.sb(["agent", "stop", &agent.id]).success().says("has ended");
    agent.window.finish();
    let (name, data) = agent.receipts(&last).pop().expect("a receipt");
    assert_eq!((name.as_str(), &data["reason"]), ("inject.failed", &json!("exited")));
    env.sb(["inject", &agent.id, "Anybody?"]).code(4).says("no longer runs").says("sb replay");
    env.sb(["inject", "nobody", "Hello"]).code(3).says("nobody");
}

#[test]
fn texts_of_every_kind() {
    let env = env();
    let agent = Agent::puppet_sized(&env, &quick(), Size { rows: 60, ..USUAL });
    let long = "word ".repeat(400).trim_end().to_owned();
    for text in
        ["two\nlines", "a\n\nb\n  c", "日本語 und ümläute 👍🏽", "--looks-like-an-option", long.as_str()]
    {
        let said = env.sb_with_input(["inject", &agent.id, "--wait", "60s", "-"], text).success();
        assert!(said.stderr.contains("delivered"), "{said}");
        let last = || agent.prompts().pop().unwrap_or_default();
        eventually("the prompt", || last() == text);
    }
    assert_eq!(agent.prompts().len(), 5);
    let file = env.root().join("message");
    env.write(&file, "from a file");
    env.sb(["inject", &agent.id, "--wait", "--file", file.to_str().expect("UTF-8")]).success();
    eventually("the prompt", || agent.prompts().last().is_some_and(|prompt| prompt == "from a file"));
    let before = receipts(&env).len();
    for (text, words) in [
        (vec![b'x'; 10_000_000], "more than 1000000 bytes"),
        (b"\x1b\x07\x00\r".to_vec(), "control characters alone"),
        (b"".to_vec(), "empty"),
        (b" \n ".to_vec(), "empty"),
        (b"\xff\xfe".to_vec(), "not UTF-8"),
    ] {
        env.sb_with_input(["inject", &agent.id, "-"], text).code(2).says(words).says("hint:");
    }
    env.sb(["inject", &agent.id, "--file", "/nowhere", "x"]).code(2);
    env.sb(["inject", &agent.id, "--file", "/nowhere"]).code(3).says("/nowhere");
    env.sb(["inject", &agent.id]).code(2);
    env.sb(["inject", &agent.id, "--priority", "urgent", "x"]).code(2).says("`high`, `normal` and `low`");
    env.sb(["inject", &agent.id, "--ttl", "soon", "x"]).code(2).says("90s");
    env.sb(["inject", &agent.id, "--ttl", "0", "x"]).code(2);
    env.sb(["inject", &agent.id, "--key", "", "x"]).code(2);
    assert_eq!(receipts(&env).len(), before, "what is refused leaves no trace");
}

/// A text that is larger than the window cannot be seen whole. It arrives whole or not at all, and either way the box is
/// the person's again.
#[test]
fn a_text_that_does_not_fit_the_window() {
    let env = env();
    let agent = Agent::puppet_sized(&env, &quick(), Size::new(8, 40));
    let text = (0..300).map(|number| format!("w{number}")).collect::<Vec<_>>().join(" ");
    let message = agent.inject(&[&text]);
    let fate = agent.fate(&message);
    agent.window.wait_until("an empty box", |view| view.rows.iter().any(|row| row.trim_end() == ">"));
    agent.window.press("mine\r");
    eventually("the prompt", || agent.prompts().last().is_some_and(|prompt| prompt == "mine"));
    match fate.as_str() {
        "inject.delivered" => assert_eq!(agent.prompts(), [text, "mine".to_owned()]),
        _ => assert_eq!(agent.prompts(), ["mine"], "{:?}", agent.receipts(&message)),
    }
}

/// What would end a paste and press keys is text like any other.
#[test]
fn a_text_cannot_break_out_of_its_paste() {
    let env = env();
    let agent = Agent::puppet(&env, &quick());
    for (sent, arrives) in [
        ("one\x1b[201~\r/exit\r", "one[201~\n/exit\n"),
        ("two\u{9b}201~\r/exit\r", "two201~\n/exit\n"),
        ("three\x1b[20\x001~\x03\x04", "three[201~"),
        ("four\x1b\x1b[201~[201~\x15gone", "four[201~[201~gone"),
        ("five\x7f\x08\x1b]52;c;cm0=\x07 end", "five]52;c;cm0= end"),
    ] {
        env.sb_with_input(["inject", &agent.id, "--wait", "60s", "-"], sent).success();
        eventually(&format!("{arrives:?}; at last {:?}", agent.prompts()), || {
            agent.prompts().last().is_some_and(|prompt| prompt == arrives)
        });
    }
    assert_eq!(agent.prompts().len(), 5);
    agent.becomes("idle");
}
