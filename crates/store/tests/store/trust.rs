//! Which text of a contract is trusted, by what the log says.

use signalbox_core::{Agent, ProjectName, SessionId, Who};
use signalbox_store::trust::{self, State};
use signalbox_store::{Home, Index, Store, StoreError};

struct World {
    _folder: tempfile::TempDir,
    store: Store,
    project: ProjectName,
}

fn world() -> World {
    let folder = tempfile::tempdir().expect("a folder");
    let home = Home::new(folder.path().join("home"));
    let store = Store::new(home, folder.path().join("vault"));
    World { _folder: folder, store, project: ProjectName::parse("shop").expect("a name") }
}

impl World {
    fn index(&self) -> Index {
        self.store.read().expect("an index").0
    }

    fn state(&self, text: &str) -> State {
        trust::state(&self.index(), &self.project, text).expect("a state")
    }

    fn trust(&self, text: &str) {
        trust::trust(&self.store, &Who::Human, &self.project, text).expect("trust");
    }
}

#[test]
fn only_the_very_text_is_trusted() {
    let world = world();
    assert_eq!(world.state("a = 1\n"), State::Never);
    world.trust("a = 1\n");
    assert!(matches!(world.state("a = 1\n"), State::Trusted { .. }));
    for other in ["a = 1", "a = 2\n", "", "a = 1\n\n"] {
        assert!(matches!(world.state(other), State::Changed { .. }), "{other:?}");
    }
    let other = ProjectName::parse("other").expect("a name");
    assert_eq!(trust::state(&world.index(), &other, "a = 1\n").expect("a state"), State::Never);
    // A text that was trusted before is trusted still, until all is revoked.
    world.trust("a = 2\n");
    assert!(matches!(world.state("a = 1\n"), State::Trusted { .. }));
    let revoked = trust::revoke(&world.store, &Who::Human, &world.project).expect("revoke");
    assert_eq!(revoked.len(), 2);
    for text in ["a = 1\n", "a = 2\n"] {
        assert_eq!(world.state(text), State::Never);
    }
    assert!(trust::revoke(&world.store, &Who::Human, &world.project).expect("revoke").is_empty());
    world.trust("a = 2\n");
    assert!(matches!(world.state("a = 2\n"), State::Trusted { .. }));
    assert!(matches!(world.state("a = 1\n"), State::Changed { .. }));
}

#[test]
fn it_survives_a_lost_index() {
    let world = world();
    world.trust("a = 1\n");
    world.store.rebuild_index().expect("an index");
    assert!(matches!(world.state("a = 1\n"), State::Trusted { .. }));
    let listed = trust::trusted(&world.index(), None).expect("a list");
    assert_eq!((listed[0].text.as_str(), listed[0].by.as_str()), ("a = 1\n", "human"));
    assert_eq!(listed[0].hash, trust::hash("a = 1\n"));
}

#[test]
fn no_agent_trusts_or_distrusts() {
    let world = world();
    let session = SessionId::parse("s1").expect("an id");
    let agent = Who::Agent(Agent { name: "ada".to_owned(), session, lineage: Vec::new() });
    let refused = |result: Result<(), StoreError>| match result {
        Err(StoreError::Refused(refusal)) => refusal.code,
        other => panic!("{other:?}"),
    };
    assert_eq!(refused(trust::trust(&world.store, &agent, &world.project, "x").map(|_| ())), "human.only");
    world.trust("x");
    assert_eq!(refused(trust::revoke(&world.store, &agent, &world.project).map(|_| ())), "human.only");
    assert!(matches!(world.state("x"), State::Trusted { .. }));
}

#[test]
fn what_is_not_trusted_says_what_to_do() {
    let project = ProjectName::parse("shop").expect("a name");
    let refusal = State::Never.require(&project).expect_err("a refusal");
    assert_eq!(refusal.code, "trust.never");
    let since = jiff::Timestamp::UNIX_EPOCH;
    let refusal = State::Changed { since }.require(&project).expect_err("a refusal");
    assert!(refusal.message.contains("1970-01-01T00:00:00Z"), "{}", refusal.message);
    assert!(State::Trusted { since }.require(&project).is_ok());
}

/// The known value, so that nobody changes what a trusted text is known by.
#[test]
fn the_hash_is_sha_256() {
    assert_eq!(trust::hash("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}
