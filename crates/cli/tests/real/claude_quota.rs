//! An account that is empty, with the real Claude Code: it says so through its hook, is ended, and goes on with the same
//! conversation when there is something again.

use jiff::Timestamp;
use serde_json::{Value, json};
use signalbox_testkit::clis::{Size, skip_without};
use signalbox_testkit::model::{Model, Script, Turn};

use crate::support::{Outcome, Scene, bash, text};
use crate::wrapped::PATIENCE;

const APPROVE: &str = "[projects.shop.approve]\ntools = [\"Write\"]\n\
                       commands = [\"git add *\", \"git commit *\", \"sb submit *\"]\n";

const CONTRACT: &str = "[run]\nbackoff = \"1s\"\nattempts = 1\n[roles.doer]\npool = \"claude-of-pat\"\n\
                        [validate]\nretry_flaky = false\nsteps = [{ name = \"test\", run = \"test -e src/one\" }]\n";

/// In how many seconds there is something again. Claude Code has to begin and to be ended in that time.
const REST: i64 = 25;

#[test]
fn claude_says_that_its_account_is_empty_and_goes_on_when_it_is_not() {
    if skip_without("claude") {
        return;
    }
    let mut scene = Scene::claude(APPROVE);
    scene.set("CLAUDE_CODE_MAX_RETRIES", "0");
    scene.write(".signalbox/project.toml", CONTRACT);
    scene.env.bash("git add -A && git commit -q -m 'Agree on something'").success();
    scene.env.sb(["trust", "--yes"]).success();
    let words = ["new", "--no-tests", "--area", "web", "--slug", "one", "Make one"];
    let ticket = scene.env.sb(words).success().stdout.trim().to_owned();
    let workspaces = scene.env.root().join("hóme of sb-workspaces");
    scene.trust(&workspaces);

    let until = Timestamp::now().as_second() + REST;
    let file = text(&workspaces.join("shop/web-one/src/one")).to_owned();
    let call = |(tool, input): (&str, Value)| Turn::call(tool, input);
    let turns = [
        call(("Write", json!({ "file_path": file, "content": "one\n" }))),
        Turn::fail_saying(429, format!("Claude AI usage limit reached|{until}")),
        // Whoever goes on with the conversation finds its script here; another one would begin without.
        call(bash("git add -A")),
        call(bash("git commit -q -m one")),
        call(bash("sb submit -m one")),
        Turn::say("handed in"),
    ];
    let model = Model::start(Script::new([]).beside("doer of web/one, attempt 1", turns));
    let mut terminal =
        scene.start(&model).open_under(scene.env.program(), &["run", "--until-idle"], Size::WIDE);
    let ended = terminal.ends_within(PATIENCE * 3);
    let agents = scene.env.bash("sb agents; tail -n 40 \"$SIGNALBOX_HOME\"/logs/*.log").stdout;
    let said = format!("{}\n{agents}\n{:#?}", terminal.log(), model.tool_results());
    assert_eq!(ended, Some(Some(0)), "{said}");
    let failures = scene.events("hook.stop-failure");
    assert_eq!(failures.len(), 1, "{failures:#?}\n{said}");
    assert_eq!(failures[0]["data"]["error"], "rate_limit");
    assert_eq!(time(&failures[0]["data"]["until"]).as_second(), until);
    assert_eq!(scene.status(&ticket), "done", "{said}");
    let starts = scene.events("attempt.started");
    assert_eq!(starts.len(), 2, "{starts:#?}");
    assert!(time(&starts[1]["ts"]).as_second() >= until, "{starts:#?}");
    let ends: Vec<Value> =
        scene.events("attempt.recorded").iter().map(|event| event["data"]["outcome"].clone()).collect();
    assert_eq!(ends, ["out_of_quota", "completed"], "{said}");
    assert!(model.saw("You were cut short"), "{said}");
    scene.found(
        "An empty account: the agent is ended, and goes on with its conversation when there is something again",
        Outcome::Works,
    );
}

fn time(value: &Value) -> Timestamp {
    value.as_str().and_then(|at| at.parse().ok()).expect("a time")
}
