//! The index can be taken away or spoilt at will: every command goes on, and nothing is lost.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use signalbox_testkit::TestEnv;

use crate::support::{env, json, story};

/// Every file of the index.
fn index_files(env: &TestEnv) -> Vec<PathBuf> {
    ["index.db", "index.db-wal", "index.db-shm"].iter().map(|name| env.home().join(name)).collect()
}

/// Put bytes into a file of the index, as private as it was.
fn put(env: &TestEnv, name: &str, bytes: impl AsRef<[u8]>) {
    let path = env.home().join(name);
    env.write(&path, bytes);
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).expect("chmod");
}

fn remove_index(env: &TestEnv) {
    for path in index_files(env) {
        let _ = std::fs::remove_file(path);
    }
}

/// An empty database of SQLite's, with that version of the tables.
fn database_of_version(version: u32) -> Vec<u8> {
    let mut page = vec![0; 4096];
    page[..16].copy_from_slice(b"SQLite format 3\0");
    page[16..18].copy_from_slice(&4096u16.to_be_bytes());
    page[18..24].copy_from_slice(&[1, 1, 0, 64, 32, 32]);
    page[24..28].copy_from_slice(&1u32.to_be_bytes()); // change counter
    page[28..32].copy_from_slice(&1u32.to_be_bytes()); // one page
    page[44..48].copy_from_slice(&4u32.to_be_bytes()); // schema format
    page[56..60].copy_from_slice(&1u32.to_be_bytes()); // UTF-8
    page[60..64].copy_from_slice(&version.to_be_bytes());
    page[92..96].copy_from_slice(&1u32.to_be_bytes());
    page[100] = 13; // an empty leaf
    page[105..107].copy_from_slice(&4096u16.to_be_bytes());
    page
}

/// A way to spoil the index, and what to call it.
type Spoil<'a> = (&'static str, Box<dyn Fn() + 'a>);

fn ways_to_spoil(env: &TestEnv) -> Vec<Spoil<'_>> {
    let whole = |name: &str| std::fs::read(env.home().join(name)).unwrap_or_default();
    vec![
        ("deleted", Box::new(|| remove_index(env))),
        (
            "only its side files deleted",
            Box::new(|| {
                for path in index_files(env).iter().skip(1) {
                    let _ = std::fs::remove_file(path);
                }
            }),
        ),
        ("only its main file deleted", Box::new(|| drop(std::fs::remove_file(env.index_file())))),
        (
            "cut in half",
            Box::new(move || {
                let bytes = whole("index.db");
                put(env, "index.db", &bytes[..bytes.len() / 2]);
            }),
        ),
        (
            "empty",
            Box::new(|| {
                remove_index(env);
                put(env, "index.db", "");
            }),
        ),
        (
            "garbage",
            Box::new(|| {
                remove_index(env);
                put(env, "index.db", "this is not a database, ".repeat(1000));
            }),
        ),
        (
            "garbage in the side files",
            Box::new(|| {
                put(env, "index.db-wal", "garbage ".repeat(1000));
                put(env, "index.db-shm", "garbage ".repeat(4096));
            }),
        ),
        (
            "of an older version",
            Box::new(|| {
                remove_index(env);
                put(env, "index.db", database_of_version(0));
            }),
        ),
        (
            "of a newer version",
            Box::new(|| {
                remove_index(env);
                put(env, "index.db", database_of_version(9999));
            }),
        ),
    ]
}

#[test]
fn every_command_goes_on() {
    let env = env();
    let id = env.new_ticket("One");
    let expected = |env: &TestEnv| env.sb(["list", "--all", "--json"]).success().stdout;
    let mut notes = 0;
    for (how, spoil) in ways_to_spoil(&env) {
        let before = expected(&env);
        spoil();
        assert_eq!(expected(&env), before, "reading, with an index {how}");
        spoil();
        let note = format!("with an index {how}");
        env.sb(["note", &id, &note]).success();
        notes += 1;
        let shown = env.sb(["show", &id, "--json"]).success();
        assert!(shown.stdout.contains(&note), "{shown}");
        assert_eq!(json(&shown)["rev"], 1 + notes, "writing, with an index {how}");
        spoil();
        env.sb(["query", "SELECT count(*) FROM events"]).success();
        spoil();
        env.sb(["doctor"]).success();
        spoil();
        env.sb(["index", "rebuild"]).success();
        env.sb(["doctor"]).success().says("All is well.");
    }
    assert!(notes > 5);
}

/// SQLite looks at a page when it needs it, so that a spoilt one may go unnoticed for long. The doctor looks at
/// all of them.
#[test]
fn a_spoilt_page_is_found_and_repaired() {
    let env = env();
    let id = env.new_ticket("One");
    // Enough for SQLite to move it from the side file to the main one.
    for _ in 0..5 {
        env.sb_with_input(["note", &id, "-"], "words ".repeat(170_000)).success();
    }
    let bytes = std::fs::read(env.index_file()).expect("the index");
    let pages = bytes.len() / 4096;
    assert!(pages > 1000, "{pages} pages");
    let mut found = 0;
    for page in (1..24).step_by(4) {
        let mut spoilt = bytes.clone();
        spoilt[page * 4096..(page + 1) * 4096].fill(0x5a);
        remove_index(&env);
        put(&env, "index.db", &spoilt);
        // Whether it notices or not, it says nothing false.
        let list = env.sb(["list"]);
        match list.code {
            Some(0) => assert!(list.stdout.contains("One"), "{list}"),
            _ => drop(list.code(1).says("`sb index rebuild` makes the index anew")),
        }
        found += usize::from(env.sb(["doctor"]).code == Some(1));
        env.sb(["doctor", "--fix"]).success();
        env.sb(["note", &id, "going on"]).success();
        env.sb(["query", "SELECT count(*) FROM events"]).success();
    }
    assert!(found > 1, "{found}");
    let shown = json(&env.sb(["show", &id, "--json"]).success());
    assert_eq!(shown["rev"], 1 + 5 + 6, "every note is there");
}

#[test]
fn the_index_is_made_anew() {
    let env = story();
    env.new_ticket("One");
    insta::assert_snapshot!(env.sb(["index", "rebuild"]), @"
    --- stderr
    The index is made of 2 events.
    ");
    assert_eq!(env.sb(["index", "rebuild", "--json"]).success().stdout, "{\"events\":2}\n");
    env.sb(["index"]).code(2);
    env.sb(["index", "drop"]).code(2);
}

/// A log that was cut or put back from a backup: the index must not know more than it.
#[test]
fn a_log_that_has_become_shorter() {
    let env = story();
    let id = env.new_ticket("One");
    let before = env.read(env.log_file());
    env.sb(["note", &id, "Lost with the tail"]).success();
    env.write(env.log_file(), &before);
    let log = env.sb(["log", "--ticket", &id]).success().says("the event log is shorter than what was read");
    assert!(log.stdout.ends_with("ticket.created      human  One\n"), "{log}");
    env.sb(["doctor"]).code(1).says("the log has lost some");
    env.sb(["doctor", "--fix"]).success();
    let kept: String = env
        .files_below(env.home().join("quarantine"))
        .iter()
        .map(|(_, bytes)| String::from_utf8_lossy(bytes))
        .collect();
    assert!(kept.contains("Lost with the tail"), "the file still told it: {kept}");
    env.sb(["note", &id, "Going on"]).success();
    env.sb(["doctor"]).success().says("All is well.");
}

/// Many days, many files: the newest is written to, all are read.
#[test]
fn one_file_a_day() {
    let mut env = story();
    for day in 16..20 {
        env.set_clock(&format!("2026-11-{day}T09:00:00Z"));
        env.new_ticket(&format!("Of day {day}"));
    }
    let names: Vec<String> = std::fs::read_dir(env.home().join("events"))
        .expect("the folder")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"))
        .collect();
    assert_eq!(names.len(), 6, "{names:?}");
    assert!(env.log_file().ends_with("2026-11-19.jsonl"));
    remove_index(&env);
    assert_eq!(env.sb(["list"]).success().stdout.lines().count(), 4);
    env.sb(["at", "2026-11-17", "list"]).success().says("Of day 16").never_says("Of day 17");
    env.sb(["doctor"]).success().says("All is well.");
}
