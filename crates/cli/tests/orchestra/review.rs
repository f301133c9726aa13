//! The gate `independent`, from end to end: who may approve, what, and what a rejection does.

use serde_json::json;

use crate::kit::play::{does, end, sh};
use crate::kit::{Shop, contract};

fn shop(by: &str) -> Shop {
    let gates = format!("[review]\ngates = [\"validate\", \"independent\"]\nby = \"{by}\"\n");
    Shop::with(&format!("{}{gates}", contract()))
}

#[test]
fn a_reviewer_rejects_with_a_reason_that_the_next_doer_reads_and_then_approves() {
    let mut shop = shop("agent");
    let one = shop.ticket("core/one", &["--no-tests"]);
    let reject = format!("sb reject {one} 'the blue one is wanted'");
    shop.script(&[
        // Only a doer that was told of it gets this far.
        ("the blue one is wanted", {
            let mut steps = vec![sh("git diff --quiet main")];
            steps.extend(does("src/one", "blue\nok\n"));
            steps
        }),
        ("doer of core/one, attempt 1", does("src/one", "red\nok\n")),
        (
            "reviewer of core/one, attempt 1",
            vec![sh(&format!("sb review {one}")), sh(&reject), json!({ "think": 100 }), end()],
        ),
        (
            "reviewer of core/one, attempt 2",
            vec![
                sh(&format!("sb review {one}")),
                sh(&format!("sb approve {one} -m 'it is blue'")),
                json!({ "think": 100 }),
                end(),
            ],
        ),
    ]);
    shop.run().success();
    assert_eq!(shop.status(&one), "done");
    assert_eq!(shop.files_at("refs/heads/main")["src/one"], "blue\nok");
    let outcomes: Vec<String> = shop.attempts(&one).into_iter().map(|(_, outcome, _)| outcome).collect();
    assert!(outcomes.contains(&"failed_review".to_owned()), "{outcomes:?}");
    // Four agents, no two of them the same.
    let mut names: Vec<String> = shop
        .agents("core/one")
        .iter()
        .map(|agent| agent["id"].as_str().unwrap_or_default().to_owned())
        .collect();
    names.dedup();
    assert_eq!(names.len(), 4, "{names:?}");
    // Whatever an agent's conversation is called by its CLI, people read the name that the agent began under.
    let events = shop.events();
    let began: Vec<&str> = events
        .iter()
        .filter(|(name, _)| name == "attempt.started")
        .filter_map(|(_, event)| event["data"]["agent"].as_str())
        .collect();
    let theirs = ["attempt.submitted", "review.rejected", "review.approved", "hook.pre-tool"];
    for (name, event) in events.iter().filter(|(name, _)| theirs.contains(&name.as_str())) {
        let actor = event["actor"].as_str().unwrap_or_default();
        assert!(began.contains(&actor), "{name} is {actor}'s, and {began:?} began");
    }
}

#[test]
fn everybody_is_told_what_the_person_wrote_down() {
    let mut shop = shop("agent");
    let home = shop.env.home();
    for (path, words) in
        [("knowledge/conventions.md", "Colours are blue."), ("projects/shop/knowledge/api.md", "No v1.")]
    {
        let path = home.join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        shop.env.write(path, words);
    }
    let one = shop.ticket("core/one", &[]);
    let approve = vec![sh(&format!("sb review {one}")), sh(&format!("sb approve {one} -m fine")), end()];
    // Whoever is not told of it does not know what to do.
    let known = |then: &str| format!("Colours are blue.\n\nFrom api.md:\nNo v1.\n\n{then}");
    let (writes, works, judges) =
        (known("You are on the branch"), known("What was tried before"), known("What was handed in"));
    shop.script(&[
        (&writes, does("tests/one.sh", "grep -q blue src/one\n")),
        (&works, does("src/one", "blue\nok\n")),
        (&judges, approve),
    ]);
    shop.run().success();
    assert_eq!(shop.status(&one), "done");
}

#[test]
fn a_person_approves_and_the_author_cannot() {
    let mut shop = shop("human");
    let one = shop.ticket("core/one", &["--no-tests"]);
    let mut steps = does("src/one", "one\nok\n");
    steps.insert(3, sh(&format!("sb review {one}; sb approve {one} -m 'my own work is good'")));
    shop.script(&[("doer of core/one, attempt 1", steps)]);
    shop.run().success();
    let submission = &shop.show(&one)["work"]["submission"];
    assert!(submission["commit"].is_string(), "{submission}");
    assert_eq!(submission["approved_by"], json!(null));
    assert_eq!(shop.status(&one), "review");
    shop.env.sb(["review", &one]).success();
    shop.env.sb(["approve", &one, "-m", "good"]).success();
    shop.run().success();
    assert_eq!(shop.status(&one), "done");
}

#[test]
fn an_approval_is_for_one_commit_and_no_other() {
    let mut shop = shop("human");
    let one = shop.ticket("core/one", &["--no-tests"]);
    shop.script(&[("doer of core/one, attempt 1", does("src/one", "one\nok\n"))]);
    shop.run().success();
    let first = shop.show(&one)["work"]["submission"]["commit"].clone();
    shop.env.sb(["run", "pause"]).success();
    shop.env.sb(["review", &one]).success();
    shop.env.sb(["approve", &one, "-m", "good"]).success();
    assert_eq!(shop.show(&one)["work"]["submission"]["approved_by"], json!("human"));
    // Somebody slips another commit in before it lands.
    let workspace = shop.workspace("core/one");
    shop.env.write(workspace.join("src/one"), "something else\nok\n");
    shop.git_in(&workspace, &["commit", "-q", "-a", "-m", "slipped in"]);
    shop.env.sb_in(&workspace, ["submit", &one, "-m", "again"]).success();
    shop.env.sb(["run", "resume"]).success();
    shop.run().success();
    let submission = shop.show(&one)["work"]["submission"].clone();
    assert_ne!(submission["commit"], first);
    assert_eq!(submission["approved_by"], json!(null), "{submission}");
    assert_eq!(shop.status(&one), "review");
    assert!(!shop.files_at("refs/heads/main").contains_key("src/one"));
}

/// Reviewers that come to nothing, until a person is asked.
fn nobody_reviews(shop: &mut Shop) -> String {
    let one = shop.ticket("core/one", &["--no-tests"]);
    shop.script(&[
        ("the blue one is wanted", does("src/one", "blue\nok\n")),
        ("doer of core/one,", does("src/one", "one\nok\n")),
    ]);
    shop.run().success();
    assert_eq!(shop.questions()[&one]["kind"], json!("repeated-failure"));
    one
}

#[test]
fn a_person_who_judges_it_has_answered_why_nobody_reviews_it() {
    let mut shop = shop("either");
    let one = nobody_reviews(&mut shop);
    shop.env.sb(["approve", &one, "-m", "I looked at it"]).success().says("is answered by that");
    assert!(shop.questions().is_empty());
    let all = shop.json(&["esc", "list", "--all", "--json"]);
    assert_eq!(all[0]["answer"]["answer"], json!("Approved: I looked at it"), "{all}");
    shop.run().success();
    assert_eq!(shop.status(&one), "done");
    assert_eq!(shop.files_at("refs/heads/main")["src/one"], "one\nok");
}

#[test]
fn a_person_who_sends_it_back_has_answered_it_too() {
    let mut shop = shop("either");
    let one = nobody_reviews(&mut shop);
    shop.env.sb(["reject", &one, "the blue one is wanted"]).success().says("is answered by that");
    assert!(shop.questions().is_empty());
    shop.run().success();
    // It was done anew, and nobody reviews that either.
    shop.env.sb(["approve", &one]).success();
    shop.run().success();
    assert_eq!(shop.files_at("refs/heads/main")["src/one"], "blue\nok");
}

#[test]
fn an_approval_does_not_answer_another_question() {
    let mut shop = shop("human");
    let one = shop.ticket("core/one", &["--no-tests"]);
    shop.script(&[("doer of core/one, attempt 1", does("src/one", "one\nok\n"))]);
    shop.run().success();
    shop.env.sb(["escalate", "Keep the old endpoint?", "--ticket", &one]).success();
    let id = shop.questions()[&one]["id"].as_str().expect("an id").to_owned();
    shop.env.sb(["esc", "promote", &id]).success();
    let refused = shop.env.sb(["approve", &one]).code(4);
    refused.says("Keep the old endpoint?").says(&format!("sb esc answer {id}"));
    assert_eq!(shop.show(&one)["work"]["submission"]["approved_by"], json!(null));
    shop.answer(&one, "Yes");
    shop.env.sb(["approve", &one]).success().says("is approved");
    shop.run().success();
    assert_eq!(shop.status(&one), "done");
}
