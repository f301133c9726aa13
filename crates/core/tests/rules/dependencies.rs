//! Tickets that wait: for each other, for a human, and back to where they were.

use signalbox_core::{Cause, Draft, Fact, Status, Who, dependency_tree, open_dependencies};

use crate::world::*;

const HUMAN: Who = Who::Human;

fn doer() -> Who {
    agent("doer", &[])
}

fn world(letters: &str) -> World {
    let mut world = World::default();
    world.file(letters);
    world
}

/// The drafts that Signalbox added by itself, as `ticket: from -> to (cause)`.
fn followed(drafts: &[Draft]) -> Vec<String> {
    let lines = drafts.iter().filter(|draft| draft.by == Who::System).map(|draft| match &draft.fact {
        Fact::Status(to, change) => {
            let letter = draft.ticket.as_str().chars().last().unwrap();
            let cause = if change.cause == Cause::Hold { "hold" } else { "dependencies" };
            format!("{letter}: {} -> {to} ({cause})", change.from)
        }
        other => panic!("Signalbox itself only changes statuses: {other:?}"),
    });
    let mut lines: Vec<_> = lines.collect();
    lines.sort();
    lines
}

#[test]
fn a_ticket_waits_until_its_dependency_is_done() {
    let mut world = world("a");
    let drafts = world.ok(&HUMAN, &new_after('b', "a"));
    assert_eq!(followed(&drafts), ["b: open -> blocked (dependencies)"]);
    let refusal = world.refusal(&doer(), &pick('b'));
    assert_eq!(
        (refusal.code, refusal.message.as_str()),
        ("ticket.blocked", "sb_bbbbbb is blocked, waiting for sb_aaaaaa")
    );
    world.work(&doer(), 'a');
    assert_eq!(world.statuses("ab"), "review blocked");
    let drafts = world.ok(&agent("judge", &[]), &approve('a'));
    assert_eq!(followed(&drafts), ["b: blocked -> open (dependencies)"]);
    assert_eq!(world.statuses("ab"), "done open");
}

#[test]
fn every_status_comes_back_as_it_was() {
    let judge = agent("judge", &[]);
    type Lead = fn(&mut World);
    let leads: [(&str, Lead); 6] = [
        ("backlog", |w| drop(w.ok(&HUMAN, &override_to('b', Status::Backlog)))),
        ("open", |_| {}),
        ("in-progress", |w| drop(w.ok(&doer(), &pick('b')))),
        ("review", |w| w.work(&doer(), 'b')),
        ("review", |w| {
            w.work(&doer(), 'b');
            w.ok(&agent("judge", &[]), &review('b'));
        }),
        ("rework", |w| {
            w.work(&doer(), 'b');
            w.ok(&agent("judge", &[]), &reject('b'));
        }),
    ];
    let blocks =
        [(depend('b', "a"), close('a')), (hold('b'), unhold('b')), (depend('b', "a"), undepend('b', "a"))];
    for (status, lead) in leads {
        for (block, unblock) in &blocks {
            let mut world = world("ab");
            lead(&mut world);
            let before = world.ticket('b').clone();
            assert_eq!(before.status.as_str(), status);
            world.ok(&HUMAN, block);
            assert_eq!(
                (world.status('b'), world.ticket('b').prior_status),
                (Status::Blocked, Some(before.status))
            );
            world.ok(&HUMAN, unblock);
            let after = world.ticket('b');
            assert_eq!((after.status, after.prior_status), (before.status, None), "after {unblock:?}");
            assert_eq!(after.assignee, before.assignee, "{status}");
            assert_eq!(after.assignee_session, before.assignee_session, "{status}");
            assert_eq!(after.reviewer, before.reviewer, "{status}");
            assert_eq!(after.noted, before.noted, "{status}");
        }
    }
    // Work goes on where it stopped, without a second claim.
    let mut world = world("ab");
    world.ok(&doer(), &pick('b'));
    world.ok(&HUMAN, &depend('b', "a"));
    world.ok(&HUMAN, &close('a'));
    world.ok(&doer(), &submit('b'));
    world.ok(&judge, &approve('b'));
}

#[test]
fn chains_open_link_by_link() {
    let mut world = world("a");
    for (letter, on) in [('b', "a"), ('c', "b"), ('d', "c")] {
        world.ok(&HUMAN, &new_after(letter, on));
    }
    assert_eq!(world.statuses("abcd"), "open blocked blocked blocked");
    for (letter, then) in
        [('a', "done open blocked blocked"), ('b', "done done open blocked"), ('c', "done done done open")]
    {
        world.ok(&HUMAN, &close(letter));
        assert_eq!(world.statuses("abcd"), then);
    }
    // A link that breaks again stops only what waits for it.
    world.ok(&HUMAN, &reopen('b'));
    assert_eq!(world.statuses("abcd"), "done open done open");
    world.ok(&HUMAN, &reopen('c'));
    assert_eq!(world.statuses("abcd"), "done open blocked blocked");
}

#[test]
fn a_diamond_opens_when_both_sides_are_done() {
    let mut world = world("a");
    for (letter, on) in [('b', "a"), ('c', "a"), ('d', "bc")] {
        world.ok(&HUMAN, &new_after(letter, on));
    }
    let drafts = world.ok(&HUMAN, &close('a'));
    assert_eq!(followed(&drafts), ["b: blocked -> open (dependencies)", "c: blocked -> open (dependencies)"]);
    world.ok(&HUMAN, &close('c'));
    assert_eq!(world.statuses("bcd"), "open done blocked");
    assert_eq!(open_dependencies(&world.board, world.ticket('d')), ids("b"));
    world.ok(&HUMAN, &close('b'));
    assert_eq!(world.statuses("bcd"), "done done open");
    // The tree shows the shared dependency under both, and what is below it only once.
    let rows: Vec<_> = dependency_tree(&world.board, &id('d'));
    assert_eq!(rows, [(0, id('b')), (1, id('a')), (0, id('c')), (1, id('a'))]);
}

#[test]
fn reopening_a_dependency_stops_whoever_waits_for_it() {
    let mut world = world("abcd");
    for letter in ['b', 'c', 'd'] {
        world.ok(&HUMAN, &depend(letter, "a"));
    }
    world.ok(&HUMAN, &close('a'));
    world.ok(&doer(), &pick('b'));
    world.work(&doer(), 'c');
    world.ok(&HUMAN, &close('d'));
    let drafts = world.ok(&HUMAN, &reopen('a'));
    let expected = ["b: in-progress -> blocked (dependencies)", "c: review -> blocked (dependencies)"];
    assert_eq!(followed(&drafts), expected, "what is done stays done");
    world.ok(&HUMAN, &close('a'));
    assert_eq!(world.statuses("bcd"), "in-progress review done");
}

#[test]
fn a_dependency_taken_away_is_not_waited_for() {
    let mut world = world("ab");
    world.ok(&HUMAN, &new_after('c', "ab"));
    assert_eq!(world.code(&doer(), &undepend('c', "a")), "human.only");
    world.ok(&HUMAN, &undepend('c', "a"));
    assert_eq!(world.statuses("c"), "blocked");
    world.ok(&HUMAN, &undepend('c', "b"));
    assert_eq!(world.statuses("c"), "open");
    // An agent may find out that something must come first.
    world.ok(&doer(), &depend('c', "b"));
    assert_eq!(world.statuses("c"), "blocked");
}

#[test]
fn cycles_are_refused_and_shown() {
    let mut world = world("abc");
    world.ok(&HUMAN, &depend('b', "a"));
    world.ok(&HUMAN, &depend('c', "b"));
    for (letter, on, shown) in [
        ('a', "a", "sb_aaaaaa → sb_aaaaaa"),
        ('a', "b", "sb_aaaaaa → sb_bbbbbb → sb_aaaaaa"),
        ('a', "c", "sb_aaaaaa → sb_cccccc → sb_bbbbbb → sb_aaaaaa"),
        ('b', "c", "sb_bbbbbb → sb_cccccc → sb_bbbbbb"),
    ] {
        let refusal = world.refusal(&HUMAN, &depend(letter, on));
        assert_eq!(refusal.code, "dependency.cycle");
        assert!(refusal.message.contains(shown), "{refusal}");
    }
    // One bad dependency among good ones spoils the whole edit.
    assert_eq!(world.code(&HUMAN, &depend('b', "ac")), "dependency.cycle");
    // A second way to the same ticket is no cycle.
    world.ok(&HUMAN, &depend('c', "a"));
    // Done tickets may still not wait for each other in a ring: any of them can be reopened.
    for letter in ['a', 'b', 'c'] {
        world.ok(&HUMAN, &close(letter));
    }
    assert_eq!(world.code(&HUMAN, &depend('a', "c")), "dependency.cycle");
}

#[test]
fn held_and_waiting_needs_both_to_end() {
    for hold_first in [true, false] {
        for unhold_first in [true, false] {
            let mut world = world("ab");
            let (one, two) = (hold('b'), depend('b', "a"));
            for command in if hold_first { [&one, &two] } else { [&two, &one] } {
                world.ok(&HUMAN, command);
            }
            let refusal = world.refusal(&doer(), &pick('b'));
            assert_eq!(refusal.code, "ticket.blocked");
            for why in ["Legal must look at it.", "sb_aaaaaa"] {
                assert!(refusal.message.contains(why), "{refusal}");
            }
            let (one, two) = (unhold('b'), close('a'));
            let order = if unhold_first { [&one, &two] } else { [&two, &one] };
            world.ok(&HUMAN, order[0]);
            assert_eq!(world.statuses("b"), "blocked");
            world.ok(&HUMAN, order[1]);
            assert_eq!(world.statuses("b"), "open");
        }
    }
}

#[test]
fn a_hold_says_why_and_ends_once() {
    let mut world = world("a");
    let drafts = world.ok(&HUMAN, &hold('a'));
    assert_eq!(followed(&drafts), ["a: open -> blocked (hold)"]);
    let refusal = world.refusal(&doer(), &pick('a'));
    assert_eq!(refusal.message, "sb_aaaaaa is blocked, held by a human: Legal must look at it.");
    assert_eq!(followed(&world.ok(&HUMAN, &unhold('a'))), ["a: blocked -> open (hold)"]);
    assert_eq!(world.code(&HUMAN, &unhold('a')), "unhold.not-held");
    world.ok(&HUMAN, &close('a'));
    assert_eq!(world.code(&HUMAN, &hold('a')), "hold.done");
}

#[test]
fn closing_ends_a_hold_for_good() {
    let mut world = world("a");
    world.ok(&HUMAN, &hold('a'));
    world.ok(&HUMAN, &close('a'));
    world.ok(&HUMAN, &reopen('a'));
    assert_eq!(world.statuses("a"), "open");
}

#[test]
fn an_override_stops_waiting_until_the_ticket_is_reopened() {
    let mut world = world("ab");
    world.ok(&HUMAN, &depend('b', "a"));
    world.ok(&HUMAN, &hold('b'));
    world.ok(&HUMAN, &override_to('b', Status::Open));
    assert_eq!((world.statuses("b").as_str(), &world.ticket('b').hold), ("open", &None));
    assert_eq!(world.ticket('b').waived, ids("a"));
    // What has been waived does not block again by moving, only a new dependency does.
    world.ok(&HUMAN, &close('a'));
    world.ok(&HUMAN, &reopen('a'));
    assert_eq!(world.statuses("b"), "open");
    world.ok(&HUMAN, &new('c'));
    world.ok(&HUMAN, &depend('b', "c"));
    assert_eq!(open_dependencies(&world.board, world.ticket('b')), ids("c"));
    assert_eq!(world.statuses("b"), "blocked");
    world.ok(&HUMAN, &override_to('b', Status::InProgress));
    assert_eq!((world.statuses("b").as_str(), &world.ticket('b').waived), ("in-progress", &ids("ac")));
    // A waiver goes with its dependency and does not wait for its return.
    world.ok(&HUMAN, &undepend('b', "ac"));
    world.ok(&HUMAN, &depend('b', "a"));
    assert_eq!(world.statuses("b"), "blocked");
    // Reopening is a new start, with everything to wait for.
    world.ok(&HUMAN, &override_to('b', Status::Rework));
    world.ok(&HUMAN, &close('b'));
    world.ok(&HUMAN, &reopen('b'));
    assert_eq!(world.statuses("b"), "blocked");
}

#[test]
fn an_override_to_done_needs_no_waiver() {
    let mut world = world("ab");
    world.ok(&HUMAN, &depend('b', "a"));
    world.ok(&HUMAN, &override_to('b', Status::Done));
    assert_eq!((world.statuses("b").as_str(), world.ticket('b').waived.len()), ("done", 0));
}
