//! Texts that want to be run: through every field and every page, none is.

use std::path::Path;

use serde_json::{Value, json};
use signalbox_testkit::{Agent, TestEnv, quote};

use crate::busy::{CONTRACT, does, file, repository_with, script, sh, writes};
use crate::kit::{Tools, World, eventually};

/// Names that git takes for branches.
const BRANCHES: [&str; 4] = [
    "pats/<img/src=x/onerror=hit(201)>",
    "pats/\"><svg/onload=hit(202)>",
    "</code></title><script>hit(203)</script>",
    "pats/'onmouseover='hit(204)'x='",
];

#[test]
fn nothing_that_somebody_wrote_is_ever_run() {
    let Some(tools) = Tools::find() else { return };
    let payloads: Vec<String> =
        serde_json::from_str(include_str!("scripts/payloads.json")).expect("payloads");
    // What a step prints is what the branch has in it, and nobody has to look at it first.
    let contract =
        CONTRACT.replace("gates = [\"validate\", \"independent\"]\nby = \"human\"", "gates = [\"validate\"]");
    let mut env = repository_with(&contract, "cat src/all 2>/dev/null\ngrep -q pub src/login.rs\n");
    // In a diff: names of files, what is in them, and what was said with them.
    let branch = file(&env, "A hostile branch", &["--area", "core", "--slug", "hostile", "--no-tests"]);
    let failing = file(&env, "A hostile failure", &["--area", "core", "--slug", "failing", "--no-tests"]);
    let names = payloads.iter().filter(|text| !text.contains(['/', '\n', '\0']) && text.len() < 100).take(25);
    let mut steps: Vec<Value> = names.map(|name| writes(&format!("src/{name}"), "x\n")).collect();
    steps.push(writes("src/all", &payloads.join("\n")));
    let fails = vec![writes("src/all", &payloads.join("\n")), sh("rm src/login.rs")];
    script(
        &mut env,
        &[("of core/hostile,", does(steps, &payloads[9])), ("of core/failing,", does(fails, &payloads[10]))],
    );
    env.sb(["run", "--until-idle"]).success();
    let branches = own_branches(&env);
    told_by_hooks(&env, &payloads);
    // An agent that gives up, and says why.
    let tried = file(&env, "Tried by Mallory", &[]);
    let mut mallory = env.agent("Mallory");
    mallory.sb(["pick", &tried]).success();
    let report = [
        "release",
        "--outcome",
        "failed",
        "--summary",
        &payloads[9],
        "--blockers",
        &payloads[18],
        "--learnings",
        &payloads[0],
        "-m",
        &payloads[10],
    ];
    mallory.sb(report).success();
    let completed = file(&env, "Handed in by Mallory", &[]);
    mallory.sb(["pick", &completed]).success();
    mallory.sb(["submit", "-m", &payloads[11]]).success();
    // In a terminal: its title, what it prints, and marks in its recording.
    let printed = env.root().join("printed");
    env.write(
        &printed,
        format!("\x1b]0;{}\x07\x1b]2;{}\x07{}\r\n", payloads[9], payloads[18], payloads.join("\r\n")),
    );
    let line = format!("cat {}; exec sleep 600", quote(printed.to_str().expect("UTF-8")));
    let mut world = World::with(env, tools);
    world.program("mallory", &["bash", "-c", &line]);
    world.program("ended", &["bash", "-c", &line.replace("sleep 600", "sleep 0.2")]);
    let refused = world.env.sb(["agent", "--headless", "--name", &payloads[9], "--", "true"]);
    assert_ne!(refused.code, Some(0), "a name like that is refused");
    let recording = recording(&world, "ended");
    let mut text = world.env.read(&recording);
    for words in payloads.iter().take(40) {
        text.push_str(&format!("{}\n", json!([9.0, "m", words])));
    }
    world.env.write(&recording, text);
    let id = recording.file_stem().expect("a name").to_string_lossy().into_owned();
    let mut paths = vec!["/agent/mallory".to_owned(), format!("/recording/{id}")];
    let tickets = [&branch, &failing, &tried, &completed].into_iter().chain(&branches);
    paths.extend(tickets.map(|id| format!("/ticket/{id}")));
    let patches = json!([format!("/ticket/{branch}")]);
    // Where what was written last must be seen, or it was not tried at all.
    let last = payloads.last();
    let mut shown = vec![
        json!(["/queue", last]),
        json!(["/decisions", last]),
        json!([format!("/ticket/{failing}"), last]),
        json!(["/activity?all=true", payloads[12]]),
    ];
    let own = branches.iter().zip(BRANCHES);
    shown.extend(own.map(|(id, name)| json!([format!("/ticket/{id}"), name])));
    let found = world.play("hostile", json!({ "paths": paths, "patches": patches, "shown": shown }));
    assert!(found["payloads"].as_u64() >= Some(60), "{found}");
    assert!(found["looked"].as_u64() >= Some(120), "{found}");
}

/// Work of the person's own, on branches with such names.
fn own_branches(env: &TestEnv) -> Vec<String> {
    let mut tickets = Vec::new();
    for (at, name) in BRANCHES.into_iter().enumerate() {
        let id = file(env, &format!("By hand {at}"), &["--no-tests"]);
        env.sb(["pick", &id]).success();
        let commit = "git -c user.name=Pat -c user.email=pat@example.com commit -q -m work";
        let line = format!(
            "git switch -q -c {} main && echo {at} >src/own{at} && git add -A && {commit}",
            quote(name)
        );
        env.bash(&line).success();
        env.sb(["submit", &id, "-m", "done"]).success();
        tickets.push(id);
    }
    env.bash("git switch -q main").success();
    tickets
}

/// A session whose CLI tells of models, subagents, prompts and tools of such names. Those who would be called so are refused.
fn told_by_hooks(env: &TestEnv, payloads: &[String]) {
    let mut session = Agent::shell(env, "session");
    session.start_session(&payloads[9]).code(1).says("is no session id");
    session.start_session("session").success();
    let (one, other) = (&payloads[12], &payloads[13]);
    let tool = json!({ "command": one, "file_path": other, "description": other });
    let told = [
        ("session-start", json!({ "source": one, "model": one, "transcript_path": other })),
        ("prompt", json!({ "prompt": one })),
        ("subagent-start", json!({ "agent_id": "sub", "agent_type": one })),
        ("pre-tool", json!({ "tool_name": one, "tool_input": tool, "tool_use_id": other })),
        ("pre-tool", json!({ "tool_name": "Bash", "tool_input": tool, "tool_use_id": other })),
        ("post-tool", json!({ "tool_name": "Bash", "tool_input": tool, "tool_response": { "stdout": one } })),
        ("notification", json!({ "message": one, "title": other, "notification_type": one })),
    ];
    for (hook, mut words) in told {
        words["session_id"] = json!("session");
        words["cwd"] = json!(env.project());
        env.write(env.root().join("told"), words.to_string());
        // Whether it may is not what is asked here.
        let run = session.run(&format!("sb hook {hook} --cli claude <\"$HOME/told\""));
        assert!(matches!(run.code, Some(0 | 2)), "{run}");
    }
}

/// The recording of the agent of this name, once it has ended.
fn recording(world: &World, name: &str) -> std::path::PathBuf {
    let mut path = None;
    eventually("the agent to end", || {
        let said = world.env.sb(["agents", "--all", "--json"]).stdout;
        let rows: Value = serde_json::from_str(&said).unwrap_or_default();
        let rows = rows.as_array().cloned().unwrap_or_default();
        let row = rows.into_iter().find(|row| row["name"] == name && row["state"] == "exited");
        path = row.and_then(|row| {
            Some(world.env.home().join("recordings").join(format!("{}.cast", row["id"].as_str()?)))
        });
        path.as_deref().is_some_and(Path::exists)
    });
    path.expect("a recording")
}
