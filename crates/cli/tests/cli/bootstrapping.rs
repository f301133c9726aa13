//! `sb bootstrap`: a contract and first tickets from what is in the repository.

use serde_json::Value;
use signalbox_testkit::TestEnv;

use crate::support::{self, json};

fn rust_repository() -> TestEnv {
    let env = support::empty();
    env.write(env.project().join("Cargo.toml"), "[package]\nname = \"shop\"\nversion = \"0.1.0\"\n");
    env.write(env.project().join("Cargo.lock"), "");
    std::fs::create_dir_all(env.project().join(".git/refs/heads")).expect("folders");
    std::fs::create_dir_all(env.project().join("src/deep")).expect("folders");
    env
}

#[test]
fn it_only_prints_until_it_is_told_to_write() {
    let env = rust_repository();
    let before = env.files_below(env.project());
    env.sb(["bootstrap"])
        .success()
        .says("cargo test --locked")
        .says("infra/first-test")
        .says("`sb bootstrap --write --tickets` writes it");
    assert_eq!(env.files_below(env.project()), before);
    env.sb(["projects"]).success().never_says("shop");
}

#[test]
fn written_trusted_and_filed() {
    let env = rust_repository();
    let below = env.project().join("src/deep");
    let run = env.sb_in(&below, ["bootstrap", "--write", "--tickets"]).success();
    run.says("is now the project `shop`").says("Wrote .signalbox/project.toml.").says("sb trust");
    env.sb(["trust", "--yes"]).success().says("validate: test  cargo test --locked");
    let titles = env.sb(["list", "--json"]).success();
    let tickets = json(&titles);
    let mut slugs: Vec<&str> =
        tickets.as_array().expect("a list").iter().filter_map(|ticket| ticket["slug"].as_str()).collect();
    slugs.sort_unstable();
    assert_eq!(slugs, ["ci", "first-test", "format", "lint-rust"]);
    assert!(tickets.as_array().expect("a list").iter().all(|ticket| ticket["needs_tests"] == false));
    // A second time nothing is doubled.
    let again = env.sb(["bootstrap", "--write", "--tickets"]).success();
    again.says("is like that already").says("infra/ci was filed before");
    assert_eq!(json(&env.sb(["list", "--json"]).success()).as_array().map(Vec::len), Some(4));
}

#[test]
fn what_a_person_wrote_is_not_overwritten() {
    let env = rust_repository();
    std::fs::create_dir(env.project().join(".signalbox")).expect("a folder");
    let path = env.project().join(".signalbox/project.toml");
    env.write(&path, "# mine\nmain = \"trunk\"\n");
    env.sb(["bootstrap", "--write"]).code(4).says("- # mine").says("`--force`");
    assert_eq!(env.read(&path), "# mine\nmain = \"trunk\"\n");
    env.sb(["bootstrap", "--force"]).code(2);
    env.sb(["bootstrap", "--write", "--force"]).success();
    assert!(env.read(&path).contains("cargo test"));
    // Nothing is written through a link.
    let outside = env.root().join("outside.toml");
    env.write(&outside, "# elsewhere\n");
    std::fs::remove_file(&path).expect("remove it");
    std::os::unix::fs::symlink(&outside, &path).expect("a link");
    env.sb(["bootstrap", "--write", "--force"]).code(4).says("is a link");
    assert_eq!(env.read(&outside), "# elsewhere\n");
}

#[test]
fn agents_may_look_but_not_write() {
    let env = rust_repository();
    let mut ada = env.agent("ada");
    ada.sb(["bootstrap"]).success();
    for option in ["--write", "--tickets"] {
        ada.sb(["bootstrap", option]).code(4).says("only a human may");
    }
}

#[test]
fn as_json() {
    let env = rust_repository();
    let told = json(&env.sb(["bootstrap", "--json"]).success());
    assert_eq!(told["found"]["languages"], serde_json::json!(["Rust"]));
    assert_eq!((&told["written"], &told["filed"]), (&Value::Bool(false), &serde_json::json!([])));
    assert_eq!(told["found"]["steps"][0]["run"], "cargo test --locked");
    assert!(told["contract"].as_str().is_some_and(|text| text.contains("[validate]")));
    env.sb(["bootstrap", "nowhere"]).code(3).says("cannot be used");
}
