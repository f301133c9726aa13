//! Texts that want to be run: through every field and every page, none is.

use std::path::Path;

use serde_json::{Value, json};
use signalbox_testkit::quote;

use crate::busy::{does, file, repository, script, writes};
use crate::kit::{Tools, World, eventually};

#[test]
fn nothing_that_somebody_wrote_is_ever_run() {
    let Some(tools) = Tools::find() else { return };
    let payloads: Vec<String> =
        serde_json::from_str(include_str!("scripts/payloads.json")).expect("payloads");
    let mut env = repository();
    // In a diff: names of files, what is in them, and what was said with them.
    let branch = file(&env, "A hostile branch", &["--area", "core", "--slug", "hostile", "--no-tests"]);
    let names = payloads.iter().filter(|text| !text.contains(['/', '\n', '\0']) && text.len() < 100).take(25);
    let mut steps: Vec<Value> = names.map(|name| writes(&format!("src/{name}"), "x\n")).collect();
    steps.push(writes("src/all", &payloads.join("\n")));
    script(&mut env, &[("doer of core/hostile", does(steps, &payloads[9]))]);
    env.sb(["run", "--until-idle"]).success();
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
    let paths = json!([
        format!("/ticket/{branch}"),
        format!("/ticket/{tried}"),
        format!("/ticket/{completed}"),
        "/agent/mallory",
        format!("/recording/{id}")
    ]);
    let patches = json!([format!("/ticket/{branch}")]);
    let found = world.play("hostile", json!({ "paths": paths, "patches": patches }));
    assert!(found["payloads"].as_u64() >= Some(60), "{found}");
    assert!(found["looked"].as_u64() >= Some(120), "{found}");
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
