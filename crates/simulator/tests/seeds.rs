//! Some hundred seeds in every run of the tests; `cargo xtask sim` runs many more, optimised.

use signalbox_simulator::{Summary, run};

#[test]
fn whatever_goes_wrong_main_is_right_and_everything_settles() {
    let mut all = Summary::default();
    for seed in 0..100 {
        let one = run(seed).unwrap_or_else(|failure| panic!("{}", failure.story()));
        all.add(&one);
    }
    // So that it is noticed when nothing happens any more.
    println!("{all:?}");
    assert!(all.kills > 200 && all.moves > 100 && all.agents > 700 && all.done > 150, "{all:?}");
    assert!(all.set_ups > 10, "{all:?}");
}

#[test]
fn a_seed_tells_the_same_story_again() {
    for seed in [1, 7, 42] {
        assert_eq!(run(seed).ok(), run(seed).ok());
    }
}
