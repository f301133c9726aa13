//! Who may review: tables over families of sessions, with the event that disqualifies.

use signalbox_core::{EventId, Status, Who, may_review};

use crate::world::*;

const HUMAN: Who = Who::Human;

/// One family of four generations, with two siblings; anybody else is a stranger.
fn person(name: &str) -> Who {
    match name {
        "human" => HUMAN,
        "parent" => agent("parent", &["grand"]),
        "child" => agent("child", &["grand", "parent"]),
        "sibling" => agent("sibling", &["grand", "parent"]),
        "nephew" => agent("nephew", &["grand", "parent", "sibling"]),
        _ => agent(name, &[]),
    }
}

/// Let a history like `child reads, parent works` happen to ticket `a`. Where nobody files it, a human
/// does; where nobody works on it, a stranger does; in the end it waits for review.
fn history(deeds: &str) -> World {
    let mut world = World::default();
    if !deeds.contains(" files") {
        file_with_criterion(&mut world, &HUMAN);
    }
    for deed in deeds.split(", ").filter(|deed| !deed.is_empty()) {
        let (name, deed) = deed.split_once(' ').unwrap();
        let who = person(name);
        match deed {
            "files" => file_with_criterion(&mut world, &who),
            "reads" => world.read(&who, 'a'),
            "notes" => drop(world.ok(&who, &note('a'))),
            "ticks" => drop(world.ok(&who, &check('a', 1))),
            "edits" => drop(world.ok(&who, &retitle('a', "Better words"))),
            "works" => world.work(&who, 'a'),
            "picks" => drop(world.ok(&who, &pick('a'))),
            "lets go" => drop(world.ok(&who, &release('a'))),
            "reviews" => drop(world.ok(&who, &review('a'))),
            "rejects" => drop(world.ok(&who, &reject('a'))),
            "approves" => drop(world.ok(&who, &approve('a'))),
            "reopens" => drop(world.ok(&who, &reopen('a'))),
            "is assigned" => drop(world.ok(&HUMAN, &assign('a', name))),
            "is assigned by name" => drop(world.ok(&HUMAN, &assign('a', &format!("agent-{name}")))),
            "is unassigned" => drop(world.ok(&HUMAN, &unassign('a'))),
            _ => panic!("no such deed: {deed}"),
        }
    }
    if world.status('a') == Status::Open {
        world.ok(&HUMAN, &unassign('a'));
        world.work(&person("stranger"), 'a');
    }
    assert_eq!(world.status('a'), Status::Review, "{deeds}");
    world
}

fn file_with_criterion(world: &mut World, who: &Who) {
    let ticket = signalbox_core::NewTicket { acceptance: vec!["It is fast.".to_owned()], ..blank('a') };
    world.ok(who, &signalbox_core::Command::New(Box::new(ticket)));
}

/// The id of the first event of a name by an actor's session, or by a human where the session is `human`.
fn event_id(world: &World, name: &str, by: &str) -> EventId {
    let by = if by == "human" { by.to_owned() } else { format!("agent-{by}") };
    world.events.iter().find(|event| event.event == name && event.actor == by).unwrap().id.clone()
}

#[test]
fn who_may_review_after_what() {
    // What happened; who would review; the event that speaks against it, and whose it is.
    let cases = [
        // Whoever had to do with it itself may not, in whatever way.
        ("", "child", None),
        ("child files", "child", Some(("ticket.created", "child"))),
        ("child reads", "child", Some(("ticket.read", "child"))),
        ("child notes", "child", Some(("note.added", "child"))),
        ("child ticks", "child", Some(("ticket.checked", "child"))),
        ("child edits", "child", Some(("ticket.edited", "child"))),
        ("child works", "child", Some(("status.in-progress", "child"))),
        ("child picks, child lets go", "child", Some(("status.in-progress", "child"))),
        ("child works, child reads", "child", Some(("status.in-progress", "child"))),
        ("child reads, child works", "child", Some(("ticket.read", "child"))),
        ("stranger works, child reads", "child", Some(("ticket.read", "child"))),
        ("child is assigned", "child", Some(("ticket.assigned", "human"))),
        ("child is assigned, child is unassigned", "child", Some(("ticket.assigned", "human"))),
        ("child is assigned by name", "child", Some(("ticket.assigned", "human"))),
        // Nor whoever descends from one who worked on it.
        ("parent works", "child", Some(("status.in-progress", "parent"))),
        ("grand works", "child", Some(("status.in-progress", "grand"))),
        ("grand works", "parent", Some(("status.in-progress", "grand"))),
        ("grand works", "nephew", Some(("status.in-progress", "grand"))),
        ("parent notes", "child", Some(("note.added", "parent"))),
        ("parent edits", "child", Some(("ticket.edited", "parent"))),
        ("parent is assigned", "child", Some(("ticket.assigned", "human"))),
        ("parent reads, parent works", "child", Some(("status.in-progress", "parent"))),
        // Nor whoever started one who did.
        ("child works", "parent", Some(("status.in-progress", "child"))),
        ("child works", "grand", Some(("status.in-progress", "child"))),
        ("child notes", "parent", Some(("note.added", "child"))),
        ("child is assigned, child works", "parent", Some(("status.in-progress", "child"))),
        ("child is assigned by name, child works", "grand", Some(("status.in-progress", "child"))),
        // A team reviews its own tickets: its leader hands them out and its members are independent.
        ("child works", "sibling", None),
        ("child works", "nephew", None),
        ("nephew works", "child", None),
        ("parent reads", "child", None),
        ("parent files", "child", None),
        ("parent files, parent reads, child works", "sibling", None),
        ("grand reads", "nephew", None),
        ("child reads", "parent", None),
        ("child files", "parent", None),
        ("parent reads", "parent", Some(("ticket.read", "parent"))),
        // Reviewing is not working, however often.
        ("stranger works, child reviews, child reads, child notes, child ticks", "child", None),
        ("stranger works, child rejects, stranger works", "child", None),
        ("stranger works, child rejects, child reads, stranger works", "child", None),
        ("stranger works, child approves, human reopens", "child", None),
        ("stranger works, parent rejects, stranger works", "child", None),
        ("stranger works, child rejects, stranger works", "parent", None),
        // But after the verdict the reviewer is one like all others, as is one who edits meanwhile.
        (
            "stranger works, child rejects, child notes, stranger works",
            "child",
            Some(("note.added", "child")),
        ),
        ("stranger works, child reviews, child edits", "child", Some(("ticket.edited", "child"))),
        (
            "stranger works, parent rejects, stranger lets go, child works",
            "parent",
            Some(("status.in-progress", "child")),
        ),
        // Humans may always.
        ("", "human", None),
        ("human files, human reads, human notes, human works", "human", None),
    ];
    for (deeds, reviewer, against) in cases {
        let world = history(deeds);
        let who = person(reviewer);
        let case = format!("after `{deeds}`, {reviewer} reviews");
        let Some((name, by)) = against else {
            assert_eq!(may_review(world.ticket('a'), &who), Ok(()), "{case}");
            for command in [approve('a'), reject('a'), review('a')] {
                world.clone().ok(&who, &command);
            }
            continue;
        };
        let evidence = [event_id(&world, name, by)];
        for command in [approve('a'), reject('a'), review('a')] {
            let refusal = world.refusal(&who, &command);
            assert_eq!(refusal.code, "review.not-independent", "{case}");
            assert_eq!(refusal.evidence, evidence, "{case}: {refusal}");
            assert!(refusal.message.contains(name), "{case}: {refusal}");
        }
    }
}

#[test]
fn the_refusal_says_how_the_two_are_related() {
    for (deeds, reviewer, words) in [
        ("child works", "child", "this session worked on it"),
        ("child files", "child", "this session filed it"),
        ("child reads", "child", "this session read it before the review"),
        ("parent works", "child", "the session it was started from (parent) worked on it"),
        ("child works", "parent", "a session it started (child) worked on it"),
    ] {
        let refusal = history(deeds).refusal(&person(reviewer), &review('a'));
        assert!(refusal.message.contains(words), "{refusal}");
    }
}

#[test]
fn one_reviewer_at_a_time() {
    let (first, second) = (person("first"), person("second"));
    let mut world = history("");
    world.ok(&first, &review('a'));
    assert_eq!(world.ok(&first, &review('a')), [], "it is the reviewer's already");
    for command in [review('a'), approve('a'), reject('a')] {
        assert_eq!(world.code(&second, &command), "review.taken");
    }
    assert_eq!(world.code(&second, &release('a')), "release.not-yours");
    // The reviewer may let go, and that does not count against coming back.
    world.ok(&first, &release('a'));
    assert_eq!((world.status('a'), &world.ticket('a').reviewer), (Status::Review, &None));
    world.ok(&second, &review('a'));
    // A human takes over without asking.
    world.ok(&HUMAN, &review('a'));
    assert!(world.ticket('a').is_reviewed_by(&HUMAN));
    assert_eq!(world.code(&second, &approve('a')), "review.taken");
    world.ok(&HUMAN, &release('a'));
    world.ok(&first, &approve('a'));
    assert_eq!((world.status('a'), &world.ticket('a').reviewer), (Status::Done, &None));
}

#[test]
fn a_verdict_records_its_review_even_when_nobody_took_the_ticket_first() {
    for (command, names) in [
        (approve('a'), ["review.started", "review.approved", "status.done"]),
        (reject('a'), ["review.started", "review.rejected", "status.rework"]),
    ] {
        let drafts = history("").ok(&person("first"), &command);
        assert_eq!(drafts.iter().map(|draft| draft.fact.name()).collect::<Vec<_>>(), names);
    }
}

#[test]
fn what_a_reviewer_says_stays_with_the_ticket() {
    let mut world = history("");
    let approve = signalbox_core::Command::Approve { id: id('a'), note: Some("Well done.".to_owned()) };
    world.ok(&person("first"), &approve);
    assert_eq!(world.ticket('a').completion_notes.as_deref(), Some("Well done."));
    let empty = signalbox_core::Command::Approve { id: id('a'), note: Some(" ".to_owned()) };
    assert_eq!(history("").code(&person("first"), &empty), "text.empty");
}
