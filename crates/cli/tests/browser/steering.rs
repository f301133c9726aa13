//! A loop at work: what the controls do to it, and what its validation prints while it runs.

use serde_json::json;

use crate::busy::{does, file, repository_with, script, sh, writes};
use crate::kit::{Tools, World};

/// One agent at a time, nobody reviews, one step that takes its time.
const CONTRACT: &str = r#"tests = ["tests/**"]
[run]
concurrency = 1
attempts = 1
stall = "200s"
backoff = "1s"
[roles.doer]
driver = "puppet"
[validate]
retry_flaky = false
steps = [{ name = "test", run = "sh tests/all.sh", time = "100s" }]
"#;

/// Work that goes on when the person says so.
const WAIT: &str = "for i in $(seq 1200); do test -e .git/go-on && break; sleep 0.1; done";

/// A repository with these tickets, each of which waits for the person's word, the most urgent first; and their ids.
fn world(slugs: &[&str], tests: &str) -> Option<(World, Vec<String>)> {
    let tools = Tools::find()?;
    let mut env = repository_with(CONTRACT, tests);
    let scenes: Vec<_> = slugs
        .iter()
        .map(|slug| {
            let steps = vec![writes(&format!("src/{slug}"), "ok\n"), sh(WAIT)];
            (format!("doer of core/{slug},"), does(steps, "done"))
        })
        .collect();
    let scenes: Vec<_> = scenes.iter().map(|(words, steps)| (words.as_str(), steps.clone())).collect();
    script(&mut env, &scenes);
    let ids = slugs
        .iter()
        .enumerate()
        .map(|(at, slug)| {
            let priority = format!("P{at}");
            let more = ["--area", "core", "--slug", slug, "--no-tests", "-p", &priority, "--backlog"];
            file(&env, &format!("Do {slug}"), &more)
        })
        .collect();
    Some((World::with(env, tools), ids))
}

/// Where the workspaces are.
fn workspaces(world: &World) -> String {
    world.env.root().join("hóme of sb-workspaces/shop").to_string_lossy().into_owned()
}

#[test]
fn a_loop_that_runs_is_paused_drained_widened_and_stopped() {
    let Some((world, tickets)) = world(&["one", "two", "three", "four"], "true\n") else { return };
    world.play("steering", json!({ "tickets": tickets, "workspaces": workspaces(&world) }));
}

#[test]
fn what_a_validation_prints_is_seen_while_it_runs() {
    let tests = "echo 'the first words'\n\
                 for i in $(seq 900); do test -e \"$HOME/go-on\" && break; sleep 0.1; done\n\
                 echo 'the second words'\n\
                 for i in $(seq 900); do test -e \"$HOME/finish\" && break; sleep 0.1; done\n\
                 seq -f 'line %.0f of many' 400\n";
    let Some((world, tickets)) = world(&["one"], tests) else { return };
    let given = json!({ "ticket": tickets[0], "workspaces": workspaces(&world), "root": world.env.root() });
    world.play("validating", given);
}
