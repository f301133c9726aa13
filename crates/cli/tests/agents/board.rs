//! `sb board` in a window, as a person uses it: keys, the mouse, other people's changes, another size, and its ends.

use rustix::process::Signal;
use signalbox_pty::Size;
use signalbox_testkit::TestEnv;

use crate::kit::{Agent, env, json_of, quick, sb};
use crate::window::{Window, eventually};

const SMALL: Size = Size::new(24, 80);
const LARGE: Size = Size::new(40, 120);

/// The board on one of its screens.
fn board(env: &TestEnv, screen: &str, size: Size) -> Window {
    let window = Window::sized(&sb(env, ["board", "--screen", screen]), size);
    window.wait_for("1 Now");
    window
}

fn status(env: &TestEnv, id: &str) -> String {
    json_of(&env.sb(["show", id, "--json"]).success())["status"].as_str().unwrap_or_default().to_owned()
}

/// A click and what follows at a column and a row, both from 1, as terminals tell it.
fn mouse(window: &Window, button: u8, at: (u16, u16), is_down: bool) {
    let last = if is_down { 'M' } else { 'm' };
    window.press(format!("\x1b[<{button};{};{}{last}", at.0, at.1));
}

#[test]
fn a_ticket_is_moved_by_keys_and_a_refusal_is_shown() {
    let env = env();
    let id = env.new_ticket("Sort the basket");
    let mut window = board(&env, "board", SMALL);
    window.wait_for("Sort the basket");
    window.press("m");
    window.wait_for(&format!("Move {id} from open to"));
    window.press("3");
    window.wait_for(&format!("{id} is in-progress: Sort the basket"));
    assert_eq!(status(&env, &id), "in-progress");
    window.press("\x1b[C");
    window.wait_for("in-progress 1");
    window.press("m6");
    window.wait_for("Refused");
    let said = env.sb(["approve", &id]).code(4);
    let words = said.stderr.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned();
    window.wait_for(&words);
    assert_eq!(status(&env, &id), "in-progress");
    window.press("\x1b");
    window.wait_gone("Refused");
    // What was typed comes back with the refusal.
    window.press("r");
    window.wait_for(&format!("Send {id} back"));
    window.press("it is slow\r");
    window.wait_until("the refusal above the words", |view| {
        let text = view.rows.join("\n");
        text.contains("it is slow") && text.contains("review")
    });
    window.press("\x1b");
    window.wait_gone("it is slow");
    window.press("nhalf of it is there\r");
    window.wait_for(&format!("{id} is in-progress"));
    env.sb(["show", &id]).success().says("half of it is there");
    window.press("q");
    assert_eq!(window.finish(), 0);
}

#[test]
fn everything_is_reached_by_keys() {
    let env = env();
    let id = env.new_ticket("Sort the basket");
    env.sb(["note", &id, "a word about it"]).success();
    let mut window = board(&env, "now", SMALL);
    window.wait_for("Nothing needs you");
    for (key, words) in [
        ("2", "open 1"),
        ("3", "by priority · 1 ticket"),
        ("4", "None runs."),
        ("5", "no loop ever ran"),
        ("6", "Nobody has asked anything."),
        ("7", "ticket.created"),
        ("8", "done in 31 days"),
        ("1", "Nothing needs you"),
        ("3\r", "It has a title and no text."),
        ("\x1b[C", "vault/tickets"),
        ("\x1b[C", "a word about it"),
        ("\x1b[C", "Nothing was committed or handed in yet."),
        ("?", "Keys here"),
    ] {
        window.press(key);
        window.wait_for(words);
    }
    window.press("xq");
    window.wait_for("by priority");
    window.press("N");
    window.wait_for("A new ticket in shop: its title");
    window.press("Say goodbye\r");
    window.wait_for("How urgent is it?");
    window.press("2");
    window.wait_for("is filed");
    window.wait_for("P1");
    env.sb(["list"]).success().says("Say goodbye");
    window.press("q");
    assert_eq!(window.finish(), 0);
}

#[test]
fn filters_and_what_others_do() {
    let env = env();
    env.new_ticket("Sort the basket");
    env.sb(["new", "Say hello", "--tag", "words"]).success();
    let window = board(&env, "list", SMALL);
    window.wait_for("Say hello");
    window.press("/basket");
    window.wait_gone("Say hello");
    assert!(window.shows("Sort the basket") && window.shows("1 ticket"));
    window.press("\r");
    window.wait_for("only “basket”");
    // Another process files one that fits, and one that does not.
    env.new_ticket("Throw away the baskets");
    env.new_ticket("Unrelated");
    window.wait_for("Throw away the baskets");
    assert!(!window.shows("Unrelated"), "{}", window.text());
    window.press("F");
    window.wait_for("Unrelated");
    window.press("f4");
    window.wait_for("2 words");
    window.press("2");
    window.wait_for("only #words");
    window.wait_until("one ticket", |view| {
        let text = view.rows.join("\n");
        text.contains("Say hello") && !text.contains("Unrelated")
    });
}

#[test]
fn a_card_is_carried_by_the_mouse() {
    let env = env();
    let id = env.new_ticket("Sort the basket");
    let mut window = board(&env, "board", LARGE);
    window.wait_for("Sort the basket");
    let view = window.view();
    let row = view.rows.iter().position(|row| row.contains("Sort the basket")).expect("its row");
    let y = u16::try_from(row).expect("a row") + 1;
    mouse(&window, 0, (55, y), true);
    mouse(&window, 32, (70, y), true);
    mouse(&window, 32, (80, y), true);
    window.wait_for(&format!("{id} to in-progress"));
    mouse(&window, 0, (80, y), false);
    window.wait_for(&format!("{id} is in-progress"));
    assert_eq!(status(&env, &id), "in-progress");
    // To the left there is no way.
    window.press("\x1b");
    window.wait_gone(&format!("{id} is in-progress"));
    window.wait_for("in-progress 1");
    mouse(&window, 0, (80, y), true);
    mouse(&window, 32, (10, y), true);
    mouse(&window, 0, (10, y), false);
    window.wait_for("the workflow leads from the backlog, not into it");
    assert_eq!(status(&env, &id), "in-progress");
    window.press("\x1b");
    window.wait_gone("Refused");
    // A tab.
    mouse(&window, 0, (20, 1), true);
    mouse(&window, 0, (20, 1), false);
    window.wait_for("by priority");
    window.press("\x03");
    assert_eq!(window.finish(), 0);
}

#[test]
fn a_question_is_answered() {
    let env = env();
    let id = env.new_ticket("Limit logins");
    for question in ["Which limit?", "Which colour?"] {
        env.sb(["escalate", question, "-o", "five", "-o", "ten", "--ticket", &id]).success();
    }
    let window = board(&env, "now", SMALL);
    window.wait_for("2 things need you");
    window.press("6");
    window.wait_for("draft esc-0001");
    window.press("p");
    window.wait_for("pending esc-0001");
    window.press("1");
    window.wait_for("decision Which limit?");
    window.press("\r");
    window.wait_for("Answer esc-0001");
    window.press("2\r");
    window.wait_for("esc-0001 is answered");
    window.press("6");
    window.wait_for("resolved esc-0001");
    // In words, on the other one.
    window.press("p");
    window.wait_for("pending esc-0002");
    window.press("\r");
    window.wait_for("Answer esc-0002");
    window.press("as it is\r");
    window.wait_for("esc-0002 is answered");
    env.sb(["esc", "show", "1"]).success().says("ten");
    env.sb(["esc", "show", "2"]).success().says("as it is");
}

#[test]
fn an_agent_is_seen_and_visited() {
    let env = env();
    let agent = Agent::puppet(&env, &quick());
    agent.window.press("before anybody looks\r");
    agent.window.wait_for("● Done.");
    let mut window = board(&env, "agents", LARGE);
    window.wait_for("> before anybody looks");
    // What comes is seen without a key.
    agent.window.press("while the board looks\r");
    window.wait_for("> while the board looks");
    let settings = window.settings();
    window.press("\r");
    window.wait_until("the agent's own screen", |view| view.title.contains("you type here"));
    window.press("typed from the board\r");
    eventually("the prompt", || agent.prompts().len() == 3);
    assert_eq!(agent.prompts()[2], "typed from the board");
    window.press("\x01d");
    window.wait_for("4 Agents");
    window.wait_for("> typed from the board");
    assert_eq!(window.settings(), settings, "it is the board's again");
    window.press("t");
    window.wait_for(&format!("Tell {}", agent.id));
    window.press("a word from above\r");
    eventually("the prompt", || agent.prompts().len() == 4);
    window.press("q");
    assert_eq!(window.finish(), 0);
}

#[test]
fn another_size_and_a_pause_lose_nothing() {
    let env = env();
    env.new_ticket("Sort the basket");
    let other = env.new_ticket("Say hello");
    let mut window = board(&env, "list", LARGE);
    window.wait_for("Say hello");
    let before = window.settings();
    window.press("\x1b[B/hello\r");
    window.wait_gone("Sort the basket");
    window.resize(Size::new(10, 40));
    window.wait_for("The board needs 80 columns and 24 rows, and this terminal has 40 and 10.");
    window.resize(SMALL);
    window.wait_for("only “hello”");
    window.wait_for("Say hello");
    for stop in ["key", "signal"] {
        if stop == "key" {
            window.press("\x1a");
        } else {
            window.signal(Signal::TSTP);
        }
        eventually("it to be stopped", || is_stopped(window.pid()));
        assert_ne!(window.settings(), before, "the terminal is given back");
        window.wait_until("the other screen to be left", |view| {
            !view.alternate && !view.mouse && !view.bracketed_paste
        });
        // What happens meanwhile is seen when it goes on.
        env.sb(["edit", &other, "--title", &format!("Say hello again, {stop}")]).success();
        window.signal(Signal::CONT);
        window.wait_for(&format!("Say hello again, {stop}"));
        window.wait_for("only “hello”");
        assert!(window.view().alternate && window.view().mouse);
    }
    // Stopped from outside, with no chance to say goodbye.
    window.signal(Signal::STOP);
    eventually("it to be stopped", || is_stopped(window.pid()));
    window.signal(Signal::CONT);
    window.press("F");
    window.wait_for("Sort the basket");
    window.press("q");
    assert_eq!(window.finish(), 0);
}

fn is_stopped(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(')').is_some_and(|(_, rest)| rest.trim_start().starts_with('T'))
}

#[test]
fn every_end_gives_the_terminal_back() {
    let env = env();
    env.new_ticket("Sort the basket");
    let plain = {
        let mut window = Window::sized(&sb(&env, ["--version"]), SMALL);
        window.ends();
        window.settings()
    };
    for (signal, code) in
        [(None, 0), (Some(Signal::TERM), 143), (Some(Signal::HUP), 129), (Some(Signal::INT), 130)]
    {
        let mut window = board(&env, "board", SMALL);
        window.wait_for("Sort the basket");
        assert_ne!(window.settings(), plain);
        match signal {
            None => window.press("q"),
            Some(signal) => window.signal(signal),
        }
        assert_eq!(window.ends(), code, "{signal:?}");
        assert_eq!(window.settings(), plain, "{signal:?}");
        window.finish();
        let view = window.view();
        assert!(!view.alternate && view.cursor_visible && !view.mouse && !view.bracketed_paste, "{signal:?}");
        assert!(!window.shows("Sort the basket"), "{}", window.text());
    }
    // A window that is closed takes the board with it.
    let mut window = board(&env, "board", SMALL);
    window.close();
    window.ends();
}

/// Whatever part of it has the bug: the terminal is as it was, and what went wrong can be read on it.
#[test]
fn a_bug_gives_the_terminal_back_and_is_told() {
    let mut env = env();
    let plain = {
        let mut window = Window::sized(&sb(&env, ["--version"]), SMALL);
        window.ends();
        window.settings()
    };
    for part in ["drawing", "reading", "acting", "watching", "following", "keyboard"] {
        env.set("SIGNALBOX_PANIC", part);
        let mut window = Window::sized(&sb(&env, ["board"]), SMALL);
        assert_eq!(window.ends(), 1, "{part}");
        assert_eq!(window.settings(), plain, "{part}");
        window.finish();
        let bytes = String::from_utf8_lossy(&window.bytes()).into_owned();
        let (taken, given_back) = (bytes.find("\x1b[?1049h"), bytes.rfind("\x1b[?1049l"));
        assert!(taken.is_some() && taken < given_back, "{part}: {bytes:?}");
        let view = window.view();
        assert!(!view.alternate && view.cursor_visible && !view.mouse && !view.bracketed_paste, "{part}");
        assert!(window.shows("error: a bug in sb"), "{part}: {}", window.text());
        assert!(window.shows(&format!("{part} was asked to break")), "{part}: {}", window.text());
        assert!(window.shows("hint: Please report it"), "{part}: {}", window.text());
    }
}

#[test]
fn nothing_that_a_terminal_acts_on_gets_through() {
    let env = env();
    let evil = "x\u{1b}]52;c;ZXZpbA==\u{7}\u{1b}[2J\u{9b}31m\u{202e}y\u{2066}z\u{85}";
    let id = env.new_ticket(&format!("title {evil}"));
    env.sb(["new", &format!("second {evil}"), "--body", evil, "--accept", "plain"]).success();
    env.sb(["note", &id, evil]).success();
    env.sb(["escalate", evil, "-c", evil, "-o", evil, "--ticket", &id]).success();
    for (what, value) in [("assign", "A\u{202e}da"), ("hold", evil)] {
        env.sb([what, &id, value]).success();
    }
    env.sb(["edit", &id, "--tag", "t\u{202e}ag"]).success();
    let mut window = board(&env, "board", LARGE);
    window.wait_for("on hold");
    for (keys, words) in [
        ("1", "draft"),
        ("3", "by priority"),
        ("\r", "On hold"),
        ("\x1b[C", "Questions"),
        ("\x1b[C", "note.added"),
        ("\x1b", "by priority"),
        ("6", "draft esc-0001"),
        ("\r", "Answer esc-0001"),
        ("\x1b", "draft esc-0001"),
        ("7", "ticket.created"),
        ("2f3", "Which assignee?"),
        ("\x1b", "on hold"),
        ("f4", "Which tag?"),
        ("\x1b", "on hold"),
        ("/x\u{202e}\r", "only"),
    ] {
        window.press(keys);
        window.wait_for(words);
    }
    window.press("q");
    assert_eq!(window.finish(), 0);
    let bytes = window.bytes();
    let text = String::from_utf8(bytes).expect("UTF-8");
    assert!(!text.contains("\x1b]"), "an operating system command");
    let reorders =
        |c: char| matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    assert!(!text.chars().any(|c| reorders(c) || matches!(c, '\u{80}'..='\u{9f}')));
    // The screen is cleared at its beginning and its end, and by nobody else's words.
    assert!(text.matches("\x1b[2J").count() <= 3, "{}", text.matches("\x1b[2J").count());
}

#[test]
fn it_needs_a_terminal_and_a_human() {
    let mut env = env();
    env.sb(["board"]).code(4).says("the board needs a terminal, and this is none");
    env.sb(["board", "--screen", "nowhere"]).code(2).says("There are now, board, list");
    env.sb(["board", "--project", "none"]).code(3).says("there is no project `none`");
    env.agent("Ada").sb(["board"]).code(4).says("only a human may sit at the board");
    let mut command = sb(&env, ["board"]);
    command.env("TERM", "dumb");
    let mut window = Window::sized(&command, SMALL);
    assert_eq!(window.finish(), 4);
    assert!(window.shows("TERM says that this terminal cannot move its cursor"), "{}", window.text());
    env.set("NO_COLOR", "1");
    env.sb(["new", "Urgent", "-p", "P0"]).success();
    let window = board(&env, "board", SMALL);
    window.wait_for("Urgent");
    let styles = window.view().runs.into_iter().flatten().map(|run| run.style);
    for style in styles {
        assert_eq!((style.foreground, style.background), Default::default());
    }
}
