//! A log with a hole folds to the best that the rest tells.

use std::fmt::Write as _;

use signalbox_core::work::Tests;
use signalbox_core::{
    AttemptReport, Board, CATALOG, Command, Draft, Ending, Event, Fact, MergeStep, Outcome, Role, Status,
    TicketId, Who,
};

use crate::world::*;

const HUMAN: Who = Who::Human;

/// A log with every kind of ticket event in it, over four tickets that wait for each other.
fn long_story() -> World {
    let (doer, judge) = (agent("doer", &[]), agent("judge", &[]));
    let mut world = World::default();
    let report = AttemptReport::new(Outcome::Failed, "It did not work.");
    let give_up = Command::Release { id: id('a'), reason: String::new(), report: Some(report) };
    let with_criterion =
        signalbox_core::NewTicket { acceptance: vec!["It is fast.".to_owned()], ..blank('a') };
    let backlog = signalbox_core::NewTicket { backlog: true, ..blank('d') };
    let story = [
        (&HUMAN, Command::New(Box::new(with_criterion))),
        (&HUMAN, new('b')),
        (&doer, new_after('c', "ab")),
        (&HUMAN, Command::New(Box::new(backlog))),
        (&HUMAN, assign('a', "doer")),
        (&doer, pick('a')),
        (&doer, give_up),
        (&doer, pick('a')),
        (&doer, check('a', 1)),
        (&doer, note('a')),
        (&HUMAN, hold('a')),
        (&HUMAN, unhold('a')),
        (&doer, submit('a')),
        (&judge, review('a')),
        (&judge, release('a')),
        (&judge, reject('a')),
        (&doer, pick('a')),
        (&doer, submit('a')),
        (&judge, approve('a')),
        (&HUMAN, override_to('c', Status::InProgress)),
        (&HUMAN, override_to('d', Status::Open)),
        (&HUMAN, override_to('d', Status::Backlog)),
        (&doer, retitle('d', "Better words")),
        (&HUMAN, depend('d', "a")),
        (&HUMAN, reopen('a')),
    ];
    for (who, command) in &story {
        world.ok(who, command);
    }
    to_main(&mut world, 'b');
    world.ok(&HUMAN, &reopen('b'));
    world.ok(&HUMAN, &close('b'));
    world.read(&agent("reader", &[]), 'd');
    world
}

/// Tests, a first try that does not get to main, and one that does, after main went past it at a remote.
fn to_main(world: &mut World, letter: char) {
    let (system, ada, bowie) = (Who::System, agent("Ada", &[]), agent("Bowie", &[]));
    let tests = Tests { commit: "t1".to_owned(), files: vec!["tests/it.rs".to_owned()] };
    let failed = merge_failed("c1", 1);
    for (who, command) in [
        (&system, start(letter, "Ada", Role::TestWriter)),
        (&ada, hand_in(letter, "t1")),
        (&system, end_attempt(letter, Outcome::Completed, Ending::TestsReady(tests))),
        (&system, start(letter, "Bowie", Role::Doer)),
        (&bowie, hand_in(letter, "c1")),
        (&system, end_attempt(letter, Outcome::Completed, Ending::Submitted)),
        (&system, Command::Queue { id: id(letter) }),
        (&system, merge(letter, started("c1", 1))),
        (&system, merge(letter, MergeStep::Failed(failed))),
        (&system, start(letter, "Bowie", Role::Doer)),
        (&bowie, hand_in(letter, "c2")),
        (&system, end_attempt(letter, Outcome::Completed, Ending::Submitted)),
        (&system, Command::Queue { id: id(letter) }),
        (&system, merge(letter, started("c2", 2))),
        (&system, merge(letter, validated("c2", 2))),
        (&system, merge(letter, pushed("c2", 2))),
        (&system, merge(letter, MergeStep::Back { run: 2 })),
        (&system, merge(letter, started("c2", 3))),
        (&system, merge(letter, validated("c2", 3))),
        (&system, merge(letter, landing("c2", 3))),
        (&system, merge(letter, landed("c2", 3))),
    ] {
        world.ok(who, &command);
    }
    assert_eq!(world.ticket(letter).status, Status::Done);
}

#[test]
fn the_long_story_has_every_ticket_event() {
    let story = long_story();
    let of_tickets = |name: &str| {
        let kinds = ["ticket.", "status.", "note.", "review.", "attempt.", "merge."];
        // What a person put on main is no ticket's.
        name != "merge.adopted" && kinds.iter().any(|kind| name.starts_with(kind))
    };
    let missing: Vec<_> = CATALOG
        .iter()
        .map(|doc| doc.name)
        .filter(|name| of_tickets(name) && !story.events.iter().any(|event| event.event == *name))
        .collect();
    assert_eq!(missing, [""; 0]);
}

fn without(events: &[Event], at: usize) -> Board {
    fold(events[..at].iter().chain(&events[at + 1..]))
}

fn others<'a>(board: &'a Board, id: &TicketId) -> Vec<&'a signalbox_core::Ticket> {
    board.tickets().filter(|ticket| ticket.id != *id).collect()
}

#[test]
fn one_lost_event_harms_only_its_own_ticket() {
    let story = long_story();
    for (at, lost) in story.events.iter().enumerate() {
        let board = without(&story.events, at);
        let harmed = lost.ticket.as_ref().unwrap();
        assert_eq!(others(&board, harmed), others(&story.board, harmed), "without {} at {at}", lost.event);
        assert!(board.ticket(harmed).is_some(), "without {} at {at}", lost.event);
    }
}

/// Whatever is asked of a board with a hole in it gets an answer, and soon.
#[test]
fn a_harmed_board_still_takes_commands() {
    let story = long_story();
    for at in 0..story.events.len() {
        let board = without(&story.events, at);
        for letter in ['a', 'b', 'c', 'd'] {
            for command in [
                pick(letter),
                submit(letter),
                release(letter),
                approve(letter),
                reject(letter),
                unassign(letter),
                hold(letter),
                unhold(letter),
                override_to(letter, Status::Open),
                close(letter),
                reopen(letter),
            ] {
                for who in [HUMAN, agent("doer", &[]), agent("judge", &[])] {
                    let mut world = World { board: board.clone(), events: story.events.clone() };
                    if world.run(&who, &command).is_ok() && world.status(letter) != Status::Blocked {
                        assert_eq!(world.ticket(letter).prior_status, None, "{command:?} without event {at}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_ticket_outlives_the_record_of_its_creation() {
    let story = long_story();
    let board = without(&story.events, 0);
    let (salvaged, whole) = (board.ticket(&id('a')).unwrap(), story.ticket('a'));
    assert_eq!(salvaged.title, "sb_aaaaaa (its creation record is damaged)");
    assert_eq!(salvaged.project, whole.project);
    assert_eq!((salvaged.status, &salvaged.assignee), (whole.status, &whole.assignee));
    assert_eq!((salvaged.attempts.len(), salvaged.rev), (whole.attempts.len(), whole.rev - 1));
}

#[test]
fn a_lost_ticket_counts_as_not_done() {
    let mut world = World::default();
    world.file("ab");
    world.ok(&HUMAN, &depend('b', "a"));
    world.board = fold(world.events.iter().filter(|event| event.ticket != Some(id('a'))));
    world.ok(&HUMAN, &note('b'));
    assert_eq!(world.statuses("b"), "blocked");
    world.ok(&HUMAN, &undepend('b', "a"));
    assert_eq!(world.statuses("b"), "open");
}

/// An event of ticket `a` with a name and data of one's choice.
fn forged(name: &str, data: &str) -> Event {
    let draft = Draft {
        ticket: id('a'),
        project: signalbox_core::ProjectName::untracked(),
        by: HUMAN,
        fact: Fact::Read,
    };
    let mut line = serde_json::to_value(stamp(&draft, 99)).unwrap();
    line["event"] = name.into();
    line["data"] = serde_json::from_str(data).unwrap();
    serde_json::from_str(&line.to_string()).unwrap()
}

#[test]
fn events_of_another_version_are_passed_over() {
    let mut world = long_story();
    let before = world.board.clone();
    for name in ["ticket.teleported", "status.limbo", "status.", "Status.done", "session.started", "x", ""] {
        world.board.apply(&forged(name, r#"{"from":"open","cause":"work"}"#)).unwrap();
    }
    assert_eq!(world.board, before);
    // A known name with more in it than this version knows is still read.
    world.board.apply(&forged("note.added", r#"{"text":"Hello.","mood":"good"}"#)).unwrap();
    assert_eq!(world.ticket('a').rev, before.ticket(&id('a')).unwrap().rev + 1);
}

#[test]
fn data_that_makes_no_sense_is_an_error_and_changes_nothing() {
    let mut world = long_story();
    let before = world.board.clone();
    for (name, data) in [
        ("ticket.created", "{}"),
        ("note.added", r#"{"text":7}"#),
        ("status.done", "{}"),
        ("status.done", r#"{"from":"limbo","cause":"work"}"#),
        ("ticket.edited", r#"{"depends_on":["nonsense"]}"#),
        ("ticket.checked", r#"{"criterion":-1,"met":true}"#),
    ] {
        assert!(world.board.apply(&forged(name, data)).is_err(), "{name} {data}");
    }
    assert_eq!(world.board, before);
    world.board.apply(&forged("ticket.checked", r#"{"criterion":0,"met":true}"#)).unwrap();
    world.board.apply(&forged("ticket.checked", r#"{"criterion":99,"met":true}"#)).unwrap();
}

/// Were `blocked` taken for the status to go back to, unblocking would never come to an end.
#[test]
fn a_ticket_blocked_twice_goes_back_to_where_it_first_was() {
    let mut world = World::default();
    world.file("a");
    world.ok(&HUMAN, &hold('a'));
    world.board.apply(&forged("status.blocked", r#"{"from":"blocked","cause":"hold"}"#)).unwrap();
    world.ok(&HUMAN, &unhold('a'));
    assert_eq!(world.statuses("a"), "open");
}

#[test]
fn a_ring_of_dependencies_in_the_log_ends_every_walk() {
    let mut world = World::default();
    world.file("ab");
    world.ok(&HUMAN, &depend('b', "a"));
    world.board.apply(&forged("ticket.edited", r#"{"depends_on":["sb_bbbbbb","sb_aaaaaa"]}"#)).unwrap();
    let mut tree = String::new();
    for (depth, id) in signalbox_core::dependency_tree(&world.board, &id('a')) {
        write!(tree, "{depth}{} ", id.as_str().chars().last().unwrap()).unwrap();
    }
    assert_eq!(tree, "0b 1a 2b 2a 0a ");
    assert_eq!(world.code(&HUMAN, &depend('a', "b")), "dependency.cycle");
    world.ok(&HUMAN, &undepend('a', "ab"));
    assert_eq!(world.statuses("ab"), "open blocked");
}
