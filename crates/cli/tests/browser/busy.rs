//! A project in the middle of things: work that landed, waits for review, failed and asks; agents at work.

use std::path::Path;

use serde_json::{Value, json};
use signalbox_testkit::{TestEnv, quote};

use crate::kit::{Tools, World};

/// Puppets in every role, a person who reviews, one step that validates.
pub const CONTRACT: &str = r#"tests = ["tests/**"]
[run]
concurrency = 2
attempts = 1
stall = "20s"
backoff = "1s"
[roles.doer]
driver = "puppet"
[roles.reviewer]
driver = "puppet"
[review]
gates = ["validate", "independent"]
by = "human"
[validate]
retry_flaky = false
steps = [{ name = "test", run = "sh tests/all.sh", time = "20s" }]
"#;

/// A repository `shop` with a contract that is trusted, and `sb` in it.
pub fn repository() -> TestEnv {
    repository_with(CONTRACT, "echo 'running 12 tests'\ngrep -q pub src/login.rs\n")
}

/// With this contract, and this script as its tests.
pub fn repository_with(contract: &str, tests: &str) -> TestEnv {
    let env = TestEnv::empty(env!("CARGO_BIN_EXE_sb"));
    let project = env.project();
    for folder in ["src", "tests", ".signalbox"] {
        std::fs::create_dir_all(project.join(folder)).expect("make a folder");
    }
    env.write(project.join("src/login.rs"), LOGIN);
    env.write(project.join("tests/all.sh"), tests);
    env.write(project.join(".signalbox/project.toml"), contract);
    env.bash("git init -q -b main && git add -A && git -c user.name=Pat -c user.email=pat@example.com commit -q -m Begin").success();
    env.sb(["init", "--name", "shop"]).success();
    env.sb(["trust", "--yes"]).success();
    env.sb(["hooks", "install", "--cli", "puppet", "--yes"]).success();
    env
}

const LOGIN: &str =
    "//! Logging in.\n\npub fn login(name: &str, word: &str) -> bool {\n    known(name, word)\n}\n";
const LIMITED: &str = "//! Logging in, five times a minute at most.\n\npub fn login(name: &str, word: &str) -> bool {\n    \
                       if recent(name) >= 5 {\n        return false;\n    }\n    known(name, word)\n}\n";

/// Have puppets do this: words of the prompt, and the steps.
pub fn script(env: &mut TestEnv, scenes: &[(&str, Vec<Value>)]) {
    let prompts: Vec<Value> =
        scenes.iter().map(|(words, steps)| json!({ "match": words, "steps": steps })).collect();
    let otherwise = json!([{ "say": "I do not know what to do." }, { "crash": 3 }]);
    let path = env.root().join("script.json");
    env.write(&path, json!({ "prompts": prompts, "otherwise": otherwise }).to_string());
    env.set("PUPPET_SCRIPT", path.to_str().expect("UTF-8"));
}

/// Really run a line of shell.
pub fn sh(line: &str) -> Value {
    json!({ "tool": { "input": { "command": line }, "run": true } })
}

/// Write a file.
pub fn writes(path: &str, content: &str) -> Value {
    json!({ "tool": { "name": "Write", "input": { "file_path": path, "content": content }, "run": true } })
}

/// Do this, commit, hand in and end.
pub fn does(mut steps: Vec<Value>, note: &str) -> Vec<Value> {
    steps.push(sh("git add -A && git commit -q -m work"));
    steps.push(sh(&format!("sb submit -m {}", quote(note))));
    steps.extend([json!({ "think": 100 }), json!({ "crash": 1 })]);
    steps
}

/// File a ticket; the answer is its id.
pub fn file(env: &TestEnv, title: &str, more: &[&str]) -> String {
    env.sb(["new", title].iter().chain(more)).success().stdout.trim().to_owned()
}

/// The busy project, and where its pages are.
pub fn world() -> Option<(World, Vec<String>)> {
    let tools = Tools::find()?;
    let mut env = repository();
    let limit = file(
        &env,
        "Limit logins to five a minute",
        &[
            "-p",
            "P1",
            "--area",
            "auth",
            "--slug",
            "limit",
            "--no-tests",
            "-t",
            "security",
            "-b",
            BODY,
            "--accept",
            "The sixth wrong login within a minute is refused",
            "--accept",
            "The refusal says how long to wait",
        ],
    );
    let mail = file(
        &env,
        "Send receipts by mail",
        &["-p", "P2", "--area", "mail", "--slug", "receipts", "--no-tests"],
    );
    let failing = file(
        &env,
        "Move sessions to the new store",
        &["-p", "P0", "--area", "store", "--slug", "sessions", "--no-tests"],
    );
    script(
        &mut env,
        &[
            (
                "doer of auth/limit",
                does(
                    vec![writes("src/login.rs", LIMITED)],
                    "Counted per name; the tests cover the sixth try.",
                ),
            ),
            (
                "doer of mail/receipts",
                does(vec![writes("src/mail.rs", "pub fn receipt() {}\n")], "Plain text and HTML."),
            ),
            ("doer of store/sessions", vec![json!({ "think": 300 }), json!({ "crash": 3 })]),
        ],
    );
    env.sb(["run", "--until-idle"]).success();
    env.sb(["review", &mail]).success();
    env.sb(["approve", &mail, "-m", "good"]).success();
    env.sb(["run", "--until-idle"]).success();
    more_tickets(&env, &limit, &failing);
    let ended = agent_of(&env);
    let mut world = World::with(env, tools);
    let works = json!({ "otherwise": [{ "say": "Reading src/login.rs." }, { "tool": { "input": { "command": "cargo test" }, "output": "running 12 tests\n", "ms": 300 } },
        { "say": "Eleven pass; the refusal has no time in it yet." }, { "think": 600_000 }] });
    world.puppet("ada", &works, &["--prompt", "Make the refusal say how long to wait"]);
    let asks = json!({ "otherwise": [{ "tool": { "input": { "command": "rm -rf build" }, "ask": true } }] });
    world.puppet("grace", &asks, &["--prompt", "Clean the build"]);
    let paths = [
        "/",
        "/board",
        "/list",
        "/plan",
        "/agents",
        "/agent/ada",
        "/queue",
        "/activity",
        "/decisions",
        "/flow",
        "/health",
    ];
    let mut paths: Vec<String> = paths.map(str::to_owned).into();
    paths.extend([format!("/ticket/{limit}"), format!("/ticket/{failing}"), format!("/recording/{ended}")]);
    Some((world, paths))
}

const BODY: &str = "Somebody tried **4,000 passwords** last night.\n\n- count wrong logins per name\n- refuse the sixth within a \
                    minute\n\n```rust\nassert!(!login(\"pat\", \"wrong\"));\n```\n";

fn more_tickets(env: &TestEnv, limit: &str, failing: &str) {
    let page = file(env, "Show the time to wait on the login page", &["-p", "P2", "-d", limit, "-t", "web"]);
    file(env, "Tell people by mail when they are locked out", &["-d", limit, "-d", &page, "-t", "mail"]);
    file(env, "Drop the old session table", &["-d", failing, "-p", "P4"]);
    file(env, "Dark mode for the shop", &["--backlog", "-t", "web"]);
    file(env, "Réécrire la page d'accueil", &["-p", "P3"]);
    file(env, "تحديث صفحة الدفع", &["-p", "P3", "-t", "web"]);
    let held = file(env, "Keep invoices for ten years", &["-p", "P2"]);
    env.sb(["hold", &held, "the lawyers look at it until Friday"]).success();
    let mine = file(env, "Name the price with tax", &["-p", "P2"]);
    env.sb(["pick", &mine]).success();
    let words = [
        "esc",
        "draft",
        "--json",
        "May a name be locked for an hour after fifty wrong logins?",
        "--kind",
        "decision",
        "-o",
        "Yes, an hour",
        "-o",
        "Ten minutes are enough",
        "-c",
        "Support gets three calls a week about locked names.",
        "--ticket",
        &page,
    ];
    let said: Value = serde_json::from_str(&env.sb(words).success().stdout).expect("JSON");
    env.sb(["esc", "promote", said["id"].as_str().expect("an id")]).success();
}

/// An agent that has worked and ended.
fn agent_of(env: &TestEnv) -> String {
    let records = env.files_below(env.home().join("agents"));
    let ended = records
        .iter()
        .map(|(path, _)| path.as_path())
        .filter(|path| path.extension().is_some_and(|end| end == "json"));
    ended
        .filter_map(Path::file_stem)
        .map(|name| name.to_string_lossy().into_owned())
        .next()
        .expect("an agent")
}
