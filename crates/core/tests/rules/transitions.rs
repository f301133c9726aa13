//! Who may do what where: the whole table of the workflow, and the condition of each step.

use std::fmt::Write as _;

use signalbox_core::{Cause, Command, Fact, NewTicket, RefusalKind, Status, Who};

use crate::world::*;

const HUMAN: Who = Who::Human;

fn doer() -> Who {
    agent("doer", &[])
}

/// Where ticket `a` can stand, as far as the rules tell places apart. It has one criterion to tick. Agent
/// `other` has read it; agent `fresh` never saw it; agent `judge` is its reviewer where there is one.
const PLACES: [&str; 9] = [
    "backlog",
    "open",
    "open, assigned",
    "in-progress",
    "review",
    "review, taken",
    "rework",
    "done",
    "held in-progress",
];

fn world_at(place: &str) -> World {
    let (doer, judge) = (doer(), agent("judge", &[]));
    let mut world = World::default();
    let backlog = place == "backlog";
    world.ok(
        &HUMAN,
        &Command::New(Box::new(NewTicket {
            backlog,
            acceptance: vec!["It is fast.".to_owned()],
            ..blank('a')
        })),
    );
    world.read(&agent("other", &[]), 'a');
    let lead: &[(&Who, Command)] = match place {
        "backlog" | "open" => &[],
        "open, assigned" => &[(&HUMAN, assign('a', "doer"))],
        "in-progress" => &[(&doer, pick('a')), (&doer, note('a'))],
        "review" => &[(&doer, pick('a')), (&doer, submit('a'))],
        "review, taken" => &[(&doer, pick('a')), (&doer, submit('a')), (&judge, review('a'))],
        "rework" => &[(&doer, pick('a')), (&doer, submit('a')), (&judge, reject('a'))],
        "done" => &[(&doer, pick('a')), (&doer, submit('a')), (&judge, approve('a'))],
        "held in-progress" => &[(&doer, pick('a')), (&doer, note('a')), (&HUMAN, hold('a'))],
        _ => panic!("no such place: {place}"),
    };
    for (who, command) in lead {
        world.ok(who, command);
    }
    world
}

/// What asking leads to: the status it is in then, `same` where there was nothing to do, or the code.
fn outcome(place: &str, who: &Who, command: &Command) -> String {
    let mut world = world_at(place);
    match world.run(who, command) {
        Ok(drafts) if drafts.is_empty() => "same".to_owned(),
        Ok(_) => world.status('a').to_string(),
        Err(refusal) => refusal.code.to_owned(),
    }
}

/// One block a place, one line a command, one column an asker.
fn render(commands: &[(&str, Command)], askers: &[(&str, Who)]) -> String {
    let mut table = String::new();
    for place in PLACES {
        let mut heading = format!("{:20}", format!("[{place}]"));
        for (name, _) in askers {
            write!(heading, " {name:24}").unwrap();
        }
        writeln!(table, "{}", heading.trim_end()).unwrap();
        for (name, command) in commands {
            let mut line = format!("{name:20}");
            for (_, who) in askers {
                write!(line, " {:24}", outcome(place, who, command)).unwrap();
            }
            writeln!(table, "{}", line.trim_end()).unwrap();
        }
    }
    table
}

fn assert_table(actual: &str, expected: &str) {
    let place = |lines: &str, at: usize| {
        lines.lines().take(at + 1).filter(|line| line.starts_with('[')).last().unwrap_or_default().to_owned()
    };
    for (at, (actual_line, expected_line)) in actual.lines().zip(expected.trim_start().lines()).enumerate() {
        assert_eq!(actual_line, expected_line.trim_end(), "in {}", place(actual, at));
    }
    assert_eq!(
        actual.lines().count(),
        expected.trim_start().lines().count(),
        "the whole table is:\n{actual}"
    );
}

#[test]
fn what_anybody_may_ask() {
    let mut commands = vec![
        ("pick", pick('a')),
        ("pop", Command::Pop { candidates: ids("a") }),
        ("submit", submit('a')),
        ("note", note('a')),
        ("check", check('a', 1)),
        ("edit", retitle('a', "Another title")),
        ("release", release('a')),
        ("review", review('a')),
        ("approve", approve('a')),
        ("reject", reject('a')),
    ];
    let names = Status::ALL.map(|to| format!("status {to}"));
    commands.extend(names.iter().zip(Status::ALL).map(|(name, to)| (name.as_str(), move_to('a', to))));
    let askers = [
        ("human", HUMAN),
        ("assignee", doer()),
        ("other", agent("other", &[])),
        ("fresh", agent("fresh", &[])),
        ("judge", agent("judge", &[])),
    ];
    assert_table(&render(&commands, &askers), include_str!("transitions.txt"));
}

/// What a human alone may ask, place by place. `override` stands for one override to each status in turn.
#[test]
fn what_only_a_human_may_ask() {
    let mut commands = vec![
        ("hold", hold('a')),
        ("unhold", unhold('a')),
        ("assign", assign('a', "someone")),
        ("unassign", unassign('a')),
        ("close", close('a')),
        ("reopen", reopen('a')),
    ];
    let names = Status::ALL.map(|to| format!("override {to}"));
    commands.extend(names.iter().zip(Status::ALL).map(|(name, to)| (name.as_str(), override_to('a', to))));
    assert_table(&render(&commands, &[("human", HUMAN)]), include_str!("transitions_human.txt"));
    for place in PLACES {
        for (name, command) in &commands {
            for who in [doer(), agent("other", &[]), agent("fresh", &[])] {
                assert_eq!(
                    outcome(place, &who, command),
                    "human.only",
                    "{name} by {} in {place}",
                    who.name()
                );
            }
        }
    }
}

#[test]
fn an_unknown_ticket_is_not_found_whatever_is_asked() {
    let world = world_at("open");
    let commands = [
        pick('z'),
        move_to('z', Status::Open),
        submit('z'),
        note('z'),
        release('z'),
        review('z'),
        approve('z'),
        reject('z'),
        check('z', 1),
        retitle('z', "A title"),
        assign('z', "someone"),
        hold('z'),
        unhold('z'),
        override_to('z', Status::Done),
        close('z'),
        reopen('z'),
        new_after('b', "z"),
        depend('a', "z"),
    ];
    for command in commands {
        let refusal = world.refusal(&HUMAN, &command);
        assert_eq!((refusal.code, refusal.kind), ("ticket.unknown", RefusalKind::NotFound), "{command:?}");
    }
    assert_eq!(world.code(&HUMAN, &Command::Pop { candidates: ids("z") }), "pop.nothing-ready");
    assert_eq!(world.code(&HUMAN, &new('a')), "ticket.exists");
}

#[test]
fn submitting_needs_a_note_since_the_work_began() {
    let bare = Command::Submit { id: id('a'), note: None, handed: None };
    let (doer, judge) = (doer(), agent("judge", &[]));
    let mut world = world_at("open");
    // A note from before the work says nothing about it.
    world.ok(&HUMAN, &note('a'));
    world.ok(&doer, &pick('a'));
    assert_eq!(world.code(&doer, &bare), "submit.no-note");
    assert_eq!(world.code(&HUMAN, &bare), "submit.no-note");
    let empty = Command::Submit { id: id('a'), note: Some(" \n".to_owned()), handed: None };
    assert_eq!(world.code(&doer, &empty), "text.empty");
    world.ok(&doer, &note('a'));
    // Being blocked for a while does not make the note older than the work.
    world.ok(&HUMAN, &hold('a'));
    world.ok(&HUMAN, &unhold('a'));
    world.ok(&doer, &bare);
    // Rework is new work, and what the reviewer wrote is no note about it.
    world.ok(&judge, &review('a'));
    world.ok(&judge, &note('a'));
    world.ok(&judge, &reject('a'));
    world.ok(&doer, &pick('a'));
    assert_eq!(world.code(&doer, &bare), "submit.no-note");
}

#[test]
fn sending_back_needs_a_reason() {
    let world = world_at("review");
    let fresh = agent("fresh", &[]);
    for reason in ["", " \n\t"] {
        let reject = Command::Reject { id: id('a'), reason: reason.to_owned() };
        assert_eq!(world.code(&fresh, &reject), "reject.no-reason");
    }
    let bare = Command::Move { id: id('a'), to: Status::Rework, text: None };
    assert_eq!(world.code(&fresh, &bare), "reject.no-reason");
    assert_eq!(world.code(&HUMAN, &Command::Hold { id: id('a'), reason: String::new() }), "text.empty");
}

#[test]
fn the_last_priority_starts_in_the_backlog() {
    let mut world = World::default();
    let someday = NewTicket { priority: signalbox_core::Priority::P5, ..blank('a') };
    world.ok(&doer(), &Command::New(Box::new(someday)));
    assert_eq!(world.statuses("a"), "backlog");
}

#[test]
fn a_claim_is_of_one_session_until_a_human_says_otherwise() {
    let (doer, fresh) = (doer(), agent("fresh", &[]));
    let mut world = world_at("in-progress");
    assert_eq!(world.ticket('a').assignee.as_deref(), Some("agent-doer"));
    // A name alone is no claim: another session may bear the same.
    let Who::Agent(mut twin) = doer.clone() else { panic!("the doer is an agent") };
    twin.session = signalbox_core::SessionId::parse("twin").unwrap();
    assert_eq!(world.code(&Who::Agent(twin), &submit('a')), "ticket.not-yours");
    for (name, heir) in [("fresh", &fresh), ("agent-doer", &doer), ("human", &HUMAN)] {
        world.ok(&HUMAN, &assign('a', name));
        assert!(world.ticket('a').is_assigned_to(heir), "{name}");
        assert_eq!(world.status('a'), Status::InProgress);
    }
    assert_eq!(world.code(&doer, &submit('a')), "ticket.not-yours");
    // Nor does an agent that calls itself `human` claim for the human.
    let Who::Agent(mut posing) = fresh else { panic!("the fresh one is an agent") };
    posing.name = "human".to_owned();
    world.file("b");
    world.ok(&Who::Agent(posing), &pick('b'));
    assert!(!world.ticket('b').is_assigned_to(&HUMAN));
    for name in ["a\nb", &"x".repeat(101)] {
        assert_eq!(world.code(&HUMAN, &assign('a', name)), "assignee.invalid");
    }
}

#[test]
fn letting_go_opens_the_ticket_for_anybody() {
    for place in ["in-progress", "rework"] {
        let mut world = world_at(place);
        world.ok(&doer(), &release('a'));
        let ticket = world.ticket('a');
        assert_eq!(
            (ticket.status, &ticket.assignee, &ticket.assignee_session),
            (Status::Open, &None, &None),
            "{place}"
        );
        world.ok(&agent("fresh", &[]), &pick('a'));
    }
    // While blocked it cannot open, but it must not come back to one who has left.
    let mut world = world_at("held in-progress");
    world.ok(&doer(), &release('a'));
    assert_eq!((world.status('a'), world.ticket('a').prior_status), (Status::Blocked, Some(Status::Open)));
    world.ok(&HUMAN, &unhold('a'));
    assert_eq!((world.status('a'), &world.ticket('a').assignee), (Status::Open, &None));
}

#[test]
fn whoever_is_assigned_can_be_unassigned() {
    for place in ["backlog", "open", "in-progress", "review", "review, taken", "rework"] {
        for held in [false, true] {
            let mut world = world_at(place);
            if held {
                world.ok(&HUMAN, &hold('a'));
            }
            world.ok(&HUMAN, &assign('a', "someone"));
            world.ok(&HUMAN, &unassign('a'));
            assert_eq!(world.ticket('a').assignee, None, "{place}, held: {held}");
            assert_eq!(world.status('a') == Status::Blocked, held, "{place}");
        }
    }
}

#[test]
fn asking_for_a_status_gives_that_status_or_nothing() {
    let judge = agent("judge", &[]);
    for place in PLACES {
        for to in Status::ALL {
            for who in [HUMAN, doer(), judge.clone()] {
                let got = outcome(place, &who, &move_to('a', to));
                let fine =
                    got == to.as_str() || got == "same" || got.contains('.') || place.starts_with("held");
                assert!(fine, "{} asked for {to} in {place} and got {got}", who.name());
            }
        }
    }
}

#[test]
fn an_override_is_recorded_with_its_reason() {
    let mut world = world_at("in-progress");
    let drafts = world.ok(&HUMAN, &override_to('a', Status::Review));
    let [draft] = drafts.as_slice() else { panic!("one event is enough: {drafts:?}") };
    let Fact::Status(Status::Review, change) = &draft.fact else { panic!("not a status: {draft:?}") };
    assert_eq!((change.from, change.cause), (Status::InProgress, Cause::Override));
    assert_eq!((change.reason.as_deref(), &draft.by), (Some("I know better."), &HUMAN));
}

#[test]
fn an_override_into_work_names_who_works() {
    let mut world = world_at("backlog");
    world.ok(&HUMAN, &override_to('a', Status::InProgress));
    assert!(world.ticket('a').is_assigned_to(&HUMAN));
    let mut world = world_at("rework");
    world.ok(&HUMAN, &override_to('a', Status::InProgress));
    assert!(world.ticket('a').is_assigned_to(&doer()), "the assignee stays");
}

#[test]
fn reopening_starts_afresh() {
    let mut world = world_at("done");
    world.ok(&HUMAN, &reopen('a'));
    let ticket = world.ticket('a');
    assert_eq!((ticket.status, &ticket.assignee, ticket.noted), (Status::Open, &None, false));
    assert!(!ticket.touches.is_empty(), "who had to do with it still may not review it");
}
