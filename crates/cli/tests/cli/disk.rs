//! A disk that is full or cannot be written to. It takes root to make one; without it these say so and end.

use std::path::{Path, PathBuf};
use std::process::Command;

use signalbox_testkit::TestEnv;

use crate::support::{empty, json};

/// A file system in memory, gone when dropped.
pub struct Disk {
    at: PathBuf,
}

impl Disk {
    /// `None`, with a word, where this user may not mount.
    pub fn mount(at: &Path, size: &str) -> Option<Self> {
        let options = format!("size={size},mode=700");
        let output = Command::new("mount").args(["-t", "tmpfs", "-o", &options, "tmpfs"]).arg(at).output();
        match output {
            Ok(output) if output.status.success() => Some(Self { at: at.to_owned() }),
            _ => {
                eprintln!("SKIPPED: this user may not mount a file system, so no disk was full or read-only");
                None
            }
        }
    }

    pub fn make_read_only(&self) {
        let status = Command::new("mount").args(["-o", "remount,ro"]).arg(&self.at).status();
        assert!(status.expect("mount").success());
    }

    pub fn make_writable(&self) {
        let status = Command::new("mount").args(["-o", "remount,rw"]).arg(&self.at).status();
        assert!(status.expect("mount").success());
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.at).status();
    }
}

/// An environment whose home is a small disk of its own.
fn on_disk(size: &str) -> Option<(TestEnv, Disk)> {
    let env = empty();
    let disk = Disk::mount(&env.home(), size)?;
    env.write(env.home().join("config.toml"), "[identity]\nagent_programs = []\n");
    env.sb(["init"]).success();
    Some((env, disk))
}

fn fill(env: &TestEnv, but: usize) -> PathBuf {
    fill_disk(&env.home(), but)
}

/// Take all the room there is, or all but so many bytes.
pub fn fill_disk(at: &Path, but: usize) -> PathBuf {
    let filler = at.join("filler");
    let disk = rustix::fs::statvfs(at).expect("the disk");
    let mut size = usize::try_from(disk.f_bavail * disk.f_frsize).expect("a small disk").saturating_sub(but);
    while !try_write(&filler, &vec![b'x'; size]) {
        size = size.saturating_sub(4096);
    }
    filler
}

#[expect(clippy::disallowed_methods, reason = "this plays the rest of the disk")]
fn try_write(path: &Path, bytes: &[u8]) -> bool {
    std::fs::write(path, bytes).is_ok()
}

#[test]
fn a_disk_that_cannot_be_written_to() {
    let Some((env, disk)) = on_disk("8m") else { return };
    let id = env.new_ticket("One");
    env.sb(["list"]).success();
    disk.make_read_only();
    insta::assert_snapshot!(env.sb(["new", "Another"]), @"
    --- stderr
    error: use ROOT/hóme of sb/run/lock: Read-only file system (os error 30)
    hint: Set SIGNALBOX_HOME to a folder that can be written to. Reading works all the same.
    --- exit 1
    ");
    insta::assert_snapshot!(env.sb(["config", "set", "vault", "/x"]), @"
    --- stderr
    error: use ROOT/hóme of sb/run/lock: Read-only file system (os error 30)
    hint: Set SIGNALBOX_HOME to a folder that can be written to. Reading works all the same.
    --- exit 1
    ");
    for words in [
        &["pick", &id][..],
        &["note", &id, "x"],
        &["close", &id],
        &["init", "/"],
        &["switch", &id],
        &["clear"],
        &["index", "rebuild"],
    ] {
        let run = env.sb(words).code(1);
        assert!(run.stderr.contains("Read-only file system") && run.stderr.contains("hint: "), "{run}");
    }
    // Reading works all the same.
    for words in [
        &["list"][..],
        &["show", &id],
        &["log"],
        &["context"],
        &["query", "SELECT * FROM tickets"],
        &["ready"],
        &["at", "now", "list"],
        &["help"],
        &["projects"],
    ] {
        env.sb(words).success();
    }
    env.sb(["list"]).success().says("One");
    disk.make_writable();
    env.sb(["note", &id, "Going on"]).success();
    env.sb(["index", "rebuild"]).success();
    assert_eq!(json(&env.sb(["show", &id, "--json"]).success())["rev"], 2);
    drop(disk);
}

/// And without an index to read from.
#[test]
fn reading_a_disk_that_cannot_be_written_to() {
    let Some((env, disk)) = on_disk("8m") else { return };
    let id = env.new_ticket("One");
    for name in ["index.db", "index.db-wal", "index.db-shm"] {
        let _ = std::fs::remove_file(env.home().join(name));
    }
    disk.make_read_only();
    env.sb(["list"]).success().says("One");
    env.sb(["show", &id]).success();
    env.sb(["doctor"]).code(1).says("the lock cannot be taken");
    drop(disk);
}

#[test]
fn a_disk_that_is_full() {
    let Some((env, disk)) = on_disk("1m") else { return };
    let id = env.new_ticket("One");
    let before = env.read(env.log_file());
    let filler = fill(&env, 0);
    let body = "words ".repeat(10_000);
    let full = env.sb(["new", "Another", "--body", &body]).code(1);
    assert!(full.stderr.contains("No space left on device"), "{full}");
    assert!(
        full.stderr.contains("hint: Free some disk space and run the command again; nothing was changed."),
        "{full}"
    );
    let log = env.read(env.log_file());
    assert!(log.starts_with(&before), "what was there is there");
    // Reading works all the same.
    env.sb(["list"]).success().says("One").never_says("Another");
    env.sb(["show", &id]).success();
    env.sb(["log"]).success();
    env.sb(["doctor"]).code(1).says("only 0 MiB are free");
    std::fs::remove_file(filler).expect("free the room");
    env.sb(["note", &id, "Going on"]).success();
    env.sb(["new", "Another", "--body", &body]).success();
    let shown = json(&env.sb(["show", &id, "--json"]).success());
    assert_eq!(shown["rev"], 2);
    assert_eq!(env.sb(["list"]).success().stdout.lines().count(), 2);
    let found = json(&env.sb(["doctor", "--json"]).code(1));
    for finding in found.as_array().expect("a list") {
        assert!(finding["check"] == "disk" || finding["severity"] == "note", "{finding}");
    }
    drop(disk);
}

/// However much room is left: either it is written and stays written, or it says that it was not.
#[test]
fn a_disk_that_becomes_full_at_any_moment() {
    let Some((env, disk)) = on_disk("24m") else { return };
    let id = env.new_ticket("One");
    let mut acknowledged = 1;
    let body = "0123456789abcdef".repeat(1_500);
    for pages in 0..24 {
        let filler = fill(&env, pages * 4096);
        let noted = env.sb(["note", &id, &format!("with {pages} pages {body}")]);
        assert!(matches!(noted.code, Some(0 | 1)), "{noted}");
        acknowledged += usize::from(noted.code == Some(0));
        std::fs::remove_file(filler).expect("free the room");
        let shown = json(&env.sb(["show", &id, "--json"]).success());
        assert_eq!(shown["rev"], acknowledged, "{pages} pages: {noted}");
    }
    assert!((2..25).contains(&acknowledged), "{acknowledged} of 24 found room");
    let text = env.read(env.ticket_file(&id));
    assert_eq!(text.matches("## Note — ").count(), acknowledged - 1);
    let found = json(&env.sb(["doctor", "--json"]).code(1));
    for finding in found.as_array().expect("a list") {
        assert!(finding["check"] == "disk" || finding["severity"] == "note", "{finding}");
    }
    drop(disk);
}
