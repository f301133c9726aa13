//! What others' tools were caught in: a dirty checkout, a workspace that is gone, a branch that was switched or deleted, a
//! main that was set back, a review that never ends, a cleanup that destroys.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::json;

use crate::kit::play::{commit, does, end, sh, submit, write};
use crate::kit::{Shop, contract, eventually, kill};

/// Wait in a workspace until the person says so.
const UNTIL_TOLD: &str = "for i in $(seq 600); do test -e .git/go-on && break; sleep 0.1; done";

fn independent(by: &str) -> String {
    format!("{}\n[review]\ngates = [\"validate\", \"independent\"]\nby = \"{by}\"\n", contract())
}

/// Wait until an agent of this branch has written this file.
fn waits_for(shop: &Shop, branch: &str, file: &str) {
    let path = shop.workspace(branch).join(file);
    eventually(&format!("{}", path.display()), || path.exists());
}

#[test]
fn a_clean_checkout_follows_and_a_dirty_one_is_left_alone() {
    let mut shop = Shop::new();
    shop.script(&[
        ("of core/one,", does("src/one", "one\nok\n")),
        ("of core/two,", does("src/two", "two\nok\n")),
    ]);
    let project = shop.env.project();
    shop.ticket("core/one", &["--no-tests"]);
    shop.run().success();
    assert_eq!(shop.git(&["rev-parse", "HEAD"]), shop.main());
    assert_eq!(shop.git(&["status", "--porcelain"]), "");
    assert_eq!(shop.env.read(project.join("src/one")), "one\nok\n");

    let two = shop.ticket("core/two", &["--no-tests"]);
    shop.env.write(project.join("src/first"), "half a thought");
    let before = shop.checkout();
    shop.run().success().says("has changes that are not committed");
    assert_eq!(shop.status(&two), "done");
    assert_eq!(shop.checkout(), before);
    assert_ne!(shop.git(&["rev-parse", "main"]), shop.main());
    // The way out that was named.
    shop.git(&["checkout", "-q", "--", "src/first"]);
    shop.git(&["merge", "-q", "--ff-only", "refs/signalbox/main"]);
    assert_eq!(shop.git(&["rev-parse", "main"]), shop.main());
}

#[test]
fn a_workspace_that_is_gone_when_its_agent_dies_is_made_anew() {
    let mut shop = Shop::new();
    shop.script(&[
        ("of core/one, attempt 1", vec![write("src/half", "half\n"), json!({ "think": 60000 })]),
        ("of core/one, attempt 2", does("src/one", "one\nok\n")),
    ]);
    let one = shop.ticket("core/one", &["--no-tests"]);
    let run = shop.begin(&["run", "--until-idle"]);
    waits_for(&shop, "core/one", "src/half");
    std::fs::remove_dir_all(shop.workspace("core/one")).expect("take it away");
    let agent = &shop.agents("core/one")[0];
    kill(u32::try_from(agent["child"]["pid"].as_u64().expect("a process")).expect("a number"));
    run.end().success();
    assert_eq!(shop.status(&one), "done");
    assert_eq!(shop.files_at("refs/heads/main")["src/one"], "one\nok");
    assert_eq!(shop.agents("core/one").len(), 2);
}

#[test]
fn a_branch_that_was_switched_by_hand_is_noticed_and_its_commits_are_kept() {
    let mut shop = Shop::new();
    shop.script(&[
        (
            "of core/one, attempt 1",
            vec![
                write("src/one", "mine\nok\n"),
                commit(),
                sh(UNTIL_TOLD),
                submit(),
                json!({ "think": 100 }),
                end(),
            ],
        ),
        ("of core/one, attempt 2", does("src/one", "one\nok\n")),
    ]);
    let one = shop.ticket("core/one", &["--no-tests"]);
    let run = shop.begin(&["run", "--until-idle"]);
    let workspace = shop.workspace("core/one");
    eventually("its commit", || {
        workspace.join(".git").exists()
            && workspace.join("src/one").exists()
            && shop.git_in(&workspace, &["status", "--porcelain"]).is_empty()
            && !workspace.join(".git/index.lock").exists()
    });
    shop.git_in(&workspace, &["switch", "-q", "-c", "elsewhere"]);
    shop.git_in(&workspace, &["commit", "-q", "--allow-empty", "-m", "not where it should be"]);
    let astray = shop.git_in(&workspace, &["rev-parse", "HEAD"]);
    shop.env.write(workspace.join(".git/go-on"), "");
    run.end().success();
    assert_eq!(shop.status(&one), "done");
    assert_eq!(shop.files_at("refs/heads/main")["src/one"], "one\nok");
    let kept = shop.ours(&["for-each-ref", "--contains", &astray, "--format=%(refname)"]);
    assert!(kept.starts_with("refs/signalbox/keep/"), "{astray} is in {kept:?}");
}

#[test]
fn a_main_that_was_set_back_by_hand_loses_nothing() {
    let mut shop = Shop::new();
    shop.script(&[("of core/one,", does("src/one", "one\nok\n"))]);
    let one = shop.ticket("core/one", &["--no-tests"]);
    shop.run().success();
    let landed = shop.main();
    // By accident: the next run brings it back, and says so.
    shop.git(&["reset", "-q", "--hard", "HEAD~1"]);
    shop.run().success().says("your main was behind");
    assert_eq!(shop.git(&["rev-parse", "HEAD"]), landed);
    assert_eq!(shop.main(), landed);
    assert_eq!(shop.status(&one), "done");
    // On purpose: the person says so, work goes on from there, and the commit is still held.
    shop.git(&["reset", "-q", "--hard", "HEAD~1"]);
    shop.env.sb(["queue", "adopt"]).success();
    shop.run().success();
    assert_eq!(shop.main(), shop.git(&["rev-parse", "HEAD"]));
    assert_ne!(shop.main(), landed);
    assert_ne!(shop.ours(&["for-each-ref", "--contains", &landed]), "");
}

#[test]
fn a_review_that_never_ends_becomes_a_question() {
    let mut shop = Shop::with(&independent("agent").replace("attempts = 3", "attempts = 2"));
    shop.script(&[
        ("doer of core/one,", does("src/one", "one\nok\n")),
        ("reviewer of core/one,", vec![json!({ "crash": 7 })]),
    ]);
    let one = shop.ticket("core/one", &["--no-tests"]);
    shop.run().success();
    assert_eq!(shop.status(&one), "review");
    let outcomes: Vec<_> =
        shop.attempts(&one).into_iter().map(|(role, outcome, _)| (role, outcome)).collect();
    let crashed = ("reviewer".to_owned(), "crashed".to_owned());
    assert_eq!(outcomes[1..], [crashed.clone(), crashed]);

    shop.script(&[(
        "reviewer of core/one,",
        vec![sh(&format!("sb review {one}")), sh(&format!("sb approve {one} -m good")), end()],
    )]);
    shop.answer(&one, "Try again as it is");
    shop.run().success();
    assert_eq!(shop.status(&one), "done");
}

#[test]
fn a_question_about_what_is_done_meanwhile_is_withdrawn() {
    let mut shop = Shop::with(&contract().replace("attempts = 3", "attempts = 1"));
    shop.script(&[("doer of core/one,", vec![json!({ "crash": 7 })])]);
    let one = shop.ticket("core/one", &["--no-tests"]);
    shop.run().success();
    assert!(shop.questions().contains_key(&one));
    shop.env.sb(["close", &one, "I did it myself"]).success();
    shop.run().success();
    assert_eq!(shop.questions().len(), 0);
}

#[test]
fn a_branch_that_is_deleted_before_it_is_merged_lands_all_the_same() {
    let mut shop = Shop::with(&independent("human"));
    shop.script(&[("doer of core/", does("src/one", "one\nok\n"))]);
    for gone in ["branch", "workspace"] {
        let slug = format!("core/{gone}");
        shop.script(&[("doer of core/", does(&format!("src/{gone}"), "one\nok\n"))]);
        let id = shop.ticket(&slug, &["--no-tests"]);
        shop.run().success();
        assert_eq!(shop.status(&id), "review");
        let workspace = shop.workspace(&slug);
        if gone == "branch" {
            shop.git_in(&workspace, &["switch", "-q", "--detach"]);
            shop.git_in(&workspace, &["branch", "-q", "-D", &slug]);
        } else {
            std::fs::remove_dir_all(&workspace).expect("take it away");
        }
        shop.env.sb(["review", &id]).success();
        shop.env.sb(["approve", &id, "-m", "good"]).success();
        shop.run().success();
        assert_eq!(shop.status(&id), "done", "the {gone} was gone");
        assert_eq!(shop.files_at("refs/heads/main")[&format!("src/{gone}")], "one\nok");
    }
}

#[test]
fn a_cleanup_keeps_all_that_was_not_committed() {
    let mut shop = Shop::new();
    shop.script(&[(
        "of core/one,",
        vec![
            write("src/one", "one\nok\n"),
            commit(),
            submit(),
            write("src/one", "one, and a thought\n"),
            write("notes.txt", "nobody knows me\n"),
            sh("mkdir -p deep/down && printf '#!/bin/sh\\n' > deep/down/tool && chmod +x deep/down/tool"),
            sh("printf staged > staged && git add staged"),
            end(),
        ],
    )]);
    let one = shop.ticket("core/one", &["--no-tests"]);
    shop.run().success();
    assert_eq!(shop.status(&one), "done");
    let workspace = shop.workspace("core/one");
    assert!(!workspace.exists());
    let rows = shop.json(&["workspace", "list", "--json"]);
    let row = rows.as_array().and_then(|rows| rows.iter().find(|row| row["ticket"] == one.as_str()));
    assert_eq!(row.map(|row| &row["state"]), Some(&json!("kept")), "{rows}");

    shop.env.sb(["workspace", "restore", &one]).success();
    is_as_it_was(&shop, &workspace);
    // And once more, by hand.
    shop.env.sb(["workspace", "clean", &one]).success().says("refs/signalbox/keep/");
    assert!(!workspace.exists());
    shop.env.sb(["workspace", "restore", &one]).success();
    is_as_it_was(&shop, &workspace);
    shop.env.sb(["workspace", "restore", &one]).code(4).says("has a workspace already");
}

fn is_as_it_was(shop: &Shop, workspace: &Path) {
    assert_eq!(shop.env.read(workspace.join("src/one")), "one, and a thought\n");
    assert_eq!(shop.env.read(workspace.join("notes.txt")), "nobody knows me\n");
    assert_eq!(shop.env.read(workspace.join("staged")), "staged");
    let tool = std::fs::metadata(workspace.join("deep/down/tool")).expect("the tool");
    assert_ne!(tool.permissions().mode() & 0o100, 0);
    let branch = shop.git_in(workspace, &["symbolic-ref", "--short", "HEAD"]);
    assert_eq!(branch, "core/one");
}
