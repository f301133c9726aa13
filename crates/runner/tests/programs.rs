//! Programs that behave, and programs that do not.

use std::time::{Duration, Instant};

use signalbox_runner::{End, Program};

#[test]
fn output_input_directory_and_environment_arrive() {
    let folder = tempfile::tempdir().expect("a folder");
    let ran = Program::shell("pwd; printf %s \"$WORD\"; cat; echo no >&2; exit 3")
        .in_directory(folder.path())
        .with("WORD", "said")
        .reading("given")
        .run()
        .expect("a shell");
    let directory = folder.path().canonicalize().expect("it exists");
    assert_eq!(ran.end, End::Code(3));
    assert_eq!(ran.text(), format!("{}\nsaidgiven", directory.display()));
    assert_eq!(ran.complaint(), "no\n");
}

#[test]
fn a_program_can_be_kept_from_our_environment() {
    let ran =
        Program::new(["/usr/bin/env"]).without_our_environment().with("WORD", "said").run().expect("env");
    assert_eq!(ran.text(), "WORD=said\n");
    let ran = Program::new(["/usr/bin/env"]).with("WORD", "said").run().expect("env");
    assert!(ran.text().contains("PATH="), "{}", ran.text());
}

#[test]
fn a_signal_is_told() {
    let ran = Program::shell("kill -9 $$").run().expect("a shell");
    assert_eq!(ran.end, End::Signal(9));
}

#[test]
fn a_program_that_is_not_there_cannot_be_started() {
    assert!(Program::new(["/nowhere/at-all"]).run().is_err());
    assert!(Program::new(Vec::<String>::new()).run().is_err());
}

#[test]
fn whoever_hangs_is_ended_with_all_it_started() {
    let folder = tempfile::tempdir().expect("a folder");
    let pid_file = folder.path().join("pid");
    let line = format!("sleep 1000 & echo $! > {}; wait", pid_file.display());
    let begun = Instant::now();
    let ran = Program::shell(&line).within(Duration::from_millis(300)).run().expect("a shell");
    assert_eq!(ran.end, End::TimedOut);
    assert!(begun.elapsed() < Duration::from_secs(20), "it was waited for");
    let pid = std::fs::read_to_string(&pid_file).expect("it was written").trim().to_owned();
    assert!(is_gone(&pid), "process {pid} was left behind");
}

#[test]
fn what_a_finished_program_left_in_the_background_is_not_waited_for() {
    let ran = Program::shell("sleep 1000 & echo $!").run().expect("a shell");
    assert_eq!(ran.end, End::Code(0));
    assert!(is_gone(ran.text().trim()), "the background job was left behind");
}

#[test]
fn a_gigabyte_is_cut_short() {
    for redirected in ["", " >&2"] {
        let line = format!("head -c 1000000000 /dev/zero{redirected}");
        let ran = Program::shell(&line).printing_at_most(1000).run().expect("a shell");
        assert_eq!(ran.end, End::TooMuch);
        assert_eq!(ran.stdout.len() + ran.stderr.len(), 1000);
    }
}

#[test]
fn a_program_that_does_not_read_is_fed_all_the_same() {
    let ran = Program::shell("exit 0").reading(vec![b'x'; 10_000_000]).run().expect("a shell");
    assert_eq!(ran.end, End::Code(0));
}

#[test]
fn closing_its_streams_does_not_end_it() {
    let ran = Program::shell("exec >&- 2>&-; sleep 0.2; exit 7").run().expect("a shell");
    assert_eq!(ran.end, End::Code(7));
}

/// Killed processes may be seen for a moment, until init has collected them.
fn is_gone(pid: &str) -> bool {
    let until = Instant::now() + Duration::from_secs(20);
    while Instant::now() < until {
        let state = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        if state.is_empty() || state.contains(") Z ") {
            return true;
        }
        std::thread::yield_now();
    }
    false
}

#[expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    reason = "nothing of ours is written here, and a test may fail"
)]
fn log_in(folder: &std::path::Path) -> std::fs::File {
    std::fs::File::create(folder.join("log")).expect("a file")
}

/// Whoever starts it has to be killed, so it is this test once more, as a process of its own.
#[test]
fn what_runs_into_a_file_ends_with_whoever_started_it() {
    const FOLDER: &str = "SIGNALBOX_TEST_FOLDER";
    if let Some(folder) = std::env::var_os(FOLDER) {
        let file = log_in(folder.as_ref());
        let line = format!("sleep 1000 & echo $$ $! > pids; kill -9 {}; wait", std::process::id());
        let _ = Program::shell(&line).in_directory(folder.as_ref()).run_into(&file, &|| true);
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let ended = std::process::Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", "what_runs_into_a_file_ends_with_whoever_started_it"])
        .env(FOLDER, folder.path())
        .stdout(std::process::Stdio::null())
        .status()
        .expect("the test again");
    assert_eq!(ended.code(), None, "it was to be killed");
    let pids = std::fs::read_to_string(folder.path().join("pids")).expect("it was written");
    assert_eq!(pids.split_whitespace().count(), 2);
    for pid in pids.split_whitespace() {
        assert!(is_gone(pid), "process {pid} was left behind");
    }
}

#[test]
fn what_runs_into_a_file_ends_as_it_does_and_waits_for_no_stranger() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = log_in(folder.path());
    let into = |line: &str| Program::shell(line).run_into(&file, &|| true).expect("a shell");
    assert_eq!(into("exit 7"), End::Code(7));
    assert_eq!(into("kill -15 $$"), End::Signal(15));
    assert_eq!(into("true & wait; cat; exit 0"), End::Code(0));
    assert_eq!(into("nowhere-at-all"), End::Code(127));
    let printed = std::fs::read_to_string(folder.path().join("log")).expect("it was written");
    assert!(printed.contains("nowhere-at-all"), "{printed}");
}
