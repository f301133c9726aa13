//! What people do to the loop: pause, drain, stop, a second one beside it, Ctrl-C, a kill. Agents outlive it, and no ticket
//! ever has two.

use serde_json::{Value, json};

use crate::kit::play::{commit, does, end, sh, submit, write};
use crate::kit::{Loop, Shop, contract, eventually};

/// Work that waits for the person's word, in the middle.
fn waits_for_word(path: &str) -> Vec<Value> {
    let wait = "for i in $(seq 600); do test -e .git/go-on && break; sleep 0.1; done";
    vec![write(path, "one\nok\n"), sh(wait), commit(), submit(), json!({ "think": 100 }), end()]
}

/// A loop whose one agent is in the middle of its work.
fn at_work(shop: &mut Shop, more: &[&str]) -> (String, Loop) {
    shop.script(&[
        ("of core/one, attempt 1", waits_for_word("src/one")),
        ("of core/one,", does("src/one", "one\nok\n")),
        ("of core/two,", does("src/two", "two\nok\n")),
    ]);
    let one = shop.ticket("core/one", &["--no-tests"]);
    let words: Vec<&str> = ["run"].iter().chain(more).copied().collect();
    let run = shop.begin(&words);
    let file = shop.workspace("core/one").join("src/one");
    eventually("an agent at work", || file.exists());
    (one, run)
}

fn go_on(shop: &Shop) {
    shop.env.write(shop.workspace("core/one").join(".git/go-on"), "");
}

/// The work is on main, and exactly one agent did it.
#[track_caller]
fn is_done_by_one(shop: &Shop, id: &str) {
    assert_eq!(shop.status(id), "done");
    assert_eq!(shop.agents("core/one").len(), 1, "a second agent was started");
    assert_eq!(shop.files_at("refs/heads/main")["src/one"], "one\nok");
    let landed = shop.events().into_iter().filter(|(name, _)| name == "merge.landed").count();
    assert_eq!(landed, 1);
}

#[test]
fn a_second_loop_is_refused_and_ctrl_c_leaves_agents_to_the_next() {
    let mut shop = Shop::new();
    let (one, run) = at_work(&mut shop, &[]);
    shop.env.sb(["run", "--once"]).code(4).says("a loop runs for `shop` already").says("sb run stop");
    assert_eq!(shop.json(&["run", "status", "--json"])["running"], json!(true));
    run.interrupt();
    run.end().success().says("1 agent go");
    let status = shop.json(&["run", "status", "--json"]);
    assert_eq!(status["running"], json!(false));
    assert_eq!(status["agents"].as_array().map(Vec::len), Some(1), "{status}");
    let next = shop.begin(&["run", "--until-idle"]);
    eventually("the next loop", || shop.json(&["run", "status", "--json"])["running"] == json!(true));
    go_on(&shop);
    next.end().success();
    is_done_by_one(&shop, &one);
}

#[test]
fn a_loop_that_is_killed_leaves_agents_to_the_next() {
    let mut shop = Shop::new();
    let (one, run) = at_work(&mut shop, &[]);
    run.kill();
    assert_eq!(run.end().code, None);
    // It hands in while nobody looks.
    go_on(&shop);
    eventually("its submission", || shop.show(&one)["work"]["submission"].is_object());
    shop.run().success();
    is_done_by_one(&shop, &one);
}

/// Nothing ever ran, so nothing is counted.
#[test]
fn a_loop_that_is_killed_before_its_agent_begins_costs_no_attempt() {
    let mut shop = Shop::with(&contract().replace("attempts = 3", "attempts = 1"));
    shop.script(&[("of core/one, attempt", does("src/one", "one\nok\n"))]);
    let one = shop.ticket("core/one", &["--no-tests"]);
    shop.env.set("SIGNALBOX_CRASH", "start.after");
    assert_eq!(shop.run().code, None);
    shop.env.unset("SIGNALBOX_CRASH");
    assert!(shop.show(&one)["work"]["start"].is_object());
    shop.run().success();
    let outcomes: Vec<String> = shop.attempts(&one).into_iter().map(|(_, outcome, _)| outcome).collect();
    assert_eq!(outcomes, ["stopped", "completed"]);
    assert_eq!((shop.status(&one).as_str(), shop.questions().len()), ("done", 0));
}

#[test]
fn a_loop_that_is_stopped_ends_its_agents_and_blames_nobody() {
    let mut shop = Shop::new();
    let (one, run) = at_work(&mut shop, &[]);
    shop.env.sb(["run", "stop"]).success();
    run.end().success();
    assert_eq!(shop.json(&["run", "status", "--json"])["agents"], json!([]));
    let outcomes: Vec<String> = shop.attempts(&one).into_iter().map(|(_, outcome, _)| outcome).collect();
    assert_eq!(outcomes, ["stopped"]);
    assert_eq!(shop.status(&one), "open");
    shop.env.sb(["run", "stop"]).code(4).says("no loop runs");
    // What it had written is there for the next one, which is not told to stop.
    assert!(shop.workspace("core/one").join("src/one").exists());
    shop.run().success();
    assert_eq!(shop.status(&one), "done");
}

#[test]
fn paused_nothing_begins_and_nothing_lands() {
    let mut shop = Shop::new();
    let (one, run) = at_work(&mut shop, &["--until-idle"]);
    shop.env.sb(["run", "pause"]).success();
    let two = shop.ticket("core/two", &["--no-tests"]);
    go_on(&shop);
    eventually("its submission", || shop.show(&one)["work"]["submission"].is_object());
    run.interrupt();
    run.end().success();
    shop.begin(&["run", "--until-idle"]).end().success();
    assert_eq!(shop.status(&one), "review");
    assert_eq!(shop.status(&two), "open");
    assert!(shop.agents("core/two").is_empty());
    shop.env.sb(["why", &two]).success().says("paused");
    assert_eq!(shop.json(&["run", "status", "--json"])["control"], json!("paused"));
    shop.env.sb(["run", "resume"]).success();
    shop.run().success();
    is_done_by_one_of_two(&shop, &one, &two);
}

fn is_done_by_one_of_two(shop: &Shop, one: &str, two: &str) {
    assert_eq!((shop.status(one), shop.status(two)), ("done".to_owned(), "done".to_owned()));
    assert_eq!(shop.agents("core/one").len(), 1);
}

#[test]
fn drained_what_is_under_way_lands_and_nothing_new_begins() {
    let mut shop = Shop::new();
    let (one, run) = at_work(&mut shop, &["--until-idle", "--concurrency", "1"]);
    let two = shop.ticket("core/two", &["--no-tests"]);
    shop.env.sb(["run", "drain"]).success();
    go_on(&shop);
    run.end().success();
    is_done_by_one(&shop, &one);
    assert_eq!(shop.status(&two), "open");
    assert!(shop.agents("core/two").is_empty());
    shop.env.sb(["run", "resume"]).success();
    shop.run().success();
    assert_eq!(shop.status(&two), "done");
}

#[test]
fn no_more_work_at_once_than_was_said() {
    let mut shop = Shop::new();
    shop.env.sb(["run", "concurrency", "1"]).success();
    let (one, run) = at_work(&mut shop, &["--until-idle"]);
    let two = shop.ticket("core/two", &["--no-tests"]);
    eventually("its place in the line", || {
        shop.json(&["why", &two, "--json"])["why"].as_str().is_some_and(|why| why.contains("as may be (1)"))
    });
    assert!(shop.agents("core/two").is_empty());
    // More are allowed while it runs.
    shop.env.sb(["run", "concurrency", "0"]).success();
    eventually("the second agent", || shop.agents("core/two").len() == 1);
    go_on(&shop);
    run.end().success();
    is_done_by_one_of_two(&shop, &one, &two);
}

/// A person's own branch, in their own checkout, goes the same way.
#[test]
fn a_person_hands_in_their_own_branch() {
    let mut shop = Shop::new();
    shop.script(&[]);
    let one = shop.ticket("core/one", &["--no-tests"]);
    // The queue is there from the first run on.
    shop.env.sb(["pick", &one]).success();
    shop.run().success();
    let project = shop.env.project();
    shop.git(&["switch", "-q", "-c", "pats/idea"]);
    shop.env.write(project.join("src/idea"), "an idea\nok\n");
    // A person may change tests.
    shop.env.write(project.join("tests/idea.sh"), "grep -q idea src/idea\n");
    shop.commit("My idea");
    shop.env.sb(["submit", "-m", "I did it myself"]).success();
    let before = shop.checkout();
    shop.run().success();
    assert_eq!(shop.status(&one), "done");
    assert_eq!(shop.files_at("refs/heads/main")["src/idea"], "an idea\nok");
    assert_eq!(shop.git(&["rev-parse", "main"]), shop.main());
    let files = |all: &std::collections::BTreeMap<std::path::PathBuf, Vec<u8>>| -> Vec<std::path::PathBuf> {
        all.keys().filter(|path| !path.ends_with("refs/heads/main")).cloned().collect()
    };
    assert_eq!(files(&before), files(&shop.checkout()));
    assert_eq!(shop.git(&["symbolic-ref", "--short", "HEAD"]), "pats/idea");

    // One that does not pass goes back to the person, who is no agent that could be set to work again.
    let two = shop.ticket("core/two", &["--no-tests"]);
    shop.env.sb(["pick", &two]).success();
    shop.git(&["switch", "-q", "-c", "pats/mistake", "main"]);
    shop.env.write(project.join("src/mistake"), "not at all\n");
    shop.commit("A mistake");
    shop.env.sb(["submit", &two, "-m", "done"]).success();
    shop.script(&[("of core/two,", does("src/two", "two\nok\n"))]);
    shop.run().success();
    assert!(!shop.files_at("refs/heads/main").contains_key("src/mistake"));
    let why: Vec<String> = shop.attempts(&two).into_iter().map(|(.., why)| why).collect();
    assert!(why.first().is_some_and(|why| why.starts_with("validation")), "{why:?}");
}
