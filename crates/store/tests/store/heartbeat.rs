//! The heartbeat: it puts in order what dead processes left, once, and keeps still while nothing changes.

use signalbox_core::inject::Injection;
use signalbox_core::{AgentId, Command, NewTicket, ProjectName, SessionId, TicketId, Who};
use signalbox_store::agents::{self, Life, Record};
use signalbox_store::heartbeat::{Ask, Beat, Change, beat};
use signalbox_store::log::{EventLog, Item, Position, Tail};
use signalbox_store::outbox::Outbox;
use signalbox_store::session::{self, Registered, Session};
use signalbox_store::{Home, Store, clock, new_event_id};

const GONE: Registered = Registered { pid: u32::MAX, started: 1 };

fn store(root: &std::path::Path) -> Store {
    let home = Home::new(root);
    let vault = home.default_vault();
    Store::new(home, vault)
}

#[track_caller]
fn changed(store: &Store) -> Change {
    match beat(store, Ask::IfChanged).expect("a beat") {
        Beat::Changed(change) => change,
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn assert_still(store: &Store) {
    let now = beat(store, Ask::IfChanged).expect("a beat");
    assert!(matches!(now, Beat::Unchanged), "{now:?}");
}

fn events(store: &Store) -> Vec<String> {
    let mut names = Vec::new();
    store
        .log()
        .read_after(&Position::default(), Tail::Live, &mut |_, item| {
            if let Item::Event(event) = item {
                names.push(event.event);
            }
        })
        .expect("the log");
    names
}

fn agent(home: &Home, wrapper: Option<Registered>) -> AgentId {
    let record =
        agents::register(home, Record::new("claude", "claude", "/")).expect("register").expect("a free name");
    if wrapper.is_some() {
        agents::update(home, &record.id, |record| record.wrapper = wrapper).expect("update");
    }
    record.id
}

fn started(home: &Home, id: &str, process: Option<Registered>) -> Session {
    let id = SessionId::parse(id).expect("an id");
    let (_, capability) = session::mint(&id);
    let here = Record::new("claude", "claude", "/");
    let session = Session {
        capability,
        process: process.or(here.wrapper),
        confined_to: here.confined_to,
        ..Session::unstarted(id, ProjectName::untracked())
    };
    session::save(home, &session).expect("save");
    session
}

#[test]
fn what_the_dead_left_is_put_in_order_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = store(folder.path());
    let home = store.home();
    changed(&store).finish(home).expect("finish");
    assert_still(&store);
    assert_eq!(events(&store), [""; 0], "a heartbeat that does nothing writes nothing");

    let (lives, vanished) = (agent(home, None), agent(home, Some(GONE)));
    for id in [&lives, &vanished] {
        let message = Injection::new(new_event_id(), "hello", "human", clock::now()).expect("a message");
        Outbox::new(home, id).enqueue(&Who::Human, message, clock::now()).expect("enqueue");
    }
    let here = started(home, "here", None);
    let gone = started(home, "gone", Some(GONE));
    let below = SessionId::parse("below").expect("an id");
    let subagent = Session {
        subagent: Some("explorer".to_owned()),
        lineage: vec![gone.id.clone()],
        process: None,
        capability: "x".to_owned(),
        ..Session::unstarted(below.clone(), ProjectName::untracked())
    };
    session::save(home, &subagent).expect("save");
    let prepared = Session::unstarted(SessionId::parse("later").expect("an id"), ProjectName::untracked());
    session::save(home, &prepared).expect("save");

    let change = changed(&store);
    assert_eq!(change.agents, std::slice::from_ref(&vanished));
    assert_eq!(change.messages.len(), 1);
    let mut ended = change.sessions.clone();
    ended.sort();
    assert_eq!(ended, [below.clone(), gone.id.clone()]);
    // Another one keeps out of the way meanwhile.
    assert!(matches!(beat(&store, Ask::Always).expect("a beat"), Beat::Busy));
    change.finish(home).expect("finish");
    assert_still(&store);

    let load = |id: &SessionId| session::load(home, id).expect("load").expect("a session");
    assert!(load(&gone.id).ended.is_some() && load(&below).ended.is_some());
    assert!(load(&here.id).ended.is_none() && load(&prepared.id).ended.is_none());
    let life = |id: &AgentId| agents::load(home, id).expect("load").map(|record| record.life());
    assert_eq!((life(&lives), life(&vanished)), (Some(Life::Runs), Some(Life::Ended)));
    let waiting = |id: &AgentId| Outbox::new(home, id).waiting().expect("waiting").len();
    assert_eq!((waiting(&lives), waiting(&vanished)), (1, 0));
    let names = events(&store);
    let count = |name: &str| names.iter().filter(|event| *event == name).count();
    assert_eq!(count("session.ended"), 2, "{names:?}");
    assert_eq!(count("agent.exited"), 1, "{names:?}");
    assert_eq!(count("inject.failed"), 1, "{names:?}");
    assert_eq!(count("heartbeat.cleaned"), 1, "{names:?}");
    assert!(session::dead_processes(home).expect("processes").is_empty());

    // By force there is nothing left to do either.
    let Beat::Changed(again) = beat(&store, Ask::Always).expect("a beat") else { panic!("not forced") };
    assert!(again.is_clean());
    assert_eq!(events(&store).len(), names.len());
}

#[test]
fn what_is_not_finished_is_called_for_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = store(folder.path());
    changed(&store).finish(store.home()).expect("finish");
    let new = NewTicket::titled(TicketId::from_random(1), ProjectName::untracked(), "Fix login");
    store.execute(&Who::Human, &|_| Ok(Command::New(Box::new(new.clone())))).expect("a ticket");
    let first = changed(&store).fingerprint;
    let second = changed(&store);
    assert_eq!(second.fingerprint, first);
    second.finish(store.home()).expect("finish");
    assert_still(&store);
    // What cannot be read was never written.
    signalbox_store::files::replace(&store.home().heartbeat(), b"{", 0o600).expect("spoil it");
    assert_eq!(changed(&store).fingerprint, first);
}
