//! `sb attach`: others look on, one of them types, and nobody can harm the agent or be harmed by it.

use std::process::Command;

use serde_json::json;
use signalbox_pty::Size;

use crate::kit::{Agent, env, id_of, new_session, prompts, puppet_command, quick, sb};
use crate::window::{Window, eventually};

impl Agent<'_> {
    /// Somebody attaches with these options.
    fn attach(&self, options: &[&str]) -> Window {
        let window = Window::open(&sb(self.env, ["attach", &self.id].iter().chain(options)));
        window.wait_until("the picture", |view| view.title.contains("Ctrl-A d leaves"));
        window
    }
}

#[test]
fn a_watcher_sees_what_is_there_and_what_comes() {
    let env = env();
    let agent = Agent::puppet(&env, &quick());
    agent.window.press("before anybody looks\r");
    agent.window.wait_for("● Done.");
    let mut watcher = Window::open(&sb(&env, ["attach", &agent.id]));
    watcher.wait_for("> before anybody looks");
    let said = format!("attached to {}: you are watching; Ctrl-A d leaves", agent.id);
    assert!(String::from_utf8_lossy(&watcher.bytes()).contains(&said));
    assert_eq!(watcher.view().title, format!("{}: you are watching; Ctrl-A d leaves", agent.id));
    agent.window.press("while somebody looks");
    watcher.wait_for("> while somebody looks");
    eventually("one to look on", || agent.row()["watchers"] == 1);
    // The same picture, up to the last character.
    assert_eq!(watcher.view().rows, agent.window.view().rows);
    assert_eq!(watcher.view().cursor, agent.window.view().cursor);
    // What a watcher types goes nowhere.
    watcher.press("NOT FOR YOU\r");
    agent.window.press(", and more");
    watcher.wait_for("looks, and more");
    assert!(!agent.window.shows("NOT FOR YOU"));
    let settings = watcher.settings();
    watcher.press("\x01d");
    assert_eq!(watcher.ends(), 0);
    assert_ne!(watcher.settings(), settings, "it was raw");
    watcher.finish();
    assert_eq!(watcher.view().title, "", "the title is given back");
    assert!(watcher.shows(&format!("Detached; {} goes on.", agent.id)), "{}", watcher.text());
    eventually("nobody to look on", || agent.row()["watchers"] == 0);
    agent.window.press("\r");
    eventually("the prompt", || agent.prompts().len() == 2);
    assert_eq!(agent.prompts()[1], "while somebody looks, and more");
}

#[test]
fn one_may_type() {
    let env = env();
    let agent = Agent::puppet(&env, &quick());
    let mut first = agent.attach(&["-i"]);
    first.press("typed from afar\r");
    eventually("the prompt", || agent.prompts() == ["typed from afar"]);
    let mut second = Window::open(&sb(&env, ["attach", &agent.id, "-i"]));
    assert_eq!(second.finish(), 4);
    assert!(
        second.shows("somebody else has the read-write seat") && second.shows("--force"),
        "{}",
        second.text()
    );
    let mut third = agent.attach(&["-i", "--force"]);
    first.wait_until("a word about it", |view| {
        view.title.contains("somebody else types now; you are watching")
    });
    first.press("NO LONGER\r");
    third.press("the seat is mine\r");
    eventually("the prompt", || agent.prompts().len() == 2);
    assert_eq!(agent.prompts(), ["typed from afar", "the seat is mine"]);
    assert!(!agent.window.shows("NO LONGER"));
    // The one at the agent's own terminal can always type.
    agent.window.press("and I am here\r");
    eventually("the prompt", || agent.prompts().len() == 3);
    third.press("\x01d");
    assert_eq!(third.finish(), 0);
    first.press("\x01d");
    assert_eq!(first.finish(), 0);
    // Now it is free.
    let mut fourth = agent.attach(&["-i"]);
    fourth.press("\x01d");
    assert_eq!(fourth.finish(), 0);
}

/// Whoever types in the seat is a person like any other: their draft is left alone.
#[test]
fn a_draft_from_the_seat_is_left_alone() {
    let env = env();
    let agent = Agent::puppet(&env, &quick());
    let seat = agent.attach(&["-i"]);
    seat.press("half typed");
    agent.window.wait_for("> half typed");
    let message = agent.inject(&["A message"]);
    agent.waits_for(&message, "draft");
    seat.press(" and whole\r");
    eventually("both", || agent.prompts() == ["half typed and whole", "A message"]);
}

#[test]
fn the_size_is_that_of_whoever_types() {
    let env = env();
    let line = "stty size; trap 'stty size' WINCH; while :; do sleep 0.1; done";
    let agent = Agent::program(&env, &["sh", "-c", line]);
    agent.window.wait_for("40 100");
    let mut watcher = Window::sized(&sb(&env, ["attach", &agent.id]), Size::new(20, 60));
    watcher.wait_until("the picture", |view| !view.title.is_empty());
    assert!(String::from_utf8_lossy(&watcher.bytes()).contains("not all of it will be seen"));
    let seat = Window::sized(&sb(&env, ["attach", &agent.id, "-i"]), Size::new(33, 77));
    agent.window.wait_for("33 77");
    seat.resize(Size::new(35, 88));
    agent.window.wait_for("35 88");
    seat.press("\x01d");
    agent.window.wait_until("its own size again", |view| {
        view.rows.iter().filter(|row| row.contains("40 100")).count() == 2
    });
    watcher.press("\x01d");
    assert_eq!(watcher.finish(), 0);
}

/// The agent's window becomes narrow and wide again, and those who look on see what it shows.
#[test]
fn a_window_of_another_size_is_seen_as_it_is() {
    let env = env();
    let agent = Agent::puppet(&env, &quick());
    let watcher = agent.attach(&[]);
    for cols in [60, 100] {
        agent.window.resize(Size::new(40, cols));
        let rule = "─".repeat(cols.into());
        let is_drawn = |view: &signalbox_pty::View| view.rows.iter().any(|row| row.trim_end() == rule);
        agent.window.wait_until("its own picture", is_drawn);
        watcher.wait_until("the same picture", is_drawn);
    }
    // What stands below that rule may still be on its way.
    eventually("the same, row by row", || watcher.view().rows == agent.window.view().rows);
}

#[test]
fn a_dead_agent_offers_its_replay() {
    let env = env();
    let mut agent = Agent::program(&env, &["sh", "-c", "echo last words; exit 3"]);
    agent.window.finish();
    env.sb(["attach", &agent.id]).code(4).says("no longer runs").says(&format!("sb replay {}", agent.id));
    env.sb(["attach", "nobody"]).code(3).says("nobody");
}

#[test]
fn the_agent_ends_while_somebody_looks_on() {
    let env = env();
    let agent = Agent::program(&env, &["sh", "-c", "echo ready; read x; exit 5"]);
    agent.window.wait_for("ready");
    let mut watcher = agent.attach(&[]);
    let mut seat = agent.attach(&["-i"]);
    agent.window.press("\r");
    for window in [&mut watcher, &mut seat] {
        assert_eq!(window.finish(), 0);
        assert!(window.shows("has ended") && window.shows("sb replay"), "{}", window.text());
    }
}

/// The agent's program may set the title of its own terminal and fill its own clipboard, but not a watcher's.
#[test]
fn nothing_dangerous_reaches_a_watcher() {
    let env = env();
    let line = "read x; printf '\\033]52;c;ZXZpbA==\\007\\033]0;EVIL-TITLE\\007\\033[6n\\033[c\\033P$qm\\033\\\\shown\\n'; read x";
    let agent = Agent::program(&env, &["sh", "-c", line]);
    let watcher = agent.attach(&[]);
    agent.window.press("\r");
    watcher.wait_for("shown");
    let own = String::from_utf8_lossy(&agent.window.bytes()).into_owned();
    assert!(own.contains("ZXZpbA==") && own.contains("EVIL-TITLE"), "its own terminal gets all");
    let seen = watcher.bytes();
    for bad in [&b"ZXZpbA=="[..], b"EVIL-TITLE", b"\x1b[6n", b"\x1b[c", b"\x1bP"] {
        assert!(!seen.windows(bad.len()).any(|part| part == bad), "{}", bad.escape_ascii());
    }
    // Nor does one that comes later get it from the picture.
    let late = agent.attach(&[]);
    late.wait_for("shown");
    assert_ne!(late.view().title, "EVIL-TITLE");
}

/// A watcher that does not read anything does not hold up the agent, and sees the present when it reads again.
#[test]
fn a_slow_watcher_holds_nobody_up() {
    let env = env();
    let line = "read x; i=0; while [ $i -lt 60000 ]; do echo \"line $i ------------------------------------------\"; \
                i=$((i+1)); done; echo finished; read x";
    let agent = Agent::program(&env, &["sh", "-c", line]);
    let watcher = agent.attach(&[]);
    watcher.signal(signalbox_pty::Signal::STOP);
    agent.window.press("\r");
    agent.window.wait_for("finished");
    watcher.signal(signalbox_pty::Signal::CONT);
    watcher.wait_for("finished");
    assert!(!String::from_utf8_lossy(&watcher.bytes()).contains("line 30000 "), "it skipped what it missed");
}

/// Watchers come and go, also by kill.
#[test]
fn watchers_that_are_killed_leave_nothing_behind() {
    let env = env();
    let agent = Agent::puppet(&env, &quick());
    for _ in 0..5 {
        let seat = agent.attach(&["-i"]);
        seat.signal(signalbox_pty::Signal::KILL);
        drop(seat);
        eventually("the seat to be free", || agent.row()["watchers"] == 0);
    }
    agent.window.press("still here\r");
    eventually("the prompt", || agent.prompts() == ["still here"]);
}

/// Nobody sits before it, until somebody attaches.
#[test]
fn an_agent_without_a_terminal_is_attached_to() {
    let env = env();
    let session = new_session();
    let mut headless = puppet_command(&env, &quick(), &session, &["--headless"]);
    let null = std::process::Stdio::null;
    let mut process = headless.stdin(null()).stdout(null()).stderr(null()).spawn().expect("sb agent");
    let id = id_of(&env, process.id());
    let mut seat = Window::open(&sb(&env, ["attach", "-i", &id]));
    seat.wait_for("/help for help");
    seat.press("from the seat\r");
    eventually("the prompt", || prompts(&env, &session) == ["from the seat"]);
    seat.press("\x01d");
    assert_eq!(seat.finish(), 0);
    env.sb(["inject", &id, "--wait", "60s", "from elsewhere"]).success();
    eventually("the prompt", || prompts(&env, &session) == ["from the seat", "from elsewhere"]);
    env.sb(["agent", "stop", &id]).success();
    assert!(!process.wait().expect("its end").success(), "a signal ended it");
}

/// Nobody waits for ever for one that is stopped.
#[test]
fn an_agent_that_does_not_answer() {
    let env = env();
    let agent = Agent::puppet(&env, &quick());
    agent.window.signal(signalbox_pty::Signal::STOP);
    env.sb(["agent", "explain", &agent.id]).code(1).says("it does not answer");
    let mut watcher = Window::open(&sb(&env, ["attach", &agent.id]));
    assert_eq!(watcher.finish(), 1);
    assert!(watcher.shows("it does not answer"), "{}", watcher.text());
    agent.window.signal(signalbox_pty::Signal::CONT);
    env.sb(["agent", "explain", &agent.id]).success();
}

#[test]
fn agents_do_not_type_into_others() {
    let env = env();
    let agent = Agent::puppet(&env, &json!({}));
    let mut other = env.agent("s1");
    other.sb(["attach", &agent.id, "-i"]).code(4).says("type into an agent's terminal");
    other.sb(["agent", "stop", &agent.id]).code(4).says("stop an agent");
    let mut shell = Command::new("sh");
    env.prepare(&mut shell);
    shell.args(["-c", &format!("sb attach {} -i < /dev/null", agent.id)]);
    env.run(shell).code(4).says("not a terminal");
}
