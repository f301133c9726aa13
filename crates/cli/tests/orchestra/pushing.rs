//! `merge.mode = "push"`: main is a remote's own. What is validated is pushed as a branch, waits there, and is done when main
//! there has it, however it was merged.

use std::path::PathBuf;

use serde_json::json;

use crate::kit::play::{does, end, sh};
use crate::kit::{Shop, contract, eventually};

/// A shop whose remote is a bare repository beside it, which has main.
fn shop() -> Shop {
    let shop = Shop::with(&format!("{}[merge]\nmode = \"push\"\n", contract()));
    let remote = remote(&shop);
    std::fs::create_dir_all(&remote).expect("a folder");
    shop.git_in(&remote, &["init", "-q", "--bare", "-b", "main"]);
    shop.git(&["remote", "add", "origin", remote.to_str().expect("UTF-8")]);
    shop.git(&["push", "-q", "origin", "main"]);
    shop
}

fn remote(shop: &Shop) -> PathBuf {
    shop.env.root().join("remote.git")
}

/// Where a branch of the remote is.
fn at_remote(shop: &Shop, branch: &str) -> String {
    shop.git_in(&remote(shop), &["rev-parse", &format!("refs/heads/{branch}")])
}

/// A clone of the remote, in which somebody merges.
fn clone(shop: &Shop) -> PathBuf {
    let there = shop.env.root().join("clone");
    let (from, to) = (remote(shop), there.to_str().expect("UTF-8").to_owned());
    shop.git_in(shop.env.root(), &["clone", "-q", from.to_str().expect("UTF-8"), &to]);
    there
}

fn why(shop: &Shop, id: &str) -> String {
    shop.json(&["why", id, "--json"])["why"].as_str().unwrap_or_default().to_owned()
}

/// One ticket, as far as it goes here: its branch is at the remote.
fn pushed(shop: &mut Shop) -> String {
    shop.script(&[("of core/one,", does("src/one", "one\nok\n"))]);
    let one = shop.ticket("core/one", &["--no-tests"]);
    shop.run().success();
    one
}

#[test]
fn a_validated_branch_is_pushed_and_no_main_is_moved() {
    let mut shop = shop();
    let begun = shop.git(&["rev-parse", "HEAD"]);
    let one = pushed(&mut shop);
    assert_eq!(shop.status(&one), "review");
    assert_eq!(shop.show(&one)["work"]["merge"]["stage"], json!("pushed"));
    let said = why(&shop, &one);
    assert!(said.contains("It is at `origin` as core/one") && said.contains("main there"), "{said}");
    let branch = at_remote(&shop, "core/one");
    assert_eq!(shop.git_in(&remote(&shop), &["show", &format!("{branch}:src/one")]), "one\nok");
    for main in [at_remote(&shop, "main"), shop.main(), shop.git(&["rev-parse", "main"])] {
        assert_eq!(main, begun);
    }
    // Whoever looks again pushes nothing, and ends.
    shop.run().success();
    assert_eq!(at_remote(&shop, "core/one"), branch);
    let pushes = shop.events().into_iter().filter(|(name, _)| name == "merge.pushed").count();
    assert_eq!(pushes, 1);
}

/// How somebody merges a branch at the remote: in a clone of it, with plain git.
type Merges = fn(&Shop, &std::path::Path);

const MERGES: &[(&str, Merges)] = &[
    ("fast-forward", |shop, clone| {
        drop(shop.git_in(clone, &["merge", "-q", "--ff-only", "origin/core/one"]));
    }),
    ("merge commit", |shop, clone| drop(shop.git_in(clone, &["merge", "-q", "--no-ff", "origin/core/one"]))),
    ("squash on top of another's work", |shop, clone| {
        shop.env.write(clone.join("src/other"), "another's\nok\n");
        shop.git_in(clone, &["add", "-A"]);
        shop.git_in(clone, &["commit", "-q", "-m", "Another's"]);
        shop.git_in(clone, &["merge", "-q", "--squash", "origin/core/one"]);
        shop.git_in(clone, &["commit", "-q", "-m", "One (#1)"]);
    }),
    ("squash, and changed again since", |shop, clone| {
        shop.git_in(clone, &["merge", "-q", "--squash", "origin/core/one"]);
        shop.git_in(clone, &["commit", "-q", "-m", "One (#1)"]);
        shop.env.write(clone.join("src/one"), "one, but better\nok\n");
        shop.git_in(clone, &["commit", "-q", "-a", "-m", "Better"]);
    }),
];

#[test]
fn it_is_done_when_main_at_the_remote_has_it_however_it_was_merged() {
    for (how, merge) in MERGES {
        let mut shop = shop();
        let one = pushed(&mut shop);
        let clone = clone(&shop);
        merge(&shop, &clone);
        shop.git_in(&clone, &["push", "-q", "origin", "main"]);
        shop.run().success();
        assert_eq!(shop.status(&one), "done", "{how}");
        let main = at_remote(&shop, "main");
        assert_eq!((shop.main(), shop.git(&["rev-parse", "main"])), (main.clone(), main.clone()), "{how}");
        // What it is said to be on main as is there, and holds the work.
        let landed = shop.show(&one)["work"]["landed"]["landed"].as_str().unwrap_or_default().to_owned();
        shop.git_in(&remote(&shop), &["merge-base", "--is-ancestor", &landed, &main]);
        assert_eq!(shop.git_in(&remote(&shop), &["show", &format!("{landed}:src/one")]), "one\nok", "{how}");
        assert!(why(&shop, &one).contains(&landed), "{how}");
    }
}

#[test]
fn a_loop_that_is_killed_over_a_push_pushes_once_more_or_not_at_all() {
    for place in ["push.before", "push.after", "pushed.before", "pushed.after"] {
        let mut shop = shop();
        shop.script(&[("of core/one,", does("src/one", "one\nok\n"))]);
        let one = shop.ticket("core/one", &["--no-tests"]);
        shop.env.set("SIGNALBOX_CRASH", place);
        assert_eq!(shop.run().code, None, "{place}");
        shop.env.unset("SIGNALBOX_CRASH");
        shop.run().success();
        assert!(why(&shop, &one).contains("It is at `origin` as core/one"), "{place}");
        let becomes = shop.show(&one)["work"]["merge"]["to"].clone();
        assert_eq!(becomes, json!(at_remote(&shop, "core/one")), "{place}");
        let validated = shop.events().into_iter().filter(|(name, _)| name == "merge.validated").count();
        assert_eq!(validated, 1, "{place}");
    }
}

#[test]
fn what_the_remotes_main_went_past_is_validated_again_and_pushed_anew() {
    let mut shop = shop();
    shop.script(&[
        ("of core/one,", does("src/one", "one\nok\n")),
        ("of core/two,", does("src/two", "two\nok\n")),
    ]);
    let one = shop.ticket("core/one", &["--no-tests"]);
    let two = shop.ticket("core/two", &["--no-tests"]);
    // Neither waits for the other to be merged.
    shop.run().success();
    let before = at_remote(&shop, "core/two");
    assert!(why(&shop, &one).contains("It is at `origin`") && why(&shop, &two).contains("It is at `origin`"));
    let clone = clone(&shop);
    shop.git_in(&clone, &["merge", "-q", "--ff-only", "origin/core/one"]);
    shop.git_in(&clone, &["push", "-q", "origin", "main"]);
    shop.run().success();
    assert_eq!((shop.status(&one), shop.status(&two)), ("done".to_owned(), "review".to_owned()));
    let after = at_remote(&shop, "core/two");
    assert_ne!(after, before);
    assert_eq!(shop.git_in(&remote(&shop), &["rev-parse", &format!("{after}^")]), at_remote(&shop, "main"));
    let attempts: Vec<String> = shop.attempts(&two).into_iter().map(|(_, outcome, _)| outcome).collect();
    assert_eq!(attempts, ["completed"], "nobody is blamed for it");
    // What somebody added to the branch there is not overwritten.
    shop.git_in(&clone, &["fetch", "-q", "origin"]);
    shop.git_in(&clone, &["switch", "-q", "core/two"]);
    shop.git_in(&clone, &["commit", "-q", "--allow-empty", "-m", "Theirs"]);
    shop.git_in(&clone, &["push", "-q", "origin", "core/two"]);
    let theirs = at_remote(&shop, "core/two");
    shop.git_in(&clone, &["switch", "-q", "main"]);
    shop.git_in(&clone, &["commit", "-q", "--allow-empty", "-m", "Main goes on"]);
    shop.git_in(&clone, &["push", "-q", "origin", "main"]);
    shop.run().success();
    assert_eq!(at_remote(&shop, "core/two"), theirs);
    let question = shop.questions().remove(&two).expect("a question");
    assert!(question["context"].as_str().is_some_and(|words| words.contains("rejected")), "{question}");
    shop.git_in(&remote(&shop), &["update-ref", "-d", "refs/heads/core/two"]);
    shop.answer(&two, "1");
    shop.run().success();
    assert!(why(&shop, &two).contains("It is at `origin`"));
    assert_eq!(shop.git_in(&remote(&shop), &["rev-parse", "refs/heads/core/two^"]), at_remote(&shop, "main"));
}

#[test]
fn a_branch_that_somebody_removed_there_is_asked_about_and_not_pushed_again_by_itself() {
    let mut shop = shop();
    let one = pushed(&mut shop);
    let branch = at_remote(&shop, "core/one");
    shop.git_in(&remote(&shop), &["update-ref", "-d", "refs/heads/core/one"]);
    shop.run().success();
    shop.run().success();
    let refs = shop.git_in(&remote(&shop), &["for-each-ref", "--format=%(refname)"]);
    assert_eq!(refs, "refs/heads/main");
    let question = shop.questions().remove(&one).expect("a question");
    assert!(question["question"].as_str().is_some_and(|words| words.contains("no longer has")), "{question}");
    assert!(why(&shop, &one).contains(question["id"].as_str().expect("an id")));
    shop.answer(&one, "1");
    shop.run().success();
    assert_eq!(at_remote(&shop, "core/one"), branch, "the same work, validated anew");
    assert_eq!(shop.questions().len(), 0);
}

#[test]
fn a_remote_that_says_no_is_asked_about_and_others_go_on() {
    let mut shop = shop();
    let hook = remote(&shop).join("hooks/pre-receive");
    let words = "#!/bin/sh\nif grep -q core/one; then echo 'not before noon' >&2; exit 1; fi\n";
    shop.env.write(&hook, words);
    let may_run = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&hook, may_run).expect("make it a program");
    shop.script(&[
        ("of core/one,", does("src/one", "one\nok\n")),
        ("of core/two,", does("src/two", "two\nok\n")),
    ]);
    let one = shop.ticket("core/one", &["--no-tests"]);
    let two = shop.ticket("core/two", &["--no-tests"]);
    shop.run().success();
    let question = shop.questions().remove(&one).expect("a question");
    let context = question["context"].as_str().unwrap_or_default();
    assert!(context.contains("declined") && context.contains("not before noon"), "{question}");
    assert_eq!((shop.status(&one), shop.status(&two)), ("review".to_owned(), "review".to_owned()));
    assert!(why(&shop, &one).contains(question["id"].as_str().expect("an id")));
    assert!(why(&shop, &two).contains("It is at `origin` as core/two"));
    std::fs::remove_file(&hook).expect("it is noon");
    shop.answer(&one, "1");
    shop.run().success();
    assert!(why(&shop, &one).contains("It is at `origin` as core/one"));
    let outcomes: Vec<String> = shop.attempts(&one).into_iter().map(|(_, outcome, _)| outcome).collect();
    assert_eq!(outcomes, ["completed"], "it is not the work's fault");
}

#[test]
fn without_a_remote_a_person_is_asked_once_and_it_goes_on_when_there_is_one() {
    let mut shop = shop();
    shop.git(&["remote", "remove", "origin"]);
    let one = pushed(&mut shop);
    let questions = shop.questions();
    assert_eq!(questions.len(), 1, "{questions:?}");
    let question = &questions[""];
    let context = question["context"].as_str().unwrap_or_default();
    assert!(context.contains("has no remote `origin`") && context.contains("git remote add"), "{question}");
    assert!(why(&shop, &one).contains(question["id"].as_str().expect("an id")));
    assert_eq!(shop.status(&one), "review");
    // It is put right, and nobody said so: the question is pointless then.
    shop.git(&["remote", "add", "origin", remote(&shop).to_str().expect("UTF-8")]);
    shop.run().success();
    assert!(why(&shop, &one).contains("It is at `origin` as core/one"));
    assert!(shop.questions().is_empty());
}

#[test]
fn a_remote_that_is_gone_holds_up_pushes_and_loses_nothing() {
    let mut shop = shop();
    let elsewhere = shop.env.root().join("elsewhere.git");
    shop.env.rename(remote(&shop), &elsewhere);
    shop.script(&[("of core/one,", does("src/one", "one\nok\n"))]);
    let one = shop.ticket("core/one", &["--no-tests"]);
    let run = shop.begin(&["run", "--until-idle"]);
    eventually("the question", || !shop.questions().is_empty());
    run.end().success();
    let questions = shop.questions();
    assert!(
        questions[""]["question"].as_str().is_some_and(|words| words.contains("`origin`")),
        "{questions:?}"
    );
    shop.env.rename(&elsewhere, remote(&shop));
    shop.env.sb(["esc", "answer", questions[""]["id"].as_str().expect("an id"), "1"]).success();
    shop.run().success();
    assert!(why(&shop, &one).contains("It is at `origin` as core/one"));
    assert_eq!(at_remote(&shop, "main"), shop.main());
}

/// A branch that cannot go on the newer main is a conflict, as anywhere: a person says which wins.
#[test]
fn a_conflict_with_the_remotes_main_is_asked_about() {
    let mut shop = shop();
    let once = does("src/shared", "one\nok\n");
    let again =
        vec![sh("printf 'both\\nok\\n' > src/shared; git commit -qam both; sb submit -m again"), end()];
    shop.script(&[("of core/one, attempt 1", once), ("of core/one,", again)]);
    let one = shop.ticket("core/one", &["--no-tests"]);
    shop.run().success();
    let clone = clone(&shop);
    shop.env.write(clone.join("src/shared"), "theirs\nok\n");
    shop.git_in(&clone, &["commit", "-q", "-a", "-m", "Theirs"]);
    shop.git_in(&clone, &["push", "-q", "origin", "main"]);
    shop.run().success();
    assert_eq!(shop.questions()[&one]["kind"], json!("conflict"));
    shop.answer(&one, "2");
    shop.run().success();
    let branch = at_remote(&shop, "core/one");
    assert_eq!(shop.git_in(&remote(&shop), &["show", &format!("{branch}:src/shared")]), "both\nok");
}
