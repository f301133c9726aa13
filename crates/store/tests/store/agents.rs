//! Records of agents: unique ids, words that mean them, who lives.

use std::collections::BTreeSet;

use signalbox_core::AgentId;
use signalbox_store::agents::{self, Ended, Life, Record};
use signalbox_store::session::Registered;
use signalbox_store::{Home, clock};

#[test]
fn many_at_once_get_different_ids() {
    let folder = tempfile::tempdir().expect("a folder");
    let home = Home::new(folder.path());
    let start = || agents::register(&home, Record::new("claude", "claude", "/")).expect("register").id;
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
    let record = agents::register(&home, record).expect("register");
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
