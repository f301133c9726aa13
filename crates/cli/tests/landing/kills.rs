//! `kill -9` of the loop at every step of a merge, once and again: nothing wrong lands, nothing lands twice, nothing is
//! lost, and nothing stands still afterwards.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use signalbox_testkit::Dice;

use crate::ground::{End, Ground, git};

/// The places that are named, in the order of a merge. Between them is every call of git and every change of a file.
const PLACES: &[&str] = &[
    "enqueue.before",
    "enqueue.after",
    "started.before",
    "started.after",
    "build.before",
    "build.after",
    "validate.before",
    "validate.after",
    "validated.before",
    "validated.after",
    "landing.before",
    "landing.after",
    "land.before",
    "land.after",
    "landed.before",
    "landed.after",
    "follow.before",
    "follow.after",
    "keep.before",
    "keep.after",
    "remove.after",
    // Where one of several fails.
    "back.before",
    "back.after",
    "failed.before",
    "failed.after",
];

/// How many runs; `SIGNALBOX_RUNS` says otherwise.
pub fn runs(usual: usize) -> usize {
    std::env::var("SIGNALBOX_RUNS").ok().and_then(|runs| runs.parse().ok()).unwrap_or(usual)
}

/// How the loop is to die.
#[derive(Debug, Clone)]
enum Death {
    /// At a place, the n-th time that it comes by.
    Place(String),
    /// At the n-th change of a file of the store, in the middle of it if it is a write.
    Store(usize),
    /// By the validation, which goes on without it.
    Validation,
}

impl Death {
    fn draw(dice: &mut Dice) -> Self {
        // Most places are passed early, by few tickets.
        let far = dice.below(5);
        match dice.below(10) {
            0..4 => Self::Place(format!("{}:{}", PLACES[dice.below(PLACES.len())], dice.below(2) + 1)),
            4..8 => Self::Place(format!("any:{}", dice.below(40 << far) + 1)),
            8 => Self::Store(dice.below(10 << far) + 1),
            _ => Self::Validation,
        }
    }

    fn strike(&self, ground: &mut Ground) -> End {
        match self {
            Self::Place(place) => ground.run(&[("SIGNALBOX_CRASH", place)]),
            Self::Store(operation) => ground.run(&[("SIGNALBOX_FAULT", &format!("{operation}:kill"))]),
            Self::Validation => {
                ground.env.write(ground.env.root().join("kill"), "");
                let end = ground.run(&[]);
                let _ = std::fs::remove_file(ground.env.root().join("kill"));
                end
            }
        }
    }

    fn name(&self) -> String {
        match self {
            Self::Place(place) => place.split(':').next().unwrap_or_default().to_owned(),
            Self::Store(_) => "store".to_owned(),
            Self::Validation => "validation".to_owned(),
        }
    }
}

/// Each named place kills once, so that none of them is left out, and none is a name that nobody passes.
#[test]
fn killed_at_each_named_place_the_loop_goes_on_where_it_was() {
    std::thread::scope(|scope| {
        for (number, places) in PLACES.chunks(9).enumerate() {
            scope.spawn(move || die_at_each(number, places));
        }
    });
}

fn die_at_each(number: usize, places: &[&str]) {
    let mut dice = Dice::new(number);
    let mut ground = Ground::new(3);
    for place in places {
        ground.hand_in(&mut dice, false);
        let fails = place.starts_with("back") || place.starts_with("failed");
        ground.hand_in(&mut dice, fails);
        // One of them has a workspace that is removed afterwards.
        while !ground.handed.iter().rev().take(2).any(|handed| handed.workspace.is_some() && !handed.is_bad) {
            ground.hand_in(&mut dice, false);
        }
        assert_eq!(ground.run(&[("SIGNALBOX_CRASH", place)]), End::Killed, "nobody passes {place}");
        ground.check_main();
        assert_eq!(ground.run(&[]), End::Idle);
        ground.check_all();
    }
}

/// So many rounds are played in one repository, each of them on what the ones before left.
const ROUNDS: usize = 5;

#[test]
fn killed_anywhere_it_lands_what_was_validated_and_loses_nothing() {
    let runs = runs(30);
    let first = std::env::var("SIGNALBOX_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(0);
    let (next, tally) = (AtomicUsize::new(first), Tally::default());
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while tally.all() < runs {
                    play(next.fetch_add(1, Ordering::SeqCst), &tally);
                }
            });
        }
    });
    let (kills, slowest) = (tally.kills.lock().expect("the counts"), tally.slowest.lock().expect("the time"));
    eprintln!("{} kills, the slowest end after one {slowest:?}: {kills:?}", kills.values().sum::<usize>());
}

/// What was done, by all that play.
#[derive(Default)]
struct Tally {
    kills: Mutex<BTreeMap<String, usize>>,
    slowest: Mutex<Duration>,
}

impl Tally {
    fn all(&self) -> usize {
        self.kills.lock().expect("the counts").values().sum()
    }
}

/// One repository and its rounds. The seed is all that is needed to play them again.
fn play(seed: usize, tally: &Tally) {
    let told = Told(seed);
    let mut dice = Dice::new(seed);
    let mut ground = Ground::new(1 + dice.below(4));
    for _ in 0..ROUNDS {
        let tickets = 1 + dice.below(4);
        let bad = dice.below(12);
        for number in 0..tickets {
            ground.hand_in(&mut dice, number == bad);
        }
        if dice.below(4) == 0 {
            ground.leave_unsaved(&format!("not saved {seed}\n"));
        }
        for _ in 0..=dice.below(3) {
            let death = Death::draw(&mut dice);
            let end = death.strike(&mut ground);
            ground.check_main();
            if end == End::Idle {
                break;
            }
            *tally.kills.lock().expect("the counts").entry(death.name()).or_default() += 1;
        }
        let begun = Instant::now();
        assert_eq!(ground.run(&[]), End::Idle);
        {
            let mut slowest = tally.slowest.lock().expect("the time");
            *slowest = begun.elapsed().max(*slowest);
        }
        ground.check_all();
        if ground.unsaved.is_some() {
            // What waited for the person's file follows when it is out of the way.
            ground.save();
            assert_eq!(ground.run(&[]), End::Idle);
            ground.check_all();
        }
    }
    std::mem::forget(told);
}

/// Says how a seed that fails is played again.
struct Told(usize);

impl Drop for Told {
    fn drop(&mut self) {
        let seed = self.0;
        eprintln!(
            "again: SIGNALBOX_SEED={seed} SIGNALBOX_RUNS=1 cargo nextest run -p signalbox-cli killed_anywhere"
        );
    }
}

/// A git that was killed together with the loop leaves its locks: those in our repository are nobody's after a while, and
/// one of the person's own holds up nothing but their main.
#[test]
fn locks_that_a_killed_git_left_hold_nothing_up_for_long() {
    let mut dice = Dice::new(1);
    let mut ground = Ground::new(2);
    ground.hand_in(&mut dice, false);
    ground.hand_in(&mut dice, false);
    assert_eq!(ground.run(&[("SIGNALBOX_CRASH", "land.before")]), End::Killed);
    let theirs = ground.env.project().join(".git/refs/heads/main.lock");
    let before = git(&ground.env.project(), &["rev-parse", "main"]);
    for lock in [ground.integration().join("refs/heads/main.lock"), theirs.clone()] {
        ground.env.write(lock, "");
    }
    assert_eq!(ground.run(&[]), End::Idle);
    assert_eq!(ground.check_main().len(), 2);
    assert_eq!(git(&ground.env.project(), &["rev-parse", "main"]), before);
    std::fs::remove_file(theirs).expect("the person's lock");
    assert_eq!(ground.run(&[]), End::Idle);
    ground.check_all();
}
