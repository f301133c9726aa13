//! A ticket from `sb run` to main with the real Claude Code: one writes tests, another makes them pass, nobody answers a
//! dialog, and what each may change is decided on the tree.

use std::path::Path;

use serde_json::{Value, json};
use signalbox_testkit::clis::{Size, skip_without};
use signalbox_testkit::model::{Model, Script, Turn};

use crate::support::{Outcome, Scene, bash, refused, text};
use crate::wrapped::PATIENCE;

/// What a person lets agents do without being asked.
const APPROVE: &str = "[projects.shop.approve]\ntools = [\"Write\", \"Edit\"]\n\
                       commands = [\"git add *\", \"git commit *\", \"sb submit *\"]\n";

/// Every script in `tests` must pass. All agents are Claude Code, as where nothing is said; a doer may run a script of its
/// own, which nobody would approve by a list.
const CONTRACT: &str = "tests = [\"tests/**\"]\n[run]\nbackoff = \"1s\"\n\
                        [roles.doer]\nargs = [\"--allowedTools\", \"Bash(sh regenerate.sh)\"]\n[validate]\nretry_flaky = false\n\
                        steps = [{ name = \"test\", run = 'for t in tests/*.sh; do sh \"$t\" || exit 1; done' }]\n";

const TEST: &str = "grep -q '{ 4 }' src/lib.rs\n";

#[test]
fn claude_takes_a_ticket_through_tests_and_work_to_main() {
    if skip_without("claude") {
        return;
    }
    let scene = Scene::claude(APPROVE);
    scene.write(".signalbox/project.toml", CONTRACT);
    scene.write("tests/first.sh", "grep -q limit src/lib.rs\n");
    scene.env.bash("git add -A && git commit -q -m 'Agree on something'").success();
    scene.env.sb(["trust", "--yes"]).success();
    let words = ["new", "--area", "web", "--slug", "limit", "Raise the limit to 4"];
    let ticket = scene.env.sb(words).success().stdout.trim().to_owned();
    let workspaces = scene.env.root().join("hóme of sb-workspaces");
    let workspace = workspaces.join("shop/web-limit");
    scene.trust(&workspaces);

    let model = Model::start(script(&workspace));
    let mut terminal =
        scene.start(&model).open_under(scene.env.program(), &["run", "--until-idle"], Size::WIDE);
    let ended = terminal.ends_within(PATIENCE * 4);
    let agents = scene.env.bash("sb agents; tail -n 40 \"$SIGNALBOX_HOME\"/logs/*.log").stdout;
    let said = format!("{}\n{agents}\n{:#?}", terminal.log(), model.tool_results());
    assert_eq!(ended, Some(Some(0)), "{said}");
    assert_eq!(scene.status(&ticket), "done", "{said}");
    let main = scene.env.bash("git show main:src/lib.rs main:tests/limit.sh").success().stdout;
    assert_eq!(main, format!("pub fn limit() -> u32 {{ 4 }}\n{TEST}"));
    // The person's checkout has followed, and has nothing that was not on main.
    assert_eq!(scene.env.bash("git status --porcelain; git diff main").success().stdout, "");
    assert_eq!(scene.read("regenerate.sh"), None);

    let results = model.tool_results();
    let stopped: Vec<_> = results.iter().filter(|result| result.text.contains("Signalbox refused")).collect();
    assert_eq!(stopped.len(), 2, "{results:#?}");
    stopped.into_iter().for_each(|result| refused(result, "tests"));
    let failed = scene.events("merge.failed");
    assert_eq!(failed.len(), 1, "{failed:#?}");
    assert_eq!(failed[0]["data"]["why"], "boundary");
    assert_eq!(failed[0]["data"]["files"], json!(["tests/limit.sh"]));
    let roles: Vec<Value> =
        scene.events("attempt.started").iter().map(|event| event["data"]["role"].clone()).collect();
    assert_eq!(roles, ["test-writer", "doer", "doer"]);
    assert!(model.saw("attempt 2"), "the second is told of the first");
    // Whoever has handed in may stop.
    assert_eq!(scene.events("session.held-back"), [Value::Null; 0]);
    scene
        .found("A ticket through test-writer, doer and merge, without anybody at a terminal", Outcome::Works);
    scene.found(
        "A doer that changes tests by a script: refused on the tree that would land",
        Outcome::Blocked,
    );
}

fn script(workspace: &Path) -> Script {
    let at = |name: &str| text(&workspace.join(name)).to_owned();
    let call = |(tool, input): (&str, Value)| Turn::call(tool, input);
    let write = |name: &str, content: &str| ("Write", json!({ "file_path": at(name), "content": content }));
    let edit = || {
        let change = json!({ "file_path": at("src/lib.rs"), "old_string": "{ 3 }", "new_string": "{ 4 }" });
        [call(("Read", json!({ "file_path": at("src/lib.rs") }))), call(("Edit", change))]
    };
    let hand_in = |what: &str| {
        [
            call(bash("git add -A")),
            call(bash(&format!("git commit -q -m '{what}'"))),
            call(bash(&format!("sb submit -m '{what}'"))),
            Turn::say("handed in"),
        ]
    };
    let tests = std::iter::once(call(write("tests/limit.sh", TEST))).chain(hand_in("Tests for the limit"));
    // What the hook sees, it refuses. What a script of the agent's own does, it does not see.
    let cheat = [
        call(write("tests/another.sh", "true\n")),
        call(bash("sed -i s/4/3/ tests/limit.sh")),
        call(write("regenerate.sh", "echo true > tests/limit.sh\n")),
        call(bash("sh regenerate.sh")),
    ];
    let cheat = cheat.into_iter().chain(hand_in("Raise the limit"));
    // It begins anew, with the tests as they were written.
    let honest = edit().into_iter().chain(hand_in("Raise the limit for good"));
    Script::new([])
        .beside("test-writer of web/limit", tests)
        .beside("doer of web/limit, attempt 1", cheat)
        .beside("doer of web/limit, attempt 2", honest)
}
