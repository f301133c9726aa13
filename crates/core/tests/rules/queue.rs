//! The merge queue as a machine, over real rules and events, with commits that are only names.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use signalbox_core::orchestra::queue::{
    Action, Built, Input, Queue, Reached, Seen, Settings, Verdict, asks_about,
};
use signalbox_core::orchestra::{Item, queue};
use signalbox_core::work::{Merge, MergeTrouble};
use signalbox_core::{Command, MergeStep, Outcome, Priority, ProjectName, Status, Who};

use crate::world::*;

/// A project with a queue. A commit on main is the names of all that went into it, in order: `m0+ca+cb`.
struct Bench {
    world: World,
    queue: Queue,
    main: String,
    /// The commits that no validation lets pass.
    bad: BTreeSet<String>,
    /// The commits whose first validation fails, whatever it is.
    flaky: BTreeSet<String>,
    /// The second cannot be put on top of the first.
    conflicts: Vec<(&'static str, &'static str)>,
    validated: Vec<String>,
    /// What a remote has, by ticket, and what it made of it where it did not take it as it was.
    pushed: BTreeMap<String, String>,
    merged: BTreeMap<String, Reached>,
    lands: bool,
    now: Timestamp,
    /// What happens just before something is done.
    before: Option<Surprise>,
}

type Surprise = Box<dyn FnMut(&mut World, &mut String, &Action)>;

impl Bench {
    /// Tickets whose work is in the queue, in this order.
    fn with(letters: &str) -> Self {
        let mut world = World::default();
        world.file(letters);
        for letter in letters.chars() {
            hand_over(&mut world, letter, &format!("c{letter}"));
        }
        Self {
            world,
            queue: Queue::new(Settings::default()),
            main: "m0".to_owned(),
            bad: BTreeSet::new(),
            flaky: BTreeSet::new(),
            conflicts: Vec::new(),
            validated: Vec::new(),
            pushed: BTreeMap::new(),
            merged: BTreeMap::new(),
            lands: true,
            now: Timestamp::from_second(1_900_000_000).unwrap(),
            before: None,
        }
    }

    fn seen(&self) -> Seen {
        let asked = asks_about(self.world.board.tickets());
        let contained = asked.into_iter().filter(|commit| holds(&self.main, commit)).collect();
        let tickets = self.world.board.tickets();
        let seen = Seen::of(tickets, &ProjectName::untracked(), &self.main, contained, self.lands);
        Seen { merged: self.merged.clone(), ..seen }
    }

    /// Let the queue go on until it has nothing to do any more. Answers how many things were done.
    fn settle(&mut self) -> usize {
        self.settle_for(usize::MAX)
    }

    /// As [`Bench::settle`], but whoever does it is killed after so many things.
    fn settle_for(&mut self, most: usize) -> usize {
        let (mut input, mut done) = (Input::Look, 0);
        for _ in 0..1_000 {
            let actions = self.queue.step(&self.seen(), input, self.now);
            if actions.is_empty() {
                return done;
            }
            input = Input::Look;
            for action in actions {
                if done == most {
                    return done;
                }
                done += 1;
                match self.carry_out(&action) {
                    Input::Look => {}
                    answer => {
                        input = answer;
                        break;
                    }
                }
            }
        }
        panic!("the queue never settles");
    }

    fn carry_out(&mut self, action: &Action) -> Input {
        if let Some(mut surprise) = self.before.take() {
            surprise(&mut self.world, &mut self.main, action);
            self.before = Some(surprise);
        }
        match action {
            Action::Record { run, steps } => {
                let command = Command::Merge { steps: steps.clone() };
                let refused = self.world.run(&Who::System, &command).is_err();
                if refused { Input::Refused { run: *run } } else { Input::Look }
            }
            Action::Build { run, onto, entries } => {
                let mut top = onto.clone();
                let results = entries.iter().map(|(_, commit)| self.build(&mut top, commit)).collect();
                Input::Built { run: *run, results }
            }
            Action::Validate { run, tip, .. } => {
                self.validated.push(tip.clone());
                Input::Checked { run: *run, verdict: self.validate(tip) }
            }
            Action::Land { run, from, to, .. } => {
                assert!(self.validated.contains(to), "{to} was never validated");
                if self.main != *from {
                    return Input::NotMoved { run: *run };
                }
                self.main.clone_from(to);
                Input::Moved { run: *run }
            }
            Action::Push { run, ticket, to } => {
                assert!(self.validated.contains(to), "{to} was never validated");
                self.pushed.insert(ticket.to_string(), to.clone());
                Input::Pushed { run: *run, remote: "origin".to_owned(), branch: ticket.to_string() }
            }
            Action::Cancel { .. } => Input::Look,
        }
    }

    fn build(&self, top: &mut String, commit: &str) -> Built {
        let clashes = |(first, second): &(&str, &str)| holds(top, first) && *second == commit;
        if self.conflicts.iter().any(clashes) {
            let (why, message) = (MergeTrouble::Conflict, "both change a.rs".to_owned());
            return Built::Refused { why, message, files: vec!["a.rs".to_owned()], diff: None };
        }
        top.push('+');
        top.push_str(commit);
        Built::Fits { commit: top.clone(), tree: format!("tree of {top}"), diff: Some(commit.to_owned()) }
    }

    fn validate(&mut self, tip: &str) -> Verdict {
        let is_bad = self.bad.iter().any(|bad| holds(tip, bad));
        let flaked = self.flaky.iter().find(|flaky| holds(tip, flaky)).cloned();
        if let Some(flaked) = &flaked {
            self.flaky.remove(flaked);
        }
        if !is_bad && flaked.is_none() {
            return Verdict::Passed;
        }
        Verdict::Failed { message: "the step `test` failed".to_owned(), output: "1 failed".to_owned() }
    }

    fn statuses(&self, letters: &str) -> String {
        self.world.statuses(letters)
    }
}

/// Whether one commit has the other in its history, or what the other brought.
fn holds(commit: &str, part: &str) -> bool {
    commit == part
        || commit.strip_prefix(part).is_some_and(|rest| rest.starts_with('+'))
        || commit.split('+').any(|name| name == part)
}

/// Somebody works on a ticket, hands in a commit, and it is put into the queue.
fn hand_over(world: &mut World, letter: char, commit: &str) {
    let name = format!("Ada{letter}");
    world.ok(&Who::System, &start(letter, &name, signalbox_core::Role::Doer));
    world.ok(&agent(&name, &[]), &hand_in(letter, commit));
    world.ok(&Who::System, &end_attempt(letter, Outcome::Completed, signalbox_core::Ending::Submitted));
    world.ok(&Who::System, &Command::Queue { id: id(letter) });
}

fn stage(world: &World, letter: char) -> &'static str {
    match &world.ticket(letter).work.merge {
        None => "none",
        Some(Merge::Queued(_)) => "queued",
        Some(Merge::Building(_)) => "building",
        Some(Merge::Validated(_)) => "validated",
        Some(Merge::Landing(_)) => "landing",
        Some(Merge::Pushed(_)) => "pushed",
    }
}

#[test]
fn sixteen_that_have_nothing_to_do_with_each_other_land_in_two_validations() {
    let mut bench = Bench::with("abcdefghijklmnop");
    bench.settle();
    assert_eq!(bench.statuses("abcdefghijklmnop"), ["done"; 16].join(" "));
    assert_eq!(bench.validated.len(), 2);
    assert_eq!(bench.main, "m0+ca+cb+cc+cd+ce+cf+cg+ch+ci+cj+ck+cl+cm+cn+co+cp");
    let landed = bench.world.ticket('c').work.landed.clone().unwrap();
    assert_eq!((landed.commit.as_str(), landed.landed.as_str()), ("cc", "m0+ca+cb+cc"));
}

#[test]
fn one_culprit_among_eight_costs_six_validations_at_the_most() {
    for culprit in "abcdefgh".chars() {
        let mut bench = Bench::with("abcdefgh");
        bench.bad.insert(format!("c{culprit}"));
        bench.settle();
        assert!(bench.validated.len() <= 6, "{culprit}: {:?}", bench.validated);
        assert_eq!(bench.world.status(culprit), Status::Open);
        let attempt = bench.world.ticket(culprit).attempts.last().unwrap();
        assert_eq!(attempt.report.outcome, Outcome::FailedMerge);
        assert_eq!(attempt.report.failure.as_deref(), Some("validation: the step `test` failed"));
        assert_eq!(attempt.report.diff.as_deref(), Some(format!("c{culprit}").as_str()));
        let rest: String = "abcdefgh".chars().filter(|letter| *letter != culprit).collect();
        assert_eq!(bench.statuses(&rest), ["done"; 7].join(" "));
        assert!(!holds(&bench.main, &format!("c{culprit}")));
    }
}

#[test]
fn every_culprit_is_found() {
    let mut bench = Bench::with("abcdefgh");
    bench.bad.extend(["cb", "cc", "ch"].map(str::to_owned));
    bench.settle();
    assert_eq!(bench.statuses("abcdefgh"), "done open open done done done done open");
}

#[test]
fn what_passes_when_it_is_run_again_lands_and_is_said_to_be_flaky() {
    let mut bench = Bench::with("a");
    bench.flaky.insert("ca".to_owned());
    bench.settle();
    assert_eq!((bench.world.status('a'), bench.validated.len()), (Status::Done, 2));
    let line = bench.world.events.iter().find(|event| event.event == "merge.validated").unwrap();
    assert!(line.data.get().contains("\"flaky\":true"), "{}", line.data.get());

    let mut strict = Bench::with("a");
    strict.queue = Queue::new(Settings { retry_flaky: false, ..Settings::default() });
    strict.flaky.insert("ca".to_owned());
    strict.settle();
    assert_eq!((strict.world.status('a'), strict.validated.len()), (Status::Open, 1));
}

#[test]
fn only_who_conflicts_with_main_itself_is_blamed() {
    let mut bench = Bench::with("abc");
    bench.conflicts = vec![("ca", "cb")];
    bench.bad.insert("ca".to_owned());
    bench.settle();
    // The one that was in its way never landed.
    assert_eq!(bench.statuses("abc"), "open done done");

    let mut bench = Bench::with("abc");
    bench.conflicts = vec![("ca", "cb")];
    bench.settle();
    assert_eq!(bench.statuses("abc"), "done open done");
    let failure = bench.world.ticket('b').attempts.last().unwrap().report.failure.clone();
    assert_eq!(failure.as_deref(), Some("conflict: both change a.rs"));
}

#[test]
fn an_outage_goes_first_even_while_a_culprit_is_sought() {
    let mut bench = Bench::with("abcdefgh");
    bench.bad.insert("ca".to_owned());
    bench.world.file("p");
    let urgent =
        signalbox_core::Changes { priority: Some(Priority::P0), ..signalbox_core::Changes::default() };
    bench.world.ok(&Who::Human, &edit('p', urgent));
    let mut validations = 0;
    bench.before = Some(Box::new(move |world, _, action| {
        if matches!(action, Action::Validate { .. }) {
            validations += 1;
            if validations == 2 {
                hand_over(world, 'p', "cp");
            }
        }
    }));
    bench.settle();
    assert_eq!(bench.validated[2], "m0+cp", "{:?}", bench.validated);
    assert_eq!(bench.statuses("abp"), "open done done");
}

#[test]
fn main_moves_in_mid_validation_and_nobody_is_blamed() {
    let mut bench = Bench::with("ab");
    let mut moved = false;
    bench.before = Some(Box::new(move |_, main, action| {
        if matches!(action, Action::Validate { .. }) && !moved {
            main.push_str("+by-hand");
            moved = true;
        }
    }));
    bench.settle();
    assert_eq!(bench.main, "m0+by-hand+ca+cb");
    assert_eq!(bench.statuses("ab"), "done done");
    assert!(bench.world.board.tickets().all(|ticket| ticket.attempts.len() == 1));
}

#[test]
fn main_moves_in_mid_landing_and_is_left_alone() {
    let mut bench = Bench::with("ab");
    let mut moved = false;
    bench.before = Some(Box::new(move |_, main, action| {
        if matches!(action, Action::Land { .. }) && !moved {
            main.push_str("+by-hand");
            moved = true;
        }
    }));
    bench.settle();
    assert_eq!(bench.main, "m0+by-hand+ca+cb");
    assert_eq!(bench.statuses("ab"), "done done");
}

#[test]
fn whoever_is_withdrawn_or_held_does_not_land_and_the_rest_goes_on() {
    // Before each thing that the queue does, a person takes one of three away.
    let all = Bench::with("abc").settle();
    for command in
        [hold('b'), override_to('b', Status::Backlog), close('b'), override_to('b', Status::Rework)]
    {
        for at in 0..all {
            let mut bench = Bench::with("abc");
            let (mut count, what) = (0, command.clone());
            bench.before = Some(Box::new(move |world, _, _| {
                if count == at {
                    world.ok(&Who::Human, &what);
                }
                count += 1;
            }));
            bench.settle();
            assert_eq!(bench.statuses("ac"), "done done", "{command:?} before {at}");
            let is_on_main = holds(&bench.main, "cb");
            // What has reached main has, whoever wished otherwise.
            assert_eq!(bench.world.ticket('b').work.landed.is_some(), is_on_main, "{command:?} before {at}");
            if is_on_main {
                assert_eq!(bench.world.status('b'), Status::Done, "{command:?} before {at}");
            }
        }
    }
    let mut held = Bench::with("ab");
    held.world.ok(&Who::Human, &hold('a'));
    held.settle();
    assert_eq!((held.statuses("ab").as_str(), stage(&held.world, 'a')), ("blocked done", "queued"));
    held.world.ok(&Who::Human, &unhold('a'));
    held.settle();
    assert_eq!(held.statuses("ab"), "done done");
}

#[test]
fn whenever_it_is_killed_it_goes_on_from_the_events() {
    let cases: [(&[&str], &str); 3] = [
        (&[], "done done done done"),
        (&["cb"], "done open done done"),
        (&["ca", "cd"], "open done done open"),
    ];
    for (bad, expected) in cases {
        let fresh = || {
            let mut bench = Bench::with("abcd");
            bench.bad.extend(bad.iter().map(|commit| (*commit).to_owned()));
            bench
        };
        let all = fresh().settle();
        for at in 0..=all {
            let mut bench = fresh();
            bench.settle_for(at);
            bench.queue = Queue::new(Settings::default());
            bench.settle();
            assert_eq!(bench.statuses("abcd"), expected, "killed after {at} of {all}");
            let parts: Vec<&str> = bench.main.split('+').collect();
            let unique: BTreeSet<&str> = parts.iter().copied().collect();
            assert_eq!(parts.len(), unique.len(), "landed twice: {}", bench.main);
            assert_eq!(parts.len(), 1 + 4 - bad.len());
        }
    }
}

#[test]
fn what_is_validated_lands_after_a_kill_without_being_validated_again() {
    let mut bench = Bench::with("ab");
    // Started, built, validated, and that written down.
    bench.settle_for(4);
    assert_eq!(stage(&bench.world, 'a'), "validated");
    bench.queue = Queue::new(Settings::default());
    bench.settle();
    assert_eq!((bench.statuses("ab").as_str(), bench.validated.len()), ("done done", 1));
}

#[test]
fn a_person_takes_one_away_between_the_move_of_main_and_the_word_of_it() {
    let mut bench = Bench::with("ab");
    bench.settle_for(6);
    assert_eq!((stage(&bench.world, 'a'), bench.main.as_str()), ("landing", "m0+ca+cb"));
    bench.world.ok(&Who::Human, &override_to('a', Status::Open));
    assert_eq!(
        bench.world.code(&Who::System, &start('a', "Bowie", signalbox_core::Role::Doer)),
        "start.not-ready"
    );
    bench.queue = Queue::new(Settings::default());
    bench.settle();
    assert_eq!(bench.statuses("ab"), "done done");

    // Before main is moved it is taken out, and the other one lands alone.
    let mut bench = Bench::with("ab");
    bench.settle_for(5);
    assert_eq!((stage(&bench.world, 'a'), bench.main.as_str()), ("landing", "m0"));
    bench.world.ok(&Who::Human, &override_to('a', Status::Open));
    bench.queue = Queue::new(Settings::default());
    bench.settle();
    assert_eq!((bench.statuses("ab").as_str(), bench.main.as_str()), ("open done", "m0+cb"));
    assert_eq!(stage(&bench.world, 'a'), "none");
}

#[test]
fn late_word_of_an_earlier_run_is_nobodys() {
    let mut bench = Bench::with("a");
    bench.settle_for(2);
    let stale = Input::Checked { run: 1, verdict: Verdict::Passed };
    // Another process began anew, and has it.
    bench.queue = Queue::new(Settings::default());
    bench.settle_for(2);
    assert_eq!(bench.world.ticket('a').work.run, 2);
    assert_eq!(bench.queue.step(&bench.seen(), stale, bench.now), []);
    for step in [MergeStep::Back { run: 1 }, validated("ca", 1), started("ca", 2)] {
        assert_eq!(bench.world.code(&Who::System, &merge('a', step)), "merge.out-of-turn");
    }
}

#[test]
fn while_it_is_paused_nothing_lands() {
    let mut bench = Bench::with("a");
    bench.settle_for(2);
    bench.lands = false;
    // What is being validated is finished, and waits.
    let built = Built::Fits { commit: "m0+ca".to_owned(), tree: "t".to_owned(), diff: None };
    for input in [
        Input::Built { run: 1, results: vec![built] },
        Input::Checked { run: 1, verdict: Verdict::Passed },
        Input::Look,
    ] {
        for action in bench.queue.step(&bench.seen(), input, bench.now) {
            assert!(!matches!(action, Action::Land { .. }));
            if let Action::Record { .. } = action {
                bench.carry_out(&action);
            }
        }
    }
    assert_eq!((stage(&bench.world, 'a'), bench.main.as_str()), ("validated", "m0"));
    bench.lands = true;
    bench.validated.push("m0+ca".to_owned());
    bench.settle();
    assert_eq!((bench.statuses("a").as_str(), bench.validated.len()), ("done", 1));
}

#[test]
fn after_trouble_of_our_own_it_rests() {
    let mut bench = Bench::with("a");
    bench.settle_for(2);
    let trouble = Input::Trouble { run: 1, message: "the disk is full".to_owned() };
    assert_eq!(bench.queue.step(&bench.seen(), trouble, bench.now), []);
    let (message, until) = bench.queue.trouble().map(|(message, until)| (message.to_owned(), until)).unwrap();
    assert_eq!(message, "the disk is full");
    assert_eq!(bench.settle(), 0);
    bench.now = until;
    bench.settle();
    assert_eq!((bench.world.status('a'), bench.queue.trouble()), (Status::Done, None));
}

#[test]
fn an_entry_says_how_far_it_is() {
    let mut bench = Bench::with("abc");
    bench.queue = Queue::new(Settings { batch: 1, ..Settings::default() });
    bench.settle_for(1);
    let items: Vec<Item<'_>> =
        bench.world.board.tickets().map(|ticket| Item::of(ticket, Vec::new(), None, Vec::new())).collect();
    let staged = |at: usize| items[at].ticket.work.staged.unwrap();
    let words = |at: usize| {
        let now = staged(at) + SignedDuration::from_secs(40);
        queue::why(&items, &items[at], now).map(|why| why.to_string())
    };
    assert_eq!(words(0).unwrap(), "It is put on top of main and validated, for 40 s; it is next.");
    assert_eq!(words(1).unwrap(), "It is in the merge queue, for 40 s; 1 is before it.");
    assert_eq!(words(2).unwrap(), "It is in the merge queue, for 40 s; 2 are before it.");
}

/// A queue whose main is a remote's to move.
fn pushing(letters: &str) -> Bench {
    let mut bench = Bench::with(letters);
    bench.queue = Queue::new(Settings { pushes: true, ..Settings::default() });
    bench
}

#[test]
fn what_a_remote_merges_is_pushed_ticket_by_ticket_and_moves_no_main() {
    let mut bench = pushing("ab");
    bench.settle();
    assert_eq!((stage(&bench.world, 'a'), stage(&bench.world, 'b')), ("pushed", "pushed"));
    assert_eq!((bench.main.as_str(), bench.statuses("ab")), ("m0", "review review".to_owned()));
    assert_eq!(bench.validated, ["m0+ca", "m0+cb"]);
    assert_eq!(bench.settle(), 0, "the same is not pushed again");
    let item = Item::of(bench.world.ticket('a'), Vec::new(), None, Vec::new());
    let why = queue::why(&[], &item, bench.now).unwrap().to_string();
    assert!(why.contains("is at `origin` as") && why.contains("when main there has it"), "{why}");

    // One is merged there. The other is validated on what main is now, and pushed again.
    bench.main = "m0+ca".to_owned();
    bench.settle();
    assert_eq!(bench.statuses("ab"), "done review");
    assert_eq!(bench.pushed[id('b').as_str()], "m0+ca+cb");
    assert_eq!(bench.world.ticket('b').attempts.len(), 1, "nobody is blamed for it");
}

#[test]
fn what_a_remote_made_another_commit_of_has_landed_as_that() {
    let mut bench = pushing("a");
    bench.settle();
    bench.main = "m0+other+squashed".to_owned();
    let reached = Reached { commit: bench.main.clone(), tree: "tree".to_owned() };
    bench.merged.insert("m0+ca".to_owned(), reached);
    bench.settle();
    assert_eq!(bench.world.status('a'), Status::Done);
    assert_eq!(bench.world.ticket('a').work.landed.as_ref().unwrap().landed, "m0+other+squashed");
}

#[test]
fn one_that_was_held_when_the_remote_merged_it_is_done_all_the_same() {
    let mut bench = pushing("a");
    bench.settle();
    bench.world.ok(&Who::Human, &hold('a'));
    assert_eq!(bench.settle(), 0);
    bench.main = "m0+ca".to_owned();
    bench.settle();
    assert_eq!(bench.world.status('a'), Status::Done);
}

#[test]
fn one_that_a_person_is_asked_about_waits_and_lets_others_go_on() {
    let mut bench = Bench::with("ab");
    bench.world.ok(&Who::System, &Command::Escalate { hold: vec![id('a')], free: Vec::new() });
    bench.settle();
    assert_eq!(bench.statuses("ab"), "review done");
    bench.world.ok(&Who::System, &Command::Escalate { hold: Vec::new(), free: vec![id('a')] });
    bench.settle();
    assert_eq!(bench.statuses("ab"), "done done");
}
