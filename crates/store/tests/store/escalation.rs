//! The life of an escalation: events, files in three folders, and the tickets that wait.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use signalbox_core::escalation::{Escalation, Evidence, Hypothesis, Kind, Question, Reply, State};
use signalbox_core::{Agent, Changes, Command, NewTicket, ProjectName, SessionId, TicketId, Who};
use signalbox_store::escalation::{self, Done};
use signalbox_store::{Home, Index, Store, StoreError, files};

struct World {
    folder: tempfile::TempDir,
    store: Store,
    project: ProjectName,
}

fn world(tickets: u64) -> World {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::new(Home::new(folder.path().join("home")), folder.path().join("vault"));
    let project = ProjectName::parse("shop").expect("a name");
    for number in 0..tickets {
        let new = NewTicket::titled(ticket(number), project.clone(), format!("Ticket {number}"));
        store.execute(&Who::Human, &|_| Ok(Command::New(Box::new(new.clone())))).expect("a ticket");
    }
    World { folder, store, project }
}

fn ticket(number: u64) -> TicketId {
    TicketId::from_random(number)
}

fn agent() -> Who {
    let session = SessionId::parse("s1").expect("an id");
    Who::Agent(Agent { name: "ada".to_owned(), session, lineage: Vec::new() })
}

fn asks(question: &str, blocks: &[u64]) -> Question {
    Question {
        question: question.to_owned(),
        options: vec!["yes".to_owned(), "no".to_owned()],
        blocks: blocks.iter().map(|number| ticket(*number)).collect(),
        ..Question::default()
    }
}

impl World {
    fn index(&self) -> Index {
        self.store.read().expect("an index").0
    }

    fn raise(&self, asked: Question) -> Done {
        escalation::raise(&self.store, &Who::System, Some(&self.project), asked).expect("raised")
    }

    fn answer(&self, id: &str, words: &str) -> Done {
        let reply = Reply::Words(words.to_owned());
        escalation::answer(&self.store, &Who::Human, id, reply).expect("answered")
    }

    fn is_escalated(&self, number: u64) -> bool {
        self.index().ticket(&ticket(number)).expect("an index").expect("a ticket").escalated
    }

    /// What stands in the folders.
    fn on_disk(&self) -> BTreeMap<String, (State, Escalation)> {
        let mut found = BTreeMap::new();
        for state in State::ALL {
            let folder = self.folder.path().join("home/escalations").join(state.as_str());
            for name in files::names(&folder).expect("names") {
                let bytes = files::read_optional(&folder.join(&name)).expect("a file").expect("a file");
                let one: Escalation = serde_json::from_slice(&bytes).expect("JSON");
                let before = found.insert(one.id.clone(), (*state, one));
                assert_eq!(before, None, "{name} is in two folders");
            }
        }
        found
    }

    /// The files are what the log says.
    fn check_files(&self) {
        let book = escalation::book(&self.index()).expect("a book");
        let told: BTreeMap<String, (State, Escalation)> =
            book.iter().map(|one| (one.id.clone(), (one.state(), one.clone()))).collect();
        assert_eq!(self.on_disk(), told);
    }
}

fn code(result: Result<Done, StoreError>) -> &'static str {
    match result {
        Err(StoreError::Refused(refusal)) => refusal.code,
        other => panic!("{other:?}"),
    }
}

#[test]
fn raised_answered_and_told_to_the_next_one() {
    let world = world(2);
    let asked = Question {
        kind: Kind::RepeatedFailure,
        ticket: Some(ticket(0)),
        hypothesis: Some(Hypothesis::Hard),
        evidence: vec![Evidence {
            what: "attempt 3 by Ada".into(),
            text: "no such table".into(),
            event: None,
        }],
        key: Some("failed:0".into()),
        ..asks("Try again with more time?", &[1])
    };
    let raised = world.raise(asked.clone());
    assert_eq!((raised.escalation.state(), raised.changed, raised.tickets.len()), (State::Pending, true, 2));
    assert!(world.is_escalated(0) && world.is_escalated(1));
    let id = raised.escalation.id.as_str();
    assert_eq!(escalation::blocking(&world.index(), &ticket(1)).expect("ids"), [id]);
    world.check_files();

    // The same key again, though the words are others: the one that is there.
    let again = world.raise(Question { question: "Again?".into(), ..asked.clone() });
    assert_eq!((again.escalation.id.as_str(), again.changed), (id, false));
    assert_eq!(escalation::pending(&world.index()).expect("a list").len(), 1);

    let reply = Reply::Option(2);
    let done = escalation::answer(&world.store, &Who::Human, id, reply).expect("answered");
    let answer = done.escalation.answer.as_ref().expect("an answer");
    assert_eq!((answer.answer.as_str(), answer.option, answer.by.as_str()), ("no", Some(2), "human"));
    assert!(!world.is_escalated(0) && !world.is_escalated(1));
    for number in [0, 1] {
        let answers = escalation::answers_for(&world.index(), &ticket(number)).expect("answers");
        assert_eq!(answers, [("Try again with more time?".to_owned(), "no".to_owned())]);
    }
    assert!(escalation::blocking(&world.index(), &ticket(1)).expect("ids").is_empty());
    world.check_files();
    // Once it is answered, the key is free.
    assert!(world.raise(asked).changed);
}

#[test]
fn an_answer_releases_exactly_what_it_blocked() {
    let world = world(3);
    let one = world.raise(asks("One?", &[0, 1])).escalation.id;
    let two = world.raise(asks("Two?", &[1, 2])).escalation.id;
    let done = world.answer(&one, "yes");
    let released: Vec<&TicketId> = done.tickets.iter().map(|ticket| &ticket.id).collect();
    assert_eq!(released, [&ticket(0)]);
    assert_eq!([0, 1, 2].map(|number| world.is_escalated(number)), [false, true, true]);
    escalation::withdraw(&world.store, &Who::Human, &two, "it solved itself").expect("withdrawn");
    assert_eq!([0, 1, 2].map(|number| world.is_escalated(number)), [false, false, false]);
    world.check_files();
}

#[test]
fn drafts_and_suggestions_hold_up_nobody() {
    let world = world(1);
    let who = agent();
    let asked = Question { ticket: Some(ticket(0)), ..asks("Drop the cache?", &[]) };
    let draft = escalation::draft(&world.store, &who, None, asked.clone()).expect("drafted").escalation;
    assert_eq!((draft.state(), draft.actor.as_str(), world.is_escalated(0)), (State::Draft, "ada", false));
    escalation::promote(&world.store, &Who::Human, &draft.id).expect("promoted");
    assert!(world.is_escalated(0));
    assert!(!escalation::promote(&world.store, &Who::Human, &draft.id).expect("promoted").changed);
    world.answer(&draft.id, " Yes ");
    assert!(!world.is_escalated(0));
    let suggestion = Question { kind: Kind::Suggestion, ..asked.clone() };
    world.raise(suggestion);
    assert!(!world.is_escalated(0));
    // A draft can be answered as it is.
    let draft = escalation::draft(&world.store, &who, None, asked).expect("drafted").escalation;
    let done = world.answer(&draft.id, "no");
    assert_eq!((done.escalation.state(), done.tickets.len()), (State::Resolved, 0));
    world.check_files();
}

#[test]
fn only_a_human_decides() {
    let world = world(1);
    let (store, who) = (&world.store, agent());
    let id = world.raise(asks("One?", &[0])).escalation.id;
    assert_eq!(code(escalation::raise(store, &who, None, asks("Two?", &[0]))), "human.only");
    assert_eq!(code(escalation::promote(store, &who, &id)), "human.only");
    assert_eq!(code(escalation::answer(store, &who, &id, Reply::Option(1))), "human.only");
    assert_eq!(code(escalation::withdraw(store, &who, &id, "")), "human.only");
    assert!(world.is_escalated(0));
}

#[test]
fn what_cannot_be_is_refused() {
    let world = world(1);
    let store = &world.store;
    let answer = |id: &str, reply| code(escalation::answer(store, &Who::Human, id, reply));
    assert_eq!(answer("esc-0001", Reply::Option(1)), "escalation.unknown");
    assert_eq!(answer("nonsense", Reply::Option(1)), "escalation.unknown");
    let id = world.raise(asks("One?", &[0])).escalation.id;
    assert_eq!(answer(&id, Reply::Option(3)), "escalation.option");
    assert_eq!(answer(&id, Reply::Option(0)), "escalation.option");
    assert_eq!(answer(&id, Reply::Words(" \n".into())), "text.empty");
    assert_eq!(answer(&id, Reply::Words("x".repeat(70_000))), "escalation.too-long");
    assert_eq!(code(escalation::raise(store, &Who::Human, None, asks("Two?", &[7]))), "ticket.unknown");
    let proof = Evidence { what: "output".into(), text: "x".repeat(20_000), event: None };
    let long = Question { evidence: vec![proof], ..asks("Two?", &[]) };
    assert_eq!(code(escalation::draft(store, &Who::Human, None, long)), "escalation.too-long");
    world.answer(&id, "yes");
    assert_eq!(answer(&id, Reply::Option(2)), "escalation.resolved");
    assert_eq!(code(escalation::withdraw(store, &Who::Human, &id, "")), "escalation.resolved");
    world.check_files();
}

/// What was there before these events were is still read.
#[test]
fn a_draft_of_an_older_version() {
    let world = world(0);
    let data =
        serde_json::json!({ "escalation": "esc-0004", "kind": "whim", "question": "Old?", "options": [] });
    world.store.note_event(&Who::Human, "escalation.drafted", None, None, &data).expect("an event");
    let noise = serde_json::json!({ "escalation": 7 });
    for name in ["escalation.drafted", "escalation.answered", "escalation.later"] {
        world.store.note_event(&Who::Human, name, None, None, &noise).expect("an event");
    }
    let done = world.raise(asks("New?", &[]));
    assert_eq!(done.escalation.id, "esc-0005");
    assert_eq!(
        escalation::book(&world.index()).expect("a book").get("esc-0004").map(|one| one.asked.kind),
        Some(Kind::Other)
    );
    world.check_files();
}

/// Wherever its writer dies between the event and the file, the next one or a reader puts it right.
#[test]
fn a_file_that_is_missing_or_in_two_folders_is_put_right() {
    let world = world(1);
    let id = world.raise(asks("One?", &[0])).escalation.id;
    let home = world.folder.path().join("home/escalations");
    let pending = home.join(format!("pending/{id}.json"));
    let before = files::read_optional(&pending).expect("a file").expect("a file");
    world.answer(&id, "yes");
    // It died before the old file was taken away …
    files::write_new(&pending, &before, 0o600).expect("a file");
    escalation::heal(&world.store, &world.index()).expect("healed");
    world.check_files();
    // … or before the new one was written.
    files::rename(&home.join(format!("resolved/{id}.json")), &pending).expect("moved");
    world.raise(asks("Two?", &[]));
    world.check_files();
}

#[derive(Debug, Clone)]
enum Step {
    Draft(Vec<u64>),
    Raise(Vec<u64>, Option<u8>),
    Promote(u64),
    Answer(u64),
    Withdraw(u64),
    Rebuild,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let tickets = || proptest::collection::vec(0..4u64, 0..3);
    let id = || 1..6u64;
    let step = prop_oneof![
        tickets().prop_map(Step::Draft),
        (tickets(), proptest::option::of(0..2u8)).prop_map(|(tickets, key)| Step::Raise(tickets, key)),
        id().prop_map(Step::Promote),
        id().prop_map(Step::Answer),
        id().prop_map(Step::Withdraw),
        Just(Step::Rebuild),
    ];
    proptest::collection::vec(step, 1..14)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    /// A ticket waits if, and only if, something pending blocks it; files are what the log says; what is resolved stays.
    #[test]
    fn any_life(steps in steps()) {
        let world = world(4);
        let mut resolved: BTreeMap<String, Escalation> = BTreeMap::new();
        for step in steps {
            let store = &world.store;
            let id = |number: &u64| Escalation::id_of(*number);
            let done = match &step {
                Step::Draft(blocks) => escalation::draft(store, &agent(), None, asks("?", blocks)).map(drop),
                Step::Raise(blocks, key) => {
                    let key = key.map(|key| key.to_string());
                    escalation::raise(store, &Who::System, None, Question { key, ..asks("?", blocks) }).map(drop)
                }
                Step::Promote(number) => escalation::promote(store, &Who::Human, &id(number)).map(drop),
                Step::Answer(number) => escalation::answer(store, &Who::Human, &id(number), Reply::Option(1)).map(drop),
                Step::Withdraw(number) => escalation::withdraw(store, &Who::Human, &id(number), "").map(drop),
                Step::Rebuild => store.rebuild_index().map(drop),
            };
            if let Err(error) = done {
                prop_assert!(matches!(error, StoreError::Refused(_)), "{step:?}: {error:?}");
            }
            let book = escalation::book(&world.index()).expect("a book");
            let blocked: BTreeSet<TicketId> = book.pending().flat_map(|one| one.asked.blocked()).collect();
            for number in 0..4 {
                prop_assert_eq!(world.is_escalated(number), blocked.contains(&ticket(number)), "{:?} after {:?}", number, &step);
            }
            let keys: Vec<&String> = book.pending().filter_map(|one| one.asked.key.as_ref()).collect();
            prop_assert_eq!(keys.iter().collect::<BTreeSet<_>>().len(), keys.len());
            for one in book.iter().filter(|one| one.state() == State::Resolved) {
                let before = resolved.entry(one.id.clone()).or_insert_with(|| one.clone());
                prop_assert_eq!(&*before, one);
            }
            world.check_files();
        }
    }
}

/// A person who frees a ticket by hand has the last word, and an answer later changes nothing about it.
#[test]
fn freed_by_hand() {
    let world = world(1);
    let id = world.raise(asks("One?", &[0])).escalation.id;
    let changes = Changes { escalated: Some(false), ..Changes::default() };
    let edit = Command::Edit { id: ticket(0), changes: Box::new(changes) };
    world.store.execute(&Who::Human, &|_| Ok(edit.clone())).expect("edited");
    assert!(!world.is_escalated(0));
    assert!(world.answer(&id, "yes").tickets.is_empty());
}
