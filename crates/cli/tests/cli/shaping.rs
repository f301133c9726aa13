//! `sb shape --from` and `--check`: a graph of tickets that is filed all at once, and only once a human has seen it.

use serde_json::{Value, json};
use signalbox_testkit::TestEnv;

use crate::env;
use crate::support::{json as value, ticket};

const PLAN: &str = r#"
initiative = "logins"

[[tickets]]
key = "limit"
title = "Refuse the sixth login in a minute"
area = "core"
depends_on = ["schema"]
priority = "P2"
acceptance = ["The sixth is refused"]
files = ["src/login.rs"]

[[tickets]]
key = "schema"
title = "Store when a login failed"
area = "core"
body = "A table."
files = ["src/store/**"]

[[tickets]]
key = "docs"
title = "Say it in the handbook"
slug = "handbook"
needs_tests = false
depends_on = ["limit"]
"#;

fn with_plan(text: &str) -> TestEnv {
    let env = env();
    env.write(env.project().join("plan.toml"), text);
    env
}

fn tickets(env: &TestEnv) -> Vec<Value> {
    value(&env.sb(["list", "--all", "--json"]).success()).as_array().cloned().expect("a list")
}

#[test]
fn drawn_and_filed_all_at_once() {
    let env = with_plan(PLAN);
    insta::assert_snapshot!(env.sb(["shape", "--from", "plan.toml"]).code(4), @"
    At once:
      schema  Store when a login failed           [core/schema, P3]
    Then:
      limit   Refuse the sixth login in a minute  [core/limit, P2]  ← schema
    Then (3):
      docs    Say it in the handbook              [handbook, P3, no tests first]  ← limit
    --- stderr
    error: nothing was filed
    hint: `sb shape --from plan.toml --yes` files it without asking.
    --- exit 4
    ");
    assert!(tickets(&env).is_empty());
    let filed = value(&env.sb(["shape", "--from", "plan.toml", "--yes", "--json"]).success());
    let id = |key: &str| -> String {
        let rows = filed["filed"].as_array().expect("a list");
        rows.iter()
            .find(|row| row["key"] == key)
            .and_then(|row| row["id"].as_str())
            .expect("an id")
            .to_owned()
    };
    let limit = ticket(&env, &id("limit"));
    for (name, want) in [
        ("status", json!("blocked")),
        ("depends_on", json!([id("schema")])),
        ("priority", json!("P2")),
        ("area", json!("core")),
        ("slug", json!("limit")),
        ("initiative", json!("logins")),
        ("files", json!(["src/login.rs"])),
        ("needs_tests", json!(true)),
    ] {
        assert_eq!(limit[name], want, "{name}");
    }
    assert_eq!(ticket(&env, &id("schema"))["status"], "open");
    let docs = ticket(&env, &id("docs"));
    assert_eq!((&docs["slug"], &docs["needs_tests"]), (&json!("handbook"), &json!(false)));
    // One batch: all of it or nothing.
    let created = env.sb(["log", "--event", "ticket.created", "--json"]).success().stdout;
    assert_eq!(created.lines().count(), 3);
    let log = env.read(env.log_file());
    assert!(log.contains("\"batch\":[4,5]"), "{log}");
    // Filing it again doubles nothing.
    env.sb(["shape", "--from", "plan.toml", "--yes"]).code(2).says("was this plan filed before?");
    assert_eq!(tickets(&env).len(), 3);
    env.sb(["doctor"]).success();
}

#[test]
fn it_can_wait_for_tickets_that_are_there_and_answer_questions() {
    let env = env();
    let there = env.new_ticket("There already");
    env.sb(["escalate", "Which database?", "--ticket", &there]).success();
    env.sb(["esc", "promote", "1"]).success();
    let plan = format!(
        "[[tickets]]\nkey = \"a\"\ntitle = \"A\"\ndepends_on = [\"{there}\"]\n\
         [[answers]]\nescalation = \"1\"\nanswer = \"SQLite: see the ticket A\"\n"
    );
    env.sb_with_input(["shape", "--from", "-", "--yes"], plan).success().says("Filed sb_");
    assert_eq!(ticket(&env, &there)["escalated"], false);
    let shown = value(&env.sb(["esc", "show", "1", "--json"]).success());
    assert_eq!(shown["answer"]["answer"], "SQLite: see the ticket A");
    let filed = tickets(&env).into_iter().find(|ticket| ticket["title"] == "A").expect("it");
    assert_eq!(filed["depends_on"], json!([there]));
}

#[test]
fn what_is_wrong_is_said_and_nothing_is_filed() {
    let env = with_plan(
        "[[tickets]]\nkey = \"a\"\ntitle = \"A\"\ndepends_on = [\"b\"]\n[[tickets]]\nkey = \"b\"\ntitle = \"B\"\ndepends_on = [\"a\"]\n",
    );
    env.sb(["shape", "--check", "plan.toml"]).code(2).says("a → b → a would wait for itself");
    env.write(
        env.project().join("plan.toml"),
        "[[tickets]]\nkey = \"a\"\ntitle = \"A\"\ndepends_on = [\"sb_zzzzzz\", \"x\"]\n[[answers]]\nescalation = \"9\"\nanswer = \"x\"\n",
    );
    env.sb(["shape", "--from", "plan.toml", "--yes"])
        .code(2)
        .says("there is no ticket `sb_zzzzzz`")
        .says("it depends on `x`, which is not in the plan")
        .says("there is no escalation `9` to answer");
    env.sb(["shape", "--check", "nowhere.toml"]).code(3).says("there is no file nowhere.toml");
    env.write(env.project().join("plan.toml"), "[[tickets]\n");
    env.sb(["shape", "--check", "plan.toml"]).code(2).says("plan.toml, line 1: ");
    env.sb(["shape", "--check", "x", "--from", "y"]).code(2);
    assert!(tickets(&env).is_empty());
}

#[test]
fn the_contracts_areas_count() {
    let env = with_plan(PLAN);
    std::fs::create_dir(env.project().join(".signalbox")).expect("a folder");
    env.write(env.project().join(".signalbox/project.toml"), "areas = [\"cli\"]\n");
    env.sb(["shape", "--check", "plan.toml"])
        .code(2)
        .says("the contract knows no area `core`; there are cli");
}

#[test]
fn agents_check_and_do_not_file() {
    let env = with_plan(PLAN);
    let mut ada = env.agent("ada");
    ada.sb(["shape", "--check", "plan.toml"]).success().says("The plan can be filed.");
    ada.sb(["shape", "--from", "plan.toml", "--yes"]).code(4).says("only a human may");
    ada.sb(["shape"]).code(4).says("only a human may");
    assert!(tickets(&env).is_empty());
}

#[test]
fn for_graphviz_and_as_json() {
    let text = PLAN.replace("Say it in the handbook", "Say \\\"it\\\" \\\\ there \\u001b[31m");
    let env = with_plan(&text);
    insta::assert_snapshot!(env.sb(["shape", "--check", "plan.toml", "--dot"]).success(), @r#"
    digraph plan {
      rankdir=LR;
      node [shape=box];
      "limit" [label="Refuse the sixth login in a minute"];
      "schema" [label="Store when a login failed"];
      "docs" [label="Say \"it\" \\ there \\x1b[31m"];
      "schema" -> "limit";
      "limit" -> "docs";
    }
    --- stderr
    The plan can be filed.
    "#);
    let told = value(&env.sb(["shape", "--check", "plan.toml", "--json"]).success());
    assert_eq!(told["plan"]["tickets"].as_array().map(Vec::len), Some(3));
    crate::support::safe(env.sb(["shape", "--check", "plan.toml"]).success());
}
