//! Random histories through the real store: at every end, markdown, index and log say the same.

use proptest::prelude::*;
use signalbox_core::{
    Agent, Changes, Command, NewTicket, Priority, ProjectName, SessionId, Status, TicketId, Who,
};
use signalbox_store::config::Config;
use signalbox_store::doctor::{self, Severity};
use signalbox_store::index::{Filter, Found};
use signalbox_store::{Home, Index, Store, StoreError};

#[derive(Debug, Clone)]
enum Step {
    New { depends_on: Option<u8>, text: String },
    Act { ticket: u8, action: u8, text: String },
    DeleteIndex,
    EditBody(u8),
    DeleteFile(u8),
}

fn step() -> impl Strategy<Value = Step> {
    let text =
        prop_oneof!["[ -~]{0,40}", "(\\PC|\n|\u{1b}){0,30}", Just("## Approved — now\n---\n".to_owned())];
    prop_oneof![
        2 => (proptest::option::of(any::<u8>()), text.clone()).prop_map(|(depends_on, text)| Step::New { depends_on, text }),
        10 => (any::<u8>(), any::<u8>(), text).prop_map(|(ticket, action, text)| Step::Act { ticket, action, text }),
        1 => Just(Step::DeleteIndex),
        1 => any::<u8>().prop_map(Step::EditBody),
        1 => any::<u8>().prop_map(Step::DeleteFile),
    ]
}

fn who(number: u8) -> Who {
    match number % 4 {
        0 => Who::Human,
        n => Who::Agent(Agent {
            name: format!("agent-{n}"),
            session: SessionId::parse(&format!("session-{n}")).expect("a session"),
            lineage: if n == 3 {
                vec![SessionId::parse("session-2").expect("a session")]
            } else {
                Vec::new()
            },
        }),
    }
}

fn command(action: u8, id: &TicketId, other: &TicketId, text: &str) -> Command {
    let id = id.clone();
    let text = text.to_owned();
    match action % 14 {
        0 | 1 => Command::Pick { id },
        2 => Command::Note { id, text },
        3 => Command::Submit { id, note: Some(text), handed: None },
        4 => Command::Review { id },
        5 => Command::Approve { id, note: None },
        6 => Command::Reject { id, reason: text },
        7 => Command::Hold { id, reason: text },
        8 => Command::Unhold { id, note: None },
        9 => Command::Override { id, to: Status::ALL[usize::from(action / 14) % 6], reason: text },
        10 => Command::Reopen { id, reason: text },
        11 => Command::Release { id, reason: text, report: None },
        12 => Command::Close { id, note: Some(text) },
        _ => {
            let changes = Changes {
                title: Some(text.clone()),
                priority: Some(Priority::ALL[usize::from(action / 14) % 6]),
                add_depends_on: vec![other.clone()],
                add_tags: vec![text],
                ..Changes::default()
            };
            Command::Edit { id, changes: Box::new(changes) }
        }
    }
}

fn run(steps: &[Step]) {
    let folder = tempfile::tempdir().expect("a folder");
    let home = Home::new(folder.path().join("home"));
    let store = Store::new(home, folder.path().join("vault"));
    let mut ids: Vec<TicketId> = Vec::new();
    let mut prose = Vec::new();
    for (n, step) in (0u64..).zip(steps) {
        let pick = |number: &u8| ids.get(usize::from(*number) % ids.len().max(1)).cloned();
        match step {
            Step::New { depends_on, text } => {
                let id = TicketId::from_random(n);
                let mut new = NewTicket::titled(
                    id.clone(),
                    ProjectName::parse("shop").expect("a name"),
                    format!("t {text}"),
                );
                new.depends_on = depends_on.as_ref().and_then(pick).into_iter().collect();
                new.body.clone_from(text);
                execute(&store, &Who::Human, &Command::New(Box::new(new)));
                if store.read().expect("read").0.ticket(&id).expect("ticket").is_some() {
                    ids.push(id);
                }
            }
            Step::Act { ticket, action, text } => {
                if let (Some(id), Some(other)) = (pick(ticket), pick(&ticket.wrapping_mul(7))) {
                    execute(&store, &who(ticket / 3), &command(*action, &id, &other, text));
                }
            }
            Step::DeleteIndex => Index::delete(&store.home().index()),
            Step::EditBody(number) => {
                if let Some(ticket) =
                    pick(number).and_then(|id| store.read().expect("read").0.ticket(&id).expect("ticket"))
                {
                    let path = store.vault().path(&ticket);
                    if let Ok(mut text) = std::fs::read_to_string(&path) {
                        let line = format!("a person's line {n}");
                        text.push_str(&format!("\n{line}"));
                        std::fs::OpenOptions::new()
                            .write(true)
                            .open(&path)
                            .and_then(|mut file| std::io::Write::write_all(&mut file, text.as_bytes()))
                            .expect("edit");
                        prose.push((path, line));
                    }
                }
            }
            Step::DeleteFile(number) => {
                if let Some(ticket) =
                    pick(number).and_then(|id| store.read().expect("read").0.ticket(&id).expect("ticket"))
                {
                    let path = store.vault().path(&ticket);
                    let _ = std::fs::remove_file(&path);
                    prose.retain(|(edited, _)| *edited != path);
                    // As `sb doctor --fix` would.
                    store
                        .vault()
                        .update(&ticket, &store.read().expect("read").0.changes(&ticket.id).expect("changes"))
                        .expect("update");
                }
            }
        }
    }
    check(&store, &prose);
}

fn execute(store: &Store, who: &Who, command: &Command) {
    match store.execute(who, &|_| Ok(command.clone())) {
        Ok(_) | Err(StoreError::Refused(_)) => {}
        Err(error) => panic!("{command:?}: {error}"),
    }
}

fn check(store: &Store, prose: &[(std::path::PathBuf, String)]) {
    // The doctor folds the log on its own and compares index and files with it.
    let problems: Vec<_> = doctor::examine(store, &Config::default())
        .expect("examine")
        .into_iter()
        .filter(|finding| finding.severity == Severity::Problem)
        .map(|finding| finding.what)
        .collect();
    assert_eq!(problems, Vec::<String>::new());
    for (path, line) in prose {
        assert!(
            std::fs::read_to_string(path).expect("the file").contains(line),
            "{line} is gone from {}",
            path.display()
        );
    }
    // A rebuild says the same, byte for byte.
    let dump = |store: &Store| {
        let (index, _) = store.read().expect("read");
        let sql = "SELECT * FROM states ORDER BY ticket";
        let events = "SELECT * FROM events ORDER BY seq";
        (
            index.query(sql, None, None).expect("query"),
            index.query(events, None, None).expect("query"),
            index.list(&Filter::default()).expect("list"),
        )
    };
    let files = || -> Vec<(std::path::PathBuf, Vec<u8>)> {
        let found = store.vault().files().expect("files");
        found.into_iter().map(|(path, _)| (path.clone(), std::fs::read(path).expect("read"))).collect()
    };
    let (before, files_before) = (dump(store), files());
    store.rebuild_index().expect("rebuild");
    assert_eq!(before, dump(store));
    assert_eq!(files_before, files());
    // And the files that nobody edited come back the same from nothing.
    let edited: Vec<_> = prose.iter().map(|(path, _)| path).collect();
    for (path, _) in files_before.iter().filter(|(path, _)| !edited.contains(&path)) {
        std::fs::remove_file(path).expect("remove");
    }
    store.rebuild_index().expect("rebuild");
    assert_eq!(files_before, files());
}

/// `sb new` gives no such ids, but the log of another machine may have them.
#[test]
fn two_tickets_whose_ids_differ_in_case_alone_are_both_listed() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::new(Home::new(folder.path().join("home")), folder.path().join("vault"));
    let ids = ["sb_A00000", "sb_a00000"].map(|id| TicketId::parse(id).expect("an id"));
    for id in &ids {
        let project = ProjectName::parse("shop").expect("a name");
        let new = NewTicket::titled(id.clone(), project, id.to_string());
        execute(&store, &Who::Human, &Command::New(Box::new(new)));
    }
    let (index, _) = store.read().expect("read");
    let listed = index.tickets(&Filter::default()).expect("list");
    assert_eq!(listed.iter().map(|ticket| &ticket.id).collect::<Vec<_>>(), ids.iter().collect::<Vec<_>>());
    for id in &ids {
        assert_eq!(index.find(id.as_str()).expect("find"), Found::One(id.clone()));
    }
    assert!(!index.is_free(&TicketId::parse("sb_a00000").expect("an id")).expect("look"));
    check(&store, &[]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, max_shrink_iters: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn markdown_index_and_log_agree(steps in proptest::collection::vec(step(), 1..40)) {
        run(&steps);
    }
}
