//! With a person before it.

use signalbox_drivers::find;
use signalbox_drivers::terminal::{Activity, InputBox};

use crate::seat::{Seat, draft};

const IDLE: Option<Activity> = Some(Activity::Idle);
const WORKING: Option<Activity> = Some(Activity::Working);

/// Busy until it is interrupted, for all that a test can tell.
const LONG: &str = r#"{"prompts": [{"steps": [{"think": 600000}, {"say": "too late"}]}]}"#;

#[test]
fn a_prompt_is_typed_edited_and_answered() {
    let mut seat = Seat::new("{}");
    seat.start(&[]).idle();
    seat.press("hello wrold").wait(IDLE, &draft("hello wrold"));
    seat.press("\x17").wait(IDLE, &draft("hello"));
    seat.press("world\x1b[D\x1b[D").wait(IDLE, &draft("hello world"));
    seat.press("\x01\x05\x15").idle();
    seat.press("\x1b[200~two\nlines 日本語\x1b[201~").wait(IDLE, &draft("two\nlines 日本語"));
    seat.press("\x1b[A\x01").wait(IDLE, &draft("two\nlines 日本語"));
    seat.press("\r").shows("You said: two").idle();
    seat.press("\x1b[A").wait(IDLE, &draft("two\nlines 日本語"));
    let withdraw = (find("puppet").expect("a driver").terminal.withdraw)("two\nlines 日本語");
    seat.press(&String::from_utf8(withdraw).expect("keys")).idle();
    seat.press(&"word ".repeat(40)).wait(IDLE, &draft(LONG_DRAFT));
}

/// Wrapped at 57 cells. The blank that the third row begins with is a blank of the draft.
const LONG_DRAFT: &str = concat!(
    "word word word word word word word word word word word wo\n",
    "rd word word word word word word word word word word word\n",
    " word word word word word word word word word word word w\n",
    "ord word word word word word",
);

#[test]
fn a_menu_opens_and_dialogs_close() {
    let mut seat = Seat::new("{}");
    seat.start(&[]).idle();
    seat.press("/").shows("/usage").wait(IDLE, &draft("/"));
    seat.press("usage\r").wait(Some(Activity::Dialog), &InputBox::Hidden);
    seat.press("\x1b").idle();
    seat.press("/exit\r");
    assert_eq!(seat.ends(), Some(0));
}

#[test]
fn what_is_sent_while_busy_waits_in_line() {
    let mut seat = Seat::new(r#"{"prompts": [{"steps": [{"think": 1500}, {"say": "first done"}]}]}"#);
    seat.start(&[]).idle();
    seat.press("one\r").wait(WORKING, &InputBox::Empty);
    seat.press("two").wait(WORKING, &draft("two"));
    seat.press("\r").shows("queued: two").shows("first done").shows("You said: two").idle();
}

#[test]
fn an_interrupt_gives_the_prompt_back() {
    let mut seat = Seat::new(LONG);
    seat.start(&[]).idle();
    seat.press("one\r").wait(WORKING, &InputBox::Empty);
    seat.press("\x1b").wait(IDLE, &draft("one"));
    seat.press("\x03").idle().press("\x03");
    assert_eq!(seat.ends(), Some(0));
}

#[test]
fn enter_says_yes_in_a_permission_dialog() {
    let mut seat = Seat::new(
        r#"{"prompts": [{"steps": [{"tool": {"input": {"command": "ls"}, "ask": true}}, {"say": "done"}]},
                        {"steps": [{"tool": {"input": {"command": "rm x"}, "ask": true}}, {"say": "never"}]},
                        {"steps": [{"question": {"text": "Which?", "choices": ["Red", "Blue"]}}]}]}"#,
    );
    seat.start(&[]).idle();
    let asks = Some(Activity::Permission);
    seat.press("one\r").wait(asks, &InputBox::Hidden).press("\r").shows("done").idle();
    seat.press("two\r")
        .wait(asks, &InputBox::Hidden)
        .press("text, and ")
        .press("\x1b[B\r")
        .shows("not allowed")
        .idle();
    seat.press("three\r").wait(Some(Activity::Question), &InputBox::Hidden);
    seat.press("2").shows("Answered: Blue").idle();
}

#[test]
fn hooks_are_told_and_heeded() {
    let mut seat = Seat::new(
        r#"{"prompts": [{"match": "tool", "steps": [{"tool": {"input": {"command": "ls"}, "output": "x"}}, {"say": "done"}]}]}"#,
    );
    let events = ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SessionEnd"];
    seat.hooks(&events, "");
    seat.start(&["--session-id", "an-id"]).idle();
    seat.press("a tool\r").shows("done").idle().press("\x04");
    assert_eq!(seat.ends(), Some(0));
    let told = seat.told();
    let names: Vec<&str> = told.iter().filter_map(|payload| payload["hook_event_name"].as_str()).collect();
    assert_eq!(names, events);
    assert!(told.iter().all(|payload| payload["session_id"] == "an-id"));
    let driver = find("puppet").expect("a driver");
    for payload in &told {
        driver.parse(None, payload.to_string().as_bytes()).expect("a payload of a hook");
    }
    let transcript = told[0]["transcript_path"].as_str().expect("a path");
    let lines = std::fs::read_to_string(transcript).expect("the transcript");
    assert!(lines.contains("\"output_tokens\"") && lines.contains("a tool"), "{lines}");
}

#[test]
fn a_hook_refuses_a_tool() {
    let mut seat = Seat::new(
        r#"{"prompts": [{"steps": [{"tool": {"input": {"command": "ls"}, "ask": true}}, {"say": "done"}]}]}"#,
    );
    seat.hooks(&["PreToolUse"], "echo 'not now' >&2; exit 2");
    seat.start(&[]).idle();
    seat.press("go\r").shows("refused: not now").shows("done").idle();
}

#[test]
fn a_waiter_wakes_it_and_leaves_the_draft() {
    let mut seat = Seat::new("{}");
    let go = seat.path("go");
    let line = format!("until [ -f '{}' ]; do sleep 0.02; done; echo 'MESSAGE' >&2; exit 2", go.display());
    let settings = serde_json::json!({ "hooks": { "SessionStart": [{ "hooks": [
        { "type": "command", "command": line, "asyncRewake": true, "timeout": 86400 },
    ] }] } });
    seat.write(".puppet/settings.json", &settings.to_string());
    seat.start(&[]).idle();
    seat.press("half typed\x1b[D").wait(IDLE, &draft("half typed"));
    seat.write("go", "");
    seat.shows("You said: MESSAGE").wait(IDLE, &draft("half typed"));
}

#[test]
fn its_state_file_and_its_end_are_true() {
    let mut seat = Seat::new(
        r#"{"prompts": [{"match": "crash", "steps": [{"crash": 7}]}, {"match": "long", "steps": [{"think": 600000}]}]}"#,
    );
    seat.start(&[]).idle();
    let (pid, state_file) =
        (seat.terminal().pid(), find("puppet").and_then(|driver| driver.state_file.as_ref()));
    let state_file = state_file.expect("a state file");
    let path = seat.path(".puppet").join((state_file.path)(pid));
    let said =
        || (state_file.read)(&std::fs::read_to_string(&path).unwrap_or_default()).map(|said| said.activity);
    assert_eq!(said(), Some(Activity::Idle));
    seat.press("a long one\r").wait(WORKING, &InputBox::Empty);
    assert_eq!(said(), Some(Activity::Working));
    seat.press("\x1b").wait(IDLE, &draft("a long one")).press("\x15crash\r");
    assert_eq!(seat.ends(), Some(7));
    assert!(path.exists(), "a crash cleans nothing up");
}

#[test]
fn an_end_in_order_leaves_no_state_file() {
    let mut seat = Seat::new(r#"{"prompts": [{"match": "enough", "steps": ["exit", {"crash": 7}]}]}"#);
    seat.start(&[]).idle();
    let folder = seat.path(".puppet/sessions");
    let left = || std::fs::read_dir(&folder).expect("the folder").count();
    assert_eq!(left(), 1);
    seat.press("enough\r");
    assert_eq!(seat.ends(), Some(0));
    assert_eq!(left(), 0);
}

#[test]
fn echoes_can_be_late() {
    let mut seat = Seat::new(r#"{"echo_delay_ms": 400}"#);
    seat.start(&[]).idle();
    seat.press("late");
    assert_eq!(seat.read().input, InputBox::Empty);
    seat.wait(IDLE, &draft("late"));
}
