//! Random histories of many actors, checked after every step.

use std::cell::RefCell;
use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use signalbox_core::{Board, CATALOG, Draft, Event, Fact, Who};

use crate::invariants::{self, Path, Verdict};
use crate::steps::{self, Step};
use crate::world::{World, fold, id, stamp};

/// How often what was seen, to prove that the histories get everywhere.
type Tally = BTreeMap<String, usize>;

/// A history under way, with everything that is compared against it.
#[derive(Default)]
struct Watched {
    world: World,
    path: Path,
    /// The fold of the drafts' own facts, which never were text.
    from_facts: Board,
    /// The fold of events that were written as lines and read back.
    from_lines: Board,
}

impl Watched {
    fn step(&mut self, step: &Step, tally: &mut Tally) -> Verdict {
        let cast = steps::cast();
        let (who, command) = match step {
            Step::Ask(who, command) => (cast[*who].clone(), command.clone()),
            Step::Go { who, letter, dice } => steps::natural(&self.world, &cast[*who], *letter, *dice),
            Step::Read(who, letter) => {
                if let Some(ticket) = self.world.board.ticket(&id(*letter)) {
                    let project = ticket.project.clone();
                    let read =
                        Draft { ticket: id(*letter), project, by: cast[*who].clone(), fact: Fact::Read };
                    self.world.record(&read);
                    self.take_in(&[read], tally)?;
                }
                return self.sound(&cast[*who]);
            }
        };
        *tally.entry(steps::name(&command).to_owned()).or_default() += 1;
        invariants::few_tickets_suffice(&self.world.board, &who, &command)?;
        let (before, known) = (self.world.board.clone(), self.world.events.len());
        match self.world.run(&who, &command) {
            Ok(drafts) => {
                invariants::drafts_are_in_order(&before, &who, &drafts)?;
                invariants::submissions_are_explained(&self.world.events[..known], &drafts)?;
                invariants::reviews_are_independent(&self.world, &before, known, &who, &drafts)?;
                invariants::moves_arrive(&self.world, &command)?;
                invariants::done_is_done(&before, &drafts)?;
                invariants::plans_can_be_carried_out(&self.world.board)?;
                self.take_in(&drafts, tally)?;
            }
            Err(refusal) => {
                *tally.entry(refusal.code.to_owned()).or_default() += 1;
                invariants::refusal_is_helpful(&self.world.events, &refusal)?;
                invariants::reviews_are_independent(&self.world, &before, known, &who, &[])?;
                prop_assert_eq!(&self.world.board, &before);
            }
        }
        self.sound(&who)
    }

    /// Fold the newest events in the other ways, too.
    fn take_in(&mut self, drafts: &[Draft], tally: &mut Tally) -> Verdict {
        let known = self.world.events.len() - drafts.len();
        for (at, draft) in drafts.iter().enumerate() {
            let event = &self.world.events[known + at];
            *tally.entry(event.event.clone()).or_default() += 1;
            if draft.by.is_agent() && event.event.starts_with("review.") {
                *tally.entry(format!("{} by an agent", event.event)).or_default() += 1;
            }
            self.path.follow(event)?;
            self.from_facts.apply_fact(&stamp(draft, known + at), &draft.fact);
            let line = serde_json::to_string(event).unwrap();
            prop_assert!(!line.contains('\n'));
            let read: Event = serde_json::from_str(&line).unwrap();
            prop_assert_eq!(&read, event);
            self.from_lines.apply(&read).unwrap();
        }
        Ok(())
    }

    fn sound(&self, who: &Who) -> Verdict {
        let board = &self.world.board;
        prop_assert_eq!(&self.from_facts, board);
        prop_assert_eq!(&self.from_lines, board);
        prop_assert_eq!(&self.world.refold(), board);
        invariants::board_is_sound(board)?;
        invariants::work_is_sound(board)?;
        invariants::offers_hold(board, who)?;
        self.path.agrees_with(board)
    }

    /// The tickets that a lost event does not concern are as they were.
    fn survives_the_loss_of(&self, at: usize) -> Verdict {
        let events = &self.world.events;
        let board = fold(events[..at].iter().chain(&events[at + 1..]));
        for ticket in
            self.world.board.tickets().filter(|ticket| Some(&ticket.id) != events[at].ticket.as_ref())
        {
            prop_assert_eq!(board.ticket(&ticket.id), Some(ticket));
        }
        Ok(())
    }
}

/// Set `PROPTEST_CASES` for more histories than the usual 256.
#[test]
fn whatever_is_asked_the_workflow_holds() {
    let tally = RefCell::new(Tally::new());
    // Nothing is kept of a failure: the runner prints its shortest history, and that becomes a named test.
    let config = Config { failure_persistence: None, ..Config::default() };
    let outcome =
        TestRunner::new(config).run(&(steps::history(), any::<prop::sample::Index>()), |(history, lost)| {
            let mut watched = Watched::default();
            for step in &history {
                watched.step(step, &mut tally.borrow_mut())?;
            }
            if watched.world.events.is_empty() {
                return Ok(());
            }
            watched.survives_the_loss_of(lost.index(watched.world.events.len()))
        });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
    let tally = tally.into_inner();
    println!("{tally:#?}");
    let of_tickets = |name: &str| {
        let kinds = ["ticket.", "status.", "note.", "review.", "attempt.", "merge."];
        // What a person put on main is no ticket's.
        name != "merge.adopted" && kinds.iter().any(|kind| name.starts_with(kind))
    };
    let expected = CATALOG.iter().map(|doc| doc.name).filter(|name| of_tickets(name)).chain([
        "review.approved by an agent",
        "review.rejected by an agent",
        "review.not-independent",
        "review.taken",
        "dependency.cycle",
        "ticket.blocked",
        "ticket.not-yours",
        "human.only",
        "start.not-ready",
        "submit.no-commit",
        "submit.merging",
        "review.merging",
        "merge.nothing",
        "merge.withdrawn",
        "merge.out-of-turn",
    ]);
    let expected = expected.chain(steps::NAMES);
    for name in expected {
        let times = tally.get(name).copied().unwrap_or_default();
        assert!(times >= 3, "the histories hardly get to {name}: {times} times");
    }
}
