//! Goals through the binary: agents that are there for something, and people who take them over.

use signalbox_testkit::TestEnv;

use crate::daemon::Daemon;
use crate::kit::{env, events, id_of, json_of, sb};
use crate::window::{Window, eventually};

/// A shell as an agent, with a goal.
fn shell(env: &TestEnv, options: &[&str]) -> (Window, String) {
    let words =
        ["agent", "--name", "ada"].iter().chain(options).chain(&["--", "bash", "--norc", "--noprofile"]);
    let window = Window::open(&sb(env, words));
    let id = id_of(env, window.pid());
    (window, id)
}

fn happened(env: &TestEnv, name: &str) -> bool {
    events(env).iter().any(|(event, _)| event == name)
}

fn is_known(env: &TestEnv, id: &str) -> bool {
    let report = json_of(&env.sb(["status", "--json"]).success());
    let agents = report["daemon"]["agents"].as_array().cloned().unwrap_or_default();
    agents.iter().any(|agent| agent["id"] == id && agent["goal"].is_object())
}

#[test]
fn an_agent_that_says_it_is_done_is_ended() {
    let env = env();
    let _daemon = Daemon::start(&env);
    let (mut window, id) = shell(&env, &["--goal", "agent_signal"]);
    eventually("the daemon to know it", || is_known(&env, &id));
    window.press("sb goal signal in-progress half way\r");
    window.wait_for("is in-progress");
    eventually("it to be heard", || {
        let shown = env.sb(["goal", "show"]).success().stdout;
        shown.contains("in-progress") && shown.contains("half way")
    });
    window.press("sb goal signal completed all of it\r");
    eventually("it to be told", || happened(&env, "agent.completed"));
    window.ends();
    env.sb(["goal", "signal", "completed"]).code(4).says("does not run inside an agent");
}

#[test]
fn a_person_who_claims_an_agent_stops_its_clock() {
    let env = env();
    let _daemon = Daemon::start(&env);
    let (mut window, id) = shell(&env, &["--max-time", "4s"]);
    eventually("the daemon to know it", || is_known(&env, &id));
    env.sb(["agent", "claim", "ada"]).success().says("its goal waits");
    eventually("the claim to be heard", || env.sb(["status"]).success().stdout.contains("claimed"));
    window.rest(std::time::Duration::from_secs(5));
    assert!(!happened(&env, "agent.timed-out"));
    env.sb(["agent", "unclaim", "ada"]).success();
    eventually("its time to be up", || happened(&env, "agent.timed-out"));
    window.ends();
}

#[test]
fn a_command_says_whether_the_goal_is_reached() {
    let env = env();
    let _daemon = Daemon::start(&env);
    let flag = env.root().join("done");
    let run = format!("run=test -e '{}' || exit $SIGNALBOX_GOAL_PENDING", flag.display());
    let (mut window, id) = shell(&env, &["--goal", "command", "--goal-set", &run, "--goal-set", "every=1"]);
    eventually("the daemon to know it", || is_known(&env, &id));
    env.write(&flag, "");
    eventually("it to be told", || happened(&env, "agent.completed"));
    window.ends();
}

#[test]
fn what_cannot_be_a_goal_is_said() {
    let env = env();
    let start = |words: &[&str]| env.sb(["agent", "--headless"].iter().chain(words).chain(&["--", "true"]));
    start(&["--goal", "comand"]).code(2).says("Did you mean `command`?");
    start(&["--goal", "command"]).code(2).says("needs `run`");
    start(&["--goal", "agent_exit", "--max-time", "soon"]).code(2).says("is no length of time");
    env.sb(["goal", "types"]).success().says("ticket_done").says("github_pr_merged");
    let mut agent = env.agent("ada");
    agent.sb(["agent", "--headless", "--goal", "agent_exit", "--", "true"]).code(4).says("only a human may");
}

#[test]
fn programs_can_read_which_types_there_are() {
    let env = env();
    for (what, name, setting) in
        [("goal", "command", "run"), ("notifier", "webhook", "url"), ("monitor", "shell", "command")]
    {
        let types = json_of(&env.sb([what, "types", "--json"]).success());
        let types = types.as_array().expect("a list");
        let found = types.iter().find(|kind| kind["name"] == name).expect(name);
        let settings = found["settings"].as_array().expect("settings");
        assert!(settings.iter().any(|key| key["name"] == setting && key["required"] == true), "{found}");
    }
}

#[test]
fn a_ticket_that_is_done_ends_the_agent_however_its_id_was_typed() {
    let env = env();
    let _daemon = Daemon::start(&env);
    let ticket = env.new_ticket("Do it");
    let (mut window, id) = shell(&env, &["--goal", "agent_signal"]);
    eventually("the daemon to know it", || is_known(&env, &id));
    env.sb(["goal", "set", "ada", "ticket_done", "ticket=sb_nothing"]).code(3);
    let typed = format!("ticket={}", ticket.get(..6).expect("the beginning of an id"));
    env.sb(["goal", "set", "ada", "ticket_done", &typed]).success();
    env.sb(["close", &ticket, "done by hand"]).success();
    eventually("it to be told", || happened(&env, "agent.completed"));
    window.ends();
}
