//! `sb shape` with an agent: it writes a plan with the person, who then sees it drawn and says yes or no.

use serde_json::json;
use signalbox_testkit::TestEnv;

use crate::kit::{env, json_of, sb};
use crate::window::Window;

/// An environment in which the shaper is a puppet that writes this plan, or none.
fn with_shaper(plan: Option<&str>) -> TestEnv {
    let mut env = env();
    let scratch = env.root().join("scratch");
    std::fs::create_dir(&scratch).expect("a folder");
    env.set("TMPDIR", scratch.to_str().expect("UTF-8"));
    let mut steps = vec![json!({ "think": 100 })];
    if let Some(plan) = plan {
        env.write(env.root().join("wanted.toml"), plan);
        let command = format!(
            "cp '{}' \"$(echo \"$TMPDIR\"/sb-shape-*)/plan.toml\"",
            env.root().join("wanted.toml").display()
        );
        steps.push(json!({ "tool": { "name": "Bash", "input": { "command": command }, "run": true } }));
    }
    steps.push(json!({ "crash": 0 }));
    let script = env.root().join("shaper.json");
    env.write(&script, json!({ "otherwise": steps }).to_string());
    std::fs::create_dir(env.project().join(".signalbox")).expect("a folder");
    let contract = format!(
        "[roles.shaper]\ndriver = \"puppet\"\nargs = [\"--script\", {}]\n",
        json!(script.to_str().expect("UTF-8"))
    );
    env.write(env.project().join(".signalbox/project.toml"), contract);
    env
}

const PLAN: &str = "[[tickets]]\nkey = \"a\"\ntitle = \"First\"\n[[tickets]]\nkey = \"b\"\ntitle = \"Second\"\ndepends_on = [\"a\"]\n";

fn titles(env: &TestEnv) -> Vec<String> {
    let listed = json_of(&env.sb(["list", "--all", "--json"]).success());
    let rows = listed.as_array().expect("a list").iter();
    let titles = rows.filter_map(|row| row["title"].as_str().map(ToOwned::to_owned));
    // What is filed at the same time is listed in any order.
    let mut titles: Vec<String> = titles.collect();
    titles.sort();
    titles
}

#[test]
fn a_plan_is_shaped_drawn_and_filed() {
    let env = with_shaper(Some(PLAN));
    // Its arguments come from the repository.
    env.sb(["shape"]).code(4).says("nobody has trusted");
    env.sb(["trust", "--yes"]).success();
    env.sb(["escalate", "Which first?"]).success();
    env.sb(["esc", "promote", "1"]).success();
    let mut window = Window::open(&sb(&env, ["shape", "--reshape"]));
    window.wait_for("File these 2 tickets in `shop`?");
    assert!(window.shows("← a"), "{}", window.text());
    assert!(titles(&env).is_empty());
    window.press("y\r");
    assert_eq!(window.finish(), 0);
    assert_eq!(titles(&env), ["First", "Second"]);
    let started = env.sb(["log", "--event", "agent.started", "--json"]).success().stdout;
    assert!(started.contains("\"role\":\"shaper\""), "{started}");
    let prompts: String = env
        .files_below(env.root())
        .iter()
        .map(|(_, bytes)| String::from_utf8_lossy(bytes).into_owned())
        .collect();
    assert!(
        prompts.contains("esc-0001: Which first?") && prompts.contains("sb shape --check"),
        "the shaper was not told"
    );
}

#[test]
fn no_means_no_and_no_plan_is_no_harm() {
    let env = with_shaper(Some(PLAN));
    env.sb(["trust", "--yes"]).success();
    let mut window = Window::open(&sb(&env, ["shape"]));
    window.wait_for("File these 2 tickets");
    window.press("n\r");
    assert_eq!(window.finish(), 4);
    assert!(titles(&env).is_empty());
    let env = with_shaper(None);
    env.sb(["trust", "--yes"]).success();
    let mut window = Window::open(&sb(&env, ["shape"]));
    window.wait_for("No plan was written");
    assert_eq!(window.finish(), 0);
}
