//! From a ready ticket to main: who may write what down, and what a person's word does to it on the way.

use signalbox_core::work::{Merge, Place, Tests};
use signalbox_core::{Changes, Command, Ending, MergeStep, Outcome, Role, Status, Who};

use crate::world::*;

const HUMAN: Who = Who::Human;
const SYSTEM: Who = Who::System;

fn queue(letter: char) -> Command {
    Command::Queue { id: id(letter) }
}

/// Ticket `a`, on which Ada was set to work as a doer.
fn at_work() -> (World, Who) {
    let mut world = World::default();
    world.file("a");
    world.ok(&SYSTEM, &start('a', "Ada", Role::Doer));
    (world, agent("Ada", &[]))
}

/// Ada has handed in `c1` and gone.
fn handed_in() -> World {
    let (mut world, ada) = at_work();
    world.ok(&ada, &hand_in('a', "c1"));
    world.ok(&SYSTEM, &end_attempt('a', Outcome::Completed, Ending::Submitted));
    world
}

fn queued() -> World {
    let mut world = handed_in();
    world.ok(&SYSTEM, &queue('a'));
    world
}

fn landing_now() -> World {
    let mut world = queued();
    for step in [started("c1", 1), validated("c1", 1), landing("c1", 1)] {
        world.ok(&SYSTEM, &merge('a', step));
    }
    world
}

#[test]
fn no_agent_sets_to_work_ends_attempts_or_merges() {
    let world = queued();
    for who in [agent("Ada", &[]), agent("other", &[])] {
        for command in [
            start('a', "Bowie", Role::Doer),
            end_attempt('a', Outcome::Completed, Ending::Submitted),
            queue('a'),
            merge('a', started("c1", 1)),
            merge('a', landed("c1", 1)),
        ] {
            assert_eq!(world.code(&who, &command), "human.only", "{command:?}");
        }
    }
}

#[test]
fn one_at_a_time_and_only_on_what_is_free() {
    let (mut world, _) = at_work();
    assert_eq!(world.code(&SYSTEM, &start('a', "Bowie", Role::Doer)), "start.not-ready");
    assert_eq!(world.code(&SYSTEM, &start('a', "Rae", Role::Reviewer)), "start.not-ready");
    world.ok(&HUMAN, &hold('a'));
    assert_eq!(world.code(&SYSTEM, &start('a', "Bowie", Role::Doer)), "ticket.blocked");
    world.file("bcd");
    world.ok(&HUMAN, &escalate('b'));
    world.ok(&HUMAN, &assign('c', "Sam"));
    for letter in "bc".chars() {
        assert_eq!(world.code(&SYSTEM, &start(letter, "Bowie", Role::Doer)), "start.not-ready");
    }
    assert_eq!(world.code(&SYSTEM, &start('d', "Rae", Role::Reviewer)), "start.not-ready");
}

#[test]
fn whoever_was_set_to_work_hands_in_a_commit() {
    let (mut world, ada) = at_work();
    assert_eq!(world.code(&ada, &submit('a')), "submit.no-commit");
    assert_eq!(world.code(&ada, &move_to('a', Status::Review)), "submit.no-commit");
    world.ok(&ada, &hand_in('a', "c1"));
    let submission = world.ticket('a').work.submission.clone().unwrap();
    assert_eq!((submission.role, submission.handed.place), (Some(Role::Doer), Place::Workspace));
    // A newer one takes its place until it is being merged, and is by the same role however late it comes.
    world.ok(&SYSTEM, &end_attempt('a', Outcome::Completed, Ending::Submitted));
    world.ok(&ada, &hand_in('a', "c2"));
    assert_eq!(world.ticket('a').work.submission.clone().unwrap().role, Some(Role::Doer));
    world.ok(&SYSTEM, &queue('a'));
    assert_eq!(world.code(&ada, &hand_in('a', "c3")), "submit.merging");
    assert_eq!(world.code(&agent("judge", &[]), &approve('a')), "review.merging");
}

#[test]
fn a_commit_is_done_when_it_is_on_main_and_approved_as_the_one_it_is() {
    let mut world = handed_in();
    world.ok(&agent("judge", &[]), &approve('a'));
    assert_eq!(world.status('a'), Status::Review);
    let approved = |world: &World| world.ticket('a').work.submission.clone().unwrap().approved_by;
    assert_eq!(approved(&world).as_deref(), Some("agent-judge"));
    world.ok(&agent("Ada", &[]), &hand_in('a', "c2"));
    assert_eq!(approved(&world), None);
    world.ok(&SYSTEM, &queue('a'));
    for step in [started("c2", 1), validated("c2", 1), landing("c2", 1), landed("c2", 1)] {
        assert_eq!(world.status('a'), Status::Review);
        world.ok(&SYSTEM, &merge('a', step));
    }
    assert_eq!(world.status('a'), Status::Done);
    // Said again, it is heard once.
    assert_eq!(world.ok(&SYSTEM, &merge('a', landed("c2", 1))), []);
}

#[test]
fn a_merge_goes_step_by_step() {
    let mut world = handed_in();
    assert_eq!(world.code(&SYSTEM, &merge('a', started("c1", 1))), "merge.withdrawn");
    world.ok(&SYSTEM, &queue('a'));
    assert_eq!(world.ok(&SYSTEM, &queue('a')), []);
    assert_eq!(world.code(&SYSTEM, &merge('a', started("c0", 1))), "merge.withdrawn");
    for step in [validated("c1", 1), landing("c1", 1), MergeStep::Back { run: 1 }] {
        assert_eq!(world.code(&SYSTEM, &merge('a', step)), "merge.out-of-turn");
    }
    world.ok(&SYSTEM, &merge('a', started("c1", 1)));
    assert_eq!(world.code(&SYSTEM, &merge('a', started("c1", 1))), "merge.out-of-turn");
    assert_eq!(world.code(&SYSTEM, &merge('a', landing("c1", 1))), "merge.out-of-turn");
    world.ok(&SYSTEM, &merge('a', validated("c1", 1)));
    // Only what was validated lands.
    let MergeStep::Landing(right) = landing("c1", 1) else { panic!() };
    let wrong = signalbox_core::work::Landing { tree: "tree2".to_owned(), ..right };
    assert_eq!(world.code(&SYSTEM, &merge('a', MergeStep::Landing(wrong))), "merge.out-of-turn");
    // A new run takes it from the old one, which then has nothing to say.
    world.ok(&SYSTEM, &merge('a', started("c1", 2)));
    for step in [landing("c1", 1), MergeStep::Back { run: 1 }, MergeStep::Failed(merge_failed("c1", 1))] {
        assert_eq!(world.code(&SYSTEM, &merge('a', step)), "merge.out-of-turn");
    }
    // And numbers are never used again, whatever happens in between.
    let before = world.ticket('a').work.queued;
    world.ok(&SYSTEM, &merge('a', MergeStep::Back { run: 2 }));
    assert_eq!(world.ticket('a').work.queued, before, "it keeps its place");
    assert_eq!(world.code(&SYSTEM, &merge('a', started("c1", 2))), "merge.out-of-turn");
}

#[test]
fn what_fails_goes_back_to_the_pool_with_the_output() {
    let mut world = queued();
    world.ok(&SYSTEM, &merge('a', started("c1", 1)));
    world.ok(&SYSTEM, &merge('a', MergeStep::Failed(merge_failed("c1", 1))));
    let ticket = world.ticket('a');
    let report = &ticket.attempts.last().unwrap().report;
    assert_eq!((ticket.status, ticket.assignee.as_deref()), (Status::Open, None));
    assert_eq!(
        (report.outcome, report.role, report.blockers.as_str()),
        (Outcome::FailedMerge, Some(Role::Doer), "1 failed")
    );
    assert_eq!(world.code(&SYSTEM, &queue('a')), "merge.nothing");
    world.ok(&SYSTEM, &start('a', "Bowie", Role::Doer));
}

#[test]
fn what_is_held_goes_no_further_and_keeps_its_place() {
    let mut world = queued();
    world.ok(&SYSTEM, &merge('a', started("c1", 1)));
    world.ok(&HUMAN, &hold('a'));
    assert_eq!(world.code(&SYSTEM, &merge('a', validated("c1", 1))), "merge.out-of-turn");
    assert_eq!(world.code(&SYSTEM, &queue('a')), "merge.nothing");
    world.ok(&SYSTEM, &merge('a', MergeStep::Back { run: 1 }));
    world.ok(&HUMAN, &unhold('a'));
    assert_eq!(world.status('a'), Status::Review);
    world.ok(&SYSTEM, &merge('a', started("c1", 2)));
    // It fails while it is held: back to the pool, when it is let go.
    world.ok(&HUMAN, &hold('a'));
    world.ok(&SYSTEM, &merge('a', MergeStep::Failed(merge_failed("c1", 2))));
    world.ok(&HUMAN, &unhold('a'));
    assert_eq!((world.status('a'), world.ticket('a').assignee.as_deref()), (Status::Open, None));
}

#[test]
fn tests_that_nobody_ran_are_forgotten_when_a_held_ticket_goes_back() {
    let mut world = World::default();
    world.file("a");
    world.ok(&SYSTEM, &start('a', "Ada", Role::TestWriter));
    world.ok(&agent("Ada", &[]), &hand_in('a', "t1"));
    world.ok(&HUMAN, &hold('a'));
    world.ok(&SYSTEM, &end_attempt('a', Outcome::Completed, Ending::Submitted));
    assert_eq!(world.ticket('a').prior_status, Some(Status::Open));
    assert_eq!((&world.ticket('a').work.submission, &world.ticket('a').work.start), (&None, &None));
}

#[test]
fn what_may_be_on_main_is_forgotten_only_when_it_is_known() {
    for command in [override_to('a', Status::Open), close('a'), override_to('a', Status::InProgress)] {
        let mut world = landing_now();
        world.ok(&HUMAN, &command);
        assert!(matches!(world.ticket('a').work.merge, Some(Merge::Landing(_))), "{command:?}");
        world.ok(&SYSTEM, &merge('a', landed("c1", 1)));
        assert_eq!(world.status('a'), Status::Done);
        // Or it is not there, and what the person wanted stands.
        let mut world = landing_now();
        world.ok(&HUMAN, &command);
        let status = world.status('a');
        world.ok(&SYSTEM, &merge('a', MergeStep::Back { run: 1 }));
        assert_eq!((world.status('a'), &world.ticket('a').work.merge), (status, &None));
    }
    let mut world = landing_now();
    world.ok(&SYSTEM, &merge('a', MergeStep::Back { run: 1 }));
    assert!(matches!(world.ticket('a').work.merge, Some(Merge::Queued(_))));
}

#[test]
fn a_ticket_that_landed_and_is_opened_again_begins_anew() {
    let mut world = World::default();
    world.file("a");
    world.ok(&SYSTEM, &start('a', "Ada", Role::TestWriter));
    world.ok(&agent("Ada", &[]), &hand_in('a', "t1"));
    // Tests are not reviewed but run.
    assert_eq!(world.status('a'), Status::InProgress);
    let tests = Tests { commit: "t1".to_owned(), files: Vec::new() };
    world.ok(&SYSTEM, &end_attempt('a', Outcome::Completed, Ending::TestsReady(tests)));
    assert_eq!((world.status('a'), &world.ticket('a').work.submission), (Status::Open, &None));
    world.ok(&SYSTEM, &start('a', "Bo", Role::Doer));
    world.ok(&SYSTEM, &end_attempt('a', Outcome::Failed, Ending::Pool));
    world.ok(&SYSTEM, &start('a', "Cy", Role::Doer));
    world.ok(&agent("Cy", &[]), &hand_in('a', "c1"));
    world.ok(&SYSTEM, &end_attempt('a', Outcome::Completed, Ending::Submitted));
    world.ok(&SYSTEM, &queue('a'));
    for step in [started("c1", 1), validated("c1", 1), landing("c1", 1), landed("c1", 1)] {
        world.ok(&SYSTEM, &merge('a', step));
    }
    assert!(world.ticket('a').work.tests.is_some());
    world.ok(&HUMAN, &reopen('a'));
    let work = &world.ticket('a').work;
    assert_eq!((&work.tests, &work.landed, work.forgiven, work.run), (&None, &None, 3, 1));
}

#[test]
fn nobody_lets_go_without_a_trace() {
    let (mut world, ada) = at_work();
    world.ok(&ada, &release('a'));
    let report = &world.ticket('a').attempts.last().unwrap().report;
    assert_eq!((report.outcome, report.summary.as_str()), (Outcome::Failed, "I must stop."));
    // Nor does an agent that lets go say that it was done, or stopped.
    for said in [Outcome::Completed, Outcome::Stopped] {
        world.ok(&SYSTEM, &start('a', "Ada", Role::Doer));
        let report = Some(signalbox_core::AttemptReport::new(said, ""));
        world.ok(&ada, &Command::Release { id: id('a'), reason: String::new(), report });
        assert_eq!(world.ticket('a').last_outcome, Some(Outcome::Failed));
    }
    world.ok(&SYSTEM, &start('a', "Ada", Role::Doer));
    world.ok(&HUMAN, &unassign('a'));
    assert_eq!((world.ticket('a').last_outcome, world.status('a')), (Some(Outcome::Stopped), Status::Open));
}

#[test]
fn what_a_person_takes_over_is_theirs() {
    let (mut world, _) = at_work();
    world.ok(&HUMAN, &assign('a', "Sam"));
    assert_eq!((&world.ticket('a').work.start, world.status('a')), (&None, Status::InProgress));
    assert_eq!(world.ok(&SYSTEM, &end_attempt('a', Outcome::Crashed, Ending::Pool)), []);
    assert_eq!(world.ticket('a').assignee.as_deref(), Some("Sam"));
    // Tests that nobody saw fail are no work to be merged, wherever a person puts the ticket.
    let mut world = World::default();
    world.file("a");
    world.ok(&SYSTEM, &start('a', "Ada", Role::TestWriter));
    world.ok(&agent("Ada", &[]), &hand_in('a', "t1"));
    world.ok(&HUMAN, &override_to('a', Status::Review));
    assert_eq!(world.code(&SYSTEM, &queue('a')), "merge.nothing");
    // A person can hand in a commit for it then.
    world.ok(&HUMAN, &hand_in('a', "c1"));
    world.ok(&SYSTEM, &queue('a'));
}

#[test]
fn an_answer_gives_as_many_attempts_again() {
    let (mut world, _) = at_work();
    world.ok(&SYSTEM, &end_attempt('a', Outcome::Failed, Ending::Pool));
    let counted = |world: &World| signalbox_core::work::Work::counted(world.ticket('a'));
    assert_eq!(counted(&world), 1);
    world.ok(&HUMAN, &escalate('a'));
    world.ok(&HUMAN, &edit('a', Changes { escalated: Some(false), ..Changes::default() }));
    assert_eq!(counted(&world), 0);
}
