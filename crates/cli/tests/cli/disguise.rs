//! Agents that hide: another name, another namespace, only a mark in the environment.

use signalbox_testkit::Agent;

use crate::support::{agent_program, env, in_review, json, status};

/// What the kernel shows as its name can be changed; the file it runs cannot.
#[test]
fn an_agent_that_renames_itself() {
    let env = env();
    let program = agent_program(&env, "fakeagent");
    let mut fake = Agent::program(&env, "fake", &program);
    fake.run("printf innocent >/proc/$$/comm").success();
    let context = json(&fake.sb(["context", "--json"]).success());
    assert_eq!(context["actor"], "fakeagent");
    let id = in_review(&env, &mut fake, "One");
    fake.sb(["approve", &id]).code(4).says("worked on it");
    fake.sb(["close", &id]).code(4).says("only a human may");
}

/// Some CLIs are installed as `…/name/versions/1.2.3`.
#[test]
fn an_agent_whose_file_is_called_after_its_version() {
    let env = env();
    let program = agent_program(&env, "share/fakeagent/versions/2.1.197");
    let mut fake = Agent::program(&env, "fake", &program);
    assert_eq!(json(&fake.sb(["context", "--json"]).success())["actor"], "fakeagent");
}

/// The mark that an agent CLI leaves in the environment counts where no agent can be found.
#[test]
fn a_mark_in_the_environment() {
    let mut env = env();
    let program = agent_program(&env, "fakeagent");
    let id = env.new_ticket("One");
    env.set("CLAUDECODE", "1");
    env.sb(["close", &id]).code(4).says("CLAUDECODE is set").says("unset CLAUDECODE");
    env.sb(["new", "Another"]).code(4);
    env.sb(["show", &id]).success();
    assert_eq!(json(&env.sb(["context", "--json"]).success())["actor"], "unknown agent");
    // An agent that is found is that agent.
    let mut fake = Agent::program(&env, "fake", &program);
    fake.sb(["pick", &id]).success();
    env.unset("CLAUDECODE");
    env.sb(["close", &id]).success();
    // Where no program is an agent, the mark is none either: the tests themselves may run below one.
    let mut env = crate::support::env();
    env.set("CLAUDECODE", "1");
    env.new_ticket("One");
}

/// From inside a container the processes above cannot be seen, and one of them may be an agent.
#[test]
fn an_agent_in_a_namespace_of_its_own() {
    let env = env();
    let confined = "unshare --pid --fork --mount-proc";
    if env.bash(&format!("{confined} true")).code != Some(0) {
        eprintln!("SKIPPED: this user may not make a namespace");
        return;
    }
    let id = env.new_ticket("One");
    env.bash(&format!("{confined} sb note {id} 'nobody could be meant yet'")).success();
    let mut ada = env.agent("ada");
    ada.sb(["pick", &id]).success();
    for line in [format!("sb close {id}"), format!("sb submit {id} -m done"), "sb new x".to_owned()] {
        ada.run(&format!("env -u SIGNALBOX_SESSION {confined} {line}"))
            .code(4)
            .says("cannot be seen from here, and session ada may be one of them");
    }
    assert_eq!(status(&env, &id), "in-progress");
    // With its capability it is itself, and once it has gone nobody is meant.
    let context = json(&ada.run(&format!("{confined} sb context --json")).success());
    assert_eq!(context["session"], "ada");
    // From there its process looks dead, but that must not make anyone forget it.
    let hook = "printf '{\"session_id\":\"inner\"}' | sb hook session-start >/dev/null";
    ada.run(&format!("{confined} bash -c {hook:?}")).success();
    let context = json(&ada.run("env -u SIGNALBOX_SESSION sb context --json").success());
    assert_eq!(context["session"], "ada");
    let doctor = ada.run(&format!("{confined} sb doctor --json"));
    assert!(!doctor.stdout.contains("session ada"), "{doctor}");
    ada.run("printf '{\"session_id\":\"ada\"}' | sb hook session-end").success();
    drop(ada);
    env.bash(&format!("{confined} sb close {id}")).success();
}
