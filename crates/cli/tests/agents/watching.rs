//! From the world outside into the agent: monitors, the outbox, and whatever is killed in between.

use serde_json::{Value, json};
use signalbox_testkit::TestEnv;
use signalbox_testkit::github::{Github, REPO, TOKEN};

use crate::daemon::{Daemon, configure};
use crate::kit::{env, events, json_of, new_session, prompts, puppet_command, quick, record, records};
use crate::window::{Window, eventually};

/// A puppet with a name, in a window.
struct Named {
    window: Window,
    session: String,
    id: String,
}

impl Named {
    fn start(env: &TestEnv, name: &str, script: &Value) -> Self {
        let session = new_session();
        let window = Window::open(&puppet_command(env, script, &session, &["--name", name]));
        window.wait_for("/help for help");
        let id = crate::kit::id_of(env, window.pid());
        Self { window, session, id }
    }

    fn prompts(&self, env: &TestEnv) -> Vec<String> {
        prompts(env, &self.session)
    }

    fn end(mut self) {
        self.window.signal(rustix::process::Signal::TERM);
        let _ = self.window.ends();
    }
}

/// A monitor whose output is a file: each new content is an event.
fn file_monitor(env: &TestEnv, name: &str) -> std::path::PathBuf {
    let file = env.root().join(format!("{name}.txt"));
    env.write(&file, "calm\n");
    configure(
        env,
        &format!(
            "[monitors.{name}]\ntype = \"shell\"\ncommand = \"cat '{}'\"\non_change = true\nevery = 1\n",
            file.display()
        ),
    );
    file
}

fn is_watched(env: &TestEnv, id: &str) -> bool {
    let run = env.sb(["monitor", "list", "--json"]);
    let rows: Value = serde_json::from_str(&run.stdout).unwrap_or_default();
    let of = |row: &&Value| row["agent"] == id && row["last"].is_string();
    rows.as_array().is_some_and(|rows| rows.iter().any(|row| of(&row)))
}

#[test]
fn what_changes_reaches_the_agent_once_though_daemon_and_agent_are_killed_in_between() {
    let env = env();
    let file = file_monitor(&env, "news");
    let mut heard: Vec<String> = Vec::new();
    let mut agent = Named::start(&env, "ada", &quick());
    let mut daemon = Some(Daemon::start(&env));
    eventually("the first look", || is_watched(&env, &agent.id));
    for round in 0..6 {
        let words = format!("story {round}");
        match round % 3 {
            // It happens while everything runs.
            0 => env.write(&file, format!("{words}\n")),
            // It happens while there is no daemon.
            1 => {
                daemon.take().expect("a daemon").kill();
                env.write(&file, format!("{words}\n"));
                daemon = Some(Daemon::start(&env));
            }
            // It happens while there is no agent.
            _ => {
                heard.extend(agent.prompts(&env));
                agent.end();
                env.write(&file, format!("{words}\n"));
                agent = Named::start(&env, "ada", &quick());
            }
        }
        eventually(&format!("{words} to arrive; {:?}", agent.prompts(&env)), || {
            agent.prompts(&env).iter().any(|prompt| prompt.contains(&words))
        });
    }
    heard.extend(agent.prompts(&env));
    for round in 0..6 {
        let words = format!("story {round}");
        let times = heard.iter().filter(|prompt| prompt.contains(&words)).count();
        assert_eq!(times, 1, "{words}: {heard:#?}");
    }
}

#[test]
fn what_waits_for_an_agent_that_ends_is_told_to_the_next_one() {
    let env = env();
    let file = file_monitor(&env, "news");
    let _daemon = Daemon::start(&env);
    // It thinks for so long that nothing gets in.
    let busy = json!({ "otherwise": [{ "think": 600_000 }, { "say": "Done." }] });
    let first = Named::start(&env, "ada", &busy);
    eventually("the first look", || is_watched(&env, &first.id));
    first.window.press("begin\r");
    eventually("it to be busy", || {
        let rows = json_of(&env.sb(["agents", "--json"]).success());
        rows[0]["state"] == "working"
    });
    env.write(&file, "the house burns\n");
    let is_queued = |(name, data): &(String, Value)| {
        name == "inject.queued" && data["text"].as_str().is_some_and(|text| text.contains("the house burns"))
    };
    eventually("the message to wait", || events(&env).iter().any(is_queued));
    first.end();
    let second = Named::start(&env, "ada", &quick());
    eventually("the next one to hear of it", || {
        second.prompts(&env).iter().any(|prompt| prompt.contains("the house burns"))
    });
    assert_eq!(records(&env).len(), 2);
}

#[test]
fn a_red_check_arrives_with_its_step_and_log_and_a_review_overtakes_it() {
    let env = env();
    let github = Github::start();
    let sha = "0123456789abcdef0123456789abcdef01234567";
    github.push("topic", sha);
    let pull = github.open("topic", "Add a thing");
    // As a clone of it looks.
    env.bash(&format!("git init -q -b topic . && git remote add origin https://github.com/{REPO}.git"))
        .success();
    configure(
        &env,
        &format!("[monitors.github]\napi_url = \"{}\"\ntoken = \"{TOKEN}\"\nevery = 1\n", github.url()),
    );
    let _daemon = Daemon::start(&env);
    // Busy until it is told to go on, so that both wait for it.
    let script = json!({ "prompts": [{ "match": "wait", "steps": [{ "think": 6000 }, { "say": "Done." }] }],
                         "otherwise": [{ "think": 300 }, { "say": "Done." }] });
    let agent = Named::start(&env, "ada", &script);
    eventually("the first look", || is_watched(&env, &agent.id));
    agent.window.press("wait\r");
    github.check_fails(sha, "build", "Run tests", "one\ntwo\nassertion failed: left == right\n");
    eventually("the red check to wait", || {
        events(&env).iter().any(|(name, data)| name == "monitor.announced" && data["kind"] == "ci_failure")
    });
    github.review(pull, "grace", "CHANGES_REQUESTED", "Please rename it.", &[("src/a.rs", 3, "this one")]);
    eventually("both to arrive", || agent.prompts(&env).len() >= 3);
    let prompts = agent.prompts(&env);
    let at = |words: &str| {
        let found: Vec<usize> = prompts
            .iter()
            .enumerate()
            .filter(|(_, prompt)| prompt.contains(words))
            .map(|(at, _)| at)
            .collect();
        assert_eq!(found.len(), 1, "{words}: {prompts:#?}");
        found[0]
    };
    assert!(at("Please rename it.") < at("assertion failed: left == right"), "{prompts:#?}");
    assert_eq!(at("Run tests"), at("assertion failed: left == right"));
    assert_eq!(record(&env, &agent.id)["name"], "ada");
}

#[test]
fn a_token_that_is_missing_or_refused_is_told_once_with_what_to_do() {
    let env = env();
    let github = Github::start();
    github.push("topic", "0123456789abcdef0123456789abcdef01234567");
    env.bash(&format!("git init -q -b topic . && git remote add origin https://github.com/{REPO}.git"))
        .success();
    configure(
        &env,
        &format!("[monitors.github]\napi_url = \"{}\"\ntoken = \"ghp_wrong\"\nevery = 1\n", github.url()),
    );
    let _daemon = Daemon::start(&env);
    let agent = Named::start(&env, "ada", &quick());
    let failing =
        || events(&env).into_iter().filter(|(name, _)| name == "monitor.failing").collect::<Vec<_>>();
    eventually("it to be told", || !failing().is_empty());
    let _ = github.asked();
    env.sb(["monitor", "look", "github", "--agent", &agent.id]).success();
    eventually("another look", || !github.asked().is_empty());
    env.sb(["status"]).success().says("token");
    assert_eq!(failing().len(), 1, "{:?}", failing());
    env.sb(["monitor", "list"]).success().says("github").never_says("ghp_wrong");
}
