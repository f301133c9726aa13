//! What a terminal, a shell or a clock can do to us: large, empty, hostile and late input.

use std::os::unix::ffi::OsStringExt;
use std::process::Command;

use signalbox_testkit::{TestEnv, quote};

use crate::support::{env, is_safe, json, safe, story, ticket};

/// Escapes, a bell, a C1 control, a delete, a null as far as an argument can hold one, and a reordering mark.
const HOSTILE: &str = "\u{1b}[31mred\u{1b}]0;title\u{7}\u{8}\u{9b}2J\u{7f}\u{202e}evil\u{2066}";

#[test]
fn control_bytes_are_kept_and_never_shown() {
    let env = env();
    let title = format!("Title {HOSTILE}");
    let note = format!("Note {HOSTILE}\nof two lines\tand a tab\r");
    let id = safe(env.sb(["new", &title, "--body", &note, "--accept", HOSTILE]).success())
        .stdout
        .trim()
        .to_owned();
    let mut ada = env.agent("ada");
    safe(ada.sb(["pick", &id]).success());
    safe(ada.sb(["note", &note]).success());
    safe(
        ada.sb([
            "release",
            "--outcome",
            "failed",
            "--summary",
            HOSTILE,
            "--learnings",
            HOSTILE,
            "-m",
            HOSTILE,
        ])
        .success(),
    );
    safe(env.sb(["hold", &id, HOSTILE]).success());
    safe(env.sb(["pick", &id]).code(4));
    safe(env.sb(["switch", &id]).success());
    for words in [
        &["list"][..],
        &["list", "--json"],
        &["show"],
        &["show", "--json"],
        &["status"],
        &["context"],
        &["help"],
        &["log"],
        &["log", "--json"],
        &["at", "now", "list"],
        &["at", "now", "show", &id],
        &["at", "now", "show", &id, "--json"],
        &["query", "SELECT * FROM events"],
        &["query", "--json", "SELECT * FROM events"],
        &["query", "SELECT title AS \"\u{1b}[31m\" FROM tickets"],
        &["edit", "--title", &title, "--json"],
        &["edit", "--title", &format!("{title}!")],
        &["unhold", &id, HOSTILE],
        &["ready"],
        &["pop"],
        &["submit", "-m", HOSTILE],
        &["review"],
        &["approve", "-m", HOSTILE],
        &["reopen", &id, HOSTILE],
        &["doctor"],
    ] {
        let run = safe(env.sb(words).success());
        // A program that reads JSON gets every byte back.
        if words[0] == "show" && words.len() == 2 {
            assert_eq!(json(&run)["title"], title.as_str());
            assert_eq!(json(&run)["body"], note.trim_end());
        }
    }
    // As they came, in the log and in the file.
    let log = env.read(env.log_file());
    assert!(log.contains("\\u001b[31mred") && log.contains('\u{202e}'), "{log:?}");
    let text = env.read(env.ticket_file(&id));
    assert!(text.contains(&format!("Note {HOSTILE}\nof two lines\tand a tab")), "{text:?}");
    assert!(text.contains("title: \"Title \\u001b[31mred"), "{text:?}");
}

/// Also in what is only repeated in an error.
#[test]
fn errors_do_not_repeat_control_bytes() {
    let env = env();
    let id = env.new_ticket("One");
    for words in [
        &[HOSTILE][..],
        &["show", HOSTILE],
        &["status", HOSTILE],
        &["status", HOSTILE, &id],
        &["list", "--status", HOSTILE],
        &["list", "--priority", HOSTILE],
        &["list", "--project", HOSTILE],
        &["list", HOSTILE],
        &["list", &format!("--{HOSTILE}")],
        &["new", "x", "--priority", HOSTILE],
        &["new", "x", "--tag", HOSTILE],
        &["new", "x", "--initiative", HOSTILE],
        &["assign", &id, HOSTILE],
        &["init", HOSTILE],
        &["init", "--name", HOSTILE],
        &["at", HOSTILE, "list"],
        &["log", "--since", HOSTILE],
        &["log", "--event-id", HOSTILE],
        &["query", HOSTILE],
        &["query", &format!("SELECT {HOSTILE}")],
        &["query", "--report", HOSTILE],
        &["config", "get", HOSTILE],
        &["config", "set", HOSTILE, HOSTILE],
        &["help", HOSTILE],
        &["help", "--reference", HOSTILE],
        &["release", &id, "--outcome", HOSTILE],
        &["check", HOSTILE],
    ] {
        for more in [&[][..], &["--json"]] {
            let run = safe(env.sb(words.iter().chain(more)));
            assert!(matches!(run.code, Some(2..=4)), "{words:?}: {run}");
            assert!(!run.stderr.is_empty(), "{words:?}: {run}");
        }
    }
    env.write(env.home().join("config.toml"), format!("\"{HOSTILE}\" = 1\n"));
    assert!(is_safe(&env.sb(["list"]).code(1).stderr));
}

/// A directory may be called anything.
#[test]
fn control_bytes_in_the_name_of_a_directory() {
    let env = env();
    let folder = env.root().join(format!("folder {HOSTILE}"));
    std::fs::create_dir(&folder).expect("a folder");
    for words in [
        &["init", "--name", "folder"][..],
        &["init"],
        &["init", "--name", "x"],
        &["projects"],
        &["projects", "--json"],
    ] {
        safe(env.sb_in(&folder, words));
    }
    safe(env.sb_in(&folder, ["new", "x"]).success());
    std::fs::remove_dir(&folder).expect("the folder");
    safe(env.sb(["doctor"]).success().says("is gone"));
}

/// More than a ticket takes is refused before it is read to its end; as much as it takes is kept.
#[test]
fn a_large_body() {
    let env = story();
    insta::assert_snapshot!(env.sb_with_input(["new", "Large", "--body", "-"], "x".repeat(10 * 1024 * 1024)), @"
    --- stderr
    error: standard input has more than 1048576 bytes, which a ticket takes at most at once
    hint: Put the long text into a file of the repository and name the file in the ticket.
    --- exit 2
    ");
    // The limit may fall into the middle of a letter.
    env.sb_with_input(["new", "Large", "--body", "-"], "ä".repeat(5 * 1024 * 1024))
        .code(2)
        .says("more than 1048576 bytes");
    let id = env.new_ticket("One");
    for words in [
        &["note", &id, "-"][..],
        &["submit", &id, "-m", "-"],
        &["reject", &id, "-"],
        &["status", "review", &id, "-m", "-"],
    ] {
        env.sb_with_input(words, "x".repeat(10 * 1024 * 1024)).code(2).says("more than 1048576 bytes");
    }
    let most = "y".repeat(1024 * 1024);
    let large = env.sb_with_input(["new", "As large as can be", "--body", "-"], &most).success().stdout;
    assert_eq!(ticket(&env, large.trim())["body"], most);
    env.sb_with_input(["note", large.trim(), "-"], &most).success();
    assert!(env.read(env.ticket_file(large.trim())).contains(&most));
    assert_eq!(env.sb(["list"]).success().stdout.lines().count(), 2);
    env.sb(["doctor"]).success().says("All is well.");
}

/// The system itself takes at most 128 KiB in one argument; all of that is kept.
#[test]
fn a_large_argument() {
    let env = env();
    let body = "z".repeat(128 * 1024 - 1);
    let id = env.sb(["new", "Large", "--body", &body]).success().stdout;
    assert_eq!(ticket(&env, id.trim())["body"], body);
    let refused = env.bash("sb new Large --body \"$(head -c 10000000 /dev/zero | tr '\\0' x)\"");
    assert_ne!(refused.code, Some(0), "{}", refused.stderr);
    assert_eq!(env.sb(["list"]).success().stdout.lines().count(), 1);
}

#[test]
fn arguments_that_are_no_text() {
    let env = env();
    for words in [["new"].as_slice(), &["show"], &["note"], &["list", "--tag"], &[]] {
        let mut command = env.command();
        command.args(words).arg(std::ffi::OsString::from_vec(vec![b'x', 0xff, 0xfe]));
        let run = safe(env.run(command).code(2));
        assert!(!run.stderr.is_empty(), "{run}");
    }
    let folder = env.root().join(std::ffi::OsString::from_vec(vec![b'x', 0xff]));
    std::fs::create_dir(&folder).expect("a folder");
    env.sb_in(&folder, ["init"]).code(2).says("not valid UTF-8");
    env.sb_in(&folder, ["list", "--project", "shop"]).success();
}

/// Whatever comes, a sentence and an exit code: never a panic.
#[test]
fn nothing_makes_it_panic() {
    let env = env();
    let id = env.new_ticket("One");
    let words = ["", "-", "---", "\n", "sb_", "*", "'$(id)\"", "../..", "-1", "99999999999999999999", "🦀"];
    let others =
        ["demo", "hook", "ls", "view", "create", "add", "start", "begin", "claim", "move", "unclaim", "drop"];
    for name in crate::support::command_names(&env) {
        if others.contains(&name.as_str()) {
            continue;
        }
        for word in words {
            for before in [&[][..], &[id.as_str()]] {
                let mut command = env.command();
                command.arg(&name).args(before).arg(word);
                let run = env.run(command);
                assert!(matches!(run.code, Some(0..=4)), "{name} {word:?}: {run}");
                assert!(!run.stderr.contains("a bug in sb"), "{name} {word:?}: {run}");
            }
        }
    }
}

#[test]
fn a_directory_that_is_gone() {
    let env = story();
    let id = env.new_ticket("One");
    let folder = env.root().join("gone");
    let in_gone = |line: &str| {
        std::fs::create_dir_all(&folder).expect("a folder");
        env.bash(&format!("cd {} && rmdir \"$PWD\" && {line}", quote(&folder.to_string_lossy())))
    };
    insta::assert_snapshot!(in_gone("sb new Another"), @"
    --- stderr
    error: the current directory cannot be used: No such file or directory (os error 2)
    hint: Change into a directory that exists.
    --- exit 4
    ");
    in_gone("sb list").code(4).says("Change into a directory that exists.");
    in_gone("sb init").code(4);
    // What needs no directory works.
    in_gone(&format!("sb show {id}")).success();
    in_gone(&format!("sb note {id} words")).success();
    in_gone("sb new Another --project shop").success();
    in_gone("sb list --project '*'").success().says("Another");
    in_gone("sb doctor").success();
    in_gone("sb help").success();
}

/// Time never runs backwards in the story, whatever the clock does.
#[test]
fn a_clock_that_is_set_back() {
    let mut env = story();
    let id = env.new_ticket("One");
    env.set_clock("2026-11-14T08:00:00Z");
    insta::assert_snapshot!(env.sb(["note", &id, "A note"]), @"
    --- stderr
    warning: the clock is behind the newest event (2026-11-15T10:00:01Z); new events carry that time until it catches up
    Noted on sb_Bq5DH9.
    ");
    env.sb(["log"]).success();
    env.sb(["list"]).success();
    let events = ticket(&env, &id)["history"].clone();
    assert_eq!(events[1]["ts"], "2026-11-15T10:00:01.000Z");
    assert_eq!(
        std::fs::read_dir(env.home().join("events")).expect("the folder").count(),
        2,
        "one file and the link"
    );
    // A few milliseconds are nobody's business.
    env.set_clock("2026-11-15T10:00:00.900Z");
    assert_eq!(env.sb(["note", &id, "Another"]).success().stderr, format!("Noted on {id}.\n"));
    env.set_clock("2026-11-15T10:00:02Z");
    env.sb(["note", &id, "In time"]).success();
    assert_eq!(ticket(&env, &id)["updated"], "2026-11-15T10:00:02.000Z");
    env.sb(["doctor"]).success().says("All is well.");
}

/// Every path of the tests has a space and an umlaut; here is one with worse.
#[test]
fn a_home_on_a_strange_path() {
    for name in ["it's \"quoted\" $HOME `x`", "日本語 🦀", "new\nline", "-rf", "a%20b#?&"] {
        let mut env = TestEnv::empty(env!("CARGO_BIN_EXE_sb"));
        let home = env.root().join(name);
        std::fs::create_dir(&home).expect("a folder");
        env.write(home.join("config.toml"), "[identity]\nagent_programs = []\n");
        env.set("SIGNALBOX_HOME", home.to_str().expect("UTF-8"));
        env.sb(["init"]).success();
        let id = env.new_ticket("One");
        let mut ada = env.agent("ada");
        ada.sb(["pick", &id]).success();
        ada.sb(["submit", "-m", "done"]).success();
        env.sb(["approve", &id]).success();
        assert_eq!(ticket(&env, &id)["status"], "done");
        safe(env.sb(["show", &id]).success());
        env.sb(["index", "rebuild"]).success();
    }
}

#[test]
fn a_home_that_cannot_be() {
    let mut env = env();
    env.write(env.root().join("a file"), "");
    env.set("SIGNALBOX_HOME", env.root().join("a file").to_str().expect("UTF-8"));
    insta::assert_snapshot!(env.sb(["init"]), @"
    --- stderr
    error: read ROOT/a file/config.toml: Not a directory (os error 20)
    hint: A file stands where a folder is needed; move it away.
    --- exit 1
    ");
    insta::assert_snapshot!(env.sb(["list"]), @"
    --- stderr
    error: read ROOT/a file/config.toml: Not a directory (os error 20)
    hint: A file stands where a folder is needed; move it away.
    --- exit 1
    ");
    let mut command = Command::new(env.program());
    command.args(["list"]).env_clear().current_dir(env.project());
    insta::assert_snapshot!(env.run(command), @"
    --- stderr
    error: neither SIGNALBOX_HOME nor HOME is set
    hint: Set SIGNALBOX_HOME to the folder where Signalbox may keep its data.
    --- exit 4
    ");
    // A relative one is taken from where one is.
    env.set("SIGNALBOX_HOME", "relative");
    std::fs::create_dir(env.project().join("relative")).expect("a folder");
    env.write(env.project().join("relative/config.toml"), "[identity]\nagent_programs = []\n");
    env.sb(["init"]).success();
    assert!(env.project().join("relative/events").is_dir());
}

/// A script that retries must not be told that nothing happened when only the answer could not be written.
#[test]
fn a_full_standard_output_is_no_reason_to_run_it_again() {
    let env = env();
    let mut command = env.command();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("/dev/full");
    let output = command.args(["new", "One"]).stdout(full).output().expect("run sb");
    assert_eq!(output.status.code(), Some(1));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("standard output cannot be written to"), "{stderr}");
    assert!(!stderr.contains("nothing was changed"), "{stderr}");
    assert_eq!(env.sb(["list"]).success().stdout.lines().count(), 1);
}

#[test]
fn an_empty_dependency_is_not_no_dependency() {
    let env = env();
    env.sb(["new", "One", "--depends-on", ""]).code(2).says("id is empty");
    env.sb(["log", "-n", "18446744073709551615"]).success();
}
