//! What a session is offered: one batch of one kind, of what it may take, the most urgent first.

use signalbox_core::batch::{Kind, choose};
use signalbox_core::{Changes, Command, NewTicket, Priority, Who};

use crate::world::*;

const HUMAN: Who = Who::Human;
const PRIORITIES: [Priority; 6] = Priority::ALL;

fn doer() -> Who {
    agent("doer", &[])
}

/// File tickets like `a1 b3`: a letter and the number of a priority, in that order.
fn filed(tickets: &str) -> World {
    let mut world = World::default();
    file_more(&mut world, tickets);
    world
}

fn file_more(world: &mut World, tickets: &str) {
    for word in tickets.split_whitespace() {
        let mut characters = word.chars();
        let letter = characters.next().unwrap();
        let priority = PRIORITIES[usize::try_from(characters.next().unwrap().to_digit(10).unwrap()).unwrap()];
        world.ok(&HUMAN, &Command::New(Box::new(NewTicket { priority, ..blank(letter) })));
    }
}

/// The offer as text: `review: ab`.
fn offer(world: &World, who: &Who, most: usize) -> String {
    match choose(world.board.tickets(), who, most) {
        None => "nothing".to_owned(),
        Some(batch) => {
            let kind = if batch.kind == Kind::Open { "open" } else { "review" };
            let letters: String =
                batch.tickets.iter().map(|ticket| ticket.id.as_str().chars().last().unwrap()).collect();
            format!("{kind}: {letters}")
        }
    }
}

#[test]
fn the_most_urgent_first_then_the_oldest() {
    let mut world = filed("a3 b1 c3 d0 e1");
    assert_eq!(offer(&world, &doer(), 10), "open: dbeac");
    world.ok(&HUMAN, &edit('c', Changes { priority: Some(Priority::P0), ..Changes::default() }));
    assert_eq!(offer(&world, &doer(), 10), "open: cdbea", "age is since filing, not since editing");
}

#[test]
fn no_more_than_asked_for() {
    let world = filed("a3 b1 c3");
    assert_eq!(offer(&world, &doer(), 2), "open: ba");
    assert_eq!(offer(&world, &doer(), 0), "nothing");
    assert_eq!(offer(&World::default(), &doer(), 2), "nothing");
}

#[test]
fn review_goes_first_unless_something_open_is_more_urgent() {
    for (open, in_review, expected) in [
        ("a3", "b3", "review: b"),
        ("a2", "b3", "open: a"),
        ("a4", "b3", "review: b"),
        ("a0", "b0", "review: b"),
        ("a0", "b1", "open: a"),
        // The kind is chosen by its most urgent ticket; the rest of the other kind does not add up.
        ("a1 b1 c1", "d1", "review: d"),
        ("a1", "b2 c2 d2", "open: a"),
        ("a3 b4", "c4 d3", "review: dc"),
        ("a3", "", "open: a"),
        ("", "b4", "review: b"),
    ] {
        let mut world = filed(in_review);
        for letter in in_review.chars().filter(char::is_ascii_alphabetic) {
            world.work(&agent("stranger", &[]), letter);
        }
        file_more(&mut world, open);
        assert_eq!(offer(&world, &doer(), 10), expected, "open {open}, in review {in_review}");
    }
}

#[test]
fn only_what_this_asker_may_review() {
    let (parent, child, sibling) =
        (agent("parent", &[]), agent("child", &["parent"]), agent("sibling", &["parent"]));
    let mut world = filed("a0 b3");
    world.work(&child, 'a');
    world.read(&sibling, 'b');
    world.work(&agent("stranger", &[]), 'b');
    assert_eq!(offer(&world, &child, 10), "review: b");
    assert_eq!(offer(&world, &parent, 10), "review: b");
    assert_eq!(offer(&world, &sibling, 10), "review: a");
    assert_eq!(offer(&world, &agent("stranger", &[]), 10), "review: a");
    assert_eq!(offer(&world, &doer(), 10), "review: ab");
    assert_eq!(offer(&world, &HUMAN, 10), "review: ab");
    // What may not be reviewed does not weigh either: the open ticket comes instead.
    file_more(&mut world, "c1");
    assert_eq!(offer(&world, &sibling, 10), "review: a");
    assert_eq!(offer(&world, &child, 10), "open: c");
}

#[test]
fn a_review_is_offered_until_taken_and_then_to_its_reviewer() {
    let mut world = filed("a3");
    world.work(&agent("stranger", &[]), 'a');
    world.ok(&doer(), &review('a'));
    assert_eq!(offer(&world, &doer(), 10), "review: a");
    assert_eq!(offer(&world, &agent("late", &[]), 10), "nothing");
}

#[test]
fn only_what_is_open_and_free_or_meant_for_the_asker() {
    let mut world = filed("a3 b3 c3 d3 e3 f3 g5");
    world.ok(&HUMAN, &assign('a', "agent-doer"));
    world.ok(&HUMAN, &assign('b', "doer"));
    world.ok(&HUMAN, &assign('c', "someone-else"));
    world.ok(&HUMAN, &hold('d'));
    world.ok(&doer(), &escalate('e'));
    world.ok(&agent("stranger", &[]), &pick('f'));
    assert_eq!(offer(&world, &doer(), 10), "open: ab");
    assert_eq!(offer(&world, &agent("late", &[]), 10), "nothing");
    assert_eq!(
        world.code(&agent("late", &[]), &Command::Pop { candidates: ids("abcdefg") }),
        "pop.nothing-ready"
    );
    // `pop` takes the first that is ready, whatever stands before it.
    world.ok(&doer(), &Command::Pop { candidates: ids("zdecba") });
    assert_eq!(world.statuses("abcde"), "open in-progress open blocked open");
}
