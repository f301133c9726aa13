//! `doctor`: every finding, with and without `--fix`. What it finds in the vault is in `vault_damage`.

use std::os::unix::fs::PermissionsExt;

use serde_json::Value;
use signalbox_testkit::{TestEnv, without_root};

use crate::support::{append_to_log, empty, env, fields, json, record, story};

/// What is found: which part, how bad, whether it can be fixed, and the sentence.
#[track_caller]
fn findings(env: &TestEnv, code: i32) -> Vec<String> {
    let found = json(&env.sb(["doctor", "--json"]).code(code));
    let line = |finding: &Value| {
        let text = |name: &str| finding[name].as_str().unwrap_or_default().to_owned();
        let fixable = if finding["fixable"] == true { "fixable" } else { "-" };
        without_root(&format!("{} {} {fixable}: {}", text("check"), text("severity"), text("what")))
    };
    found.as_array().expect("a list").iter().map(line).collect()
}

fn mode(path: impl AsRef<std::path::Path>) -> u32 {
    std::fs::metadata(path).expect("the file").permissions().mode() & 0o777
}

#[test]
fn all_is_well() {
    let env = story();
    insta::assert_snapshot!(env.sb(["doctor"]), @"All is well.");
    env.new_ticket("One");
    let _ada = env.agent("ada");
    assert_eq!(env.sb(["doctor", "--json"]).success().stdout, "[]\n");
    insta::assert_snapshot!(env.sb(["doctor", "--fix"]), @"All is well.");
    insta::assert_snapshot!(empty().sb(["doctor"]), @"note     home         ROOT/hóme of sb is empty: nothing was done yet");
}

#[test]
fn a_finding_as_people_and_programs_see_it() {
    let env = story();
    let id = env.new_ticket("One");
    env.edit(env.ticket_file(&id), "status: open\n", "status: done\n");
    std::fs::remove_dir(env.project()).expect("remove the project");
    insta::assert_snapshot!(env.sb_in(env.root(), ["doctor"]), @"
    note     config       the directory of project `shop` is gone: ROOT/shop
                          Change or remove `[projects.shop]` in ROOT/hóme of sb/config.toml.
    problem  vault        the frontmatter of sb_Bq5DH9 was edited by hand: status
                          To make it so, use `sb edit sb_Bq5DH9` or the like; --fix puts back what the log says and keeps your version aside.
    --- stderr
    error: there is a problem
    hint: `sb doctor --fix` repairs what can be repaired.
    --- exit 1
    ");
    let found = json(&env.sb_in(env.root(), ["doctor", "--json"]).code(1));
    assert_eq!(fields(&found[0]), ["check", "severity", "what", "hint", "fixable"]);
    assert_eq!(
        (&found[0]["check"], &found[0]["severity"], &found[0]["fixable"]),
        (&"config".into(), &"note".into(), &false.into())
    );
}

#[test]
fn what_others_may_read_is_closed() {
    let env = env();
    env.new_ticket("One");
    env.sb(["list"]).success();
    for (path, open) in
        [("", 0o755), ("events", 0o750), ("run", 0o777), ("config.toml", 0o644), ("index.db", 0o604)]
    {
        std::fs::set_permissions(env.home().join(path), std::fs::Permissions::from_mode(open))
            .expect("chmod");
    }
    let found = findings(&env, 1);
    assert_eq!(found.len(), 5, "{found:?}");
    assert_eq!(found[0], "permissions problem fixable: ROOT/hóme of sb is open to other users (mode 755)");
    assert_eq!(mode(env.home()), 0o755, "it only looked");
    env.sb(["doctor", "--fix"]).success().says("closed");
    for (path, want) in
        [("", 0o700), ("events", 0o700), ("run", 0o700), ("config.toml", 0o600), ("index.db", 0o600)]
    {
        assert_eq!(mode(env.home().join(path)), want, "{path}");
    }
    assert_eq!(findings(&env, 0), [""; 0]);
}

/// Nothing that Signalbox makes is open to others in the first place, but for the vault.
#[test]
fn new_files_are_private() {
    let env = empty();
    env.sb(["init"]).success();
    let mut ada = env.agent("ada");
    let id = ada.sb(["new", "One"]).success().stdout;
    ada.sb(["pick", id.trim()]).success();
    env.sb(["config", "set", "identity.agent_programs", "x"]).success();
    for (path, _) in env.files_below(env.home()) {
        let in_vault = path.starts_with(env.home().join("vault"));
        assert_eq!(mode(&path), if in_vault { 0o644 } else { 0o600 }, "{}", path.display());
    }
    for folder in ["events", "run", "sessions", "run/processes"] {
        assert_eq!(mode(env.home().join(folder)), 0o700, "{folder}");
    }
}

#[test]
fn an_event_from_the_future() {
    let mut env = story();
    env.set_clock("2026-11-16T10:00:00Z");
    env.new_ticket("One");
    env.set_clock("2026-11-15T10:00:00Z");
    assert_eq!(
        findings(&env, 1),
        ["clock problem -: the newest event is from the future: 2026-11-16T10:00:00Z"]
    );
    env.set_clock("2026-11-16T10:00:00Z");
    assert_eq!(findings(&env, 0), [""; 0]);
}

#[test]
fn a_damaged_line() {
    let env = story();
    let id = env.new_ticket("One");
    env.sb(["note", &id, "A note"]).success();
    env.sb(["note", &id, "Another"]).success();
    let log = env.read(env.log_file());
    let damaged = log.replacen("A note", "B note", 1);
    env.write(env.log_file(), &damaged);
    std::fs::remove_file(env.index_file()).expect("the index");
    insta::assert_snapshot!(env.sb(["list"]), @"
    sb_Bq5DH9  open    P3  -         1s    One
    --- stderr
    warning: the event log has 2 damaged lines; `sb doctor` tells which
    ");
    let found = findings(&env, 1);
    assert!(found[0].starts_with("log problem fixable: 2026-11-15.jsonl, byte "), "{found:?}");
    assert!(found[0].ends_with(" bytes: its checksum does not match"), "{found:?}");
    env.sb(["doctor", "--fix"]).success().says("kept the damaged bytes in");
    let kept = env.files_below(env.home().join("quarantine/log"));
    assert!(kept.iter().any(|(_, bytes)| String::from_utf8_lossy(bytes).contains("B note")), "{kept:?}");
    assert!(env.read(env.log_file()).starts_with(&damaged), "the log itself is never rewritten");
    assert_eq!(findings(&env, 0), [""; 0], "what is known is not told again");
    env.sb(["show", &id]).success().says("Another");
    // What the file of the ticket told of it is kept.
    let all: Vec<u8> = env.files_below(env.home()).into_iter().flat_map(|(_, bytes)| bytes).collect();
    assert!(String::from_utf8_lossy(&all).contains("A note"));
}

/// What a killed writer left behind was never acknowledged.
#[test]
fn a_torn_tail() {
    let env = story();
    let id = env.new_ticket("One");
    append_to_log(&env, b"\n{\"v\":1,\"id\":\"01M7FACN481NYKE11XJPB98B8Z\",\"ts\":\"2026-11");
    env.sb(["show", &id]).success();
    env.sb(["note", &id, "A note"]).success();
    env.sb(["list"]).success().says("One");
    let found = findings(&env, 0);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("log note fixable: 2026-11-15.jsonl, byte "), "{found:?}");
    assert!(found[0].ends_with("its writer was killed half-way; it does not count"), "{found:?}");
    env.sb(["doctor", "--fix"]).success();
    assert_eq!(findings(&env, 0), [""; 0], "what is known is not told again");
    env.sb(["log", "--ticket", &id]).success().says("A note");
}

#[test]
fn garbage_at_the_end_of_the_log() {
    let env = env();
    let id = env.new_ticket("One");
    append_to_log(&env, b"\n\x00\x01\xff\xfe garbage \x1b[31m\n");
    env.sb(["note", &id, "A note"]).success().says("the event log has a damaged line");
    env.sb(["list"]).success().says("One");
    env.sb(["doctor"]).code(1);
    env.sb(["doctor", "--fix"]).success();
    env.sb(["doctor"]).success();
    env.sb(["show", &id]).success().says("A note");
}

#[test]
fn an_event_that_stands_there_twice_counts_once() {
    let env = env();
    let id = env.new_ticket("One");
    env.sb(["note", &id, "A note"]).success();
    let log = env.read(env.log_file());
    let last = log.trim_end().rsplit("\n\n").next().expect("a line").to_owned();
    append_to_log(&env, format!("\n{last}\n").as_bytes());
    let noted = env.sb(["log", "--ticket", &id, "--event", "note.added"]).success().stdout;
    assert_eq!(noted.lines().count(), 1, "{noted}");
    let found = findings(&env, 0);
    assert!(
        found.iter().any(|line| line.ends_with("stands in the log more than once; it counts once")),
        "{found:?}"
    );
}

#[test]
fn a_line_that_is_missing_is_missed() {
    let env = story();
    let id = env.new_ticket("One");
    for note in ["First", "Second", "Third"] {
        env.sb(["note", &id, note]).success();
    }
    let log = env.read(env.log_file());
    let without: String = log.split_inclusive("\n\n").filter(|line| !line.contains("Second")).collect();
    env.write(env.log_file(), without);
    env.sb(["list"]).success().says("warning:");
    let found = findings(&env, 1);
    assert!(
        found.iter().any(|line| line.starts_with("log problem fixable: ") && line.contains(&id)),
        "{found:?}"
    );
    env.sb(["doctor", "--fix"]).success();
    let found = findings(&env, 0);
    assert!(found.iter().all(|line| line.contains(" note -: ")), "{found:?}");
    // The ticket's file knew it.
    let all: Vec<u8> = env.files_below(env.home()).into_iter().flat_map(|(_, bytes)| bytes).collect();
    assert!(String::from_utf8_lossy(&all).contains("Second"));
}

#[test]
fn events_of_a_newer_version() {
    let env = story();
    let id = env.new_ticket("One");
    append_to_log(
        &env,
        &record(
            &serde_json::json!({"v": 2, "id": "01M7FB0000000000000000000B", "event": "future.thing", "data": {"a": 1}}),
        ),
    );
    append_to_log(
        &env,
        &record(
            &serde_json::json!({"id": "01M7FB0000000000000000000C", "event": "note.added", "ticket": id, "project": "shop", "data": {"words": 3}}),
        ),
    );
    env.sb(["list"]).success().says("One");
    env.sb(["note", &id, "A note"]).success();
    let found = findings(&env, 1);
    assert!(
        found.iter().any(|line| line == "log problem -: the log has events of format 2, and this sb knows 1"),
        "{found:?}"
    );
    assert!(
        found.iter().any(|line| line.starts_with(
            "log problem -: event 01M7FB0000000000000000000C (note.added): missing field `text`"
        )),
        "{found:?}"
    );
    env.sb(["log", "--event", "future.*"]).success().says("future.thing");
}

#[test]
fn a_lost_link() {
    let env = env();
    let id = env.new_ticket("One");
    std::fs::remove_file(env.home().join("events/current")).expect("the link");
    assert_eq!(
        findings(&env, 1),
        ["log problem fixable: `events/current` does not point to the newest file"]
    );
    env.sb(["show", &id]).success();
    env.sb(["doctor", "--fix"]).success().says("pointed `events/current` to the newest file");
    assert!(env.log_file().is_file());
    std::fs::remove_file(env.home().join("events/current")).expect("the link");
    std::os::unix::fs::symlink("/etc/passwd", env.home().join("events/current")).expect("a link");
    env.sb(["note", &id, "Not to another file"]).success();
    env.sb(["show", &id]).success().says("Not to another file");
    env.sb(["doctor"]).success();
}

#[test]
fn an_index_that_says_otherwise() {
    let env = env();
    env.new_ticket("Aaaa");
    env.sb(["list"]).success();
    // The log is made to say something else in the same number of bytes, so that the index does not notice.
    let log = env.read(env.log_file());
    let line = log.lines().find(|line| line.contains("Aaaa")).expect("the line");
    let (body, _) = line.split_once(",\"crc\"").expect("a checksum");
    let event: signalbox_core::Event =
        serde_json::from_str(&format!("{body}}}").replace("Aaaa", "Bbbb")).expect("an event");
    let new = String::from_utf8(signalbox_store::log::encode(&event).expect("a record")).expect("UTF-8");
    env.write(env.log_file(), log.replace(line, new.trim()));
    env.sb(["list"]).success().says("Aaaa");
    let found = findings(&env, 1);
    assert!(
        found.iter().any(|line| line.starts_with("index problem fixable: the index says otherwise of sb_")),
        "{found:?}"
    );
    env.sb(["doctor", "--fix"]).success().says("made the index anew");
    env.sb(["list"]).success().says("Bbbb");
}

#[test]
fn sessions_that_are_gone() {
    let env = env();
    let id = env.new_ticket("One");
    let mut ada = env.agent("ada");
    ada.sb(["pick", &id]).success();
    let pid = ada.pid();
    drop(ada);
    env.terminal("window").sb(["switch", &id]).success();
    let found = findings(&env, 0);
    assert!(
        found.contains(
            &"sessions note fixable: session ada (ada) is still registered, but its process is gone"
                .to_owned()
        ),
        "{found:?}"
    );
    // In a container the namespace stands behind the number.
    let record = format!("sessions note fixable: ROOT/hóme of sb/run/processes/{pid}");
    assert!(
        found.iter().any(|line| line.strip_prefix(&record).is_some_and(|rest| {
            (rest.starts_with('@') || rest.starts_with(' '))
                && rest.ends_with(" is of a process that is gone")
        })),
        "{found:?}"
    );
    assert!(
        found.iter().any(|line| line.contains("/sessions/terminal-")
            && line.ends_with(".ticket is of a terminal that is gone")),
        "{found:?}"
    );
    assert_eq!(found.len(), 3, "{found:?}");
    env.sb(["doctor", "--fix"]).success().says("ended session ada").never_says("not fixed");
    assert_eq!(findings(&env, 0), [""; 0]);
    assert!(!env.home().join("sessions/ada.json").exists());
    env.sb(["log", "--session", "ada", "--event", "session.ended"]).success().says("its process is gone");
    assert_eq!(json(&env.sb(["show", &id, "--json"]).success())["assignee"], "ada", "its work stays its own");
}

#[test]
fn records_of_sessions_that_cannot_be() {
    let env = env();
    let mut ada = env.agent("ada");
    let record = env.read(env.home().join("sessions/ada.json"));
    env.write(env.home().join("sessions/broken.json"), "{");
    env.write(env.home().join("sessions/never.json"), record.replace("\"ada\"", "\"never\""));
    env.write(env.home().join("run/processes/notanumber"), "{}");
    let found = findings(&env, 1);
    assert_eq!(
        found,
        [
            "sessions problem fixable: ROOT/hóme of sb/sessions/broken.json cannot be read",
            "sessions problem fixable: session never has a charter, but the log does not know that it started",
            "sessions note fixable: ROOT/hóme of sb/run/processes/notanumber is of a process that is gone",
        ]
    );
    env.sb(["doctor", "--fix"]).success();
    assert_eq!(findings(&env, 0), [""; 0]);
    assert_eq!(env.files_below(env.home().join("quarantine/files")).len(), 3, "moved aside, not deleted");
    assert_eq!(json(&ada.sb(["context", "--json"]).success())["session"], "ada");
}

#[test]
fn somebody_holds_the_lock() {
    let env = story();
    env.new_ticket("One");
    let lock = std::fs::File::open(env.home().join("run/lock")).expect("the lock");
    lock.lock().expect("to lock it");
    let run = env.sb(["doctor"]).code(1);
    assert!(run.stdout.contains("another process has held the lock for 5 s"), "{run}");
    let known = run.stdout.contains(&format!("It is process {}.", std::process::id()));
    assert!(known || run.stdout.contains("When that ends, the lock is free."), "{run}");
    env.sb(["list"]).success().says("One");
    // Whoever must wait says for whom, and goes on when the lock is free.
    let mut waiting = env.command();
    let mut waiting =
        waiting.args(["new", "Two"]).stderr(std::process::Stdio::piped()).spawn().expect("start sb");
    let mut said = String::new();
    let mut stderr = std::io::BufReader::new(waiting.stderr.take().expect("stderr"));
    std::io::BufRead::read_line(&mut stderr, &mut said).expect("a line");
    // On a busy system the list of locks may not show who.
    let known = format!("Waiting for process {}, which holds the lock …\n", std::process::id());
    assert!(said == known || said == "Waiting for another sb, which holds the lock …\n", "{said}");
    drop(lock);
    assert!(waiting.wait().expect("wait").success());
    env.sb(["doctor"]).success();
}

/// What is sent with a bug report tells nobody what the tickets are about.
#[test]
fn a_bundle_has_no_secrets() {
    let mut env = env();
    let secret = "Xyzzy-4711";
    env.set("API_TOKEN", secret);
    let config = env.home().join("config.toml");
    let text = env.read(&config);
    env.write(&config, format!("# {secret}\n{text}"));
    let folder = env.root().join(secret);
    std::fs::create_dir(&folder).expect("a folder");
    env.sb_in(&folder, ["init"]).success();
    let id = env
        .sb([
            "new",
            secret,
            "--body",
            secret,
            "--tag",
            secret,
            "--accept",
            secret,
            "--branch",
            secret,
            "--initiative",
            secret,
        ])
        .success()
        .stdout;
    let id = id.trim();
    let mut agent = env.agent(secret);
    agent.sb(["pick", id]).success();
    agent.sb(["note", secret]).success();
    agent.sb(["release", "--outcome", "failed", "--summary", secret]).success();
    env.sb(["hold", id, secret]).success();
    env.edit(env.ticket_file(id), "status: blocked", &format!("status: {secret}"));
    append_to_log(&env, format!("\n{{\"note\":\"{secret}\"}}\n").as_bytes());
    std::fs::remove_dir(&folder).expect("the folder");
    let capability = agent.capability();
    drop(agent);
    let written = env.sb(["doctor", "--bundle", "report.json"]).success();
    let bundle = env.read(env.project().join("report.json"));
    assert!(!bundle.contains(secret) && !written.stderr.contains(secret), "{bundle}");
    let hash = env.read(env.home().join(format!("sessions/{secret}.json")));
    let hash = serde_json::from_str::<Value>(&hash).expect("JSON")["capability"]
        .as_str()
        .expect("a hash")
        .to_owned();
    let root = env.root().to_str().expect("UTF-8").to_owned();
    for private in [capability.as_str(), &hash, &root, "/home/", "/root"] {
        assert!(!bundle.contains(private), "{private} in {bundle}");
    }
    let bundle: Value = serde_json::from_str(&bundle).expect("JSON");
    assert_eq!(bundle["sb"], env!("CARGO_PKG_VERSION"));
    assert!(!bundle["findings"].as_array().expect("a list").is_empty());
    assert!(bundle["event_counts"].to_string().contains("note.added"));
    assert!(bundle["recent_events"]["rows"].to_string().contains(id));
    assert_eq!(mode(env.project().join("report.json")), 0o600);
    // Without a name, into the current directory.
    env.sb(["doctor", "--bundle"]).success().says("signalbox-bundle.json");
    assert_eq!(json(&env.sb(["doctor", "--json", "--bundle"]).success())["bundle"], "signalbox-bundle.json");
    assert!(env.project().join("signalbox-bundle.json").is_file());
}

/// A home that was copied without its `run` folder is a healthy home.
#[test]
fn a_missing_run_folder_is_made() {
    let env = story();
    env.new_ticket("One");
    std::fs::remove_dir_all(env.home().join("run")).expect("the folder");
    assert_eq!(env.sb(["doctor"]).success().stdout, "All is well.\n");
}

/// The index may know what a log that was cut has lost, so it is kept.
#[test]
fn an_index_that_knows_more_than_the_log_is_kept() {
    let env = story();
    env.new_ticket("One");
    env.sb(["list"]).success();
    env.write(env.log_file(), "");
    env.sb(["list"]).success().says("shorter than what was read of it before");
    let kept = env.files_below(env.home().join("quarantine/index"));
    assert_eq!(kept.len(), 1);
    assert!(String::from_utf8_lossy(&kept[0].1).contains("ticket.created"));
}
