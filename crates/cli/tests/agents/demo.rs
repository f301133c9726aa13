//! `sb demo`: what it leaves on main, seen with plain git; a person who answers; and that it leaves nothing else behind.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::process::{Signal, kill_process};
use serde_json::Value;
use signalbox_pty::Size;
use signalbox_testkit::{Run, TestEnv};

use crate::kit::{json_of, sb};
use crate::window::{Window, eventually, pid, within};

/// How long the whole of it may take, on a machine that others build on.
const WHOLE: Duration = Duration::from_secs(120);

/// An environment whose temporary files are where nothing else is.
fn env() -> TestEnv {
    let mut env = TestEnv::empty(env!("CARGO_BIN_EXE_sb"));
    let folder = env.root().join("tmp");
    std::fs::create_dir(&folder).expect("a folder");
    env.set("TMPDIR", folder.to_str().expect("UTF-8"));
    env
}

/// The folders of demos that are there.
fn left(env: &TestEnv) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(env.root().join("tmp")).expect("the folder");
    entries.map(|entry| entry.expect("an entry").path()).collect()
}

/// The processes that live in a folder of a demo of this environment.
fn alive(env: &TestEnv) -> Vec<String> {
    let home = format!("SIGNALBOX_HOME={}/tmp/sb-demo-", env.root().display());
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").expect("processes").flatten() {
        let Ok(variables) = std::fs::read(entry.path().join("environ")) else { continue };
        if variables.split(|byte| *byte == 0).any(|one| one.starts_with(home.as_bytes())) {
            let words = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
            found.push(String::from_utf8_lossy(&words).replace('\0', " "));
        }
    }
    found
}

#[track_caller]
fn nothing_is_left(env: &TestEnv) {
    eventually(&format!("the end of {:?}", alive(env)), || alive(env).is_empty());
    assert_eq!(left(env), Vec::<PathBuf>::new());
}

#[track_caller]
fn git(env: &TestEnv, folder: &Path, words: &[&str]) -> String {
    let mut command = Command::new("git");
    env.prepare(&mut command);
    command.current_dir(folder).args(words);
    env.run(command).success().stdout.trim_end().to_owned()
}

#[test]
fn every_ticket_reaches_main_by_itself() {
    let env = env();
    let before = env.files_below(env.home());
    let run = env.sb(["demo", "--headless", "--keep", "--json"]).success();
    let told = json_of(&run);
    assert_eq!(told["ok"], true, "{told}");
    assert_eq!(told["wrong"], serde_json::json!([]));
    assert_eq!(env.files_below(env.home()), before, "the person's own home is as it was");
    assert_eq!(alive(&env), Vec::<String>::new());

    let root = left(&env).pop().expect("the folder was kept");
    assert_eq!(told["folder"], root.to_str().expect("UTF-8"));
    let shop = root.join("corner-shop");
    main_is_linear_and_green(&env, &shop);
    assert_eq!(git(&env, &shop, &["show", "main:goodbye.txt"]), "Thank you, and come again!");
    let help = git(&env, &shop, &["show", "main:commands/help.sh"]);
    assert!(help.contains("Open from 8 to 19") && help.contains("within 14 days"), "{help}");
    assert_eq!(git(&env, &shop, &["status", "--porcelain"]), "");
    everything_that_should_go_wrong_did(&told);
    what_is_kept_can_be_looked_at(&env, &root, &told);
}

/// Main is a line of nine commits, and `./check` passes at each of them.
#[track_caller]
fn main_is_linear_and_green(env: &TestEnv, shop: &Path) {
    let line = git(env, shop, &["rev-list", "--parents", "--reverse", "main"]);
    let line: Vec<&str> = line.lines().collect();
    assert_eq!(line.len(), 9, "{line:?}");
    let mut before = "";
    for commit in line {
        let (commit, parents) = commit.split_once(' ').unwrap_or((commit, ""));
        assert_eq!(parents, before);
        before = commit;
        let folder = tempfile::tempdir().expect("a folder");
        let archive = folder.path().join("tree.tar");
        git(env, shop, &["archive", "-o", archive.to_str().expect("UTF-8"), commit]);
        let mut command = Command::new("sh");
        env.prepare(&mut command);
        command.current_dir(folder.path()).args(["-c", "tar xf tree.tar && ./check"]);
        env.run(command).success();
    }
}

#[track_caller]
fn everything_that_should_go_wrong_did(told: &Value) {
    assert_eq!(told["tickets"].as_array().map(Vec::len), Some(8), "{told}");
    let refused = told["refused"].as_array().expect("a list");
    assert_eq!(refused.len(), 1, "{refused:?}");
    assert_eq!(refused[0]["call"], "sed -i 's/51.21/56.90/' tests/discount.sh");
    let sent_back = serde_json::json!({ "by_reviewer": 1, "by_tests": 1, "by_conflict": 1, "given_up": 2 });
    assert_eq!(told["sent_back"], sent_back);
    let questions = told["questions"].as_array().expect("a list");
    let mut answers: Vec<&str> = questions.iter().filter_map(|one| one["answer"].as_str()).collect();
    // Who asks first depends on who is quicker.
    answers.sort_unstable_by_key(|answer| std::cmp::Reverse(*answer));
    assert_eq!(answers, ["Thank you, and come again!", "Build it anew on main, keep what main has"]);
}

/// The demo's own `sb` works from anywhere, for whoever calls it: here, for one who is an agent elsewhere.
#[track_caller]
fn what_is_kept_can_be_looked_at(env: &TestEnv, root: &Path, told: &Value) {
    let own = |words: &[&str]| -> Run {
        let mut command = Command::new(root.join("sb"));
        env.prepare(&mut command);
        command.env("CLAUDECODE", "1").current_dir("/").args(words);
        env.run(command).success()
    };
    let listed = json_of(&own(&["list", "--all", "--json"]));
    assert_eq!(listed.as_array().map(Vec::len), Some(8), "{listed}");
    assert_eq!(json_of(&own(&["context", "--json"]))["actor"], "human");
    let agent = told["refused"][0]["id"].as_str().expect("an agent");
    let replayed = own(&["replay", agent, "--speed", "0"]).stdout;
    assert!(replayed.contains("I may not change tests"), "{replayed}");
    own(&["doctor"]);
}

/// A demo beside the test, whose words are in a file.
struct Playing {
    child: Child,
    said: PathBuf,
}

impl Playing {
    fn begin(env: &TestEnv) -> Self {
        let said = env.root().join("said");
        env.write(&said, "");
        let file = || std::fs::OpenOptions::new().append(true).open(&said).expect("a file");
        let mut command = env.command();
        command.args(["demo", "--headless"]).stdin(Stdio::null()).stdout(file()).stderr(file());
        Self { child: command.spawn().expect("start it"), said }
    }

    fn said(&self) -> String {
        std::fs::read_to_string(&self.said).expect("what it said")
    }

    fn end(&mut self) -> Option<i32> {
        let mut code = None;
        eventually("its end", || {
            code = self.child.try_wait().expect("ask for its end");
            code.is_some()
        });
        code.and_then(|status| status.code())
    }
}

impl Drop for Playing {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_signal_in_the_middle_leaves_nothing_behind() {
    // At once, while agents begin, while one waits for another, and while something is merged.
    let moments = [
        (Signal::INT, "A corner"),
        (Signal::TERM, "works on it"),
        (Signal::INT, "reviews it"),
        (Signal::HUP, "is on main"),
    ];
    for (signal, words) in moments {
        let env = env();
        let mut playing = Playing::begin(&env);
        eventually(words, || playing.said().contains(words));
        kill_process(pid(playing.child.id()), signal).expect("signal it");
        assert_eq!(playing.end(), Some(130), "{words}: {}", playing.said());
        assert!(playing.said().contains("Stopped, and all of it is removed."), "{}", playing.said());
        nothing_is_left(&env);
    }
}

#[test]
fn what_is_in_the_way_is_told_before_anything_is_made() {
    let empty = |env: &TestEnv| env.root().join("nothing-here").display().to_string();
    let fake = |env: &mut TestEnv| {
        let bin = env.root().join("bin");
        std::fs::create_dir(&bin).expect("a folder");
        env.write(bin.join("claude"), "#!/bin/sh\nexit 1\n");
        std::fs::set_permissions(bin.join("claude"), PermissionsExt::from_mode(0o755)).expect("a program");
        env.set("PATH", &format!("{}:/usr/local/bin:/usr/bin:/bin", bin.display()));
    };
    type Change<'a> = &'a dyn Fn(&mut TestEnv);
    let rows: &[(Change<'_>, &[&str], i32, &str, &str)] = &[
        (&|env| env.set("PATH", &empty(env)), &[], 4, "git is not installed", "Install git"),
        (&|env| env.set("TMPDIR", "/proc"), &[], 4, "cannot make its folder in /proc", "Set TMPDIR"),
        (&|env| env.set("TMPDIR", &empty(env)), &[], 4, "cannot make its folder in", "Set TMPDIR"),
        (&|_| {}, &["--driver", "clade"], 2, "cannot be played by `clade`", "--driver claude"),
        (&|_| {}, &["--driver", "claude"], 4, "`claude` is not on PATH", "npm install"),
        (&fake, &["--driver", "claude"], 4, "nobody has said that tokens may be spent", "--yes"),
    ];
    for (change, words, code, says, hint) in rows {
        let mut env = env();
        change(&mut env);
        let run = env.sb(["demo"].iter().chain(*words)).code(*code).says(says).says(hint);
        assert_eq!(run.stdout, "", "{run}");
        nothing_is_left(&env);
        assert!(!env.root().join("nothing-here").exists(), "a folder of the person's was made");
    }
}

#[test]
fn a_person_answers_here_and_elsewhere_and_looks_around() {
    let env = env();
    let mut window = Window::sized(&sb(&env, ["demo"]), Size::new(60, 100));
    window.wait_for("http://127.0.0.1:");
    window.wait_for("esc-0001");
    window.wait_for("Your answer");
    window.press("9\r");
    window.wait_for("and no number 9");
    window.press("So long, and \x1b[31mthanks\r");
    window.wait_for("you answered: So long");
    window.wait_for("esc-0002");
    let root = left(&env).pop().expect("its folder");
    let mut command = Command::new(root.join("sb"));
    env.prepare(&mut command);
    command.args(["esc", "answer", "2", "Say both"]);
    env.run(command).success();
    window.wait_for("answered from elsewhere: Say both");
    within(WHOLE, "its end", || window.shows("Enter to remove it and end"));
    assert!(window.shows("All 8 tickets are on main"), "{}", window.text());
    let main = git(&env, &root.join("corner-shop"), &["show", "main:goodbye.txt"]);
    assert!(main.starts_with("So long, and"), "{main:?}");
    window.press("7\r");
    window.wait_for("That is none of them");
    window.press("1\r");
    window.wait_for("The till of the corner shop");
    window.press("\r");
    assert_eq!(window.finish(), 0);
    nothing_is_left(&env);
}

#[test]
fn ctrl_c_at_a_question_and_a_closed_window_leave_nothing_behind() {
    let env = env();
    let mut window = Window::open(&sb(&env, ["demo"]));
    window.wait_for("Your answer");
    window.press("\x03");
    assert_eq!(window.finish(), 130, "{}", window.text());
    nothing_is_left(&env);

    let mut window = Window::open(&sb(&env, ["demo"]));
    window.wait_for("works on it");
    window.close();
    assert_eq!(window.ends(), 130);
    nothing_is_left(&env);
}
