//! Records of agents: unique ids, words that mean them, who lives.

use std::collections::BTreeSet;

use signalbox_core::{AgentId, ProjectName, SessionId};
use signalbox_store::agents::{self, Ended, Life, Record};
use signalbox_store::config::Config;
use signalbox_store::process::Process;
use signalbox_store::session::{Registered, Session};
use signalbox_store::{Home, Store, clock, doctor, process, session};

fn register(home: &Home, record: Record) -> Record {
    agents::register(home, record).expect("register").expect("a name that is free")
}

#[test]
fn a_name_is_free_once_nobody_who_lives_has_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let home = Home::new(folder.path());
    let named = |name: &str| Record { name: Some(name.to_owned()), ..Record::new("codex", "codex", "/") };
    let first = register(&home, named("Ada"));
    let refused = |name: &str| {
        let refusal = agents::register(&home, named(name)).expect("register").expect_err("refused");
        (refusal.code, refusal.hint.unwrap_or_default())
    };
    assert_eq!(refused("ada").0, "agent.name-taken");
    assert!(refused("ada").1.contains(&format!("sb agent stop {}", first.id)), "{:?}", refused("ada"));
    assert_eq!(refused(first.id.as_str()).0, "agent.name-taken");
    let long = "x".repeat(65);
    for wrong in ["", " ", "two words", "-x", "a/b", "a\u{1b}[2J", &long] {
        assert_eq!(refused(wrong).0, "agent.name", "{wrong:?}");
    }
    for right in ["größe", "a.b-c_9", "_", &"x".repeat(64)] {
        register(&home, named(right));
    }
    let ended = Ended { at: clock::now(), code: Some(0), signal: None };
    agents::update(&home, &first.id, |record| record.ended = Some(ended)).expect("update");
    register(&home, named("Ada"));
}

#[test]
fn many_at_once_get_different_ids() {
    let folder = tempfile::tempdir().expect("a folder");
    let home = Home::new(folder.path());
    let start = || register(&home, Record::new("claude", "claude", "/")).id;
    let ids: Vec<AgentId> = std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..8).map(|_| scope.spawn(|| (0..5).map(|_| start()).collect::<Vec<_>>())).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("a thread")).collect()
    });
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), 40);
    assert_eq!(agents::all(&home).expect("all").len(), 40);
    assert!(ids.iter().all(|id| id.as_str().starts_with("claude-") && id.as_str().len() == 11), "{ids:?}");
}

#[test]
fn a_record_tells_who_lives_and_keeps_what_it_does_not_know() {
    let folder = tempfile::tempdir().expect("a folder");
    let home = Home::new(folder.path());
    let mut record = Record::new("codex", "/bin/codex", "/tmp");
    record.name = Some("Ada".to_owned());
    let record = register(&home, record);
    assert_eq!(record.life(), Life::Runs);
    assert_eq!(agents::find(&home, "ada").expect("find").map(|found| found.id), Ok(record.id.clone()));
    assert_eq!(agents::find(&home, "codex").expect("find").map(|found| found.id), Ok(record.id.clone()));
    let unknown = agents::find(&home, "adaa").expect("find").map_err(|refusal| refusal.hint);
    assert_eq!(unknown, Err(Some("Did you mean `Ada`?".to_owned())));

    let path = home.agents().join(format!("{}.json", record.id));
    let text = std::fs::read_to_string(&path).expect("the record");
    let newer = text.replacen('{', "{\n  \"from_later\": [1, 2],", 1);
    signalbox_store::files::replace(&path, newer.as_bytes(), 0o600).expect("write");
    let gone = Registered { pid: u32::MAX, started: 1 };
    let changed = agents::update(&home, &record.id, |record| record.wrapper = Some(gone)).expect("update");
    assert_eq!(changed.map(|record| record.life()), Some(Life::Vanished));
    agents::update(&home, &record.id, |record| {
        record.ended = Some(Ended { at: clock::now(), code: Some(3), signal: None });
    })
    .expect("update");
    let record = agents::load(&home, &record.id).expect("load").expect("a record");
    assert_eq!(record.life(), Life::Ended);
    assert_eq!(record.other["from_later"], serde_json::json!([1, 2]));

    signalbox_store::files::replace(&path, b"{", 0o600).expect("spoil it");
    assert_eq!(agents::load(&home, &record.id).expect("load"), None);
    agents::remove(&home, &record.id).expect("remove");
    assert_eq!(agents::update(&home, &record.id, |_| {}).expect("update"), None);
}

#[test]
fn the_doctor_finds_what_was_left() {
    let folder = tempfile::tempdir().expect("a folder");
    let home = Home::new(folder.path());
    home.prepare().expect("prepare");
    let mut vanished = Record::new("claude", "claude", "/");
    vanished.wrapper = Some(Registered { pid: u32::MAX, started: 1 });
    let vanished = register(&home, vanished).id;
    let broken = home.agents().join("codex-2222.json");
    signalbox_store::files::replace(&broken, b"{", 0o600).expect("write");
    let outbox = home.outbox().join(vanished.as_str());
    signalbox_store::files::create_private_dir(&outbox).expect("a folder");
    let waiting = r#"{"id":"01J00000000000000000000000","text":"x","ttl_seconds":9,"queued_at":"2026-11-15T10:00:00Z","from":"human"}"#;
    // Where processes cannot all be seen, the name says where this one can be.
    let place = signalbox_store::process::confined_to().map_or_else(String::new, |name| {
        format!("@{}", name.chars().filter(char::is_ascii_digit).collect::<String>())
    });
    let taken = outbox.join(format!("01J00000000000000000000000.taken.{}-1{place}", u32::MAX));
    signalbox_store::files::replace(&taken, waiting.as_bytes(), 0o600).expect("write");

    let store = Store::new(home.clone(), folder.path().join("vault"));
    let examine = || -> Vec<(String, bool)> {
        let findings = doctor::examine(&store, &Config::default()).expect("examine");
        findings.into_iter().filter(|f| f.check == "agents").map(|f| (f.what, f.fixable)).collect()
    };
    let found = examine();
    assert_eq!(found.len(), 3, "{found:?}");
    assert!(found.contains(&(format!("{} cannot be read", broken.display()), true)), "{found:?}");
    assert!(
        found.contains(&(format!("agent {vanished} is gone, and nobody saw its end"), false)),
        "{found:?}"
    );
    assert!(found.iter().any(|(what, _)| what.contains("which is gone")), "{found:?}");
    doctor::fix(&store, &doctor::Repair::RemoveRecord(broken)).expect("fix");
    assert_eq!(examine().len(), 2);
}

#[test]
fn a_process_that_is_somebody_stays_that_whoever_comes_late() {
    let folder = tempfile::tempdir().expect("a folder");
    let home = Home::new(folder.path());
    home.prepare().expect("a home");
    let session = |id: &str, started: u64| Session {
        process: Some(Registered { pid: 4_000_000, started }),
        ..Session::unstarted(SessionId::parse(id).expect("an id"), ProjectName::untracked())
    };
    let process = |started: u64| Process {
        pid: 4_000_000,
        started,
        ..process::process(std::process::id()).expect("us")
    };
    let whose = |started: u64| {
        session::of_process(&home, &process(started)).expect("readable").map(|id| id.to_string())
    };
    session::save(&home, &session("conversation", 7)).expect("saved");
    session::save_if_free(&home, &session("agent", 7)).expect("no trouble");
    assert_eq!(whose(7).as_deref(), Some("conversation"));
    assert_eq!(session::load(&home, &SessionId::parse("agent").expect("an id")).expect("readable"), None);
    session::save_if_free(&home, &session("agent", 8)).expect("saved");
    assert_eq!(whose(8).as_deref(), Some("agent"), "another process has the number now");
    assert_eq!(whose(7), None);
}
