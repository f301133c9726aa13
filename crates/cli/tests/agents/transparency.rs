//! `sb agent -- CMD` is to the person and to the program as if nobody were in between.

use std::process::Command;

use signalbox_pty::{Signal, Size};
use signalbox_testkit::TestEnv;

use crate::kit::{env, json_of, records, sb};
use crate::window::{Window, eventually};

/// A line of shell, bare.
fn bare(env: &TestEnv, line: &str) -> Command {
    let mut command = Command::new("sh");
    env.prepare(&mut command);
    command.args(["-c", line]).env("TERM", "xterm-256color");
    command
}

/// The same as an agent.
fn wrapped(env: &TestEnv, line: &str) -> Command {
    sb(env, ["agent", "--", "sh", "-c", line])
}

#[test]
fn exit_codes_are_the_programs() {
    let env = env();
    for code in [0, 1, 2, 3, 4, 70, 77, 126, 127, 130, 255] {
        let mut window = Window::open(&wrapped(&env, &format!("exit {code}")));
        assert_eq!(window.finish(), code);
        assert_eq!(window.text(), "", "nothing is said about it");
    }
    let codes: Vec<_> = records(&env).iter().map(|record| record["ended"]["code"].clone()).collect();
    assert_eq!(codes.len(), 11);
    assert!(codes.iter().all(serde_json::Value::is_number), "{codes:?}");
}

#[test]
fn signals_are_told_as_shells_tell_them() {
    let env = env();
    for (name, number) in [("HUP", 1), ("INT", 2), ("KILL", 9), ("SEGV", 11), ("TERM", 15), ("USR1", 10)] {
        let mut window = Window::open(&wrapped(&env, &format!("kill -{name} $$; sleep 60")));
        assert_eq!(window.finish(), 128 + number, "{name}");
    }
}

#[test]
fn bytes_arrive_as_they_were_written() {
    let env = env();
    for line in [
        "printf 'plain\\nlines\\n'",
        // Colours, cursor movement, scroll regions, alternate screen and back.
        "printf '\\033[1;31mred\\033[0m\\033[5;5Hthere\\033[2;10r\\033[r\\033[?1049h\\033[2Jalt\\033[?1049l'",
        // Letters of every length, also cut in the middle.
        "printf 'a\\303'; sleep 0.1; printf '\\274 \\346\\227\\245\\360\\237'; sleep 0.1; printf '\\232\\202 end\\n'",
        // Titles, links, the clipboard, a sixel, and what is no UTF-8 at all.
        "printf '\\033]0;title\\007\\033]8;;http://x\\033\\\\link\\033]8;;\\033\\\\\\033]52;c;aGk=\\007\\033Pq#0~~\\033\\\\\\377\\376\\n'",
        // Mouse, focus, pastes, keyboard protocol, on and off again.
        "printf '\\033[?1000h\\033[?1006h\\033[?1004h\\033[?2004h\\033[>1u\\033[<u\\033[?2004l\\033[?1004l\\033[?1006l\\033[?1000l'",
        "i=0; while [ $i -lt 3000 ]; do echo \"line $i of a longer text that scrolls\"; i=$((i+1)); done",
        "head -c 300000 /dev/urandom > r; base64 r; rm r",
        "cat /dev/null; exec 0<&-; echo stdin is closed",
        "stty size; tty > /dev/null && echo a terminal; test -t 1 && test -t 2 && echo both",
    ] {
        // A line that makes something random must make the same again.
        let line = line.replace("head -c 300000 /dev/urandom > r", "yes 'some line' | head -c 300000 > r");
        let mut without = Window::open(&bare(&env, &line));
        let code = without.finish();
        let mut with = Window::open(&wrapped(&env, &line));
        assert_eq!(with.finish(), code, "{line}");
        let (without, with) = (without.bytes(), with.bytes());
        assert!(without == with, "{line}\n{}\n{}", without.escape_ascii(), with.escape_ascii());
    }
}

/// Whatever a program leaves switched on would make the shell after it unusable.
#[test]
fn what_a_program_left_on_is_switched_off() {
    let env = env();
    let line = "printf '\\033[?1049h\\033[?25l\\033[?2004h\\033[?1000h\\033[31m'; kill -KILL $$";
    let mut window = Window::open(&wrapped(&env, line));
    let settings = window.settings();
    assert_eq!(window.ends(), 137);
    assert_eq!(window.settings(), settings);
    window.finish();
    let view = window.view();
    assert!(view.cursor_visible && !view.alternate && !view.bracketed_paste && !view.mouse, "{view:?}");
}

#[test]
fn keys_and_sizes_reach_the_program() {
    let env = env();
    let line = "stty size; trap 'stty size' WINCH; while :; do read -r word && echo \"got $word\"; done";
    let window = Window::sized(&wrapped(&env, line), Size::new(30, 90));
    window.wait_for("30 90");
    window.press("héllo\r");
    window.wait_for("got héllo");
    for (rows, cols) in [(20, 70), (50, 132), (5, 20), (40, 100)] {
        window.resize(Size::new(rows, cols));
        window.wait_for(&format!("{rows} {cols}"));
    }
    window.press("\x03");
    let mut window = window;
    assert_eq!(window.finish(), 130);
}

#[test]
fn a_stopped_program_gives_the_shell_back_and_fg_goes_on() {
    let env = env();
    let mut shell = Command::new("bash");
    env.prepare(&mut shell);
    shell.args(["--norc", "--noprofile", "-i"]).env("TERM", "xterm-256color").env("PS1", "$ ");
    let window = Window::open(&shell);
    window.wait_for("$");
    window.press(
        "sb agent -- bash --norc --noprofile -c 'echo begun; kill -STOP $$; echo gone on; read x; exit 7'\r",
    );
    window.wait_for("Stopped");
    window.press("fg\r");
    window.wait_until("the program", |view| view.rows.iter().any(|row| row.trim_end() == "gone on"));
    window.press("\r");
    window.wait_until("the shell", |view| {
        let rows = view.rows.iter().skip_while(|row| row.trim_end() != "gone on");
        rows.skip(1).any(|row| row.trim_end() == "$")
    });
    window.press("echo \"it was $?\"\r");
    window.wait_for("it was 7");
}

#[test]
fn a_terminal_without_a_name_gets_one() {
    let env = env();
    let mut command = wrapped(&env, "echo \"TERM is <$TERM>\"");
    command.env_remove("TERM");
    let mut window = Window::open(&command);
    window.finish();
    assert!(window.shows("TERM is <xterm-256color>"), "{}", window.text());
    let mut window = Window::open(&wrapped(&env, "echo \"<$SIGNALBOX_AGENT>\"; echo \"<$TERM>\""));
    window.finish();
    assert!(window.shows("<sh-") && window.shows("<xterm-256color>"), "{}", window.text());
}

#[test]
fn a_window_that_is_too_small() {
    let env = env();
    for size in [Size::new(4, 80), Size::new(24, 19), Size::new(1, 1)] {
        let mut window = Window::sized(&wrapped(&env, "echo started"), size);
        assert_eq!(window.finish(), 4);
        let said = String::from_utf8_lossy(&window.bytes()).into_owned();
        assert!(said.contains("the terminal has only") && said.contains("20x5"), "{said}");
        assert!(!said.contains("started"));
    }
    assert!(records(&env).is_empty(), "nobody was registered");
    let mut window = Window::sized(&wrapped(&env, "echo started"), Size::new(5, 20));
    assert_eq!(window.finish(), 0);
}

#[test]
fn without_a_terminal() {
    let env = env();
    env.sb(["agent", "--", "sh", "-c", "echo hello"]).code(4).says("not a terminal").says("--headless");
    assert!(records(&env).is_empty());
    let run =
        env.sb(["agent", "--headless", "--name", "hidden", "--", "sh", "-c", "echo hello; exit 9"]).code(9);
    assert_eq!(run.stdout, "");
    run.says("runs until it ends").says("sb attach");
    env.sb(["agent", "log", "hidden"]).success().says("hello");
    env.sb(["agent", "explain", "hidden"]).success().says("exited").says("exit code 9");
    let gone = env.sb(["agents"]).success();
    assert!(gone.stderr.contains("No agent runs."), "{gone}");
}

#[test]
fn what_cannot_be_started() {
    let env = env();
    let absent = env.sb(["agent", "goose"]).code(3);
    assert!(absent.stderr.contains("goose") && absent.stderr.contains("hint:"), "{absent}");
    env.sb(["agent", "--", "no-such-program"]).code(3).says("no-such-program");
    env.sb(["agent", "--", "./nothing/here"]).code(3).says("./nothing/here");
    env.sb(["agent"]).code(2).says("nothing is named").says("sb agent -- bash");
    let misspelt = env.sb(["agent", "cluade"]).says("Did you mean").says("claude");
    assert!(matches!(misspelt.code, Some(2 | 3)), "{misspelt}");
    env.sb(["agent", "claude", "--profile", "none"]).says("none");
    env.sb(["agent", "--role", "king", "--", "true"]).code(2).says("The roles are");
    env.sb(["agent", "--ticket", "sb_zzz", "--", "true"]).code(3);
    for words in [["agent", "log"], ["agent", "stop"], ["agent", "explain"], ["agent", "usage"]] {
        env.sb(words.iter().chain(&["nobody"])).code(3).says("nobody");
    }
    assert!(records(&env).is_empty());
}

/// Signals that end or hang up the wrapper end the program too.
#[test]
fn the_wrapper_is_asked_to_end() {
    let env = env();
    for signal in [Signal::TERM, Signal::HUP] {
        let mut window = Window::open(&wrapped(&env, "echo ready; exec sleep 600"));
        window.wait_for("ready");
        window.signal(signal);
        let code = window.finish();
        assert!(code > 128, "{code}");
        eventually("the end to be written down", || {
            json_of(&env.sb(["agents", "--json"]).success()).as_array().expect("a list").is_empty()
        });
    }
}
